"""The log's tables to named channels, with units and frames. Angles become degrees here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from docksim.algebra.dense import dot
from docksim.algebra.joints import FREE, SPHERICAL
from docksim.algebra.rotations import TO_DEG
from docksim.compiler import Compiled
from docksim.compiler.device_events import brought_to_life
from docksim.compiler.parts import JointPart
from docksim.compiler.reference import Reference
from docksim.compiler.shaft_tables import in_order
from docksim.model import WORK_NAMES
from docksim.model.log import Log
from docksim.result.result import Channel
from docksim.simulation.channels.bands import largest_size
from docksim.simulation.channels.contact import contact_channels
from docksim.simulation.channels.control import control_channels
from docksim.simulation.channels.legs import (
    base_channels,
    drive_channels,
    leg_channels,
    retraction_channels,
    shaft_channels,
)
from docksim.simulation.channels.programs import program_channels
from docksim.simulation.channels.relative import meeting_channels, relative_channels
from docksim.simulation.channels.ties import closure_channels, joint_channels, parting_channels

_BODY_CHANNELS = (
    # field of the log, name, unit, frame, factor, description
    ("position", "position_m", "m", "W", 1.0, "position of the body frame's origin"),
    ("quaternion", "attitude", "", "body to W", 1.0, "unit quaternion (w, x, y, z), Hamilton"),
    ("velocity", "velocity_m_s", "m/s", "W", 1.0, "velocity of the body frame's origin against W"),
    ("rate", "rate_deg_s", "deg/s", "body", TO_DEG, "angular rate against W"),
    ("acceleration", "acceleration_m_s2", "m/s2", "W", 1.0, "acceleration of the body frame's origin against W"),
    (
        *("angular_acceleration", "angular_acceleration_deg_s2", "deg/s2", "body", TO_DEG),
        "angular acceleration against W",
    ),
)


def channels_of(compiled: Compiled, log: Log) -> list[Channel]:
    """All channels of the filled rows."""
    log = log.filled()
    bodies = compiled.assembly.bodies[1:]
    channels = [_time(log)]
    for k, body in enumerate(bodies):
        channels += body_channels(body.name, log.body[:, k])
    for part, row in zip(compiled.assembly.joints, compiled.model.joint):
        dofs = log.dof[:, int(row.v) : int(row.v + row.nv)]
        if part.is_weld:
            channels += _weld_channels(part, dofs)
        elif part.pred > 0 and part.coordinates:
            channels += joint_coordinate_channels(part, dofs)
    channels += _mechanism_channels(compiled, log)
    channels += program_channels(compiled, log)
    channels += contact_channels(compiled, log)
    channels += [*parting_channels(compiled, log), *control_channels(compiled, log)]
    channels += joint_channels(compiled, log)
    channels += closure_channels(compiled, log)
    if compiled.model.settings[0].log_loads:
        for k, body in enumerate(bodies):
            channels += _load_channels(body.name, log.load[:, k])
    channels += _largest_channels(compiled, log)
    relative = relative_channels(compiled, {channel.name: channel.data for channel in channels})
    system = _system_channels(compiled, log.head)
    if compiled.assembly.reference.is_origin:
        return [*channels, *relative, *system]
    return [*in_world(compiled.assembly.reference, channels), *relative, *system]


def last_channels(compiled: Compiled, log: Log) -> list[Channel]:
    """What outcome and metrics are made of, beside the solver's state: of the last row time, phase and pairs alone."""
    filled = int(log.rows[0])
    log = log.picked(slice(max(filled - 1, 0), filled))
    # how others stand at the end is told of no pair
    latching = [name for name, row in zip(compiled.scenario.contacts, compiled.model.contact) if row.latches]
    moving: dict[str, np.ndarray] = {}
    for k in _meeting_bodies(compiled, latching):
        own = body_channels(compiled.assembly.bodies[k].name, log.body[:, k - 1])
        moving |= {channel.name: channel.data for channel in own}
    pairs = contact_channels(compiled, log, bands=False)
    return [_time(log), *pairs, *meeting_channels(compiled, moving, latching), _phase(compiled, log.head)]


def _time(log: Log) -> Channel:
    return Channel("time_s", "s", "", "simulated time", log.head["time"])


def _phase(compiled: Compiled, head: np.ndarray) -> Channel:
    return Channel("phase", "", "", "phase code", head["phase"].astype(np.int64), labels=compiled.phases)


