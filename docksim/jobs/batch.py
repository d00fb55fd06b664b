"""Several scenario files, each run, saved and drawn; one that fails becomes a report and stops nothing.

Runs share one process: compiled kernels release the interpreter lock, so threads run in parallel and the kernel is
compiled once. Drawing is serial, because matplotlib's settings are global. A run that is asked to stop keeps what it
has, with the outcome "interrupted"; runs not yet started are reported as such.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.given import given
from docksim.config.loading.scenario import load_scenario, problems_at
from docksim.config.outcomes import SUCCESSES
from docksim.config.schema.band_ends import banded
from docksim.config.schema.scenario import Scenario
from docksim.plots.kinds import Choice
from docksim.result.bands import outcomes_of
from docksim.result.files import check_writable, save_run
from docksim.result.result import Result, ResultError
from docksim.result.summary import Summary, summarize
from docksim.simulation.bands import lacks_band, with_band
from docksim.simulation.checkpoint import Keeper, read_checkpoint
from docksim.simulation.first_contact import PlacementError
from docksim.simulation.run import new_run, run_on, simulate
from docksim.simulation.scatter import with_scatter
from docksim.simulation.threads import available_cores, describe, worker_threads
from docksim.study.again import case_of
from docksim.study.case import misses_of

Progress = Callable[[int, float], None]  # index of the file, fraction done
Stop = Callable[[], bool]

_drawing = threading.Lock()


@dataclass(frozen=True)
class RunReport:
    """What became of one scenario file.

    `outcome` is that of the result, or "invalid" (the scenario is refused), or "failed" (the run broke, or its result
    could not be written); `reason` says why.
    """

    source: str
    outcome: str
    reason: str = ""
    scenario: str = ""
    problems: list[Problem] = field(default_factory=list)
    summary: Summary | None = None
    folder: Path | None = None
    figures: list[Path] = field(default_factory=list)
    more_figures: list[str] = field(default_factory=list)  # kinds that the run has and that were not drawn
    warnings: list[str] = field(default_factory=list)
    checkpoints: list[Path] = field(default_factory=list)
    missed: tuple[str, ...] | None = None  # of a case of a study: what it missed of success

    @property
    def ok(self) -> bool:
        """Whether the run ended well; a case, whether it is a success of its study."""
        return self.outcome in SUCCESSES if self.missed is None else not self.missed

    @property
    def all_warnings(self) -> list[str]:
        """Those of the run itself, then those of what was done with it."""
        return [*(self.summary.warnings if self.summary else ()), *self.warnings]

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "file": self.source,
            "scenario": self.scenario,
            "ok": self.ok,
            "outcome": self.outcome,
            "reason": self.reason,
            "missed": self.missed,
            "problems": [asdict(problem) for problem in self.problems],
            **(self.summary.as_dict() if self.summary else {}),
            "folder": self.folder,
            "figures": self.figures,
            "more_figures": self.more_figures,
            "warnings": self.all_warnings,
            "checkpoints": self.checkpoints,
        }


@dataclass(frozen=True)
class Job:
    """What to do with every file: changes to make, where results go (nowhere if None), which figures to draw.

    `override_origin` is what messages show as the place of an override. With `case`, the files are studies, and this is
    the case of each to run. Checkpoints are written every so many seconds of simulated time, and at given times; with
    `resume` the runs go on from the checkpoints that the files are, or from this one of the file's scenario. With
    `scatter` a run is repeated so often from starts a nanometre apart, for the ranges of its peaks. With `band` a run
    whose contact stiffness is a band is run at both ends of it too, unless checkpoints are asked for.
    """

    overrides: Mapping[str, Any] = field(default_factory=dict)
    out: Path | None = Path("results")
    figures: Choice = "main"
    override_origin: str = "<override>"
    case: int | None = None
    checkpoint_every_s: float | None = None
    checkpoint_at_s: Sequence[float] = ()
    resume: Path | None = None
    scatter: int = 0
    band: bool = True
    saved: list[Path] = field(default_factory=list, compare=False)  # folders, as they come


def run_batch(
    files: Sequence[str | Path],
    job: Job,
    workers: int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
    finished: Callable[[int, RunReport], None] | None = None,
) -> list[RunReport]:
    """Run the files in parallel; reports in the order of the files. `finished` is called as each one ends."""
    reports: dict[int, RunReport] = {}
    with worker_threads(min(workers or available_cores(), len(files))) as pool:
        futures: dict[Future[RunReport], int] = {}
        for i, file in enumerate(files):
            futures[pool.submit(run_one, file, job, progress and partial(progress, i), stop)] = i
        for future in as_completed(futures):
            i = futures[future]
            reports[i] = future.result()
            if finished:
                finished(i, reports[i])
    return [reports[i] for i in range(len(files))]


def run_one(
    file: str | Path, job: Job, progress: Callable[[float], None] | None = None, stop: Stop | None = None
) -> RunReport:
    """Load, simulate, save and draw one file. Never raises: what goes wrong is in the report."""
    source = str(file)
    if stop and stop():
        return RunReport(source, "interrupted", "not started")
    try:
        return _run(file, job, progress, stop)
    except PlacementError as error:
        placed = (file, error.faults, job.overrides, job.override_origin)
        problems = problems_at(*placed) if job.case is None else error.problems
        return RunReport(source, "invalid", str(problems[0]), problems=problems)
    except ScenarioError as error:
        first, *more = str(error).splitlines() or [type(error).__name__]
        reason = f"{first} (and {len(more)} more)" if more else first
        return RunReport(source, "invalid", reason, problems=error.problems)
    except ResultError as error:
        return RunReport(source, "failed", str(error))
    except Exception as error:
        return RunReport(source, "failed", describe(error))


def _run(file: str | Path, job: Job, progress: Callable[[float], None] | None, stop: Stop | None) -> RunReport:
    keeper = _keeper(job)
    case = None if job.case is None else case_of(Path(file), job.case)
    if case is None:
        scenario = None if job.resume == Path(file) else scenario_of(file, job)
    else:
        scenario = case.scenario.model_copy(update={"name": case.name})
        job = replace(job, band=job.band and case.plan.band)  # as its study does
    check_writable(job.out, scenario.name if scenario else "")
    if scenario is not None and keeper is None and job.resume is None:
        result = _simulated(scenario, job, progress, stop)
    else:
        result = _resumable(scenario, job, keeper, progress, stop)
    report = RunReport(str(file), result.outcome, result.reason, result.scenario_name, summary=summarize(result))
    if case is not None and result.outcome != "interrupted":
        report = replace(report, missed=misses_of(case.plan.study, result))
    if keeper:
        report = replace(report, checkpoints=keeper.files, warnings=keeper.warnings)
    report = replace(report, warnings=[*report.warnings, *_missing_band(result, job), *_scatter_warnings(result, job)])
    result.given_by = (lambda: case.given) if case else partial(given_of, file, job)
    report = with_folder(report, result, job)
    return with_figures(report, result, job.figures)


def _simulated(scenario: Scenario, job: Job, progress: Callable[[float], None] | None, stop: Stop | None) -> Result:
    """The run, then those at the ends of its band, then its repeats; the display hears before anything is compiled."""
    if progress:
        progress(0.0)
    repeats = job.scatter if scenario.contacts else 0
    ends = 2 if job.band and banded(scenario) else 0

    def share(before: int, runs: int) -> Callable[[float], None] | None:
        """Progress of so many runs, after so many others."""
        every = 1 + ends + repeats
        return progress and (lambda done: progress((before + runs * done) / every))

    result = simulate(scenario, progress=share(0, 1), stop=stop)
    if ends and result.outcome != "interrupted":
        result = with_band(result, available_cores(), share(1, ends), stop)
    if repeats and result.outcome != "interrupted":
        result = with_scatter(result, repeats, available_cores(), share(1 + ends, repeats), stop)
    return result


def _missing_band(result: Result, job: Job) -> Iterator[str]:
    """Why loads have no band although their contact has one."""
    if not job.band or not lacks_band(result):
        return
    single = job.resume is not None or _keeper(job) is not None
    why = "with checkpoints there is one run" if single else "the runs at its ends were interrupted"
    yield f"loads are those of the middle of the contact's band: {why}"


def _scatter_warnings(result: Result, job: Job) -> Iterator[str]:
    """What a user who asked for the scatter should know besides the ranges."""
    if not job.scatter:
        return
    told = result.manifest.get("scatter")
    if told is None:
        why = "the repeats were interrupted" if result.scenario.contacts else "nothing can touch, so nothing scatters"
        yield f"no ranges of peaks: {why}"
        return
    own = outcomes_of(result.manifest).get("middle", result.outcome)
    others = [outcome for outcome in told["outcomes"] if outcome != own]
    if others:
        words = ", ".join(f"{others.count(word)} {word}" for word in dict.fromkeys(others))
        yield f"{len(others)} of {told['repeats']} repeats end otherwise than {own}: {words}"


def _resumable(
    given: Scenario | None,
    job: Job,
    keeper: Keeper | None,
    progress: Callable[[float], None] | None,
    stop: Stop | None,
) -> Result:
    """The same from a checkpoint, or with checkpoints; an interrupted run is kept where it is."""
    if progress:
        progress(0.0)
    if job.resume is None and given is not None:
        run = new_run(given)
    else:
        run = read_checkpoint(Path(str(job.resume)), given)
    result = run_on(run, progress, stop, keeper)
    if keeper and result.outcome == "interrupted":
        keeper.write(run)
    return result


def _keeper(job: Job) -> Keeper | None:
    if job.out is None or (job.checkpoint_every_s is None and not job.checkpoint_at_s):
        return None
    return Keeper(job.out, job.checkpoint_every_s, job.checkpoint_at_s)


def given_of(file: str | Path, job: Job) -> dict[str, Any]:
    """What the run of a scenario's file was given; nothing is known where it goes on from a checkpoint alone."""
    return {} if job.resume == Path(file) else given(file, job.overrides, job.override_origin)


