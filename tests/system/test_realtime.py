"""A paced run is the run: the same bits, whatever the clock does; and what its command line says."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.realtime.bridge import Bridge, Link
from docksim.realtime.bridged import BridgedCycle, Talk
from docksim.realtime.inputs import Inputs
from docksim.realtime.pacing import Policy
from docksim.realtime.session import Cycle, Pace, run_paced
from docksim.result.result import Result
from docksim.simulation.run import Run
from tests.support.realtime_clock import US, FakeClock

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
UNTIL_CAPTURE = {"solver.duration_s": 5.4}


def assert_same(one: Result, two: Result) -> None:
    assert list(one.channels) == list(two.channels)
    for name in one.channels:
        np.testing.assert_array_equal(one[name], two[name], name)
    assert (one.events, one.metrics, one.outcome, one.reason) == (two.events, two.metrics, two.outcome, two.reason)


KNOWN: dict[str, Result] = {}


def unpaced(name: str, changes: dict[str, Any]) -> Result:
    """The plain run, once."""
    if name not in KNOWN:
        KNOWN[name] = docksim.run(SCENARIOS / f"{name}.yaml", changes)
    return KNOWN[name]


class Overloaded(Cycle):
    """Takes far longer now and then, by the clock of the test."""

    def __init__(self, run: Run, steps: int, clock: FakeClock) -> None:
        super().__init__(run, steps)
        self.clock = clock

    def __call__(self, k: int) -> bool:
        self.clock.time += (5000 if k % 700 == 300 else 90) * US
        return super().__call__(k)


@pytest.mark.parametrize(
    ("name", "rate", "policy", "changes"),
    [
        ("dock_nds", 1000.0, "skip", UNTIL_CAPTURE),
        ("dock_nds", 250.0, "catch-up", UNTIL_CAPTURE),
        # 40 steps a cycle; the run ends by its duration
        ("dock_and_undock", 5.0, "catch-up", {"solver.duration_s": 7.2}),
    ],
)
def test_paced_run_equals_the_unpaced_one_bit_for_bit_under_overload(
    name: str, rate: float, policy: Policy, changes: dict[str, Any]
) -> None:
    scenario = load_scenario(SCENARIOS / f"{name}.yaml", changes)
    run, clock = Run(compile_scenario(scenario)), FakeClock(60 * US)
    steps = round(1.0 / (rate * scenario.solver.step_s))
    paced = run_paced(run, Pace(rate, policy, lock_memory=False), clock=clock, cycle=Overloaded(run, steps, clock))
    assert_same(paced.result, unpaced(name, changes))
    assert paced.result.manifest["realtime"]["cycles"] == paced.timing.cycles


def bridged(name: str, changes: dict[str, Any], rate: float, **options: Any) -> tuple[Run, BridgedCycle]:
    scenario = load_scenario(SCENARIOS / f"{name}.yaml", changes)
    inputs = Inputs(compile_scenario(scenario), **options)
    run = Run(inputs.compiled)
    steps = round(1.0 / (rate * scenario.solver.step_s))
    return run, BridgedCycle(run, steps, Bridge(Link(("127.0.0.1", 0))), inputs, Talk(rate))


@pytest.mark.parametrize("rate", [1000.0, 250.0])
def test_bridge_that_hears_nothing_changes_no_bit(rate: float) -> None:
    run, cycle = bridged("dock_nds", UNTIL_CAPTURE, rate, ports=["chaser.nose"])
    result = run_paced(run, Pace(rate, lock_memory=False), clock=FakeClock(), cycle=cycle).result
    # the bridge's own channels hold nothing
    outside = [name for name in result.channels if name.startswith("external.chaser.nose.")]
    assert len(outside) == 2
    assert not any(result.channels.pop(name).data.any() for name in outside)
    assert_same(result, unpaced("dock_nds", UNTIL_CAPTURE))


def test_stop_policy_ends_the_run_and_keeps_what_there_is() -> None:
    scenario = load_scenario(SCENARIOS / "dock_nds.yaml", UNTIL_CAPTURE)
    run, clock = Run(compile_scenario(scenario)), FakeClock()
    paced = run_paced(run, Pace(1000.0, "stop", lock_memory=False), clock=clock, cycle=Overloaded(run, 1, clock))
    assert paced.result.outcome == "aborted"
    assert paced.result.reason.startswith("cycle 300 ended 4000 us after the next deadline")
    assert paced.result.time_s[-1] == pytest.approx(0.30)


def test_memory_of_cycles_with_packets_stays_flat() -> None:
    _, cycle = bridged("dock_nds", UNTIL_CAPTURE, 1000.0, ports=["chaser.nose"])
    sizes, peaks = [], []
    tracemalloc.start()
    for k in range(1500):
        if k % 500 == 499:
            size, peak = tracemalloc.get_traced_memory()
            sizes.append(size)
            peaks.append(peak - size)
            tracemalloc.reset_peak()
        cycle(k)
    tracemalloc.stop()
    cycle.close()
    # an object of 32 bytes kept per cycle would be 16 kB; the tracer itself keeps some hundred bytes
    assert sizes[2] - sizes[1] < 4096
    # what a cycle has in hand at any time: a packet or two of half a kilobyte, and views
    assert peaks[2] < 16384


def command(*arguments: str | Path) -> tuple[int, str]:
    runner = CliRunner(env={"COLUMNS": "120"})
    done = runner.invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    return done.exit_code, done.output


def test_command_runs_paces_saves_and_tells(tmp_path: Path) -> None:
    file = SCENARIOS / "tumbling_brick.yaml"
    step = docksim.run(file, {"solver.duration_s": 0.1}).scenario.solver.step_s
    rate = f"{1.0 / step:.10g}"
    code, output = command("realtime", file, "--duration", "1", "--rate", rate, "--out", tmp_path, "--no-plots")
    assert code == 0, output
    for words in ("times of a cycle, us", "sleep overshoot", "overruns", "late cycles", "worst job", "headroom"):
        assert words in output
    assert "garbage collection: off" in output
    (folder,) = (tmp_path / "tumbling_brick").iterdir()
    found = json.loads((folder / "realtime.json").read_text())
    assert found["cycles"] == round(1.0 / step) + 1
    assert_same(Result.load(folder), docksim.run(file, {"solver.duration_s": 1.0}))


def test_figure_of_the_times_is_drawn(tmp_path: Path) -> None:
    from docksim.plots.realtime import timing_figure

    scenario = load_scenario(SCENARIOS / "dock_nds.yaml", {"solver.duration_s": 1.0})
    run, clock = Run(compile_scenario(scenario)), FakeClock(50 * US)
    paced = run_paced(run, Pace(lock_memory=False), clock=clock, cycle=Overloaded(run, 1, clock))
    figure = timing_figure(paced, "dock_nds")
    job, sleep, course = figure.axes
    assert [axes.get_xlabel() for axes in (job, sleep)] == ["job time [us]", "sleep overshoot [us]"]
    # a second of approach has one phase
    assert course.get_xlabel() == "simulated time [s]"
    figure.canvas.draw()
    for axes in figure.axes:
        # lines end where the legend begins
        legend = axes.get_legend()
        assert legend is not None
        assert legend.get_window_extent().y0 >= axes.get_window_extent().y1
    assert "us" in job.get_legend_handles_labels()[1][1]


def test_bridge_that_heard_nothing_says_so_and_times_are_told_with_their_places(tmp_path: Path) -> None:
    common = ("--duration", "0.05", "--out", tmp_path, "--no-figures")
    code, output = command("realtime", SCENARIOS / "tumbling_brick.yaml", "--bridge", "0", "--rate", "100", *common)
    assert code == 0, output
    assert "received: nothing came" in output
    for words in ("worst job", "worst sleep overshoot", "next deadline"):
        (line,) = [line for line in output.splitlines() if words in line and "us at t =" in line]
        assert "phase start" in line, line


def test_result_that_could_not_be_saved_is_told_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr("docksim.jobs.paced.run_scenario", lambda *arguments: pytest.fail("it was run"))
    code, output = command("realtime", SCENARIOS / "tumbling_brick.yaml", "--out", tmp_path / "file")
    assert code == 1
    assert "cannot write the result to" in output


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--rate", "1500"], 2, "not a whole number of steps"),
        (
            ["--duration", "7.3", "--rate", "5"],
            2,
            "solver.duration_s: 7.3 s is not a whole number of cycles of 200 ms "
            "(--rate 5): choose --duration 7.2 or 7.4, or another --rate",
        ),
        (
            ["--duration", "0.9005"],
            2,
            "not a whole number of cycles of 1 ms (--rate 1000): choose --duration 0.9 or 0.901",
        ),
        (
            ["--bridge", "0", "--measured-contact", "dock", "--rig-delay", "0.0015"],
            2,
            "--rig-delay: 0.0015 s must be a "
            "whole multiple of the period, which is 0.001 s; the nearest: 0.001 or 0.002",
        ),
        (["--external", "chaser.nose"], 2, "--external does nothing by itself: it needs --bridge"),
        (["--bridge", "0", "--external", "chaser.tail"], 2, "no port 'chaser.tail'; there are"),
        (["--bridge", "0", "--measured-contact", "door"], 2, "no contact 'door'; there are dock"),
        (["--bridge", "0.0.0.0:0"], 2, "beyond loopback: --open-network allows it"),
        (["--bridge", "nowhere"], 2, "expected a port"),
        (["--set", "solver.step=1"], 1, "step"),
        (["--policy", "hurry"], 2, "policy"),
    ],
)
def test_wrong_wishes_are_told_before_anything_runs(
    arguments: list[str], code: int, words: str, tmp_path: Path
) -> None:
    found, output = command("realtime", SCENARIOS / "dock_nds.yaml", *arguments, "--out", tmp_path)
    assert (found, words in " ".join(output.split())) == (code, True), output
    assert not list(tmp_path.iterdir())
