"""Motions with a closed form: torque-free rotation, pendulums on a rig, hinged bodies floating free."""

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from tests.oracle import free_body, pendulum
from tests.oracle.rotations import quat_matrix, random_quat
from tests.support.rigs import body, lone, rig, simulate, worst

AXIS_Z = [0.0, 0.0, 1.0]
COM = np.array([0.3, -0.2, 0.1])


# torque-free rotation


def tumble(moments, omega0, q0, velocity):
    """A lone body with its mass centre away from the frame's origin, mass centre started at W's origin."""
    R0 = quat_matrix(q0)
    keys = lone(
        12.0,
        moments,
        center_of_mass_m=COM.tolist(),
        position_m=(-R0 @ COM).tolist(),
        attitude={"quaternion": q0.tolist()},
        rate_deg_s=np.rad2deg(omega0).tolist(),
        velocity_m_s=(velocity - R0 @ np.cross(omega0, COM)).tolist(),
    )
    return simulate({"body": keys}, 40.0, 2e-3, 0.5)


def check_tumble(result, reference, velocity):
    """Rates, attitude and mass centre at every row."""
    t, q, w = result.time_s, result["body.attitude"], np.deg2rad(result["body.rate_deg_s"])
    R = np.array([quat_matrix(row) for row in q])
    centre = result["body.position_m"] + R @ COM
    # rk4 at 2 ms and 1.5 rad/s: (w h)^5 / 120 = 2e-15 a step, 20,000 steps, and phase errors grow with time
    assert worst(w, [reference.omega(s) for s in t]) < 3e-10
    assert worst(R, [reference.attitude(s) for s in t]) < 3e-10
    assert worst(centre, np.outer(t, velocity)) < 3e-10


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("axial", [0.4, 1.7])
def test_axisymmetric_body_follows_its_closed_form(axis, axial):
    rng = np.random.default_rng([axis, int(10 * axial)])
    q0, omega0, velocity = random_quat(rng), rng.uniform(-1.0, 1.0, 3), rng.normal(size=3)
    reference = free_body.AxisymmetricBody(1.0, axial, omega0, quat_matrix(q0), axis)
    result = tumble(np.diag(reference.inertia()), omega0, q0, velocity)
    check_tumble(result, reference, velocity)


@pytest.mark.parametrize("moments", [(1.0, 2.0, 2.5), (2.5, 2.0, 1.0), (1.0, 2.5, 2.0)])
@pytest.mark.parametrize("case", [0, 1])
def test_asymmetric_body_follows_jacobis_elliptic_functions(moments, case):
    rng = np.random.default_rng([11, case])
    q0, omega0, velocity = random_quat(rng), rng.uniform(-1.0, 1.0, 3), rng.normal(size=3)
    result = tumble(moments, omega0, q0, velocity)
    check_tumble(result, free_body.AsymmetricBody(moments, omega0, quat_matrix(q0)), velocity)


def test_shipped_brick_scenario_reaches_the_rates_of_nesc_check_case_2():
    case = free_body.NescBrick
    scenario = load_scenario("scenarios/tumbling_brick.yaml")
    moments = np.diag(scenario.vehicles["brick"].inertia_kg_m2.matrix())
    assert moments == pytest.approx(case.inertia_kg_m2, rel=1e-12)
    result = docksim.run("scenarios/tumbling_brick.yaml")
    assert result.time_s[-1] == case.duration_s
    error = result["brick.rate_deg_s"][-1] - case.final_rate_deg_s
    print(f"NESC brick after 30 s: error {np.abs(error).max():.2e} deg/s")
    # the reference is rounded to 1e-10 deg/s; rk4 at 1 ms adds 5e-11; the published tools differ by up to 3.3e-5
    assert np.abs(error).max() < 1.5e-10


# pendulums: hinges about z, hanging along +x in a uniform field made of a load at each mass centre


def weight(name, mass, com, gravity):
    return {"body": name, "position_m": [com, 0.0, 0.0], "force_N": [mass * gravity, 0.0, 0.0], "frame": "inertial"}


