"""Linear models of scenarios: against Pinocchio's analytic derivatives, differences of the simulator, and its runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.compiler import Compiled
from docksim.compiler.tables import new_work
from docksim.config import Scenario, ScenarioError, load_scenario
from docksim.kernel.basis.coordinates import displace, drive_coordinates, remember_start
from docksim.kernel.step import evaluate
from docksim.linear.model import LinearModel
from docksim.linear.smooth import free_coordinates
from docksim.linear.tree import linearize_scenario, state_at
from docksim.model import RUNNING
from docksim.model.events import HOLD_OFF
from docksim.result.result import ResultError
from docksim.simulation.run import run_kernel
from tests.oracle.pinocchio_tree import PinocchioTree
from tests.oracle.tree_description import JOINT_TYPES, random_state, random_tree
from tests.physics.tree_cases import one_of_each, start_scenario

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


def shipped(name: str, **overrides: Any) -> Scenario:
    return load_scenario(SCENARIOS / f"{name}.yaml", overrides)


def lower(model: LinearModel) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations by coordinates, and by rates."""
    n = len(model.coordinates)
    return model.A[n:, :n], model.A[n:, n:]


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_pinocchio_on_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = one_of_each(rng) if seed % 2 else random_tree(rng, 8, JOINT_TYPES)
    theta, beta = random_state(rng, bodies)
    model = linearize_scenario(load_scenario(start_scenario(bodies, theta, beta)))
    tree = PinocchioTree(bodies)
    by_z, by_beta, _ = tree.forward_derivatives(theta, beta, np.zeros_like(beta))
    for ours, theirs in zip(lower(model), (by_z, by_beta), strict=True):
        # two recursions in double precision, in other orders: roundings grow with the condition of the mass matrix,
        # some 1e3 here
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-11 * np.abs(theirs).max())
    assert model.M is not None
    np.testing.assert_allclose(model.M, tree.mass_matrix(theta), rtol=0.0, atol=1e-13 * np.abs(model.M).max())


# states of: beams and a ball pendulum; a docked stack; a ring on its springs, docked; all leg types; couplings with
# rotors; every joint type; an orbit with gravity gradient; servo loops on legs; prescribed joints; two vehicles
STATES = {
    "boom_and_slosh": 2.0,
    "station_visit": 10.0,
    "soft_capture": 6.0,
    "leg_gallery": 2.0,
    "differential_capture": 4.0,
    "joint_gallery": 1.5,
    "orbit_drift": 100.0,
    "servo_capture": 3.0,
    "free_flying_arm": 8.0,
    "dock_and_undock": 3.0,
}


def smooth(compiled: Compiled) -> None:
    """As the linear model sees it: no friction, no stops, no contact."""
    compiled.model.dof["friction"] = 0.0
    compiled.state.shaft["friction"] = 0.0
    for table in (compiled.model.dof, compiled.model.shaft):
        table["lower"], table["upper"] = -np.inf, np.inf
    compiled.model.shaft["sample_steps"] = 0
    compiled.model.contact["near"] = -1e9


