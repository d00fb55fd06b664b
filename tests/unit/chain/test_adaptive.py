"""Adaptive control in base parameters: the regressor, the function that falls, and a load taken up on the way."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from docksim.chain import ChainModel, Dynamics, load_chain
from docksim.chain.identification.baseparams import base_parameters
from docksim.chain.identification.regressor import inertial_parameters
from docksim.chain.kinematics.derivatives import christoffel
from docksim.chain.kinematics.screws import screws_at
from docksim.chain.motion.adaptive import AdaptiveControl, reference_regressor
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.files import motion_columns
from docksim.chain.motion.plant import Plant
from docksim.chain.motion.runs import ChainMotion, heavier, run_task
from docksim.chain.motion.saved import read_motion, write_motion
from docksim.config import ScenarioError
from docksim.config.loading.chain_task import LoadedTask, load_task
from docksim.config.schema.chain_conditions import JointCondition
from docksim.config.schema.chain_task import Adaptive

TASK = "configs/tasks/planar_adapts.yaml"
CHAINS = [f"configs/chains/{name}.yaml" for name in ("planar_2r", "puma560", "two_arms")]


def states(model: ChainModel, count: int) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(count, 4, model.n))


def coriolis(model: ChainModel, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """C(q, q') by Christoffel's symbols, from exact derivatives of A."""
    return np.asarray(np.einsum("isj,s->ij", christoffel(screws_at(model, q).gradient()), rates))


@pytest.fixture(scope="module")
def loaded() -> LoadedTask:
    return load_task(TASK)


@pytest.fixture(scope="module")
def motion(loaded: LoadedTask) -> ChainMotion:
    # as it is shipped it asks for less error than is needed here
    return run_task(dataclasses.replace(loaded, task=loaded.task.model_copy(update={"tolerance": 3e-5})))


# ---------------------------------------------------------------- the law


@pytest.mark.parametrize("file", CHAINS)
def test_regressor_gives_the_forces_of_the_dynamics(file: str) -> None:
    """A a + C v + g, C by Christoffel's symbols, which are derived from A by another way."""
    model = load_chain(file)
    base = base_parameters(model)
    p = base.Y @ inertial_parameters(model)
    own = Dynamics(model, joints=False)
    for q, rates, v, a in states(model, 5):
        C = coriolis(model, q, rates)
        expected = own.mass_matrix(q) @ a + C @ v + own.bias(q, np.zeros(model.n))
        found = reference_regressor(model, q, rates, v, a)[:, base.columns] @ p
        assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("file", CHAINS)
def test_rate_of_the_lyapunov_function_is_what_the_law_takes(file: str) -> None:
    """V' = -s' K s at random states and estimates, for an arm whose masses are not those believed."""
    known = load_chain(file)
    real = heavier(known, {known.names[-1]: 2.0, known.names[0]: 0.7})
    program = [JointCondition(type="joint", name=name, link=name) for name in known.names]
    gains = Adaptive(convergence_1_s=3.0, gain_1_s=2.0, adaptation_1_s2=5.0)
    control = AdaptiveControl(Plant(known), build_conditions(known, program, known.home), gains, known.home)
    plant = Plant(real)
    true = control.parameters(real)
    for q, rates, v, _ in states(known, 5):
        estimate = control.guess * (1.0 + 0.3 * np.resize(v, len(true)))
        law = control.at(0.0, q, rates, estimate)
        acceleration = plant.acceleration(0.0, q, rates, law.force)
        A, _ = plant.equations(0.0, q, rates)
        # s' = q'' - v', with v' = -l q' for a target that stands still; s' A' s = 2 s' C s
        ds = acceleration + gains.convergence_1_s * rates
        C = coriolis(real, q, rates)
        dp = -control.G * (law.regressor.T @ law.s)
        parts = [law.s @ A @ ds, law.s @ C @ law.s, (estimate - true) @ (dp / control.G)]
        taken = -law.s @ ((control.K + known.damping) * law.s)
        assert sum(parts) == pytest.approx(taken, rel=0.0, abs=1e-9 * max(map(abs, parts)))
        assert taken <= 0.0


# ---------------------------------------------------------------- a run


def test_function_falls_but_where_the_load_is_taken_up(motion: ChainMotion) -> None:
    assert motion.outcome == "completed"
    assert motion.adaptation is not None
    V = motion.adaptation.lyapunov_J
    rises = np.diff(V)
    taken_up = int(np.searchsorted(motion.time_s, 2.5 - 1e-9)) - 1
    assert rises[taken_up] > 0.1 * V[0]
    assert np.delete(rises, taken_up).max() <= 1e-9 * V[0]


def test_errors_are_below_a_hundredth_of_the_motion_ten_seconds_after_the_load_doubled(motion: ChainMotion) -> None:
    amplitudes = np.radians([30.0, 40.0])
    late = motion.time_s > 11.5
    assert (np.abs(motion.f[late]).max(axis=0) < 0.01 * amplitudes).all()
    # the controller that learns nothing would miss by more
    after = (motion.time_s > 2.5) & (motion.time_s < 3.5)
    assert np.abs(motion.f[after]).max() > np.abs(motion.f[late]).max()


def test_energy_closes_with_what_came_in_with_the_load(motion: ChainMotion) -> None:
    # the integration's own tolerance
    assert np.abs(motion.residual_J).max() < 1e-5 * np.abs(motion.work_J).max()


def test_run_is_saved_and_read_with_what_was_learnt(motion: ChainMotion, loaded: LoadedTask, tmp_path: Path) -> None:
    write_motion(motion, loaded, tmp_path)
    again = read_motion(tmp_path)
    assert motion.adaptation is not None
    assert again.adaptation is not None
    assert again.adaptation.names == motion.adaptation.names
    assert np.array_equal(again.adaptation.estimates, motion.adaptation.estimates)
    assert "lyapunov_J" in motion_columns(again)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("link: link2, angle_deg", "link: link1, angle_deg"),
            "program: adaptive control leads every joint, and 'link2'",
        ),
        (
            ("{type: joint, name: lower, link: link2, ", "{type: position, link: link2} #"),
            "program.1: adaptive control",
        ),
        (("link: link2, time_s", "link: link3, time_s"), "mass_changes.0.link: no link 'link3'"),
        (("adaptive: {", "poles: {frequency_Hz: 1.0}\nadaptive: {"), "poles: excludes 'adaptive'"),
        (("amplitude_deg: 40", "amplitude_m: 40"), "program.1.sine: amplitude_m: the joint of 'link2' is revolute"),
        (("planar_2r", "elastic_boom_2r"), "no link 'link1'"),
    ],
)
def test_what_the_law_cannot_do_is_refused(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    text = Path(TASK).read_text().replace(*change)
    assert text != Path(TASK).read_text()
    file = tmp_path / "task.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_task(file)
    assert message in str(caught.value)
