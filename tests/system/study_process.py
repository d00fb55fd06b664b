"""A study in a process of its own, to be killed: prints every case the moment it is reported as safe.

    python -m tests.system.study_process STUDY OUT WORKERS

And a campaign that kills such processes at random moments until the study is complete, then compares the table with one
that was never disturbed:

    python -m tests.system.study_process campaign FOLDER KILLS [CASES]
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from docksim.study import runner
from docksim.study.case import Row
from docksim.study.plan import load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.store import FILE, Store
from tests.support.studies import ROOT, study_file


def main(study: str, out: str, workers: str) -> None:
    # short cases in many groups, so that kills come between them
    runner.COMMIT_EVERY_S = 0.02

    def report(rows: list[Row]) -> None:
        for row in rows:
            print(row.case, flush=True)

    ended, _ = run_study(load_plan(study), Path(out), Workers(int(workers)), resume=True, report=report)
    print(ended, flush=True)


def start(study: Path, out: Path, workers: int = 2) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.system.study_process", str(study), str(out), str(workers)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


def killed_after(study: Path, out: Path, cases: int, delay_s: float) -> list[int]:
    """Run until so many cases are reported and a moment longer, then kill -9; the cases that were reported."""
    process = start(study, out)
    assert process.stdout is not None
    reported: list[str] = []
    for line in process.stdout:
        reported.append(line)
        if len(reported) == cases:
            time.sleep(delay_s)
            process.kill()
    process.wait()
    # a line that the kill cut short was not a report
    return [int(line) for line in reported if line.endswith("\n") and line.strip().isdigit()]


def rows_of(out: Path, name: str) -> tuple[set[int], str]:
    """The cases in the table, and its hash."""
    store = Store.open(out / name / FILE)
    try:
        return store.done(), store.digest()
    finally:
        store.connection.close()


def kill_and_resume(folder: Path, kills: int, cases: int, seed: int = 1) -> None:
    """Raises AssertionError if a reported case is lost or repeated, or the table differs from an undisturbed one."""
    rng = random.Random(seed)
    study = study_file(folder, cases=cases)
    undisturbed, out = folder / "undisturbed", folder / "killed"
    assert run_study(load_plan(study), undisturbed, Workers(2))[0] == "complete"
    seen: set[int] = set()
    for _ in range(kills):
        reported = killed_after(study, out, rng.randint(1, max(cases // (2 * kills), 1)), rng.random() * 0.02)
        done, _ = rows_of(out, "brick")
        assert not seen & set(reported), "a case was repeated"
        seen |= set(reported)
        assert seen <= done, "a reported case was lost"
    process = start(study, out)
    rest = {int(line) for line in process.communicate()[0].split() if line.isdigit()}
    assert process.returncode == 0
    assert not seen & rest, "a case was repeated"
    done, digest = rows_of(out, "brick")
    assert done == set(range(1, cases + 1))
    assert digest == rows_of(undisturbed, "brick")[1], "the table differs"
    assert len(seen) < cases, "the kills came after the end"


if __name__ == "__main__":
    if sys.argv[1] == "campaign":
        place = Path(sys.argv[2])
        place.mkdir(parents=True)
        kill_and_resume(place, int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 20 * int(sys.argv[3]))
        print(f"{sys.argv[3]} kills: nothing lost, nothing repeated, table equal to the bit")
    else:
        main(*sys.argv[1:])
