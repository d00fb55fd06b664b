"""Limits that act: drives are cut off, slow down near their rate limit, stops push back; corners are located."""

import numpy as np
import pytest
from scipy.optimize import brentq

from docksim.chain.motion.runs import run_free, run_program
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import load_task
from tests.unit.chain.tasks import task_of

FLYWHEEL = {"type": "revolute", "name": "wheel", "alpha_deg": 0.0, "a_m": 0.0, "d_m": 0.0, "rotor_inertia_kg_m2": 2.0}


def wheel(**keys):
    return {"denavit_hartenberg": [{**FLYWHEEL, **keys}]}


def test_servo_that_saturates_is_its_closed_form_in_pieces():
    # J q'' = clip(k (1 - q) - c q'): parabolas while saturated, critically damped between
    J, k, c, most, end = 2.0, 200.0, 40.0, 20.0, 1.2
    w = np.sqrt(k / J)

    def parabola(sign):
        a = sign * most / J
        return lambda s, q, v: (q + v * s + 0.5 * a * s * s, v + a * s)

    def damped(s, q, v):
        e, slope = q - 1.0, v + w * (q - 1.0)
        return 1.0 + np.exp(-w * s) * (e + slope * s), np.exp(-w * s) * (slope - w * (e + slope * s))

    def asked(s, law, state):
        q, v = law(s, *state)
        return k * (1.0 - q) - c * v

    # pieces: full ahead, between, full astern, between; each ends where the law crosses its limit
    t, state, expected = 0.0, (0.0, 0.0), []
    rows = np.linspace(0.0, end, 61)
    for law, level in ((parabola(1), most), (damped, -most), (parabola(-1), -most), (damped, None)):
        length = end - t
        if level is not None:
            grid = np.linspace(1e-6, end - t, 4000)
            beyond = [asked(s, law, state) - level for s in grid]
            first = next(i for i in range(1, len(grid)) if beyond[i - 1] * beyond[i] < 0)
            bracket = grid[first - 1], grid[first]
            length = brentq(lambda *a: asked(*a[:3]) - a[3], *bracket, args=(law, state, level), xtol=1e-15)
        inside = rows[(rows >= t) & (rows < t + length)] if level is not None else rows[rows >= t]
        expected += [law(s - t, *state)[0] for s in inside]
        state, t = law(length, *state), t + length
    servo = {"angle_deg": float(np.degrees(1.0)), "stiffness_Nm_rad": k, "damping_Nms_rad": c}
    drives = {"wheel": {"servo": servo}}
    keys = {"duration_s": end, "output_s": 0.02, "tolerance": 1e-11, "drives": drives}
    motion = run_free(task_of(wheel(torque_limit_Nm=most), **keys))
    assert motion.q[:, 0] == pytest.approx(np.array(expected), abs=1.6e-9)
    assert np.abs(motion.force).max() <= most
    assert np.abs(motion.residual_J).max() < 1e-8
    assert any("drive of wheel at its limit" in note for note in motion.notes)


def test_drive_near_its_rate_limit_follows_the_exponential():
    most, rate, J = 6.0, 1.5, 2.0
    chain = wheel(torque_limit_Nm=most, rate_limit_deg_s=float(np.degrees(rate)))
    drives = {"wheel": {"torque_Nm": 9.0}}
    motion = run_free(task_of(chain, duration_s=3.0, output_s=0.1, tolerance=1e-11, drives=drives))
    expected = rate * (1.0 - np.exp(-most * motion.time_s / (J * rate)))
    assert motion.rates[:, 0] == pytest.approx(expected, abs=1e-9)
    # asked to go back, it brakes with all it has, faster than its limit or not
    back = {"wheel": {"torque_Nm": -9.0}}
    start = {"wheel": {"rate_deg_s": float(np.degrees(2.0))}}
    braked = run_free(task_of(chain, duration_s=0.6, output_s=0.1, tolerance=1e-11, drives=back, initial=start))
    assert braked.rates[:, 0] == pytest.approx(2.0 - most / J * braked.time_s, abs=1e-12)
    # beyond the rate limit it does not push
    fast = run_free(task_of(chain, duration_s=0.6, output_s=0.1, drives=drives, initial=start))
    assert fast.rates[:, 0] == pytest.approx(2.0, abs=1e-12)


