"""Adaptive control of arms on vehicles: torques and learning against chains on six virtual joints, runs, refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.chain import ChainModel, Dynamics
from docksim.chain.build import build_chain
from docksim.chain.from_vehicle import chain_of_vehicle
from docksim.chain.identification.regressor import inertial_parameters
from docksim.chain.kinematics.derivatives import christoffel
from docksim.chain.kinematics.screws import screws_at
from docksim.chain.motion.adaptive import reference_regressor
from docksim.compiler import compile_scenario
from docksim.compiler.adaptive import believed_arm
from docksim.config import ScenarioError, load_scenario
from docksim.config.schema.chain_task import Adaptive
from docksim.linear.tree import linearize_scenario
from docksim.result.result import Result, ResultError
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run
from tests.support.shipped import changed, shipped

TORQUE = {"servo": {"mode": "torque"}}
GAINS = {"convergence_1_s": 3.0, "gain_1_s": 4.0, "adaptation_1_s2": 5.0}
PATHS = {
    "mast.first": {"kind": "sine", "amplitude_deg": 30.0, "frequency_Hz": 0.4},
    "mast.second": {"kind": "move", "to_deg": 40.0, "duration_s": 3.0},
    "rod.translation": {"kind": "sine", "amplitude_m": 0.1, "frequency_Hz": 0.7},
    "wrist": {"kind": "rate", "rate_deg_s": 10.0},
}
ERRORS = {"mast": 1.4, "plate": 0.6, "dish": 2.0}
RATE = [12.0, -7.0, 9.0]
VELOCITY = [0.2, -0.1, 0.3]


def crane(**program: Any) -> dict[str, Any]:
    """A free-flyer with an arm of every kind of axis: crossed ones, one that turns and slides, a wrist; parts on it."""
    body = {"mass_kg": 5.0, "center_of_mass_m": [0.1, 0.05, 0.4], "inertia_kg_m2": [0.5, 0.4, 0.3]}
    damped = {"damping_Nms_rad": 0.3, "rotor_inertia_kg_m2": 0.07, "actuator": TORQUE}
    mast = {"type": "universal", "axis": [1.0, 0.0, 0.0], "axis_2": [0.0, 1.0, 0.0], "position_m": [0.2, 0.0, 0.5],
            "first": {"angle_deg": 20.0, "rate_deg_s": 30.0, **damped}, "second": {**damped, "rate_deg_s": -20.0},
            "child_position_m": [0, 0.1, 0], "child_attitude": {"yaw_pitch_roll_deg": [0.0, 40.0, 0.0]}}  # fmt: skip
    rod = {"type": "cylindrical", "axis": [0.0, 0.0, 1.0], "position_m": [0.0, 0.0, 1.0],
           "rotation": {"actuator": TORQUE, "angle_deg": 10.0, "stiffness_Nm_rad": 3.0},
           "translation": {"travel_m": 0.2, "velocity_m_s": 0.1, "actuator": TORQUE}}  # fmt: skip
    fixed = {"type": "fixed", "position_m": [0.3, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [30.0, 20.0, 10.0]}}
    dish = {"type": "revolute", "axis": [0.0, 0.0, 1.0], "angle_deg": 50.0, "locked": True}
    wrist = {"type": "revolute", "axis": [1.0, 0.3, 0.2], "position_m": [0.5, 0.1, 0.0], "actuator": TORQUE}
    bodies = {
        "mast": {**body, "joint": mast},
        "dish": {**body, "parent": "mast", "joint": dish},
        "rod": {**body, "parent": "mast", "joint": rod},
        "plate": {**body, "parent": "rod", "joint": fixed},
        "wrist": {**body, "mass_kg": 3.0, "parent": "plate", "joint": wrist},
    }
    law = {"adaptive": GAINS, "end": "wrist", "paths": PATHS, "mass_error": ERRORS, "enabled": True, **program}
    own = {"mass_kg": 60.0, "inertia_kg_m2": [[9.0, 0.5, 0.2], [0.5, 8.0, 0.1], [0.2, 0.1, 7.0]]}
    own |= {"rate_deg_s": RATE, "velocity_m_s": VELOCITY, "bodies": bodies, "programs": {"learn": law}}
    solver = {"duration_s": 0.002, "step_s": 0.001}
    return {"vehicles": {"crane": own}, "solver": solver, "outputs": {"every_s": 0.001}}


def crane_with(errors: dict[str, float]) -> dict[str, Any]:
    """The crane as a controller with these errors believes it to be."""
    content = crane()
    for name, factor in errors.items():
        part = content["vehicles"]["crane"]["bodies"][name]
        part["mass_kg"] /= factor
        part["inertia_kg_m2"] = [x / factor for x in part["inertia_kg_m2"]]
    return content


class Afloat:
    """The crane at its start as a chain on three slides and three turns, and what the law says by the chain toolbox."""

    def __init__(self) -> None:
        self.model, self.known = self.chain(crane()), self.chain(crane_with(ERRORS))
        held = self.chain(crane_with(ERRORS), floating=False)
        self.q = self.model.home
        self.rates = np.concatenate([VELOCITY, np.radians(RATE[::-1]), np.radians([30, -20, 0]), [0.1, 0.0]])
        slope = [np.radians(30) * 2 * np.pi * 0.4, 0.0, 0.0, 0.1 * 2 * np.pi * 0.7, np.radians(10)]
        self.s = np.concatenate([np.zeros(6), self.rates[6:] - slope])  # paths begin where the joints are
        self.v, self.a = self.rates - self.s, -GAINS["convergence_1_s"] * self.s
        A = np.diag(Dynamics(held, joints=False).mass_matrix(self.q[6:])) + held.rotor
        self.gain = GAINS["gain_1_s"] * A

    def chain(self, content: dict[str, Any], floating: bool = True) -> ChainModel:
        scenario = load_scenario(content)
        return build_chain(chain_of_vehicle(scenario, "crane", tips=["wrist"], floating=floating).chain)

    def accelerations(self, motors: np.ndarray) -> np.ndarray:
        """Of base and joints under torques of the motors."""
        plant = Dynamics(self.model, joints=False)
        A = plant.mass_matrix(self.q) + np.diag(self.model.rotor)
        force = np.concatenate([np.zeros(6), motors]) - self.own() - plant.bias(self.q, self.rates)
        return np.linalg.solve(A, force)

    def own(self) -> np.ndarray:
        """Springs and dampers."""
        return np.asarray(self.model.stiffness * (self.q - self.model.rest) + self.model.damping * self.rates)

    def regressor(self, acceleration: np.ndarray) -> np.ndarray:
        """Y of the law when the base accelerates so, by all parameters of all links."""
        return reference_regressor(self.model, self.q, self.rates, self.v, self.mixed(acceleration))

    def mixed(self, acceleration: np.ndarray) -> np.ndarray:
        return np.concatenate([acceleration[:6], self.a[6:]])

    def torques(self, acceleration: np.ndarray) -> np.ndarray:
        """What the law asks the motors for when base and joints accelerate so."""
        asked = self.regressor(acceleration) @ inertial_parameters(self.known) + self.own()
        asked += self.model.rotor * self.mixed(acceleration)
        return np.asarray(asked[6:] - self.gain * self.s[6:])


def motors_of(result: Result) -> np.ndarray:
    keys = ("mast.first.asked_torque_Nm", "mast.second.asked_torque_Nm", "rod.rotation.asked_torque_Nm",
            "rod.translation.asked_force_N", "wrist.asked_torque_Nm")  # fmt: skip
    return np.array([result[f"crane.{key}"][0] for key in keys])


def learnt_in(result: Result) -> np.ndarray:
    """All figures of the first row, in their order."""
    return np.array([result[name][0] for name in result if "_kg" in name and name.startswith("crane.learn.")])


@pytest.fixture(scope="module")
def afloat() -> Afloat:
    return Afloat()


def figures(law: Adaptive, errors: dict[str, float]) -> np.ndarray:
    """All that the controller believes, in the order of its figures."""
    assembly = compile_scenario(load_scenario(crane())).assembly
    arm = believed_arm(assembly, "crane.wrist", law, {f"crane.{name}": factor for name, factor in errors.items()})
    return np.array([value for some in arm.figures for value in some.values()])


# ---------------------------------------------------------------- the law at an instant


def test_torques_are_those_of_the_chain_on_six_virtual_joints(afloat: Afloat) -> None:
    """The whole regressor of the chain with all its parameters, and the base's acceleration that the torques make."""
    motors = motors_of(docksim.run(crane(adaptive={**GAINS, "adaptation_1_s2": 0.0})))
    acceleration = afloat.accelerations(motors)
    expected = afloat.torques(acceleration)
    assert np.abs(expected).max() > 20.0
    assert np.abs(motors - expected).max() < 1e-10 * np.abs(expected).max()

    # so that s'A s / 2 falls by what the gains take, but for what the masses are wrong by
    A = Dynamics(afloat.model, joints=False).mass_matrix(afloat.q) + np.diag(afloat.model.rotor)
    C = np.einsum("isj,s->ij", christoffel(screws_at(afloat.model, afloat.q).gradient()), afloat.rates)
    s = afloat.s
    ds = np.concatenate([np.zeros(6), (acceleration - afloat.a)[6:]])
    wrong = s @ afloat.regressor(acceleration) @ (inertial_parameters(afloat.known) - inertial_parameters(afloat.model))
    taken = -s[6:] @ (afloat.gain * s[6:])
    assert abs(wrong) > 0.1 * abs(taken)
    assert s @ A @ ds + s @ C @ s - wrong == pytest.approx(taken, rel=1e-9)


