"""From the start of a process to its result: with the compiled kernel in the cache, and without."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DONE = "print('done')"
RUN = f"import docksim; docksim.run({{file!r}}); {DONE}"
SCENARIO = "scenarios/dock_and_undock.yaml"


def startup(repeats: int, cold: bool) -> list[dict[str, Any]]:
    """Whole processes, best of the repeats; a cold start is measured once."""
    run = RUN.format(file=str(ROOT / SCENARIO))
    rows = []
    if cold:
        with tempfile.TemporaryDirectory() as folder:
            rows.append({"what": f"run {SCENARIO}, compiling", **process(run, folder)})
    # fills the cache if need be
    process(run)
    codes = {"interpreter": DONE, "import docksim": f"import docksim; {DONE}", f"run {SCENARIO}": run}
    for what, code in codes.items():
        found = [process(code) for _ in range(repeats)]
        rows.append({"what": what, **{key: min(one[key] for one in found) for key in found[0]}})
    return rows


def process(code: str, cache: str | None = None) -> dict[str, float]:
    """Seconds on the clock from start to end of a process that runs the code, and of processor time."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    if cache is not None:
        environment["DOCKSIM_CACHE_DIR"] = cache
    began, before = time.perf_counter(), os.times()
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    wall, after = time.perf_counter() - began, os.times()
    if done.stdout.strip() != "done":
        raise RuntimeError(f"the measured process did not finish: {done.stderr}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall_s": wall, "processor_s": used}
