"""A vehicle's docking mechanism to the parts list, and the tables of all mechanisms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.algebra.joints import FREE
from docksim.compiler.drives import DriveTables
from docksim.compiler.mechanism_tables import leg_blocks, leg_table, place_in_blocks
from docksim.compiler.parts import BodyPart, JointPart, Marker, placed, six_coordinates, within
from docksim.compiler.shafts import Shaft, coupling_shafts, leg_shafts
from docksim.config.schema.leg_geometry import driven_at
from docksim.config.schema.legs import AnyLeg
from docksim.config.schema.retraction import RetractionDrive, length_of
from docksim.config.schema.vehicle import MountedMechanism
from docksim.model import table
from docksim.model.mechanism import MECHANISM


@dataclass(frozen=True)
class MechanismPart:
    """A mechanism in the parts list: the free joint that its ring hangs on, its legs, and what devices act on."""

    name: str
    joint: int
    body: int
    legs: tuple[AnyLeg, ...]
    shafts: tuple[Shaft, ...]  # of the legs, then of the couplings
    inertial_base: bool
    by_joints: bool
    drive: RetractionDrive | None

    @property
    def vehicle(self) -> str:
        return self.name.removesuffix(".ring")

    @property
    def moves(self) -> bool:
        """Can its base joints be retracted?"""
        return any(leg.base_way() for leg in self.legs)

    @property
    def stroke(self) -> float:
        """Way at full retraction, the mean of the base joints' or the drive's own [m]."""
        if self.drive is not None and self.drive.stroke_m is not None:
            return self.drive.stroke_m
        return sum(length_of(leg.base_way()) for leg in self.legs) / len(self.legs)


def ring_parts(part: MountedMechanism, name: str, parent: Marker, body: int, index: int) -> tuple[BodyPart, JointPart]:
    """The ring as a body on a free joint from B to C, in its reference pose; `index` counts the mechanisms."""
    ring, pose = part.ring, part.reference
    joint = JointPart(name, FREE, parent.body, body)
    joint.F = within(parent.place, placed(part.position_m, part.attitude))
    joint.coordinates = six_coordinates(part.locked, offset=pose.position_m)
    joint.quaternion = pose.attitude.quaternion_wxyz()
    joint.mechanism = index
    inertia = np.array(ring.inertia_kg_m2.matrix())
    return BodyPart(name, ring.mass_kg, ring.center_of_mass_m, inertia), joint


def mechanism_part(part: MountedMechanism, name: str, joint: int, body: int) -> MechanismPart:
    legs = part.six_legs()
    shafts = leg_shafts(legs, [driven_at(leg, part.reference) for leg in legs])
    shafts += coupling_shafts(part.couplings, shafts)
    by_joints = part.method == "joints"
    return MechanismPart(name, joint, body, legs, shafts, part.inertial_base, by_joints, part.retraction_drive)


def mechanism_tables(parts: list[MechanismPart], drives: DriveTables) -> dict[str, np.ndarray]:
    """Model tables `mechanism`, `leg` and `block`; all legs of all mechanisms in one array, so also their couplings."""
    rows = table(MECHANISM, len(parts))
    legs = leg_table([leg for part in parts for leg in part.legs])
    first, block, coupling = 0, 0, len(legs)
    for row, part in zip(rows, parts, strict=True):
        own = legs[first : first + len(part.legs)]
        row.joint, row.body, row.first_leg, row.n_legs = part.joint, part.body, first, len(own)
        row.first_block, row.n_blocks = block, place_in_blocks(own, block)
        row.first_coupling, row.n_couplings = coupling, len(part.shafts) - len(own)
        row.leg_mass, row.inertial_base, row.by_joints = own["mass"].sum(), part.inertial_base, part.by_joints
        _add_retraction(row, own, part, drives)
        first += len(own)
        block += row.n_blocks
        coupling += row.n_couplings
    return {"mechanism": rows, "leg": legs, "block": leg_blocks(legs)}


def _add_retraction(row: np.record, legs: np.ndarray, part: MechanismPart, drives: DriveTables) -> None:
    """Curves of the base joints, and their drive by parts of its stroke."""
    row.moves, row.stroke = part.moves, part.stroke
    for leg, own in zip(legs, part.legs, strict=True):
        if own.base_path_m is not None:
            leg.first_knot, leg.n_knots = drives.add_way(own.base_path_m), len(own.base_path_m)
    if part.drive is not None:
        row.drive_mass = part.drive.mass_kg * part.stroke * part.stroke
        row.drive_response = part.drive.response_s
