"""The mechanism oracles against each other: the matrix method, Pinocchio, Newton closure, and differences."""

from copy import deepcopy
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from tests.oracle import mechanism_page as page
from tests.oracle.mechanism_description import (
    ACTUATED,
    LEG_TYPES,
    LINKS,
    STEWART,
    Link,
    Mechanism,
    Solution,
    chain,
    reach_margin,
)
from tests.oracle.mechanism_newton import body_frames, newton_closure, residual
from tests.oracle.mechanism_pinocchio import PinocchioMechanism
from tests.oracle.mechanism_random import random_base, random_mechanism, random_poses, random_state
from tests.oracle.rotations import random_rotation, turn

# one mechanism per type, then mixtures of all
CASES = [(seed, kind) for kind in LEG_TYPES for seed in (1,)] + [(seed, LEG_TYPES) for seed in (3, 4)]
cases = pytest.mark.parametrize(("seed", "types"), CASES)


def case(seed, types):
    """Mechanism, state with rates near 2 (SI) and uniform gravity, joint coordinates by Newton from the reference."""
    rng, *rest = made(seed, types)
    return deepcopy(rng), *rest


@cache
def made(seed, types):
    rng = np.random.default_rng(seed)
    mechanism, reference = random_mechanism(rng, types)
    state = replace(random_state(rng, mechanism, reference, rate=2.0), gravity=rng.normal(size=3))
    p = [
        newton_closure(leg, state.r_C, state.R_C, start)[0]
        for leg, start in zip(mechanism.legs, reference.p, strict=True)
    ]
    return rng, mechanism, state, p


def relative_error(ours, theirs):
    """Largest difference over the largest value; lists over legs are taken together."""
    ours, theirs = (np.concatenate([np.ravel(x) for x in (y if isinstance(y, list) else [y])]) for y in (ours, theirs))
    return np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))


def assert_same(ours, theirs, tolerance=1e-11):
    for name in (f.name for f in fields(Solution)):
        assert relative_error(getattr(ours, name), getattr(theirs, name)) < tolerance, name


# small against the fastest legs, which turn at 20 rad/s
STEP = 2e-4


def difference(f):
    """Derivative of f at 0: central difference of sixth order."""
    return sum(w * (f(k * STEP) - f(-k * STEP)) for k, w in ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))) / STEP


# closure in position


@cases
def test_closure_finds_the_coordinates_a_leg_was_built_from(seed, types):
    mechanism, reference = random_mechanism(np.random.default_rng(seed), types)
    for leg, p in zip(mechanism.legs, reference.p, strict=True):
        assert np.allclose(page.closure(leg, reference.r_C, reference.R_C)[0], p, atol=1e-13)
        assert np.allclose(residual(leg, p, reference.r_C, reference.R_C), 0.0, atol=1e-14)


@pytest.mark.parametrize("kind", LEG_TYPES)
@pytest.mark.parametrize("branches", [(1, 1), (-1, -1)])
def test_analytic_closure_equals_newton_closure_on_both_branches(kind, branches):
    rng = np.random.default_rng(7)
    mechanism, reference = random_mechanism(rng, kind)
    for leg in mechanism.legs:
        leg = replace(leg, sigma_e=branches[0] * leg.sigma_e, sigma=branches[1] * leg.sigma)
        r_C, R_C = random_poses(rng, reference, 40, travel=0.2, angle=0.4)
        clear = [reach_margin(leg, *pose) > 0.02 for pose in zip(r_C, R_C)]
        r_C, R_C = r_C[clear], R_C[clear]
        assert len(r_C) > 8
        p = np.array([page.closure(leg, *pose)[0] for pose in zip(r_C, R_C)])
        assert np.max(np.abs(residual(leg, p, r_C, R_C))) < 1e-14
        start = p + rng.uniform(-0.02, 0.02, p.shape)
        # both are at rounding level, times 1 / sin(beta), at most 5 here
        assert np.max(np.abs(newton_closure(leg, r_C, R_C, start) - p)) < 1e-12


@pytest.mark.parametrize("kind", ["RUS", "RSU"])
def test_hunt_legs_are_out_of_reach_exactly_where_sphere_and_circle_do_not_meet(kind):
    rng = np.random.default_rng(8)
    mechanism, reference = random_mechanism(rng, kind)
    counts = {True: 0, False: 0}
    for leg in mechanism.legs:
        for _ in range(40):
            r_C, R_C = reference.r_C + rng.uniform(-1.0, 1.0, 3), random_rotation(rng)
            reachable = reach_margin(leg, r_C, R_C) > 0.0
            counts[reachable] += 1
            if reachable:
                assert np.all(np.isfinite(page.closure(leg, r_C, R_C)[0]))
            else:
                with pytest.raises(page.OutOfReach):
                    page.closure(leg, r_C, R_C)
    assert min(counts.values()) > 20


