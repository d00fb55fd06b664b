"""What the shipped scenarios of smooth motion claim: closed forms, prescribed motion, momentum that changes hands."""

import numpy as np
import pytest

from tests.oracle.free_body import AsymmetricBody, NescBrick
from tests.oracle.orbit import cw_propagate, libration, mean_motion
from tests.support.shipped import at, changed, matrices, on_world_axes, shipped


def test_brick_ends_at_the_rates_of_the_check_case() -> None:
    final = shipped("tumbling_brick")["brick.rate_deg_s"][-1]
    # the reference is given to ten decimals
    np.testing.assert_allclose(final, NescBrick.final_rate_deg_s, rtol=0.0, atol=1e-10)


def test_brick_follows_the_elliptic_solution_in_rates_and_attitude() -> None:
    result = shipped("tumbling_brick")
    body = AsymmetricBody(NescBrick.inertia_kg_m2, np.radians(NescBrick.rate_deg_s))
    rates = np.degrees([body.omega(t) for t in result.time_s])
    axes = np.array([body.attitude(t) for t in result.time_s])
    # order 4 at 1 ms and 0.65 rad/s: (6.5e-4)^4 is 2e-13 a step's angle; rounding of 3e4 steps is as large
    np.testing.assert_allclose(result["brick.rate_deg_s"], rates, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(matrices(result["brick.attitude"]), axes, rtol=0.0, atol=1e-12)


def test_station_turns_by_the_elliptic_solution_about_its_principal_axes() -> None:
    result = shipped("iss_free_rotation")
    station = result.scenario.vehicles["station"]
    moments, E = np.linalg.eigh(np.array(station.inertia_kg_m2.matrix()))
    E[:, 0] *= np.linalg.det(E)
    body = AsymmetricBody(moments, E.T @ np.radians(station.rate_deg_s), E)
    # the run is longer than a period of the rates, so they have been everywhere
    assert body.period() < result.time_s[-1]
    rates = np.degrees([E @ body.omega(t) for t in result.time_s])
    axes = np.array([body.attitude(t) @ E.T for t in result.time_s])
    # slow: truncation at 0.05 s and 0.0065 rad/s is nothing, rounding of 36000 steps is what remains
    np.testing.assert_allclose(result["station.rate_deg_s"], rates, rtol=0.0, atol=1e-13)
    np.testing.assert_allclose(matrices(result["station.attitude"]), axes, rtol=0.0, atol=1e-12)


def test_station_mass_centre_moves_straight_while_its_origin_circles() -> None:
    result = shipped("iss_free_rotation")
    station = result.scenario.vehicles["station"]
    c = np.array(station.center_of_mass_m)
    path = result["station.position_m"] + on_world_axes(result, "station", c)
    start = np.cross(np.radians(station.rate_deg_s), c)
    # 45 m of way
    np.testing.assert_allclose(path, c + np.outer(result.time_s, start), rtol=0.0, atol=1e-11)
    assert np.ptp(result["station.position_m"] - np.outer(result.time_s, start), axis=0).max() > 1.0


def test_orbit_drift_is_the_clohessy_wiltshire_solution() -> None:
    result = shipped("orbit_drift")
    n = mean_motion(420.0)
    path = [cw_propagate(n, [10.0, -50.0, 0.0], np.zeros(3), t)[0] for t in result.time_s]
    # 400 m of way, rounding of 1e4 steps
    np.testing.assert_allclose(result["chaser.position_m"], path, rtol=0.0, atol=1e-9)
    # after one revolution (the run stops 8 s short of it) the drift is 12 pi times the height
    assert result["chaser.position_m"][-1, 1] == pytest.approx(-50.0 - 120.0 * np.pi, abs=0.05)
    assert not result["station.position_m"].any()


def test_orbit_drift_librates_as_the_gravity_gradient_says() -> None:
    result = shipped("orbit_drift")
    chaser = result.scenario.vehicles["chaser"]
    inertia = np.array(chaser.inertia_kg_m2.matrix())
    q0 = np.array(chaser.attitude.quaternion_wxyz())
    q, rate = libration(inertia, mean_motion(420.0), q0, np.zeros(3), result.time_s)
    # the reference integrates to 1e-12 a step
    np.testing.assert_allclose(matrices(result["chaser.attitude"]), matrices(q), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(result["chaser.rate_deg_s"], np.degrees(rate), rtol=0.0, atol=1e-10)


def test_slew_ends_at_its_target_and_the_arrays_ring_on() -> None:
    result = shipped("array_slew")
    final = matrices(result["satellite.attitude"])[-1]
    angle = np.degrees(np.arctan2(final[2, 1], final[1, 1]))
    # 45 s after the slew, at 0.4 rad/s and 0.7 of critical: e^-12 of the overshoot of a degree
    assert angle == pytest.approx(30.0, abs=1e-4)
    bending = np.linalg.norm(result["satellite.array_right.1.rotation_deg"], axis=1)
    after = bending[result.time_s > 40.0]
    assert bending.max() > 0.01
    assert after.max() > 1e-6
    # about the slew axis the two arrays bend as mirror images
    left = np.linalg.norm(result["satellite.array_left.1.rotation_deg"], axis=1)
    np.testing.assert_allclose(left, bending, rtol=0.0, atol=1e-9)


def test_arm_follows_its_drives_exactly() -> None:
    result = shipped("free_flying_arm")
    t = result.time_s
    # a driven coordinate is the drive, evaluated; conversion between degrees and radians rounds
    sine = 15.0 * np.sin(2.0 * np.pi * 0.05 * t)
    np.testing.assert_allclose(result["servicer.shoulder.angle_deg"], sine, rtol=0.0, atol=1e-13)
    x = np.clip(t / 15.0, 0.0, 1.0)
    move = -40.0 + 60.0 * (10.0 * x**3 - 15.0 * x**4 + 6.0 * x**5)
    np.testing.assert_allclose(result["servicer.upper_arm.angle_deg"], move, rtol=0.0, atol=1e-12)
    knots = [at(result, time) for time in (0.0, 5.0, 10.0, 15.0, 20.0, 40.0)]
    angles = result["servicer.forearm.angle_deg"][knots]
    np.testing.assert_allclose(angles, [80.0, 70.0, 45.0, 30.0, 30.0, 30.0], rtol=0.0, atol=1e-12)


def test_arm_wrist_is_free_then_braked_then_driven() -> None:
    result = shipped("free_flying_arm")
    t, angle = result.time_s, result["servicer.wrist.angle_deg"]
    rate = result["servicer.wrist.angle_rate_deg_s"]
    braked = (t >= 20.0) & (t < 25.0)
    assert np.ptp(angle[t < 20.0]) > 5.0
    assert np.ptp(angle[braked]) == 0.0
    assert not rate[braked].any()
    # braking a moving wrist costs energy, taking over a resting one costs none
    brake, drive = result.events
    assert brake.energy_loss_J > 1e-4
    assert drive.energy_loss_J < 1e-20
    assert not angle[t >= 33.0].any()


def test_arm_moves_its_base_and_the_mass_centre_of_all_goes_straight() -> None:
    result = shipped("free_flying_arm")
    momentum = result["momentum.linear_kg_m_s"]
    scale = result["momentum.linear_traffic"].max()
    # nothing outside acts: rounding of 2e4 steps
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-12 * scale)
    assert np.linalg.norm(result["servicer.position_m"][-1]) > 0.1
    assert result.metrics["servicer.rate_deg_s.peak"] > 0.1


def test_servicer_takes_hold_of_a_tumbling_satellite_and_brings_it_to_rest() -> None:
    result = shipped("tumbling_capture")
    times = {event.name: event.time_s for event in result.events}
    # the hand is there at the end of its path, not later
    assert times["grapple"] == pytest.approx(times["reach"] + 35.0, abs=1e-9)
    at = int(np.searchsorted(result.time_s, times["grapple"])) - 1
    assert np.linalg.norm(result["servicer.reach.hand_error_m"][at]) < 1e-3
    assert np.linalg.norm(result["satellite.rate_deg_s"][at]) == pytest.approx(np.sqrt(0.61), rel=1e-6)
    # a soft grip: what the impact takes is nothing beside the energy of the tumble
    assert result.events[1].energy_loss_J < 1e-3
    for vehicle in ("satellite", "servicer"):
        assert np.linalg.norm(result[f"{vehicle}.rate_deg_s"][-1]) < 0.03
    joints = [name for name in result if name.startswith("servicer.") and name.endswith(".motor_torque_Nm")]
    assert len(joints) == 7
    assert 10.0 < max(np.abs(result[name]).max() for name in joints) < 1200.0


def test_wheels_take_up_the_momentum_that_body_and_loads_bring() -> None:
    result = shipped("wheel_hold")
    h = result["momentum.angular_kg_m2_s"]
    torque_y = 0.002 * 120.0
    speeds = [np.radians(result[f"satellite.wheel_{axis}.angle_rate_deg_s"]) for axis in "xyz"]
    body = on_world_axes(result, "satellite", np.radians(result["satellite.rate_deg_s"]))
    inertia = np.array(result.scenario.vehicles["satellite"].inertia_kg_m2.matrix())[0, 0]
    # bus and wheels, each wheel with 0.04 kg m2 across its axis, along which the relative spin counts in full
    turned = on_world_axes(result, "satellite", 0.08 * np.column_stack(speeds))
    across = inertia + 0.08 + 2 * 0.04
    np.testing.assert_allclose(turned + across * body, h, rtol=0.0, atol=1e-9 * np.abs(h).max())
    # the disturbance is on body axes, which are at most 2 deg off
    np.testing.assert_allclose(h[-1] - h[0], [0.5, torque_y, 0.25], atol=0.04)
    # at the end the wheels have nearly all of it, and the vehicle stands still at its target
    assert np.linalg.norm(across * body[-1]) < 0.02 * np.linalg.norm(h[-1])
    assert np.degrees(2.0 * np.arccos(result["satellite.attitude"][-1, 0])) < 0.1


def test_thruster_couple_starts_and_stops_the_turn() -> None:
    result = shipped("thruster_pulses")
    h, p = result["momentum.angular_kg_m2_s"], result["momentum.linear_kg_m_s"]
    # 130 N at 2.5 m on both sides for 0.75 s, about an axis that does not move meanwhile
    coast = at(result, 9.0)
    np.testing.assert_allclose(h[coast], [0.0, 2 * 130.0 * 2.5 * 0.75, 0.0], atol=1e-9)
    np.testing.assert_allclose(p[coast], 0.0, atol=1e-9)
    # 260 N for 1 s, while the vehicle turns by 0.86 deg: the mean of a chord is 1 - angle^2 / 24
    assert np.linalg.norm(p[-1]) == pytest.approx(260.0 * (1.0 - np.radians(0.86) ** 2 / 24.0), rel=1e-5)
    assert result["chaser.rate_deg_s"][coast, 1] > 0.8
    assert np.linalg.norm(result["chaser.rate_deg_s"][-1]) < 0.01
    phases = result.channel("phase").labels
    assert phases[result["phase"][-1]] == "COASTING"


def test_slosh_and_boom_get_the_impulse_of_the_thrusters() -> None:
    result = shipped("boom_and_slosh")
    p = result["momentum.linear_kg_m_s"]
    # 400 N for 3 s along a body axis that turns by a few degrees; what is across is first order in that angle
    assert p[at(result, 4.0), 0] == pytest.approx(1200.0, rel=1e-3)
    assert np.linalg.norm(p[-1]) == pytest.approx(400.0 * 3.5, rel=5e-3)
    # thrust pushes the vehicle against the pendulum, which falls back and swings; the gimbal rings down
    swing = np.linalg.norm(result["satellite.slosh.rotation_deg"], axis=1)
    assert swing.max() > 20.0
    dish = result["satellite.dish.first.angle_deg"]
    assert np.abs(dish[result.time_s > 15.0]).max() < 0.2 * abs(dish[0])


def test_slosh_needs_the_implicit_integrator_at_this_step() -> None:
    result = changed("boom_and_slosh", solver__integrator="rk4")
    assert result.outcome == "diverged"
    assert "linearly_implicit" in result.reason
