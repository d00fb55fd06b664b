"""A port on a structure that gives: the template's figures, and the loads that go into the vehicle behind the ring."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import docksim
from docksim.config import load_scenario
from docksim.config.schema.joints import PrismaticJoint, SphericalJoint
from docksim.result.result import Result
from tests.support.contact_rigs import ball, pair, plane, port
from tests.support.rigs import Keys, lone

SOFT, STIFF = "configs/structures/passive_ring.yaml", "configs/structures/passive_ring_stiff.yaml"
RING, MASS, SPEED, FACTOR = 25.0, 70.0, 0.08, 6.0


def hit(contact: Keys, step: float, duration: float, ring: Keys | None = None, **comer: Any) -> Keys:
    """A ball comes to a wall on the passive ring of an anchored vehicle; the port looks along +x."""
    wall = {"wall": {"interface": plane(5.0, contact)}}
    a = lone(1e5, 1e5, anchored=True, use=SOFT, bodies={"passive_ring": {"ports": wall}, **(ring or {})})
    b = lone(MASS, 10.0, ports=port(ball(0.5))) | comer
    return pair(a, b, duration, step, pair={"ports": ["a.passive_ring.wall", "b.dock"]})


@functools.cache
def straight(k_c: float) -> Result:
    """70 kg at 0.08 m/s, straight on."""
    contact = {"stiffness_N_m": k_c, "damping_s_m": FACTOR, "friction": 0.0}
    comer = {"position_m": [0.5 + 1e-9, 0.0, 0.0], "velocity_m_s": [-SPEED, 0.0, 0.0]}
    result = docksim.run(hit(contact, 4e-5, 0.04, **comer))
    assert result.outcome == "completed", result.reason
    return result


def two_masses(k_c: float, k_b: float, c_b: float) -> tuple[float, float]:
    """Peaks of the contact and of spring and damper behind the ring, by another integration."""

    def forces(y: np.ndarray) -> tuple[Any, Any]:
        x, u, ring, u_ring = y
        d = x - ring
        return k_c * np.maximum(d, 0.0) * np.maximum(1.0 + FACTOR * (u - u_ring), 0.0), k_b * ring + c_b * u_ring

    def motion(_: float, y: np.ndarray) -> list[float]:
        push, held = forces(y)
        return [y[1], -push / MASS, y[3], (push - held) / RING]

    found = solve_ivp(motion, (0.0, 0.04), [0.0, SPEED, 0.0, 0.0], max_step=1e-5, rtol=1e-9, atol=1e-12)
    push, held = forces(found.y)
    return float(push.max()), float(held.max())


@pytest.mark.parametrize(("k_c", "published"), [(6.5e6, 977.0), (3e7, 983.0), (1e8, 977.0)])
def test_structure_bears_the_same_however_stiff_the_contact_is(k_c: float, published: float) -> None:
    result = straight(k_c)
    contact, structure = two_masses(k_c, 3.0e6, 520.0)
    into, between = result.metrics["hit.into_a.peak_compression_N"], result.metrics["hit.peak_compression_N"]
    # peaks between two steps, a 40th of the contact's period at 1e8 N/m
    assert (into, between) == (pytest.approx(structure, rel=1e-3), pytest.approx(contact, rel=3e-3))
    # of an independent prototype, to its last digit
    assert into == pytest.approx(published, abs=1.0)
    assert result.metrics["budget.residual_of_approach"] < 1e-4
    # both move on together after a stiff impact; the spring takes the rest, less 3 % of damping over a quarter period
    together = SPEED * MASS / (MASS + RING) * math.sqrt(3.0e6 * (MASS + RING))
    assert into == pytest.approx(together, rel=0.03)
    assert result.metrics["hit.into_a.peak_shear_N"] == pytest.approx(0.0, abs=1e-9)


def test_loads_into_a_vehicle_are_those_of_the_seat_seen_from_the_port() -> None:
    """A ball that hits off the middle and rubs, on a port that looks askew: from the channels of every step."""
    askew = Rotation.from_euler("ZYX", [30.0, -20.0, 10.0], degrees=True)
    attitude = {"yaw_pitch_roll_deg": [30.0, -20.0, 10.0]}
    seat = {"passive_seat": {"joint": {"position_m": [1.0, -2.0, 0.5], "attitude": attitude}}}
    at = np.array([1.0, -2.0, 0.5]) + askew.apply([0.5 + 1e-6, 0.4, -0.1])
    comer = {"position_m": at.tolist(), "velocity_m_s": askew.apply([-0.1, 0.05, 0.03]).tolist()}
    keys = hit({"stiffness_N_m": 2e6, "friction": 0.3}, 1e-4, 0.12, seat, **comer)
    result = docksim.run(keys)
    assert result.outcome == "completed", result.reason
    force, moment = result["a.passive_seat.load_force_N"], result["a.passive_seat.load_moment_Nm"]
    turn = {name: _turns(result, f"a.{name}") for name in ("passive_seat", "passive_ring")}
    f, m = (np.einsum("nij,nj->ni", turn["passive_seat"], load) for load in (force, moment))
    # seat and ring have their origins at their joints, the port is at the ring's: no arm but the travel
    x = result["a.passive_ring.position_m"] - result["a.passive_seat.position_m"]
    m -= np.cross(x, f)
    n = turn["passive_ring"][:, :, 0]
    axial, torsion = np.sum(f * n, axis=1), np.sum(m * n, axis=1)
    shear = np.linalg.norm(f - axial[:, None] * n, axis=1)
    bending = np.linalg.norm(m - torsion[:, None] * n, axis=1)
    peaks = {
        "tension_N": -axial, "compression_N": axial, "shear_N": shear, "bending_Nm": bending, "torsion_Nm": abs(torsion)
    }  # fmt: skip
    for name, values in peaks.items():
        # every step is logged; squares are taken in another order
        assert result.metrics[f"hit.into_a.peak_{name}"] == pytest.approx(values.max(), rel=1e-6), name
    assert all(values.max() > 1.0 for values in peaks.values())
    # the seat's channels are on the axes of the port: compression is along x
    assert force[:, 0].max() == pytest.approx(axial.max(), rel=1e-3)


def _turns(result: Result, body: str) -> np.ndarray:
    return Rotation.from_quat(np.roll(result[f"{body}.attitude"], -1, axis=1)).as_matrix()


def test_ports_on_vehicles_themselves_pass_nothing_on() -> None:
    scenario = load_scenario("scenarios/dock_nds.yaml")
    assert len(docksim.compiler.compile_scenario(scenario).model.passed_on) == 0


@pytest.mark.parametrize(("file", "k_b"), [(SOFT, 3.0e6), (STIFF, 1.0e7)])
def test_template_follows_its_formulas(file: str, k_b: float) -> None:
    """A hoop of 25 kg and 0.61 m on springs all around, damped by 3 % of critical."""
    vehicle = lone(1e3, 1e3, use=file)
    bodies = load_scenario({"vehicles": {"a": vehicle}, "solver": {"duration_s": 1.0}}).vehicles["a"].bodies
    seat, ring = bodies["passive_seat"], bodies["passive_ring"]
    assert isinstance(seat.joint, PrismaticJoint)
    assert isinstance(ring.joint, SphericalJoint)
    assert seat.mass_kg + ring.mass_kg == RING
    assert seat.joint.stiffness_N_m == k_b
    assert seat.joint.damping_Ns_m == pytest.approx(0.06 * math.sqrt(k_b * RING), rel=0.01)
    tilt = 0.5 * k_b * 0.61**2
    np.testing.assert_allclose(np.broadcast_to(ring.joint.stiffness_Nm_rad, 3), tilt, rtol=0.01)
    hoop = ring.mass_kg * 0.61**2 * np.array([1.0, 0.5, 0.5])
    np.testing.assert_allclose(np.ravel(ring.joint.damping_Nms_rad), 0.06 * np.sqrt(tilt * hoop), rtol=0.01)