def hanging(chain, phi, rate=(0.0, 0.0)):
    """The chain on an anchored rig, links `link0`, `link1`, ...; phi and rate are absolute angles [rad]."""
    bodies, loads = {}, {}
    angles, rates = (np.rad2deg(np.diff(x, prepend=0.0)) for x in (phi, rate))
    for i, m in enumerate(chain.mass):
        joint = {
            "type": "revolute",
            "axis": AXIS_Z,
            "position_m": [chain.length[i - 1] if i else 0.0, 0.0, 0.0],
            "angle_deg": float(angles[i]),
            "rate_deg_s": float(rates[i]),
            "stiffness_Nm_rad": chain.stiffness[i],
        }
        parent = f"link{i - 1}" if i else "base"
        bodies[f"link{i}"] = body(m, chain.inertia[i] * np.ones(3), joint, (chain.com[i], 0.0, 0.0), parent)
        loads[f"weight{i}"] = weight(f"link{i}", m, chain.com[i], chain.gravity)
    return rig(bodies, loads=loads)


def absolute_angles(result, vehicle, links, channel="angle_deg"):
    return np.cumsum(np.deg2rad([result[f"{vehicle}.{link}.{channel}"] for link in links]), axis=0).T


DOUBLE = pendulum.PlanarChain(
    mass=np.array([2.0, 1.5]),
    inertia=np.array([0.2, 0.1]),
    com=np.array([0.5, 0.35]),
    length=np.array([0.9, 0.0]),
    stiffness=np.array([0.0, 1.2]),
    gravity=9.81,
)


def test_double_pendulum_follows_lagranges_equations_at_large_angles():
    start, speed = np.array([1.5, -0.7]), np.array([-1.0, 2.0])
    result = simulate(hanging(DOUBLE, start, speed), 5.0, 2.5e-4, 0.05)
    phi, rate = DOUBLE.motion(start, speed, result.time_s)
    links = ("link0", "link1")
    error = worst(absolute_angles(result, "rig", links), phi)
    print(f"double pendulum over 5 s: error {error:.2e} rad")
    # rk4: 8e-9 at 1 ms, falling at least sixteenfold with each halving, 1.2e-11 here; rates are ten times as large
    assert error < 1e-10
    assert worst(absolute_angles(result, "rig", links, "angle_rate_deg_s"), rate) < 1e-9


def test_two_equal_simple_pendulums_swing_at_the_textbook_frequencies():
    g, length, speck = 9.81, 0.8, 1e-12
    chain = pendulum.PlanarChain(
        np.ones(2), np.full(2, speck), np.full(2, length), np.full(2, length), np.zeros(2), gravity=g
    )
    for sign in (-1.0, 1.0):
        w = np.sqrt((2.0 + sign * np.sqrt(2.0)) * g / length)
        # modes: second angle = -+ sqrt(2) times the first
        amplitude = 1e-6 * np.array([1.0, -sign * np.sqrt(2.0)])
        result = simulate(hanging(chain, amplitude), 10.0, 1e-3, 0.05)
        expected = np.cos(w * result.time_s)[:, None] * amplitude
        # relative: amplitude squared and inertia (1e-12 each), and rk4 (1e-11 a radian), times 60 rad of phase
        assert worst(absolute_angles(result, "rig", ("link0", "link1")), expected) < 1e-6 * 1e-8


def test_double_pendulum_with_spring_has_its_two_small_amplitude_frequencies():
    M, K = DOUBLE.small_matrices()
    for w in pendulum.double_pendulum_frequencies(DOUBLE):
        # mode shape: null vector of K - w^2 M
        shape = np.linalg.svd(K - w * w * M)[2][-1]
        amplitude = 1e-5 * shape
        result = simulate(hanging(DOUBLE, amplitude), 10.0, 1e-3, 0.05)
        expected = np.cos(w * result.time_s)[:, None] * amplitude
        # amplitude squared times phase: 1e-10 * 100 rad
        assert worst(absolute_angles(result, "rig", ("link0", "link1")), expected) < 1e-5 * 1e-7


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_compound_pendulum_has_its_exact_period_at_any_amplitude(amplitude):
    m, inertia, com, g = 3.0, 0.4, 0.6, 9.81
    period = pendulum.compound_pendulum_period(m, inertia, com, g, amplitude)
    one = pendulum.PlanarChain(*(np.array([x]) for x in (m, inertia, com, com, 0.0)), gravity=g)
    # 4000 steps a period: the quarters fall on steps
    result = simulate(hanging(one, [amplitude], [0.0]), period, period / 4000, period / 4)
    angle = np.deg2rad(result["rig.link0.angle_deg"])
    # rk4 with w h = 2e-3 over one period: 1e-12; slow turning near the top magnifies it
    assert worst(angle, amplitude * np.array([1.0, 0.0, -1.0, 0.0, 1.0])) < 1e-9


