"""Where the ports of a vehicle are at the start: a walk from the base through joints, beams and the mechanism.

Plain tuples and the standard library, as in leg_geometry. A frame is (position, quaternion) in an outer frame. Beams
start straight, the ring of a mechanism starts in its reference pose.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from docksim.algebra.joints import turn_and_shift
from docksim.algebra.quat import mat_to_quat, quat_conj, quat_mul, quat_vec
from docksim.algebra.vec3 import Vec3, add
from docksim.config.schema.fields import Attitude, Quaternion
from docksim.config.schema.joints import JOINT_TYPES, Joint
from docksim.config.schema.leg_geometry import unit
from docksim.config.schema.vehicle import Body, Port, Vehicle

Frame = tuple[Vec3, Quaternion]
HERE: Frame = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
MOVING_DRIVES = ("rate", "sine", "table")


def within(outer: Frame, inner: Frame) -> Frame:
    """A frame given in another one."""
    return add(outer[0], quat_vec(outer[1], inner[0])), quat_mul(outer[1], inner[1])


def inverse(frame: Frame) -> Frame:
    back = quat_conj(frame[1])
    x, y, z = quat_vec(back, frame[0])
    return (-x, -y, -z), back


def placed(position: Vec3, attitude: Attitude) -> Frame:
    return position, attitude.quaternion_wxyz()


def base_frame(vehicle: Vehicle) -> Frame:
    """The base in W."""
    return placed(vehicle.position_m, vehicle.attitude)


def port_frame(vehicle: Vehicle, name: str) -> Frame:
    """A port, by its name inside the vehicle ("nose", "ring.face"), in the base frame."""
    port, carrier, _ = ports_of(vehicle)[name]
    return within(_carrier(vehicle, carrier), placed(port.position_m, port.attitude))


class PortPlace(NamedTuple):
    """A port, the body of the vehicle that carries it, and where in the vehicle it is written."""

    port: Port
    carrier: str
    path: tuple[str, ...]


def ports_of(vehicle: Vehicle) -> dict[str, PortPlace]:
    """All ports by their names inside the vehicle."""
    owners: list[tuple[str, str, tuple[str, ...], dict[str, Port]]] = [("", "base", (), vehicle.ports)]
    owners += [(f"{key}.", key, ("bodies", key), body.ports) for key, body in vehicle.bodies.items()]
    owners += [(f"{key}.", f"{key}.tip", ("beams", key), beam.ports) for key, beam in vehicle.beams.items()]
    if vehicle.mechanism is not None:
        owners.append(("ring.", "ring", ("mechanism",), vehicle.mechanism.ports))
    return {
        f"{before}{key}": PortPlace(port, carrier, (*path, "ports", key))
        for before, carrier, path, ports in owners
        for key, port in ports.items()
    }


def mass_centre(vehicle: Vehicle) -> Vec3:
    """Of all that the vehicle carries but for the legs of its mechanism, in the base frame."""
    parts = [(vehicle.mass_kg, vehicle.center_of_mass_m), *((w.mass_kg, w.position_m) for w in vehicle.wheels.values())]
    for name, body in vehicle.bodies.items():
        parts.append((body.mass_kg, within(_carrier(vehicle, name), (body.center_of_mass_m, HERE[1]))[0]))
    for name, beam in vehicle.beams.items():
        tip = _carrier(vehicle, f"{name}.tip")
        parts.append((beam.tip_mass_kg, tip[0]))
        parts.append((beam.mass_kg, within(tip, ((-0.5 * beam.length_m, 0.0, 0.0), HERE[1]))[0]))
    if vehicle.mechanism is not None:
        ring = vehicle.mechanism.ring
        parts.append((ring.mass_kg, within(_carrier(vehicle, "ring"), (ring.center_of_mass_m, HERE[1]))[0]))
    total = sum(mass for mass, _ in parts)
    x, y, z = (sum(mass * place[i] for mass, place in parts) / total for i in range(3))
    return x, y, z


def carriers(vehicle: Vehicle, name: str) -> list[str]:
    """The bodies from the one that carries a port down to the base, which is left out."""
    carrier, chain = ports_of(vehicle)[name].carrier, []
    while carrier != "base":
        chain.append(carrier)
        carrier = _below(vehicle, carrier).parent
    return chain


def moves_at_start(vehicle: Vehicle, carrier: str) -> bool:
    """Whether a body moves against its parent from the start."""
    part = _below(vehicle, carrier)
    if not isinstance(part, Body):
        return False
    axes = [part.joint, *(getattr(part.joint, key, None) for key in ("rotation", "translation", "first", "second"))]
    return any(_in_motion(axis) for axis in axes if axis is not None)


def _in_motion(axis: Any) -> bool:
    drive = getattr(axis, "drive", None)
    if drive is not None:
        return drive.kind in MOVING_DRIVES
    rates = [getattr(axis, key, 0.0) for key in ("rate_deg_s", "velocity_m_s")]
    return not getattr(axis, "locked", False) and any(any(r) if isinstance(r, tuple) else r for r in rates)


def _below(vehicle: Vehicle, carrier: str) -> Any:
    """The body, beam or mechanism that puts a carrier where it is."""
    if carrier == "ring":
        return vehicle.mechanism
    beam, _, tip = carrier.rpartition(".")
    return vehicle.beams[beam] if tip == "tip" and beam in vehicle.beams else vehicle.bodies[carrier]


def _carrier(vehicle: Vehicle, name: str) -> Frame:
    """A body, ring or beam tip in the base frame."""
    if name == "base":
        return HERE
    part = _below(vehicle, name)
    parent = _carrier(vehicle, part.parent)
    if isinstance(part, Body):
        return within(parent, _child(part.joint))
    root = within(parent, placed(part.position_m, part.attitude))
    if name == "ring":
        return within(root, placed(part.reference.position_m, part.reference.attitude))
    return within(root, ((part.length_m, 0.0, 0.0), HERE[1]))


def _child(joint: Joint) -> Frame:
    """The child's frame in the parent's."""
    hinge = within(placed(joint.position_m, joint.attitude), _moved(joint))
    return within(hinge, inverse(placed(joint.child_position_m, joint.child_attitude)))


def _moved(joint: Joint) -> Frame:
    """The joint frame on the child against that on the parent."""
    axis, axis_2 = (unit(getattr(joint, key, (1.0, 0.0, 0.0))) for key in ("axis", "axis_2"))
    turn, shift = turn_and_shift(JOINT_TYPES.index(joint.type), axis, axis_2, joint.coordinates(), 0)
    return shift, mat_to_quat(turn)
