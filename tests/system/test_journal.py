"""A run with a bridge can be made again from its folder: the same bits, whatever came in and however it ended."""

from __future__ import annotations

import json
import re
import socket
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.config import load_scenario
from docksim.jobs.batch import Job
from docksim.jobs.paced import Rig, Wish, run_rig, run_scenario
from docksim.realtime import journal as journals
from docksim.realtime import packets
from docksim.realtime.bridge import Link
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.journal import CHUNK, RECORD, Journal, Kept
from docksim.realtime.packets import command, encode
from docksim.realtime.session import Pace
from docksim.result.result import Result
from docksim.simulation.sealed import digest_of, from_text
from tests.support.realtime_rigs import balls, couple, free_ports
from tests.system.bridge_desk import floating, wrench
from tests.system.test_realtime import assert_same

ROOT = Path(__file__).resolve().parents[2]
DEEP = object()
EVENTS = {"let_go": {"when": {"command": "release"}, "do": [{"phase": "FREE"}]},
          "enough": {"when": {"command": "enough"}, "do": [{"stop": "told to"}]}}  # fmt: skip


class Peer:
    """Speaks over a socket between two cycles, as it is told for each; in the run's own thread, so that it can be
    repeated."""

    def __init__(self, port: int, script: Callable[[Peer, int], bool]) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.address, self.script, self.turns, self.number = ("127.0.0.1", port), script, 0, 0

    def send(self, type_: int, payload: bytes, **head: Any) -> None:
        self.number += 1
        self.raw(encode(type_, payload, **{"sequence": self.number, **head}))

    def raw(self, data: bytes) -> None:
        self.socket.sendto(data, self.address)

    def __call__(self) -> bool:
        """Given to the run as what asks whether it is to stop."""
        self.turns += 1
        return self.script(self, self.turns)


def bridged(
    scenario: Any, script: Callable[[Peer, int], bool], folder: Path, link: dict[str, Any] | None = None, **wish: Any
) -> tuple[Path, Rig]:
    """A run as the command makes it, in a folder of its own."""
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps(scenario, default=list)), sort_keys=False), encoding="utf-8")
    (port,) = free_ports(1)
    peer = Peer(port, script)
    asked = Wish(wish.pop("pace", Pace(lock_memory=False)), Link(("127.0.0.1", port), **(link or {})),
                 **{"clock": False, **wish})  # fmt: skip
    with peer.socket:
        report, rig = run_rig(file, Job(out=folder / "first", figures="none"), asked, peer, lambda text: None)
    assert report.folder is not None
    # that an input was stale is told, and is no trouble
    assert [text for text in report.warnings if ": stale in" not in text and ": nothing ever" not in text] == []
    return report.folder, rig


def again(folder: Path, *options: str, out: Path | None = None) -> tuple[int, str, dict[str, Any]]:
    arguments = ["realtime", "--again", folder, "--no-plots", "--out", out or folder.parent.parent.parent / "second"]
    runner = CliRunner(env={"COLUMNS": "200"})
    done = runner.invoke(main, [str(one) for one in (*arguments, *options)], catch_exceptions=False)
    found = json.loads(done.stdout)["runs"][0] if "--json" in options and done.stdout else {}
    return done.exit_code, done.output, found


def eventful(peer: Peer, turn: int) -> bool:
    """Wrenches, measured contact, motion, commands, silence, and everything that is refused."""
    rng = np.random.default_rng(turn)
    if 150 < turn < 170:
        return False  # stale
    if turn % 3 == 0:
        port = turn % 2
        peer.send(packets.WRENCH, wrench(rng.normal(0.0, 20.0, 3), rng.normal(0.0, 5.0, 3), 0, port))
    if turn % 2 == 0:
        push = (300.0, *rng.normal(0.0, 30.0, 6))
        peer.send(packets.CONTACT, packets.CONTACT_ENTRY.pack(0, turn % 4, *push), echo=max(1, turn - turn % 5))
    if turn % 40 == 7:
        there = (7.0 + 1e-4 * turn, 0.0, 0.01, 1.0, 0.0, 0.0, 1e-3, *rng.normal(0.0, 1e-3, 6))
        peer.send(packets.MOTION, packets.MOTION_ENTRY.pack(1, *there))
    if turn == 60:
        peer.send(packets.COMMAND, command(packets.SET_POINT, "chaser.couplings.mean", -0.03))
    if turn == 90:
        peer.send(packets.COMMAND, command(packets.EVENT, "release") + command(packets.EVENT, "release"))
    if turn % 10 == 0:
        peer.raw(rng.bytes(60))
        peer.send(packets.WRENCH, wrench((np.nan, 0.0, 0.0)))
        peer.send(packets.COMMAND, command(packets.EVENT, "nobody"))
        peer.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)), sequence=1)
    return False


