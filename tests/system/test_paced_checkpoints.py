"""Paced runs that are kept and begun from checkpoints: the files and the bits of plain runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import load_scenario
from docksim.jobs.paced import Keep, Wish, run_scenario
from docksim.realtime import packets
from docksim.realtime.session import Pace
from docksim.result.result import Result
from docksim.simulation.checkpoint import CheckpointError, Keeper, Snapshots, read_checkpoint, write_checkpoint
from docksim.simulation.run import new_run, run_on
from tests.support.realtime_rigs import free_ports
from tests.system.bridge_desk import floating, wrench
from tests.system.test_journal import Peer, again, bridged
from tests.system.test_realtime import UNTIL_CAPTURE, assert_same

SCENARIO = Path("scenarios/dock_nds.yaml")
QUICK = Pace(lock_memory=False)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, list[Path]]:
    """A plain run with checkpoints in free flight and in contact."""
    keeper = Keeper(tmp_path_factory.mktemp("plain"), at_s=(4.0, 4.6))
    return run_on(new_run(load_scenario(SCENARIO, UNTIL_CAPTURE)), keep=keeper), keeper.files


def test_watched_run_that_is_kept_in_contact_goes_on_as_a_plain_one(
    plain: tuple[Result, list[Path]], tmp_path: Path
) -> None:
    # the watcher makes the run log every cycle, which must not show
    watcher = ("127.0.0.1", free_ports(1)[0])
    wish = Wish(QUICK, watcher=watcher, keep=Keep(tmp_path, None, (4.0, 4.6)), clock=False)
    rig = run_scenario(load_scenario(SCENARIO, UNTIL_CAPTURE), wish)
    assert_same(rig.paced.result, plain[0])
    assert rig.kept is not None
    assert [file.name for file in rig.kept.files] == ["step-4000.npz", "step-4600.npz"]
    for file in rig.kept.files:
        assert_same(run_on(read_checkpoint(file)), plain[0])


def test_run_that_is_kept_in_step_with_the_clock_goes_on_as_a_plain_one(tmp_path: Path) -> None:
    changes = {"solver.duration_s": 0.2}
    rig = run_scenario(load_scenario(SCENARIO, changes), Wish(QUICK, keep=Keep(tmp_path, None, (0.1,))))
    assert rig.kept is not None
    (file,) = rig.kept.files
    whole = run_on(new_run(load_scenario(SCENARIO, changes)))
    assert_same(rig.paced.result, whole)
    assert_same(run_on(read_checkpoint(file)), whole)


def test_run_begun_from_a_checkpoint_in_contact_is_the_whole_run(
    plain: tuple[Result, list[Path]], tmp_path: Path
) -> None:
    scenario = load_scenario(SCENARIO, UNTIL_CAPTURE)
    watcher = ("127.0.0.1", free_ports(1)[0])
    for rate in (1000.0, 250.0):
        pace = Pace(rate, lock_memory=False)
        rig = run_scenario(scenario, Wish(pace, watcher=watcher, start=plain[1][1], clock=False))
        assert_same(rig.paced.result, plain[0])
        assert rig.paced.start_s == pytest.approx(4.6)
    with pytest.raises(CheckpointError, match="kept after 4600 steps, which is no whole number of cycles of 600"):
        run_scenario(scenario, Wish(Pace(1.0 / 0.6, lock_memory=False), start=plain[1][1]))


def test_bridged_run_begun_from_a_checkpoint_can_be_made_again_from_its_folder(tmp_path: Path) -> None:
    run = new_run(load_scenario(floating(), {"name": "scenario"}))
    run.advance(100)
    start = write_checkpoint(run, tmp_path / "start.npz")

    def push(peer: Peer, turn: int) -> bool:
        peer.send(packets.WRENCH, wrench((10.0 + turn, 0.0, 1.0)))
        return turn == 40

    folder, _ = bridged(floating(), push, tmp_path, ports=["mass.hook"], start=start)
    start.unlink()
    was = Result.load(folder)
    # a hundred steps and forty cycles
    assert was.time_s[-1] == pytest.approx(0.139)
    assert was["mass.velocity_m_s"][100, 0] == 0.0
    assert was["mass.velocity_m_s"][-1, 0] > 0.01
    code, output, found = again(folder, "--json")
    assert code == 0, output
    assert_same(Result.load(found["folder"]), was)
    (folder / "start.npz").unlink()
    code, output, _ = again(folder)
    assert code == 1
    assert "not the checkpoint that the run of the journal began from" in " ".join(output.split())


def command(*arguments: Any) -> tuple[int, str, dict[str, Any]]:
    runner = CliRunner(env={"COLUMNS": "200"})
    done = runner.invoke(main, ["realtime", *(str(one) for one in arguments)], catch_exceptions=False)
    found = json.loads(done.stdout)["runs"][0] if "--json" in arguments and done.stdout else {}
    return done.exit_code, " ".join(done.output.split()), found


def test_command_line_keeps_a_paced_run_and_begins_from_it(tmp_path: Path) -> None:
    common = ("--no-plots", "--json", "--out", tmp_path)
    file = ("scenarios/tumbling_brick.yaml", "--rate", "100")
    code, output, whole = command(
        *file, "--duration", "0.6", "--checkpoint-every", "0.2", "--checkpoint-at", "9", *common
    )
    assert code == 0, output
    assert [Path(file).name for file in whole["checkpoints"]] == ["step-200.npz", "step-400.npz", "step-600.npz"]
    assert whole["warnings"] == ["no checkpoint at 9 s: the run ends at 0.6 s"]
    code, output, part = command("--from", whole["checkpoints"][1], "--rate", "100", *common)
    assert code == 0, output
    assert_same(Result.load(part["folder"]), Result.load(whole["folder"]))
    for arguments, code, words in (
        ((*file, "--bridge", "0", "--checkpoint-at", "1"), 2, "--again makes such a run again"),
        (("--from", whole["checkpoints"][0], "--set", "seed=1"), 2, "cannot change it"),
        ((file[0], "--from", whole["checkpoints"][0]), 1, "another scenario"),
        (("--from", "nowhere.npz"), 1, "no such file"),
    ):
        found, output, _ = command(*arguments, "--out", tmp_path / "none")
        assert (found, words in output) == (code, True), output
    assert not (tmp_path / "none").exists()


def test_snapshots_are_bounded_and_an_unfinished_run_is_kept_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(100))
    wish = Wish(QUICK, keep=Keep(tmp_path, 1e6))
    rig = run_scenario(load_scenario(SCENARIO, UNTIL_CAPTURE), wish, lambda: next(calls) == 9)
    assert rig.kept is not None
    assert [file.name for file in rig.kept.files] == ["step-10.npz"]
    monkeypatch.setattr("docksim.simulation.checkpoint.MOST_SNAPSHOTS", 3)
    run = new_run(load_scenario(SCENARIO, UNTIL_CAPTURE))
    kept = Snapshots(tmp_path, run.log, every_s=1e-3)
    for _ in range(5):
        run.advance(1)
        kept.write(run)
    kept.write_all(run)
    assert len(kept.files) == 3
    assert kept.warnings == ["no checkpoints after the first 3, which are kept in memory"]
    with pytest.raises(CheckpointError, match="every 1e-09 s is asked for, more often than there are steps"):
        Snapshots(tmp_path, run.log, every_s=1e-9)(run)
