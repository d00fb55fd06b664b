"""A docking mechanism as an ordinary chain with branches: ring on six joints, legs cut at the ring and closed by balls.

An independent check of the kernel's mechanism that users can repeat (Zaremba 1990, 2.17 to 2.19): n = 24 coordinates,
m = 18 rows, no closure formulas of legs, no reduction to the ring. Both solve the same equations; what is left is
rounding at forces of some hundred newtons: 1e-11 relative.
"""

from __future__ import annotations

import numpy as np
import pytest

from docksim.chain.kinematics.links import kinematics
from docksim.chain.model import PRISMATIC, REVOLUTE, ChainModel, ideal_joints
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.plant import Plant
from docksim.config.schema.chain_conditions import ClosureCondition
from docksim.hardware.mechanism import Mechanism
from tests.oracle import mechanism_description as oracle
from tests.oracle.rotations import turn
from tests.support.mechanisms import ROOT, quaternion, to_oracle


def chain_of(mechanism: oracle.Mechanism, r_C: np.ndarray, R_C: np.ndarray) -> ChainModel:
    """Six joints without mass carry the ring, at rest at this pose; then leg by leg its joints."""
    none = oracle.Link(0.0, np.zeros(3), np.zeros((3, 3)))
    rows = [(f"ring_{i}", i - 1, PRISMATIC, np.eye(3)[i], np.eye(3), r_C * (i == 0), none, 0.0) for i in range(3)]
    for i in range(3):
        link = mechanism.ring if i == 2 else none
        fix = R_C if i == 0 else np.eye(3)
        rows.append((f"ring_{i + 3}", i + 2, REVOLUTE, np.eye(3)[i], fix, np.zeros(3), link, 0.0))
    for k, leg in enumerate(mechanism.legs):
        parent = -1
        for j, joint in enumerate(oracle.chain(leg)):
            kind = PRISMATIC if joint.prismatic else REVOLUTE
            place = (np.eye(3)[joint.axis], joint.rotation, joint.position, joint.link or none)
            rows.append((f"leg_{k}_{j}", parent, kind, *place, leg.rotor_inertias()[j]))
            parent = len(rows) - 1
    names, parents, kinds, axes, R_fix, p_fix, links, rotors = zip(*rows, strict=True)
    n = len(rows)
    tips = np.zeros((n, 3))
    for k, leg in enumerate(mechanism.legs):
        tips[names.index(f"leg_{k}_{leg.n - 1}")] = leg.tip()
    return ChainModel(
        names, np.array(parents), np.array(kinds), np.array(axes), np.array(R_fix), np.array(p_fix),
        mass=np.array([link.mass for link in links]),
        moment=np.array([link.mass * np.array(link.com) for link in links]),
        inertia=np.array([link.inertia for link in links]),
        gravity=np.zeros(3), R_end=np.array([np.eye(3)] * n), p_end=tips, far=np.arange(n),
        **{**ideal_joints(n), "rotor": np.array(rotors, float)},
    )  # fmt: skip


@pytest.mark.parametrize("name", ["nds_like", "rus_like"])
def test_mechanism_as_a_constrained_chain_equals_the_kernel(name: str) -> None:
    mechanism = Mechanism.load(ROOT / "configs" / "mechanisms" / f"{name}.yaml")
    theirs = to_oracle(mechanism)
    assert not np.any(theirs.coupled_rotors)
    rng = np.random.default_rng(5)
    place = mechanism.config.reference
    r_C = np.array(place.position_m) + rng.uniform(-0.02, 0.02, 3)
    R_C = turn(rng.uniform(-0.04, 0.04, 3))
    twist, wrench = rng.normal(scale=0.3, size=6), rng.normal(scale=100.0, size=6)
    pose = (r_C, quaternion(R_C))
    forces = [rng.normal(scale=50.0, size=leg.n) for leg in theirs.legs]
    motion = mechanism.forward(pose, twist, forces, wrench)

    chain = chain_of(theirs, r_C, R_C)
    q = np.concatenate([np.zeros(6), *mechanism.closure(pose).joints])
    rates = np.concatenate([twist[3:], R_C.T @ twist[:3], *motion.joint_rates])
    Q = np.concatenate([wrench[3:], R_C.T @ wrench[:3], *forces])
    parts = [
        ClosureCondition(
            type="closure", link_a="ring_5", point_a_m=tuple(map(float, leg.l_C)),
            link_b=f"leg_{k}_{leg.n - 1}", point_b_m=(0.0, 0.0, 0.0),
        )
        for k, leg in enumerate(theirs.legs)
    ]  # fmt: skip
    conditions = build_conditions(chain, parts, q)
    assert (chain.n, len(conditions.rows)) == (24, 18)
    now = conditions(chain, q, rates, 0.0)
    assert np.abs(now.f).max() < 1e-13
    assert np.abs(now.rate).max() < 1e-13
    held = Constrained(chain, conditions, Plant(chain)).at(0.0, q, rates, Q)

    J, drift = kinematics(chain, q, rates).twists(5, r_C)
    ring = (J @ held.acceleration + drift)[[3, 4, 5, 0, 1, 2]]
    assert np.abs(ring - motion.ring_acceleration).max() < 1e-11 * np.abs(motion.ring_acceleration).max()
    legs = np.concatenate(motion.joint_accelerations)
    assert np.abs(held.acceleration[6:] - legs).max() < 1e-11 * np.abs(legs).max()
    pulls = (R_C @ held.reaction.reshape(6, 3).T).T
    assert np.abs(pulls + motion.ring_joint_wrench[:, 3:]).max() < 1e-11 * np.abs(pulls).max()
