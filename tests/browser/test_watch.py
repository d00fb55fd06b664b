"""A paced run in the browser while it goes: a process of its own, fed by datagrams."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.jobs.paced import Wish, run_scenario
from docksim.realtime.session import Pace
from tests.browser.chromium import Page
from tests.browser.test_replay import READ_BACK
from tests.support.realtime_rigs import free_ports

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = ROOT / "scenarios" / "dock_nds.yaml"


@pytest.fixture
def watcher() -> Iterator[tuple[int, str, subprocess.Popen[str]]]:
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "docksim", "watch", "--page", str(SCENARIO), "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield port, process.stdout.readline().strip(), process
        process.kill()


def test_paced_run_is_shown_in_the_browser(
    watcher: tuple[int, str, subprocess.Popen[str]], open_page: Callable[..., Page]
) -> None:
    port, address, process = watcher
    # the page is there before the run
    page = open_page(address)
    page.wait_for("!!window.docksim")
    assert page.evaluate("docksim.store.rows") == 0
    assert page.evaluate("document.getElementById('outcome').textContent") == "waiting for the run"
    scenario = load_scenario(SCENARIO, {"solver.duration_s": 8.0})
    wish = Wish(Pace(lock_memory=False), watcher=("127.0.0.1", port), clock=False)
    result = run_scenario(scenario, wish).paced.result
    page.wait_for("document.getElementById('outcome').textContent === 'ended'")
    times = np.array(page.evaluate("Array.from(docksim.store.columns.time.values.slice(0, docksim.store.rows))"))
    assert times[-1] == result.time_s[-1]
    # twenty a second, if none was lost on the way, which loopback under load may do
    assert 40 < len(times) <= 162
    assert np.all(np.diff(times) > 0.0)
    for time_s in (float(times[len(times) // 2]), float(times[-1])):
        page.evaluate(f"docksim.seek({time_s!r}); docksim.show()")
        row = int(np.searchsorted(result.time_s, time_s - 1e-9))
        for body in ("chaser", "chaser.ring", "station"):
            # single precision of some metres
            expected = result[f"{body}.position_m"][row].tolist()
            assert page.evaluate(f"docksim.position('{body}')") == pytest.approx(expected, abs=5e-6)
    assert page.evaluate("docksim.payload.events.map(e => e.name)") == [event.name for event in result.events]
    # an event that the list does not have yet stops nothing
    page.evaluate("docksim.payload.events.push({time: 1, name: 'n', text: ''}); docksim.show()")
    assert [text for text in page.errors if READ_BACK not in text] == []
    # it ends once a page has everything
    assert process.wait(20.0) == 0
