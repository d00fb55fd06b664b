"""Three hundred runs in one process: memory, descriptors and threads stay as they are."""

from __future__ import annotations

import ast
import gc
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import docksim
from tests.support.studies import ROOT

SPIN = {
    "vehicles": {"a": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 2.0, 3.0], "rate_deg_s": [1.0, 2.0, 3.0]}},
    "solver": {"duration_s": 0.02, "step_s": 0.01},
}
DESCRIPTORS, MEMORY = Path("/proc/self/fd"), Path("/proc/self/statm")
MOST_GROWN_MB = 6.0  # 20 kB a run; what is seen without a leak is 0.2


def held() -> tuple[int, int, int]:
    """Blocks of memory, descriptors where they can be counted, threads."""
    gc.collect()
    descriptors = len(os.listdir(DESCRIPTORS)) if DESCRIPTORS.is_dir() else 0
    return sys.getallocatedblocks(), descriptors, threading.active_count()


def resident_mb() -> float:
    """Memory of the process with all that libraries hold, where it can be read."""
    return int(MEMORY.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6 if MEMORY.is_file() else 0.0


def grown() -> dict[str, float]:
    """What three hundred runs leave in a process, after some to begin with."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(20):
            docksim.run(SPIN, out=folder)
        before, resident = held(), resident_mb()
        for _ in range(300):
            docksim.run(SPIN, out=folder)
        after = held()
    names = ("blocks", "descriptors", "threads")
    return {**{name: b - a for name, a, b in zip(names, before, after, strict=True)}, "MB": resident_mb() - resident}


def test_three_hundred_runs_leave_nothing_in_the_process() -> None:
    # in a process of its own, whose memory is no other test's
    command = [sys.executable, "-c", f"from {__name__} import grown; print(grown())"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    left = ast.literal_eval(done.stdout)
    # Python's lists of freed objects grow by one or two a run; a kept result has hundreds of blocks, a kept channel ten
    assert left["blocks"] < 5 * 300
    assert (left["descriptors"], left["threads"]) == (0, 0)
    assert left["MB"] < MOST_GROWN_MB
