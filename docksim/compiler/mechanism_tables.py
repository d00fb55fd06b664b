"""A mechanism of the schema to the kernel's tables: SI units, radians, inertias about the links' origins."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from docksim.algebra.masses import point_inertia, six_entries
from docksim.compiler.parts import axes_of
from docksim.config.schema.legs import JOINTS, AnyLeg, HuntLeg, Link, StewartLeg
from docksim.config.schema.mechanism import Mechanism
from docksim.model import table
from docksim.model.mechanism import LANES, LEG, LEG_BLOCK, RING, RSU, RUS, SPU, UCU, UPS

TYPES = {"UPS": UPS, "SPU": SPU, "UCU": UCU, "RUS": RUS, "RSU": RSU}


def leg_table(legs: Sequence[AnyLeg]) -> np.ndarray:
    """Geometry and masses of the legs, without their devices."""
    rows = table(LEG, len(legs))
    for row, leg in zip(rows, legs, strict=True):
        row.type = TYPES[leg.type]
        row.l_0[:] = leg.base_joint_m
        row.travel[:] = leg.base_travel_m
        row.R_0[:] = axes_of(leg.base_axes).ravel()
        row.l_C[:] = leg.ring_joint_m
        row.e_2[:] = axes_of(leg.ring_axes)[:, 2]
        row.spin = leg.spin
        row.R_k[:] = np.eye(3).ravel()
        if isinstance(leg, StewartLeg):
            row.a, row.b = leg.lower_length_m, leg.upper_arm_m
        else:
            row.l12, row.l23 = leg.crank_m, leg.rod_m
            row.R_k[:] = axes_of(leg.elbow_axes).ravel()
            row.elbow = leg.elbow
        for i, (link, length) in enumerate(links_of(leg)):
            row.mass[i], row.com[i], row.inertia[i] = link_properties(link, length)
        rotors = rotors_of(leg)
        row.rotor[: len(rotors)] = rotors
    return rows


def leg_blocks(legs: np.ndarray) -> np.ndarray:
    """Model table `block`: legs as their `block` and `lane` say; empty lanes are massless copies of the last leg."""
    blocks = table(LEG_BLOCK, 1 + max((int(leg.block) for leg in legs), default=-1))
    for row_number, block in enumerate(blocks):
        own = [leg for leg in legs if leg.block == row_number]
        block.type, block.n_legs = own[0].type, len(own)
        for lane in range(LANES):
            leg = own[min(lane, len(own) - 1)]
            for name in ("l_0", "R_0", "l_C", "e_2", "R_k", "a", "b", "l12", "l23", "elbow", "spin"):
                block[name][..., lane] = leg[name]
            if lane < len(own):
                block.mass[:, lane] = leg.mass
                block.mc[..., lane] = leg.mass[:, None] * leg.com
                block.J[..., lane] = leg.inertia
                block.rotor[:, lane] = leg.rotor
    return blocks


def place_in_blocks(legs: np.ndarray, first: int) -> int:
    """Give the legs of one mechanism their blocks, one a type, counted from `first`; returns how many."""
    types = sorted({int(leg.type) for leg in legs})
    for i, kind in enumerate(types):
        for lane, leg in enumerate(leg for leg in legs if leg.type == kind):
            leg.block, leg.lane = first + i, lane
    return len(types)


def ring_table(mechanism: Mechanism) -> np.ndarray:
    """The ring, about C's origin."""
    rows = table(RING, 1)
    ring = mechanism.ring
    com = np.array(ring.center_of_mass_m)
    rows[0].mass = ring.mass_kg
    rows[0].com[:] = com
    rows[0].inertia[:] = six_entries(about_origin(ring.mass_kg, com, np.array(ring.inertia_kg_m2.matrix())))
    return rows


def links_of(leg: AnyLeg) -> tuple[tuple[Link | None, float], tuple[Link | None, float]]:
    """First and second link, each with the length of a rod that would stand for it."""
    if isinstance(leg, StewartLeg):
        return (leg.lower, leg.lower_length_m), (leg.upper, leg.upper_arm_m)
    return (leg.crank, leg.crank_m), (leg.rod, leg.rod_m)


def link_properties(link: Link | None, length: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, mass centre, and six entries of the inertia about the link's origin."""
    if link is None:
        return 0.0, np.zeros(3), np.zeros(6)
    mass = link.mass_kg
    com = np.array(link.center_of_mass_m if link.center_of_mass_m is not None else (0.5 * length, 0.0, 0.0))
    if link.inertia_kg_m2 is not None:
        inertia = np.array(link.inertia_kg_m2.matrix())
    else:
        across = mass * length * length / 12.0
        inertia = np.diag([0.0, across, across])
    return mass, com, six_entries(about_origin(mass, com, inertia))


def about_origin(mass: float, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """From the mass centre to the frame's origin."""
    return inertia + mass * point_inertia(com)


def driven_joint(leg: AnyLeg) -> int:
    """Place of the stroke or of the crank among the kept joints."""
    return JOINTS[leg.type].index("stroke" if isinstance(leg, StewartLeg) else "crank")


def rotors_of(leg: AnyLeg) -> list[float]:
    """Rotor inertias of the kept joints, base to ring."""
    turns = list(leg.turn_inertia_kg_m2) or [0.0] * (len(JOINTS[leg.type]) - 1)
    turns.insert(driven_joint(leg), leg.actuator.rotor)
    return turns


def force_limit(leg: AnyLeg) -> float:
    """Largest force or torque of the actuator; infinite if there is no limit."""
    limit = leg.actuator.torque_limit_Nm if isinstance(leg, HuntLeg) else leg.actuator.force_limit_N
    return math.inf if limit is None else limit