def test_newton_closure_out_of_reach_fails_loudly():
    mechanism, reference = random_mechanism(np.random.default_rng(9), "RUS")
    with pytest.raises(ValueError, match="not converged"):
        newton_closure(mechanism.legs[0], reference.r_C + 10.0, reference.R_C, reference.p[0])


# closure in velocity and acceleration


@cases
def test_joint_rates_are_the_derivatives_of_the_closure(seed, types):
    rng, mechanism, state, _ = case(seed, types)
    u_dot, u = rng.normal(size=6), state.u

    def moved(t):
        # a turn by a rotation vector t omega + t^2 omega' / 2 has rate omega and acceleration omega' at t = 0
        vector = t * u[:3] + 0.5 * t**2 * u_dot[:3]
        return state.r_C + t * u[3:] + 0.5 * t**2 * u_dot[3:], turn(vector) @ state.R_C

    for leg in mechanism.legs:
        m = page.leg_motion(leg, state.r_C, state.R_C, u)
        p = np.array([page.closure(leg, *moved(k * STEP))[0] for k in range(-3, 4)])
        # angles may pass +-pi, and small numbers are the more exact
        p = np.unwrap(p, axis=0) - p[3]
        first = p.T @ np.array([-1, 9, -45, 0, 45, -9, 1]) / (60.0 * STEP)
        second = p.T @ np.array([2, -27, 270, -490, 270, -27, 2]) / (180.0 * STEP**2)
        # rounding: 1e-15 / h and 1e-15 / h^2
        assert np.allclose(m.p_dot, first, rtol=1e-8, atol=1e-7)
        assert np.allclose(m.H @ u_dot + m.h, second, rtol=1e-6, atol=1e-5)


@cases
def test_body_frames_of_the_page_are_those_of_the_plain_chain(seed, types):
    _, mechanism, state, p = case(seed, types)
    for leg, coordinates in zip(mechanism.legs, p, strict=True):
        m = page.leg_motion(leg, state.r_C, state.R_C, state.u)
        r, R = body_frames(leg, coordinates)
        assert np.allclose(m.r, r[0], atol=1e-13)
        assert np.allclose(m.R, R[0], atol=1e-13)


# dynamics against Pinocchio


@cases
def test_page_agrees_with_pinocchio_on_a_base_of_prescribed_motion(seed, types):
    rng, mechanism, state, p = case(seed, types)
    reference = PinocchioMechanism(mechanism)
    # where the base is and how fast it drifts must not matter
    pose_WB, v0 = (rng.normal(size=3), random_rotation(rng)), rng.normal(size=3)
    assert np.max(np.abs(reference.constraint_residual(reference.configuration(state, p, pose_WB)))) < 1e-13
    assert_same(page.prescribed(mechanism, state), reference.prescribed(state, p, pose_WB, v0))


@cases
def test_page_agrees_with_pinocchio_on_a_fixed_base(seed, types):
    _, mechanism, state, p = case(seed, types)
    state = replace(state, omega0=np.zeros(3), A0=np.zeros(6), gravity=np.zeros(3))
    ours, theirs = page.prescribed(mechanism, state), PinocchioMechanism(mechanism).prescribed(state, p)
    assert np.all(theirs.A0 == 0.0)
    assert_same(replace(ours, A0=np.ones(6)), replace(theirs, A0=np.ones(6)))


@cases
@pytest.mark.parametrize("mass", [12_000.0, 50.0])
def test_page_agrees_with_pinocchio_on_a_floating_base(seed, types, mass):
    rng, mechanism, state, p = case(seed, types)
    base, W_B = random_base(rng, mass), 100.0 * rng.normal(size=6)
    pose_WB, v0 = (rng.normal(size=3), random_rotation(rng)), rng.normal(size=3)
    theirs = PinocchioMechanism(mechanism, base).floating(state, p, W_B, pose_WB, v0)
    assert_same(page.floating(mechanism, base, state, W_B), theirs)


@cases
def test_a_floating_base_moves_as_the_one_prescribed_to_move_so(seed, types):
    rng, mechanism, state, p = case(seed, types)
    free = PinocchioMechanism(mechanism, random_base(rng)).floating(state, p)
    assert_same(PinocchioMechanism(mechanism).prescribed(replace(state, A0=free.A0), p), free)


# joint loads


