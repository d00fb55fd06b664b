"""What bad packets cannot do."""

from __future__ import annotations

import socket
import struct
from typing import Any

import numpy as np
import pytest

from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.realtime import packets
from docksim.realtime.bridge import BUDGET, READ_BUDGET
from docksim.realtime.inputs import InputError, Inputs
from docksim.realtime.packets import encode
from tests.support.realtime_rigs import balls
from tests.system.bridge_desk import PATIENT, floating, load_keys, wrench

RELEASE = {"let_go": {"when": {"command": "release"}, "do": [{"phase": "FREE"}]}}


def test_ten_thousand_malformed_packets_crash_nothing_and_change_nothing(desks: Any) -> None:
    rng = np.random.default_rng(10)
    desk = desks(floating(), ports=["mass.hook"], measured=[])
    whole = encode(packets.WRENCH, wrench((1.0, 2.0, 3.0)), sequence=1)
    for k in range(10_000):
        kind = k % 5
        if kind == 0:
            data = rng.bytes(int(rng.integers(0, 200)))
        elif kind == 1:
            data = whole[: int(rng.integers(0, len(whole)))]
        elif kind == 2:
            at = int(rng.integers(0, len(whole)))
            data = whole[:at] + bytes([whole[at] ^ int(rng.integers(1, 256))]) + whole[at + 1 :]
        elif kind == 3:
            # whole, but with nonsense inside: sizes, indices, names and numbers
            payload = rng.bytes(int(rng.integers(0, 300)))
            data = encode(int(rng.choice([1, 2, 16, 17, 19])), payload, sequence=int(rng.integers(1, 2**32)))
        else:
            bad = float(rng.choice([np.nan, np.inf, -np.inf, 1e300]))
            data = encode(packets.WRENCH, wrench((bad, 0.0, 0.0)), sequence=k + 1)
        desk.inputs.aborted = False
        fault = desk.bridge._judge(memoryview(data), desk.bridge.peer, desk.inputs)
        # one byte changed is always told by the CRC or by an earlier check
        assert fault, (kind, data)
    load = desk.run.compiled.state.external
    assert not load.force.any()
    assert not load.torque.any()
    # and through the socket, with cycles in between that go on
    for k in range(300):
        desk.raw(rng.bytes(int(rng.integers(0, 1400))) if k % 2 else whole[: k % len(whole)])
        flags = desk.go().flags
    assert desk.more
    assert flags & packets.FAULTY_INPUT
    assert sum(desk.bridge.counts[fault] for fault in packets.FAULTS) == 300


def test_flood_costs_no_more_than_its_budget_per_cycle(desks: Any) -> None:
    desk = desks(floating())
    for _ in range(3 * BUDGET):
        desk.raw(b"flood")
    desk.go()
    assert desk.bridge.counts["received"] == BUDGET


def test_flood_of_good_packets_is_read_a_few_in_a_cycle(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook"])
    for k in range(3 * READ_BUDGET):
        desk.send(packets.WRENCH, wrench((1.0 + k, 0.0, 0.0)))
    for k in (1, 2, 3):
        desk.go()
        assert desk.bridge.counts == {"received": k * READ_BUDGET}
    # none is lost
    assert desk.run.compiled.state.external.force[0, 0] == 3 * READ_BUDGET


def test_old_and_foreign_packets_are_counted_and_not_taken(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook"])
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)), sequence=2**32 - 1)
    desk.go()
    for sequence, count in ((5, 0), (5, 1), (4, 2), (2**32 - 1, 3)):
        desk.send(packets.WRENCH, wrench((float(sequence), 0.0, 0.0)), sequence=sequence)
        desk.go()
        assert desk.bridge.counts["reordered"] == count, sequence
    # numbers go round at 2**32: 5 was newer than the first
    assert desk.run.compiled.state.external.force[0, 0] == 5.0
    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with other:
        other.sendto(encode(packets.COMMAND, packets.command(packets.ABORT)), desk.bridge.address)
    assert desk.go().flags & packets.FAULTY_INPUT
    assert (desk.bridge.counts["foreign"], desk.more) == (1, True)


def test_late_answers_are_told_by_what_they_answer(desks: Any) -> None:
    desk = desks(floating(), {"hold": 2}, ports=["mass.hook"])
    number = desk.go(10).sequence
    for age, late in ((0, 0), (2, 0), (3, 1)):
        desk.send(packets.WRENCH, wrench((1.0 + age, 0.0, 0.0)), echo=number - age)
        number = desk.go().sequence
        assert desk.bridge.counts["late"] == late, age
    assert desk.bridge.ages == {0: 1, 2: 1}
    assert desk.run.compiled.state.external.force[0, 0] == 3.0


