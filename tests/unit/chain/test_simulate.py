"""Chains left to drives and loads: loads in four formulations, their work, the double pendulum by quadrature."""

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import quad

from docksim.chain.build import build_chain, load_chain
from docksim.chain.dynamics.formulations import METHODS, Dynamics
from docksim.chain.kinematics.links import kinematics
from docksim.chain.linear.constrained import linearize_held
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.loads import Loads
from docksim.chain.motion.plant import Plant
from docksim.chain.motion.runs import run_constrained, run_free, run_program
from docksim.config.schema.chain_conditions import PositionCondition
from docksim.config.schema.chain_loads import Load
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain
from tests.unit.chain.tasks import ROW, task_of

PENDULUM = {"gravity_m_s2": [0.0, -9.81, 0.0], "denavit_hartenberg": [ROW, ROW]}
LOADS = [
    {"link": "link2", "force_N": [2.0, 1.0, 0.0], "table": {"time_s": [0.3, 0.6, 1.1], "factor": [0.0, 1.0, -0.5]}},
    {"link": "link1", "point_m": [-0.3, 0.1, 0.0], "force_N": [0.0, 3.0, 0.0], "axes": "link"},
    {"link": "link2", "moment_Nm": [0.0, 0.0, 1.5], "sine": {"frequency_Hz": 1.3, "phase_deg": 30.0}},
]


def random_loads(rng, n):
    """Forces and moments on some links, on either kind of axes."""
    return [
        Load(
            link=f"link{k}",
            point_m=rng.normal(size=3).tolist(),
            force_N=rng.normal(size=3).tolist(),
            moment_Nm=rng.normal(size=3).tolist(),
            axes=axes,
        )
        for k, axes in zip(rng.integers(1, n + 1, 4), ("world", "link", "world", "link"), strict=True)
    ]


@pytest.mark.parametrize("branching", [0.0, 0.5])
def test_loads_in_all_formulations_are_those_of_pinocchio(branching):
    rng = np.random.default_rng(5)
    for n in (3, 8):
        chain = random_chain(rng, n, branching=branching)
        q, rates = rng.normal(size=(2, n))
        given = random_loads(rng, n)
        other = PinocchioChain(chain)
        R, _ = other.pose(q)
        outside = [pin.Force.Zero() for _ in range(other.model.njoints)]
        for load in given:
            k = chain.names.index(load.link)
            turn = R[k].T if load.axes == "world" else np.eye(3)
            force, moment = turn @ np.array(load.force_N), turn @ np.array(load.moment_Nm)
            outside[other.joint_of[k]] += pin.Force(force, moment + np.cross(load.point_m, force))
        wanted = pin.rnea(other.model, other.data, other._in(q), other._in(rates), np.zeros(n), outside)[other.order]
        loads, state = Loads(chain, given), kinematics(chain, q, rates)
        scale = np.abs(wanted).max()
        for method in METHODS:
            found = Dynamics(chain, method).bias(q, rates, loads.wrenches(0.0, state))
            assert found == pytest.approx(wanted, abs=1e-12 * scale), method
        # and by the Jacobians of the points
        by_points = other.bias(q, rates) - loads.generalised(0.0, state)
        assert by_points == pytest.approx(wanted, abs=1e-12 * scale)


def test_runs_by_the_four_methods_agree_after_ten_seconds():
    # damped, so that rounding does not grow; branches are in the test above
    rows = [{**ROW, "damping_Nms_rad": 0.6}, {**ROW, "damping_Nms_rad": 0.3}]
    chain = {"gravity_m_s2": [0.0, -0.4, 0.0], "denavit_hartenberg": rows}
    load = {"link": "link2", "force_N": [0.1, 0.05, 0.0], "axes": "link"}
    keys = {"duration_s": 10.0, "output_s": 5.0, "tolerance": 1e-11, "loads": [load]}
    ends = [run_free(task_of(chain, **keys), method=method).q[-1] for method in METHODS]
    for end in ends[1:]:
        assert end == pytest.approx(ends[0], abs=1e-9)
    assert np.abs(ends[0]).max() > 0.5


