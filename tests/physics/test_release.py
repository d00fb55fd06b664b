"""Locks, drives, releases, jettison and push-off springs: impulses, energies and the motion that follows.

References: dense impulses on Pinocchio's matrices (dense_stack.py), Pinocchio's forward dynamics of the parts, and the
closed form of two masses on a spring. Bounds as in test_topology.py: momentum 1e-12 of the sum of the bodies' momenta,
everything solved densely 1e-10.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docksim
from docksim.kernel.loop import decide
from docksim.kernel.step import evaluate
from docksim.kernel.tree.passes import tree_motion
from docksim.model import W_DRIVES
from tests.oracle.oscillator import push_off
from tests.oracle.pinocchio_tree import PinocchioTree, random_state, random_tree
from tests.oracle.tree_description import JOINT_TYPES, SPEEDS, slices
from tests.physics import dense_stack
from tests.physics.tree_cases import Case, axis_keys, cut, entries, one_of_each, relative, start_scenario

BOUND = 1e-10
NOW = {"time_s": 0.0}
MOVABLE = [joint for joint in JOINT_TYPES if joint != "fixed"]
SEEDS = st.integers(0, 2**32 - 1)


def chain_scenario(seed):
    """A chain with every joint type, and the index of the body on each."""
    rng = np.random.default_rng(seed)
    bodies = one_of_each(rng)
    where = {body.joint: k for k, body in enumerate(bodies) if k > 0}
    return rng, bodies, where, start_scenario(bodies, *random_state(rng, bodies))


def fire(bodies, scenario, **actions):
    """All actions at once, in their order; the case before and after."""
    scenario["events"] = {name: {"when": NOW, "do": action} for name, action in actions.items()}
    before, after = Case.of(bodies, scenario), Case.of(bodies, scenario)
    tree_motion(*before.tables)
    decide(*after.tables)
    return before, after


def check_impulse(before, after, prescribed, rates):
    """Velocities, loss, momentum and work of an impulse that brings some speeds to given rates."""
    theta, beta = before.theta, before.beta
    none = np.zeros((0, len(beta)))
    expected, loss = dense_stack.jump(before.oracle.mass_matrix(theta), beta, none, prescribed, rates)
    state = after.compiled.state
    assert relative(after.beta, expected.x) < BOUND
    assert state.record[0].loss == pytest.approx(loss, rel=BOUND)
    # the two ways to write the change of kinetic energy, with the impulses T of the joints
    kinetic = before.kinetic()
    work = expected.held @ expected.x
    assert expected.held @ (beta + expected.x) / 2 == pytest.approx(work - loss, abs=BOUND * kinetic)
    assert after.kinetic() - kinetic == pytest.approx(work - loss, abs=BOUND * kinetic)
    assert state.work_done[W_DRIVES] == pytest.approx(work, abs=BOUND * kinetic)
    p, h = after.traffic()
    assert np.linalg.norm(state.record[0].dp) < 1e-12 * p
    assert np.linalg.norm(state.record[0].dh) < 1e-12 * h


@pytest.mark.parametrize("joint", MOVABLE)
@pytest.mark.parametrize("seed", range(4))
def test_locking_a_joint_is_the_dense_impulse_that_stops_it(seed, joint):
    _, bodies, where, scenario = chain_scenario(seed)
    k = where[joint]
    before, after = fire(bodies, scenario, brake={"lock": f"v0.b{k}"})
    stopped = np.zeros(len(before.beta), bool)
    stopped[slices(bodies, SPEEDS)[k]] = True
    check_impulse(before, after, stopped, 0.0 * before.beta)
    assert np.all(after.beta[stopped] == 0.0)


@pytest.mark.parametrize("joint", ["revolute", "prismatic", "cylindrical", "universal"])
@pytest.mark.parametrize("seed", range(4))
def test_a_drive_that_takes_over_is_the_dense_impulse_to_its_rate(seed, joint):
    rng, bodies, where, scenario = chain_scenario(seed)
    k = where[joint]
    coordinate = SPEEDS[joint] - 1
    turns = axis_keys(entries(scenario)[k]["joint"])[coordinate][1]
    rate = float(rng.normal())
    profile = {"kind": "rate", "rate_deg_s": float(np.degrees(rate))} if turns else {"kind": "rate", "rate_m_s": rate}
    drive = {"joint": f"v0.b{k}", "coordinate": coordinate, "profile": profile}
    before, after = fire(bodies, scenario, start={"drive": drive})
    driven = np.zeros(len(before.beta), bool)
    driven[slices(bodies, SPEEDS)[k].stop - 1] = True
    check_impulse(before, after, driven, np.where(driven, rate, 0.0))


@pytest.mark.parametrize("joint", MOVABLE)
def test_a_released_joint_moves_on_freely_from_rest(joint):
    _, bodies, where, scenario = chain_scenario(5)
    k = where[joint]
    own = entries(scenario)[k]["joint"]
    for axis in [axis for axis, _ in axis_keys(own)] or [own]:
        axis["locked"] = True
    before, after = fire(bodies, scenario, locked={"phase": "HELD"}, go={"release": f"v0.b{k}"})
    decide(*before.tables)
    # a release is no impulse: the same bits
    assert np.array_equal(after.motion()[0], before.motion()[0])
    assert np.all(after.beta[slices(bodies, SPEEDS)[k]] == 0.0)
    evaluate(*after.tables)
    expected = after.oracle.forward(after.theta, after.beta, 0.0 * after.beta)
    assert relative(after.work.dof["beta_dot"], expected) < BOUND


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=SEEDS, count=st.integers(2, 15))
def test_jettison_keeps_velocities_and_leaves_two_trees_that_move_as_pinocchio_says(seed, count):
    rng = np.random.default_rng(seed)
    bodies = random_tree(rng, count)
    k = int(rng.integers(1, count))
    scenario = start_scenario(bodies, *random_state(rng, bodies))
    before, after = fire(bodies, scenario, away={"jettison": {"body": f"v0.b{k}"}})
    # only the cut body's speeds are computed anew
    assert relative(after.motion()[0], before.motion()[0]) < 1e-13
    p, h = after.traffic()
    assert np.linalg.norm(after.compiled.state.record[0].dp) < 1e-12 * p
    assert np.linalg.norm(after.compiled.state.record[0].dh) < 1e-12 * h
    evaluate(*after.tables)
    theta, beta = after.full_state((k,))
    parts = PinocchioTree(cut(bodies, k))
    expected = parts.forward(theta, beta, 0.0 * beta)
    assert relative(after.motion()[1], parts.body_motion(theta, beta, expected)[1]) < BOUND


def cover_scenario(**joint):
    """A turning vehicle whose cover is jettisoned after half a second."""
    axis = {"type": "revolute", "axis": [0.0, 1.0, 0.0], "position_m": [1.0, 0.0, 0.5], **joint}
    cover = {"mass_kg": 40.0, "center_of_mass_m": [0.3, 0.0, 0.0], "inertia_kg_m2": [2.0, 3.0, 4.0], "joint": axis}
    vehicle = {"mass_kg": 500.0, "inertia_kg_m2": [300.0, 350.0, 400.0], "rate_deg_s": [2.0, 3.0, -1.0]}
    return {
        "vehicles": {"v": {**vehicle, "bodies": {"cover": cover}}},
        "solver": {"duration_s": 1.0},
        "outputs": {"every_s": 0.01},
        "events": {"away": {"when": {"time_s": 0.5}, "do": {"jettison": {"body": "v.cover"}}}},
    }


def test_energy_left_in_the_joint_of_a_jettisoned_body_is_booked_as_lost():
    spring = {"stiffness_Nm_rad": 80.0, "rest_deg": 60.0, "rotor_inertia_kg_m2": 1.5, "rate_deg_s": 20.0}
    result = docksim.run(cover_scenario(**spring))
    at = np.searchsorted(result.time_s, 0.5 - 1e-9)
    x = np.radians(result["v.cover.angle_deg"][at])
    # the joint's own rate is gone, but both bodies turn on as before; y is the joint's axis on both
    rate = np.radians(result["v.cover.rate_deg_s"][at, 1] - result["v.rate_deg_s"][at, 1])
    stored = 0.5 * 80.0 * (x - np.radians(60.0)) ** 2 + 0.5 * 1.5 * rate**2
    assert result.events[0].energy_loss_J == pytest.approx(stored, rel=1e-12)
    # rk4 at 1 ms and 1.4 rad/s: (1.4e-3)^4 of the energy, and rounding
    assert np.max(np.abs(result["energy.residual_J"])) < 1e-10 * result["energy.kinetic_J"][0]


def test_the_joint_of_a_jettisoned_body_stands_still():
    result = docksim.run(cover_scenario(torque_Nm=5.0, rate_deg_s=10.0))
    gone = result.time_s >= 0.5
    assert np.all(result["v.cover.angle_rate_deg_s"][gone] == 0.0)
    assert np.all(result["v.cover.torque_Nm"][gone] == 0.0)
    assert len(set(result["v.cover.angle_deg"][gone])) == 1


def test_a_drive_is_charged_with_the_work_against_spring_and_stop():
    joint = {"stiffness_Nm_rad": 80.0, "rest_deg": 5.0, "upper_deg": 20.0, "stop_stiffness_Nm_rad": 500.0}
    scenario = cover_scenario(**joint, drive={"kind": "move", "to_deg": 30.0, "duration_s": 0.8})
    result = docksim.run({**scenario, "events": {}})
    stored = 40.0 * (np.radians(25.0) ** 2 - np.radians(5.0) ** 2) + 250.0 * np.radians(10.0) ** 2
    assert result["energy.potential_J"][-1] - result["energy.potential_J"][0] == pytest.approx(stored, rel=1e-12)
    # rk4 is exact to 1e-10 in the smooth part; passing the stop's edge costs a third-order error of the step, once
    assert np.max(np.abs(result["energy.residual_J"])) < 1e-6 * stored


def push_off_scenario(aside=0.0, step=0.001):
    """Two bodies nose to nose at the same velocity, joined, and pushed apart; ports `aside` from the mass centres."""
    front = {"mass_kg": 300.0, "inertia_kg_m2": [90.0, 80.0, 70.0], "position_m": [3.0, 0.0, 0.0]}
    rear = {"mass_kg": 700.0, "inertia_kg_m2": [200.0, 250.0, 300.0]}
    front["ports"] = {"port": {"position_m": [-1.0, aside, 0.0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}}
    rear["ports"] = {"port": {"position_m": [2.0, aside, 0.0]}}
    for vehicle in (front, rear):
        vehicle["velocity_m_s"] = [0.02, 0.0, 0.0]
    ports = ["rear.port", "front.port"]
    spring = {"stiffness_N_m": 2000.0, "stroke_m": 0.1}
    return {
        "vehicles": {"front": front, "rear": rear},
        "solver": {"duration_s": 1.0, "step_s": step},
        "outputs": {"every_s": 0.01},
        "events": {
            "dock": {"when": NOW, "do": {"join": ports}},
            "part": {"when": {"time_s": 0.1}, "do": {"separate": {"ports": ports, "push_off": spring}}},
        },
    }


def test_push_off_agrees_with_two_masses_on_a_spring():
    result = docksim.run(push_off_scenario())
    v_rear, v_front, duration = push_off(700.0, 300.0, 2000.0, 0.1, 0.02)
    omega = 0.5 * np.pi / duration
    rear, front = (result[f"{name}.velocity_m_s"][:, 0] for name in ("rear", "front"))
    # while it pushes: separation speed u sin(omega t), to rk4's (omega h)^4 = 1e-8
    pushing = (result.time_s >= 0.1) & (result.time_s < 0.1 + duration)
    u = v_front - v_rear
    speed = u * np.sin(omega * (result.time_s[pushing] - 0.1))
    assert np.max(np.abs((front - rear)[pushing] - speed)) < 1e-8 * u
    # afterwards: the step in which the spring runs out is wrong by its kink, at most (omega h)^2 / 2 of the speed
    slack = 0.5 * (omega * 0.001) ** 2 * u
    after = result.time_s > 0.1 + duration + 0.001
    assert np.max(np.abs(front[after] - v_front)) < slack
    assert np.max(np.abs(rear[after] - v_rear)) < slack
    assert result.events[0].energy_loss_J < 1e-20


@pytest.mark.parametrize("aside", [0.0, 0.4])
def test_push_off_keeps_momentum_and_energy_also_beside_the_mass_centres(aside):
    result = docksim.run(push_off_scenario(aside))
    stored = 0.5 * 2000.0 * 0.1**2
    assert result["energy.work.push_off_release_J"][-1] == pytest.approx(stored, rel=1e-15)
    gained = result["energy.kinetic_J"][-1] - result["energy.kinetic_J"][0]
    # the kink again, twice: energy goes with the square of the speed, omega h = 3.1e-3
    assert gained == pytest.approx(stored, rel=2e-5)
    assert np.max(np.abs(result["energy.residual_J"])) < 2e-5 * stored
    for kind in ("linear", "angular"):
        residual = np.max(np.abs(result[f"momentum.{kind}_residual"]))
        assert residual <= 1e-12 * np.max(result[f"momentum.{kind}_traffic"])
    if aside:
        assert np.max(np.abs(result["front.rate_deg_s"][-1])) > 1.0
