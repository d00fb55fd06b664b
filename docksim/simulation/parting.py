"""How two ports parted: speed and tip-off rates as simulated, and the closed form for a short stroke beside them.

Closed form: all that pushes acts along the axis before the two have moved noticeably. Rods with work
w_i = (F_0 + F_1) S / 2 at rho_i put a thrust J at e = sum w_i rho_i / sum w_i. A hook at rho_h that holds for tau keeps
its place shut with -H, H = F tau A_eh / A_hh, F the rods' first force, where A_ab is the opening at a that a unit
thrust at b makes; several hooks share what keeps all their places shut, from each opening to the next. Pressure over
time is a thrust of its own on the axis. J follows from the energy: what the thrusts give is what rods, seal and
pressure put in. Each side is taken as one rigid thing, as it stands at the separation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from docksim.algebra.dense import applied, dot, length, solve
from docksim.algebra.masses import point_inertia, symmetric
from docksim.algebra.rotations import TO_DEG
from docksim.compiler import Compiled
from docksim.model.parting import HOOK, ROD, SEAL

# faces that would be pressed into each other by more than this are told of [m]
PRESSED = 1e-4
# of the shares of several late hooks: rounds, and what may be left of the rods' thrust
SWEEPS, SETTLED = 1000, 1e-10


class Thrust(NamedTuple):
    """Along the axis, on B and back on A."""

    size: float  # [N s]
    place: np.ndarray  # from B's port, W axes


class Side(NamedTuple):
    """One of the two as a rigid thing; nothing moves it if it is anchored."""

    fixed: bool
    mass: float
    centre: np.ndarray
    inertia: np.ndarray  # about the mass centre

    def turn(self, place: np.ndarray, axis: np.ndarray) -> np.ndarray:
        """Rate that a unit thrust gives."""
        return np.zeros(3) if self.fixed else solve(self.inertia, np.cross(place - self.centre, axis))

    def answer(self, a: np.ndarray, b: np.ndarray, axis: np.ndarray) -> float:
        """Velocity at a, along the axis, of a unit thrust at b."""
        if self.fixed:
            return 0.0
        return float(1.0 / self.mass + dot(np.cross(a - self.centre, axis), self.turn(b, axis)))


def parting_figures(compiled: Compiled, happened: bool = False) -> dict[str, float]:
    """Metrics of every two bodies that have parted, or of all, for their names."""
    figures: dict[str, float] = {}
    for row, own in zip(compiled.model.parting, compiled.state.parting, strict=True):
        if happened or own.clear >= 0.0:
            name = compiled.assembly.joints[int(row.weld)].name
            figures |= {f"{name}.{key}": value for key, value in _figures(compiled, row, own, happened)}
    return figures


def _figures(compiled: Compiled, row: Any, own: Any, blank: bool) -> Iterator[tuple[str, float]]:
    ties = compiled.model.tie[int(row.first_tie) : int(row.first_tie + row.n_ties)]
    yield "separation.clear_after_s", float(own.clear - own.drive_start)
    if (ties["kind"] == ROD).any():
        yield "separation.last_rod_after_s", float(own.rods - own.drive_start)
    yield "separation.speed_m_s", float(own.speed)
    yield "separation.lateral_speed_m_s", float(own.across)
    speed, turns = (0.0, np.zeros((2, 3))) if blank else closed_form(compiled, row, own)
    yield "separation.speed_m_s.closed_form", speed
    for side, body in enumerate((row.owner_A, row.owner_B)):
        name = f"tip_off.{compiled.assembly.bodies[int(body)].name}"
        rate = own.rate[side] * TO_DEG
        yield f"{name}_deg_s", float(length(rate))
        yield f"{name}_deg_s.closed_form", float(length(turns[side])) * TO_DEG
        yield from ((f"{name}_{axis}_deg_s", float(rate[k])) for k, axis in enumerate("xyz"))


def closed_form(compiled: Compiled, row: Any, own: Any) -> tuple[float, np.ndarray]:
    """Speed at the ports [m/s] and rates of the sides of A and B, W axes [rad/s]."""
    ties = compiled.model.tie[int(row.first_tie) : int(row.first_tie + row.n_ties)]
    axis, R = np.array(own.axis), own.R_WB.reshape(3, 3)
    sides = [side_of(own.side[k], bool(own.fixed[k])) for k in range(2)]

    def answer(a: np.ndarray, b: np.ndarray) -> float:
        return sides[0].answer(a, b, axis) + sides[1].answer(a, b, axis)

    places = [applied(R, tie.p - row.p_bB) for tie in ties]
    first = [float(tie.ended + tie.slope * tie.end) for tie in ties]
    works = [0.5 * (force + float(tie.ended)) * float(tie.end) for force, tie in zip(first, ties, strict=True)]
    energy = sum(work for work, tie in zip(works, ties, strict=True) if tie.kind != HOOK)
    rods = [k for k, tie in enumerate(ties) if tie.kind == ROD]
    stored = sum(works[k] for k in rods)
    centre = sum((works[k] / stored * places[k] for k in rods), np.zeros(3)) if rods else np.zeros(3)

    known = []
    by_gap, swept = _swept_pressure(compiled, own, row.vented)
    if by_gap:
        energy += row.area * swept
    elif swept > 0.0:
        known.append(Thrust(float(row.area) * swept, np.zeros(3)))
        energy += 0.5 * known[0].size * known[0].size * answer(known[0].place, known[0].place)
    push = sum(first[k] for k in rods)
    step = compiled.model.settings[0].step
    opens = compiled.state.tie["opens"][int(row.first_tie) : int(row.first_tie + row.n_ties)]
    late = [k for k, tie in enumerate(ties) if tie.kind == HOOK]
    held = [max(float(opens[k] * step - own.drive_start), 0.0) for k in late]
    known += _hooks([places[k] for k in late], held, push, centre, answer)

    thrusts = [*known, Thrust(_rest(energy, known, centre, answer), centre)]
    speed = sum(one.size * answer(np.zeros(3), one.place) for one in thrusts)
    turns = [sum((sign * one.size * side.turn(one.place, axis) for one in thrusts), np.zeros(3))
             for sign, side in zip((-1.0, 1.0), sides, strict=True)]  # fmt: skip
    return speed, np.array(turns)


def _hooks(places: list[np.ndarray], held: list[float], push: float, centre: np.ndarray, answer: Any) -> list[Thrust]:
    """What late hooks hold back, each until it opens; they only pull, so a place may be left to close."""
    thrusts = [0.0] * len(places)
    since = 0.0
    for until in sorted(set(held)):
        shut = [k for k, end in enumerate(held) if end >= until]
        pulls = dict.fromkeys(shut, 0.0)
        for _ in range(SWEEPS):
            before = dict(pulls)
            for k in shut:
                others = sum(pulls[j] * answer(places[k], places[j]) for j in shut if j != k)
                opened = push * (until - since) * answer(centre, places[k]) - others
                pulls[k] = max(opened / answer(places[k], places[k]), 0.0)
            if all(abs(pulls[k] - before[k]) <= SETTLED * push * (until - since) for k in shut):
                break
        for k, pull in pulls.items():
            thrusts[k] -= pull
        since = until
    return [Thrust(size, place) for size, place in zip(thrusts, places, strict=True)]


def _rest(energy: float, known: list[Thrust], centre: np.ndarray, answer: Any) -> float:
    """The thrust at the rods' centre that brings the energy of all thrusts together to what was put in."""
    a = answer(centre, centre)
    b = sum(one.size * answer(centre, one.place) for one in known)
    c = sum(p.size * q.size * answer(p.place, q.place) for p in known for q in known)
    return (math.sqrt(max(b * b + a * (2.0 * energy - c), 0.0)) - b) / a if a > 0.0 else 0.0


