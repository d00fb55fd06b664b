"""Constrained motion: reactions against an independent formulation, no drift in a long run, clear refusals."""

from pathlib import Path

import numpy as np
import pytest

from docksim.chain import load_chain
from docksim.chain.build import build_chain
from docksim.chain.kinematics.links import kinematics
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained, Infeasible
from docksim.chain.motion.runs import run_constrained
from docksim.chain.sections.reactions import reaction_wrenches
from docksim.config import ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import LoadedTask, load_task
from docksim.config.schema.chain_conditions import (
    ClosureCondition,
    CouplingCondition,
    DistanceCondition,
    PoseCondition,
    PositionCondition,
)
from docksim.config.schema.chain_task import ChainTask
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain

ROOT = Path(__file__).resolve().parents[3]


def task(chain, **keys):
    """A task on a chain in a file or dict."""
    return LoadedTask(ChainTask(chain="chain.yaml", **keys), read_chain(chain), "task.yaml", {})


ROD = {"mass_kg": 1.0, "center_of_mass_m": [-0.5, 0, 0], "inertia_kg_m2": [1e-3, 1 / 12, 1 / 12]}
ROW = {"type": "revolute", "alpha_deg": 0.0, "a_m": 1.0, "d_m": 0.0, **ROD}
THREE = {"denavit_hartenberg": [ROW, ROW, ROW]}


@pytest.mark.parametrize(
    "part",
    [
        PositionCondition(type="position", axes=["x", "z"]),
        PoseCondition(type="pose"),
        DistanceCondition(type="distance", from_m=(1.0, 2.0, 0.5)),
        CouplingCondition(type="coupling", ratios={"link1": 1.0, "link5": -2.0}),
        ClosureCondition(type="closure", kind="hinge", link_a="link7", link_b="link1", axis=(0.2, 1.0, 0.4)),
        ClosureCondition(type="closure", kind="rod", link_a="link6", link_b="link2", point_b_m=(0.3, 0.2, 0.1)),
    ],
    ids=lambda part: getattr(part, "kind", part.type),
)
def test_reactions_solve_the_saddle_point_equations_of_another_formulation(part):
    # Pinocchio's A and b, gradient and drift of the constraint by differences of f alone
    rng = np.random.default_rng(11)
    chain = random_chain(rng, 7, branching=0.0)
    q, rates, Q = rng.normal(size=(3, 7))
    conditions = build_conditions(chain, [part], q)
    held = Constrained(chain, conditions)
    rates = held.rates(0.0, q, rates)
    found = held.at(0.0, q, rates, Q)

    def f(x):
        return conditions(chain, x, np.zeros(7), 0.0).f

    h = 1e-4
    G = np.array([(f(q + h * e) - f(q - h * e)) / (2 * h) for e in np.eye(7)]).T
    drift = (f(q + h * rates) - 2 * f(q) + f(q - h * rates)) / h**2
    other = PinocchioChain(chain)
    m = len(G)
    saddle = np.block([[other.mass_matrix(q), -G.T], [G, np.zeros((m, m))]])
    solution = np.linalg.solve(saddle, np.concatenate([Q - other.bias(q, rates), -drift]))
    # differences leave some 1e-7 in gradient and drift; reactions are of order ten to hundred
    scale = np.abs(solution).max()
    assert found.acceleration == pytest.approx(solution[:7], abs=1e-5 * scale)
    assert found.reaction == pytest.approx(solution[7:], abs=1e-5 * scale)
    assert found.joint_reaction == pytest.approx(G.T @ solution[7:], abs=1e-5 * scale)


def test_residual_is_rounding_and_energy_is_kept_after_a_thousand_seconds():
    start = {"link1": {"angle_deg": 20.0, "rate_deg_s": 2.0}, "link2": {"angle_deg": 50.0}}
    start["link3"] = {"angle_deg": 30.0}
    long = task(
        THREE,
        duration_s=1000.0,
        output_s=5.0,
        initial=start,
        constraint=[{"type": "distance", "from_m": [1.0, 2.5, 0.0]}],
    )
    motion = run_constrained(long)
    assert motion.outcome == "completed"
    assert motion.time_s[-1] == 1000.0
    # the arm swings to and fro over half a turn, many times; the rod's length is 1.9 m, so 1e-15 m is its last digit
    assert np.ptp(motion.q, axis=0).max() > 3.0
    assert np.sum(np.diff(np.sign(motion.rates[:, 1])) != 0) >= 8
    assert np.abs(motion.f).max() < 4e-15
    assert np.abs(motion.f_rate).max() < 4e-15
    # no force does work; tolerance 1e-9 a step, some thousand steps
    kept = np.abs(motion.energy_J - motion.energy_J[0]).max() / motion.energy_J[0]
    assert kept < 1e-6


