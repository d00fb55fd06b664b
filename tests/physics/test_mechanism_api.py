"""docksim.Mechanism against the oracles: the matrix method, Pinocchio, Newton closure, textbook formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.config import ScenarioError
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.mechanism_loads import OutOfReach, Singular
from tests.oracle import mechanism_description as oracle
from tests.oracle import mechanism_page as page
from tests.oracle.mechanism_newton import newton_closure
from tests.oracle.mechanism_pinocchio import PinocchioMechanism
from tests.oracle.mechanism_random import Reference, random_mechanism, random_state
from tests.oracle.rotations import random_rotation, turn
from tests.support.mechanisms import SHIPPED, from_oracle, matrix, mechanism_keys, quaternion, to_oracle

TYPES: list[Any] = [*oracle.LEG_TYPES, oracle.LEG_TYPES]
CASES = [(seed, types) for types in TYPES for seed in range(2)]
every_case = pytest.mark.parametrize(
    ("seed", "types"), CASES, ids=lambda x: x if isinstance(x, (str, int)) else "mixed"
)
# the oracles agree with one another to 1e-11 or better; so must docksim with them
TOLERANCE = 1e-11


@cache
def case(seed: int, types: Any) -> tuple[Mechanism, oracle.Mechanism, oracle.State, Reference]:
    """A random mechanism, a state of large rates on a moving base, loads in every joint."""
    rng = np.random.default_rng(seed)
    theirs, reference = random_mechanism(rng, types)
    state = random_state(rng, theirs, reference, rate=2.0)
    return from_oracle(theirs, reference), theirs, state, reference


@cache
def newton_coordinates(seed: int, types: Any) -> list[np.ndarray]:
    """Joint coordinates of a case, leg by leg, by Newton from the reference."""
    _, theirs, state, reference = case(seed, types)
    starts = zip(theirs.legs, reference.p, strict=True)
    return [newton_closure(leg, state.r_C, state.R_C, start)[0] for leg, start in starts]


def arguments(state: oracle.State) -> dict[str, Any]:
    return {
        "ring_pose": (state.r_C, quaternion(state.R_C)),
        "ring_twist": state.u,
        "joint_forces": state.Q,
        "ring_wrench": state.W_C,
        "base_twist": np.concatenate([state.omega0, [3.0, -2.0, 1.0]]),
        "base_acceleration": state.A0,
    }


def wrenches(motion: Any) -> list[np.ndarray]:
    """(n, 6) of each leg, as the oracles have them."""
    return [np.array([np.concatenate([load.moment, load.force]) for load in leg]) for leg in motion.loads]


def flat(value: Any) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in value]) if isinstance(value, (list, tuple)) else np.ravel(value)


def error(ours: Any, theirs: Any) -> float:
    """Largest difference over the largest value; all legs together."""
    return float(np.max(np.abs(flat(ours) - flat(theirs))) / np.max(np.abs(flat(theirs))))


def assert_same(motion: Any, solution: oracle.Solution) -> None:
    assert error(motion.ring_acceleration, solution.u_dot) < TOLERANCE
    assert error(motion.joint_rates, solution.p_dot) < TOLERANCE
    assert error(motion.joint_accelerations, solution.p_ddot) < TOLERANCE
    assert error(wrenches(motion), solution.joint_wrench) < TOLERANCE
    assert error(motion.base_wrench, solution.base_wrench) < TOLERANCE
    at_ring = [cut[:3] for cut in solution.cut_force]
    assert error(-motion.ring_joint_wrench[:, 3:], np.array(at_ring)) < TOLERANCE


# ---------------------------------------------------------------- forward dynamics


@every_case
def test_forward_dynamics_equal_the_design_page(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    motion = ours.forward(**arguments(state))
    assert_same(motion, page.prescribed(theirs, state))
    reduced = page.reduce(theirs, state)
    assert error(motion.P_m, reduced.P_m) < TOLERANCE
    assert error(motion.z_m, reduced.z_m) < TOLERANCE


@every_case
def test_forward_dynamics_equal_pinocchio_with_closed_loops(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    p = newton_coordinates(seed, types)
    assert_same(ours.forward(**arguments(state)), PinocchioMechanism(theirs).prescribed(state, p))


@pytest.mark.parametrize("types", [*oracle.LEG_TYPES, oracle.LEG_TYPES], ids=str)
def test_the_papers_path_equals_pinocchio_with_closed_loops(types: Any) -> None:
    kernel, theirs, state, _ = case(5, types)
    p = newton_coordinates(5, types)
    joints = Mechanism(kernel.config, method="joints")
    assert_same(joints.forward(**arguments(state)), PinocchioMechanism(theirs).prescribed(state, p))


@every_case
def test_floating_base_moves_as_pinocchio_says_when_P_m_and_z_m_are_added_to_it(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    p = newton_coordinates(seed, types)
    base = oracle.Link(1000.0, np.array([-0.8, 0.1, 0.0]), np.diag([1500.0, 2200.0, 2000.0]))
    still = {**arguments(state), "base_acceleration": np.zeros(6)}
    motion = ours.forward(**still)
    M_0, F_0 = page.body_inertia(base, np.eye(3))[2], page.gyroscopic_wrench(base, np.eye(3), state.omega0)
    A_0 = np.linalg.solve(M_0 + motion.P_m, -F_0 - motion.z_m)
    solution = PinocchioMechanism(theirs, base).floating(state, p)
    assert error(A_0, solution.A0) < TOLERANCE
    assert_same(ours.forward(**{**still, "base_acceleration": A_0}), solution)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
@pytest.mark.parametrize("seed", range(2))
def test_shipped_mechanisms_equal_page_and_pinocchio(path: Path, seed: int) -> None:
    ours = Mechanism.load(path)
    theirs, rng = to_oracle(ours), np.random.default_rng(seed)
    position, attitude = np.array(ours.reference[0]), matrix(ours.config.reference.attitude)
    r_C, R_C = position + rng.uniform(-0.05, 0.05, 3), turn(rng.uniform(-0.06, 0.06, 3)) @ attitude
    Q = [100.0 * rng.normal(size=leg.n) for leg in theirs.legs]
    loads = 100.0 * rng.normal(size=6), rng.normal(size=3), rng.normal(size=6)
    state = oracle.State(r_C, R_C, rng.normal(size=6), Q, *loads)
    motion = ours.forward(**arguments(state))
    assert_same(motion, page.prescribed(theirs, state))
    p = [page.closure(leg, r_C, R_C)[0] for leg in theirs.legs]
    assert_same(motion, PinocchioMechanism(theirs).prescribed(state, p))


def test_one_force_a_leg_acts_on_the_driven_joint_alone() -> None:
    ours, theirs, state, _ = case(3, oracle.LEG_TYPES)
    forces = np.arange(1.0, 7.0)
    Q = [np.where(np.arange(leg.n) == oracle.ACTUATED[leg.type], f, 0.0) for leg, f in zip(theirs.legs, forces)]
    short = ours.forward(**{**arguments(state), "joint_forces": forces})
    full = ours.forward(**{**arguments(state), "joint_forces": Q})
    assert np.array_equal(short.ring_acceleration, full.ring_acceleration)


def test_velocity_of_the_base_does_not_matter() -> None:
    ours, _, state, _ = case(4, "UPS")
    slow = {**arguments(state), "base_twist": np.concatenate([state.omega0, np.zeros(3)])}
    assert np.array_equal(ours.forward(**slow).ring_acceleration, ours.forward(**arguments(state)).ring_acceleration)


# ---------------------------------------------------------------- joint loads


@every_case
def test_free_axis_passes_the_active_force_less_the_rotor_term(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    motion = ours.forward(**arguments(state))
    for k, leg in enumerate(theirs.legs):
        expected = state.Q[k] - leg.rotor_inertias() * motion.joint_accelerations[k]
        passed = np.array([load.free for load in motion.loads[k]])
        # loads of hundreds of newtons cancel on the free axis
        size = np.max(np.abs(wrenches(motion)[k])) + np.max(np.abs(expected))
        assert np.max(np.abs(passed - expected)) < 1e-11 * size


@every_case
def test_structural_load_is_the_wrench_without_its_free_component(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    motion, solution = ours.forward(**arguments(state)), page.prescribed(theirs, state)
    for k, leg in enumerate(theirs.legs):
        m = page.leg_motion(leg, state.r_C, state.R_C, state.u)
        expected = page.structural_loads(m, solution.joint_wrench[k])
        ours_k = [np.concatenate([load.structural_moment, load.structural_force]) for load in motion.loads[k]]
        assert error(ours_k, expected) < TOLERANCE
        assert np.allclose([load.axis for load in motion.loads[k]], m.axis, atol=1e-13)
        assert np.allclose([load.point for load in motion.loads[k]], m.r, atol=1e-13)


@every_case
def test_base_joints_together_carry_the_articulated_wrench(seed: int, types: Any) -> None:
    ours, _, state, _ = case(seed, types)
    motion = ours.forward(**arguments(state))
    total = np.zeros(6)
    for leg in motion.loads:
        first = leg[0]
        total += np.concatenate([first.moment + np.cross(first.point, first.force), first.force])
    assert error(total, motion.P_m @ state.A0 + motion.z_m) < 1e-10
    assert error(total, motion.base_wrench) < 1e-10


# ---------------------------------------------------------------- inverse dynamics


@every_case
def test_inverse_gives_back_the_forces_of_forward(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    driven = [oracle.ACTUATED[leg.type] for leg in theirs.legs]
    passive = [np.where(np.arange(len(Q)) == j, 0.0, Q) for Q, j in zip(state.Q, driven, strict=True)]
    wanted = {**arguments(state), "ring_acceleration": ours.forward(**arguments(state)).ring_acceleration}
    forces = ours.inverse(**{**wanted, "joint_forces": passive})
    # the Jacobian's condition multiplies rounding
    bound = 1e-13 * np.linalg.cond(ours.jacobian(wanted["ring_pose"]))
    assert error(forces, np.array([Q[j] for Q, j in zip(state.Q, driven, strict=True)])) < max(bound, 1e-12)


@every_case
def test_inverse_equals_the_design_page(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    wanted = np.random.default_rng(seed).normal(size=6)
    forces = ours.inverse(**arguments(state), ring_acceleration=wanted)
    bound = 1e-13 * np.linalg.cond(ours.jacobian(arguments(state)["ring_pose"]))
    assert error(forces, page.inverse(theirs, state, wanted)) < max(bound, 1e-12)


def test_inverse_of_a_singular_mechanism_is_refused() -> None:
    # all legs parallel: nothing drives the ring sideways
    legs = [{"type": "UPS", "base_joint_m": [0.0, y, z], "ring_joint_m": [0.0, y, z], "lower_length_m": 0.3,
             "upper_arm_m": 0.3} for y, z in np.random.default_rng(0).normal(size=(6, 2)).tolist()]  # fmt: skip
    ring = {"mass_kg": 10.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}
    flat_one = Mechanism.load({"ring": ring, "reference": {"position_m": [0.6, 0.0, 0.0]}, "legs": legs})
    with pytest.raises(Singular, match="singular value"):
        flat_one.inverse(flat_one.reference)


# ---------------------------------------------------------------- closure


def many_poses(rng: np.random.Generator, reference: Any, travel: float, angle: float, count: int) -> Any:
    r_C = reference.r_C + rng.uniform(-travel, travel, (count, 3))
    return r_C, np.array([turn(vector) @ reference.R_C for vector in rng.uniform(-angle, angle, (count, 3))])


@pytest.mark.parametrize("kind", oracle.LEG_TYPES)
@pytest.mark.parametrize("branch", [1, -1])
def test_closure_equals_newton_at_thousands_of_poses_of_each_type_on_both_branches(kind: str, branch: int) -> None:
    rng = np.random.default_rng(20)
    theirs, reference = random_mechanism(rng, kind)
    legs = tuple(replace(leg, sigma_e=branch * leg.sigma_e, sigma=branch * leg.sigma) for leg in theirs.legs)
    ours = from_oracle(oracle.Mechanism(legs, theirs.ring), reference)
    r_C, R_C = many_poses(rng, reference, 0.2, 0.4, 600)
    coordinates, status = ours.closures(r_C, R_C)
    compared = 0
    for k in (0, 3):
        leg = legs[k]
        clear = np.array([oracle.reach_margin(leg, *pose) > 0.02 for pose in zip(r_C, R_C, strict=True)])
        assert np.all(status[clear, k] == 0)
        p = coordinates[clear, k, : leg.n]
        start = p + rng.uniform(-0.02, 0.02, p.shape)
        found = newton_closure(leg, r_C[clear], R_C[clear], start, iterations=7)
        # rounding times 1 / sin(beta), up to 10 so near the border of reach; angles modulo a turn
        difference = np.abs(found - p)
        turns = np.array([name != "p" for name in oracle.JOINTS[kind]])
        difference[:, turns] = np.abs(np.remainder(difference[:, turns] + np.pi, 2 * np.pi) - np.pi)
        assert np.max(difference) < 1e-12
        compared += len(p)
    assert compared > 700


@pytest.mark.parametrize("kind", oracle.LEG_TYPES)
def test_unreachable_poses_are_all_flagged_and_nothing_is_ever_nan(kind: str) -> None:
    rng = np.random.default_rng(21)
    theirs, reference = random_mechanism(rng, kind)
    ours = from_oracle(theirs, reference)
    r_C = reference.r_C + rng.uniform(-1.5, 1.5, (800, 3))
    R_C = np.array([random_rotation(rng) for _ in r_C])
    coordinates, status = ours.closures(r_C, R_C)
    assert np.all(np.isfinite(coordinates))
    counts = np.zeros(2, int)
    for k, leg in enumerate(theirs.legs):
        margin = np.array([oracle.reach_margin(leg, *pose) for pose in zip(r_C, R_C, strict=True)])
        # closer than rounding to the border either answer is right
        sure = np.abs(margin) > 1e-12
        assert np.array_equal(status[sure, k] == 0, margin[sure] > 0.0)
        counts += [np.sum(margin > 0.0), np.sum(margin < 0.0)]
    assert counts[0] > 200
    assert kind in oracle.STEWART or counts[1] > 200


def test_leg_out_of_reach_is_named_with_its_values() -> None:
    ours, _, _, reference = case(5, "RUS")
    far = (reference.r_C + np.array([2.0, 0.0, 0.0]), quaternion(reference.R_C))
    with pytest.raises(
        OutOfReach, match=r"leg 1 \(RUS\): out of reach, the pose needs a rod of .* m, and this one has"
    ):
        ours.closure(far)
    flagged = ours.closure(far, strict=False)
    assert not flagged.reachable
    assert set(flagged.unreachable) == set(range(1, 7))
    assert all(np.all(np.isfinite(p)) for p in flagged.joints)
    with pytest.raises(OutOfReach):
        ours.forward(far)


@pytest.mark.parametrize("kind", oracle.LEG_TYPES)
def test_singular_poses_are_flagged_and_finite(kind: str) -> None:
    ours, theirs, _, reference = case(6, kind)
    for k, leg in enumerate(theirs.legs):
        # the ring joint on the first axis of the base joint: a universal joint at its singularity, a crank at rho = 0
        target = leg.l_0 + 0.5 * leg.R_0[:, 1]
        if kind not in oracle.STEWART:
            target = leg.l_0 + np.sqrt(abs(leg.l23**2 - leg.l12**2)) * leg.R_0[:, 1]
        for end in (target, leg.l_0):
            pose = (end - reference.R_C @ leg.l_C, quaternion(reference.R_C))
            closed = ours.closure(pose, strict=False)
            assert k + 1 in closed.unreachable
            assert all(np.all(np.isfinite(p)) for p in closed.joints)


@pytest.mark.parametrize("kind", ["SPU", "UCU"])
def test_mechanism_singular_at_its_reference_is_refused(kind: str) -> None:
    # the z axis of the ring's universal joint along the leg: nothing holds the link's spin
    h = math.sqrt(0.5)
    leg = {"type": kind, "lower_length_m": 0.3, "upper_arm_m": 0.3, "ring_axes": {"quaternion": [h, 0.0, h, 0.0]}}
    places = np.random.default_rng(0).normal(size=(6, 2)).tolist()
    legs = [{**leg, "base_joint_m": [0.0, y, z], "ring_joint_m": [0.0, y, z]} for y, z in places]
    ring = {"mass_kg": 10.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}
    with pytest.raises(ScenarioError, match=rf"at the reference pose, leg 1 \({kind}\): singular"):
        Mechanism.load({"ring": ring, "reference": {"position_m": [0.6, 0.0, 0.0]}, "legs": legs})


def test_strokes_beyond_their_limits_are_told_by_leg_and_value() -> None:
    ours = Mechanism.load(next(path for path in SHIPPED if path.stem == "nds_like"))
    assert ours.closure(ours.reference).within_limits
    position = np.array(ours.reference[0]) + [0.35, 0.0, 0.0]
    closed = ours.closure((position, (1.0, 0.0, 0.0, 0.0)))
    assert closed.reachable
    assert not closed.within_limits
    assert "leg 3 (UPS)" in closed.over_limits[3]
    assert "-0.2 to 0.2 m" in closed.over_limits[3]


# ---------------------------------------------------------------- Jacobian, stiffness, textbook


@every_case
def test_jacobians_are_those_of_the_closure_equations(seed: int, types: Any) -> None:
    ours, theirs, state, _ = case(seed, types)
    pose = arguments(state)["ring_pose"]
    for H, leg in zip(ours.joint_jacobians(pose), theirs.legs, strict=True):
        assert error(H, page.leg_motion(leg, state.r_C, state.R_C, np.zeros(6)).H) < TOLERANCE


def massless(theirs: oracle.Mechanism) -> oracle.Mechanism:
    nothing = oracle.Link(0.0, np.zeros(3), np.zeros((3, 3)))
    return oracle.Mechanism(
        tuple(replace(leg, first=nothing, second=nothing, rotors=()) for leg in theirs.legs), theirs.ring
    )


@pytest.mark.parametrize("kind", oracle.STEWART)
@pytest.mark.parametrize("seed", range(4))
def test_massless_hexapod_obeys_the_textbook_jacobian(kind: str, seed: int) -> None:
    _, theirs, state, reference = case(seed, kind)
    theirs = massless(theirs)
    ours = from_oracle(theirs, reference)
    pose, forces = (state.r_C, quaternion(state.R_C)), np.random.default_rng(seed).normal(size=6)
    arms = [state.R_C @ leg.l_C for leg in theirs.legs]
    spans = [state.r_C + arm - leg.l_0 for arm, leg in zip(arms, theirs.legs, strict=True)]
    J = np.array(
        [np.concatenate([np.cross(arm, d), d]) / np.linalg.norm(d) for arm, d in zip(arms, spans, strict=True)]
    )
    assert error(ours.jacobian(pose), J) < 1e-13
    M = page.body_inertia(theirs.ring, state.R_C)[2]
    right = state.W_C + J.T @ forces - page.gyroscopic_wrench(theirs.ring, state.R_C, state.u[:3])
    motion = ours.forward(pose, state.u, forces, state.W_C)
    assert error(motion.ring_acceleration, np.linalg.solve(M, right)) < 1e-12
    assert error(ours.inertia(pose), M) < 1e-13
    # a two-force member: the base joint carries the actuator's force along the leg, and no moment
    for leg, f, d in zip(motion.loads, forces, spans, strict=True):
        assert np.allclose(leg[0].force, f * d / np.linalg.norm(d), atol=1e-10)
        assert np.allclose(leg[0].moment, 0.0, atol=1e-10)


def with_springs(keys: dict[str, Any], stiffness: np.ndarray) -> dict[str, Any]:
    for leg, k in zip(keys["legs"], stiffness, strict=True):
        name = "stiffness_N_m" if leg["type"] in oracle.STEWART else "stiffness_Nm_rad"
        leg["actuator"][name] = float(k)
    return keys


@pytest.mark.parametrize("types", TYPES, ids=lambda x: x if isinstance(x, str) else "mixed")
def test_deflection_under_a_small_load_follows_from_the_stiffness_matrix(types: Any) -> None:
    rng = np.random.default_rng(30)
    theirs, reference = random_mechanism(rng, types)
    keys = mechanism_keys(theirs, reference.r_C, reference.R_C)
    ours = Mechanism.load(with_springs(keys, rng.uniform(500.0, 2000.0, 6)))
    K = ours.stiffness(ours.reference)
    assert np.allclose(K, K.T)
    assert np.min(np.linalg.eigvalsh(K)) > 0.0

    direction = rng.normal(size=6)
    left = []
    for size in (1e-4, 1e-5):
        load = size * direction
        x = np.linalg.solve(K, load)
        pose = (reference.r_C + x[3:], quaternion(turn(x[:3]) @ reference.R_C))
        springs = ours.spring_forces(pose)
        # at the predicted deflection springs and load balance, and the ring stays at rest
        left.append(error(-ours.jacobian(pose).T @ springs, load))
        still = ours.forward(pose, joint_forces=springs, ring_wrench=load).ring_acceleration
        pushed = ours.forward(ours.reference, ring_wrench=load).ring_acceleration
        assert np.max(np.abs(still)) < 0.05 * np.max(np.abs(pushed))
    # what is left is of second order: a tenth of the load leaves a tenth of it, down to rounding of the deflections
    assert left[1] < 0.01
    assert left[1] < 0.2 * left[0] + 1e-5


# ---------------------------------------------------------------- what callers get wrong


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ring_pose": ([0.4, 0.0], [1.0, 0.0, 0.0, 0.0])}, "ring_pose: expected"),
        ({"ring_pose": ([0.4, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0])}, "unit quaternion"),
        ({"ring_pose": ([np.nan, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])}, "finite"),
        ({"ring_twist": [0.0] * 5}, "ring_twist: expected 6"),
        ({"ring_wrench": [np.inf] * 6}, "ring_wrench: expected 6 finite"),
        ({"joint_forces": [1.0] * 5}, "5 entries for 6 legs"),
        ({"joint_forces": [[1.0, 2.0]] * 6}, "a UPS leg has y, z, stroke"),
        ({"joint_forces": [np.nan] * 6}, "not finite"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    ours = Mechanism.load(next(path for path in SHIPPED if path.stem == "nds_like"))
    with pytest.raises(ValueError, match=message):
        ours.forward(**{"ring_pose": ours.reference, **change})
