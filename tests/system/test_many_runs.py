"""Three hundred runs in one process: memory, descriptors and threads stay as they are."""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path

import docksim

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


def test_three_hundred_runs_leave_nothing_in_the_process(tmp_path: Path) -> None:
    for _ in range(20):
        docksim.run(SPIN, out=tmp_path)
    before, resident = held(), resident_mb()
    for _ in range(300):
        docksim.run(SPIN, out=tmp_path)
    blocks, *others = held()
    # Python's lists of freed objects grow by one or two a run; a kept result has hundreds of blocks, a kept channel ten
    assert blocks - before[0] < 5 * 300
    assert others == list(before[1:])
    assert resident_mb() - resident < MOST_GROWN_MB
