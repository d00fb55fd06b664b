"""Docking interfaces that collide: what hundreds of random impacts keep, symmetry, substeps, chunks."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance
from docksim.kernel.run.integrators import SMOOTH
from docksim.model import DONE, RUNNING, State
from tests.support import rigs
from tests.support.contact_rigs import (
    FACING,
    IDSS,
    approach,
    ball,
    docking_pair,
    energies,
    fresh,
    momenta,
    pair,
    place,
    plane,
    port,
    run,
)
from tests.support.rigs import lone, worst

AWAY = {"latches": None}


def placed(compiled, motion):
    """A's port at rest at the origin, B's coming."""
    state = fresh(compiled)
    at_A, at_B = (compiled.assembly.markers[port].place.position for port in ("a.dock", "b.dock"))
    place(state, 0, at_A, np.zeros(3), Rotation.identity(), np.zeros(3), np.zeros(3))
    place(state, 1, at_B, **motion)
    return state


def collide(compiled, motion, chunks=()):
    """The rows of the log and the final state."""
    state = placed(compiled, motion)
    rows = run(compiled, state, chunks)
    assert state.clock[0].status == DONE, state.clock[0]
    return rows, state


@pytest.fixture(scope="module")
def impacts():
    """Momenta, energies and contact of 120 seeded approaches at 0.5 m/s, each followed for 0.7 s."""
    rng = np.random.default_rng(4)
    compiled = docking_pair(0.7, 5e-4, AWAY, every=0.02)
    return [collide(compiled, approach(rng, 0.5)) for _ in range(120)]


def test_dozens_of_impacts_conserve_momentum(impacts):
    hits = 0
    for rows, state in impacts:
        h, p = momenta(rows)
        hits += state.contact[0].touches > 0
        # rounding of some thousand additions of equal and opposite wrenches
        assert worst(p, p[0]) < 1e-10 * np.linalg.norm(p[0])
        # about the origin, B's centre is 2.4 m away; RK4's own error in turning is 5e-11
        assert worst(h, h[0]) < 1e-10 * (np.linalg.norm(h[0]) + 2.4 * np.linalg.norm(p[0]))
    assert hits > 114


def test_no_impact_gives_energy(impacts):
    for rows, _ in impacts:
        energy, _ = energies(rows)
        assert (energy - energy[0]).max() < 1e-6 * energy[0]


def test_the_budget_of_every_impact_closes(impacts):
    worst_residual = []
    for rows, _ in impacts:
        energy, works = energies(rows)
        worst_residual.append(np.abs(energy - energy[0] - works).max() / energy[0])
    # contacts begin and end within steps of 0.5 ms, in a force law whose half period is a hundred of them
    assert np.quantile(worst_residual, 0.99) < 1e-4
    assert max(worst_residual) < 1e-3


def test_passing_over_pairs_that_cannot_be_near_changes_no_bit():
    rng = np.random.default_rng(14)
    compiled = docking_pair(0.7, 5e-4, every=0.1)
    touched = passed = 0
    for _ in range(12):
        # up to 1.5 m/s, and turning fast enough for petals to sweep in sideways
        motion = approach(rng, rng.uniform(0.3, 1.5))
        motion["w"] = rng.uniform(-0.6, 0.6, 3)
        _, usual = collide(compiled, motion)
        state = placed(compiled, motion)
        log, work = compiled.new_log(), new_work(compiled.model, state)
        while state.clock[0].status == RUNNING:
            passed += state.contact[0].clearance > 0.0
            state.contact[0].clearance = 0.0
            advance(compiled.model, state, work, log, 1)
        np.testing.assert_array_equal(state.q, usual.q)
        np.testing.assert_array_equal(state.beta, usual.beta)
        np.testing.assert_array_equal(state.work_done, usual.work_done)
        np.testing.assert_array_equal(state.contact.peak, usual.contact.peak)
        touched += state.contact[0].touches > 0
    assert touched > 8
    # of 42,000 steps; the rest are within the margin, or held by latches
    assert passed > 6_000


def symmetric_pair(duration, step, **sections):
    """Three-fold symmetric craft: mass centres on the axis, two equal moments."""
    idss = {"use": str(IDSS), **AWAY}
    a = lone(3000.0, [2000.0, 2500.0, 2500.0], ports=port(idss, position_m=[1.5, 0.0, 0.0]))
    b = lone(5000.0, [4000.0, 4500.0, 4500.0], ports=port(idss, position_m=[2.0, 0.0, 0.0]))
    b["position_m"] = [9.0, 0.0, 0.0]
    return compile_scenario(load_scenario(pair(a, b, duration, step, **sections)))


def pose(log, body):
    rows = log.body[:, body]
    return rows["position"], Rotation.from_quat(np.roll(rows["quaternion"], -1, axis=1))


MOTION = {
    "x": np.array([0.25, 0.05, 0.03]),
    "attitude": Rotation.from_rotvec(np.radians([3.0, 2.0, -3.0])) * FACING,
    "v": np.array([-0.1, 0.01, -0.02]),
    "w": np.radians([0.3, -0.2, 0.4]),
}


def test_turning_the_comer_by_a_third_about_the_axis_turns_everything():
    compiled = symmetric_pair(2.6, 5e-4, every=0.01)
    third = Rotation.from_euler("x", 120.0, degrees=True)
    turned = {
        "x": third.apply(MOTION["x"]), "attitude": third * MOTION["attitude"],
        "v": third.apply(MOTION["v"]), "w": MOTION["w"],
    }  # fmt: skip
    (one, end), (other, _) = collide(compiled, MOTION), collide(compiled, turned)
    assert end.contact[0].touches > 0
    for body in (0, 1):
        # rounding of the turned numbers, grown by the impacts
        assert worst(third.apply(pose(one, body)[0]), pose(other, body)[0]) < 1e-9


def test_a_mirrored_approach_gives_the_mirrored_motion():
    compiled = symmetric_pair(2.6, 5e-4, every=0.01)
    flip = np.diag([1.0, 1.0, -1.0])
    mirrored = {
        "x": flip @ MOTION["x"],
        "attitude": Rotation.from_matrix(flip @ MOTION["attitude"].as_matrix() @ flip),
        "v": flip @ MOTION["v"],
        "w": -flip @ MOTION["w"],
    }
    (one, end), (other, _) = collide(compiled, MOTION), collide(compiled, mirrored)
    assert end.contact[0].touches > 0
    for body in (0, 1):
        assert worst(pose(one, body)[0] @ flip, pose(other, body)[0]) < 1e-9


def final_bits(state):
    return np.concatenate([state.q, state.beta, state.work_done, state.contact["peak"].ravel()])


@pytest.mark.parametrize("substeps", [1, 4])
def test_chunks_and_logging_do_not_change_a_bit(substeps):
    settings = {"pair": {"substeps": substeps}}
    motion = approach(np.random.default_rng(7), 0.4)
    compiled = docking_pair(0.9, 5e-4, every=0.05, **settings)
    rows, state = collide(compiled, motion)
    chunked_rows, chunked = collide(compiled, motion, chunks=(1, 7, 130, 1, 400, 33))
    for name, table in rows.tables().items():
        assert table.tobytes() == chunked_rows.tables()[name].tobytes(), name
    np.testing.assert_array_equal(final_bits(state), final_bits(chunked))
    # logged rows look for wider gaps; that must not touch the motion
    _, dense = collide(docking_pair(0.9, 5e-4, every=5e-4, **settings), motion)
    np.testing.assert_array_equal(final_bits(state), final_bits(dense))
    assert state.contact[0].touches > 0


def never_whole(compiled, motion):
    """The final state of a run whose steps near contact are all cut, smooth or not."""
    state = placed(compiled, motion)
    log, work = compiled.new_log(), new_work(compiled.model, state)
    while state.clock[0].status == RUNNING:
        state.clock[0].smooth = 0
        advance(compiled.model, state, work, log, 1)
    return state


def test_parts_of_a_step_are_steps_of_that_length():
    motion = approach(np.random.default_rng(11), 0.4)
    cut = docking_pair(0.8, 1e-3, every=0.1, pair={"substeps": 8, "margin_m": 100.0})
    fine = docking_pair(0.8, 1.25e-4, every=0.1)
    one, (_, other) = never_whole(cut, motion), collide(fine, motion)
    assert one.contact[0].touches > 0
    # a thousandth over eight and 1.25e-4 are the same number, and no force here depends on the clock
    np.testing.assert_array_equal(one.q, other.q)
    np.testing.assert_array_equal(one.beta, other.beta)
    np.testing.assert_array_equal(one.contact["peak"], other.contact["peak"])
    # whatever is noted is noted at substeps as at steps
    np.testing.assert_array_equal(one.extreme_vehicle, other.extreme_vehicle)
    for field in ("rate", "lasting", "impact", "impact_peak", "R_AB", "p_AB", "w_AB", "v_AB"):
        np.testing.assert_array_equal(one.extreme_pair[field], other.extreme_pair[field])
    assert one.extreme_pair[0].impact_peak.max() > 0.0
    assert (one.clock[0].step, one.clock[0].substep, one.clock[0].substeps) == (800, 0, 1)
    assert one.clock[0].t == other.clock[0].t == 0.8


def steps_taken(compiled, motion, smooth):
    """State after every step, each tried whole or not, by `smooth`; and whether the next would be."""
    state = placed(compiled, motion)
    log, work = compiled.new_log(), new_work(compiled.model, state)
    while state.clock[0].status == RUNNING:
        start = State(*(table.copy() for table in state))
        state.clock[0].smooth = smooth
        advance(compiled.model, state, work, log, 1)
        yield start, state


def test_smooth_step_near_contact_is_a_whole_step():
    motion = approach(np.random.default_rng(11), 0.4)
    near, far = (docking_pair(0.3, 1e-3, AWAY, every=0.1, pair={"substeps": 8, "margin_m": m}) for m in (100.0, 1e-3))
    smooth = 0
    for (_, one), (_, other) in zip(steps_taken(near, motion, 1), steps_taken(far, motion, 0)):
        if one.contact[0].touching or other.contact[0].touching:
            break
        smooth += one.clock[0].smooth
        np.testing.assert_array_equal(one.q, other.q)
    assert smooth > 100


def test_rough_step_is_taken_back_and_cut_as_if_it_had_not_been_tried():
    motion = approach(np.random.default_rng(11), 0.4)
    compiled = docking_pair(0.8, 1e-3, every=0.1, pair={"substeps": 8, "margin_m": 100.0})
    again = placed(compiled, motion)
    log, work = compiled.new_log(), new_work(compiled.model, again)
    rough = 0
    for start, state in steps_taken(compiled, motion, 1):
        if state.clock[0].smooth or state.clock[0].status != RUNNING:
            continue
        for table, kept in zip(again, start):
            table[...] = kept
        again.clock[0].smooth = 0
        advance(compiled.model, again, work, log, 1)
        log.rows[0] = 0
        rough += 1
        # quaternions are normalised once more on the way back
        assert worst(state.q, again.q) < 1e-14
        assert worst(state.beta, again.beta) < 1e-13 * (1.0 + np.abs(again.beta).max())
        assert worst(state.work_done, again.work_done) < 1e-12
        np.testing.assert_array_equal(state.contact["touches"], again.contact["touches"])
    assert rough > 20


def test_parts_of_a_step_tell_whether_the_whole_one_is_smooth():
    """A body on a spring, near a plane that it never touches: its stages as a whole step has them, in plain numbers."""
    step, w, amplitude = 1e-3, 53.0, 1.5e-3

    def roughness(x, v):
        """How far apart the stages of rk4 put the end of x'' = -w^2 x, against what is allowed."""
        x2, v2 = x + 0.5 * step * v, v - 0.5 * step * w * w * x
        x3, v3 = x + 0.5 * step * v2, v - 0.5 * step * w * w * x2
        a, b, c, d = (-w * w * place for place in (x, x2, x3, x + step * v3))
        return step * step * max(abs(c - b), abs(a - b - c + d) / 6.0) / SMOOTH

    joint = {"type": "prismatic", "axis": [1.0, 0.0, 0.0], "stiffness_N_m": 10.0 * w * w, "travel_m": amplitude}
    slider = rigs.body(10.0, 1.0, joint)
    slider["ports"] = port(ball(0.05, centre=(0.1, 0.0, 0.0)))
    ground = lone(1.0, 1.0, anchored=True, ports=port(plane()))
    holder = lone(1.0, 1.0, anchored=True, bodies={"slider": slider})
    ports = {"ports": ["a.dock", "b.slider.dock"], "substeps": 4, "margin_m": 0.2}
    compiled = compile_scenario(load_scenario(pair(ground, holder, 0.4, step, pair=ports)))
    state, log = fresh(compiled), compiled.new_log()
    work, told = new_work(compiled.model, state), {0: [], 1: []}
    for _ in range(int(compiled.model.settings[0].n_steps)):
        rough = roughness(float(state.q[-1]), float(state.beta[-1]))
        advance(compiled.model, state, work, log, 1)
        # the verdict of the last part is three quarters of a step later
        if not 0.8 < rough < 1.25:
            told[int(rough < 1.0)].append(int(state.clock[0].smooth))
    assert all(len(verdicts) > 50 for verdicts in told.values())
    for expected, verdicts in told.items():
        assert set(verdicts) == {expected}


def test_smooth_steps_leave_loads_and_motion_after_impacts_as_they_are():
    rng = np.random.default_rng(5)
    compiled = docking_pair(0.8, 1e-3, AWAY, every=0.1, pair={"substeps": 8, "margin_m": 100.0})
    hits = 0
    for _ in range(20):
        motion = approach(rng, 0.4)
        (_, one), other = collide(compiled, motion), never_whole(compiled, motion)
        hits += other.contact[0].touches > 0
        # a step is whole while its stages agree to 1e-9 m; an impact is some 0.4 m/s, and some hundred steps follow
        assert worst(one.beta, other.beta) < 1e-4 * 0.4
        assert worst(one.contact["peak"], other.contact["peak"]) <= 1e-4 * other.contact["peak"].max()
    assert hits > 10


def test_parts_of_a_step_make_the_first_impact_converge():
    motion = approach(np.random.default_rng(3), 0.1)
    fine = docking_pair(4.0, 1e-4, AWAY, LIGHT, every=1e-4)
    rows, _ = collide(fine, motion)
    force = rows.contact["normal_force"][:, 0]
    begins = int(np.argmax(force > 0.0))
    ends = begins + int(np.argmax(force[begins:] == 0.0))
    assert 0 < begins < ends
    until = 1e-3 * round(ends / 10.0)
    reference = first_impact(motion, 1.25e-5, 1, until)
    whole, cut, finer = (abs(first_impact(motion, 1e-3, n, until) / reference - 1.0) for n in (1, 5, 10))
    # a touch of 3.8 ms: 1 ms is coarse; in parts of 0.2 ms the peak may lie 0.1 ms from the nearest one, which alone
    # costs up to (pi 0.1 / 3.8)^2 / 2 = 0.34 %, in parts of 0.1 ms a quarter of it
    assert whole > 1e-2
    assert cut < 4e-3
    assert finer < 1e-3


# as light as the ring of a docking mechanism
LIGHT = 0.01


def first_impact(motion, step, substeps, until):
    """Largest contact force before the first touch ends."""
    compiled = docking_pair(until, step, AWAY, LIGHT, every=until, pair={"substeps": substeps})
    _, state = collide(compiled, motion)
    return float(state.contact[0].group_peak[:4].max())