def _swept_pressure(compiled: Compiled, own: Any, vented: float) -> tuple[bool, float]:
    """The integral of the residual pressure; is it over the gap [Pa m], or over time [Pa s]?"""
    if own.profile < 0:
        return True, 0.5 * float(own.tunnel) * float(vented)
    profile = compiled.model.profile[int(own.profile)]
    knots = compiled.model.knot[int(profile.first_knot) : int(profile.first_knot + profile.n_knots)]
    area = sum(0.5 * (a.c[0] + b.c[0]) * (b.time - a.time) for a, b in itertools.pairwise(knots))
    return bool(own.by_gap), float(area)


def side_of(P: np.ndarray, fixed: bool) -> Side:
    """From the spatial inertia about the port: angular (6), angular-linear (9), linear (6)."""
    mass = float(P[15])
    centre = np.array([P[13], P[8], P[9]]) / mass
    return Side(fixed, mass, centre, symmetric(P[:6]) - mass * point_inertia(centre))


def stuck_text(compiled: Compiled) -> str:
    """What holds two ports that should part, and what pushes."""
    clock = compiled.state.clock[0]
    row = next(row for row, own in zip(compiled.model.parting, compiled.state.parting, strict=True)
               if own.drive_start == clock.t and own.live == 0)  # fmt: skip
    ties = compiled.model.tie[int(row.first_tie) : int(row.first_tie + row.n_ties)]
    pull = -float(ties["ended"][ties["kind"] == SEAL].sum())
    push = f"rods and pressure push with {float(clock.value):.6g} N"
    return f"the seal of {_ports(compiled, row)} clings with {pull:.6g} N, {push}; the two stay joined"