def test_energy_changes_by_the_work_of_loads_drives_and_dampers():
    rows = [{**ROW, "damping_Nms_rad": 0.2, "friction_Nm": 0.1}, {**ROW, "stiffness_Nm_rad": 3.0}]
    drives = {
        "link1": {"table": {"time_s": [0.2, 0.5], "torque_Nm": [0.0, 4.0]}},
        "link2": {"servo": {"angle_deg": 40, "rate_deg_s": 90, "stiffness_Nm_rad": 20.0, "damping_Nms_rad": 2.0}},
    }
    keys = {"duration_s": 0.8, "output_s": 0.05, "tolerance": 1e-11, "loads": LOADS, "drives": drives}
    motion = run_free(task_of({**PENDULUM, "denavit_hartenberg": rows}, **keys))
    # each of them does some work, and together they are what the energy changed by
    assert np.all(np.abs(motion.work_J).max(axis=0)[:3] > 0.1)
    assert np.abs(motion.residual_J).max() < 1e-8
    # a load that the program does not know of: the same budget
    hold = [{"type": "joint", "link": f"link{k}"} for k in (1, 2)]
    led = run_program(
        task_of(PENDULUM, duration_s=0.5, output_s=0.1, program=hold, loads=[{**LOADS[1], "known": False}])
    )
    assert np.abs(led.f[-1]).max() > 1e-3
    assert np.abs(led.residual_J).max() < 1e-8
    known = run_program(task_of(PENDULUM, duration_s=0.5, output_s=0.1, program=hold, loads=LOADS[1:2]))
    assert np.abs(known.f).max() < 1e-12


def test_double_pendulum_without_weight_is_its_quadrature():
    # angular momentum L and energy E are kept, so t is an integral over the second angle alone
    chain = {"denavit_hartenberg": [ROW, ROW]}
    start = {"link1": {"rate_deg_s": -30.0}, "link2": {"angle_deg": 20.0, "rate_deg_s": 100.0}}
    motion = run_free(task_of(chain, duration_s=2.0, output_s=0.5, tolerance=1e-11, initial=start))
    model = build_chain(task_of(chain, duration_s=1.0).chain)
    A = Dynamics(model).mass_matrix

    momentum = (A(motion.q[0]) @ motion.rates[0])[0]
    energy = 0.5 * motion.rates[0] @ A(motion.q[0]) @ motion.rates[0]

    def slowness(angle):
        a = A([0.0, angle])
        left = energy - 0.5 * momentum**2 / a[0, 0]
        return np.sqrt(0.5 * (a[1, 1] - a[0, 1] ** 2 / a[0, 0]) / left)

    for k in (1, 2, 4):
        assert np.all(motion.rates[: k + 1, 1] > 0.0)
        time = quad(slowness, motion.q[0, 1], motion.q[k, 1], epsabs=1e-12, epsrel=1e-12)[0]
        assert time == pytest.approx(motion.time_s[k], abs=1e-9)


def test_constraint_carries_the_load_that_pulls_at_it():
    # the tip is held: of the load at the tip nothing is left but the reaction against it
    tip = [{"type": "position", "name": "tip", "axes": ["x", "y"]}]
    keys = {"duration_s": 0.1, "output_s": 0.1, "initial": {"link2": {"angle_deg": 50.0}}, "constraint": tip}
    bare = run_constrained(task_of(PENDULUM, **keys))
    pulled = run_constrained(task_of(PENDULUM, loads=[{"link": "link2", "force_N": [7.0, -3.0, 0.0]}], **keys))
    assert pulled.reaction - bare.reaction == pytest.approx(np.broadcast_to([-7.0, 3.0], (2, 2)), abs=1e-10)


def test_linear_model_under_constraint_has_the_stiffness_of_its_loads():
    # differences of the constrained accelerations, with loads that stay and loads that turn
    chain = load_chain("configs/chains/planar_2r.yaml")
    q = np.array([-0.7, -0.9])
    given = [Load(link="link2", force_N=(40.0, 9.0, 0.0)), Load(link="link1", force_N=(0.0, 30.0, 0.0), axes="link")]
    conditions = build_conditions(chain, [PositionCondition(type="position", axes=["y"])], q)
    held = Constrained(chain, conditions, Plant(chain, Loads(chain, given)))
    free = linearize_held(held, q, np.zeros(2), "held")
    drive = np.array([free.operating_point[name] for name in free.inputs])
    assert held.at(0.0, q, np.zeros(2), drive).acceleration == pytest.approx(np.zeros(2), abs=1e-10)
    k = 0 if free.coordinates[0].startswith("link1") else 1
    h = 1e-5
    gradient = conditions(chain, q, np.zeros(2), 0.0).gradient[0]
    along = np.array([1.0, -gradient[0] / gradient[1]]) if k == 0 else np.array([-gradient[1] / gradient[0], 1.0])
    found = []
    for step in (h, -h):
        moved = held.place(0.0, q + step * along)
        moved = moved + (q + step * along - moved)[k] * along
        moved = held.place(0.0, moved)
        found.append((moved[k], held.at(0.0, moved, np.zeros(2), drive).acceleration[k]))
    slope = (found[0][1] - found[1][1]) / (found[0][0] - found[1][0])
    assert free.A[1, 0] == pytest.approx(slope, rel=1e-6)
    assert abs(Loads(chain, given).slope(0.0, q)).max() > 10.0
