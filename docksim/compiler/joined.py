"""What hooks allow of ports that events join, and the joint that hooks with a count make: hooks, rods and points of the
seal around it, as rows of tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from docksim.algebra.elementary import cos, sin
from docksim.compiler.assembly import Assembly
from docksim.config.schema.closing import cam_end, closed_gap
from docksim.config.schema.hooks import Hooks, Rods
from docksim.config.schema.joining import Ports, active_and_passive, carrier_of, hooks_of, joinable
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.hooks import HOOKS, HOOKS_STATE
from docksim.model.joined import HOOK, HOOK_STATE, JOINED, JOINED_STATE, N_SPACES, ROD, SEAL_POINT

G_H = 3.6e6  # in a kg/s


def hooks_table(scenario: Scenario, assembly: Assembly) -> np.ndarray:
    """One row for every two ports, in the order of `joinable`."""
    markers = list(assembly.markers)
    pairs = joinable(scenario)
    rows = table(HOOKS, len(pairs))
    for row, ports in zip(rows, pairs):
        row.active, row.passive = map(markers.index, active_and_passive(scenario, ports))
        hooks = hooks_of(scenario, ports)
        if hooks is not None:
            row.given = 1
            row.reach, row.overlap, row.window = hooks.reach_m, hooks.overlap_m, hooks.window_m
            row.tilt, row.roll = math.radians(hooks.tilt_deg), math.radians(hooks.roll_deg)
            row.speed = hooks.rate_m_s
    return rows


def hooks_states(hooks: np.ndarray) -> np.ndarray:
    """No join has been tried."""
    rows = table(HOOKS_STATE, len(hooks))
    rows["tried"] = rows["joined"] = -1.0
    return rows


def joints_of(scenario: Scenario, assembly: Assembly) -> Iterator[tuple[int, Ports, Hooks]]:
    """Ports that hooks with a count may join: their row among the joinable, their names, the port with hooks first."""
    for index, ports in enumerate(joinable(scenario)):
        hooks = hooks_of(scenario, ports)
        if hooks is not None and hooks.count is not None and frozenset(ports) in assembly.welds:
            owned = ports[0] == carrier_of(scenario, ports)
            yield index, ports if owned else (ports[1], ports[0]), hooks


def joined_tables(scenario: Scenario, assembly: Assembly) -> dict[str, np.ndarray]:
    """The tables of the model, by name."""
    joints = list(joints_of(scenario, assembly))
    rows = table(JOINED, len(joints))
    hook, rod, point = ([_none(kind)] for kind in (HOOK, ROD, SEAL_POINT))
    markers = list(assembly.markers)
    for row, (index, (owner, other), hooks) in zip(rows, joints):
        row.ports, row.owner, row.other = index, markers.index(owner), markers.index(other)
        row.weld = assembly.welds[frozenset((owner, other))]
        row.sign = 1.0 if assembly.joints[row.weld].name.startswith(f"{owner}+") else -1.0
        for first, count, kind, made in (
            ("first_hook", "hooks", hook, _hooks(hooks)),
            ("first_rod", "rods", rod, _rods(hooks.rods)),
            ("first_point", "points", point, _points(hooks)),
        ):
            row[first], row[count] = sum(map(len, kind)), len(made)
            kind.append(made)
        _fill(row, hooks)
    return {
        "joined": rows,
        **{n: np.concatenate(k).view(np.recarray) for n, k in (("hook", hook), ("rod", rod), ("seal_point", point))},
    }


def joined_states(model: Model) -> dict[str, np.ndarray]:
    """Nothing has been told to close."""
    rows = table(JOINED_STATE, len(model.joined))
    for name in ("commanded", "opening", "lost", "closed", "valve_since", "shut"):
        rows[name] = -1.0
    for name in ("least_face", "least_seal", "least_margin"):
        rows[name] = math.inf
    rows["largest_gap"] = -math.inf
    rows["space"] = N_SPACES
    hooks = table(HOOK_STATE, len(model.hook))
    for row in model.joined:
        hooks["cam"][row.first_hook : row.first_hook + row.hooks] = -row.reach
    return {"joined": rows, "hook": hooks}


def _none(dtype: np.dtype) -> np.ndarray:
    return table(dtype, 0)


def _fill(row: np.record, hooks: Hooks) -> None:
    assert hooks.radius_m is not None
    assert hooks.stiffness_N_m is not None
    assert hooks.face_stiffness_N_m is not None
    row.radius, row.stiffness, row.face = hooks.radius_m, hooks.stiffness_N_m, hooks.face_stiffness_N_m
    row.closed_face = hooks.face_stiffness_N_m * max(0.0, -closed_gap(hooks))
    row.reach, row.window = hooks.reach_m, hooks.window_m
    row.throw = 0.5 * (hooks.reach_m + cam_end(hooks))
    row.drive, row.efficiency, row.friction = hooks.drive_s, hooks.efficiency, hooks.friction
    seal = hooks.seal
    if seal is not None:
        row.seal_share, row.seal_depth = seal.force_N / seal.points, seal.compression_m
        row.seal_height, row.exponent = seal.compression_m + seal.protrusion_m, seal.exponent
        row.area[:], row.per_mass[:] = seal.areas(), seal.per_mass()
        row.leak, row.open_leak = seal.leak_g_h / G_H, seal.open_leak_g_h / G_H
        row.seal_needed = seal.tight_at * seal.compression_m


def _around(rows: np.ndarray, first_deg: float, radius: float) -> np.ndarray:
    """Evenly spaced on a circle, from y towards z."""
    for k, row in enumerate(rows):
        angle = math.radians(first_deg) + 2.0 * math.pi * k / len(rows)
        row.y, row.z = radius * cos(angle), radius * sin(angle)
    return rows


def _hooks(hooks: Hooks) -> np.ndarray:
    assert hooks.count is not None
    assert hooks.radius_m is not None
    rows = _around(table(HOOK, hooks.count), hooks.first_azimuth_deg, hooks.radius_m)
    for late in hooks.late_hooks:
        rows[late.hook - 1].late = late.by_s
    for late in hooks.late_to_open:
        rows[late.hook - 1].late_to_open = late.by_s
    for number in hooks.failed_hooks:
        rows[number - 1].failed = 1
    return rows


def _rods(rods: Rods | None) -> np.ndarray:
    if rods is None:
        return _none(ROD)
    rows = _around(table(ROD, rods.count), rods.first_azimuth_deg, rods.radius_m)
    ones = [1.0] * rods.count
    for row, force, stroke in zip(rows, rods.force_factors or ones, rods.stroke_factors or ones, strict=True):
        row.force, row.stroke = force * rods.compressed_N, stroke * rods.stroke_m
        row.stiffness = force * (rods.compressed_N - rods.extended_N) / row.stroke
    return rows


def _points(hooks: Hooks) -> np.ndarray:
    seal = hooks.seal
    return _none(SEAL_POINT) if seal is None else _around(table(SEAL_POINT, seal.points), 0.0, seal.radius_m)
