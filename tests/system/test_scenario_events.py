"""What the shipped scenarios with changing trees claim: merging, parting, latching, jettison, stops, stick."""

from typing import Any

import numpy as np
import pytest

import docksim
from docksim.result.result import Result
from tests.oracle.oscillator import RigidBody, join_rigid_bodies, push_off
from tests.support.shipped import at, changed, content, matrices, shipped


def rigid(result: Result, name: str, row: int) -> RigidBody:
    """A vehicle of one body as a rigid body on W axes, from its channels."""
    vehicle = result.scenario.vehicles[name]
    R = matrices(result[f"{name}.attitude"])[row]
    arm = R @ np.array(vehicle.center_of_mass_m)
    omega = R @ np.radians(result[f"{name}.rate_deg_s"][row])
    velocity = result[f"{name}.velocity_m_s"][row] + np.cross(omega, arm)
    inertia = R @ np.array(vehicle.inertia_kg_m2.matrix()) @ R.T
    return RigidBody(vehicle.mass_kg, inertia, result[f"{name}.position_m"][row] + arm, velocity, omega)


PAIRS = {"dock_and_undock": ("target", "chaser"), "station_visit": ("station", "ship")}


def bare(name: str, extra_mass: float = 0.0) -> dict[str, Any]:
    """The scenario up to its capture, with rigid vehicles only."""
    scenario = content(name)
    first = scenario["vehicles"][PAIRS[name][0]]
    del first["beams"]
    first["mass_kg"] += extra_mass
    scenario["events"] = {"capture": scenario["events"]["capture"]}
    scenario["outputs"]["every_s"] = scenario["solver"]["step_s"]
    scenario["solver"]["duration_s"] = 6.0
    return scenario


def stopped_before(scenario: dict[str, Any]) -> Result:
    """The same run, stopped at the capture instead of joining."""
    capture = {**scenario["events"]["capture"], "do": [{"stop": "here"}]}
    return docksim.run({**scenario, "events": {"capture": capture}})


