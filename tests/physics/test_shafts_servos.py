"""Servos on the docking mechanism's shafts: analytic responses, and recursions written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.step import evaluate
from tests.physics.shaft_rigs import HUNT, MASS, STEWART, Run, mechanism, parallel, scenario

KP, KD = 900.0, 130.0


def servo(**keys: Any) -> dict[str, Any]:
    return {"servo": {"stiffness_N_m": KP, "damping_Ns_m": KD, **keys}}


# ---------------------------------------------------------------- continuous


def second_order(t: np.ndarray, mass: float, damping: float, stiffness: float) -> np.ndarray:
    """Unit step response of an underdamped oscillator from rest."""
    decay = 0.5 * damping / mass
    omega = np.sqrt(stiffness / mass - decay**2)
    return 1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))


@pytest.mark.parametrize("rotor", [0.0, 7.0])
def test_position_servo_answers_a_step_as_an_oscillator_does(rotor: float) -> None:
    run = Run(scenario(parallel({**servo(target_m=0.05), "rotor_mass_kg": rotor}), 2.0))
    # the damping acts on the error's rate, and a set-point that jumped has none
    expected = 0.05 * second_order(run["time_s"], MASS + 6.0 * rotor, 6.0 * KD, 6.0 * KP)
    # fourth order at a millisecond against 0.1 s
    assert np.max(np.abs(run["v.legs.6.travel_m"] - expected)) < 1e-11
    assert np.all(run["v.legs.6.command_m"] == 0.05)


def test_a_screw_reflects_its_rotor() -> None:
    screw = {"lead_mm": 20.0, "gear_ratio": 3.0, "rotor_inertia_kg_m2": 8e-6}
    run = Run(scenario(parallel({**servo(target_m=0.05), "screw": screw}), 1.0))
    reflected = 8e-6 * (2.0 * np.pi * 3.0 / 0.02) ** 2
    expected = 0.05 * second_order(run["time_s"], MASS + 6.0 * reflected, 6.0 * KD, 6.0 * KP)
    assert np.max(np.abs(run["v.legs.1.travel_m"] - expected)) < 1e-11


def test_rate_limited_set_point_moves_evenly_and_stops_at_its_target() -> None:
    # arrival at 0.2503 s, within a step: the last step is slower, and the servo feels that rate
    run = Run(scenario(parallel(servo(target_m=0.05006, rate_limit_m_s=0.2)), 1.0))
    t = run["time_s"]
    assert np.max(np.abs(run["v.legs.2.command_m"] - np.minimum(0.2 * t, 0.05006))) < 1e-14
    # while it moves, the error from the ramp starts as that of a mass thrown at the ramp's rate
    decay, moving = 3.0 * KD / MASS, t <= 0.25
    omega = np.sqrt(6.0 * KP / MASS - decay**2)
    error = 0.2 * np.exp(-decay * t) * np.sin(omega * t) / omega
    assert np.max(np.abs(run["v.legs.2.travel_m"] - (0.2 * t - error))[moving]) < 1e-11


def test_force_limit_holds_and_a_saturated_servo_pushes_evenly() -> None:
    run = Run(scenario(parallel({**servo(target_m=0.1), "force_limit_N": 12.0}), 0.3))
    force = run["v.legs.3.motor_force_N"]
    assert force.max() == 12.0
    saturated = np.cumprod(force == 12.0) == 1
    assert saturated.sum() > 100
    t = run["time_s"][saturated]
    assert np.max(np.abs(run["v.legs.3.travel_m"][saturated] - 0.5 * (72.0 / MASS) * t**2)) < 1e-13


def test_velocity_servo_approaches_its_rate_exponentially() -> None:
    loop = {"servo": {"mode": "velocity", "damping_Ns_m": KD, "target_rate_m_s": 0.03}}
    run = Run(scenario(parallel(loop), 1.0))
    expected = 0.03 * -np.expm1(-6.0 * KD / MASS * run["time_s"])
    assert np.max(np.abs(run["v.legs.4.travel_rate_m_s"] - expected)) < 1e-11
    # work of the motor is what the mass has, to fourth order: 1e-9 of 0.03 J
    work = run.all_legs("motor_work_J").sum(axis=1)
    assert np.max(np.abs(work - 0.5 * MASS * expected**2)) < 1e-10


@pytest.mark.parametrize("legs", [STEWART, HUNT], ids=["stroke", "crank"])
def test_mean_following_servos_are_the_projection_off_the_mean(legs: dict[str, Any]) -> None:
    unit = ("stiffness_N_m", "damping_Ns_m") if legs is STEWART else ("stiffness_Nm_rad", "damping_Nms_rad")
    loop = {"servo": {unit[0]: KP, unit[1]: KD, "follows": "mean"}}
    compiled = compile_scenario(load_scenario(scenario(mechanism(legs, loop), 1.0)))
    rng = np.random.default_rng(5)
    joint = compiled.model.joint[int(compiled.model.mechanism[0].joint)]
    compiled.state.q[int(joint.q) : int(joint.q) + 3] += rng.uniform(-0.02, 0.02, 3)
    compiled.state.beta[int(joint.v) : int(joint.v) + 6] = rng.normal(size=6)
    work = new_work(compiled.model, compiled.state)
    # sets the set-points on the target, zero, as the loop does before its first step
    compiled.state.shaft["command"] = 0.0
    evaluate(compiled.model, compiled.state, work)
    P = np.eye(6) - np.ones((6, 6)) / 6.0
    expected = -KP * P @ work.shaft["x"] - KD * P @ work.shaft["rate"]
    assert np.max(np.abs(work.shaft["motor"] - expected)) < 1e-11 * np.abs(expected).max()
    assert abs(work.shaft["motor"].sum()) < 1e-11 * np.abs(expected).max()


def test_mean_following_servos_leave_the_axial_motion_free_and_level_the_ring() -> None:
    run = Run(scenario(parallel(servo(follows="mean")), 3.0, 2e-3), (0.0, 0.1, 0.0, 0.05, 0.0, 0.0))
    x = run.all_legs("travel_m")
    tilt = np.ptp(x, axis=1)
    assert tilt.max() > 5e-3
    assert tilt[-1] < 1e-3 * tilt.max()
    # the mean goes on, but for what the tilt shortens: 6 mm of tilt over 1.2 m is 2e-5 of slope squared
    assert x[-1].mean() == pytest.approx(0.15, abs=1e-3)


# ---------------------------------------------------------------- sampled


def by_hand(x: np.ndarray, v: np.ndarray, every: int, delay: int, law: Any) -> np.ndarray:
    """Force at every step: measured every so many steps, acting one step (and the delay) later, held meanwhile."""
    held, queue, acting = 0.0, [0.0] * delay, np.zeros(len(x))
    for n in range(len(x)):
        acting[n] = held
        if n % every == 0:
            queue.append(law(n, x[n], v[n]))
            held = queue.pop(0)
    return acting


@pytest.mark.parametrize("delay", [0, 3])
@pytest.mark.parametrize("limit", [None, 8.0])
def test_sampled_servo_follows_the_recursion_written_by_hand(delay: int, limit: float | None) -> None:
    loop = servo(target_m=0.03, sample_s=0.005, delay_s=0.005 * delay, rate_limit_m_s=0.1)
    keys = {**loop, **({"force_limit_N": limit} if limit else {}), "stiffness_N_m": 20.0}
    run = Run(scenario(parallel(keys), 0.6))
    x, v, command = run["v.legs.5.travel_m"], run["v.legs.5.travel_rate_m_s"], [0.0, 0.0]

    def law(n: int, x: float, v: float) -> float:
        command[0] += 0.005 * command[1]
        command[1] = float(np.clip((0.03 - command[0]) / 0.005, -0.1, 0.1))
        return float(np.clip(KP * (command[0] - x) + KD * (command[1] - v), -(limit or np.inf), limit or np.inf))

    expected = by_hand(x, v, 5, delay, law)
    found = run["v.legs.5.motor_force_N"]
    assert found.max() > 7.0
    assert np.max(np.abs(found - expected)) < 1e-11


def admittance(**keys: Any) -> dict[str, Any]:
    law = {"mass_kg": 8.0, "damping_Ns_m": 40.0, "stiffness_N_m": 300.0, "dead_band_N": 2.0, **keys}
    return servo(sample_s=0.004, admittance=law)


@pytest.mark.parametrize("travel", [None, 0.008])
def test_admittance_follows_its_recursion_from_the_logged_ring_force(travel: float | None) -> None:
    limit = {} if travel is None else {"travel_limit_m": travel}
    couplings = {"sum": {"weights": [0.5, 1.0, -0.3, 0.2, 0.0, 0.1], "linear": {"rotor_mass_kg": 6.0}}}
    mounted = mechanism(STEWART, admittance(**limit), couplings)
    run = Run(scenario(mounted, 0.8, 1e-3, push=-60.0), (0.02, -0.03, 0.01, 0.05, 0.02, -0.01))
    # the leg's axis from base joint to ring joint, from positions alone: its loads have the direction of no mass
    compiled = run.compiled
    k = 2
    leg = compiled.model.leg[k]
    n = len(run["time_s"])
    force = run[f"v.legs.{k + 1}.ring_joint_force_N"]
    axis = ring_joint(run, leg.l_C) - leg.l_0
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    felt = -np.sum(force * axis, axis=1)
    x, v = run[f"v.legs.{k + 1}.travel_m"], run[f"v.legs.{k + 1}.travel_rate_m_s"]
    z, rate, bound, start = 0.0, 0.0, travel or np.inf, x[0]
    expected, held = np.zeros(n), 0.0
    for i in range(n):
        expected[i] = held
        if i % 4 == 0:
            pull = np.sign(felt[i]) * max(abs(felt[i]) - 2.0, 0.0)
            rate += 0.004 * (pull - 40.0 * rate - 300.0 * z) / 8.0
            z += 0.004 * rate
            if abs(z) > bound:
                z, rate = float(np.clip(z, -bound, bound)), 0.0
            held = KP * (start + z - x[i]) + KD * (rate - v[i])
    assert np.abs(expected).max() > 5.0
    # logged positions carry the direction to 1e-15
    assert np.max(np.abs(run[f"v.legs.{k + 1}.motor_force_N"] - expected)) < 1e-9
    yielded = np.abs(run[f"v.legs.{k + 1}.command_m"] - start).max()
    assert yielded > 0.003 if travel is None else yielded == pytest.approx(travel, rel=1e-12)


def test_servo_that_no_longer_gives_way_goes_on_from_where_it_was_pushed_to() -> None:
    """After 0.4 s the set-point is a plain one: from where it was it returns to its target at the rate limit."""
    law = admittance()
    law["servo"] |= {"target_m": 0.0, "rate_limit_m_s": 0.01}
    stiff = {"set": {"device": "v.legs", "servo": {"admittance": False}}}
    events = {"stiff": {"when": {"time_s": 0.4}, "do": [stiff]}}
    free = Run(scenario(mechanism(STEWART, law), 0.8, 1e-3, push=-60.0))
    run = Run(scenario(mechanism(STEWART, law), 0.8, 1e-3, push=-60.0, events=events))
    t, command = run["time_s"], run["v.legs.3.command_m"]
    before = t < 0.4 - 1e-9
    assert np.array_equal(command[before], free["v.legs.3.command_m"][before])
    at = int(np.flatnonzero(~before)[0])
    pushed = command[at]
    assert pushed < -0.002
    # sampled every 4 ms: from the sample after the event on it moves, and ends at the target
    ramp = np.minimum(pushed + 0.01 * (t[at:] - t[at]), 0.0)
    assert np.max(np.abs(command[at:] - ramp)) < 0.01 * 0.0081
    assert np.abs(free["v.legs.3.command_m"][at:] - ramp).max() > 0.001


def ring_joint(run: Run, l_C: np.ndarray) -> np.ndarray:
    """(rows, 3) of a point of the ring, from the ring's logged pose; the base stands in W."""
    return run["v.ring.position_m"] + rotation_matrix(run["v.ring.attitude"]) @ l_C


def test_admittance_of_a_crank_feels_the_torque_of_the_rod() -> None:
    """With massless links and a slow ring the crank's torque is the rod's axial force times its lever."""
    law = {"inertia_kg_m2": 0.8, "damping_Nms_rad": 4.0}
    loop = {"stiffness_Nm_rad": 200.0, "damping_Nms_rad": 30.0, "sample_s": 0.004, "admittance": law}
    massless = {key: value for key, value in HUNT.items() if key not in ("crank", "rod")}
    run = Run(scenario(mechanism(massless, {"servo": loop}), 0.4, 1e-3, push=-40.0))
    # without mass the crank is in balance: the ring's torque on it is that of its own devices, reversed
    felt = -run["v.legs.2.torque_Nm"]
    z, rate = 0.0, 0.0
    start = run["v.legs.2.angle_deg"][0]
    command = np.zeros(len(felt))
    for i in range(len(felt)):
        command[i] = np.degrees(z)
        if i % 4 == 0:
            rate += 0.004 * (felt[i] - 4.0 * rate) / 0.8
            z += 0.004 * rate
    assert np.abs(command).max() > 0.5
    assert np.max(np.abs(run["v.legs.2.command_deg"] - start - command)) < 1e-9
