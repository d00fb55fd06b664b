"""From a result folder with a journal to the same result once more, and the two compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from docksim.jobs.batch import Job, RunReport
from docksim.jobs.paced import Rig, Wish, run_and_save
from docksim.realtime.addresses import Address
from docksim.realtime.inputs import InputError
from docksim.realtime.journal import FILE, START, JournalError, read_journal
from docksim.realtime.session import Pace, RateError
from docksim.result.result import Result


@dataclass(frozen=True)
class Verdict:
    """Is the result the same again? `difference` says what is not, first; `rows` were compared."""

    folder: Path
    channels: int
    rows: int
    difference: str = ""
    full: bool = False  # the journal went no farther

    @property
    def same(self) -> bool:
        return not self.difference

    def as_dict(self) -> dict[str, object]:
        return {"of": self.folder, "same": self.same, "difference": self.difference, "whole": not self.full}


def run_again(
    folder: Path,
    job: Job,
    pace: Pace | None,
    watcher: Address | None,
    stop: Callable[[], bool],
    note: Callable[[str], None],
) -> tuple[RunReport, Rig, Verdict | None]:
    """Make the run of a folder again, without a clock if `pace` is None; no verdict if that was interrupted."""
    was = Result.load(folder)
    scenario = was.scenario
    kept = read_journal(folder, scenario.to_yaml())
    asked = kept.asked
    wish = Wish(
        replace(pace or Pace(), rate_Hz=asked.rate_Hz),
        ports=asked.ports,
        measured=asked.measured,
        motion=asked.motion,
        torques=asked.torques,
        watcher=watcher,
        path=asked.path,
        start=folder / START if asked.start else None,
        again=kept,
        clock=pace is not None,
    )
    try:
        report, rig = run_and_save(str(folder), scenario, job, wish, stop, note)
    except (RateError, InputError, JournalError) as error:
        raise JournalError(f"{folder / FILE}: does not fit the scenario: {error}") from error
    now = rig.paced.result
    if rig.paced.outcome is not None and rig.journal is not None and rig.journal[1].cycles < asked.cycles:
        return report, rig, None
    verdict = Verdict(folder, len(was.channels), len(now.time_s), difference(was, now, asked.full), asked.full)
    return report, rig, verdict


def difference(was: Result, now: Result, full: bool = False) -> str:
    """What differs first, or nothing; with `full`, of the rows that are there now."""
    if list(was.channels) != list(now.channels):
        return "it has other channels"
    rows = len(now.time_s)
    if len(was.time_s) < rows or (len(was.time_s) > rows and not full):
        return f"it has {rows} rows and had {len(was.time_s)}"
    for name in was.channels:
        a, b = was[name][:rows].reshape(rows, -1), now[name].reshape(rows, -1)
        differ = ((a != b) & ~((a != a) & (b != b))).any(axis=1)
        if differ.any():
            return f"'{name}' differs from t = {was.time_s[int(np.argmax(differ))]:.6g} s on"
    if [event[:3] for event in was.events if not full] != [event[:3] for event in now.events if not full]:
        return "it has other events"
    if (was.outcome, was.reason) != (now.outcome, now.reason) and not full:
        return f"it ended as '{now.outcome}' ({now.reason}) and had ended as '{was.outcome}' ({was.reason})"
    return ""
