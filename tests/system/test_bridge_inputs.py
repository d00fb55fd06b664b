"""Each input from outside by itself: when it is stale, what becomes of it, and what is told of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from docksim.cli import main
from docksim.model.contact import ARMED, ENGAGED, FAILED
from docksim.realtime import packets
from docksim.realtime.bridged import FIRST_INPUT_S
from docksim.result.result import Result
from tests.support.realtime_rigs import balls
from tests.support.rigs import Keys
from tests.system.bridge_desk import STEP, floating, load_keys, wrench
from tests.system.test_journal import EVENTS, Peer, again, bridged
from tests.system.test_realtime import assert_same

PUSH = packets.CONTACT_ENTRY.pack(0, 3, 100.0, 100.0, *(0.0,) * 5)
BOTH = ["mass.hook", "mass.arm"]


def test_one_port_that_falls_silent_is_stale_though_others_and_commands_come(desks: Any) -> None:
    desk = desks(floating(events=EVENTS), ports=BOTH)
    desk.send(packets.WRENCH, wrench((4.0, 0.0, 0.0)) + wrench((5.0, 0.0, 0.0), port=1))
    found = []
    for _ in range(4):
        found.append((bool(desk.go().flags & packets.STALE_INPUT), *desk.run.compiled.state.external.force[:, 0]))
        desk.send(packets.WRENCH, wrench((6.0, 0.0, 0.0), port=1))
        desk.send(packets.COMMAND, packets.command(packets.EVENT, "release"))
    assert found == [(False, 4.0, 5.0), (False, 4.0, 6.0), (True, 0.0, 6.0), (True, 0.0, 6.0)]
    # it comes again, and acts again
    desk.send(packets.WRENCH, wrench((7.0, 0.0, 0.0)))
    assert not desk.go().flags & packets.STALE_INPUT
    assert desk.run.compiled.state.external.force[0, 0] == 7.0
    assert [(one.times, one.cycles) for one in desk.inputs.sources] == [(1, 2), (0, 0)]


def test_model_stays_as_it_is_whatever_comes_from_outside(desks: Any) -> None:
    desk = desks(floating(events=EVENTS), ports=BOTH)
    before = [table.tobytes() for table in desk.run.compiled.model]
    desk.send(packets.WRENCH, wrench((4.0, 0.0, 0.0)))
    desk.send(packets.COMMAND, packets.command(packets.EVENT, "release"))
    desk.go()
    desk.go()
    assert [table.tobytes() for table in desk.run.compiled.model] == before
    assert desk.run.compiled.state.external.force[0, 0] == 4.0
    # one of the two commands that its events wait for
    assert desk.run.compiled.state.command.tolist() == [1, 0]


def test_commands_are_never_stale(desks: Any) -> None:
    desk = desks(floating(events=EVENTS), {"on_stale": "stop"})
    desk.send(packets.COMMAND, packets.command(packets.EVENT, "release"))
    assert not desk.go(20).flags
    assert desk.more


def test_input_that_never_comes_is_stale_from_the_start_and_flagged_as_both(desks: Any) -> None:
    desk = desks(floating(), ports=BOTH)
    assert [desk.go().flags for _ in range(3)] == [1, 1, packets.NO_INPUT | packets.STALE_INPUT]
    # nothing had acted, so nothing is put to zero
    assert desk.bridge.journal.content() == b""


@pytest.mark.parametrize(("duration", "cycles"), [(FIRST_INPUT_S + 1.0, 5001), (0.05, 50)])
def test_peer_that_never_comes_ends_a_run_that_is_to_end_by_stale_input(
    duration: float, cycles: int, desks: Any
) -> None:
    desk = desks(floating(solver={"duration_s": duration, "step_s": STEP}), {"on_stale": "stop"}, ports=["mass.hook"])
    while True:
        desk.go()
        if not desk.more:
            break
    assert desk.count == cycles
    assert desk.run.running
    assert desk.cycle.outcome == ("aborted", "wrench at mass.hook: no input since the start")


def test_peer_that_comes_late_but_in_time_does_not_end_the_run(desks: Any) -> None:
    desk = desks(floating(), {"on_stale": "stop"}, ports=["mass.hook"])
    desk.go(200)
    assert desk.more
    desk.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)))
    desk.go(2)
    assert desk.more
    # from now on silence is what it says
    desk.go()
    assert not desk.more


def docking(duration: float) -> Keys:
    keys = load_keys("dock_nds")
    keys["solver"]["duration_s"], keys["outputs"]["every_s"] = duration, STEP
    return keys


def falls_silent(peer: Peer, turn: int) -> bool:
    """A wrench at one port until cycle 30, at the other all the time, motion now and then, captured at cycle 20."""
    if turn < 30:
        peer.send(packets.WRENCH, wrench((50.0, 0.0, 3.0)))
    peer.send(packets.WRENCH, wrench((0.0, 9.0, 0.0), port=1))
    if 20 <= turn < 60:
        peer.send(packets.CONTACT, PUSH)
    return False


@pytest.mark.parametrize("on_stale", ["zero", "hold"])
def test_dead_rig_is_told_and_the_run_can_be_made_again(on_stale: str, tmp_path: Path) -> None:
    folder, rig = bridged(docking(0.2), falls_silent, tmp_path, {"on_stale": on_stale},
                          ports=["chaser.nose", "station.dock"], measured=["dock"])  # fmt: skip
    was = Result.load(folder)
    latches, force = was["dock.latches_engaged"], was["dock.load_force_N"][:, 0]
    assert latches[50] == 3
    if on_stale == "zero":
        # no latch is known to hold any more, so the run does not end as captured
        assert (latches[-1], force[-1], was.outcome) == (0, 0.0, "latch lost")
    else:
        assert (latches[-1], force[-1], was.outcome) == (3, 100.0, "captured")
    # taken last before cycle 29 and 59, and told in the turn after the cycle before
    assert rig.stale["wrench at chaser.nose"] == {
        "cycles": 170, "times": 1, "from_s": pytest.approx(0.031), "ever_came": True, "stale_at_end": True,
    }  # fmt: skip
    assert rig.stale["contact of dock"]["times"] == 2
    assert "wrench at station.dock" not in rig.stale
    assert json.loads((folder / "realtime.json").read_text())["stale"]["contact of dock"]["stale_at_end"]
    code, output, found = again(folder, "--json")
    assert (code, found["again"]["same"]) == (0, True), output
    assert_same(Result.load(found["folder"]), was)


def test_stale_inputs_are_named_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "floating.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps(floating(), default=list))), encoding="utf-8")
    arguments = [file, "--duration", "0.1", "--bridge", "0", "--external", "mass.hook", "--no-plots"]
    for more, code, words in (
        ((), 0, "warning: wrench at mass.hook: nothing ever came"),
        (("--on-stale", "stop"), 1, "wrench at mass.hook: no input since the start"),
    ):
        runner = CliRunner(env={"COLUMNS": "200"})
        done = runner.invoke(main, [str(one) for one in ("realtime", *arguments, "--out", tmp_path, *more)])
        assert words in " ".join(done.output.split()), done.output
        assert "bridge: listening at 127.0.0.1:" in done.stderr
        assert done.exit_code == code


def test_first_contact_is_that_which_was_measured(desks: Any) -> None:
    desk = desks(docking(1.0), measured=["dock"])
    desk.go(5)
    for touching in (True, True, False, True):
        desk.send(packets.CONTACT, packets.CONTACT_ENTRY.pack(0, 0, 100.0 * touching, *(0.0,) * 6))
        desk.go()
    desk.go(3)
    desk.close()
    result = desk.run.result(("interrupted", ""))
    first = result["dock.first_contact_s"]
    assert (first[4], first[5], first[-1]) == (-1.0, 0.005, 0.005)
    assert result.metrics["dock.first_contact_s"] == 0.005


def test_told_number_of_latches_is_logged_as_modes_and_the_failed_hold_last(desks: Any) -> None:
    keys = docking(1.0)
    keys["contacts"]["dock"]["failed_latches"] = [1]
    desk = desks(keys, measured=["dock"])
    desk.go()
    for engaged in (1, 2, 3, 0):
        desk.send(packets.CONTACT, packets.CONTACT_ENTRY.pack(0, engaged, *(0.0,) * 7))
        desk.go()
    desk.close()
    result = desk.run.result(("interrupted", ""))
    modes = np.stack([result[f"dock.latches.{k}.mode"] for k in (1, 2, 3)], axis=1)
    rest = [FAILED, ARMED, ARMED]
    holding = [[FAILED, ENGAGED, ARMED], [FAILED, ENGAGED, ENGAGED], [ENGAGED, ENGAGED, ENGAGED]]
    assert modes.tolist() == [rest, *holding, rest]
    assert result["dock.latches_engaged"].tolist() == [0, 1, 2, 3, 0]


def test_outcome_speaks_of_the_contact_that_was_measured(tmp_path: Path) -> None:
    entry = packets.CONTACT_ENTRY.pack(0, 2, 100.0, 100.0, *(0.0,) * 5)

    def push(peer: Peer, turn: int) -> bool:
        peer.send(packets.CONTACT, entry)
        return False

    folder, _ = bridged(docking(0.1), push, tmp_path, measured=["dock"])
    result = Result.load(folder)
    assert {"contact"} <= {event.name for event in result.events}
    # the first turn comes after the first cycle
    assert (result.outcome, result.metrics["dock.first_contact_s"]) == ("not captured", 0.001)
    assert result.reason.startswith("'dock': first contact at t = 0.001 s, 2 of 3 latches engaged")


def test_overlap_that_the_rig_does_not_feel_is_no_contact(desks: Any) -> None:
    desk = desks({**balls(1e-3), "events": {}}, measured=["hit"])
    # the balls meet after 0.1 s and go through one another
    desk.go(200)
    desk.close()
    result = desk.run.result(("interrupted", ""))
    assert result["hit.gap_m"][-1] < 0.0
    assert (result["hit.first_contact_s"] == -1.0).all()