def test_stop_throws_back_as_a_spring_does_and_takes_energy_with_damping():
    J, k, v, gap = 2.0, 5000.0, 0.8, 0.1
    limits = {"upper_deg": float(np.degrees(gap)), "stop_stiffness_Nm_rad": k, "stop_damping_s_rad": 0.0}
    start = {"wheel": {"rate_deg_s": float(np.degrees(v))}}
    keys = {"duration_s": 0.6, "output_s": 0.01, "tolerance": 1e-11, "initial": start}
    motion = run_free(task_of(wheel(**limits), **keys))
    meets, touches = gap / v, np.pi * np.sqrt(J / k)
    # half a swing on the spring, then back with the same rate
    assert motion.q[-1, 0] == pytest.approx(gap - v * (0.6 - meets - touches), abs=1e-9)
    assert 0.6 * motion.limited[1, 0] == pytest.approx(touches, abs=1e-9)
    on_it = (motion.time_s > meets) & (motion.time_s < meets + touches)
    depth = v * np.sqrt(J / k) * np.sin(np.sqrt(k / J) * (motion.time_s[on_it] - meets))
    assert motion.q[on_it, 0] == pytest.approx(gap + depth, abs=1e-9)
    lossy = run_free(task_of(wheel(**{**limits, "stop_damping_s_rad": 0.6}), **keys))
    # Hunt and Crossley: for small c v the rebound is v (1 - 2 c v / 3)
    assert -lossy.rates[-1, 0] / v == pytest.approx(1.0 - 2.0 * 0.6 * v / 3.0, abs=0.08)
    assert np.abs(lossy.residual_J).max() < 1e-8
    assert lossy.work_J[-1, 3] < -0.1
    # the lower stop is the mirror of the upper one
    mirrored = {"lower_deg": -limits["upper_deg"], "stop_stiffness_Nm_rad": k, "stop_damping_s_rad": 0.6}
    back = {"wheel": {"rate_deg_s": -start["wheel"]["rate_deg_s"]}}
    assert run_free(task_of(wheel(**mirrored), **{**keys, "initial": back})).q == pytest.approx(-lossy.q, abs=1e-13)


def circle(factor=None, torque=None):
    """The shipped task with the limits of its drives changed; none if neither is given."""
    shipped = load_task("configs/tasks/puma_circle.yaml")
    rows = [row.model_dump(exclude_unset=True) for row in shipped.chain.denavit_hartenberg]
    for row in rows:
        limit = row.pop("torque_limit_Nm")
        if factor or torque:
            row["torque_limit_Nm"] = torque or factor * limit
    chain = {"gravity_m_s2": list(shipped.chain.gravity_m_s2), "denavit_hartenberg": rows}
    keys = shipped.task.model_dump(exclude_unset=True, exclude={"chain", "name"})
    return task_of(chain, **{**keys, "duration_s": 0.5, "output_s": 0.05})


def test_weak_drives_miss_the_circle_and_strong_ones_do_not():
    free, strong = run_program(circle()), run_program(circle(factor=100.0))
    assert strong.q == pytest.approx(free.q, abs=1e-8)
    assert not strong.limited.any()
    weak = run_program(circle(torque=1.0))
    # it falls onto a stop on the way, and goes on
    assert weak.outcome == "completed"
    assert weak.limited[1].max() > 0.0
    assert weak.limited.max() <= 1.0
    assert weak.missed.max() > 1e-3
    assert np.abs(weak.force).max() <= 1.0 + 1e-12
    assert np.abs(weak.residual_J).max() < 1e-8
    assert any("drive of upper_arm at its limit" in note for note in weak.notes)
    assert any(note.startswith("the limits make it miss the program: tool.x by") for note in weak.notes)


def test_limit_of_a_drive_on_a_passive_joint_is_refused():
    with pytest.raises(Exception, match=r"torque_limit_Nm.*passive: true has not"):
        read_chain(wheel(passive=True, torque_limit_Nm=1.0))