@cases
def test_base_joints_together_carry_the_articulated_wrench(seed, types):
    _, mechanism, state, _ = case(seed, types)
    solution, reduced = page.prescribed(mechanism, state), page.reduce(mechanism, state)
    felt = state.A0 - np.concatenate([np.zeros(3), state.gravity])
    total = page.sum_of_base_joints(mechanism, solution.joint_wrench)
    assert relative_error(total, reduced.P_m @ felt + reduced.z_m) < 1e-11


@cases
def test_free_axis_passes_the_active_force_less_the_rotor_term(seed, types):
    _, mechanism, state, p = case(seed, types)
    for solution in (page.prescribed(mechanism, state), PinocchioMechanism(mechanism).prescribed(state, p)):
        for k, leg in enumerate(mechanism.legs):
            m = page.leg_motion(leg, state.r_C, state.R_C, state.u)
            passed = [f @ page.free_axis(m, j) for j, f in enumerate(solution.joint_wrench[k])]
            expected = state.Q[k] - leg.rotor_inertias() * solution.p_ddot[k]
            assert np.allclose(passed, expected, rtol=1e-11, atol=1e-10)
            structural = page.structural_loads(m, solution.joint_wrench[k])
            assert np.allclose([f @ page.free_axis(m, j) for j, f in enumerate(structural)], 0.0, atol=1e-9)


@cases
def test_ring_is_in_balance_under_contact_and_cut_forces(seed, types):
    _, mechanism, state, _ = case(seed, types)
    solution = page.prescribed(mechanism, state)
    ring, rest, Phi_C = mechanism.ring, np.zeros(3), page.shift(state.r_C)
    motion = solution.u_dot + Phi_C @ (state.A0 - np.concatenate([rest, state.gravity]))
    inertial = page.body_inertia(ring, state.R_C)[2] @ motion
    inertial += page.bias_wrench(ring, state.R_C, state.r_C, state.u[:3], state.u[3:], rest, rest, state.omega0)
    # cut forces are those of the ring on the legs
    for leg, cut in zip(mechanism.legs, solution.cut_force, strict=True):
        inertial += page.leg_motion(leg, state.r_C, state.R_C, state.u).C_i.T @ cut
    assert relative_error(inertial, state.W_C) < 1e-11


# energy and momentum


def path(state, u_dot, V0, V0_rate):
    """Functions of time through the state, with its rates at t = 0: (state, base twist)."""

    def at(t):
        R_C = turn(t * state.u[:3]) @ state.R_C
        moved = replace(state, r_C=state.r_C + t * state.u[3:], R_C=R_C, u=state.u + t * u_dot)
        return moved, V0 + t * V0_rate

    return at


@cases
def test_power_of_all_loads_is_the_rate_of_kinetic_energy(seed, types):
    rng, mechanism, state, _ = case(seed, types)
    solution, v0 = page.prescribed(mechanism, state), rng.normal(size=3)
    V0 = np.concatenate([state.omega0, v0])
    # components of v0 on turning axes
    V0_rate = state.A0 - np.concatenate([np.zeros(3), np.cross(state.omega0, v0)])
    at = path(state, solution.u_dot, V0, V0_rate)
    rate = difference(lambda t: page.kinetic_energy(mechanism, *at(t)))
    weight = np.concatenate([np.zeros(3), state.gravity])
    power = solution.base_wrench @ V0 + state.W_C @ (state.u + page.shift(state.r_C) @ V0)
    power += sum(Q @ p_dot for Q, p_dot in zip(state.Q, solution.p_dot, strict=True))
    power += weight @ page.momentum(mechanism, state, V0)
    assert rate == pytest.approx(power, rel=1e-7, abs=1e-5)


@cases
def test_wrenches_on_the_mechanism_are_the_rate_of_its_momentum(seed, types):
    rng, mechanism, state, _ = case(seed, types)
    state = replace(state, gravity=np.zeros(3))
    solution, v0 = page.prescribed(mechanism, state), rng.normal(size=3)
    V0 = np.concatenate([state.omega0, v0])
    at = path(state, solution.u_dot, V0, state.A0 - np.concatenate([np.zeros(3), np.cross(state.omega0, v0)]))
    rate = difference(lambda t: page.momentum(mechanism, *at(t)))
    # transport: axes turn with omega0, and the point of reference moves with v0
    now = page.momentum(mechanism, state, V0)
    rate[:3] += np.cross(state.omega0, now[:3]) + np.cross(v0, now[3:])
    rate[3:] += np.cross(state.omega0, now[3:])
    assert np.allclose(solution.base_wrench + page.shift(state.r_C).T @ state.W_C, rate, rtol=1e-7, atol=1e-5)


