"""Drives of chains beyond position loops: velocity, samples, delay, friction that sticks; against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import docksim
from docksim.chain.motion.runs import ChainMotion, run_constrained, run_free
from docksim.config.checks.chain_task import task_faults
from docksim.config.loading.chain import read_chain
from docksim.config.schema.chain_task import ChainTask
from tests.unit.chain.tasks import ROW, task_of

J, F = 2.0, 3.0
WHEEL = {"type": "revolute", "name": "wheel", "alpha_deg": 0.0, "a_m": 0.0, "d_m": 0.0, "rotor_inertia_kg_m2": J}
SERVO = {"angle_deg": 30.0, "stiffness_Nm_rad": 50.0, "damping_Nms_rad": 12.0}


def turned(drive: dict[str, Any], duration: float, **keys: Any) -> ChainMotion:
    own = {name: keys.pop(name) for name in ("friction_Nm", "torque_limit_Nm", "damping_Nms_rad") if name in keys}
    chain = {"denavit_hartenberg": [{**WHEEL, **own}]}
    keys = {"output_s": 0.05, "tolerance": 1e-11, **keys}
    return run_free(task_of(chain, duration_s=duration, drives={"wheel": drive}, **keys))


def test_velocity_loop_reaches_its_rate_by_its_time_constant() -> None:
    motion = turned({"servo": {"mode": "velocity", "target_rate_deg_s": -20.0, "damping_Nms_rad": 5.0}}, 2.0)
    expected = -np.radians(20.0) * (1.0 - np.exp(-5.0 / J * motion.time_s))
    assert motion.rates[:, 0] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("late", [0, 1, 3])
def test_sampled_and_delayed_servo_is_the_recursion_by_hand(late: int) -> None:
    h = 0.05
    motion = turned({"servo": {**SERVO, "sample_s": h, "delay_s": late * h}}, 2.0)
    q, rate, waiting = 0.0, 0.0, [0.0] * late
    for k, t in enumerate(motion.time_s):
        assert t == pytest.approx(k * h, abs=1e-12)
        assert (motion.q[k, 0], motion.rates[k, 0]) == pytest.approx((q, rate), abs=1e-10)
        waiting.append(50.0 * (np.radians(30.0) - q) - 12.0 * rate)
        force = waiting.pop(0)
        if t < 1.99:
            # of the row's own instant, and until the next sample; the last row is the end, where nothing is sampled
            assert motion.force[k, 0] == pytest.approx(force, abs=1e-9)
        q, rate = q + rate * h + 0.5 * force / J * h * h, rate + force / J * h
    assert np.abs(motion.residual_J).max() < 1e-9


def test_rows_between_samples_have_the_force_that_is_held() -> None:
    motion = turned({"servo": {**SERVO, "sample_s": 0.07}}, 0.5, output_s=0.01)
    for one, two in zip(motion.force[:49, 0], motion.force[1:49, 0], strict=False):
        assert one == two or abs(one - two) > 1e-6
    assert len(set(motion.force[:49, 0])) == 7


def test_joint_that_is_pushed_too_little_rests_on_its_friction() -> None:
    """A bristle under a constant torque swings about its stretch, without creeping; above the level it slips."""
    d = np.radians(0.2)
    motion = turned({"torque_Nm": 0.4 * F, "presliding_deg": 0.2}, 1.0, friction_Nm=F)
    w = np.sqrt(F / d / J)
    assert motion.q[:, 0] == pytest.approx(0.4 * d * (1.0 - np.cos(w * motion.time_s)), abs=1e-9)
    assert not any("creep" in note for note in motion.notes)
    # the same torque creeps away where friction is rounded
    rounded = turned({"torque_Nm": 0.4 * F}, 1.0, friction_Nm=F)
    assert rounded.q[-1, 0] > 1.2 * np.abs(motion.q).max()
    assert any("creep" in note for note in rounded.notes)


def test_wheel_that_slips_stops_where_the_closed_form_says() -> None:
    """Coasting: from v the bristle takes d, then F brakes; at rest it swings back by twice d."""
    d, v = np.radians(0.5), 1.0
    start = {"wheel": {"rate_deg_s": float(np.degrees(v))}}
    motion = turned({"presliding_deg": 0.5}, 1.2, friction_Nm=F, initial=start, output_s=0.01)
    # energy to stretch the bristle, the rest by sliding
    slid = (0.5 * J * v * v - 0.5 * F * d) / F
    assert motion.q.max() == pytest.approx(d + slid, abs=1e-5)  # rows every 10 ms
    w, end = np.sqrt(F / d / J), d + slid
    late = motion.time_s > 1.0
    assert np.abs(motion.q[late, 0] - (end - d)).max() <= d * (1 + 1e-9)
    rebound = np.sqrt((motion.rates[late, 0] / w) ** 2 + (motion.q[late, 0] - (end - d)) ** 2)
    assert rebound == pytest.approx(d, abs=1e-8)
    assert np.abs(motion.residual_J).max() < 1e-9


def test_friction_sticks_as_on_a_vehicle() -> None:
    """The bristle of the kernel's joints, which takes steps of its own, against the one here."""
    drive = {"table": {"time_s": [0.0, 1.0, 2.0], "torque_Nm": [0.0, 5.0, 0.0]}, "presliding_deg": 0.3}
    motion = turned(drive, 3.0, friction_Nm=F, damping_Nms_rad=0.5)
    joint = {"type": "revolute", "axis": [0, 0, 1], "friction_Nm": F, "presliding_deg": 0.3, "damping_Nms_rad": 0.5}
    body = {"mass_kg": 1.0, "inertia_kg_m2": [J, J, J], "joint": {**joint, "torque_Nm": 5.0}}
    tug = {"mass_kg": 10.0, "inertia_kg_m2": [1, 1, 1], "anchored": True, "bodies": {"wheel": body}}
    constant = turned({"torque_Nm": 5.0, "presliding_deg": 0.3}, 1.0, friction_Nm=F, damping_Nms_rad=0.5)
    solver = {"duration_s": 1.0, "step_s": 0.0005}
    result = docksim.run({"vehicles": {"tug": tug}, "solver": solver, "outputs": {"every_s": 0.05}})
    # steps that do not stop where the bristle begins to slip: h² of 0.5 ms
    assert np.radians(result["tug.wheel.angle_deg"]) == pytest.approx(constant.q[:, 0], abs=1e-6)
    # after the push the wheel is held where it stopped
    assert np.ptp(motion.q[-3:, 0]) < 2.0 * np.radians(0.3)


