"""Programs of arms to the kernel's tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.assembly import Assembly
from docksim.compiler.parts import DEG, Marker, Place
from docksim.compiler.shaft_tables import in_order
from docksim.config.checks.programs import ROWS, axes_between
from docksim.config.schema.programs import ArmProgram
from docksim.config.schema.scenario import Scenario
from docksim.model import table
from docksim.model.programs import (
    PROGRAM,
    PROGRAM_BEGINS,
    PROGRAM_JOINT,
    PROGRAM_STATE,
    WAYPOINT,
    WORK_PROGRAM,
)


def program_names(scenario: Scenario) -> list[str]:
    """As events and channels have them: "servicer.reach"."""
    return [f"{name}.{key}" for name, vehicle in scenario.vehicles.items() for key in vehicle.programs]


def program_axes(scenario: Scenario) -> list[list[str]]:
    """Full names of the axes that each program drives."""
    axes = []
    for name, vehicle in scenario.vehicles.items():
        for program in vehicle.programs.values():
            axes.append([f"{name}.{axis}" for axis in program.axes or axes_between(vehicle, program.hand)])
    return axes


def program_tables(scenario: Scenario, assembly: Assembly, step: float) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Tables of the model, and that of the state."""
    programs = [(name, program) for name, v in scenario.vehicles.items() for program in v.programs.values()]
    axes = program_axes(scenario)
    rows, states = table(PROGRAM, len(programs)), table(PROGRAM_STATE, len(programs))
    joints = table(PROGRAM_JOINT, sum(len(some) for some in axes))
    points = table(WAYPOINT, sum(len(program.waypoints) for _, program in programs))
    shafts = {one.name: (k, one) for k, one in enumerate(in_order(assembly))}
    joint = point = 0
    for row, state, (name, program), own in zip(rows, states, programs, axes, strict=True):
        _fill(row, name, program, assembly, step)
        state.on = PROGRAM_BEGINS if program.enabled else 0
        row.first_joint, row.n_joints, row.first_point, row.n_points = joint, len(own), point, len(program.waypoints)
        for axis in own:
            k, one = shafts[axis]
            posture = program.redundancy.posture.get(axis.removeprefix(f"{name}."))
            factor = DEG if one.shaft.unit == "rad" else 1.0
            joints[joint].v, joints[joint].q, joints[joint].shaft = one.v, one.q, k
            joints[joint].posture = one.shaft.start if posture is None else factor * posture
            joint += 1
        for place in program.waypoints:
            points[point].time = place.time_s
            points[point].p_TD[:], points[point].q_TD[:] = place.position_m, place.attitude.quaternion_wxyz()
            point += 1
    return {"program": rows, "program_joint": joints, "waypoint": points}, states


def program_work(count: int) -> np.ndarray:
    return table(WORK_PROGRAM, count)


def _fill(row: Any, name: str, program: ArmProgram, assembly: Assembly, step: float) -> None:
    hand = assembly.markers[f"{name}.{program.hand}"]
    row.hand, row.p_BH[:], row.R_BH[:] = hand.body, hand.place.position, hand.place.axes.ravel()
    target = _target(name, program.target, assembly)
    row.target, row.p_BT[:], row.R_BT[:] = target.body, target.place.position, target.place.axes.ravel()
    row.rows = ROWS[program.controls]
    for i, poles in enumerate((program.poles, program.attitude_poles or program.poles)):
        row.G1[i], row.G0[i] = poles.gains()
    w = 2.0 * math.pi * program.redundancy.frequency_Hz
    kind = program.redundancy.type
    row.redundancy[:] = (0.0 if kind == "none" else 2.0 * w, w * w if kind == "posture" else 0.0)
    row.sample_steps = round(program.sample_s / step) if program.sample_s is not None else 0


def _target(name: str, target: str, assembly: Assembly) -> Marker:
    if target == "world":
        reference = assembly.reference
        x, y, z = (-float(x) for x in reference.position)
        return Marker(0, Place((x, y, z), rotation_matrix((1.0, 0.0, 0.0, 0.0))))
    return assembly.frames[name] if target == "base" else assembly.markers[target]
