"""A live run: every row reaches the page in time, only this computer sees it, and Ctrl-C leaves a result."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import load_scenario
from docksim.replay import live
from docksim.replay.live import Feed
from docksim.replay.server import LiveServer
from docksim.result.result import Result
from docksim.simulation.run import simulate

ROOT = Path(__file__).resolve().parents[2]


def run(feed: Feed, **overrides: Any) -> Result:
    result = simulate(load_scenario("scenarios/leg_gallery.yaml", overrides), feed.progress, watch=feed.watch)
    feed.end(result.outcome)
    return result


def times(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(json.loads(text)["block"]["time"]), "<f8")


def get(server: LiveServer, path: str, host: str | None = None, method: str = "GET") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request(method, path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_page_gets_every_row_and_every_event_once() -> None:
    feed = Feed(speed=0.0)
    result = run(feed)
    messages = list(feed.messages())
    assert [kind for kind, _ in messages[-1:]] == ["end"]
    blocks = [text for kind, text in messages if kind == "block"]
    assert np.array_equal(np.concatenate([times(text) for text in blocks]), result.time_s)
    assert [event["name"] for event in json.loads(blocks[-1])["events"]] == [event.name for event in result.events]
    # one that comes late gets all of it, too
    assert [text for kind, text in feed.messages() if kind == "block"] == blocks


def test_long_run_is_thinned_to_what_a_page_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "row_limit", lambda scene: 100)
    feed = Feed(speed=0.0)
    result = run(feed)
    kept = np.concatenate([times(text) for kind, text in feed.messages() if kind == "block"])
    assert 80 < len(kept) <= 101
    assert kept[-1] == result.time_s[-1]
    assert np.all(np.diff(kept) > 0.0)


def test_blocks_are_released_at_the_pace_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Feed(speed=2.0)
    result = run(feed)
    clock = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    reader = feed.messages()
    given: list[float] = []

    def drain() -> None:
        for kind, text in reader:
            if kind != "block":
                return
            given.extend(times(text))

    drain()
    # a block has 0.2 s at this speed
    assert given[-1] <= 0.2
    clock[0] += 2.0
    drain()
    assert 4.0 <= given[-1] <= 4.2
    clock[0] += 100.0
    drain()
    assert given[-1] == result.time_s[-1]
    assert len(given) == len(result.time_s)


def test_pages_that_have_gone_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: clock[0])
    feed = Feed(speed=1.0)
    run(feed, **{"solver.duration_s": 0.5})
    assert not feed.deserted(5.0)  # nobody has come yet
    reader = feed.messages()
    next(reader)
    clock[0] += 60.0
    assert not feed.deserted(5.0)
    reader.close()
    assert not feed.deserted(5.0)
    clock[0] += 6.0
    assert feed.deserted(5.0)


@pytest.fixture(scope="module")
def served() -> Iterator[LiveServer]:
    feed = Feed(speed=0.0)
    run(feed, **{"solver.duration_s": 0.2})
    with LiveServer(feed) as server:
        yield server


def test_server_listens_on_loopback_only(served: LiveServer) -> None:
    assert served._http.server_address[0] == "127.0.0.1"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", served.address)


def test_page_and_frames_need_the_token(served: LiveServer) -> None:
    status, text = get(served, f"/{served.token}/")
    assert status == 200
    assert "connect-src 'self'" in text.replace("&#39;", "'")
    assert get(served, f"/{served.token}/frames")[1].endswith('event: end\ndata: {"outcome": "completed"}\n\n')
    for path in ("/", "/frames", "//", "/x/", f"/{served.token[:-1]}/frames", f"/{served.token}/../etc/passwd", "/é/"):
        assert get(served, path.encode("ascii", "replace").decode())[0] == 404


def test_other_host_names_are_refused(served: LiveServer) -> None:
    # a page elsewhere whose name is made to point here carries its own name
    assert get(served, f"/{served.token}/", host=f"evil.example:{served.port}")[0] == 404


def test_nothing_can_be_sent(served: LiveServer) -> None:
    assert get(served, f"/{served.token}/", method="POST")[0] == 501


def test_wrong_use_is_told() -> None:
    runner = CliRunner()
    missing = runner.invoke(main, ["replay", "--live", "nowhere.yaml"])
    assert missing.exit_code == 1
    assert "nowhere.yaml" in missing.output
    assert runner.invoke(main, ["replay", "--live", "x.yaml", "--out", "y.html"]).exit_code == 2
    assert runner.invoke(main, ["replay", "somewhere", "--set", "a=1"]).exit_code == 2
    assert "no such result folder" in runner.invoke(main, ["replay", "somewhere"]).output


def test_replay_of_a_saved_result_is_written_beside_it(tmp_path: Path) -> None:
    feed = Feed(speed=0.0)
    folder = run(feed, **{"solver.duration_s": 0.1}).save(tmp_path / "saved")
    done = CliRunner().invoke(main, ["replay", str(folder)])
    assert done.exit_code == 0
    assert done.output.strip() == str(folder / "replay.html")
    assert (folder / "replay.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_ctrl_c_ends_a_live_run_and_keeps_what_it_has(tmp_path: Path) -> None:
    # far more than can be computed before the signal comes
    long = ["--set", "solver.duration_s=100000", "--set", "outputs.every_s=1.0"]
    command = [sys.executable, "-m", "docksim", "replay", "--live", str(ROOT / "scenarios/tumbling_brick.yaml"), *long]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    host, token = address.split("/")[2:4]
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", f"/{token}/")
    assert connection.getresponse().status == 200
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    (saved,) = (tmp_path / "results" / "tumbling_brick").iterdir()
    assert "interrupted" in errors
    assert Result.load(saved).outcome == "interrupted"
    assert len(Result.load(saved).time_s) > 0
