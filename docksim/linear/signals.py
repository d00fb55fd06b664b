"""Inputs and outputs of a linear model, and the skeleton of its figure.

Inputs are joint motors, motors of the docking mechanism's shafts, thrusters, attitude torques and wrenches at ports, on
the port's axes, each added to what there is at the state. Outputs beyond the states are how vehicles, ports and beam
tips move.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.loads import load_tables
from docksim.compiler.parts import Marker, Place
from docksim.compiler.shaft_tables import in_order
from docksim.linear.evaluation import Point
from docksim.linear.model import Skeleton
from docksim.linear.smooth import Coordinate
from docksim.model import W_LOADS
from docksim.model.events import HOLD_ON, JETS, ON_BODY_AXES, WHEELS

AXES = "xyz"
_WRENCH = ("moment_x_Nm", "moment_y_Nm", "moment_z_Nm", "force_x_N", "force_y_N", "force_z_N")
_MOTIONS = ("displacement_{}_m", "rotation_{}_rad", "velocity_{}_m_s", "angular_rate_{}_rad_s")


def seed_inputs(
    compiled: Compiled, point: Point, free: list[Coordinate], close: bool, ports: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Names of the inputs and notes; every coordinate, rate and input of the point gets its direction."""
    # joints between the segments of a beam have no motors
    vehicles = compiled.scenario.vehicles.items()
    beams = tuple(f"{name}.{key}." for name, vehicle in vehicles for key in vehicle.beams)
    motors = [c for c in free if c.motor and not c.motor.startswith(beams)]
    thrusters = load_tables(compiled.scenario, compiled.assembly, compiled.scenario.solver.step_s)[2]
    shafts = _shaft_inputs(compiled, free)
    held = [name for name, vehicle in vehicles if vehicle.attitude_hold is not None]
    jets = [i for i, law in enumerate(point.model.hold) if law.actuator == JETS]
    names = [c.motor for c in motors]
    names += [f"{name}.thrust_N" for name in thrusters]
    names += [name for _, name in shafts]
    names += [f"{held[i]}.attitude_torque_{axis}_Nm" for i in jets for axis in AXES]
    names += [f"{port}.{what}" for port in ports for what in _WRENCH]
    first = 2 * len(free)
    point.size = first + len(names)
    point.displace([c.rate_index for c in free])
    if close:
        _close_loops(point)
    on = [name for name, own in zip(held, point.state.hold, strict=True) if own.mode == HOLD_ON]
    how = "closed, as a continuous law without delay and dead band"
    if not close:
        how = "open: its torque stays what it is at this state"
    notes = [f"attitude hold {how}: {', '.join(on)}"] if on else []
    at = iter(range(first, point.size))
    for c in motors:
        point.state.dof[c.rate_index].torque += point.dual(0.0, next(at))
    for i in thrusters.values():
        _seed_thruster(point, i, next(at))
    for k, _ in shafts:
        point.state.shaft[k].force += point.dual(0.0, next(at))
    for i in jets:
        own = point.state.hold[i]
        if own.mode != HOLD_ON:
            # jets that are off or inhibited have no torque at this state, but can be given one
            own.mode, own.torque = HOLD_ON, np.zeros(3).astype(object)
        for axis in range(3):
            own.torque[axis] += point.dual(0.0, next(at))
    for port in ports:
        _seed_port(compiled, point, port, [next(at) for _ in _WRENCH])
    return names, notes


def _shaft_inputs(compiled: Compiled, free: list[Coordinate]) -> list[tuple[int, str]]:
    """Shafts of the mechanisms whose rings are free. Joints have their motors anyway."""
    joints = {c.joint for c in free}
    return [
        (k, f"{one.name}.motor_torque_Nm" if one.shaft.unit == "rad" else f"{one.name}.motor_force_N")
        for k, one in enumerate(in_order(compiled.assembly))
        if one.mechanism >= 0 and int(compiled.model.mechanism[one.mechanism].joint) in joints
    ]