def in_world(reference: Reference, channels: list[Channel]) -> Iterator[Channel]:
    """What is logged against the reference, in W, after the reference's own motion."""
    time = channels[0].data
    place = np.asarray(reference.position) + time[:, None] * np.asarray(reference.velocity)
    speed = np.broadcast_to(np.asarray(reference.velocity), place.shape)
    yield channels[0]
    yield Channel("reference.position_m", "m", "W", "point that energies and momenta are seen from", place)
    yield Channel("reference.velocity_m_s", "m/s", "W", "its velocity, which stays", speed.copy())
    for channel in channels[1:]:
        if channel.frame == "W" and channel.name.endswith(".position_m"):
            yield replace(channel, data=place + channel.data)
        elif channel.frame == "W" and channel.name.endswith(".velocity_m_s"):
            yield replace(channel, data=speed + channel.data)
        else:
            yield channel


def _meeting_bodies(compiled: Compiled, pairs: Iterable[str]) -> set[int]:
    """Bodies that carry ports that meet in these pairs."""
    markers, contacts = compiled.assembly.markers, compiled.scenario.contacts
    return {markers[port].body for name in pairs for port in contacts[name].ports}


def body_channels(name: str, rows: np.ndarray) -> Iterator[Channel]:
    for field, key, unit, frame, factor, text in _BODY_CHANNELS:
        values = _continuous(rows[field]) if field == "quaternion" else rows[field]
        yield Channel(f"{name}.{key}", unit, frame, text, values if factor == 1.0 else values * factor)


def _continuous(quaternions: np.ndarray) -> np.ndarray:
    """The same attitudes with signs chosen so that no component jumps."""
    turns = dot(quaternions[1:], quaternions[:-1]) < 0.0
    if not turns.any():
        return quaternions
    signs = np.concatenate([[1.0], np.where(np.cumsum(turns) % 2 == 1, -1.0, 1.0)])
    return quaternions * signs[: len(quaternions), None]


def joint_coordinate_channels(part: JointPart, dofs: np.ndarray) -> Iterator[Channel]:
    """Coordinate, rate and generalised force of every coordinate, or of the three axes of a ball joint together."""
    if part.type in (SPHERICAL, FREE):
        yield from _vector_channels(part.name, "rad", dofs[:, :3])
        if part.type == FREE:
            yield from _vector_channels(part.name, "m", dofs[:, 3:])
        return
    for i, coordinate in enumerate(part.coordinates):
        name = f"{part.name}.{coordinate.name}" if coordinate.name else part.name
        yield from _coordinate_channels(name, coordinate.unit, dofs[:, i])


def _weld_channels(part: JointPart, dofs: np.ndarray) -> Iterator[Channel]:
    """What the joined ports carry; zero while they are apart."""
    moment, force = dofs["force"][:, :3], dofs["force"][:, 3:]
    yield Channel(f"{part.name}.load_moment_Nm", "N m", "second port", "moment of the first port on the second", moment)
    yield Channel(f"{part.name}.load_force_N", "N", "first port", "force of the first port on the second", force)


