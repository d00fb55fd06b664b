"""Packets in and out: what they do."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.realtime import packets
from docksim.realtime.packets import Packet, decode, encode
from docksim.realtime.telemetry import state_numbers
from docksim.realtime.watch import View
from tests.support.realtime_rigs import balls
from tests.system.bridge_desk import PATIENT, STEP, floating, load_keys, wrench


def test_packet_is_what_the_page_says_byte_by_byte() -> None:
    data = encode(packets.WRENCH, b"\1\2\3", sequence=7, echo=5, time_ns=-2, simulated_s=0.5, flags=258)
    assert data.hex(" ") == (
        "44 4b 53 4d 01 10 02 01 07 00 00 00 05 00 00 00 03 00 00 00 00 00 00 00 "
        "fe ff ff ff ff ff ff ff 00 00 00 00 00 00 e0 3f 01 02 03 " + data[-4:].hex(" ")
    )
    found = decode(data)
    assert isinstance(found, Packet)
    assert (found.type, found.flags, found.sequence, found.echo, found.time_ns) == (16, 258, 7, 5, -2)
    assert bytes(found.payload) == b"\1\2\3"


def test_numbers_of_a_state_stand_where_the_documentation_says() -> None:
    def places(dtype: np.dtype) -> dict[str, int]:
        assert dtype.fields is not None
        return {name: offset // 8 for name, (_, offset) in dtype.fields.items()} | {"end": dtype.itemsize // 8}

    assert places(packets.STATE_FRAME) == {
        "position": 0, "quaternion": 3, "velocity": 7, "rate": 10, "acceleration": 13, "angular_acceleration": 16,
        "end": 19,
    }  # fmt: skip
    assert places(packets.STATE_CONTACT) == {
        "gap": 0, "normal_force": 1, "force": 2, "moment": 5, "engaged": 8, "end": 9,
    }  # fmt: skip


def test_telemetry_is_the_logged_row_of_the_instant_at_which_the_cycle_begins(desks: Any) -> None:
    desk = desks(balls(1e-3))
    for _ in range(200):
        packet = desk.go()
    found = state_numbers(packet.payload)
    assert found is not None
    result = docksim.run(balls(1e-3))
    k = 199
    assert packet.simulated_s == result.time_s[k]
    phase, frames, contacts = found
    assert phase == 0
    for i, name in enumerate(("a", "b")):
        np.testing.assert_array_equal(frames[i]["position"], result[f"{name}.position_m"][k])
        np.testing.assert_array_equal(frames[i]["velocity"], result[f"{name}.velocity_m_s"][k])
        np.testing.assert_array_equal(frames[i]["acceleration"], result[f"{name}.acceleration_m_s2"][k])
    assert contacts[0]["normal_force"] == result["hit.normal_force_N"][k] > 0.0
    np.testing.assert_array_equal(contacts[0]["force"], result["hit.load_force_N"][k])
    np.testing.assert_array_equal(contacts[0]["moment"], result["hit.load_moment_Nm"][k])


def test_wrench_acts_from_the_next_cycle_and_its_work_is_booked(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook", "mass.arm"])
    desk.go(10)
    desk.send(packets.WRENCH, wrench((20.0, 0.0, 0.0), port=0) + wrench((5.0, 0.0, 0.0), (0.0, 0.0, 8.0), 1, 0))
    desk.go(101)
    state = desk.run.compiled.state
    # 25 N on 50 kg and -5 * 2 + 8 N m on 20 kg m2 for 101 ms; the body has turned by 5e-4 rad, squared 3e-7
    assert state.beta[3] == pytest.approx(0.5 * 0.101, rel=1e-6)
    assert state.beta[2] == pytest.approx(-0.1 * 0.101, rel=1e-12)
    kinetic = 0.5 * 50.0 * (state.beta[3:6] @ state.beta[3:6]) + 0.5 * 20.0 * state.beta[2] ** 2
    # RK4 of a constant wrench is exact but for rounding
    assert state.work_done.sum() == pytest.approx(kinetic, rel=1e-12)


def test_commands_fire_events_set_targets_and_abort(desks: Any) -> None:
    events = {"let_go": {"when": {"command": "release"}, "do": [{"phase": "FREE"}]}}
    desk = desks(floating(events=events))
    desk.go(5)
    assert desk.run.compiled.state.event[0].fired == 0
    desk.send(packets.COMMAND, packets.command(packets.EVENT, "release"))
    desk.go(2)
    assert desk.run.compiled.state.event[0].fired == 1
    desk.send(packets.COMMAND, packets.command(packets.EVENT, "unknown"))
    assert desk.go().flags & packets.FAULTY_INPUT
    assert desk.bridge.counts["name"] == 1
    desk.send(packets.COMMAND, packets.command(packets.ABORT))
    desk.go()
    assert not desk.more
    assert desk.cycle.outcome == ("aborted", "a command from outside")


def test_set_point_reaches_the_servo(desks: Any) -> None:
    desk = desks({**load_keys("dock_nds"), "solver": {"duration_s": 1.0, "step_s": STEP}})
    desk.send(packets.COMMAND, packets.command(packets.SET_POINT, "chaser.couplings.mean", -0.03))
    desk.go(2)
    assert desk.bridge.counts["received"] == 1
    assert -0.03 in desk.run.compiled.state.shaft["target"]


def test_command_condition_never_holds_in_a_plain_run() -> None:
    events = {"let_go": {"when": {"command": "release"}, "do": [{"stop": "released"}]}}
    result = docksim.run(floating(events=events))
    assert (result.outcome, result.events) == ("completed", [])


def test_measured_contact_replaces_the_model_and_fires_its_events(desks: Any) -> None:
    events = {"touch": {"when": {"contact": "hit", "force_above_N": 30.0}, "do": [{"phase": "TOUCHED"}]}}
    desk = desks({**balls(1e-3), "events": events}, measured=["hit"])
    desk.go(5)
    entry = packets.CONTACT_ENTRY.pack(0, 0, 50.0, 50.0, 3.0, 0.0, 0.0, 0.0, 2.0)
    desk.send(packets.CONTACT, entry)
    momenta = []
    for _ in range(100):
        desk.go()
        momenta.append(desk.cycle._row.head[0].copy())
        desk.send(packets.CONTACT, entry)
    state = desk.run.compiled.state
    assert state.event[0].fired == 1
    # 50 N and 3 N on 60 kg for 99 or 100 ms, along the axes of the first port, which is at rest
    assert state.beta[9] == pytest.approx(0.1 * 50.0 / 60.0, rel=0.011)
    # the wrench is equal and opposite at one point at the start of each cycle; within it, the point moves with one
    # body: 50 N times 0.2 m/s times 1 ms / 2, for 0.1 s
    linear, angular = (np.array([row[field] for row in momenta]) for field in ("linear_momentum", "angular_momentum"))
    assert np.abs(linear - linear[0]).max() < 1e-12
    assert np.abs(angular - angular[0]).max() < 53.0 * 0.3 * 1e-3 * 0.1


def test_hello_is_answered_with_the_names_and_with_what_was_asked_for(desks: Any) -> None:
    desk = desks(balls(1e-3), measured=["hit"], motion=["all"])
    desk.raw(encode(packets.HELLO))
    desk.go()
    answer = decode(desk.socket.recv(65536))
    assert isinstance(answer, Packet)
    content = json.loads(bytes(answer.payload))
    assert (answer.type, content["frames"], content["contacts"]) == (packets.DESCRIPTION, ["a", "b"], ["hit"])
    asked = [content[key] for key in ("external", "measured_contact", "measured_motion")]
    assert asked == [[], ["hit"], ["a", "b"]]


def test_dashboard_shows_what_packets_say_and_survives_those_that_say_nothing(desks: Any) -> None:
    from rich.console import Console

    desk, view = desks(balls(1e-3)), View()
    console = Console(width=140, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(view.picture())
    packet = desk.go(120)
    view.take(encode(packets.DESCRIPTION, desk.cycle._description()))
    view.take(encode(packets.STATE, bytes(packet.payload), simulated_s=packet.simulated_s, flags=packets.STALE_INPUT))
    for data in (b"", b"nonsense", encode(packets.DESCRIPTION, b"[1"), encode(packets.STATE, b"\1")):
        view.take(data)
    console.print(view.picture())
    text = console.export_text()
    for words in ("waiting for a run", "t =     0.119 s", "phase start", "input stale", "hit", "0.200", "4 datagrams"):
        assert words in text, text