def test_what_is_learnt_makes_up_for_what_the_masses_are_wrong_by(afloat: Afloat) -> None:
    """dp' G^-1 p' = -dp' Y' s for errors dp of any body, Y of the chain, the base as it is before the torques."""
    tiny = {"duration_s": 2e-7, "step_s": 1e-7}
    result = docksim.run({**crane(), "solver": tiny, "outputs": {"every_s": 1e-7}})
    table = compile_scenario(load_scenario(crane())).model.figure
    law = Adaptive(**GAINS)
    rates = (learnt_in(result) - figures(law, ERRORS)) / 1e-7
    Y = afloat.regressor(afloat.accelerations(np.zeros(5)))
    for body in ("mast", "rod", "plate", "wrist", "dish"):
        other = afloat.chain(crane_with({body: 0.5}))
        dp = figures(law, {body: 0.5}) - figures(law, {})
        expected = -(afloat.s @ Y @ (inertial_parameters(other) - inertial_parameters(afloat.model)))
        assert dp @ (rates / table["rate"]) == pytest.approx(expected, rel=1e-6)


def test_joints_feel_seven_figures_a_turn_and_four_a_slide(afloat: Afloat) -> None:
    """As many as the rank of the chain's whole regressor in the rows of its joints."""
    rng = np.random.default_rng(3)
    rows = [reference_regressor(afloat.model, *rng.normal(size=(4, afloat.model.n)))[6:] for _ in range(8)]
    assert np.linalg.matrix_rank(np.concatenate(rows)) == 4 * 7 + 4
    assert compile_scenario(load_scenario(crane())).model.program[0].n_figures == 4 * 7 + 4