class Displaced:
    """The compiled simulator near its state."""

    def __init__(self, compiled: Compiled, free: list[int]) -> None:
        self.compiled, self.free = compiled, free
        self.work = new_work(compiled.model, compiled.state)
        self.state = compiled.state._replace(q=compiled.state.q.copy(), beta=compiled.state.beta.copy())

    def accelerations(self, z: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Displaced by z and b."""
        model, state, work = self.compiled.model, self.state, self.work
        state.q[:], state.beta[:] = self.compiled.state.q, self.compiled.state.beta
        drive_coordinates(model, state, work)
        remember_start(state, work)
        work.dof["u_now"] = 0.0
        work.dof["u_now"][self.free] = z
        state.beta[self.free] += b
        displace(model, state, work)
        evaluate(model, state, work)
        return np.array(work.dof["beta_dot"][self.free])


def differences(compiled: Compiled, free: list[int], h: float = 1e-4) -> np.ndarray:
    """Central, of fourth order."""
    n, near = len(free), Displaced(compiled, free)
    found = np.zeros((n, 2 * n))
    for i in range(2 * n):
        x = np.zeros(2 * n)
        x[i] = h
        one, two = (
            near.accelerations(k * x[:n], k * x[n:]) - near.accelerations(-k * x[:n], -k * x[n:]) for k in (1.0, 2.0)
        )
        found[:, i] = (8.0 * one - two) / (12.0 * h)
    return found


@pytest.mark.parametrize("name", STATES)
def test_derivatives_are_differences_of_the_compiled_simulator(name: str) -> None:
    scenario = shipped(name)
    model = linearize_scenario(scenario, STATES[name])
    compiled = state_at(scenario, STATES[name])
    smooth(compiled)
    free = [c.rate_index for c in free_coordinates(compiled, compiled.state)]
    expected = differences(compiled, free)
    n = len(free)
    # a difference over 1e-4 of numbers known to 1e-16 of themselves: 1e-11 of the row's largest, and as much again for
    # the fourth power of the step times fifth derivatives; a factor of ten for what cancels on the way
    scale = np.abs(expected).max(axis=1, keepdims=True) + 1e-3
    assert np.max(np.abs(model.A[n:] - expected) / scale) < 1e-9


@pytest.mark.parametrize(
    ("name", "at", "hertz", "tolerance"),
    # the first is an equilibrium: what is left is rk4's error. The others drift and turn while they swing, and the
    # tangent of a moving state changes in half a period, by the square of the rates and by what the ring has moved
    [("array_slew", 0.0, 0.26, 1e-7), ("station_visit", 10.0, 0.09, 0.01), ("soft_capture", 18.0, 0.13, 0.05)],
)
def test_a_run_set_off_along_a_mode_swings_at_its_frequency_and_damping(
    name: str, at: float, hertz: float, tolerance: float
) -> None:
    # flexible arrays; a docked stack with its wings; a docking ring on its springs, and what hangs on it
    scenario = shipped(name, **{"solver.integrator": "rk4", "solver.step_s": 0.004, "outputs.every_s": 0.04})
    model = linearize_scenario(scenario, at)
    mode = min((m for m in model.modes() if not m.free), key=lambda m: abs(m.natural_Hz - hertz))
    n, small, steps = len(model.coordinates), 1e-6, round(0.5 / mode.natural_Hz / 0.004)
    ends = []
    for sign in (1.0, -1.0):
        compiled = state_at(scenario, at)
        free = [c.rate_index for c in free_coordinates(compiled, compiled.state)]
        work = new_work(compiled.model, compiled.state)
        compiled.state.hold["mode"] = HOLD_OFF
        remember_start(compiled.state, work)
        work.dof["u_now"][free] = sign * small * mode.vector[:n].real
        compiled.state.beta[free] += sign * small * mode.vector[n:].real
        displace(compiled.model, compiled.state, work)
        compiled.model.settings[0].n_steps = compiled.state.clock[0].step + steps
        compiled.state.clock[0].status = RUNNING
        run_kernel(compiled, compiled.new_log())
        ends.append(compiled.state.beta[free].copy())
    seen = (ends[0] - ends[1]) / (2.0 * small)
    expected = (mode.vector[n:] * np.exp(mode.eigenvalue * steps * 0.004)).real
    assert np.linalg.norm(seen - expected) < tolerance * np.linalg.norm(expected)


def test_a_run_rings_with_the_frequencies_of_the_docked_stack() -> None:
    from docksim import run

    result = run(SCENARIOS / "station_visit.yaml", overrides={"solver.integrator": "rk4"})
    model = linearize_scenario(shipped("station_visit"), 60.0)
    time = result["time_s"]
    after = time > 8.0
    angle = result["station.wing_port.1.bend_y.angle_deg"][after]
    found = np.array([m.eigenvalue for m in model.modes() if not m.free and m.natural_Hz < 0.7])

    def misfit(stretch: float) -> float:
        """What is left of the curve when damped swings of the model's frequencies are taken out of it."""
        waves = np.exp(np.outer(time[after], found.real + 1j * stretch * found.imag))
        basis = np.column_stack([waves.real, waves.imag, np.ones(len(angle))])
        left = angle - basis @ np.linalg.lstsq(basis, angle, rcond=None)[0]
        return float(np.linalg.norm(left) / np.linalg.norm(angle - angle.mean()))

    # large rotations of nothing, small ones of the wings: the run is linear to a thousandth
    assert misfit(1.0) < 2e-3
    assert min(misfit(0.98), misfit(1.02)) > 10.0 * misfit(1.0)


def test_inputs_act_as_their_generalised_forces() -> None:
    scenario = shipped("station_visit")
    model = linearize_scenario(scenario, 10.0)
    n = len(model.coordinates)
    assert model.F is not None
    # virtual work: a wrench at a port acts by the transposed motion of the port, which the outputs give
    outputs, inputs = list(model.outputs), list(model.inputs)
    rates = [outputs.index(f"ship.nose.angular_rate_{axis}_rad_s") for axis in "xyz"]
    moments = [inputs.index(f"ship.nose.moment_{axis}_Nm") for axis in "xyz"]
    # F = M (M^-1 F): roundings of M, whose entries reach 1e8 kg m2
    np.testing.assert_allclose(model.F[:, moments], model.C[rates, n:].T, rtol=0.0, atol=1e-7)


def test_a_rigid_body_moves_by_newton_and_euler() -> None:
    keys = {
        "vehicles": {
            "box": {
                "mass_kg": 20.0,
                "inertia_kg_m2": [4.0, 5.0, 8.0],
                "ports": {
                    "p": {"position_m": [0.0, 2.0, 0.0]},
                    "side": {"position_m": [1.0, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [90.0, 0.0, 0.0]}},
                },
                "thrusters": {"t": {"position_m": [0, 0, 0.5], "direction": [2, 0, 0], "force_N": 7.0, "pulses": []}},
                "rate_deg_s": [0.0, 0.0, 10.0],
            }
        },
        "solver": {"duration_s": 1.0, "step_s": 0.01},
    }
    model = linearize_scenario(load_scenario(keys))
    B = dict(zip(model.inputs, model.B[6:].T, strict=True))
    np.testing.assert_allclose(B["box.t.thrust_N"], [0.0, 0.1, 0.0, 0.05, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(B["box.p.force_x_N"], [0.0, 0.0, -0.25, 0.05, 0.0, 0.0], atol=1e-15)
    # x of the second port is y of the body
    np.testing.assert_allclose(B["box.side.force_x_N"], [0.0, 0.0, 0.125, 0.0, 0.05, 0.0], atol=1e-15)
    np.testing.assert_allclose(B["box.side.moment_x_Nm"], [0.0, 0.2, 0.0, 0.0, 0.0, 0.0], atol=1e-15)
    # Euler's equations about a spin s: x' = s (5 - 8) / 4 y, y' = s (8 - 4) / 5 x; turns as seen from turning axes
    s = np.radians(10.0)
    expected = np.array([[0.0, -0.75 * s, 0.0], [0.8 * s, 0.0, 0.0], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(model.A[6:9, 6:9], expected, atol=1e-15)
    np.testing.assert_allclose(model.A[:3, :3], [[0, s, 0], [-s, 0, 0], [0, 0, 0]], atol=1e-15)


def test_closed_attitude_loop_has_the_poles_of_its_gains() -> None:
    inertia, stiffness, damping = [4.0, 5.0, 8.0], [2.0, 3.0, 1.0], [0.5, 1.0, 4.0]
    hold = {"stiffness_Nm_rad": stiffness, "damping_Nms_rad": damping, "torque_limit_Nm": 10.0, "sample_s": 0.1}
    keys = {
        "vehicles": {"box": {"mass_kg": 20.0, "inertia_kg_m2": inertia, "attitude_hold": hold}},
        "solver": {"duration_s": 1.0, "step_s": 0.01},
    }
    open_loop, closed = (linearize_scenario(load_scenario(keys), attitude_hold=close) for close in (False, True))
    assert all(mode.free for mode in open_loop.modes())
    assert any("open" in note for note in open_loop.notes)
    for i, row in enumerate(zip(inertia, damping, stiffness, strict=True)):
        poles = np.linalg.eigvals(closed.A[np.ix_([i, 6 + i], [i, 6 + i])])
        # roundings of a root
        np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(np.roots(row)), rtol=1e-9)


@pytest.mark.parametrize("mode", ["off", "inhibited"])
def test_hold_that_does_not_act_closes_no_loop_but_its_jets_are_inputs(mode: str) -> None:
    hold = {"stiffness_Nm_rad": 2.0, "damping_Nms_rad": 1.0, "torque_limit_Nm": 10.0, "sample_s": 0.1, "attitude": {}}
    turned = {"rotation_vector_deg": [0.0, 0.0, 5.0]}
    box = {
        "mass_kg": 20.0,
        "inertia_kg_m2": [4.0, 5.0, 8.0],
        "attitude": turned,
        "attitude_hold": {**hold, "mode": mode},
    }
    keys = {"vehicles": {"box": box}, "solver": {"duration_s": 1.0, "step_s": 0.01}}
    # half a second on, an inhibited hold has a demand in its memory
    for at in (0.0, 0.5):
        model = linearize_scenario(load_scenario(keys), at, attitude_hold=True)
        assert all(one.free for one in model.modes())
        assert not any("attitude hold" in note for note in model.notes)
        jets = [model.inputs.index(f"box.attitude_torque_{axis}_Nm") for axis in "xyz"]
        np.testing.assert_allclose(model.B[6:9, jets], np.diag([0.25, 0.2, 0.125]), atol=1e-15)


def test_what_has_no_tangent_is_named_and_stuck_friction_is_a_spring() -> None:
    loose, stuck = (linearize_scenario(shipped("free_flying_arm"), friction=how) for how in ("left out", "stuck"))
    assert "dry friction left out: servicer.wrist" in loose.notes
    assert any("as a spring" in note for note in stuck.notes)
    i = loose.coordinates.index("servicer.wrist.angle_rad")
    assert loose.K is not None
    assert stuck.K is not None
    joint = shipped("free_flying_arm").vehicles["servicer"].bodies["wrist"].joint
    # slip level over presliding displacement
    spring = joint.friction_Nm / np.radians(joint.presliding_deg)
    assert stuck.K[i, i] - loose.K[i, i] == pytest.approx(spring, rel=1e-9)


def test_refusals_say_why() -> None:
    with pytest.raises(ScenarioError, match="at: 99 s is not within the run, 0 to 60 s"):
        linearize_scenario(shipped("station_visit"), 99.0)
    with pytest.raises(ScenarioError, match=r"no port 'ship.nos'.*did you mean 'ship.nose'"):
        linearize_scenario(shipped("station_visit"), ports=["ship.nos"])
    anchored = shipped("tumbling_brick", **{"brick.anchored": True, "brick.rate_deg_s": [0, 0, 0]})
    with pytest.raises(ResultError, match="nothing is free to move"):
        linearize_scenario(anchored)
