"""One paced run from a file to its folder: scenario, bridge, loop, result, journal, figures; what `docksim realtime`
calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docksim.config.errors import ScenarioError
from docksim.config.loading.scenario import problems_at
from docksim.files.writing import write_bytes
from docksim.jobs.batch import Job, RunReport, scenario_of, with_figures, with_folder
from docksim.jobs.compiling import NOTICE
from docksim.realtime.addresses import Address
from docksim.realtime.bridge import Bridge, Link
from docksim.realtime.bridged import BridgedCycle, Role, Talk
from docksim.realtime.clock import FreeClock
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.inputs import NO_DETOUR, Inputs
from docksim.realtime.journal import START, Asked, Journal, JournalError, Kept, digest, write_journal
from docksim.realtime.playback import Playback, PlayedCycle
from docksim.realtime.session import UNPACED, Cycle, KeptCycle, Pace, Paced, run_paced, steps_of_cycles
from docksim.realtime.sources import stale_words
from docksim.result.arrays import write_text
from docksim.result.files import check_writable, plain
from docksim.result.result import ResultError
from docksim.result.summary import summarize
from docksim.simulation.checkpoint import CheckpointError, Snapshots, read_checkpoint
from docksim.simulation.run import Run, at_the_start, kernel_is_cached, prepare_kernel
from docksim.simulation.threads import describe

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario


@dataclass(frozen=True)
class Keep:
    """Checkpoints: under which folder, how often, and when."""

    root: Path
    every_s: float | None = None
    at_s: Sequence[float] = ()


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
    start: Path | None = None  # a checkpoint to begin from
    keep: Keep | None = None  # when to write some
    again: Kept | None = None  # what comes from outside is that of this journal
    clock: bool = True  # or as fast as it goes
    motion: Sequence[str] = ()  # frames whose motion comes from outside
    torques: Sequence[str] = ()  # joints whose torques do


@dataclass
class Rig:
    """What became of the loop and of the bridge."""

    paced: Paced
    counts: dict[str, int] = field(default_factory=dict)
    round_trips: dict[int, int] = field(default_factory=dict)  # periods: how often
    free: str = ""  # how, if there were no deadlines
    journal: tuple[Journal, Asked] | None = None  # what came in from outside
    start: bytes = b""  # the checkpoint that it began from, if it had a journal
    kept: Snapshots | None = None
    followed: int = 0  # packets of motion taken
    stale: dict[str, dict[str, Any]] = field(default_factory=dict)  # inputs that were, and for how long

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.paced.timing.as_dict(),
            "granted": self.paced.granted,
            "packets": self.counts,
            "round_trip_periods": self.round_trips,
            "motion_packets_taken": self.followed,
            "stale": self.stale,
        }


def run_scenario(scenario: Scenario, wish: Wish, stop: Callable[[], bool] | None = None) -> Rig:
    """Run a scenario as wished; everything that can be refused is refused before the first cycle."""
    steps = steps_of_cycles(scenario.solver, wish.pace.rate_Hz)
    preparation_s = prepare_kernel()
    begun = _begun(scenario, wish.start, steps)
    compiled = begun.compiled if begun else at_the_start(scenario)
    period = 1.0 / wish.pace.rate_Hz
    inputs = Inputs(compiled, wish.ports, wish.measured, wish.path, period, wish.motion, wish.torques)
    run = Run(inputs.compiled, begun.log if begun else None, preparation_s)
    run.driven = lambda: inputs.followed > 0
    kept = Snapshots(wish.keep.root, run.log, wish.keep.every_s, wish.keep.at_s) if wish.keep else None
    rig = _paced(scenario, run, steps, inputs, wish, stop, kept)
    if kept is not None:
        if run.running:
            kept.write(run)
        kept.write_all(run)
        rig.kept = kept
    return rig


def _begun(scenario: Scenario, start: Path | None, steps: int) -> Run | None:
    """A run that was kept at the start of a cycle."""
    if start is None:
        return None
    run = read_checkpoint(start, scenario)
    if run.step % steps:
        what = f"kept after {run.step} steps, which is no whole number of cycles of {steps}"
        raise CheckpointError(f"{start}: {what}; choose another --rate")
    return run


def _paced(
    scenario: Scenario,
    run: Run,
    steps: int,
    inputs: Inputs,
    wish: Wish,
    stop: Callable[[], bool] | None,
    kept: Snapshots | None,
) -> Rig:
    if wish.link is None and wish.watcher is None and wish.again is None:
        return Rig(run_paced(run, wish.pace, stop, cycle=KeptCycle(Cycle(run, steps), kept) if kept else None))
    talk = Talk(
        wish.pace.rate_Hz,
        motion=wish.send == "motion",
        contact=wish.send == "contact",
        watcher=wish.watcher,
        lockstep=wish.lockstep,
        listen=wish.link is not None or wish.again is not None,
    )
    start = wish.start.read_bytes() if wish.start else b""
    if wish.again is not None:
        cycle: BridgedCycle = PlayedCycle(run, steps, Playback(wish.again), inputs, talk, stop)
    else:
        cycle = BridgedCycle(run, steps, Bridge(wish.link or Link(("127.0.0.1", 0))), inputs, talk, stop)
    bridge, pace, clock = cycle.bridge, wish.pace, None
    free = "in lock-step" if wish.lockstep is not None else "" if wish.clock else "as fast as it goes"
    if free:
        pace, clock = replace(wish.pace, policy="catch-up", lock_memory=False), FreeClock()
    paced = run_paced(run, pace, stop, clock, KeptCycle(cycle, kept) if kept else cycle)
    rig = Rig(paced, dict(bridge.counts), dict(bridge.ages), free, followed=inputs.followed)
    times = paced.start_s, 1.0 / wish.pace.rate_Hz
    rig.stale = {source.name: source.as_dict(*times) for source in inputs.sources if source.cycles}
    if talk.listen:
        rig.start = start
        rig.journal = bridge.journal, _asked(scenario, wish, cycle, rig)
    return rig


def _asked(scenario: Scenario, wish: Wish, cycle: BridgedCycle, rig: Rig) -> Asked:
    """What the journal needs to know besides its records."""
    cycles, outcome, full_at = cycle.cycles, rig.paced.outcome, cycle.bridge.journal.full_at
    if full_at is not None:
        cycles, outcome = full_at, ("interrupted", "the journal was full")
    return Asked(
        wish.pace.rate_Hz, tuple(wish.ports), tuple(wish.measured), tuple(wish.motion), wish.path, cycles, outcome,
        full_at is not None, digest(scenario.to_yaml().encode()), tuple(wish.torques),
        digest(rig.start) if rig.start else "",
    )  # fmt: skip


def run_rig(
    file: str | Path | None, job: Job, wish: Wish, stop: Callable[[], bool], note: Callable[[str], None]
) -> tuple[RunReport, Rig]:
    """Load, run, save and draw one file; without one, the checkpoint that is to be begun from."""
    if file is None and wish.start is None:
        raise ValueError("neither a file nor a checkpoint to begin from")
    scenario = scenario_of(file, job) if file is not None else read_checkpoint(Path(str(wish.start))).compiled.scenario
    if file is not None and scenario.solver.tolerance is not None:
        fault = (("solver", "tolerance"), f"{scenario.solver.tolerance:g} {UNPACED}")
        raise ScenarioError(problems_at(file, [fault], job.overrides, job.override_origin))
    steps_of_cycles(scenario.solver, wish.pace.rate_Hz)
    return run_and_save(str(file or wish.start), scenario, job, wish, stop, note)


def run_and_save(
    source: str, scenario: Scenario, job: Job, wish: Wish, stop: Callable[[], bool], note: Callable[[str], None]
) -> tuple[RunReport, Rig]:
    """Run, save and draw a scenario."""
    check_writable(job.out, scenario.name)
    if not kernel_is_cached():
        note(NOTICE)
    rig = run_scenario(scenario, wish, stop)
    result = rig.paced.result
    if wish.again is not None:
        result.manifest["again_of"] = Path(source).name
    report = RunReport(source, result.outcome, result.reason, result.scenario_name, summary=summarize(result))
    if rig.kept is not None:
        report = replace(report, checkpoints=rig.kept.files, warnings=rig.kept.warnings)
    report = with_folder(report, result, job)
    stale = stale_words(rig.stale, rig.paced.timing.cycles)
    report = replace(report, warnings=[*report.warnings, *stale])
    if report.folder is None:
        return report, rig
    report = replace(report, warnings=[*report.warnings, *_add_files(report.folder, rig)])
    if job.figures != "none":
        report = _with_timing(with_figures(report, result, job.figures), rig)
    return report, rig


def _add_files(folder: Path, rig: Rig) -> list[str]:
    """Times and journal beside the result; warnings."""
    faults = []
    try:
        text = json.dumps(plain(rig.as_dict()), indent=1)
        write_text(folder / "realtime.json", text + "\n")
    except ResultError as error:
        faults.append(str(error))
    if rig.journal is not None:
        journal, asked = rig.journal
        if asked.full:
            faults.append(f"the journal was full after {asked.cycles} cycles: the run can be made again up to there")
        try:
            write_journal(folder, journal, asked)
            if rig.start:
                write_bytes(folder / START, rig.start)
        except (JournalError, OSError) as error:
            faults.append(f"{error}; the run cannot be made again")
    return faults


def _with_timing(report: RunReport, rig: Rig) -> RunReport:
    """Add the figure of the times; one that cannot be drawn is a warning."""
    from docksim.plots.files import write_figures
    from docksim.plots.realtime import timing_figure

    try:
        figures = {"realtime": timing_figure(rig.paced, report.scenario)}
        drawn = write_figures(figures, Path(str(report.folder)) / "figures")
        return replace(report, figures=[*report.figures, *drawn])
    except Exception as error:
        return replace(report, warnings=[*report.warnings, f"figure of the times: {describe(error)}"])
