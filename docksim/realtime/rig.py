"""One paced run from a file to its folder: scenario, bridge, loop, result, figures; what `docksim realtime` calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docksim.batch import Job, RunReport, describe, scenario_of, with_figures, with_folder
from docksim.compiler import compile_scenario
from docksim.realtime.bridge import Address, Bridge, Link
from docksim.realtime.bridged import BridgedCycle, Role, Talk
from docksim.realtime.clock import FreeClock
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.inputs import NO_DETOUR, Inputs
from docksim.realtime.session import Pace, Paced, run_paced, steps_per_cycle
from docksim.result_files import plain
from docksim.simulation import Run, kernel_is_cached, prepare_kernel
from docksim.summary import summarize

if TYPE_CHECKING:
    from docksim.config.schema import Scenario


@dataclass(frozen=True)
class Wish:
    """Everything that a paced run may be asked for."""

    pace: Pace
    link: Link | None = None
    ports: Sequence[str] = ()
    measured: Sequence[str] = ()
    send: str = "state"
    lockstep: Role | None = None
    watcher: Address | None = None
    path: WrenchPath = NO_DETOUR


@dataclass
class Rig:
    """What became of the loop and of the bridge."""

    paced: Paced
    counts: dict[str, int] = field(default_factory=dict)
    round_trips: dict[int, int] = field(default_factory=dict)  # periods: how often
    lockstep: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.paced.timing.as_dict(),
            "granted": self.paced.granted,
            "packets": self.counts,
            "round_trip_periods": self.round_trips,
        }


def run_scenario(scenario: Scenario, wish: Wish, stop: Callable[[], bool] | None = None) -> Rig:
    """Run a scenario as wished; everything that can be refused is refused before the first cycle."""
    steps = steps_per_cycle(scenario.solver.step_s, wish.pace.rate_Hz)
    preparation_s = prepare_kernel()
    inputs = Inputs(compile_scenario(scenario), wish.ports, wish.measured, wish.path, 1.0 / wish.pace.rate_Hz)
    run = Run(inputs.compiled, preparation_s=preparation_s)
    if wish.link is None and wish.watcher is None:
        return Rig(run_paced(run, wish.pace, stop))
    bridge = Bridge(wish.link or Link(("127.0.0.1", 0)))
    talk = Talk(
        wish.pace.rate_Hz,
        motion=wish.send == "motion",
        contact=wish.send == "contact",
        watcher=wish.watcher,
        lockstep=wish.lockstep,
        listen=wish.link is not None,
    )
    cycle = BridgedCycle(run, steps, bridge, inputs, talk, stop)
    pace, clock = wish.pace, None
    if wish.lockstep is not None:
        pace, clock = replace(wish.pace, policy="catch-up", lock_memory=False), FreeClock()
    paced = run_paced(run, pace, stop, clock, cycle)
    return Rig(paced, dict(bridge.counts), dict(bridge.ages), wish.lockstep is not None)


def run_rig(
    file: str | Path, job: Job, wish: Wish, stop: Callable[[], bool], note: Callable[[str], None]
) -> tuple[RunReport, Rig]:
    """Load, run, save and draw one file."""
    scenario = scenario_of(file, job)
    steps_per_cycle(scenario.solver.step_s, wish.pace.rate_Hz)
    if not kernel_is_cached():
        note("compiling the kernel, a minute or two, once per version")
    rig = run_scenario(scenario, wish, stop)
    result = rig.paced.result
    report = RunReport(str(file), result.outcome, result.reason, result.scenario_name, summary=summarize(result))
    report = with_folder(report, result, job)
    if report.folder is None:
        return report, rig
    try:
        text = json.dumps(plain(rig.as_dict()), indent=1)
        (report.folder / "realtime.json").write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        report = replace(report, warnings=[*report.warnings, f"realtime.json: {error.strerror or error}"])
    if job.plots:
        report = _with_timing(with_figures(report, result), rig)
    return report, rig


def _with_timing(report: RunReport, rig: Rig) -> RunReport:
    """Add the figure of the times; one that cannot be drawn is a warning."""
    from docksim.plots import write_figures
    from docksim.plots.realtime import timing_figure

    try:
        figures = {"realtime": timing_figure(rig.paced, report.scenario)}
        drawn = write_figures(figures, Path(str(report.folder)) / "figures")
        return replace(report, figures=[*report.figures, *drawn])
    except Exception as error:
        return replace(report, warnings=[*report.warnings, f"figure of the times: {describe(error)}"])