# hinged bodies floating free


FLOATING = pendulum.PlanarChain(
    mass=np.array([4.0, 2.0, 1.0]),
    inertia=np.array([0.5, 0.3, 0.05]),
    com=np.array([0.4, 0.3, 0.2]),
    length=np.array([1.0, 0.8, 0.0]),
    stiffness=np.array([0.0, 3.0, 2.0]),
    floating=True,
)


def floating(chain, start, speed=None):
    """Link 0 is the base, its frame at its inner end; start: x, y, absolute angles; speed: their rates."""
    speed = np.zeros_like(start) if speed is None else speed
    bodies = hanging(chain, start[2:], speed[2:])["rig"]["bodies"]
    first = bodies.pop("link0")
    bodies["link1"]["parent"] = "base"
    keys = {key: first[key] for key in ("mass_kg", "center_of_mass_m", "inertia_kg_m2")}
    degrees = np.rad2deg([start[2], speed[2]]).tolist()
    place = {"position_m": [start[0], start[1], 0.0], "attitude": {"rotation_vector_deg": [0.0, 0.0, degrees[0]]}}
    motion = {"velocity_m_s": [speed[0], speed[1], 0.0], "rate_deg_s": [0.0, 0.0, degrees[1]]}
    return {"ship": {**keys, **place, **motion, "bodies": bodies}}


def test_three_free_floating_links_follow_lagranges_equations():
    start, speed = np.array([0.2, -0.1, 0.3, 1.2, -0.6]), np.array([0.1, 0.0, 0.5, -1.0, 2.0])
    result = simulate(floating(FLOATING, start, speed), 5.0, 5e-4, 0.05)
    q, v = FLOATING.motion(start, speed, result.time_s)
    # rk4: 1.8e-9 at 1 ms, sixteen times less here
    assert worst(result["ship.position_m"][:, :2], q[:, :2]) < 1e-9
    assert worst(result["ship.velocity_m_s"][:, :2], v[:, :2]) < 1e-9
    assert worst(np.deg2rad(result["ship.rate_deg_s"][:, 2]), v[:, 2]) < 1e-9
    relative = np.deg2rad([result[f"ship.link{i}.angle_deg"] for i in (1, 2)]).T
    assert worst(relative, np.diff(q[:, 2:], axis=1)) < 1e-9


@pytest.mark.parametrize(
    ("arm_2", "amplitude", "tolerance"), [((0.6, 0.3, 0.0), 1e-7, 1e-6), ((0.0, 0.0, 0.0), 1.0, 1e-9)]
)
def test_free_floating_hinge_oscillates_at_its_reduced_inertia(arm_2, amplitude, tolerance):
    """Small swings of any pair; any swing where one mass centre lies on the hinge."""
    m1, I1, arm_1, m2, I2, k = 5.0, 0.8, np.array([0.7, -0.2, 0.0]), 2.0, 0.3, 4.0
    joint = {
        "type": "revolute",
        "axis": AXIS_Z,
        "position_m": arm_1.tolist(),
        "angle_deg": float(np.rad2deg(amplitude)),
        "stiffness_Nm_rad": k,
    }
    result = simulate({"ship": lone(m1, I1, bodies={"flap": body(m2, I2, joint, arm_2)})}, 10.0, 1e-3, 0.05)
    w = pendulum.hinge_frequency(k, m1, I1, arm_1, m2, I2, np.array(arm_2))
    # small swings: the arms turn with the angle, a relative error of a few amplitudes; exact case: rk4, below 1e-10
    expected = amplitude * np.cos(w * result.time_s)
    assert worst(np.deg2rad(result["ship.flap.angle_deg"]), expected) < tolerance * amplitude