def test_drives_act_beside_constraints() -> None:
    """Two equal links held parallel by a coupling: one sampled servo turns both."""
    chain = {"denavit_hartenberg": [{**WHEEL, "name": "one"}, {**WHEEL, "name": "two"}]}
    hold = [{"type": "coupling", "ratios": {"one": 1.0, "two": -1.0}}]
    drives = {"one": {"servo": {**SERVO, "sample_s": 0.02}}}
    motion = run_constrained(
        task_of(chain, duration_s=1.0, output_s=0.05, tolerance=1e-10, constraint=hold, drives=drives)
    )
    assert motion.q[:, 0] == pytest.approx(motion.q[:, 1], abs=1e-12)
    alone = turned({"servo": {**SERVO, "stiffness_Nm_rad": 25.0, "damping_Nms_rad": 6.0, "sample_s": 0.02}}, 1.0)
    assert motion.q[:, 0] == pytest.approx(alone.q[:, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        ({"servo": {**SERVO, "delay_s": 0.1}}, "needs sample_s; a continuous servo has no delay"),
        ({"servo": {**SERVO, "sample_s": 0.1, "delay_s": 0.15}}, "no whole multiple of sample_s 0.1 s"),
        ({"servo": {**SERVO, "target_rate_deg_s": 1.0}}, "belongs to mode: velocity"),
        ({"servo": {**SERVO, "mode": "velocity"}}, "belongs to mode: position; a velocity loop has a target_rate"),
        ({"servo": {"mode": "velocity", "target_rate_deg_s": 1.0}}, "needs damping_Nms_rad for a turning joint"),
        ({"servo": {"mode": "torque"}}, "Input should be 'position' or 'velocity'"),
    ],
)
def test_servo_that_cannot_be_is_refused(drive: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ChainTask(chain="c.yaml", duration_s=1.0, drives={"wheel": drive})


@pytest.mark.parametrize(
    ("drive", "message"),
    [
        ({"presliding_deg": 0.1}, "has no friction that could stick; give it friction_Nm"),
        ({"presliding_m": 0.1}, "presliding_m: the joint of 'wheel' is revolute; use presliding_deg"),
        ({"servo": {**SERVO, "sample_s": 1e-7}}, "makes 1e+07 samples; at most 100,000 are taken"),
        (
            {"servo": {"mode": "velocity", "target_rate_m_s": 1.0, "damping_Nms_rad": 1.0}},
            "target_rate_m_s: the joint of 'wheel' is revolute; use target_rate_deg_s",
        ),
    ],
)
def test_drive_that_does_not_fit_its_joint_is_refused(drive: dict[str, Any], message: str) -> None:
    task = ChainTask(chain="c.yaml", duration_s=1.0, drives={"wheel": drive})
    faults = list(task_faults(task, read_chain({"denavit_hartenberg": [{**ROW, "name": "wheel"}]})))
    assert message in " ".join(text for _, text in faults)