def scenario_of(file: str | Path, job: Job) -> Scenario:
    """A scenario with its changes."""
    return load_scenario(file, job.overrides, override_origin=job.override_origin)


def with_folder(report: RunReport, result: Result, job: Job) -> RunReport:
    """Save the result; one that cannot be written is a failure, whatever the run was."""
    if job.out is None:
        return report
    try:
        folder = save_run(result, job.out)
        job.saved.append(folder)
        return replace(report, folder=folder)
    except ResultError as error:
        return replace(report, outcome="failed", reason=str(error))


def with_figures(report: RunReport, result: Result, which: Choice = "main") -> RunReport:
    """Add figures; a figure that cannot be drawn is a warning, the result is already safe."""
    if which == "none" or report.folder is None:
        return report
    try:
        from docksim.plots.run.figures import kinds_of, main_kinds

        there = kinds_of(result)
        drawn = there if which == "all" else main_kinds(there)
        paths = draw_into(result, report.folder / "figures", what=drawn) if drawn else []
        return replace(report, figures=paths, more_figures=[kind for kind in there if kind not in drawn])
    except ResultError as error:
        return replace(report, warnings=[*report.warnings, str(error)])
    except Exception as error:
        return replace(report, warnings=[*report.warnings, f"figures: {describe(error)}"])


def draw_into(
    result: Result, folder: Path, kind: str = "png", what: Iterable[str] = (), rows: slice = slice(None)
) -> list[Path]:
    """Draw and write the figures of a result, all or some kinds and channels, one result at a time."""
    with _drawing:
        from docksim.plots.files import write_figures
        from docksim.plots.run.figures import all_figures

        # drawing makes a great many objects that live until it ends; looking among them for garbage is for nothing
        enabled = gc.isenabled()
        gc.disable()
        try:
            return write_figures(all_figures(result, what, rows), folder, kind)
        finally:
            if enabled:
                gc.enable()


def counts(reports: Iterable[RunReport]) -> dict[str, int]:
    """How many reports have which outcome, in order of appearance."""
    return dict(Counter(report.outcome for report in reports))