@cases
def test_kinetic_energy_agrees_with_pinocchio_and_with_the_reduced_inertia(seed, types):
    rng, mechanism, state, p = case(seed, types)
    v0 = rng.normal(size=3)
    ours = page.kinetic_energy(mechanism, state, np.concatenate([state.omega0, v0]))
    assert ours == pytest.approx(PinocchioMechanism(mechanism).kinetic_energy(state, p, v0), rel=1e-12)
    A_star = page.reduce(mechanism, state).A_star
    assert page.kinetic_energy(mechanism, state, np.zeros(6)) == pytest.approx(0.5 * state.u @ A_star @ state.u)


@cases
def test_articulated_inertia_is_symmetric_and_between_nothing_and_the_locked_mechanism(seed, types):
    _, mechanism, state, _ = case(seed, types)
    reduced = page.reduce(mechanism, state)
    for P in (reduced.A_star, reduced.P_m, reduced.I_star - reduced.P_m):
        assert np.allclose(P, P.T, atol=1e-11)
        assert np.min(np.linalg.eigvalsh(P)) > -1e-11


# known special cases


def test_hexapod_with_massless_legs_obeys_the_textbook_jacobian():
    _, mechanism, state, _ = case(11, "UPS")
    nothing = Link(0.0, np.zeros(3), np.zeros((3, 3)))
    legs = tuple(replace(leg, first=nothing, second=nothing, rotors=()) for leg in mechanism.legs)
    mechanism = Mechanism(legs, mechanism.ring)
    strokes = np.random.default_rng(0).normal(size=6)
    state = replace(
        state, Q=[np.array([0.0, 0.0, f]) for f in strokes], omega0=np.zeros(3), A0=np.zeros(6), gravity=np.zeros(3)
    )
    rows = []
    for leg in legs:
        arm = state.R_C @ leg.l_C
        n = state.r_C + arm - leg.l_0
        n = n / np.linalg.norm(n)
        rows.append(np.concatenate([np.cross(arm, n), n]))
    J = np.array(rows)
    M = page.body_inertia(mechanism.ring, state.R_C)[2]
    right = state.W_C + J.T @ strokes - page.gyroscopic_wrench(mechanism.ring, state.R_C, state.u[:3])
    solution = page.prescribed(mechanism, state)
    assert np.allclose(solution.u_dot, np.linalg.solve(M, right), rtol=1e-12, atol=1e-12)
    assert np.allclose([p_dot[2] for p_dot in solution.p_dot], J @ state.u, atol=1e-12)
    # the base takes the leg forces and nothing else
    expected = sum(
        page.shift(leg.l_0).T @ np.concatenate([np.zeros(3), f * j[3:]]) for leg, f, j in zip(legs, strokes, J)
    )
    assert np.allclose(solution.base_wrench, expected, atol=1e-11)


@cases
def test_inverse_problem_gives_back_the_forces_of_the_forward_one(seed, types):
    _, mechanism, state, _ = case(seed, types)
    u_dot = page.prescribed(mechanism, state).u_dot
    driven = [ACTUATED[leg.type] for leg in mechanism.legs]
    passive = [
        np.where(np.arange(leg.n) == i, 0.0, Q) for leg, i, Q in zip(mechanism.legs, driven, state.Q, strict=True)
    ]
    forces = page.inverse(mechanism, replace(state, Q=passive), u_dot)
    assert np.allclose(forces, [Q[i] for Q, i in zip(state.Q, driven, strict=True)], rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("kind", LEG_TYPES)
def test_links_sit_after_the_joints_of_the_design_page(kind):
    mechanism, _ = random_mechanism(np.random.default_rng(0), kind)
    for leg in mechanism.legs:
        links = [joint.link for joint in chain(leg)]
        assert links[LINKS[kind][0]] is leg.first
        assert links[LINKS[kind][1]] is leg.second
        assert sum(link is not None for link in links) == 2


# what the paper leaves out


@cache
def exact_of(kind):
    _, mechanism, state, _ = case(12, kind)
    return page.prescribed(mechanism, state)


@pytest.mark.parametrize("kind", LEG_TYPES)
@pytest.mark.parametrize("name", [f.name for f in fields(page.Shortcuts)])
def test_each_shortcut_of_the_seed_changes_the_answer(kind, name):
    _, mechanism, state, _ = case(12, kind)
    exact = exact_of(kind)
    short = page.prescribed(mechanism, state, page.Shortcuts(**{name: True}))
    where = "base_wrench" if name == "zero_tip_load" else "u_dot"
    error = relative_error(getattr(short, where), getattr(exact, where))
    if name == "constant_offset" and kind not in STEWART:
        assert error == 0.0
    else:
        assert error > 1e-4