def _close_loops(point: Point) -> None:
    """Attitude holds act as continuous laws."""
    for law, own, torque in zip(point.model.hold, point.state.hold, point.attitude_torques(), strict=True):
        own.torque = np.array(torque, object)
        if law.actuator == WHEELS:
            for wheel in point.model.wheel[law.first_wheel : law.first_wheel + law.n_wheels]:
                asked = -sum(a * b for a, b in zip(wheel.share, torque, strict=True))
                point.state.dof[wheel.v].torque = min(max(asked, -wheel.limit), wheel.limit)


def _seed_thruster(point: Point, i: int, direction: int) -> None:
    """One newton along the thruster's axis, beside what it does now."""
    load, own = point.model.load[i], point.state.load[i]
    force = np.array([float(x) for x in load.force])
    thrust = point.dual(float(np.linalg.norm(force)) if own.on else 0.0, direction)
    load.force, own.on = np.array([thrust * x for x in force / np.linalg.norm(force)], object), 1


def _seed_port(compiled: Compiled, point: Point, port: str, directions: list[int]) -> None:
    """A wrench of zero on the port's axes, moment first, as one more load."""
    marker = compiled.assembly.markers[port]
    axes = np.asarray(marker.place.axes, float)
    moment, force = (
        np.array([sum(axes[i, j] * point.dual(0.0, directions[k + j]) for j in range(3)) for i in range(3)], object)
        for k in (0, 3)
    )
    load = SimpleNamespace(
        body=marker.body, p=np.array(marker.place.position, object), force=force, torque=moment,
        axes=ON_BODY_AXES, start=0.0, end=0.0, frequency=0.0, work=W_LOADS,
    )  # fmt: skip
    point.model.load.append(load)
    point.state.load.append(SimpleNamespace(on=1))


def frame_outputs(compiled: Compiled, point: Point, ports: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Names and rows of [C D]: displacement and velocity on W axes, rotation and rate on the frame's own axes."""
    names: list[str] = []
    rows = []
    assembly = compiled.assembly
    # base bodies of the vehicles, ports, tips of beams
    frames = {name: Marker(assembly.body_index(name), Place()) for name in compiled.scenario.vehicles}
    for name, marker in {**frames, **{port: assembly.markers[port] for port in ports}, **_tips(compiled)}.items():
        frame = point.frame(marker.body, marker.place.position, np.asarray(marker.place.axes, float))
        names += [f"{name}.{motion.format(axis)}" for motion in _MOTIONS for axis in AXES]
        rows += [point.slopes(frame.origin), frame.turn(point)]
        rows += [point.slopes(frame.velocity), point.slopes(frame.own_rate())]
    return names, np.vstack(rows) if rows else np.zeros((0, point.size))


def skeleton(compiled: Compiled, point: Point, n: int) -> Skeleton:
    """Hinges of all bodies, their mass centres, ports and tips; lines from body to body."""
    points: list[np.ndarray] = []
    lines: list[tuple[int, int]] = []
    labels: dict[int, str] = {}
    hinge: dict[int, int] = {}
    for k in point.state.order:
        body, parent = point.work.body[k], int(point.state.link[k].parent)
        hinge[k] = len(points)
        points.append(body.p_WH)
        if parent > 0:
            lines.append((hinge[parent], hinge[k]))
        if np.linalg.norm(point.values(body.p_HC)) > 0.0:
            lines.append((hinge[k], len(points)))
            points.append(body.p_WH + body.p_HC)
    for name, marker in {**compiled.assembly.markers, **_tips(compiled)}.items():
        lines.append((hinge[marker.body], len(points)))
        points.append(point.frame(marker.body, marker.place.position, np.eye(3)).origin)
        labels[len(points) - 1] = name
    for name in compiled.scenario.vehicles:
        labels[hinge[compiled.assembly.body_index(name)]] = name
    jacobian = np.array([point.slopes(p)[:, :n] for p in points])
    return Skeleton(np.array([point.values(p) for p in points]), tuple(lines), jacobian, labels)


def _tips(compiled: Compiled) -> dict[str, Marker]:
    return {name: frame for name, frame in compiled.assembly.frames.items() if name.endswith(".tip")}