# ---------------------------------------------------------------- runs


def lively(**program: Any) -> dict[str, Any]:
    """Errors that begin large, on a base that is light beside the arm."""
    solver = {"duration_s": 2.0, "step_s": 0.002}
    return {**crane(sample_s=0.002, **program), "solver": solver, "outputs": {"every_s": 0.1}}


def lyapunov(run: Run, arm: ChainModel, true: np.ndarray) -> float:
    """V of a state, by the joints' part of the mass matrix, whatever the base does."""
    model, state = run.compiled.model, run.compiled.state
    q = np.concatenate([np.zeros(6), [state.q[joint.q] for joint in model.program_joint]])
    A = (Dynamics(arm, joints=False).mass_matrix(q) + np.diag(arm.rotor))[6:, 6:]
    s, apart = state.arm_link["s"], state.learnt["value"] - true
    return float(0.5 * s @ A @ s + 0.5 * apart @ (apart / model.figure["rate"]))


def test_lyapunov_function_falls_along_a_run_on_a_base_that_tumbles(afloat: Afloat) -> None:
    run = Run(compile_scenario(load_scenario(lively())))
    true, values = figures(Adaptive(**GAINS), {}), []
    for _ in range(20):
        run.advance(50)
        values.append(lyapunov(run, afloat.model, true))
    # s is that of the latest sample, and the state a step later
    assert np.diff(values).max() < 1e-3 * values[0]
    assert values[-1] < 0.3 * values[0]


def test_load_that_nobody_told_of_is_learnt_and_errors_shrink_from_swing_to_swing() -> None:
    rate = "vehicles__servicer__programs__learn__adaptive__adaptation_1_s2"
    result, ignorant = shipped("load_learnt"), changed("load_learnt", **{rate: 0.0})
    names = [name for name in result if name.startswith("servicer.learn.") and name.endswith(".error_deg")]
    assert len(names) == 7

    def worst(of: Result, start: float, end: float) -> float:
        inside = (of.time_s >= start) & (of.time_s < end)
        return max(float(np.abs(of[name][inside]).max()) for name in names)

    swings = [worst(result, start, start + 20.0) for start in (0.0, 20.0, 40.0)]
    assert swings[0] > swings[1] > swings[2]
    assert swings[2] < 0.05 * worst(ignorant, 40.0, 60.0)
    # let go of, the program begins anew with what was known of the arm
    assert worst(result, 60.0, 100.0) < 0.05
    weight = result["servicer.learn.wrist_roll.Sxx_kg_m2"]
    assert abs(weight[599] - weight[0]) > 100.0 * abs(weight[620] - weight[0])


