"""Control along a program: errors decay with the assigned poles; redundancy, determined and overdetermined programs."""

import numpy as np
import pytest

from docksim.chain.build import build_chain
from docksim.chain.motion.control import by_the_poles
from docksim.chain.motion.runs import program_control, run_program, start_state
from docksim.config import ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import LoadedTask
from docksim.config.schema.chain_conditions import Poles
from docksim.config.schema.chain_task import ChainTask
from docksim.config.tree import Place

ROD = {"mass_kg": 1.0, "center_of_mass_m": [-0.5, 0, 0], "inertia_kg_m2": [1e-3, 1 / 12, 1 / 12]}
ROW = {"type": "revolute", "alpha_deg": 0.0, "a_m": 1.0, "d_m": 0.0, **ROD}
THREE = {"gravity_m_s2": [0.0, -9.81, 0.0], "denavit_hartenberg": [ROW, ROW, ROW]}
START = {
    "link1": {"angle_deg": 20.0, "rate_deg_s": 10.0},
    "link2": {"angle_deg": 50.0},
    "link3": {"angle_deg": -30.0, "rate_deg_s": -20.0},
}
CIRCLE = {"center_m": [1.6, 0.8, 0.0], "normal": [0, 0, 1], "radius_m": 0.3, "period_s": 3.0}
TIP = {"type": "position", "name": "tip", "axes": ["x", "y"], "circle": CIRCLE}
JOINTS = [{"type": "joint", "name": f"j{k}", "link": f"link{k}", "angle_deg": 10.0 * k} for k in (1, 2, 3)]


def loaded(**keys):
    settings = {"duration_s": 3.0, "output_s": 0.05, "initial": START, "tolerance": 1e-10} | keys
    return LoadedTask(
        ChainTask(chain="chain.yaml", **settings), read_chain(THREE), "task.yaml", {(): Place("task.yaml", None)}
    )


def decayed(f, rate, time, poles):
    """The solution of f'' + G1 f' + G0 f = 0 by its characteristic values."""
    one, two = poles
    a = (rate - two * f)[None] / (one - two)
    b = f[None] - a
    return (a * np.exp(one * time)[:, None] + b * np.exp(two * time)[:, None]).real


PAIRS = {"real": ({"real_1_s": [-2.0, -5.0]}, (-2.0, -5.0))}
w, z = 2 * np.pi * 0.7, 0.4
PAIRS["swinging"] = (
    {"frequency_Hz": 0.7, "damping_ratio": 0.4},
    (-z * w + 1j * w * np.sqrt(1 - z * z), -z * w - 1j * w * np.sqrt(1 - z * z)),
)


@pytest.mark.parametrize(("poles", "values"), PAIRS.values(), ids=PAIRS)
@pytest.mark.parametrize("program", [[TIP], JOINTS], ids=["two of three", "three of three"])
def test_errors_decay_with_the_assigned_poles(program, poles, values):
    motion = run_program(loaded(program=program, poles=poles))
    expected = decayed(motion.f[0], motion.f_rate[0], motion.time_s, values)
    # f is not integrated itself: what is left is the integration's error of q, 1e-10 a step
    assert np.abs(motion.f[0]).max() > 0.1
    assert motion.f == pytest.approx(expected, abs=2e-8)
    # what the figure shows beside it is the same closed form
    assert motion.expected == pytest.approx(expected, abs=1e-13)


def test_every_row_decays_with_its_own_poles():
    """Two rows of one condition, one of another, and one that takes the task's."""
    pairs = [(-2.0, -5.0), (-1.0, -7.0), (-3.0, -4.0)]
    tip = TIP | {"poles": [{"real_1_s": list(pair)} for pair in pairs[:2]]}
    for program, expected_pairs in (
        ([tip, JOINTS[2]], pairs),
        ([TIP | {"poles": {"real_1_s": list(pairs[1])}}, JOINTS[2]], [pairs[1], pairs[1], pairs[2]]),
    ):
        keys = {"poles": {"real_1_s": list(pairs[2])}, "tolerance": 1e-12}
        motion = run_program(loaded(program=program, **keys))
        for row, pair in enumerate(expected_pairs):
            f, rate = motion.f[0, row : row + 1], motion.f_rate[0, row : row + 1]
            expected = decayed(f, rate, motion.time_s, pair)[:, 0]
            assert motion.f[:, row] == pytest.approx(expected, abs=1e-8)
            assert motion.expected[:, row] == pytest.approx(expected, abs=1e-13)


def test_poles_can_be_read_from_the_decay():
    motion = run_program(loaded(program=[TIP], poles={"real_1_s": [-3.0, -8.0]}, duration_s=4.0))
    late = motion.time_s > 1.5
    slope = np.polyfit(motion.time_s[late], np.log(np.abs(motion.f[late, 0])), 1)[0]
    # the faster pole's part is down to exp(-7.5) of the slower one's at 1.5 s
    assert slope == pytest.approx(-3.0, rel=2e-3)