def dock_keys(duration: float) -> dict[str, Any]:
    keys = yaml.safe_load(load_scenario(ROOT / "scenarios" / "dock_nds.yaml").to_yaml())
    return {**keys, "solver": {**keys["solver"], "duration_s": duration}, "events": {**keys["events"], **EVENTS}}


def test_run_with_everything_from_outside_gives_the_same_bits_again(tmp_path: Path) -> None:
    folder, rig = bridged(
        dock_keys(0.3), eventful, tmp_path, ports=["chaser.nose"], measured=["dock"], motion=["station"],
        path=WrenchPath(delay=0.004, bandwidth=200.0, lead=0.003, passive=True),
    )  # fmt: skip
    assert {"received", "stale", "late", "reordered", "value", "name", "magic"} <= set(rig.counts), rig.counts
    was = Result.load(folder)
    assert {"contact", "let_go"} <= {event.name for event in was.events}
    # what came in is felt, so that leaving any of it out would be seen
    plain = docksim.run(dock_keys(0.3))
    assert np.abs(was["chaser.velocity_m_s"] - plain["chaser.velocity_m_s"]).max() > 5e-5
    assert np.abs(was["station.position_m"] - plain["station.position_m"]).max() > 1e-3
    code, output, found = again(folder, "--json")
    assert (code, found["again"]["same"]) == (0, True), output
    assert_same(Result.load(found["folder"]), was)
    assert Result.load(found["folder"]).manifest["again_of"] == folder.name
    # and from the folder that this left
    code, output, _ = again(Path(found["folder"]), out=tmp_path / "third")
    assert code == 0
    assert f"the same bits as {found['folder']}" in " ".join(output.split())


def test_torques_from_outside_are_in_the_journal_and_act_again(tmp_path: Path) -> None:
    def drive(peer: Peer, turn: int) -> bool:
        if turn < 20:
            peer.send(packets.TORQUE, packets.TORQUE_ENTRY.pack(0, 0.1 * turn))
        return False

    joint = {"type": "revolute", "axis": [0, 1, 0]}
    arm = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": joint}
    hull = {"mass_kg": 5.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "bodies": {"arm": arm}}
    scenario = {"vehicles": {"tug": hull}, "solver": {"duration_s": 0.05}}
    folder, _ = bridged(scenario, drive, tmp_path, torques=["tug.arm"])
    was = Result.load(folder)
    assert np.abs(was["tug.arm.rate_deg_s"]).max() > 0.1
    code, output, found = again(folder, "--json")
    assert code == 0, output
    assert_same(Result.load(found["folder"]), was)


def until(turn: int, act: Callable[[Peer], Any]) -> Callable[[Peer, int], bool]:
    """A push in every cycle, and at some turn something else."""

    def script(peer: Peer, now: int) -> bool:
        if now == turn:
            return bool(act(peer))
        if now < turn:
            peer.send(packets.WRENCH, wrench((10.0 + now, 0.0, 1.0)))
        return False

    return script


ENDS = {
    "abort": (lambda peer: peer.send(packets.COMMAND, command(packets.ABORT)), {}, "aborted"),
    "peer": (lambda peer: peer.send(packets.WRENCH, wrench((1.0, 0.0, 0.0)), flags=packets.ENDED), {}, "stopped"),
    "event": (lambda peer: peer.send(packets.COMMAND, command(packets.EVENT, "enough")), {}, "stopped"),
    "ctrl-c": (lambda peer: True, {}, "interrupted"),
    "silence": (lambda peer: False, {"link": {"on_stale": "stop"}}, "aborted"),
    "overrun": (lambda peer: time.sleep(0.01),
                {"clock": True, "pace": Pace(policy="stop", lock_memory=False)}, "aborted"),
}  # fmt: skip