def _mechanism_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Every leg's devices and loads, then the couplings' devices, then those of joints."""
    mechanisms = compiled.assembly.mechanisms
    owned = in_order(compiled.assembly)
    alive = brought_to_life(compiled.scenario, [one.name for one in owned])
    for k, (mechanism, _, shaft, *_) in enumerate(owned):
        name, rows = owned[k].name, log.shaft[:, k]
        if mechanism < 0:
            yield from drive_channels(name, shaft, alive[name], rows)
            continue
        yield from shaft_channels(name, shaft, alive[name], rows)
        if shaft.place >= 0:
            yield from leg_channels(name, log.leg[:, k])
    for i, (part, row) in enumerate(zip(mechanisms, compiled.model.mechanism, strict=True)):
        legs = log.leg[:, row.first_leg : row.first_leg + row.n_legs]
        yield from base_channels(part.vehicle, legs)
        if part.moves:
            yield from retraction_channels(part.vehicle, part.stroke, log.retraction[:, i], legs)


def _vector_channels(name: str, unit: str, dofs: np.ndarray) -> Iterator[Channel]:
    x, rate, force = dofs["coordinate"], dofs["rate"], dofs["force"]
    if unit == "rad":
        yield Channel(f"{name}.rotation_deg", "deg", "joint", "rotation vector of the joint", x * TO_DEG)
        yield Channel(f"{name}.joint_rate_deg_s", "deg/s", "joint", "rate of the joint, child side axes", rate * TO_DEG)
        yield Channel(f"{name}.joint_torque_Nm", "N m", "joint", "torque along the joint's turns", force)
    else:
        yield Channel(f"{name}.offset_m", "m", "joint", "offset of the joint, parent side axes", x)
        yield Channel(f"{name}.offset_rate_m_s", "m/s", "joint", "rate of the offset", rate)
        yield Channel(f"{name}.joint_force_N", "N", "joint", "force along the joint's travels", force)


def _coordinate_channels(name: str, unit: str, dof: np.ndarray) -> Iterator[Channel]:
    x, rate, force = dof["coordinate"], dof["rate"], dof["force"]
    if unit == "rad":
        yield Channel(f"{name}.angle_deg", "deg", "joint", "joint angle", x * TO_DEG)
        yield Channel(f"{name}.angle_rate_deg_s", "deg/s", "joint", "rate of the joint angle", rate * TO_DEG)
        yield Channel(f"{name}.torque_Nm", "N m", "joint", "torque about the axis: devices, drive or lock", force)
    else:
        yield Channel(f"{name}.travel_m", "m", "joint", "joint travel", x)
        yield Channel(f"{name}.travel_rate_m_s", "m/s", "joint", "rate of the joint travel", rate)
        yield Channel(f"{name}.force_N", "N", "joint", "force along the axis: devices, drive or lock", force)


def _load_channels(name: str, loads: np.ndarray) -> Iterator[Channel]:
    where = "of the parent on the body at its hinge point"
    yield Channel(f"{name}.load_moment_Nm", "N m", "body", f"moment {where}", loads["moment"])
    yield Channel(f"{name}.load_force_N", "N", "body", f"force {where}", loads["force"])


def _largest_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Largest loads between rows, of what has load channels."""
    assembly, model = compiled.assembly, compiled.model
    hung = [assembly.bodies[k].name if model.settings[0].log_loads else "" for k in model.hung]
    welds = [assembly.joints[i].name for i in model.weld]
    bases = [f"{part.vehicle}.mechanism" for part in assembly.mechanisms]
    for k, name in enumerate((*hung, *welds, *bases)):
        if name:
            yield largest_size(f"{name}.load_moment_Nm", "N m", "moment", log.largest["moment"][:, k])
            yield largest_size(f"{name}.load_force_N", "N", "force", log.largest["force"][:, k])


def _system_channels(compiled: Compiled, head: np.ndarray) -> Iterator[Channel]:
    """Energy budget and momenta of everything together."""
    kinetic, potential, works = head["kinetic"], head["potential"], head["work"]
    seen, about = ("", "W's origin")
    if not compiled.assembly.reference.is_origin:
        seen, about = (", seen from the reference", "the reference")
    yield _phase(compiled, head)
    yield Channel("energy.kinetic_J", "J", "", f"kinetic energy of all bodies{seen}", kinetic)
    yield Channel("energy.potential_J", "J", "", "energy in springs and stops", potential)
    for i, name in enumerate(WORK_NAMES):
        text = f"work done on the system by {name.replace('_', ' ')}"
        yield Channel(f"energy.work.{name}_J", "J", "", text, works[:, i])
    with np.errstate(invalid="ignore"):  # the last row of a run that diverged may be infinite
        gained = (kinetic - kinetic[0]) + (potential - potential[0])
        residual = gained - (works.sum(axis=1) - works[0].sum())
    yield Channel("energy.residual_J", "J", "", "energy gained less all work done: the integrator's error", residual)
    linear, angular = head["linear_momentum"], head["angular_momentum"]
    linear_left = (linear - linear[0]) - (head["linear_impulse"] - head["linear_impulse"][0])
    angular_left = (angular - angular[0]) - (head["angular_impulse"] - head["angular_impulse"][0])
    traffic = "sum of the sizes of the bodies' momenta"
    yield Channel("momentum.linear_kg_m_s", "kg m/s", "W", f"linear momentum of all bodies{seen}", linear)
    yield Channel("momentum.angular_kg_m2_s", "kg m2/s", "W", f"angular momentum about {about}", angular)
    yield Channel("momentum.linear_residual", "kg m/s", "W", "linear momentum gained less all impulses", linear_left)
    yield Channel("momentum.linear_traffic", "kg m/s", "", traffic, head["linear_traffic"])
    yield Channel("momentum.angular_traffic", "kg m2/s", "", traffic, head["angular_traffic"])
    text = "angular momentum gained less all impulses"
    yield Channel("momentum.angular_residual", "kg m2/s", "W", text, angular_left)
