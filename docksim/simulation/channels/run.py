"""Log columns to named channels, with units and frames. Angles become degrees here."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from docksim.algebra.dense import dot
from docksim.compiler import Compiled
from docksim.compiler.device_events import brought_to_life
from docksim.compiler.parts import JointPart
from docksim.compiler.shaft_tables import in_order, shaft_names
from docksim.model import N_WORKS, WORK_NAMES
from docksim.model.log import LOG_BODY, LOG_DOF, LOG_HEAD, LOG_LEG, LOG_LOAD, LOG_SHAFT
from docksim.model.tree import FREE, SPHERICAL
from docksim.result.result import Channel
from docksim.simulation.channels.contact import contact_channels, contact_columns
from docksim.simulation.channels.legs import base_channels, leg_channels, shaft_channels
from docksim.simulation.channels.relative import relative_channels

TO_DEG = 180.0 / math.pi

_BODY_CHANNELS = (
    # name, columns, unit, frame, factor, description
    ("position_m", 3, "m", "W", 1.0, "position of the body frame's origin"),
    ("attitude", 4, "", "body to W", 1.0, "unit quaternion (w, x, y, z), Hamilton"),
    ("velocity_m_s", 3, "m/s", "W", 1.0, "velocity of the body frame's origin against W"),
    ("rate_deg_s", 3, "deg/s", "body", TO_DEG, "angular rate against W"),
    ("acceleration_m_s2", 3, "m/s2", "W", 1.0, "acceleration of the body frame's origin against W"),
    ("angular_acceleration_deg_s2", 3, "deg/s2", "body", TO_DEG, "angular acceleration against W"),
)


def channels_of(compiled: Compiled, data: np.ndarray, every: bool = True) -> list[Channel]:
    """All channels of the logged rows; or only those that outcome and metrics are made of, if not `every`."""
    bodies = compiled.assembly.bodies[1:]
    needed = None if every else _needed_bodies(compiled)
    first_dof = LOG_HEAD + len(bodies) * LOG_BODY
    first_leg = first_dof + len(compiled.model.dof) * LOG_DOF
    first_shaft = first_leg + len(compiled.model.leg) * LOG_LEG
    first_contact = first_shaft + len(compiled.model.shaft) * LOG_SHAFT
    first_load = first_contact + contact_columns(compiled.model)
    found = [Channel("time_s", "s", "", "simulated time", data[:, 0])]
    for k, body in enumerate(bodies):
        if needed is None or k + 1 in needed:
            found += _body_channels(body.name, data[:, LOG_HEAD + k * LOG_BODY :])
    for part, row in zip(compiled.assembly.joints, compiled.model.joint):
        block = data[:, first_dof + int(row.v) * LOG_DOF :]
        if part.is_weld:
            found += _weld_channels(part, block)
        elif every and part.pred > 0 and part.coordinates:
            found += _joint_channels(part, block)
    found += _mechanism_channels(compiled, data[:, first_leg:first_shaft], data[:, first_shaft:first_contact])
    found += contact_channels(compiled, data[:, first_contact:first_load])
    if compiled.model.settings[0].log_loads:
        for k, body in enumerate(bodies):
            found += _load_channels(body.name, data[:, first_load + k * LOG_LOAD :])
    found += relative_channels(compiled, {channel.name: channel.data for channel in found}, every)
    return found + list(_system_channels(compiled, data))


def _needed_bodies(compiled: Compiled) -> set[int]:
    """Bodies whose motion metrics look at: those of vehicles, and those that carry ports that meet."""
    assembly = compiled.assembly
    found = {i for i, body in enumerate(assembly.bodies) if "." not in body.name}
    return found | {assembly.markers[port].body for pair in compiled.scenario.contacts.values() for port in pair.ports}


def _body_channels(name: str, block: np.ndarray) -> Iterator[Channel]:
    column = 0
    for key, width, unit, frame, factor, text in _BODY_CHANNELS:
        values = block[:, column : column + width]
        if key == "attitude":
            values = _continuous(values)
        yield Channel(f"{name}.{key}", unit, frame, text, values if factor == 1.0 else values * factor)
        column += width


def _continuous(quaternions: np.ndarray) -> np.ndarray:
    """The same attitudes with signs chosen so that no component jumps."""
    turns = dot(quaternions[1:], quaternions[:-1]) < 0.0
    if not turns.any():
        return quaternions
    signs = np.concatenate([[1.0], np.where(np.cumsum(turns) % 2 == 1, -1.0, 1.0)])
    return quaternions * signs[: len(quaternions), None]


def _joint_channels(part: JointPart, block: np.ndarray) -> Iterator[Channel]:
    """Coordinate, rate and generalised force of every coordinate, or of the three axes of a ball joint together."""
    if part.type in (SPHERICAL, FREE):
        yield from _vector_channels(part.name, "rad", block[:, :9])
        if part.type == FREE:
            yield from _vector_channels(part.name, "m", block[:, 9:18])
        return
    for i, coordinate in enumerate(part.coordinates):
        values = block[:, i * LOG_DOF : (i + 1) * LOG_DOF]
        name = f"{part.name}.{coordinate.name}" if coordinate.name else part.name
        yield from _coordinate_channels(name, coordinate.unit, values[:, 0], values[:, 1], values[:, 2])


def _weld_channels(part: JointPart, block: np.ndarray) -> Iterator[Channel]:
    """What the joined ports carry; zero while they are apart."""
    moment, force = block[:, 2:9:3], block[:, 11:18:3]
    yield Channel(f"{part.name}.load_moment_Nm", "N m", "second port", "moment of the first port on the second", moment)
    yield Channel(f"{part.name}.load_force_N", "N", "first port", "force of the first port on the second", force)


def _mechanism_channels(compiled: Compiled, legs: np.ndarray, shafts: np.ndarray) -> Iterator[Channel]:
    """Every leg's devices and loads, then the couplings' devices."""
    mechanisms = compiled.assembly.mechanisms
    names = shaft_names(mechanisms)
    alive = brought_to_life(compiled.scenario, names)
    for k, (name, (_, _, shaft)) in enumerate(zip(names, in_order(mechanisms), strict=True)):
        yield from shaft_channels(name, shaft, alive[name], shafts[:, k * LOG_SHAFT : (k + 1) * LOG_SHAFT])
        if shaft.place >= 0:
            yield from leg_channels(name, legs[:, k * LOG_LEG : (k + 1) * LOG_LEG])
    each = legs.reshape(len(legs), -1, LOG_LEG)
    for part, row in zip(mechanisms, compiled.model.mechanism, strict=True):
        yield from base_channels(part.vehicle, each[:, row.first_leg : row.first_leg + row.n_legs])


def _vector_channels(name: str, unit: str, block: np.ndarray) -> Iterator[Channel]:
    x, rate, force = (block[:, i::3][:, :3] for i in range(3))
    if unit == "rad":
        yield Channel(f"{name}.rotation_deg", "deg", "joint", "rotation vector of the joint", x * TO_DEG)
        yield Channel(f"{name}.joint_rate_deg_s", "deg/s", "joint", "rate of the joint, child side axes", rate * TO_DEG)
        yield Channel(f"{name}.joint_torque_Nm", "N m", "joint", "torque along the joint's turns", force)
    else:
        yield Channel(f"{name}.offset_m", "m", "joint", "offset of the joint, parent side axes", x)
        yield Channel(f"{name}.offset_rate_m_s", "m/s", "joint", "rate of the offset", rate)
        yield Channel(f"{name}.joint_force_N", "N", "joint", "force along the joint's travels", force)


def _coordinate_channels(
    name: str, unit: str, x: np.ndarray, rate: np.ndarray, force: np.ndarray
) -> Iterator[Channel]:
    if unit == "rad":
        yield Channel(f"{name}.angle_deg", "deg", "joint", "joint angle", x * TO_DEG)
        yield Channel(f"{name}.angle_rate_deg_s", "deg/s", "joint", "rate of the joint angle", rate * TO_DEG)
        yield Channel(f"{name}.torque_Nm", "N m", "joint", "torque about the axis: devices, drive or lock", force)
    else:
        yield Channel(f"{name}.travel_m", "m", "joint", "joint travel", x)
        yield Channel(f"{name}.travel_rate_m_s", "m/s", "joint", "rate of the joint travel", rate)
        yield Channel(f"{name}.force_N", "N", "joint", "force along the axis: devices, drive or lock", force)


def _load_channels(name: str, block: np.ndarray) -> Iterator[Channel]:
    where = "of the parent on the body at its hinge point"
    yield Channel(f"{name}.load_moment_Nm", "N m", "body", f"moment {where}", block[:, 0:3])
    yield Channel(f"{name}.load_force_N", "N", "body", f"force {where}", block[:, 3:6])


def _system_channels(compiled: Compiled, data: np.ndarray) -> Iterator[Channel]:
    """Energy budget and momenta of everything together."""
    kinetic, potential = data[:, 2], data[:, 3]
    works = data[:, 4 : 4 + N_WORKS]
    momentum = data[:, 4 + N_WORKS : 10 + N_WORKS]
    impulse = data[:, 10 + N_WORKS : 16 + N_WORKS]
    yield Channel("phase", "", "", "phase code", data[:, 1].astype(np.int64), labels=compiled.phases)
    yield Channel("energy.kinetic_J", "J", "", "kinetic energy of all bodies", kinetic)
    yield Channel("energy.potential_J", "J", "", "energy in springs and stops", potential)
    for i, name in enumerate(WORK_NAMES):
        text = f"work done on the system by {name.replace('_', ' ')}"
        yield Channel(f"energy.work.{name}_J", "J", "", text, works[:, i])
    with np.errstate(invalid="ignore"):  # the last row of a run that diverged may be infinite
        gained = (kinetic - kinetic[0]) + (potential - potential[0])
        residual = gained - (works.sum(axis=1) - works[0].sum())
    yield Channel("energy.residual_J", "J", "", "energy gained less all work done: the integrator's error", residual)
    traffic = data[:, 16 + N_WORKS : 18 + N_WORKS]
    left = (momentum - momentum[0]) - (impulse - impulse[0])
    yield Channel("momentum.linear_kg_m_s", "kg m/s", "W", "linear momentum of all bodies", momentum[:, 3:])
    yield Channel("momentum.angular_kg_m2_s", "kg m2/s", "W", "angular momentum about W's origin", momentum[:, :3])
    yield Channel("momentum.linear_residual", "kg m/s", "W", "linear momentum gained less all impulses", left[:, 3:])
    yield Channel("momentum.linear_traffic", "kg m/s", "", "sum of the sizes of the bodies' momenta", traffic[:, 1])
    yield Channel("momentum.angular_traffic", "kg m2/s", "", "sum of the sizes of the bodies' momenta", traffic[:, 0])
    yield Channel("momentum.angular_residual", "kg m2/s", "W", "angular momentum gained less all impulses", left[:, :3])
