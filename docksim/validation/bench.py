"""Where experiments get their runs: in parallel, and each finished run is kept.

A run is told apart by its resolved scenario, by the sources that decide its numbers and by what is kept of it. So an
interrupted validation goes on where it stopped, rows share runs, and an edited source or scenario runs anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np

import docksim
from docksim.config import load_scenario
from docksim.config.loading.files import data_root
from docksim.config.loading.study import load_study
from docksim.config.schema.scenario import Scenario
from docksim.files.writing import append_line
from docksim.result.result import Result, ResultError
from docksim.simulation.run import prepare_kernel, simulate
from docksim.simulation.threads import available_cores, worker_threads
from docksim.study.plan import Plan

# rooms whose sources decide no number of a run
ONLY_SHOWN = ("cli", "drawing", "jobs", "plots", "realtime", "replay", "report", "validation")
FILE = "runs.jsonl"
Overrides = Mapping[str, Any]


class Interrupted(Exception):
    """The user has asked to stop; what was finished is kept."""


@dataclass(frozen=True)
class Told:
    """What is kept of a run: outcome, metrics, the first time of each event, and the channels asked for."""

    outcome: str
    reason: str
    metrics: Mapping[str, Any]
    events: Mapping[str, float]
    channels: Mapping[str, list[Any]] = field(default_factory=dict)

    def number(self, name: str) -> float:
        """A metric; nan where the run has none."""
        return float(self.metrics.get(name, np.nan))

    def event(self, name: str) -> float:
        """When an event fired first; nan if it did not."""
        return float(self.events.get(name, np.nan))

    def channel(self, name: str) -> np.ndarray:
        return np.array(self.channels[name], float)

    @property
    def time(self) -> np.ndarray:
        return self.channel("time_s")


@dataclass(frozen=True)
class Job:
    """A run to be made. `metrics` are those to be kept, all if None; `channels` are kept beside them."""

    scenario: Scenario
    channels: tuple[str, ...] = ()
    metrics: tuple[str, ...] | None = None

    @property
    def key(self) -> str:
        said = [stamp(), self.scenario.model_dump_json(), self.channels, self.metrics]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@cache
def stamp() -> str:
    """Hash of all sources that decide a number of a run."""
    package = Path(docksim.__file__).resolve().parent
    digest = hashlib.sha256(docksim.__version__.encode())
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if place.parts[0] not in ONLY_SHOWN:
            digest.update(place.as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


class Kept:
    """Finished runs in a file, a line each. A line that a kill has cut short is passed over."""

    def __init__(self, folder: Path | None) -> None:
        """Without a folder, nothing outlives this object."""
        self.file = None if folder is None else folder / FILE
        self.known: dict[str, Told] = {}
        if self.file is None or not self.file.is_file():
            return
        try:
            lines = self.file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError as error:
            raise ResultError(f"{self.file}: cannot be read: {error.strerror or error}") from error
        for line in lines:
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                content = json.loads(line)
                key = content.pop("key")
                self.known[key] = Told(**content)

    def get(self, key: str) -> Told | None:
        return self.known.get(key)

    def add(self, key: str, told: Told) -> None:
        """Keep a run; when this returns, it outlives the process."""
        self.known[key] = told
        if self.file is None:
            return
        line = json.dumps({"key": key, **told.__dict__})
        try:
            append_line(self.file, line)
        except OSError as error:
            raise ResultError(f"{self.file}: cannot be written: {error.strerror or error}") from error


class Bench:
    """Runs for experiments. `report` hears how many runs of those asked for at a time are done."""

    def __init__(
        self,
        kept: Kept | None = None,
        workers: int | None = None,
        stop: Callable[[], bool] | None = None,
        report: Callable[[int, int], None] | None = None,
    ) -> None:
        self.kept = kept or Kept(None)
        self.workers = workers or available_cores()
        self.stop = stop or (lambda: False)
        self.report = report or (lambda done, of: None)

    def run(self, scenario: str, changes: Overrides | None = None, channels: Sequence[str] = ()) -> Told:
        """A shipped scenario, with keys changed."""
        return self.runs([shipped(scenario, changes, channels)])[0]

    def study(self, content: Mapping[str, Any], cases: int) -> list[Told]:
        """The first cases of a study, given as the content of its file."""
        return self.runs(cases_of(content, cases))

    def runs(self, jobs: Sequence[Job]) -> list[Told]:
        """All runs, in order; those that are kept are not run again. Interrupted if the user asks to stop."""
        keys = [job.key for job in jobs]
        missing = {key: job for key, job in zip(keys, jobs, strict=True) if self.kept.get(key) is None}
        if missing:
            self._run_missing(missing, len(jobs) - len(missing), len(jobs))
        return [self.kept.known[key] for key in keys]

    def _run_missing(self, missing: Mapping[str, Job], done: int, of: int) -> None:
        prepare_kernel()
        ending = Event()
        self.report(done, of)
        with worker_threads(min(self.workers, len(missing))) as threads:
            asked = {threads.submit(self._told, job, ending): key for key, job in missing.items()}
            try:
                for future in as_completed(asked):
                    told = future.result()
                    if told is None:
                        raise Interrupted
                    self.kept.add(asked[future], told)
                    done += 1
                    self.report(done, of)
                    if self.stop():
                        raise Interrupted
            except BaseException:
                ending.set()
                for future in asked:
                    future.cancel()
                raise

    def _told(self, job: Job, ending: Event) -> Told | None:
        """None if the run was interrupted."""
        if ending.is_set() or self.stop():
            return None
        result = simulate(job.scenario, stop=lambda: ending.is_set() or self.stop(), metrics=job.metrics)
        return None if result.outcome == "interrupted" else told_of(result, job.channels, job.metrics)


def shipped(name: str, changes: Overrides | None = None, channels: Sequence[str] = ()) -> Job:
    """A run of a shipped scenario; a folder of the same name where the user stands does not hide it."""
    return Job(load_scenario(path_of("scenarios", name), changes), tuple(channels))


def path_of(folder: str, name: str) -> str:
    """A file that comes along, such as configs/boxes of idss."""
    return str(data_root() / folder / f"{name}.yaml")


def told_of(result: Result, channels: Sequence[str] = (), metrics: Collection[str] | None = None) -> Told:
    """What is kept of a result."""
    kept = {key: value for key, value in result.metrics.items() if metrics is None or key in metrics}
    plain = {key: value.item() if isinstance(value, np.generic) else value for key, value in kept.items()}
    events: dict[str, float] = {}
    for event in result.events:
        events.setdefault(event.name, float(event.time_s))
    wanted = (*(("time_s",) if channels else ()), *channels)
    # missing channels are an experiment's mistake, and raise here
    return Told(result.outcome, result.reason, plain, events, {name: result[name].tolist() for name in wanted})


def cases_of(content: Mapping[str, Any], cases: int) -> list[Job]:
    """The first cases of a study, given as the content of its file, each with the study's metrics."""
    plan = Plan(load_study({"name": "validation", **content}, cases))
    columns = tuple(plan.columns)
    return [Job(plan.scenario(case), metrics=columns) for case in range(1, cases + 1)]


# keys of a study: a case ends soon after capture, where only captures and their loads are asked for
UNTIL_CAPTURE: dict[str, Any] = {
    "events.end_of_case": {
        "when": [{"after": "captured", "delay_s": 1.0}],
        "do": [{"stop": "captured a second ago", "outcome": "captured"}],
    }
}


def fixed_in(study: str, fixed: Mapping[str, Any]) -> dict[str, Any]:
    """A shipped study in which these keys have a value instead of a dispersion, as the content of a study file."""
    path = path_of("studies", study)
    varied = [item for item in load_study(path).study.dispersions if not set(item.targets) & set(fixed)]
    dispersions = [item.model_dump(mode="json", exclude_none=True) for item in varied]
    return {"use": path, "dispersions": dispersions, "set": dict(fixed)}