@pytest.mark.parametrize(("on_stale", "force"), [("zero", 0.0), ("hold", 4.0), ("stop", 4.0)])
def test_silence_is_flagged_after_two_periods_and_treated_as_told(on_stale: str, force: float, desks: Any) -> None:
    desk = desks(floating(), {"on_stale": on_stale}, ports=["mass.hook"])
    assert desk.go().flags & packets.NO_INPUT
    desk.send(packets.WRENCH, wrench((4.0, 0.0, 0.0)))
    # it acts before packet 2; nothing comes before 3, nor before 4
    flags = {packet.sequence: bool(packet.flags & packets.STALE_INPUT) for packet in (desk.go() for _ in range(3))}
    assert flags == {2: False, 3: False, 4: True}
    assert desk.more == (on_stale != "stop")
    if on_stale == "stop":
        assert desk.cycle.outcome == ("aborted", "wrench at mass.hook: no input for 2 periods")
    assert desk.run.compiled.state.external.force[0, 0] == force


def test_refused_packet_is_flagged_in_the_next_two_packets(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook"])
    desk.go(3)
    desk.raw(b"nonsense")
    assert [bool(desk.go().flags & packets.FAULTY_INPUT) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("type_", "entry", "most"),
    [
        (packets.WRENCH, wrench((1.0, 0.0, 0.0)), 1),
        (packets.CONTACT, packets.CONTACT_ENTRY.pack(0, 0, *(1.0,) * 7), 1),
        (packets.MOTION, packets.MOTION_ENTRY.pack(0, 0.0, 0.0, 0.0, 1.0, *(0.0,) * 9), 2),
        (packets.COMMAND, packets.command(packets.EVENT, "release"), 8),
    ],
    ids=["wrench", "contact", "motion", "command"],
)
def test_more_entries_than_there_is_use_for_are_refused_before_they_are_read(
    type_: int, entry: bytes, most: int, desks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desks({**balls(1e-3), "events": RELEASE}, PATIENT, ports=["a.dock"], measured=["hit"], motion=["all"])
    desk.send(type_, entry)
    desk.go()
    assert {"received": 1} == desk.bridge.counts
    numbered = (struct.pack("<H", k) + entry[2:] for k in range(most + 1))
    desk.send(type_, b"".join(numbered) if type_ != packets.COMMAND else (most + 1) * entry)
    desk.go()
    # more commands than may be are more bytes than may be
    fault = "size" if type_ == packets.COMMAND else "payload"
    assert desk.bridge.counts == {"received": 2, fault: 1}
    # a datagram that is larger than any of use is not even summed up
    with monkeypatch.context() as patch:
        patch.setattr("docksim.realtime.bridge.packets.decode", None)
        desk.send(type_, 500 * entry)
        desk.go()
    assert desk.bridge.counts["size"] == 1 + (fault == "size")


def test_one_port_or_frame_twice_in_a_packet_is_refused(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook", "mass.arm"])
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0), port=1) + wrench((2.0, 0.0, 0.0), port=1))
    desk.go()
    assert desk.bridge.counts["payload"] == 1
    assert not desk.run.compiled.state.external.force.any()


@pytest.mark.parametrize(
    ("force", "head", "ends"),
    [(1.0, {}, True), (np.nan, {}, False), (1.0, {"sequence": 1}, False), (1.0, {"echo": 9}, False)],
)
def test_only_a_packet_that_is_taken_can_say_that_the_peer_has_ended(
    force: float, head: dict[str, int], ends: bool, desks: Any
) -> None:
    desk = desks(floating(), ports=["mass.hook"])
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)), sequence=1)
    desk.go()
    # not finite, not newer, an answer to what is still to come
    desk.send(packets.WRENCH, wrench((force, 0.0, 0.0)), **{"flags": packets.ENDED, **head})
    desk.go()
    assert desk.more == (not ends)
    assert desk.cycle.outcome == (("stopped", "the peer ended its run") if ends else None)


def test_motion_that_was_not_asked_for_moves_nothing(desks: Any) -> None:
    entries = [packets.MOTION_ENTRY.pack(i, 5.0, 0.0, 0.0, 1.0, *(0.0,) * 9) for i in range(2)]
    for motion, fault in (([], "unasked"), (["b"], "index")):
        desk = desks(balls(1e-3), PATIENT, ports=["a.dock"], motion=motion)
        desk.send(packets.MOTION, entries[0])
        desk.go()
        assert desk.bridge.counts[fault] == 1
        assert desk.run.compiled.state.q[0] < 1.0
    desk.send(packets.MOTION, entries[1])
    desk.go()
    assert desk.run.compiled.state.q[7] == 5.0


def test_more_latches_than_a_pair_has_are_refused(desks: Any) -> None:
    desk = desks(load_keys("dock_nds"), PATIENT, measured=["dock"])
    for latches, refused in ((3, 0), (4, 1), (100, 2)):
        desk.send(packets.CONTACT, packets.CONTACT_ENTRY.pack(0, latches, *(0.0,) * 7))
        desk.go()
        assert desk.bridge.counts["value"] == refused, latches


@pytest.mark.parametrize("what", ["ports", "measured", "motion"])
def test_what_is_asked_for_twice_is_refused(what: str) -> None:
    name = {"ports": "a.dock", "measured": "hit", "motion": "b"}[what]
    with pytest.raises(InputError, match=f"'{name}' is asked for twice"):
        Inputs(compile_scenario(load_scenario(balls(1e-3))), **{what: [name, name]})