def test_run_that_learns_goes_on_from_a_checkpoint_with_the_same_bits(tmp_path: Path) -> None:
    whole, run = (Run(compile_scenario(load_scenario(lively()))) for _ in range(2))
    whole.advance(300)
    run.advance(150)
    run = read_checkpoint(write_checkpoint(run, tmp_path / "kept.npz"))
    run.advance(150)
    for name in ("q", "beta", "learnt", "arm_link", "work_done"):
        assert np.array_equal(getattr(run.compiled.state, name), getattr(whole.compiled.state, name)), name


def test_linear_model_of_an_arm_that_learns_is_refused() -> None:
    with pytest.raises(ResultError, match=r"program 'crane\.learn' acts at this state"):
        linearize_scenario(load_scenario(crane()))


def test_learning_is_slowed_where_samples_are_too_long_for_its_rate() -> None:
    """One sample of length h learns h / (1 + h² c) of the rate, the same c for all figures."""
    believed = figures(Adaptive(**GAINS), ERRORS)

    def share(sample: float) -> np.ndarray:
        learnt = learnt_in(docksim.run(crane(sample_s=sample))) - believed
        return sample / learnt

    one, two, four = (share(sample) for sample in (0.001, 0.02, 0.04))
    assert two / one == pytest.approx(np.full(len(one), two[0] / one[0]), rel=1e-6)
    assert two[0] / one[0] > 1.5
    # 1 + h² c
    assert (four - one) / (two - one) == pytest.approx((0.04**2 - 0.001**2) / (0.02**2 - 0.001**2), rel=1e-6)


# ---------------------------------------------------------------- what is refused

LEARN = "vehicles.crane.programs.learn"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": "writs"}, f"{LEARN}.end: no body 'writs'"),
        ({"paths": {"rist": PATHS["wrist"]}}, f"{LEARN}.paths.rist: no axis 'rist'"),
        ({"paths": {"dish": PATHS["wrist"]}}, f"{LEARN}.paths.dish: no axis 'dish'"),
        (
            {"paths": {"wrist": PATHS["rod.translation"]}},
            f"{LEARN}.paths.wrist: axis 'wrist' turns; its path has keys in deg",
        ),
        (
            {"paths": {"rod.translation": PATHS["wrist"]}},
            f"{LEARN}.paths.rod.translation: axis 'rod.translation' slides",
        ),
        ({"mass_error": {"crane": 2.0}}, f"{LEARN}.mass_error.crane: no body 'crane'"),
        ({"mass_error": {"wrist": 0.0}}, f"{LEARN}.mass_error.wrist: 0.0 must be greater than 0"),
        ({"end": "plate", "mass_error": {"wrist": 2.0}}, ""),
        ({"end": "dish"}, f"{LEARN}.end: axis 'dish' has no drive that takes torques"),
        ({"sample_s": 0.0015}, f"{LEARN}.sample_s: 0.0015 s must be a whole multiple of solver.step_s"),
        ({"sample_s": 0.2}, f"{LEARN}.adaptive: gain and convergence, 4 and 3 1/s, are too fast for samples of 0.2 s"),
        ({"hand": "wrist.grip"}, f"{LEARN}: a program has hand and adaptive together"),
        ({"adaptive": {"gain_1_s": -1.0}}, f"{LEARN}.adaptive.gain_1_s: -1.0 must be greater than 0"),
    ],
)
def test_adaptive_program_that_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    content = crane(**{"paths": {}, "mass_error": {}, **change})
    if not message:
        # what hangs on the arm's end is a part of it
        load_scenario(content)
        return
    with pytest.raises(ScenarioError) as caught:
        load_scenario(content)
    assert any(f"{one.key}: {one.message}".startswith(message) for one in caught.value.problems), str(caught.value)


def test_arm_that_bends_is_refused() -> None:
    content = crane(end="wrist", paths={}, mass_error={})
    own = content["vehicles"]["crane"]
    own["beams"] = {"boom": {"parent": "mast", "length_m": 2.0, "mass_kg": 3.0, "EI_y_Nm2": 1e4, "flex": ["bend_y"]}}
    own["bodies"]["rod"]["parent"] = "boom.tip"
    with pytest.raises(ScenarioError, match="beam 'boom' bends, and the law is for rigid links"):
        load_scenario(content)
