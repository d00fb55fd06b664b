"""What a page is told of a paced run: its rows and events, whatever else comes to the port."""

from __future__ import annotations

import base64
import json
import socket
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import load_scenario
from docksim.jobs.paced import Wish, run_scenario
from docksim.model.log import new_log
from docksim.realtime import packets
from docksim.realtime.packets import encode
from docksim.realtime.rows import HEAD, fits, mark_of, row_payload, row_width
from docksim.realtime.session import Pace
from docksim.replay import watched as module
from docksim.replay.watched import FOREIGN, OTHER, Watched
from docksim.result.result import Result, ResultError
from docksim.simulation.run import new_run

SCENARIO = "scenarios/dock_nds.yaml"
# until the latches hold
SHORT = {"solver.duration_s": 5.4}


@pytest.fixture(scope="module")
def sent() -> tuple[Result, list[bytes]]:
    """A run, and its datagrams to a watcher."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        found: list[bytes] = []

        def drain() -> bool:
            while True:
                try:
                    found.append(listener.recv(65536))
                except BlockingIOError:
                    return False

        wish = Wish(Pace(lock_memory=False), watcher=listener.getsockname(), clock=False)
        result = run_scenario(load_scenario(SCENARIO, SHORT), wish, drain).paced.result
        drain()
    return result, found


def blocks(watched: Watched) -> list[dict[str, Any]]:
    return [json.loads(text) for kind, text in watched.feed.messages() if kind == "block"]


def times(watched: Watched) -> np.ndarray:
    texts = [one["block"]["time"] for one in blocks(watched)]
    return np.concatenate([np.frombuffer(base64.b64decode(text), "<f8") for text in texts])


def test_page_gets_every_row_and_event_that_was_sent_though_the_file_has_another_duration(
    sent: tuple[Result, list[bytes]],
) -> None:
    result, datagrams = sent
    watched = Watched(load_scenario(SCENARIO))
    assert "waiting for the run" in watched.feed.page()
    for i, data in enumerate(datagrams):
        watched.take(data)
        if i % 50 == 0:
            watched.flush()
    watched.flush()
    # every 50 ms, and the end
    np.testing.assert_allclose(times(watched), np.arange(109) * 0.05, atol=1e-9)
    last = blocks(watched)[-1]
    assert [(event["name"], event["time"]) for event in last["events"]] == [
        (event.name, event.time_s) for event in result.events
    ]
    assert watched.counts == {"rows": 109}
    assert (watched.feed.status, watched.feed.outcome) == ("running, ended", "ended")


def test_other_datagrams_are_counted_and_change_nothing(sent: tuple[Result, list[bytes]]) -> None:
    _, datagrams = sent
    rng = np.random.default_rng(4)
    rows = [data for data in datagrams if data[5] == packets.ROW]
    watched = Watched(load_scenario(SCENARIO))
    known = len(watched.compiled.model.event)
    watched.take(rows[3])
    run = new_run(load_scenario(SCENARIO))
    row, mark = np.zeros(row_width(run.compiled.model)), mark_of(run.compiled.scenario)
    bad = [
        rng.bytes(200),
        rows[4][:-1],
        encode(packets.ROW, b"\1"),
        encode(packets.ROW, rows[4][40:-12]),
        # events that there are not
        encode(packets.ROW, row_of(mark, [[known, 1.0, 0.0]], row + 1.0)),
        encode(packets.ROW, row_of(mark, [[-1.0, 1.0, 0.0]], row + 1.0)),
        encode(packets.ROW, row_of(mark, [[np.nan, 1.0, 0.0]], row + 1.0)),
        encode(packets.ROW, row_of(mark, [[0.0, 1.0, 0.0]] * (known + 1), row + 1.0)),
    ]
    for data in bad:
        watched.take(data)
    watched.take(encode(packets.ROW, row_of(mark, [], row[:-1])))
    watched.take(encode(packets.ROW, row_payload(b"12345678", new_log(run.compiled.model, 1), run.compiled.state)))
    assert watched.counts == {"rows": 1, FOREIGN: len(bad), OTHER: 2}
    # a run that diverged ends with numbers that cannot be shown
    watched.take(encode(packets.ROW, row_of(mark, [], np.where(row == 0.0, np.nan, row)), flags=packets.ENDED))
    watched.flush()
    np.testing.assert_allclose(times(watched), [0.15], atol=1e-9)
    assert watched.feed.outcome == "ended"


def test_numbers_that_no_run_has_end_no_page(recwarn: pytest.WarningsRecorder) -> None:
    scenario, rng = load_scenario(SCENARIO), np.random.default_rng(5)
    watched = Watched(scenario)
    width, mark = row_width(watched.compiled.model), mark_of(scenario)
    for k in range(12):
        row = 10.0 ** rng.uniform(-300, 308, width) if k % 2 else 1e3 * rng.normal(size=width)
        row[0] = 0.05 * k  # its time
        watched.take(encode(packets.ROW, row_of(mark, [], row)))
        watched.flush()
    assert watched.counts == {"rows": 12}
    watched.feed.end("ended")
    # those that are too large are left out
    np.testing.assert_allclose(times(watched), 0.1 * np.arange(6))
    assert not recwarn.list


def test_numbers_that_are_too_much_for_the_page_are_counted_and_the_next_are_shown(
    sent: tuple[Result, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [data for data in sent[1] if data[5] == packets.ROW]
    watched = Watched(load_scenario(SCENARIO))
    with monkeypatch.context() as patch:
        patch.setattr(watched.feed, "add", lambda *_: np.zeros(1)[5])
        watched.take(rows[3])
        watched.flush()
    watched.take(rows[4])
    watched.flush()
    assert watched.counts == {"rows": 2, FOREIGN: 1}
    watched.feed.end("ended")
    np.testing.assert_allclose(times(watched), [0.2], atol=1e-9)


def test_page_is_told_that_another_scenario_is_sent() -> None:
    watched = Watched(load_scenario(SCENARIO))
    watched.take(encode(packets.ROW, row_of(b"12345678", [], np.zeros(5))))
    watched.flush()
    assert "another scenario" in watched.feed.status


def row_of(mark: bytes, events: list[list[float]], row: np.ndarray) -> bytes:
    return HEAD.pack(mark, len(events), len(row)) + np.array(events, "<f8").tobytes() + row.astype("<f8").tobytes()


def test_changed_scenario_has_another_mark_and_a_longer_one_has_not() -> None:
    plain = mark_of(load_scenario(SCENARIO))
    assert mark_of(load_scenario(SCENARIO, {"solver.duration_s": 3.0})) == plain
    assert mark_of(load_scenario(SCENARIO, {"vehicles.chaser.mass_kg": 9000.0})) != plain


def test_next_run_ends_the_page_of_the_one_before_and_silence_is_told(
    sent: tuple[Result, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, datagrams = sent
    rows = [data for data in datagrams if data[5] == packets.ROW]
    watched = Watched(load_scenario(SCENARIO))
    watched.flush()
    assert watched.feed.status == ""
    watched.take(rows[5])
    watched.flush()
    assert watched.feed.status == "running"
    later = module.time.monotonic() + 3.0
    monkeypatch.setattr(module.time, "monotonic", lambda: later)
    watched.flush()
    assert watched.feed.status == "no packets"
    watched.take(rows[0])
    watched.flush()
    assert watched.feed.outcome == "another run began"


def test_long_run_is_thinned_to_what_a_page_holds(
    sent: tuple[Result, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("docksim.replay.live.row_limit", lambda scene: 22)
    watched = Watched(load_scenario(SCENARIO, SHORT))
    for data in sent[1]:
        watched.take(data)
    watched.flush()
    # 109 rows into 22 is one in five, and the last
    np.testing.assert_allclose(times(watched), np.append(np.arange(0, 109, 5), 108) * 0.05, atol=1e-9)


def test_row_that_fits_no_datagram_is_told_before_anything_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fits(7000, 30)
    assert not fits(8000, 0)
    monkeypatch.setattr(module, "fits", lambda width, events: False)
    with pytest.raises(ResultError, match="too many bodies"):
        Watched(load_scenario(SCENARIO))


def test_watcher_with_once_ends_with_the_run_though_nobody_looked(
    sent: tuple[Result, list[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ended(Watched):
        def flush(self) -> None:
            for data in sent[1]:
                self.take(data)
            super().flush()

    monkeypatch.setattr("docksim.cli.watch.Watched", Ended)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
    done = CliRunner().invoke(main, ["watch", "--page", SCENARIO, "--once", "--port", str(port)])
    assert done.exit_code == 0, done.output


def test_wrong_use_is_told() -> None:
    runner = CliRunner(env={"COLUMNS": "120"})
    assert runner.invoke(main, ["watch", "--open"]).exit_code == 2
    missing = runner.invoke(main, ["watch", "--page", "nowhere.yaml"])
    assert missing.exit_code == 1
    assert "nowhere.yaml" in missing.output
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        taken = runner.invoke(main, ["watch", "--page", SCENARIO, "--port", str(other.getsockname()[1])])
    assert taken.exit_code == 1
    assert "cannot listen at port" in taken.output