@pytest.mark.parametrize("end", ENDS)
def test_run_that_was_ended_ends_there_again(end: str, tmp_path: Path) -> None:
    act, options, outcome = ENDS[end]
    folder, _ = bridged(floating(events=EVENTS), until(40, act), tmp_path, ports=["mass.hook"], **options)
    was = Result.load(folder)
    assert was.outcome == outcome, was.reason
    # the first cycle comes before the first turn; an overrun may come by itself earlier
    assert len(was.time_s) <= 45
    code, output, found = again(folder, "--json")
    assert code == 0, output
    assert_same(Result.load(found["folder"]), was)


def test_both_sides_of_a_lock_step_can_be_made_again_alone() -> None:
    path = WrenchPath(delay=0.002, passive=True)
    sides = couple(balls(1e-3, 0.1), 1000.0, path=path)
    for rig, measured, motion in zip(sides, (["hit"], []), ([], ["all"]), strict=True):
        assert rig.journal is not None
        record, asked = rig.journal
        wish = Wish(Pace(lock_memory=False), measured=measured, motion=motion, path=asked.path,
                    again=Kept(asked, record.content()), clock=False)  # fmt: skip
        repeated = run_scenario(load_scenario(balls(1e-3, 0.1)), wish)
        assert_same(repeated.paced.result, rig.paced.result)
        assert repeated.journal == (repeated.journal[0], asked) if repeated.journal else False


def test_run_made_again_in_step_with_the_clock_is_the_same(tmp_path: Path) -> None:
    folder, _ = bridged(floating(), until(600, lambda peer: False), tmp_path, ports=["mass.hook"])
    code, output, found = again(folder, "--paced", "--policy", "catch-up", "--json")
    assert code == 0, output
    # in step with the clock: half a second of deadlines
    assert found["realtime"]["policy"] == "catch-up"
    assert_same(Result.load(found["folder"]), Result.load(folder))


def test_memory_of_the_journal_grows_by_chunks_and_by_eight_bytes_more_than_the_payloads() -> None:
    payload = memoryview(wrench((1.0, 2.0, 3.0)))
    found, peak = Journal(), 0
    tracemalloc.start()
    for cycle in range(20_000):
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        found.note(cycle, packets.WRENCH, payload)
        peak = max(peak, tracemalloc.get_traced_memory()[1] - before)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(found.content()) == 20_000 * (8 + 56)
    # one chunk at most is not yet used, and each has a view and an object
    assert size < 20_000 * 64 + CHUNK + 20 * 400
    # a cycle asks for one chunk at most: nothing that is there is moved
    assert peak < CHUNK + 4096


def test_full_journal_is_told_and_the_run_can_be_made_again_up_to_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "CHUNK", 640)  # ten wrenches
    monkeypatch.setattr("docksim.realtime.bridge.Journal", partial(Journal, limit=3 * 640))
    with pytest.raises(AssertionError, match="the journal was full after 31 cycles"):
        bridged(floating(), until(99, lambda peer: False), tmp_path, ports=["mass.hook"])
    (folder,) = (tmp_path / "first" / "scenario").iterdir()
    code, output, _ = again(folder)
    assert code == 0, output
    assert "31 rows, as far as its journal goes" in " ".join(output.split())
    monkeypatch.undo()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, _ = bridged(floating(), until(40, lambda peer: True), tmp_path_factory.mktemp("kept"), ports=["mass.hook"])
    return folder


def copied(kept: Path, folder: Path) -> Path:
    folder.mkdir()
    for file in kept.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def refused(folder: Path, *options: str) -> str:
    code, output, _ = again(folder, *options, out=folder / "none")
    assert code == 1, output
    assert not (folder / "none").exists()
    return re.sub(r"\s+", " ", output)