def holding_still(compiled: Compiled, weld: int) -> str:
    """What of two ports that were told to part has not let go, in words; nothing if all has."""
    for row, own in zip(compiled.model.parting, compiled.state.parting, strict=True):
        if row.weld == weld and own.drive_start >= 0.0 and own.live != 0:
            part = slice(int(row.first_tie), int(row.first_tie + row.n_ties))
            ties, on = compiled.model.tie[part], compiled.state.tie["on"][part] != 0
            hooks = [str(k + 1) for k in ties["hook"][on & (ties["kind"] == HOOK)]]
            if hooks:
                return f"hook {', '.join(hooks)} has not let go"
            if clinging := int((on & (ties["kind"] == SEAL)).sum()):
                return f"the seal still clings at {clinging} of {int((ties['kind'] == SEAL).sum())} points"
    return ""


def parted_under_pressure(compiled: Compiled) -> Iterator[str]:
    """A word about ports that parted with more pressure in their tunnel than rods push with: nobody has vented it."""
    for row, own in zip(compiled.model.parting, compiled.state.parting, strict=True):
        ties = compiled.model.tie[int(row.first_tie) : int(row.first_tie + row.n_ties)]
        rods = ties[ties["kind"] == ROD]
        push, blow = float((rods["ended"] + rods["slope"] * rods["end"]).sum()), float(row.area * own.tunnel)
        if (own.live != 0 or own.clear >= 0.0) and blow > max(push, 0.0):
            text = f"parted with {own.tunnel:.4g} Pa in the tunnel, which pushed with {blow:.4g} N"
            advice = "vent before hooks open, or give what is left (residual_pressure)"
            yield f"{_ports(compiled, row)} {text}, the rods with {push:.4g}; {advice}"


def pressed_back(compiled: Compiled) -> Iterator[str]:
    """A word about faces that would have pressed on each other while the ports parted."""
    for row, own in zip(compiled.model.parting, compiled.state.parting, strict=True):
        if own.drive_start >= 0.0 and own.least < -PRESSED:
            deep = f"an edge of the faces went {-1e3 * own.least:.3g} mm into the other"
            yield f"while {_ports(compiled, row)} parted, {deep}: faces do not press there, do not trust what follows"


def _ports(compiled: Compiled, row: Any) -> str:
    return compiled.assembly.joints[int(row.weld)].name.replace("+", " and ")
