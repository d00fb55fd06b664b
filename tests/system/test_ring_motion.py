"""Measured motion of vehicles and rings: what is written is what is read, and what cannot be is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.config.schema.leg_geometry import crank_reach
from docksim.config.schema.legs import RingPose
from docksim.simulation.run import outcome_of
from tests.support.rigs import Keys, lone
from tests.system.ring_rigs import ROOT, Follower

ASKEW = {"rotation_vector_deg": [20.0, -35.0, 50.0]}


def on_base(use: str = "nds_like", **keys: Any) -> Keys:
    """A turning vehicle with its mechanism off its origin, turned."""
    mechanism = {"use": str(ROOT / "configs" / "mechanisms" / f"{use}.yaml"), "position_m": [1.2, -0.4, 0.3],
                 "attitude": ASKEW, **keys}  # fmt: skip
    chaser = lone(900.0, [300.0, 400.0, 500.0], mechanism=mechanism, position_m=[3.0, -2.0, 1.0],
                  rate_deg_s=[4.0, -3.0, 6.0], velocity_m_s=[0.1, 0.2, -0.3],
                  attitude={"yaw_pitch_roll_deg": [40.0, 100.0, -130.0]})  # fmt: skip
    return {"vehicles": {"chaser": chaser, "other": lone(50.0, 10.0, position_m=[-9.0, 0.0, 0.0])},
            "solver": {"duration_s": 1.0, "step_s": 1e-3}, "outputs": {"every_s": 1e-3}}  # fmt: skip


def on_chain() -> Keys:
    """The same on the last of six bodies, with a joint of each kind between them."""
    place = {"position_m": [0.3, 0.1, -0.2], "attitude": ASKEW, "child_position_m": [-0.2, 0.1, 0.05],
             "child_attitude": {"rotation_vector_deg": [-70.0, 15.0, 30.0]}}  # fmt: skip
    turn, travel = {"angle_deg": 25.0, "rate_deg_s": 40.0}, {"travel_m": 0.07, "velocity_m_s": 0.2}
    joints: dict[str, Keys] = {
        "a": {"type": "revolute", "axis": [1.0, 2.0, -1.0], **turn},
        "b": {"type": "universal", "axis": [1.0, 0.0, 0.0], "axis_2": [0.0, 1.0, 0.0], "first": turn, "second": turn},
        "c": {"type": "cylindrical", "axis": [0.0, 1.0, 1.0], "rotation": turn, "translation": travel},
        "d": {"type": "spherical", "initial": ASKEW, "rate_deg_s": [30.0, -20.0, 10.0]},
        "e": {"type": "prismatic", "axis": [2.0, 0.0, 1.0], **travel},
        "f": {"type": "free", "initial": ASKEW, "offset_m": [0.1, 0.2, 0.3], "velocity_m_s": [0.3, 0.1, 0.0],
              "rate_deg_s": [9.0, 8.0, -7.0]},
    }  # fmt: skip
    keys, parents = on_base(parent="f"), ["base", *joints]
    keys["vehicles"]["chaser"]["bodies"] = {
        name: {**lone(80.0, 20.0), "parent": parent, "joint": {**place, **joint}}
        for (name, joint), parent in zip(joints.items(), parents)
    }
    return keys


def in_orbit() -> Keys:
    return {**on_base(), "environment": {"kind": "clohessy_wiltshire", "altitude_km": 400.0}}


def moved(frames: np.ndarray, rng: np.random.Generator, rigid: bool = True) -> np.ndarray:
    """Everything elsewhere in W, if told; the ring 5 mm and a degree off; twists as they come."""
    found, turn, shift = frames.copy(), Rotation.from_quat(rng.normal(size=4)), rng.uniform(-5.0, 5.0, 3)
    for i, frame in enumerate(found):
        attitude = Rotation.from_quat(np.roll(frame[3:7], -1))
        if rigid:
            frame[0:3], attitude = turn.apply(frame[0:3]) + shift, turn * attitude
        if i == 2:
            frame[0:3] += rng.uniform(-5e-3, 5e-3, 3)
            attitude = attitude * Rotation.from_rotvec(np.radians(rng.uniform(-1.0, 1.0, 3)))
        frame[3:7] = np.roll(attitude.as_quat(), 1)
        frame[7:13] = rng.uniform(-0.5, 0.5, 6)
    return found


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """Largest, whatever the sign of the quaternions."""
    sign = np.sign(np.sum(a[:, 3:7] * b[:, 3:7], axis=1))[:, None]
    return float(max(np.abs(a[:, 3:7] - sign * b[:, 3:7]).max(), np.abs(np.delete(a - b, range(3, 7), axis=1)).max()))


@pytest.mark.parametrize("scenario", [on_base, on_chain, in_orbit])
def test_motion_that_is_written_is_the_motion_that_is_read(scenario: Any) -> None:
    rng = np.random.default_rng(3)
    follower = Follower(scenario())
    frames = follower.frames()
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
        wanted = moved(frames, rng)
        assert follower.take([(i, wanted[i]) for i in order]) == ""
        # lengths of 10 m and rates of 1 / s through some ten products, to rounding
        assert difference(follower.frames(), wanted) < 2e-14
        frames = wanted
    # the ring alone, on a base that the model moves: one step of 1 ms makes 0.5 mm of it
    wanted = moved(follower.frames(), rng, rigid=False)
    assert follower.take([(2, wanted[2])]) == ""
    found = follower.frames()
    assert difference(found[2:], wanted[2:]) < 2e-14
    assert difference(found[:1], wanted[:1]) > 1e-4


def test_packet_with_one_impossible_entry_changes_nothing() -> None:
    follower, rng = Follower(on_base()), np.random.default_rng(4)
    wanted = moved(follower.frames(), rng)
    state = follower.run.compiled.state
    before = state.q.copy(), state.beta.copy()
    far, lame, endless = (wanted[2].copy() for _ in range(3))
    # a stroke has 0.2 m each way
    far[:3] += 0.5
    lame[3:7] *= 2.0
    endless[12] = np.inf
    for fault, entry in (("reach", (2, far)), ("value", (2, lame)), ("value", (2, endless)), ("index", (3, wanted[0]))):
        assert follower.take([(0, wanted[0]), entry, (1, wanted[1])]) == fault
    np.testing.assert_array_equal(state.q, before[0])
    np.testing.assert_array_equal(state.beta, before[1])


@pytest.mark.parametrize("use", ["nds_like", "apas_like", "ibdm_like", "mixed_legs", "sxds_like"])
def test_poses_refused_are_those_that_legs_cannot_have(use: str) -> None:
    follower, rng = Follower(on_base(use)), np.random.default_rng(5)
    frames, state = follower.frames(), follower.run.compiled.state
    part, joint = follower.run.compiled.assembly.mechanisms[0], follower.inputs._frames._hinges[2]
    told = {"": 0, "reach": 0}
    for size in np.repeat([0.01, 0.2, 0.6], 12):
        wanted = frames[2].copy()
        wanted[:3] += rng.uniform(-size, size, 3)
        fault = follower.take([(0, frames[0]), (2, wanted)])
        told[fault] += 1
        if fault == "":
            # written: its legs close, by the geometry that places them in files
            q = state.q[joint.q : joint.q + 7].tolist()
            pose = RingPose.model_validate({"position_m": q[:3], "attitude": {"quaternion": q[3:]}})
            cranks = [leg for leg in part.legs if hasattr(leg, "rod_m") and not any(leg.base_travel_m)]
            assert all(crank_reach(leg, pose).reaches(leg) for leg in cranks)
        assert size > 0.01 or fault == ""
    assert min(told.values()) > 0


def test_locked_ring_is_not_moved_and_must_be_told_where_it_is() -> None:
    follower = Follower(on_base(locked=True))
    frames = follower.frames()
    before = follower.run.compiled.state.q[14:21].copy()
    assert follower.take([(2, frames[2]), (0, frames[0]), (1, frames[1])]) == ""
    astray = frames[2].copy()
    astray[0] += 2e-3
    assert follower.take([(0, frames[0]), (2, astray)]) == "held"
    turned = frames[2].copy()
    turn = Rotation.from_quat(np.roll(turned[3:7], -1)) * Rotation.from_rotvec([2e-3, 0.0, 0.0])
    turned[3:7] = np.roll(turn.as_quat(), 1)
    assert follower.take([(0, frames[0]), (2, turned)]) == "held"
    np.testing.assert_array_equal(follower.run.compiled.state.q[14:21], before)


def test_motion_of_what_is_joined_is_refused() -> None:
    keys = on_base()
    keys["vehicles"]["chaser"]["ports"] = keys["vehicles"]["other"]["ports"] = {"hook": {"position_m": [0.0, 0.0, 0.0]}}
    keys["events"] = {"meet": {"when": {"time_s": 0.002}, "do": [{"join": ["other.hook", "chaser.hook"]}]}}
    follower = Follower(keys)
    frames = follower.frames()
    assert follower.take(enumerate(frames)) == ""
    for _ in range(4):
        follower.frames()
    # the chaser hangs on the other, and its ring with it
    assert [follower.take([(i, frames[i])]) for i in range(3)] == ["joined", "", "joined"]


def test_whatever_numbers_come_the_run_goes_on_or_ends_with_a_name() -> None:
    rng = np.random.default_rng(6)
    follower = Follower(on_base("mixed_legs"))
    frames, state = follower.frames(), follower.run.compiled.state
    strange = np.array([np.nan, np.inf, -np.inf, 1e300, 5e-324, -0.0, 1e6, -1e6, 0.0])
    taken = 0
    for _ in range(2000):
        entries = []
        for i in rng.permutation(5)[: rng.integers(1, 4)]:
            values = frames[min(i, 2)] + rng.normal(scale=10.0 ** rng.uniform(-12.0, 3.0), size=13)
            at = rng.random(13) < 0.05
            values[at] = rng.choice(strange, at.sum())
            entries.append((i, values))
        before = state.q.copy()
        fault = follower.take(entries)
        assert fault in ("", "index", "value", "reach"), fault
        # nothing that was refused is there, and nothing that is there is no number
        assert np.array_equal(before, state.q) or fault == ""
        assert np.isfinite(state.q).all()
        taken += fault == ""
    assert 50 < taken < 1000
    follower.run.advance(50)
    assert follower.run.running or outcome_of(follower.run.compiled)[0] in ("diverged", "failed", "over-stroke")
