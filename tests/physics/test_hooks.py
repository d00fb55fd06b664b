"""Hooks: how two ports stand, what hooks refuse, events that wait for their reach; outcomes that follow the state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.config import load_scenario
from docksim.result.pairs import JoinedPorts
from docksim.result.result import Result
from docksim.simulation.hooks import joined_ports
from docksim.simulation.run import new_run
from tests.physics.test_latches import latched, striking
from tests.support.contact_rigs import pair, port
from tests.support.rigs import Keys, lone

HOOKS = {"reach_m": 0.01, "window_m": 0.02, "tilt_deg": 1.0, "roll_deg": 2.0, "rate_m_s": 0.03, "overlap_m": 0.002}
WIDE = {"reach_m": 9.0, "window_m": 9.0, "tilt_deg": 90.0, "roll_deg": 180.0, "rate_m_s": 9.0, "overlap_m": 9.0}
PORTS = ["chaser.nose", "station.dock"]


def two(approach: Keys | None = None, nose: Keys | None = None, dock: Keys | None = None, **sections: Any) -> Keys:
    """A chaser that comes to a station, both turned and placed at random; hooks on either port."""
    rng = np.random.default_rng(5)

    def placed(hooks: Keys | None) -> Keys:
        turned = {"rotation_vector_deg": (60.0 * rng.normal(size=3)).tolist()}
        return {"position_m": rng.normal(size=3).tolist(), "attitude": turned, **({"hooks": hooks} if hooks else {})}

    chaser = lone(100.0, 20.0, ports={"nose": placed(nose)})
    station = lone(900.0, 400.0, ports={"dock": placed(dock)})
    station |= {
        "position_m": rng.normal(size=3).tolist(),
        "attitude": {"rotation_vector_deg": (70.0 * rng.normal(size=3)).tolist()},
        "rate_deg_s": rng.normal(size=3).tolist(),
        "velocity_m_s": rng.normal(size=3).tolist(),
    }
    come = {"active": PORTS[0], "passive": PORTS[1], "distance_m": 0.005, "closing_rate_m_s": 0.01, **(approach or {})}
    solver = {"duration_s": 0.01, "step_s": 0.001}
    vehicles = {"chaser": chaser, "station": station}
    return {"vehicles": vehicles, "approach": come, "solver": solver, "outputs": {"every_s": 0.001}, **sections}


def join_at(time: float = 0.0, ports: list[str] | None = None) -> Keys:
    return {"hooks": {"when": {"time_s": time}, "do": {"join": ports or PORTS}}}


def stand_at_start(scenario: Keys) -> JoinedPorts:
    run = new_run(load_scenario(scenario))
    run.advance(1)
    (found,) = joined_ports(run.compiled)
    return found


# ---------------------------------------------------------------- how ports stand


@pytest.mark.parametrize("ports", [PORTS, PORTS[::-1]])
def test_ports_stand_as_the_approach_puts_them(ports: list[str]) -> None:
    approach = {
        "distance_m": 0.3, "lateral_offset_m": [0.03, -0.04], "roll_deg": 1.7, "pitch_deg": -0.8, "yaw_deg": 2.5,
        "closing_rate_m_s": 0.12, "lateral_rate_m_s": [0.03, 0.04],
        "roll_rate_deg_s": 0.2, "pitch_rate_deg_s": -0.3, "yaw_rate_deg_s": 0.6,
    }  # fmt: skip
    found = stand_at_start(two(approach, events=join_at(0.005, ports)))
    assert (found.active, found.passive) == tuple(PORTS)
    assert found.stand["axial_m"] == pytest.approx(0.3, abs=1e-12)
    assert found.stand["lateral_m"] == pytest.approx(0.05, abs=1e-12)
    straight = math.cos(math.radians(2.5)) * math.cos(math.radians(0.8))
    assert found.stand["tilt_deg"] == pytest.approx(math.degrees(math.acos(straight)), abs=1e-9)
    assert found.stand["roll_deg"] == pytest.approx(1.7, abs=1e-9)
    assert found.stand["speed_m_s"] == pytest.approx(0.13, abs=1e-12)
    assert found.stand["rate_deg_s"] == pytest.approx(0.7, abs=1e-9)


def test_stand_is_that_of_rotation_matrices_made_elsewhere() -> None:
    scenario = two({"roll_deg": 31.0, "pitch_deg": 12.0, "yaw_deg": -25.0, "distance_m": 0.7}, events=join_at(0.005))
    del scenario["approach"]
    scenario["vehicles"]["chaser"] |= {
        "attitude": {"rotation_vector_deg": [20.0, -70.0, 35.0]},
        "rate_deg_s": [3, 1, 2],
    }
    frames = {}
    for name, place in (("chaser", "nose"), ("station", "dock")):
        body, at = scenario["vehicles"][name], scenario["vehicles"][name]["ports"][place]
        R = Rotation.from_rotvec(body["attitude"]["rotation_vector_deg"], degrees=True)
        spin = R.apply(np.radians(body["rate_deg_s"]))
        arm = R.apply(at["position_m"])
        turn = R * Rotation.from_rotvec(at["attitude"]["rotation_vector_deg"], degrees=True)
        move = np.asarray(body.get("velocity_m_s", [0.0] * 3)) + np.cross(spin, arm)
        frames[name] = np.asarray(body.get("position_m", [0.0] * 3)) + arm, turn, move, spin
    (x_A, R_A, v_A, w_A), (x_P, R_P, v_P, w_P) = frames["chaser"], frames["station"]
    x, y, z = R_P.inv().apply(x_A - x_P)
    facing = Rotation.from_euler("z", 180.0, degrees=True)
    _, _, roll = ((R_P * facing).inv() * R_A).as_euler("ZYX", degrees=True)
    tilt = math.degrees(math.acos(-float(R_A.apply([1, 0, 0]) @ R_P.apply([1, 0, 0]))))
    speed = np.linalg.norm(v_A - v_P - np.cross(w_P, x_A - x_P))
    rate = np.degrees(np.linalg.norm(w_A - w_P))
    expected = [x, math.hypot(y, z), tilt, roll, speed, rate]
    assert list(stand_at_start(scenario).stand.values()) == pytest.approx(expected, abs=1e-10)


# ---------------------------------------------------------------- joins that are refused


BEYOND = [
    ({"distance_m": 0.01001}, "axial 0.01001 m (-0.002 to 0.01)"),
    ({"lateral_offset_m": [0.012, 0.01601]}, "lateral 0.02001 m (at most 0.02)"),
    ({"pitch_deg": 0.0, "yaw_deg": 1.01}, "tilt 1.01 deg (at most 1)"),
    ({"roll_deg": -2.01}, "roll -2.01 deg (at most 2 either way)"),
    ({"roll_deg": 2.01}, "roll 2.01 deg (at most 2 either way)"),
    ({"closing_rate_m_s": 0.0301}, "speed 0.0301 m/s (at most 0.03)"),
]


@pytest.mark.parametrize(("approach", "text"), BEYOND)
def test_join_out_of_reach_ends_misaligned_with_the_figures(approach: Keys, text: str) -> None:
    result = docksim.run(two(approach, nose=HOOKS, events=join_at()))
    assert result.outcome == "misaligned"
    start = "event 'hooks' at t = 0 s: hooks of chaser.nose and station.dock cannot close: "
    assert result.reason.startswith(f"{start}{text}; within bounds: "), result.reason
    assert result.events[0].text.endswith("not carried out")
    assert len(result.time_s) == 1


@pytest.mark.parametrize(("approach", "text"), BEYOND)
def test_ports_that_never_come_in_reach_may_end_misaligned_with_the_figures(approach: Keys, text: str) -> None:
    give_up = {"stop": "the pull stalls", "outcome": "misaligned"}
    hooks = {"phase": "HOOKS", "when": {"in_reach": PORTS}, "do": {"join": PORTS}, "timeout_s": 0.002}
    sequence = [{**hooks, "on_timeout": give_up}]
    scenario = two({"closing_rate_m_s": 0.0, **approach}, nose=HOOKS, sequence=sequence)
    result = docksim.run(scenario)
    assert result.outcome == "misaligned"
    start = "event 'hooks_timeout': the pull stalls: chaser.nose and station.dock stand at "
    assert result.reason.startswith(f"{start}{text.split(' ')[0]} "), result.reason
    beyond, within = result.reason.removeprefix(start).split("; within bounds: ")
    assert (beyond.count("("), within.count("(")) == (1, 4)


WITHIN = [
    {"distance_m": 0.00999}, {"lateral_offset_m": [0.012, 0.01599]}, {"yaw_deg": 0.99}, {"roll_deg": -1.99},
    {"closing_rate_m_s": 0.0299},
]  # fmt: skip


@pytest.mark.parametrize("approach", WITHIN)
def test_join_within_reach_is_made(approach: Keys) -> None:
    result = docksim.run(two(approach, dock=HOOKS, events=join_at()))
    assert (result.outcome, result.reason) == ("completed", "")
    assert result.events[0].energy_loss_J > 0.0


@pytest.mark.parametrize(("time", "outcome"), [(0.6, "completed"), (0.8, "misaligned")])
def test_hulls_may_overlap_as_far_as_seals_give_way(time: float, outcome: str) -> None:
    # from 5 mm apart at 1 cm/s: 1 mm, then 3 mm inside each other
    scenario = two(nose=HOOKS, events=join_at(time), solver={"duration_s": 1.0, "step_s": 0.001})
    for key in ("rate_deg_s", "velocity_m_s"):
        del scenario["vehicles"]["station"][key]
    result = docksim.run(scenario)
    assert result.outcome == outcome
    assert (": axial -0.003 m (-0.002 to 0.01); within" in result.reason) == (outcome == "misaligned")


def test_of_two_blocks_the_tighter_counts_key_by_key() -> None:
    nose, dock = {**WIDE, "roll_deg": 2.0, "reach_m": 0.01}, {**WIDE, "rate_m_s": 0.03, "overlap_m": 0.002}
    cases: list[tuple[Keys, str]] = [
        ({"roll_deg": 2.01}, "roll"), ({"closing_rate_m_s": 0.0301}, "speed"), ({"distance_m": 0.02}, "axial"),
    ]  # fmt: skip
    for approach, word in cases:
        for first, second in ((nose, dock), (dock, nose)):
            result = docksim.run(two(approach, nose=first, dock=second, events=join_at()))
            assert f"cannot close: {word}" in result.reason
    assert "(-0.002 to 0.01)" in result.reason


def test_join_without_hooks_is_made_and_told() -> None:
    result = docksim.run(two({"distance_m": 0.4, "roll_deg": 3.0}, events=join_at()))
    assert result.outcome == "completed"
    [warning] = result.warnings
    assert warning.startswith("chaser.nose and station.dock have no hooks, so the join was not checked (axial 0.4 m")
    assert warning.endswith("roll 3 deg)")


def test_hooks_of_one_tree_are_refused_as_such_not_as_misaligned() -> None:
    again = {**join_at(), "again": {"when": {"time_s": 0.002}, "do": {"join": PORTS}}}
    result = docksim.run(two(nose=HOOKS, events=again))
    assert result.outcome == "failed"
    assert result.reason.endswith("'again' at t = 0.002 s cannot join: the two are joined already")


# ---------------------------------------------------------------- events that wait for ports


def waiting(condition: Keys, **more: Any) -> Result:
    """A chaser that comes at 1 cm/s from 5 cm and stays for ever on its way; a phase begins when the ports allow it."""
    times = {"solver": {"duration_s": 6.0, "step_s": 0.01}, "outputs": {"every_s": 0.5}}
    scenario = two({"distance_m": 0.05}, nose=HOOKS, **times)
    for key in ("rate_deg_s", "velocity_m_s"):
        del scenario["vehicles"]["station"][key]
    events = {"near": {"when": {"in_reach": PORTS, **condition}, "do": {"phase": "NEAR"}, **more}}
    return docksim.run({**scenario, "events": events})


def test_event_waits_until_ports_are_in_reach() -> None:
    (event,) = waiting({}).events
    # 10 mm apart after 4 s
    assert event.time_s == pytest.approx(4.0, abs=0.011)


def test_event_waits_for_as_long_as_it_is_told() -> None:
    (event,) = waiting({}, for_s=0.495).events
    # a whole number of steps, no less than asked for
    assert event.time_s == pytest.approx(4.5, abs=0.011)
    (event,) = waiting({}, persistence=51).events
    assert event.time_s == pytest.approx(4.5, abs=0.011)
    # in reach from 10 mm apart to 2 mm inside: 1.2 s
    assert waiting({}, for_s=1.1).events
    assert not waiting({}, for_s=1.3).events


def test_event_waits_for_rest() -> None:
    assert waiting({"speed_below_m_s": 0.011, "rate_below_deg_s": 0.1}).events
    assert not waiting({"speed_below_m_s": 0.009}).events
    turning = {"distance_m": 0.005, "roll_rate_deg_s": 0.2}
    near = {"when": {"in_reach": PORTS, "rate_below_deg_s": 0.19}, "do": {"phase": "NEAR"}}
    assert not docksim.run(two(turning, nose=HOOKS, events={"near": near})).events
    near["when"]["rate_below_deg_s"] = 0.21
    assert docksim.run(two(turning, nose=HOOKS, events={"near": near})).events


@pytest.mark.parametrize(
    ("bound", "holds"),
    [
        # 3 and 4 deg across each other: 5 deg, less 1e-3 of itself for the order of the turns
        ({"tilt_below_deg": 5.05}, True),
        ({"tilt_below_deg": 4.95}, False),
        ({"speed_below_m_s": 0.0101}, True),
        ({"speed_below_m_s": 0.0099}, False),
        ({"rate_below_deg_s": 0.21}, True),
        ({"rate_below_deg_s": 0.19}, False),
        ({"tilt_below_deg": 5.05, "speed_below_m_s": 0.0101, "rate_below_deg_s": 0.19}, False),
    ],
)
def test_event_waits_for_ports_that_are_straight_and_at_rest_however_far(bound: Keys, holds: bool) -> None:
    askew = {"distance_m": 3.0, "pitch_deg": 3.0, "yaw_deg": 4.0, "roll_rate_deg_s": 0.2}
    straight = {"when": {"aligned": PORTS, **bound}, "do": {"phase": "STRAIGHT"}}
    assert bool(docksim.run(two(askew, events={"straight": straight})).events) == holds


# ---------------------------------------------------------------- latches, hooks and what the state says


def caught(duration: float = 0.6, hooks: Keys | None = HOOKS, ports: Keys | None = None, **sections: Any) -> Result:
    """Strikers come to an anchored disc with three latches, which hold them after a quarter of a second."""
    plate = port(latched(6.0))
    plate["dock"] |= {"hooks": hooks} if hooks else {}
    keys = {"position_m": [0.03, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}
    comer = lone(
        100.0, 8.0, ports=port(striking()), velocity_m_s=[-0.12, 0.0, 0.0], **keys, **sections.pop("comer", {})
    )
    still = lone(1.0, 1.0, anchored=True, ports={**plate, **(ports or {})})
    scene = pair(still, comer, duration, 2e-4, every=1e-3, **sections)
    for one in scene["contacts"].values():
        one["contact"] = latched()["contact"]
    return docksim.run(scene)


JOIN = {"join": ["b.dock", "a.dock"]}
PART = {"separate": {"ports": ["b.dock", "a.dock"]}}
OPEN = {"open_latches": "hit"}


def at(time: float, *do: Keys) -> Keys:
    return {"when": {"time_s": time}, "do": list(do)}


def test_captured_says_in_which_phase_the_run_ended() -> None:
    result = caught(events={"retract": at(0.4, {"phase": "RETRACT"})})
    assert (result.outcome, result.metrics["hit.outcome"]) == ("captured", "captured")
    assert result.reason == "'hit': all 3 latches hold in phase RETRACT, not hard-docked"


def test_join_in_reach_after_capture_is_a_hard_dock_and_tells_the_hook_plane() -> None:
    result = caught(events={"hooks": at(0.5, JOIN)})
    assert result.outcome == "hard-docked"
    assert result.reason == "'hit': b.dock and a.dock are joined"
    assert result.metrics["hit.hard_dock_s"] == pytest.approx(0.5)
    row = int(np.searchsorted(result.time_s, 0.5 - 1e-6))
    axial = float(result["b.position_m"][row, 0])
    assert result.metrics["hit.hook_plane.axial_m"] == pytest.approx(axial, abs=1e-12)
    # one of the two is anchored: what the join takes is all that moved
    speed = math.sqrt(2.0 * result.events[0].energy_loss_J / 100.0)
    assert result.metrics["hit.hook_plane.speed_m_s"] == pytest.approx(speed, rel=1e-9)
    names = list(result.metrics)
    assert names[0] == "hit.outcome"
    assert max(names.index(f"hit.hook_plane.{key}") for key in ("axial_m", "roll_deg", "rate_deg_s")) < 10


def test_hook_plane_is_that_of_the_end_where_nothing_was_joined() -> None:
    result = caught(duration=0.4, events={"hooks": at(9.0, JOIN)})
    assert "hit.hard_dock_s" not in result.metrics
    assert result.metrics["hit.hook_plane.axial_m"] == pytest.approx(float(result["b.position_m"][-1, 0]), abs=1e-12)


def test_latches_opened_before_the_hooks_leave_nothing_to_join() -> None:
    """A chaser that drifts off with its latches open is no hard dock, whatever the sequence goes on to do."""
    docked = at(0.59, {"stop": "closed", "outcome": "hard-docked"})
    events = {"lost": at(0.4, OPEN), "hooks": at(0.55, JOIN), "docked": docked}
    push = {"loads": {"push": {"force_N": [-300.0, 0.0, 0.0], "start_s": 0.4}}}
    result = caught(comer=push, events=events)
    assert result.outcome == "misaligned"
    assert "cannot close: axial 0.0" in result.reason
    assert result.metrics["hit.outcome"] == "misaligned"
    assert "hit.hard_dock_s" not in result.metrics


def test_undocked_only_if_nothing_holds() -> None:
    """Hooks opened over engaged latches leave the two captured."""
    claim = {"clear": at(0.55, {"stop": "clear", "outcome": "undocked"})}
    held = caught(hooks=WIDE, events={"hooks": at(0.4, JOIN), "part": at(0.5, PART), **claim})
    assert held.outcome == "captured"
    assert "claims 'undocked', but 'hit': all 3 latches hold" in held.reason
    free = caught(hooks=WIDE, events={"hooks": at(0.4, JOIN), "part": at(0.5, OPEN, PART), **claim})
    assert (free.outcome, free.reason) == ("undocked", "event 'clear': clear")
    still = caught(hooks=WIDE, events={"hooks": at(0.4, JOIN), "part": at(0.5, OPEN), **claim})
    assert still.outcome == "hard-docked"
    by_itself = caught(hooks=WIDE, events={"hooks": at(0.4, JOIN), "part": at(0.5, OPEN, PART)})
    assert by_itself.outcome == "undocked"


def test_stop_that_claims_a_hard_dock_is_overruled_by_the_state() -> None:
    result = caught(events={"done": at(0.5, {"stop": "done", "outcome": "hard-docked"})})
    assert result.outcome == "captured"
    assert result.reason.startswith("event 'done': done; claims 'hard-docked', but 'hit': all 3 latches hold")
    before = caught(events={"done": at(0.05, {"stop": "done", "outcome": "captured"})})
    assert before.outcome == "not captured"
    assert "claims 'captured', but 'hit': no contact, 0 of 3 latches engaged" in before.reason


def test_verdict_of_the_sequence_stands_and_the_state_is_told() -> None:
    result = caught(events={"late": at(0.5, {"stop": "too long", "outcome": "timed out"})})
    assert result.outcome == "timed out"
    assert result.reason == "event 'late': too long; 'hit': all 3 latches hold in phase start, not hard-docked"


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_outcome_does_not_depend_on_the_order_of_pairs(order: tuple[str, str]) -> None:
    """One plate is never met; the other one catches."""
    spare = port(latched(6.0))["dock"] | {"position_m": [0.0, 5.0, 0.0]}
    pairs = {"one": {"ports": ["a.spare", "b.dock"]}, "two": {"ports": ["a.dock", "b.dock"]}}
    result = caught(ports={"spare": spare}, contacts={name: pairs[name] for name in order})
    assert result.outcome == "captured", result.reason
    assert (result.metrics["one.outcome"], result.metrics["two.outcome"]) == ("not captured", "captured")
    assert result.reason.startswith("'two': ")


def test_load_beyond_its_limit_is_no_success() -> None:
    # b faces a: a push along its -x pulls at the latches
    pull = {"loads": {"pull": {"force_N": [-500.0, 0.0, 0.0], "start_s": 0.4}}}
    plate = port({**latched(6.0), "limits": {"tension_N": 100.0}})["dock"]
    result = caught(ports={"dock": plate}, comer=pull)
    assert result.metrics["hit.peak_tension_N.of_limit"] > 1.0
    assert result.outcome == "overloaded"
    assert "peak_tension_N is" in result.reason
    assert "of its limit" in result.reason
    weak = caught(ports={"dock": plate}, comer=pull, events={"done": at(0.55, {"stop": "done", "outcome": "captured"})})
    assert weak.outcome == "overloaded"


def test_latch_that_lets_go_is_no_success_whatever_is_claimed_or_joined() -> None:
    # 500 N on three latches that hold 100 N each
    pull = {"loads": {"pull": {"force_N": [-500.0, 0.0, 0.0], "start_s": 0.4}}}
    weak = latched(6.0)
    weak["latches"] |= {"holds_N": 100.0}
    plate = port(weak)["dock"] | {"hooks": WIDE}
    claim = {"done": at(0.55, {"stop": "done", "outcome": "captured"})}
    for events in ({}, claim, {"hooks": at(0.5, JOIN)}):
        result = caught(ports={"dock": plate}, comer=pull, events=events)
        assert (result.outcome, result.metrics["hit.outcome"]) == ("latch lost", "latch lost")
        assert "let go under load" in result.reason
    assert result.metrics["hit.hard_dock_s"] == pytest.approx(0.5)


def test_two_rings_that_are_joined_close_a_loop_and_keep_momentum() -> None:
    result = docksim.run(load_ring_pair())
    assert result.outcome == "completed"
    assert result.metrics["momentum.linear_residual_relative"] < 1e-12
    assert result.metrics["momentum.angular_residual_relative"] < 1e-12


def load_ring_pair() -> Keys:
    """Two vehicles whose rings are told to join."""
    mechanism = {"use": "configs/mechanisms/nds_servo.yaml", "ports": {"face": {}}}
    vehicles = {name: lone(9000.0, 9000.0, mechanism=mechanism) for name in ("a", "b")}
    vehicles["b"]["position_m"] = [5.0, 0.0, 0.0]
    events = {"knot": at(0.002, {"join": ["a.ring.face", "b.ring.face"]})}
    return {"vehicles": vehicles, "events": events, "solver": {"duration_s": 0.005}, "outputs": {"every_s": 0.001}}
