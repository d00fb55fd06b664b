"""What bad packets cannot do."""

from __future__ import annotations

import socket
from typing import Any

import numpy as np
import pytest

from docksim.realtime import packets
from docksim.realtime.bridge import BUDGET
from docksim.realtime.packets import encode
from tests.system.bridge_desk import PATIENT, floating, wrench


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
        fault = desk.bridge._judge(memoryview(data), desk.bridge.peer, desk.inputs, desk.cycle._row)
        # one byte changed is always told by the CRC or by an earlier check
        assert fault, (kind, data)
    load = desk.run.compiled.model.load
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


def test_old_and_foreign_packets_are_counted_and_not_taken(desks: Any) -> None:
    desk = desks(floating(), PATIENT, ports=["mass.hook"])
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)), sequence=2**32 - 1)
    desk.go()
    for sequence, count in ((5, 0), (5, 1), (4, 2), (2**32 - 1, 3)):
        desk.send(packets.WRENCH, wrench((float(sequence), 0.0, 0.0)), sequence=sequence)
        desk.go()
        assert desk.bridge.counts["reordered"] == count, sequence
    # numbers go round at 2**32: 5 was newer than the first
    assert desk.run.compiled.model.load.force[0, 0] == 5.0
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
    assert desk.run.compiled.model.load.force[0, 0] == 3.0


@pytest.mark.parametrize(("on_stale", "force"), [("zero", 0.0), ("hold", 4.0), ("stop", 4.0)])
def test_silence_is_flagged_after_two_periods_and_treated_as_told(on_stale: str, force: float, desks: Any) -> None:
    desk = desks(floating(), {"on_stale": on_stale}, ports=["mass.hook"])
    assert desk.go().flags & packets.NO_INPUT
    desk.send(packets.WRENCH, wrench((4.0, 0.0, 0.0)))
    flags = [desk.go().flags & packets.STALE_INPUT for _ in range(4 if on_stale != "stop" else 3)]
    assert [bool(flag) for flag in flags[:3]] == [False, False, False]
    if on_stale == "stop":
        desk.go()
        assert not desk.more
        assert desk.cycle.outcome == ("aborted", "no input for more than 2 periods")
    else:
        assert flags[3]
    assert desk.run.compiled.model.load.force[0, 0] == force
