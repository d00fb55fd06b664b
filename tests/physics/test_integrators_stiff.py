"""Stiff joints at 1 ms: rk4 diverges and says so; the linearly implicit method goes over into the locked joint."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import docksim
from docksim.kernel.basis.devices import friction_sticks
from tests.support.rigs import body, lone, rig, scenario, simulate, worst

AXIS_Y = [0.0, 1.0, 0.0]
MOTION = ("ship.attitude", "ship.position_m", "ship.rate_deg_s", "ship.boom.attitude", "ship.bob.rotation_deg")

JOINTS = {
    "revolute": lambda k: {"type": "revolute", "axis": AXIS_Y, "stiffness_Nm_rad": k},
    "damped": lambda k: {"type": "revolute", "axis": AXIS_Y, "stiffness_Nm_rad": k, "damping_Nms_rad": 0.01 * k},
    "prismatic": lambda k: {"type": "prismatic", "axis": AXIS_Y, "stiffness_N_m": k},
    "spherical": lambda k: {"type": "spherical", "stiffness_Nm_rad": [k, 2.0 * k, 0.5 * k]},
    "universal": lambda k: {
        "type": "universal",
        "axis": AXIS_Y,
        "axis_2": [1.0, 0.0, 1.0],
        "first": {"stiffness_Nm_rad": k},
        "second": {"stiffness_Nm_rad": 3.0 * k},
    },
}


def boom(joint):
    return body(2.0, [0.1, 0.6, 0.6], {"position_m": [1.0, 0.0, 0.0], **joint}, (0.8, 0.1, 0.2))


def ship(joint):
    """A tumbling ship with the joint in question between it and a boom, and a soft pendulum that feels it all."""
    soft = {"type": "spherical", "position_m": [0.0, -1.0, 0.0], "stiffness_Nm_rad": 4.0}
    soft["initial"] = {"rotation_vector_deg": [20.0, 10.0, 0.0]}
    bodies = {"boom": boom(joint), "bob": body(1.0, [0.1, 0.2, 0.3], soft, (0.0, -0.5, 0.0))}
    return {"ship": lone(10.0, [2.0, 3.0, 4.0], rate_deg_s=[40.0, -30.0, 60.0], bodies=bodies)}


def implicit(joint, duration=3.0):
    return simulate(ship(joint), duration, 1e-3, 0.05, integrator="linearly_implicit")


@pytest.mark.parametrize("kind", JOINTS)
def test_stiff_joint_goes_over_into_the_locked_one(kind):
    locked = implicit({"type": "fixed"})
    gaps = []
    for k in (1e9, 1e11):
        result = implicit(JOINTS[kind](k))
        gaps.append(max(worst(result[name], locked[name]) for name in MOTION))
    print(f"{kind}: distance from the locked motion {gaps[0]:.1e} at 1e9, {gaps[1]:.1e} at 1e11")
    # the spring gives way by load / k, some 1 N m / 1e9, in deg, and a hundred times less when a hundred times stiffer
    assert gaps[0] < 2e-6
    assert gaps[1] < 0.015 * gaps[0]


def test_torque_in_a_stiff_hinge_is_the_reaction_of_the_locked_one():
    lock = implicit({**JOINTS["revolute"](0.0), "locked": True})["ship.boom.torque_Nm"]
    gaps = []
    for step in (1e-3, 2.5e-4):
        run = simulate(ship(JOINTS["revolute"](1e9)), 3.0, step, 0.05, integrator="linearly_implicit")
        # the first row is the start, where the spring is not yet loaded
        gaps.append(worst(run["ship.boom.torque_Nm"][1:], lock[1:]))
    print(f"torque: up to {np.abs(lock).max():.2f} N m, differs by {gaps[0]:.1e} at 1 ms, {gaps[1]:.1e} at 0.25 ms")
    # the spring's force follows the load with an error between the first and second order in the step
    assert gaps[0] < 5e-4
    assert gaps[1] < gaps[0] / 4.0


def test_initial_swing_of_a_stiff_joint_is_gone_in_a_few_steps():
    """The method is L-stable: what it cannot resolve it forgets."""
    joint = {**JOINTS["revolute"](1e10), "angle_deg": 1.0}
    result = simulate(ship(joint), 0.02, 1e-3, integrator="linearly_implicit", coarse=True)
    angle = np.abs(result["ship.boom.angle_deg"])
    # amplification is 2.4 / (w h) at worst, w h = 1e2: a hundredfold less each step, down to load / k
    assert angle[5] < 1e-6
    assert np.all(angle[10:] < 1e-8)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler"])
def test_explicit_methods_diverge_and_name_body_time_and_phase(integrator):
    events = {"spin": {"when": {"time_s": 0.0}, "do": {"phase": "SPIN"}}}
    keys = scenario(rig({"boom": boom({**JOINTS["revolute"](1e8), "angle_deg": 1.0})}), 1.0, events=events)
    keys["solver"]["integrator"] = integrator
    result = docksim.run(keys)
    assert result.outcome == "diverged"
    found = re.search(r"t = ([0-9.e-]+) s \(step (\d+)\), body 'rig\.boom', phase SPIN", result.reason)
    assert found, result.reason
    assert float(found[1]) == pytest.approx(1e-3 * int(found[2]))
    assert "linearly_implicit" in result.reason
    # rows up to there are kept, and none of them is nonsense
    assert len(result.time_s) > 2
    assert all(np.all(np.isfinite(channel.data)) for channel in result.channels.values())
    # the same at a step that resolves the swing runs; implicitly it goes on, forgets the swing and says so
    keys["solver"].update(step_s=2e-5, duration_s=0.1)
    keys["outputs"]["every_s"] = 1e-3
    assert docksim.run(keys).outcome == "completed"
    keys["solver"].update(step_s=1e-3, integrator="linearly_implicit")
    assert docksim.run(keys).outcome == "inaccurate"


def test_divergence_of_a_free_ship_is_reported_with_finite_rows_and_metrics():
    result = docksim.run(scenario(ship(JOINTS["revolute"](1e8)), 1.0))
    assert result.outcome == "diverged"
    assert re.search(r"non-finite state at t = 0\.\d+ s \(step \d+\), body 'ship", result.reason)
    assert all(np.all(np.isfinite(channel.data)) for channel in result.channels.values())
    assert all(np.isfinite(value) for value in result.metrics.values())


# friction whose bristle is far too stiff for the step: sqrt(f / (presliding m)) h = 10 to 100


def slide(presliding, duration=1.0, coarse=False, **keys):
    """1 kg on a slide with 100 N of friction."""
    joint = {"type": "prismatic", "axis": AXIS_Y, "friction_N": 100.0, "presliding_m": presliding, **keys}
    vehicles = rig({"mass": body(1.0, 1.0, joint)})
    return simulate(vehicles, duration, 1e-3, integrator="linearly_implicit", coarse=coarse)


@pytest.mark.parametrize("presliding", [1e-6, 1e-8])
@pytest.mark.parametrize("push", [0.0, -30.0, -99.0])
def test_stiff_friction_stops_a_sliding_body_where_it_should_and_holds_it(presliding, push):
    v0 = 10.0
    result = slide(presliding, force_N=push, velocity_m_s=v0)
    x = result["rig.mass.travel_m"]
    path, stop = v0**2 / (2.0 * (100.0 - push)), round(1e3 * v0 / (100.0 - push))
    # the bristle is relaxed at the start, so the first step lacks half of its friction, which is worth a path h v0 / 2
    assert abs(x[-1] - path) < 0.6e-3 * v0
    # at rest to the last digit: no tremble, no creep
    assert np.ptp(x[stop + 50 :]) < 1e-12
    assert np.abs(result["rig.mass.travel_rate_m_s"][stop + 50 :]).max() < 1e-9


@pytest.mark.parametrize("presliding", [1e-6, 1e-8])
def test_stiff_friction_holds_a_load_below_its_level_and_lets_go_above(presliding):
    # nothing moves but the bristle, and the step is too long for its swing
    held = slide(presliding, coarse=True, force_N=99.0)["rig.mass.travel_m"]
    # a bristle stretched by 99 % after a slip of less than one stretch at the sudden start
    assert 0.99 * presliding - 1e-15 < held[-1] < 2.0 * presliding
    assert np.ptp(held[50:]) < 1e-15
    for push, velocity in ((101.0, 0.0), (-101.0, 10.0)):
        result = slide(presliding, force_N=push, velocity_m_s=velocity)
        # once it slides, the difference accelerates it
        v = result["rig.mass.travel_rate_m_s"]
        assert v[-1] - v[-101] == pytest.approx(0.1 * np.sign(push), rel=1e-9)


def test_stiff_friction_hinge_brings_two_free_bodies_to_a_common_rate():
    joint = {"type": "revolute", "axis": AXIS_Y, "friction_Nm": 2.0, "presliding_deg": 1e-5, "rate_deg_s": 90.0}
    vehicles = {"ship": lone(4.0, 2.0, bodies={"flap": body(1.0, 0.5, joint)})}
    result = simulate(vehicles, 2.0, 1e-3, integrator="linearly_implicit")
    # momentum: 0.5 * 90 / 2.5 deg/s, to rounding
    assert worst(result["ship.rate_deg_s"][-1], [0.0, 18.0, 0.0]) < 1e-10
    assert worst(result["ship.flap.rate_deg_s"][-1], [0.0, 18.0, 0.0]) < 1e-10
    path = 0.4 * np.deg2rad(90.0) ** 2 / (2.0 * 2.0)
    # half of the first step's friction is missing, as above
    assert abs(np.deg2rad(result["ship.flap.angle_deg"][-1]) - path) < 0.6e-3 * np.deg2rad(90.0)


def test_friction_sticks_if_its_whole_level_can_stop_the_joint_within_the_step():
    """What the rate is at the end of the step, with friction at its level against the motion, decides."""
    rng = np.random.default_rng(5)
    decide = getattr(friction_sticks, "py_func", friction_sticks)
    mass, level, presliding, h = 2.0, 100.0, 1e-6, 1e-3
    found = []
    for _ in range(400):
        # bristles within and at their limit, loads and rates about what friction can stop
        s = float(rng.choice([-1.0, 1.0, *rng.uniform(-1.0, 1.0, 6)]))
        load, rate = rng.uniform(-1.5, 1.5) * level, rng.uniform(-3.0, 3.0) * h * level / mass
        dof = SimpleNamespace(beta_dot=(load - level * s) / mass, D_inv=1.0 / mass)
        braked, pushed = (rate + h * (load + f) / mass for f in (-level, level))
        forward = (rate >= 0.0 or s == 1.0) and braked > 0.0
        backward = (rate <= 0.0 or s == -1.0) and pushed < 0.0
        found.append(decide(level, presliding, s * presliding, dof, rate, h))
        assert found[-1] == (not forward and not backward)
    assert 100 < sum(found) < 300