@pytest.mark.parametrize("name", PAIRS)
def test_capture_of_rigid_vehicles_is_the_closed_form(name: str) -> None:
    before, after = stopped_before(bare(name)), docksim.run(bare(name))
    joined, loss = join_rigid_bodies(*(rigid(before, vehicle, -1) for vehicle in PAIRS[name]))
    capture = after.events[0]
    assert capture.time_s == before.time_s[-1]
    assert loss > 1.0
    # energies of some 20 J, rounding
    assert capture.energy_loss_J == pytest.approx(loss, rel=1e-12)
    for vehicle in PAIRS[name]:
        body = rigid(after, vehicle, at(after, capture.time_s))
        np.testing.assert_allclose(body.omega, joined.omega, rtol=0.0, atol=1e-14)
        velocity = joined.velocity + np.cross(joined.omega, body.position - joined.position)
        np.testing.assert_allclose(body.velocity, velocity, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("name", PAIRS)
def test_flexible_appendages_take_part_in_the_capture_with_less_than_their_mass(name: str) -> None:
    beams = shipped(name).scenario.vehicles[PAIRS[name][0]].beams
    without = docksim.run(bare(name)).events[0].energy_loss_J
    lumped = docksim.run(bare(name, sum(beam.mass_kg for beam in beams.values()))).events[0].energy_loss_J
    # a segment on a spring resists a blow only with what its root cannot yield to
    assert without < shipped(name).events[0].energy_loss_J < lumped


def test_docked_vehicles_are_one_and_part_by_the_push_of_the_spring() -> None:
    result = shipped("dock_and_undock")
    t, pair = result.time_s, "chaser.nose+target.port"
    capture, undock, _, clear = (event.time_s for event in result.events)
    distance = result[f"{pair}.distance_m"]
    docked = (t >= capture) & (t <= undock)
    # 25 s of 5 ms steps, ports some metres from the mass centre: rounding of two attitudes
    assert np.ptp(result[f"{pair}.position_m"][docked], axis=0).max() < 1e-12
    assert np.abs(result[f"{pair}.velocity_m_s"][docked]).max() < 1e-12
    assert np.all(np.diff(distance[t < capture]) < 0.0)
    assert np.all(np.diff(distance[t >= undock]) > 0.0)
    # the first step at which the distance is reached: 8 cm/s for 5 ms
    assert 1.0 <= distance[-1] < 1.0 + 0.0005
    assert t[-1] == clear


def test_docking_energy_is_booked_as_impulse_and_spring() -> None:
    result = shipped("dock_and_undock")
    capture, undock = result.events[:2]
    impulses, spring = result["energy.work.impulses_J"], result["energy.work.push_off_release_J"]
    assert capture.energy_loss_J > 0.0
    assert impulses[-1] == -capture.energy_loss_J
    assert undock.energy_loss_J == 0.0
    # half of 2000 N/m times 0.1 m squared, all of it released
    assert spring[-1] == pytest.approx(10.0, rel=1e-15)
    ringing = np.linalg.norm(result["target.array_right.1.rotation_deg"], axis=1)
    assert ringing[: at(result, 5.0)].max() < 0.1 * ringing[at(result, 6.0) :].max()


def test_station_wings_notice_the_ship() -> None:
    result = shipped("station_visit")
    capture = result.events[0].time_s
    root = np.abs(result["station.wing_port.1.bend_y.angle_deg"])
    # before there is only rounding
    assert root[result.time_s < capture].max() < 1e-10
    assert root[result.time_s > capture].max() > 1e-3


@pytest.mark.parametrize("panel", ["right_inner", "right_outer", "left_inner", "left_outer"])
def test_array_hinge_latches_at_its_angle_and_stays(panel: str) -> None:
    result = shipped("array_deployment")
    latch = next(event for event in result.events if event.name == f"latch_{panel}")
    angle, rate = result[f"satellite.{panel}.angle_deg"], result[f"satellite.{panel}.angle_rate_deg_s"]
    before, after = result.time_s < latch.time_s, result.time_s >= latch.time_s
    # the latch closes within a step of 2 ms after zero is passed
    assert abs(angle[-1]) <= np.abs(rate[before]).max() * 0.002
    assert np.ptp(angle[after]) == 0.0
    assert not rate[after].any()
    assert latch.energy_loss_J > 0.1


def test_array_deployment_leaves_the_satellite_at_rest_and_the_losses_add_up() -> None:
    result = shipped("array_deployment")
    losses = sum(event.energy_loss_J for event in result.events)
    assert result["energy.work.impulses_J"][-1] == pytest.approx(-losses, rel=1e-14)
    # it began at rest, so with every hinge locked nothing can move: rounding of 2e4 steps, squared
    assert result["energy.kinetic_J"][-1] < 1e-20
    assert np.abs(result["satellite.rate_deg_s"]).max() > 0.5
    assert result.channel("phase").labels[result["phase"][-1]] == "DEPLOYED"


def test_cover_is_thrown_off_at_the_speed_of_the_closed_form() -> None:
    result = changed("jettison_cover", chaser__rate_deg_s=[0.0, 0.0, 0.0])
    mass = result.scenario.vehicles["chaser"].mass_kg
    chaser, cover, _ = push_off(mass, 80.0, 4000.0, 0.08)
    # energy is right to 2e-5: the spring runs out inside a step of 5 ms
    assert result["chaser.cover.velocity_m_s"][-1] == pytest.approx([cover, 0.0, 0.0], rel=2e-5, abs=1e-15)
    assert result["chaser.velocity_m_s"][-1] == pytest.approx([chaser, 0.0, 0.0], rel=2e-5, abs=1e-15)


def test_cover_and_vehicle_part_and_both_keep_spinning() -> None:
    result = shipped("jettison_cover")
    t = result.time_s
    gap = np.linalg.norm(result["chaser.cover.position_m"] - result["chaser.position_m"], axis=1)
    np.testing.assert_allclose(gap[t <= 5.0], 4.05, rtol=1e-14)
    assert np.all(np.diff(gap[t >= 5.0]) > 0.0)
    assert gap[-1] > 12.0
    # both are symmetric about the spin axis, and the spring has no moment about it
    for body in ("chaser", "chaser.cover"):
        np.testing.assert_allclose(result[f"{body}.rate_deg_s"][:, 0], 2.0, rtol=1e-12)


def test_free_companion_in_the_gallery_touches_nothing() -> None:
    result = shipped("joint_gallery")
    name = "hub.free_companion"
    path = result[f"{name}.position_m"]
    straight = path[0] + np.outer(result.time_s, result[f"{name}.velocity_m_s"][0])
    # described relative to a tumbling hub, it still flies straight: rounding of 1e4 steps
    np.testing.assert_allclose(path, straight, rtol=0.0, atol=1e-12)
    h = result[f"{name}.rate_deg_s"] * [0.1, 0.15, 0.12]
    turned = np.einsum("nij,nj->ni", matrices(result[f"{name}.attitude"]), h)
    np.testing.assert_allclose(turned, np.broadcast_to(turned[0], turned.shape), rtol=0.0, atol=1e-12)


def test_gallery_flap_bounces_between_its_stops_and_the_probe_sticks() -> None:
    result = shipped("joint_gallery")
    flap = result["hub.revolute_flap.angle_deg"]
    # all its energy in a stop: rate times the square root of 3.5 kg m2 about the hinge over 500 N m/rad
    deepest = 40.0 * np.sqrt((1.0 + 10.0 * 0.5**2) / 500.0)
    assert 30.0 < flap.max() < 30.0 + deepest
    assert -30.0 - deepest < flap.min() < -30.0
    # the probe has come to rest within the presliding displacement, held by less than the Coulomb level
    last = result.time_s > 9.0
    probe = result["hub.prismatic_probe.travel_m"]
    assert np.ptp(probe[last]) < 1e-4
    assert 0.0 < np.abs(800.0 * probe[last]).max() < 3.0
    assert np.abs(probe).max() == probe[0] == 0.1


def test_body_released_from_a_locked_free_joint_flies_on_without_force_or_torque() -> None:
    hub = {"mass_kg": 300.0, "inertia_kg_m2": [60.0, 70.0, 80.0], "rate_deg_s": [3.0, -2.0, 10.0]}
    joint = {"type": "free", "offset_m": [2.0, 0.0, 0.5], "locked": True}
    pod = {"mass_kg": 40.0, "inertia_kg_m2": [3.0, 5.0, 6.0], "joint": joint}
    result = docksim.run(
        {
            "vehicles": {"hub": {**hub, "bodies": {"pod": pod}}},
            "solver": {"duration_s": 3.0, "step_s": 0.01},
            "outputs": {"every_s": 0.05},
            "events": {"let_go": {"when": {"time_s": 1.0}, "do": [{"release": "hub.pod"}]}},
        }
    )
    free = result.time_s >= 1.0
    assert np.linalg.norm(result["hub.pod.load_moment_Nm"][~free], axis=1).min() > 0.01
    assert not result["hub.pod.joint_torque_Nm"][free].any()
    assert not result["hub.pod.joint_force_N"][free].any()
    # rounding of 300 steps
    assert result.metrics["energy.residual_relative"] < 1e-13