def test_control_forces_make_the_motion_they_ask_for():
    task = loaded(program=[TIP])
    model = build_chain(task.chain)
    q, rates = start_state(task.task, model)
    control = program_control(task.task, model, q)
    from tests.oracle.chain_pinocchio import PinocchioChain

    command = control.at(0.3, q, rates)
    assert PinocchioChain(model).forward(q, rates, command.force) == pytest.approx(command.acceleration, abs=1e-10)
    value = command.value
    wanted = -(control.G1 * value.rate + control.G0 * value.f)
    assert value.gradient @ command.acceleration + value.drift == pytest.approx(wanted, abs=1e-12)


def test_redundancy_does_not_disturb_the_program():
    kinds = ({"type": "none"}, {"type": "damping"}, {"type": "posture", "posture": {"link1": {"angle_deg": -40.0}}})
    runs = [run_program(loaded(program=[TIP], redundancy=kind, duration_s=1.5)) for kind in kinds]
    assert runs[1].f == pytest.approx(runs[0].f, abs=2e-8)
    assert runs[2].f == pytest.approx(runs[0].f, abs=2e-8)
    # while the joints go different ways
    assert np.abs(runs[2].q[-1] - runs[1].q[-1]).max() > 0.1


def test_posture_is_reached_as_far_as_the_program_allows():
    hold = {"type": "position", "name": "tip", "axes": ["x", "y"], "at_m": [1.6, 0.8, 0.0]}
    posture = {"type": "posture", "frequency_Hz": 0.8, "posture": {"link1": {"angle_deg": 60.0}}}
    motion = run_program(loaded(program=[hold], redundancy=posture, duration_s=12.0, output_s=0.5))
    task = loaded(program=[hold])
    model = build_chain(task.chain)
    gradient = program_control(task.task, model, model.home).conditions(model, motion.q[-1], np.zeros(3), 0.0).gradient
    free = np.linalg.svd(gradient)[2][-1]
    # at rest the way to the posture has no part along the freedom that is left
    away = motion.q[-1] - np.array([np.radians(60.0), 0.0, 0.0])
    assert abs(free @ away) < 1e-6
    assert np.abs(motion.rates[-1]).max() < 1e-6


def test_without_v_the_joints_left_free_keep_drifting():
    hold = {"type": "position", "name": "tip", "axes": ["x", "y"], "at_m": [1.6, 0.8, 0.0]}
    drifting = run_program(loaded(program=[hold], redundancy={"type": "none"}, duration_s=6.0))
    damped = run_program(loaded(program=[hold], redundancy={"type": "damping"}, duration_s=6.0))
    assert np.abs(drifting.rates[-1]).max() > 100 * np.abs(damped.rates[-1]).max()


def test_too_many_conditions_settle_at_the_least_squared_error():
    place = {"type": "position", "name": "tip", "axes": ["x", "y"], "at_m": [1.0, 1.0, 0.0]}
    program = [place, *({**one, "angle_deg": 15.0} for one in JOINTS)]
    keys = {"program": program, "poles": {"real_1_s": [-3.0, -4.0]}, "duration_s": 12.0, "output_s": 0.5}
    task = loaded(**keys)
    motion = run_program(task)
    model = build_chain(task.chain)
    value = program_control(task.task, model, model.home).conditions(model, motion.q[-1], np.zeros(3), 0.0)
    assert np.abs(value.f).max() > 0.05
    # normal equations of the least squares that the pseudo-inverse solves, at rest
    assert value.gradient.T @ value.f == pytest.approx(np.zeros(3), abs=1e-6)


def test_masses_that_the_controller_does_not_know_show_as_errors():
    right = run_program(loaded(program=JOINTS, duration_s=4.0))
    wrong = run_program(loaded(program=JOINTS, duration_s=4.0, mass_error={"link3": 1.2}))
    assert np.abs(right.f[-1]).max() < 1e-7
    assert np.abs(wrong.f[-1]).max() > 1e-3


def test_double_poles_decay_as_the_limit_of_two_near_ones():
    time, f, rate = np.linspace(0.0, 2.0, 9), np.array([1.0, -0.3]), np.array([0.2, 4.0])
    G1, G0 = np.array([Poles(frequency_Hz=0.5, damping_ratio=1.0).gains()] * 2).T
    near = by_the_poles(G1 * (1 + 1e-9), G0, f, rate, time)
    # a change of the gains by 1e-9 moves the curves by as much, while the poles part by its root
    assert by_the_poles(G1, G0, f, rate, time) == pytest.approx(near, abs=1e-7)
    assert np.roots([1.0, G1[0], G0[0]]).real == pytest.approx([-np.pi, -np.pi], abs=1e-6)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "position", "circle": {**CIRCLE, "center_m": [1.6, 2.4, 0.0]}},
        {
            "type": "pose",
            "waypoints": [{"time_s": t, "position_m": [0.0, 1.5 * t, 0.0], "attitude": {}} for t in (0.0, 3.0)],
        },
    ],
    ids=["circle", "waypoints"],
)
def test_path_beyond_the_reach_of_the_links_is_refused_before_the_motion(part):
    with pytest.raises(
        ScenarioError, match=r"program\.0: at t = .* s it is .* m from the arm's first joint, .* reach 3 m"
    ):
        run_program(loaded(program=[part]))
