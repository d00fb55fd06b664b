"""Each closed form against something else: a high-order integration, a finite-element model, or a known number."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.linalg import eigh
from scipy.special import ellipkinc

from tests.oracle import beam, free_body, orbit, oscillator, pendulum
from tests.oracle.rotations import quat_matrix, quat_rate, random_quat, random_rotation, turn
from tests.oracle.tree_description import random_inertia


def integrate(rate, y0, times):
    """DOP853 at the tightest tolerance it accepts; (k, size)."""
    span = (0.0, times[-1])
    return solve_ivp(rate, span, np.asarray(y0, float), "DOP853", t_eval=times, rtol=1e-13, atol=1e-14).y.T


# rotations


def test_quaternion_rate_turns_the_matrix_by_the_body_rate():
    rng = np.random.default_rng(1)
    q, omega, h = random_quat(rng), rng.normal(size=3), 1e-4
    half_step = [quat_matrix(q + s * h * quat_rate(q, omega)) for s in (0.5, -0.5)]
    # central difference: error of order h^2
    assert np.allclose(half_step[0], half_step[1] @ turn(h * omega), atol=1e-11)


# free body


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("axial", [0.4, 1.7])
def test_axisymmetric_body_follows_eulers_equations(axis, axial):
    rng = np.random.default_rng(axis)
    q0, times = random_quat(rng), np.linspace(0.0, 40.0, 9)
    body = free_body.AxisymmetricBody(1.0, axial, rng.normal(size=3), quat_matrix(q0), axis)
    omega, R = free_body.integrate_free_body(body.inertia(), body.omega0, q0, times)
    # the integration gathers about 1e-12 over 40 s
    for t, w, attitude in zip(times, omega, R, strict=True):
        assert np.allclose(body.omega(t), w, atol=1e-10)
        assert np.allclose(body.attitude(t), attitude, atol=1e-10)


MOMENTS = [(1.0, 2.0, 2.5), (2.0, 1.0, 2.5), (2.5, 2.0, 1.0), (1.0, 2.5, 2.0), (2.0, 2.5, 1.0), (2.5, 1.0, 2.0)]


@pytest.mark.parametrize("moments", MOMENTS)
def test_asymmetric_body_follows_eulers_equations(moments):
    rng = np.random.default_rng(7)
    times = np.linspace(0.0, 20.0, 5)
    # both families of polhodes, all signs
    for _ in range(6):
        q0, omega0 = random_quat(rng), rng.normal(size=3)
        body = free_body.AsymmetricBody(moments, omega0, quat_matrix(q0))
        omega, R = free_body.integrate_free_body(np.diag(moments), omega0, q0, times)
        # near the separatrix errors of the integration grow, hence 1e-9 after 20 s
        for t, w, attitude in zip(times, omega, R, strict=True):
            assert np.allclose(body.omega(t), w, atol=1e-9)
            assert np.allclose(body.attitude(t), attitude, atol=1e-9)


def test_asymmetric_body_rates_repeat_after_one_period():
    body = free_body.AsymmetricBody([1.0, 2.0, 3.0], [0.4, -0.8, 1.3])
    assert np.allclose(body.omega(body.period() + 0.7), body.omega(0.7), atol=1e-13)


@pytest.mark.parametrize("axis", [0, 2])
def test_asymmetric_body_keeps_an_exact_spin_about_an_extreme_axis(axis):
    spin = -1.5 * np.eye(3)[axis]
    body = free_body.AsymmetricBody([1.0, 2.0, 3.0], spin)
    assert np.allclose(body.omega(3.3), spin, atol=1e-14)


def test_third_elliptic_integral_equals_its_quadrature():
    for n, phi, m in [(-0.7, 0.6, 0.3), (-2.0, 4.0, 0.8), (0.5, -7.0, 0.1), (-0.1, 12.0, 0.9)]:

        def integrand(x, n=n, m=m):
            return 1.0 / ((1.0 - n * np.sin(x) ** 2) * np.sqrt(1.0 - m * np.sin(x) ** 2))

        assert free_body.ellippi(n, phi, m) == pytest.approx(quad(integrand, 0.0, phi, limit=200)[0], abs=1e-9)
    assert free_body.ellippi(0.0, 5.0, 0.4) == pytest.approx(ellipkinc(5.0, 0.4), rel=1e-14)


def test_closed_form_reproduces_the_nesc_brick():
    case = free_body.NescBrick
    body = free_body.AsymmetricBody(case.inertia_kg_m2, np.deg2rad(case.rate_deg_s))
    final = np.rad2deg(body.omega(case.duration_s))
    # the constants are given to ten decimals
    assert np.allclose(final, case.final_rate_deg_s, rtol=0.0, atol=1e-9)


# pendulums


def simple_double_pendulum(m1, m2, l1, l2, g):
    """Point masses on massless rods."""
    lengths = np.array([l1, l2])
    return pendulum.PlanarChain(np.array([m1, m2]), np.zeros(2), lengths, lengths, np.zeros(2), gravity=g)


def spring_chain(links, floating):
    rng = np.random.default_rng(links)
    mass, length = rng.uniform(1.0, 3.0, links), rng.uniform(0.5, 1.5, links)
    stiffness = rng.uniform(1.0, 4.0, links)
    if floating:
        stiffness[0] = 0.0
    return pendulum.PlanarChain(mass, mass * length**2 / 10, 0.6 * length, length, stiffness, floating=floating)


def test_equal_double_pendulum_has_the_textbook_frequencies():
    slow, fast = pendulum.double_pendulum_frequencies(simple_double_pendulum(2.0, 2.0, 0.5, 0.5, 9.8))
    assert slow**2 == pytest.approx((2 - np.sqrt(2)) * 9.8 / 0.5, rel=1e-13)
    assert fast**2 == pytest.approx((2 + np.sqrt(2)) * 9.8 / 0.5, rel=1e-13)


def test_double_pendulum_acceleration_equals_the_textbook_formula():
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 1.4, 9.8
    a, b, wa, wb = 0.8, -1.1, 0.5, 1.7
    chain = simple_double_pendulum(m1, m2, l1, l2, g)
    # the usual explicit solution, angles from the vertical
    d = a - b
    den = 2 * m1 + m2 - m2 * np.cos(2 * d)
    first = -g * (2 * m1 + m2) * np.sin(a) - m2 * g * np.sin(a - 2 * b)
    first -= 2 * np.sin(d) * m2 * (wb**2 * l2 + wa**2 * l1 * np.cos(d))
    second = 2 * np.sin(d) * (wa**2 * l1 * (m1 + m2) + g * (m1 + m2) * np.cos(a) + wb**2 * l2 * m2 * np.cos(d))
    expected = [first / (l1 * den), second / (l2 * den)]
    assert np.allclose(chain.acceleration(np.array([a, b]), np.array([wa, wb])), expected, rtol=1e-12)


@pytest.mark.parametrize(("links", "floating"), [(2, False), (3, True)])
def test_chain_frequencies_are_those_of_the_integrated_motion(links, floating):
    chain = spring_chain(links, floating)
    M, K = chain.small_matrices()
    values, modes = eigh(K, M)
    frequencies = pendulum.double_pendulum_frequencies(chain)
    assert np.allclose(frequencies, np.sqrt(values), rtol=1e-12)
    # start in each mode's shape, look after one period
    for w, mode in zip(frequencies, modes.T, strict=True):
        angles = np.concatenate([[0.0, 0.0, 0.0], np.cumsum(mode)]) if floating else mode
        q, v = chain.motion(1e-5 * angles, np.zeros_like(angles), np.array([0.0, 2 * np.pi / w]))
        phi, spin = q[:, -links:], v[:, -links:]
        # corrections are cubic in the amplitude of 1e-5
        assert np.allclose(phi[1], phi[0], atol=1e-12)
        assert np.allclose(spin[1], 0.0, atol=1e-11)


@pytest.mark.parametrize(("links", "floating"), [(2, False), (3, True), (4, True)])
def test_chain_motion_keeps_energy(links, floating):
    chain = spring_chain(links, floating)
    size = links + 2 * floating
    rng = np.random.default_rng(3)
    q, v = chain.motion(rng.normal(size=size), rng.normal(size=size), np.linspace(0.0, 4.0, 5))
    energy = [chain.energy(*row) for row in zip(q, v, strict=True)]
    assert np.allclose(energy, energy[0], rtol=1e-11)


def test_compound_pendulum_period_at_large_amplitude():
    chain = pendulum.PlanarChain(*np.array([[2.0], [0.3], [0.7], [1.0], [0.0]]), gravity=9.8)
    period = pendulum.compound_pendulum_period(2.0, 0.3, 0.7, 9.8, amplitude=2.5)
    q, v = chain.motion(np.array([2.5]), np.array([0.0]), np.array([0.0, period]))
    assert np.allclose([q[1, 0], v[1, 0]], [2.5, 0.0], atol=1e-10)


def test_hinge_frequency_equals_that_of_a_two_link_chain():
    chain = spring_chain(2, floating=True)
    M, K = chain.small_matrices()
    arm_1, arm_2 = [chain.length[0] - chain.com[0], 0.0], [chain.com[1], 0.0]
    first, second = (chain.mass[0], chain.inertia[0], arm_1), (chain.mass[1], chain.inertia[1], arm_2)
    assert pendulum.reduced_inertia(*first, *second) == pytest.approx(M[0, 0], rel=1e-13)
    w = pendulum.hinge_frequency(chain.stiffness[1], *first, *second)
    assert w == pytest.approx(np.sqrt(K[0, 0] / M[0, 0]), rel=1e-13)


# beams


def finite_element_beam(elements, tip_mass=0.0):
    """Consistent mass and stiffness (Hermite cubics) of a beam with EI = L = m = 1; deflections and slopes per node."""
    h = 1.0 / elements
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2]])
    k = np.vstack([k, -k[0], [6 * h, 2 * h**2, -6 * h, 4 * h**2]]) / h**3
    m = np.array(
        [
            [156, 22 * h, 54, -13 * h],
            [22 * h, 4 * h**2, 13 * h, -3 * h**2],
            [54, 13 * h, 156, -22 * h],
            [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
        ]
    )
    K, M = np.zeros((2 * elements + 2,) * 2), np.zeros((2 * elements + 2,) * 2)
    for e in range(elements):
        part = slice(2 * e, 2 * e + 4)
        K[part, part] += k
        M[part, part] += m * h / 420
    M[-2, -2] += tip_mass
    return K, M


# elements of length h = 1/80 get the first four frequencies (b < 15) to (b h)^4 / 1440 < 1e-6
FE_TOLERANCE = 1e-6


@pytest.mark.parametrize("tip_mass", [0.0, 0.2, 3.0])
def test_cantilever_frequencies_equal_finite_elements(tip_mass):
    K, M = finite_element_beam(80, tip_mass)
    expected = np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)[:4])
    assert np.allclose(beam.cantilever_frequencies(1.0, 1.0, 1.0, 4, tip_mass), expected, rtol=FE_TOLERANCE)


def test_free_free_frequencies_equal_finite_elements():
    K, M = finite_element_beam(80)
    expected = np.sqrt(eigh(K, M, eigvals_only=True)[2:6])
    assert np.allclose(beam.free_free_frequencies(1.0, 1.0, 1.0, 4), expected, rtol=FE_TOLERANCE)


def test_beam_roots_are_the_tabulated_ones():
    assert np.allclose(beam.cantilever_roots(3), [1.8751040687, 4.6940911330, 7.8547574382], rtol=1e-10)
    assert np.allclose(beam.free_free_roots(2), [4.7300407449, 7.8532046241], rtol=1e-10)
    assert np.allclose(beam.clamped_pinned_roots(2), [3.9266023120, 7.0685827456], rtol=1e-10)
    # high roots tend to odd multiples of pi / 2
    assert beam.cantilever_roots(60)[-1] == pytest.approx(59.5 * np.pi, rel=1e-14)


def test_beam_frequencies_scale_with_their_units():
    base = beam.cantilever_frequencies(1.0, 1.0, 1.0)
    assert np.allclose(beam.cantilever_frequencies(50.0, 2.0, 3.0), base * np.sqrt(50.0 / (3.0 * 8.0)), rtol=1e-14)


def test_tip_deflection_and_slope_equal_finite_elements():
    K, _ = finite_element_beam(4)
    # a uniform load as consistent nodal forces; Hermite cubics are exact at the nodes
    force, moment, load = 0.3, -0.2, 0.7
    f = np.zeros(len(K))
    f[0::2], f[[0, -2]] = load / 4, load / 8
    f[1], f[-1] = load / 192, -load / 192
    f[-2:] += [force, moment]
    tip = np.linalg.solve(K[2:, 2:], f[2:])[-2:]
    assert np.allclose(beam.tip_deflection(1.0, 1.0, force, moment, load), tip, rtol=1e-11)


@pytest.mark.parametrize("tip_inertia", [0.0, 0.5])
def test_torsion_frequencies_equal_linear_elements(tip_inertia):
    N = 400
    K = N * (2 * np.eye(N) - np.eye(N, k=1) - np.eye(N, k=-1))
    M = (4 * np.eye(N) + np.eye(N, k=1) + np.eye(N, k=-1)) / (6 * N)
    K[-1, -1], M[-1, -1] = N, 2 / (6 * N) + tip_inertia
    expected = np.sqrt(eigh(K, M, eigvals_only=True)[:3])
    # linear elements: relative error (b h)^2 / 24 = 2e-5 for the third
    assert np.allclose(beam.torsion_frequencies(1.0, 1.0, 1.0, 3, tip_inertia), expected, rtol=3e-5)
    assert beam.tip_twist(4.0, 3.0, 2.0) == pytest.approx(1.5)


# orbit


def test_clohessy_wiltshire_matrix_solves_its_equations():
    n, times = 0.3, np.linspace(0.0, 50.0, 6)
    start = np.array([1.0, -2.0, 0.5, 0.1, 0.2, -0.3])

    def rate(_, y):
        return [*y[3:], 3 * n**2 * y[0] + 2 * n * y[4], -2 * n * y[3], -(n**2) * y[2]]

    for t, row in zip(times, integrate(rate, start, times), strict=True):
        assert np.allclose(np.concatenate(orbit.cw_propagate(n, start[:3], start[3:], t)), row, atol=1e-9)


def test_clohessy_wiltshire_is_the_limit_of_two_kepler_orbits():
    n = orbit.mean_motion(400.0)
    radius = (orbit.EARTH_MU / n**2) ** (1 / 3)
    offset, velocity, t = np.array([1.0, -2.0, 0.5]), np.array([1e-3, 2e-3, -1e-3]), 3000.0

    # inertial motion of the neighbour, seen from the rotating frame
    def rate(_, y):
        return np.concatenate([y[3:], -orbit.EARTH_MU * y[:3] / np.linalg.norm(y[:3]) ** 3])

    r0 = np.array([radius, 0.0, 0.0]) + offset
    end = integrate(rate, np.concatenate([r0, velocity + np.cross([0.0, 0.0, n], r0)]), np.array([0.0, t]))[-1]
    relative = turn([0.0, 0.0, -n * t]) @ end[:3] - [radius, 0.0, 0.0]
    # neglected terms: offset^2 / radius, below 1e-4 m for offsets of some 20 m
    assert np.allclose(relative, orbit.cw_propagate(n, offset, velocity, t)[0], atol=1e-4)


def test_pitch_libration_has_its_closed_form_period():
    n, I = 1e-3, np.array([1.0, 2.5, 3.0])
    pitch = orbit.libration_frequencies(n, *I)[0]
    angle = 1e-4
    q0 = np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    q, omega = orbit.libration(np.diag(I), n, q0, np.zeros(3), np.array([0.0, 2 * np.pi / pitch]))
    assert np.allclose(q[1], q0, atol=1e-10)
    assert np.allclose(omega[1], 0.0, atol=1e-10 * n)


def test_roll_yaw_libration_holds_its_two_closed_form_frequencies():
    n, I = 1e-3, np.array([1.0, 2.5, 3.0])
    _, slow, fast = orbit.libration_frequencies(n, *I)
    times = np.linspace(0.0, 40 / n, 400)
    q0 = np.array([1.0, 1e-5, -2e-5, 0.0])
    q, _ = orbit.libration(np.diag(I), n, q0, n * np.array([1e-5, 2e-5, 0.0]), times)
    columns = [f(w * times) for w in (slow, fast) for f in (np.cos, np.sin)]
    # two frequencies must explain both angles, up to terms quadratic in 1e-5
    residual = [np.linalg.lstsq(np.column_stack(columns), angle, rcond=None)[1][0] for angle in (q[:, 1], q[:, 2])]
    assert np.sqrt(max(residual) / len(times)) < 1e-9


# oscillators and joins


@pytest.mark.parametrize("damping", [0.0, 0.4, 4.0, 9.0])
def test_damped_oscillator_solves_its_equation(damping):
    m, k, x0, v0 = 2.0, 2.0, 0.7, -1.1
    times = np.linspace(0.0, 10.0, 11)
    y = integrate(lambda _, y: [y[1], -(damping * y[1] + k * y[0]) / m], [x0, v0], times)
    x, v = oscillator.damped_oscillator(m, damping, k, x0, v0, times)
    assert np.allclose(np.column_stack([x, v]), y, atol=1e-11)


@pytest.mark.parametrize("x0", [1.0, -1.0, 0.13, 0.05])
def test_coulomb_oscillator_follows_the_switched_equation_and_sticks(x0):
    m, k, f = 2.0, 30.0, 2.0
    body = oscillator.CoulombOscillator(m, k, f, x0)
    t, x, v = 0.0, x0, 0.0
    # one integration per half cycle, friction against the motion to come, ended at the turning point
    while abs(x) > f / k:
        sign = -np.sign(x)

        def stop(t, y):
            return y[1]

        stop.terminal, stop.direction = True, -sign
        part = solve_ivp(
            lambda _, y, sign=sign: [y[1], (-k * y[0] - f * sign) / m],
            (t, t + 10.0),
            [x, 1e-300 * sign],
            "DOP853",
            events=stop,
            dense_output=True,
            rtol=1e-12,
            atol=1e-14,
        )
        middle = 0.5 * (t + part.t[-1])
        assert np.allclose(body.motion(middle), part.sol(middle), atol=1e-9)
        t, x, v = part.t[-1], *part.y[:, -1]
    assert v == pytest.approx(0.0, abs=1e-9)
    assert np.allclose(body.sticking_point(), [t, x], atol=1e-9)
    assert body.motion(t + 1.0) == (body.sticking_point()[1], 0.0)


def test_push_off_velocities_equal_the_integrated_expansion():
    ma, mb, k, stroke, v = 3.0, 5.0, 40.0, 0.02, 0.1
    va, vb, duration = oscillator.push_off(ma, mb, k, stroke, v)

    def rate(_, y):
        push = k * (stroke - (y[1] - y[0]))
        return [y[2], y[3], -push / ma, push / mb]

    end = integrate(rate, [0.0, 0.0, v, v], np.array([0.0, duration]))[-1]
    assert np.allclose(end[2:], [va, vb], atol=1e-12)
    assert end[1] - end[0] == pytest.approx(stroke, rel=1e-10)
    assert ma * va + mb * vb == pytest.approx((ma + mb) * v, rel=1e-14)


def random_body(rng):
    mass, inertia = random_inertia(rng)
    R = random_rotation(rng)
    return oscillator.RigidBody(mass, R @ inertia @ R.T, *rng.normal(size=(3, 3)))


def test_inelastic_join_keeps_momentum_and_loses_energy():
    rng = np.random.default_rng(5)
    a, b = random_body(rng), random_body(rng)
    joined, loss = oscillator.join_rigid_bodies(a, b)
    assert np.allclose(joined.linear_momentum(), a.linear_momentum() + b.linear_momentum(), rtol=1e-13)
    assert np.allclose(joined.angular_momentum(), a.angular_momentum() + b.angular_momentum(), rtol=1e-12)
    assert loss > 0.0


def test_inelastic_join_of_bodies_that_move_as_one_loses_nothing():
    rng = np.random.default_rng(6)
    a, b = random_body(rng), random_body(rng)
    follow = a.velocity + np.cross(a.omega, b.position - a.position)
    b = oscillator.RigidBody(b.mass, b.inertia, b.position, follow, a.omega)
    joined, loss = oscillator.join_rigid_bodies(a, b)
    assert np.allclose(joined.omega, a.omega, rtol=1e-12)
    assert loss == pytest.approx(0.0, abs=1e-12 * joined.kinetic_energy())
