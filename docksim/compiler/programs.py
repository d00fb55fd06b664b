"""Programs of arms to the kernel's tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.adaptive import ArmLink, believed_arm
from docksim.compiler.assembly import Assembly
from docksim.compiler.drives import DriveTables
from docksim.compiler.parts import DEG, Marker, Place
from docksim.compiler.shaft_tables import Owned, in_order
from docksim.config.checks.programs import ROWS, program_axes_of
from docksim.config.schema.drives import HoldDrive
from docksim.config.schema.programs import AdaptiveProgram, ArmProgram, HandPoint
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.programs import (
    ARM_LINK,
    ARM_LINK_STATE,
    FIGURE,
    LEARNT,
    PROGRAM,
    PROGRAM_BEGINS,
    PROGRAM_JOINT,
    PROGRAM_STATE,
    WAYPOINT,
    WORK_ARM_LINK,
    WORK_FIGURE,
    WORK_PROGRAM,
)

ProgramStates = dict[str, np.ndarray]


def program_names(scenario: Scenario) -> list[str]:
    """As events and channels have them: "servicer.reach"."""
    return [f"{name}.{key}" for name, vehicle in scenario.vehicles.items() for key in vehicle.programs]


def program_axes(scenario: Scenario) -> list[list[str]]:
    """Full names of the axes that each program drives."""
    vehicles = scenario.vehicles.items()
    return [
        [f"{name}.{axis}" for axis in program_axes_of(v, one)] for name, v in vehicles for one in v.programs.values()
    ]


def program_tables(
    scenario: Scenario, assembly: Assembly, step: float, drives: DriveTables
) -> tuple[dict[str, np.ndarray], ProgramStates]:
    """Tables of the model, and those of the state."""
    programs = [(name, program) for name, v in scenario.vehicles.items() for program in v.programs.values()]
    axes = program_axes(scenario)
    rows, states = table(PROGRAM, len(programs)), table(PROGRAM_STATE, len(programs))
    joints = table(PROGRAM_JOINT, sum(len(some) for some in axes))
    shafts = {one.name: (k, one) for k, one in enumerate(in_order(assembly))}
    points: list[HandPoint] = []
    arms = ArmTables(assembly, drives)
    joint = 0
    for row, state, (name, program), own in zip(rows, states, programs, axes, strict=True):
        state.on = PROGRAM_BEGINS if program.enabled else 0
        row.first_joint, row.n_joints = joint, len(own)
        posture: dict[str, float] = {}
        if isinstance(program, AdaptiveProgram):
            row.sample_steps = round(program.sample_s / step) if program.sample_s is not None else 1
            arms.add(row, name, program, own)
        else:
            _fill(row, name, program, assembly, step)
            row.first_point, row.n_points = len(points), len(program.waypoints)
            points += program.waypoints
            posture = program.redundancy.posture
        for axis in own:
            _fill_joint(joints[joint], *shafts[axis], posture.get(axis.removeprefix(f"{name}.")))
            joint += 1
    tables = {"program": rows, "program_joint": joints, "waypoint": _waypoints(points)}
    return {**tables, **arms.tables()}, {"program": states, **arms.states()}


def program_work(model: Model) -> dict[str, np.ndarray]:
    return {
        "program": table(WORK_PROGRAM, len(model.program)),
        "arm_link": table(WORK_ARM_LINK, len(model.arm_link)),
        "figure": table(WORK_FIGURE, len(model.figure)),
    }


class ArmTables:
    """Collects links and figures of adaptive programs."""

    def __init__(self, assembly: Assembly, drives: DriveTables) -> None:
        self.assembly, self.drives = assembly, drives
        self.links: list[tuple[ArmLink, float, int]] = []  # with its gain, and how many figures come before
        self.paths: list[int] = []
        self.figures: list[tuple[int, int, float, float]] = []  # link, kind, rate, value

    def add(self, row: Any, name: str, program: AdaptiveProgram, axes: list[str]) -> None:
        errors = {f"{name}.{body}": factor for body, factor in program.mass_error.items()}
        arm = believed_arm(self.assembly, f"{name}.{program.end}", program.adaptive, errors)
        row.adaptive, row.root, row.convergence = 1, arm.root, program.adaptive.convergence_1_s
        row.first_link, row.first_figure = len(self.links), len(self.figures)
        for link, figures, gain, axis in zip(arm.links, arm.figures, arm.gains, axes, strict=True):
            place = len(self.links)
            self.links.append((link, gain, len(self.figures)))
            self.paths.append(self.drives.add(program.paths.get(axis.removeprefix(f"{name}."), HoldDrive())))
            rate = program.adaptive.adaptation_1_s2
            self.figures += [(place, kind, rate * arm.sizes[kind], value) for kind, value in figures.items()]
        row.n_figures = len(self.figures) - row.first_figure

    def tables(self) -> dict[str, np.ndarray]:
        links, figures = table(ARM_LINK, len(self.links)), table(FIGURE, len(self.figures))
        for row, (link, gain, first) in zip(links, self.links, strict=True):
            row.travels, row.gain = link.travels, gain
            row.p_PL[:], row.R_PL[:] = link.pose.p, rotation_matrix(link.pose.q).ravel()
            row.first, row.count = first, len(link.kinds)
        for figure, row in zip(figures, self.figures, strict=True):
            figure.link, figure.kind, figure.rate, figure.value = row
        return {"arm_link": links, "figure": figures}

    def states(self) -> dict[str, np.ndarray]:
        links, learnt = table(ARM_LINK_STATE, len(self.links)), table(LEARNT, len(self.figures))
        links["profile"] = self.paths
        learnt["value"] = [value for *_, value in self.figures]
        return {"arm_link": links, "learnt": learnt}


def _fill_joint(row: Any, shaft: int, one: Owned, posture: float | None) -> None:
    row.v, row.q, row.shaft = one.v, one.q, shaft
    factor = DEG if one.shaft.unit == "rad" else 1.0
    row.posture = one.shaft.start if posture is None else factor * posture


def _waypoints(points: list[HandPoint]) -> np.ndarray:
    rows = table(WAYPOINT, len(points))
    for row, place in zip(rows, points, strict=True):
        row.time = place.time_s
        row.p_TD[:], row.q_TD[:] = place.position_m, place.attitude.quaternion_wxyz()
    return rows


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
