"""A vehicle's docking mechanism to the parts list, and the tables of all mechanisms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from docksim import model as codes
from docksim.compiler.joints import placed
from docksim.compiler.mechanism_tables import AnyLeg, actuated_coordinate, leg_table, place_in_blocks
from docksim.compiler.parts import BodyPart, Coordinate, JointPart, Marker, six_coordinates, within
from docksim.config.leg_geometry import crank_reach, on_ring, plus
from docksim.config.mechanism import RingPose, StewartLeg
from docksim.config.schema import MountedMechanism
from docksim.model import table


@dataclass(frozen=True)
class MechanismPart:
    """A mechanism in the parts list: the free joint that its ring hangs on, and its legs."""

    name: str
    joint: int
    body: int
    legs: tuple[AnyLeg, ...]
    devices: tuple[Coordinate, ...]  # what acts on each leg's stroke or crank
    inertial_base: bool


def ring_parts(part: MountedMechanism, name: str, parent: Marker, body: int, index: int) -> tuple[BodyPart, JointPart]:
    """The ring as a body on a free joint from B to C, in its reference pose; `index` counts the mechanisms."""
    ring, pose = part.ring, part.reference
    joint = JointPart(name, codes.FREE, parent.body, body)
    joint.F = within(parent.place, placed(part.position_m, part.attitude))
    joint.coordinates = six_coordinates(part.locked, offset=pose.position_m)
    joint.quaternion = pose.attitude.quaternion_wxyz()
    joint.mechanism = index
    inertia = np.array(ring.inertia_kg_m2.matrix())
    return BodyPart(name, ring.mass_kg, ring.center_of_mass_m, inertia), joint


def mechanism_part(part: MountedMechanism, name: str, joint: int, body: int) -> MechanismPart:
    legs = part.six_legs()
    devices = tuple(actuated_coordinate(leg, actuated_at(leg, part.reference)) for leg in legs)
    return MechanismPart(name, joint, body, legs, devices, part.inertial_base)


def actuated_at(leg: AnyLeg, pose: RingPose) -> float:
    """Stroke [m] or crank angle [rad] at a pose."""
    if isinstance(leg, StewartLeg):
        span = plus(on_ring(pose, leg.ring_joint_m), leg.base_joint_m, -1.0)
        return math.hypot(*span) - leg.lower_length_m - leg.upper_arm_m
    return crank_reach(leg, pose).angle(leg.elbow)


def mechanism_tables(parts: list[MechanismPart], fill_device: Any) -> dict[str, np.ndarray]:
    """Model tables `mechanism`, `leg`, `leg_device`; all legs of all mechanisms in one array."""
    rows = table(codes.MECHANISM, len(parts))
    devices = [device for part in parts for device in part.devices]
    leg_device = table(codes.DOF, len(devices))
    legs = leg_table([leg for part in parts for leg in part.legs])
    first = first_block = 0
    for row, part in zip(rows, parts, strict=True):
        own = legs[first : first + len(part.legs)]
        row.joint, row.body, row.first_leg, row.n_legs = part.joint, part.body, first, len(own)
        row.first_block, row.n_blocks = first_block, place_in_blocks(own, first_block)
        row.leg_mass = own["mass"].sum()
        row.inertial_base = part.inertial_base
        first += len(own)
        first_block += row.n_blocks
    for k, device in enumerate(devices):
        fill_device(leg_device[k], device, -1)
    return {
        "mechanism": rows,
        "leg": legs,
        "leg_device": leg_device,
    }


def device_states(parts: list[MechanismPart]) -> tuple[np.ndarray, np.ndarray]:
    """State tables: motors, and where the coordinates are at the start."""
    devices = [device for part in parts for device in part.devices]
    rows = table(codes.DOF_STATE, len(devices))
    for row, device in zip(rows, devices, strict=True):
        row.torque = device.torque
    return rows, np.array([device.start for device in devices])

