"""Integrators: exact amplification on linear problems, observed order on a hard one, energy, norm of quaternions."""

import numpy as np
import pytest

from docksim.algebra.joints import FREE, SPHERICAL
from tests.support.rigs import body, final, lone, rig, scenario, simulate, worst

GAMMA = 1.0 - 1.0 / np.sqrt(2.0)


# a linear oscillator: each method multiplies the state by a known matrix


def amplification(integrator, h, m, k, c):
    """Matrix that one step applies to (x, v) of m x'' + c x' + k x = 0."""
    Z, one = h * np.array([[0.0, 1.0], [-k / m, -c / m]]), np.eye(2)
    if integrator == "rk4":
        return one + Z @ (one + Z @ (one + Z @ (one + Z / 4.0) / 3.0) / 2.0)
    if integrator == "linearly_implicit":
        inverse = np.linalg.inv(one - GAMMA * Z)
        return inverse @ inverse @ (one + (1.0 - 2.0 * GAMMA) * Z + (0.5 - 2.0 * GAMMA + GAMMA**2) * Z @ Z)
    kick = np.array([[1.0, 0.0], [Z[1, 0], 1.0 + Z[1, 1]]])
    drift = np.array([[1.0, h], [0.0, 1.0]])
    return drift @ kick


@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit", "semi_implicit_euler"])
@pytest.mark.parametrize(("k", "c"), [(50.0, 0.0), (50.0, 6.0), (2e3, 30.0)])
def test_each_step_of_a_linear_oscillator_is_the_methods_amplification_matrix(integrator, k, c):
    m, h, n, start = 2.0, 0.02, 400, np.array([0.3, -0.5])
    joint = {"type": "prismatic", "axis": [1.0, 0.0, 0.0], "stiffness_N_m": k, "damping_Ns_m": c}
    joint.update(travel_m=start[0], velocity_m_s=start[1])
    result = simulate(rig({"mass": body(m, 1.0, joint)}), n * h, h, integrator=integrator, coarse=True)
    states = [start]
    for _ in range(n):
        states.append(amplification(integrator, h, m, k, c) @ states[-1])
    actual = np.column_stack([result["rig.mass.travel_m"], result["rig.mass.travel_rate_m_s"]])
    # rounding, gathered over 400 steps, of speeds up to 10 m/s
    assert worst(actual, states) < 1e-11


# observed order on a tree with everything smooth: quaternions, springs, dampers, drives, loads, a wheel


def hard_problem(step, integrator, duration=1.0):
    """A tumbling ship with one child of each kind; all forces smooth in time."""
    flap = {"type": "revolute", "axis": [0.0, 1.0, 0.0], "position_m": [0.7, 0.0, 0.0]}
    flap.update(angle_deg=20.0, rate_deg_s=50.0, stiffness_Nm_rad=12.0, damping_Nms_rad=0.3, rotor_inertia_kg_m2=0.2)
    bob = {"type": "spherical", "position_m": [0.0, -0.7, 0.1], "initial": {"rotation_vector_deg": [20.0, 40.0, -30.0]}}
    bob.update(rate_deg_s=[30.0, -60.0, 40.0], stiffness_Nm_rad=[8.0, 5.0, 12.0], damping_Nms_rad=0.2)
    rod = {"type": "universal", "axis": [1.0, 0.0, 0.0], "axis_2": [0.0, 0.0, 1.0], "position_m": [0.0, 0.7, 0.0]}
    rod.update(first={"angle_deg": 15.0, "stiffness_Nm_rad": 9.0}, second={"rate_deg_s": 80.0, "damping_Nms_rad": 0.1})
    crank = {"type": "revolute", "axis": [0.0, 0.0, 1.0], "position_m": [-0.7, 0.0, 0.0]}
    crank["drive"] = {"kind": "sine", "amplitude_deg": 50.0, "frequency_Hz": 1.2}
    slug = {"type": "prismatic", "axis": [1.0, 1.0, 0.0], "travel_m": 0.1, "stiffness_N_m": 60.0, "damping_Ns_m": 1.0}
    bodies = {
        "flap": body(2.0, [0.1, 0.3, 0.35], flap, (0.4, 0.1, 0.0)),
        "bob": body(1.5, [0.2, 0.1, 0.25], bob, (0.0, -0.4, 0.1)),
        "rod": body(1.0, [0.3, 0.05, 0.3], rod, (0.1, 0.5, 0.0)),
        "crank": body(1.2, [0.1, 0.2, 0.2], crank, (-0.4, 0.0, 0.2)),
        "slug": body(0.8, [0.05, 0.06, 0.07], slug, (0.1, 0.0, 0.0), "crank"),
    }
    loads = {"push": {"body": "flap", "position_m": [0.3, 0.0, 0.2], "force_N": [1.0, 4.0, -2.0], "frequency_Hz": 0.8}}
    ship = lone(10.0, [2.0, 2.5, 3.0], bodies=bodies, loads=loads, rate_deg_s=[40.0, -30.0, 50.0])
    environment = {"kind": "clohessy_wiltshire", "mean_motion_rad_s": 0.3}
    return scenario({"ship": ship}, duration, step, duration, integrator=integrator, environment=environment)


