"""Mechanisms between the oracles' neutral description and docksim's configuration, both ways, and random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.config.schema.legs import HuntLeg, StewartLeg
from docksim.config.schema.legs import Link as LinkPart
from docksim.hardware.mechanism import Mechanism
from tests.oracle import mechanism_description as oracle
from tests.support.harness import floats, quaternion

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = sorted((ROOT / "configs" / "mechanisms").glob("*.yaml"))


def attitude(R: np.ndarray) -> dict[str, Any]:
    return {"quaternion": quaternion(R)}


# ---------------------------------------------------------------- oracle to configuration


def link_keys(link: oracle.Link) -> dict[str, Any] | None:
    if link.mass == 0.0:
        return None
    inertia = link.inertia_about_com()
    rows = [floats(row) for row in 0.5 * (inertia + inertia.T)]
    return {"mass_kg": float(link.mass), "center_of_mass_m": floats(link.com), "inertia_kg_m2": rows}


def leg_keys(leg: oracle.Leg) -> dict[str, Any]:
    rotors = floats(leg.rotor_inertias())
    driven = rotors.pop(oracle.ACTUATED[leg.type])
    keys: dict[str, Any] = {
        "type": leg.type,
        "base_joint_m": floats(leg.l_0),
        "base_axes": attitude(leg.R_0),
        "ring_joint_m": floats(leg.l_C),
        "ring_axes": attitude(leg.R_CJ),
        "spin": leg.sigma,
        "turn_inertia_kg_m2": rotors,
    }
    first, second = link_keys(leg.first), link_keys(leg.second)
    if leg.type in oracle.STEWART:
        keys |= {"lower_length_m": float(leg.a), "upper_arm_m": float(leg.b), "actuator": {"rotor_mass_kg": driven}}
        links = {"lower": first, "upper": second}
    else:
        keys |= {"crank_m": float(leg.l12), "rod_m": float(leg.l23), "elbow_axes": attitude(leg.R_k)}
        keys |= {"elbow": leg.sigma_e, "actuator": {"rotor_inertia_kg_m2": driven}}
        links = {"crank": first, "rod": second}
    return keys | {name: link for name, link in links.items() if link is not None}


def mechanism_keys(mechanism: oracle.Mechanism, r_C: np.ndarray, R_C: np.ndarray) -> dict[str, Any]:
    """An oracle's mechanism in the words of a mechanism file, with a reference pose."""
    return {
        "ring": link_keys(mechanism.ring),
        "reference": {"position_m": floats(r_C), "attitude": attitude(R_C)},
        "legs": [leg_keys(leg) for leg in mechanism.legs],
        "couplings": coupling_keys(mechanism),
    }


def coupling_keys(mechanism: oracle.Mechanism) -> dict[str, Any]:
    """Couplings of one family of legs each, with a rotor and nothing else."""
    found = {}
    for i, (weights, rotor) in enumerate(zip(mechanism.weights, mechanism.coupled_rotors, strict=True)):
        first = mechanism.legs[int(np.flatnonzero(weights)[0])]
        stroke = first.type in oracle.STEWART
        device = {"linear": {"rotor_mass_kg": rotor}} if stroke else {"rotary": {"rotor_inertia_kg_m2": rotor}}
        found[f"c{i}"] = {"weights": floats(weights), **device}
    return found


def from_oracle(mechanism: oracle.Mechanism, reference: Any) -> Mechanism:
    return Mechanism.load(mechanism_keys(mechanism, reference.r_C, reference.R_C))


# ---------------------------------------------------------------- configuration to oracle


def matrix(part: Any) -> np.ndarray:
    w, x, y, z = part.quaternion_wxyz()
    return Rotation.from_quat([x, y, z, w]).as_matrix()


def oracle_link(part: LinkPart | None, length: float) -> oracle.Link:
    if part is None:
        return oracle.Link(0.0, np.zeros(3), np.zeros((3, 3)))
    com = np.array(part.center_of_mass_m or (length / 2, 0.0, 0.0))
    across = part.mass_kg * length**2 / 12
    inertia = np.diag([0.0, across, across]) if part.inertia_kg_m2 is None else np.array(part.inertia_kg_m2.matrix())
    return oracle.Link(part.mass_kg, com, inertia + part.mass_kg * (com @ com * np.eye(3) - np.outer(com, com)))


def oracle_leg(leg: StewartLeg | HuntLeg) -> oracle.Leg:
    n = len(oracle.JOINTS[leg.type])
    rotors = list(leg.turn_inertia_kg_m2) or [0.0] * (n - 1)
    common = (leg.type, np.array(leg.base_joint_m), matrix(leg.base_axes), np.array(leg.ring_joint_m))
    place = oracle.ACTUATED[leg.type]
    if isinstance(leg, StewartLeg):
        rotors.insert(place, leg.actuator.rotor)
        links = oracle_link(leg.lower, leg.lower_length_m), oracle_link(leg.upper, leg.upper_arm_m)
        fields: dict[str, Any] = {"a": leg.lower_length_m, "b": leg.upper_arm_m}
    else:
        rotors.insert(place, leg.actuator.rotor)
        links = oracle_link(leg.crank, leg.crank_m), oracle_link(leg.rod, leg.rod_m)
        fields = {"l12": leg.crank_m, "l23": leg.rod_m, "R_k": matrix(leg.elbow_axes), "sigma_e": leg.elbow}
    return oracle.Leg(*common, *links, R_CJ=matrix(leg.ring_axes), sigma=leg.spin, rotors=tuple(rotors), **fields)


def to_oracle(mechanism: Mechanism) -> oracle.Mechanism:
    ring = mechanism.config.ring
    body = oracle_link(
        LinkPart(mass_kg=ring.mass_kg, center_of_mass_m=ring.center_of_mass_m, inertia_kg_m2=ring.inertia_kg_m2), 0.0
    )
    rotors = np.array([shaft.rotor for shaft in mechanism.shafts[len(mechanism.legs) :]])
    return oracle.Mechanism(tuple(oracle_leg(leg) for leg in mechanism.legs), body, mechanism.weights, rotors)