def test_without_projection_the_same_run_drifts(monkeypatch):
    # the check above can fail: integrating the accelerations alone leaves the constraint
    monkeypatch.setattr(Constrained, "project", lambda self, t, q, rates: (q, rates))
    start = {"link1": {"angle_deg": 20.0, "rate_deg_s": 40.0}, "link2": {"angle_deg": 50.0}}
    one = [{"type": "distance", "from_m": [1.0, 2.5, 0.0]}]
    motion = run_constrained(task(THREE, duration_s=8.0, output_s=1.0, initial=start, constraint=one))
    assert np.abs(motion.f).max() > 1e-12


def test_pendulum_on_a_rod_is_the_pendulum_of_that_length():
    # a massless arm cannot be; a heavy tip on a light arm whose tip the rod holds: the rod carries weight and turning
    chain = load_chain("configs/chains/planar_2r.yaml")
    fixed = [PositionCondition(type="position", axes=["x", "y"])]
    held = Constrained(chain, build_conditions(chain, fixed, np.array([-1.0, -0.8])))
    found = held.at(0.0, np.array([-1.0, -0.8]), np.zeros(2), np.zeros(2))
    # statics: both coordinates are held, nothing moves, and the virtual work of weight and reactions is zero
    assert found.acceleration == pytest.approx(np.zeros(2), abs=1e-12)
    assert found.joint_reaction == pytest.approx(PinocchioChain(chain).bias(np.array([-1.0, -0.8]), np.zeros(2)))


def test_moving_constraint_carries_the_chain_along():
    circle = {"center_m": [1.5, 0.5, 0.0], "normal": [0, 0, 1], "radius_m": 0.4, "period_s": 4.0, "start": [1, 0, 0]}
    keys = {"type": "position", "axes": ["x", "y"], "circle": circle}
    start = {"link1": {"angle_deg": -30.0}, "link2": {"angle_deg": 60.0}, "link3": {"angle_deg": 30.0}}
    motion = run_constrained(task(THREE, duration_s=4.0, output_s=0.1, initial=start, constraint=[keys]))
    w = 2 * np.pi / 4.0
    expected = np.array([1.5, 0.5]) + 0.4 * np.stack([np.cos(w * motion.time_s), np.sin(w * motion.time_s)], 1)
    assert motion.tool_m[:, :2] == pytest.approx(expected, abs=1e-14)
    assert any("start moved" in note for note in motion.notes)


def test_out_of_reach_is_refused_with_what_is_left():
    far = [{"type": "position", "name": "tip", "axes": ["x", "y"], "at_m": [4.0, 0.0, 0.0]}]
    start = {"link2": {"angle_deg": 40.0}}
    with pytest.raises(Infeasible, match=r"cannot be met at t = 0 s.*tip.x 1(\.\d+)? m"):
        run_constrained(task(THREE, duration_s=1.0, initial=start, constraint=far))


def test_rows_that_no_joint_influences_are_named():
    tip = [{"type": "position", "name": "tip"}]
    bent = task(THREE, duration_s=1.0, initial={"link2": {"angle_deg": 40.0}}, constraint=tip)
    with pytest.raises(Infeasible, match=r"no joint can influence tip\.z here"):
        run_constrained(bent)


def test_constraints_that_say_the_same_are_named():
    twice = [
        {"type": "joint", "name": "a", "link": "link2"},
        {"type": "coupling", "name": "b", "ratios": {"link2": 2.0}},
    ]
    with pytest.raises(Infeasible, match="the constraints a, b are not independent"):
        run_constrained(task(THREE, duration_s=1.0, constraint=twice))


def test_more_constraints_than_joints_are_refused():
    joints = [{"type": "joint", "link": f"link{k}"} for k in (1, 2, 3)]
    extra = [{"type": "coupling", "ratios": {"link1": 1.0, "link2": 1.0}}]
    with pytest.raises(Infeasible, match="4 constraints on 3 joints"):
        run_constrained(task(THREE, duration_s=1.0, constraint=joints + extra))