def run_hard(step, integrator):
    """State and accumulators at the end."""
    state = final(hard_problem(step, integrator)).state
    return np.concatenate([state.q, state.beta]), np.concatenate([state.work_done, state.impulse])


@pytest.fixture(scope="module")
def converged():
    """rk4 at 0.125 ms: its own error is 1e-13 or so."""
    return run_hard(1.25e-4, "rk4")


def slopes(errors):
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


@pytest.mark.parametrize(
    ("integrator", "steps", "order"),
    [
        ("rk4", (0.005, 0.0025, 0.00125), 4),
        ("semi_implicit_euler", (0.002, 0.001, 0.0005), 1),
        ("linearly_implicit", (0.005, 0.0025, 0.00125), 2),
    ],
)
def test_observed_order_of_convergence(integrator, steps, order, converged):
    runs = [run_hard(step, integrator) for step in steps]
    motion = slopes([worst(run[0], converged[0]) for run in runs])
    sums = slopes([worst(run[1], converged[1]) for run in runs])
    print(f"{integrator}: order {motion.round(3)} of the motion, {sums.round(3)} of works and impulses")
    print(f"  errors {[f'{worst(run[0], converged[0]):.1e}' for run in runs]}")
    # the next term of the error's series bends the slope at these steps, less at the finer pair
    assert abs(motion[-1] - order) < 0.25
    assert abs(sums[-1] - order) < 0.25


@pytest.mark.parametrize(
    ("integrator", "steps", "order"),
    [("rk4", (0.01, 0.005), 4), ("semi_implicit_euler", (1e-3, 5e-4), 1), ("linearly_implicit", (0.0025, 0.00125), 2)],
)
def test_energy_and_momentum_budgets_close_at_the_integrators_order(integrator, steps, order):
    energy, spin = [], []
    for step in steps:
        keys = hard_problem(step, integrator)
        result = simulate(keys["vehicles"], 1.0, step, 0.1, integrator=integrator, environment=keys["environment"])
        energy.append(np.abs(result["energy.residual_J"]).max())
        spin.append(np.abs(result["momentum.angular_residual"]).max())
    found = slopes(energy), slopes(spin)
    print(f"{integrator}: energy residual {energy[-1]:.1e} J, order {found[0].round(2)}; angular {found[1].round(2)}")
    # a budget may close faster than the motion converges, never slower
    assert min(found[0][0], found[1][0]) > order - 0.25


# long-time behaviour


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler", "linearly_implicit"])
def test_quaternions_keep_unit_norm(integrator):
    compiled = final(hard_problem(0.005, integrator, duration=50.0))
    for joint in compiled.model.joint:
        if joint.type in (SPHERICAL, FREE):
            q = compiled.state.q[joint.q + joint.nv - 3 : joint.q + joint.nv + 1]
            # normalised every step: one rounding
            assert abs(np.linalg.norm(q) - 1.0) < 4e-16


def test_semi_implicit_euler_keeps_a_springs_energy_in_bounds_for_ever():
    m, k, h, x0 = 1.0, 100.0, 0.01, 0.2
    joint = {"type": "prismatic", "axis": [1.0, 0.0, 0.0], "stiffness_N_m": k, "travel_m": x0}
    result = simulate(rig({"mass": body(m, 1.0, joint)}), 2000.0, h, 1.0, integrator="semi_implicit_euler")
    x, v = result["rig.mass.travel_m"], result["rig.mass.travel_rate_m_s"]
    # invariant of the method's matrix: v^2 + w^2 x^2 - h w^2 x v; rounding of 200,000 steps
    assert np.ptp(0.5 * (m * v**2 + k * x**2 - h * k * x * v)) < 1e-11
    energy = result["energy.kinetic_J"] + result["energy.potential_J"]
    assert np.abs(energy / energy[0] - 1.0).max() < 0.5 * h * np.sqrt(k / m) / (1.0 - 0.5 * h * np.sqrt(k / m))


def test_rk4_damps_a_springs_energy_at_the_sixth_power_of_the_step():
    m, k, h, n = 1.0, 100.0, 0.02, 5000
    joint = {"type": "prismatic", "axis": [1.0, 0.0, 0.0], "stiffness_N_m": k, "travel_m": 0.2}
    result = simulate(rig({"mass": body(m, 1.0, joint)}), n * h, h, n * h)
    energy = result["energy.kinetic_J"] + result["energy.potential_J"]
    z = h * np.sqrt(k / m)
    # |R(iz)|^2, n times; rounding of n steps
    assert energy[-1] / energy[0] == pytest.approx((1.0 - z**6 / 72.0 + z**8 / 576.0) ** n, rel=1e-11)