def test_damaged_journals_are_refused_in_words(kept: Path, tmp_path: Path) -> None:
    content = (kept / "journal.npz").read_bytes()
    at = content.index(RECORD.pack(5, packets.WRENCH, 56)) + 30
    cases = {
        "missing": (None, "journal.npz: no such file. If nothing came in from outside, none is needed: docksim run"),
        "text": (b"records\n", "not a journal, or damaged"),
        "cut": (content[: len(content) // 2], "not a journal, or damaged"),
        "bit": (content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :], "damaged"),
    }
    for name, (data, words) in cases.items():
        folder = copied(kept, tmp_path / name)
        (folder / "journal.npz").unlink()
        if data is not None:
            (folder / "journal.npz").write_bytes(data)
        assert words in refused(folder), name


def test_journals_that_make_no_sense_are_refused_though_their_digest_fits(kept: Path, tmp_path: Path) -> None:
    with np.load(kept / "journal.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    about, asked = (json.loads(arrays[name].tobytes()) for name in ("about", "asked"))
    records = arrays["records"].tobytes()

    def written(name: str, records: bytes, asked: Any) -> Path:
        text = "[" * 100_000 if asked is DEEP else json.dumps(asked)
        found = {"records": np.frombuffer(records, np.uint8), "asked": from_text(text)}
        folder = copied(kept, tmp_path / name)
        text = json.dumps({**about, "digest": digest_of(found)})
        np.savez(folder / "journal.npz", about=from_text(text), **found)
        return folder

    cases = {
        "cut": (records[:-1], asked, "its last record is cut off"),
        "head": (records + b"\1", asked, "damaged"),
        "order": (records + records[:64], asked, "a record of cycle 1 makes no sense"),
        "kind": (RECORD.pack(0, 3, 0) + records, asked, "a record of cycle 0 makes no sense"),
        "port": (RECORD.pack(0, packets.WRENCH, 56) + wrench((1.0, 0.0, 0.0), port=7) + records, asked,
                 "a packet of cycle 0 was taken then and is refused now (index)"),
        "words": (records, {**asked, "ports": 5}, "damaged"),
        "keys": (records, {"ports": []}, "damaged"),
        "list": (records, [], "damaged"),
        "deep": (records, DEEP, "nested too deeply"),
        "escape": (records, {**asked, "ports": ["\x1b]0;x\x07"]}, r"no port '\x1b]0;x\x07'"),
        "rate": (records, {**asked, "rate_Hz": 1500.0}, "not a whole number"),
        "speed": (records, {**asked, "rate_Hz": 1e300}, "its rate, bandwidth or number of cycles makes no sense"),
        "delay": (records, {**asked, "path": {**asked["path"], "delay": 1e9}}, "its delay or lead makes no sense"),
        "name": (records, {**asked, "ports": ["mass.nose"]}, "no port 'mass.nose'"),
    }  # fmt: skip
    for name, (data, words_asked, words) in cases.items():
        assert words in refused(written(name, data, words_asked)), name


def test_another_scenario_version_or_kernel_is_refused(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = copied(kept, tmp_path / "changed")
    text = (changed / "scenario.yaml").read_text(encoding="utf-8")
    (changed / "scenario.yaml").write_text(text.replace("seed: 0", "seed: 1"), encoding="utf-8")
    assert "belongs to another scenario" in refused(changed)
    with monkeypatch.context() as patch:
        patch.setattr("docksim.simulation.sealed.__version__", "9.9.9")
        assert "this is 9.9.9" in refused(copied(kept, tmp_path / "version"))
    monkeypatch.setattr("docksim.simulation.run.kernel_stamp", lambda: "other")
    assert "another kernel" in refused(copied(kept, tmp_path / "kernel"))


def test_result_that_is_not_the_same_again_is_told(kept: Path, tmp_path: Path) -> None:
    folder = copied(kept, tmp_path / "forged")
    with np.load(folder / "data.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["mass.velocity_m_s"][30, 1] += 1e-15
    np.savez(folder / "data.npz", **arrays)
    code, output, _ = again(folder, out=tmp_path / "out")
    assert code == 1
    assert "'mass.velocity_m_s' differs from t = 0.03 s on" in " ".join(output.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x.yaml", "--again", "y"], "leave FILE out"),
        (["--again", "y", "--bridge", "0"], "--bridge cannot change it"),
        (["--again", "y", "--set", "seed=1"], "--set cannot change it"),
        (["--again", "y", "--cpu", "1"], "--cpu needs --paced"),
        (["x.yaml", "--paced"], "--paced is for --again"),
        ([], "Missing argument 'FILE'"),
    ],
)
def test_wrong_use_is_told(arguments: list[str], words: str) -> None:
    done = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["realtime", *arguments])
    assert (done.exit_code, words in " ".join(done.output.split())) == (2, True), done.output