def test_run_into_a_dead_end_keeps_its_rows():
    # the tip is pulled outward along a straight line, beyond the reach of 3 m
    path = [{"time_s": 0.0, "position_m": [2.0, 0, 0]}, {"time_s": 10.0, "position_m": [4.0, 0, 0]}]
    start = {"link1": {"angle_deg": 40.0}, "link2": {"angle_deg": -80.0}, "link3": {"angle_deg": 40.0}}
    pulled = [{"type": "position", "name": "tip", "axes": ["x", "y"], "waypoints": path}]
    motion = run_constrained(task(THREE, duration_s=10.0, output_s=0.1, initial=start, constraint=pulled))
    assert motion.outcome == "failed"
    assert 3.0 < motion.time_s[-1] < 6.0
    assert motion.reason
    assert np.abs(motion.f).max() < 1e-12


def test_shipped_tasks_are_valid_and_their_chains_build():
    for name in (
        "boom_slew",
        "four_bar",
        "held_tool",
        "overdetermined",
        "pendulum_load",
        "puma_circle",
        "station_berthing",
    ):
        loaded = load_task(f"configs/tasks/{name}.yaml")
        assert loaded.task.name == name
        assert build_chain(loaded.chain).n >= 2


def test_damped_chain_gives_energy_away_only():
    chain = {"denavit_hartenberg": [{**ROW, "damping_Nms_rad": 0.5}] * 3}
    start = {"link1": {"angle_deg": 20.0, "rate_deg_s": 60.0}, "link2": {"angle_deg": 50.0}}
    one = [{"type": "distance", "from_m": [1.0, 2.5, 0.0]}]
    motion = run_constrained(task(chain, duration_s=5.0, output_s=0.1, initial=start, constraint=one))
    assert np.all(np.diff(motion.energy_J) < 1e-12)


def test_failure_between_two_rows_and_too_long_an_output_step_keep_rows_and_times_together(monkeypatch):
    one = [{"type": "distance", "from_m": [1.0, 2.5, 0.0]}]
    start = {"link1": {"angle_deg": 20.0, "rate_deg_s": 40.0}, "link2": {"angle_deg": 50.0}}
    coarse = run_constrained(task(THREE, duration_s=1.0, output_s=5.0, initial=start, constraint=one))
    assert coarse.time_s.tolist() == [0.0, 1.0]
    whole = Constrained.project

    def breaks(self, t, q, rates):
        if t > 0.5:
            raise Infeasible("broken")
        return whole(self, t, q, rates)

    monkeypatch.setattr(Constrained, "project", breaks)
    motion = run_constrained(task(THREE, duration_s=1.0, output_s=0.1, initial=start, constraint=one))
    assert motion.outcome == "failed"
    assert "broken" in motion.reason
    assert len(motion.time_s) == len(motion.q) <= 6


def test_reactions_of_a_closure_on_its_two_links_do_the_work_of_its_rows():
    """Of any motion at all: N f' is the power of both wrenches, wherever they act."""
    rng = np.random.default_rng(4)
    chain = random_chain(rng, 6, branching=0.5)
    q, rates = rng.normal(size=(2, 6))
    for kind in ("weld", "hinge", "planar", "rod"):
        axis = (0.2, 1.0, 0.4) if kind in ("hinge", "planar") else None
        point = (0.3, 0.2, 0.1) if kind == "rod" else None
        ends = {"link_a": "link6", "link_b": "link2", "point_a_m": (0.1, 0.0, 0.2), "point_b_m": point}
        part = ClosureCondition(type="closure", kind=kind, axis=axis, **ends)
        start, now = kinematics(chain, q, 0 * rates), kinematics(chain, q + 0.1, rates)
        value = build_conditions(chain, [part], q)(chain, q + 0.1, rates, 0.0)
        N = rng.normal(size=len(value.f))
        power = 0.0
        for load in reaction_wrenches([part], start, now, N, value.f):
            J, _ = now.twists(load.link, now.p[load.link] + now.R[load.link] @ load.point)
            power += np.concatenate([load.force, load.moment]) @ J @ rates
        assert power == pytest.approx(N @ value.rate, rel=1e-12)


def test_closure_names_the_link_that_is_not_there(tmp_path):
    file = tmp_path / "task.yaml"
    chain = ROOT / "configs" / "chains" / "planar_2r.yaml"
    rows = f"chain: {chain}\nduration_s: 1\nconstraint:\n  - {{type: closure, link_a: link1, link_b: link9}}\n"
    file.write_text(rows)
    with pytest.raises(ScenarioError, match=r"task.yaml:4: constraint.0.link_b: no link 'link9'"):
        load_task(file)
