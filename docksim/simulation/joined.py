"""Joints that hooks make, as they are at the end of a run: what is wrong with them, and their figures.

A joint is rigid if as many hooks as it needs hold nine tenths of their preload, the ports lie within 1.5 mm and within
the roll that their guide pins leave and a little more, and the faces gape nowhere by more than 0.1 mm. Peaks of loads
are those since the cams came to their end, at every step, whether it is logged or not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from docksim.compiler import Compiled
from docksim.compiler.joined import G_H, joints_of
from docksim.config.schema.hooks import Hooks
from docksim.config.schema.joining import pin_play
from docksim.result.pairs import JoinedPorts

HELD = 0.9  # of the preload
MOST_OFFSET_M = 0.0015
MORE_ROLL_DEG = 0.05  # than pins leave
MOST_GAP_M = 1e-4
# metric, field of the state, limit of the joint that it is held against
LOADS = (
    ("peak_tension_N", "peak_tension", "tension_N"),
    ("peak_compression_N", "peak_compression", "compression_N"),
    ("peak_shear_N", "peak_shear", "shear_N"),
    ("peak_bending_Nm", "peak_bending", "bending_Nm"),
    ("peak_torsion_Nm", "peak_torsion", "torsion_Nm"),
)


def pulls(compiled: Compiled, ports: JoinedPorts) -> bool:
    """Do their hooks make a joint?"""
    return _joint(compiled, ports) is not None


def fault_of(compiled: Compiled, ports: JoinedPorts) -> tuple[str, str] | None:
    """What keeps joined ports from being hard-docked: the word, and the figures."""
    joint = _joint(compiled, ports)
    if joint is None or not ports.joined:
        return None
    i, hooks = joint
    own = compiled.state.joined[i]
    if own.opening >= 0.0:
        return "not rigid", "hooks have been told to open"
    beside = ", ".join(_beside(compiled, ports))
    if beside:
        return "misaligned", f"{ports} are joined, but stood beside each other: {beside}"
    loose = ", ".join(_loose(compiled, i, hooks))
    if loose:
        return "not rigid", f"{ports} are joined, but {loose}"
    over = ", ".join(_overloads(dict(_figures(compiled, i, hooks, True))))
    return ("overloaded", f"the joint of {ports}: {over}") if over else None


def joint_figures(compiled: Compiled, happened: bool = False) -> dict[str, float]:
    """Metrics of every joint that was told to close; with `happened`, of all."""
    figures: dict[str, float] = {}
    for i, (_, _, hooks) in enumerate(joints_of(compiled.scenario, compiled.assembly)):
        name = compiled.assembly.joints[compiled.model.joined[i].weld].name
        figures |= {f"{name}.joint.{key}": value for key, value in _figures(compiled, i, hooks, happened)}
    return figures


def _joint(compiled: Compiled, ports: JoinedPorts) -> tuple[int, Hooks] | None:
    rows = enumerate(joints_of(compiled.scenario, compiled.assembly))
    return next(((i, hooks) for i, (_, names, hooks) in rows if frozenset(names) == ports.names), None)


def _beside(compiled: Compiled, ports: JoinedPorts) -> Iterator[str]:
    lateral, roll = ports.stand["lateral_m"], abs(ports.stand["roll_deg"])
    if lateral > MOST_OFFSET_M:
        yield f"offset {1e3 * lateral:.3g} mm (at most {1e3 * MOST_OFFSET_M:g})"
    play = pin_play(compiled.scenario, (ports.active, ports.passive))
    most = math.degrees(play[0] / play[1]) + MORE_ROLL_DEG if play is not None else math.inf
    if roll > most:
        yield f"roll {roll:.3g} deg (at most {most:.3g})"


def _loose(compiled: Compiled, i: int, hooks: Hooks) -> Iterator[str]:
    row, own = compiled.model.joined[i], compiled.state.joined[i]
    assert hooks.preload_N is not None
    if own.lost >= 0.0:
        yield f"the faces open at t = {own.lost:.6g} s: the hooks that grip cannot hold what acts"
    states = compiled.state.hook[row.first_hook : row.first_hook + row.hooks]
    idle = {k: hook for k, hook in enumerate(states, start=1) if hook.force < HELD * hooks.preload_N}
    needed = hooks.needed or int(row.hooks)
    if row.hooks - len(idle) < needed:
        named = ", ".join(f"{k} ({_state(hook)})" for k, hook in idle.items())
        yield f"of {needed} hooks needed {row.hooks - len(idle)} hold {HELD:.0%} of {hooks.preload_N:g} N; not: {named}"
    if own.widest > MOST_GAP_M:
        yield f"the faces gape by {1e3 * own.widest:.3g} mm (at most {1e3 * MOST_GAP_M:g})"


def _state(hook: Any) -> str:
    if not hook.engaged:
        return "did not grip"
    return f"{hook.force:.4g} N" if hook.turn >= 1.0 else f"still closing, {hook.force:.4g} N"


def _figures(compiled: Compiled, i: int, hooks: Hooks, happened: bool) -> Iterator[tuple[str, float]]:
    row, own = compiled.model.joined[i], compiled.state.joined[i]
    limits = hooks.limits
    if own.commanded < 0.0 and own.peak_hook == 0.0 and not happened:
        return
    yield "closing_work_J", float(own.cam_work)
    yield "drive_work_J", float(own.cam_work / row.efficiency)
    yield "peak_drive_torque_Nm", float(own.peak_torque)
    yield "load_work_J", float(own.load_work)
    yield from _limited("peak_hook_N", float(own.peak_hook), getattr(limits, "hook_N", None))
    if own.closed < 0.0 and not happened:
        return
    yield "closed_s", float(own.closed)
    for key, field, limit in LOADS:
        yield from _limited(key, float(own[field]), getattr(limits, limit, None))
    if row.closed_face > 0.0:
        yield from _limited(
            "gapping", 1.0 - float(own.least_face) / float(row.closed_face), getattr(limits, "gapping", None)
        )
    yield "face_least_N", float(own.least_face)
    yield "widest_gap_m", float(own.largest_gap)
    yield "slip_margin_N", float(own.least_margin)
    if hooks.seal is not None:
        yield "seal_least_compression_m", float(own.least_seal)
        yield "leak_g_h", float(own.leak) * G_H
        yield "seal_tight", float(own.least_seal >= hooks.seal.tight_at * hooks.seal.compression_m)


def _limited(name: str, value: float, limit: float | None) -> Iterator[tuple[str, float]]:
    yield name, value
    if limit is not None:
        yield f"{name}.of_limit", value / limit


def _overloads(figures: dict[str, float]) -> Iterator[str]:
    for name, value in figures.items():
        if name.endswith(".of_limit") and value > 1.0:
            yield f"{name.removesuffix('.of_limit')} is {value:.3g} of its limit"
