"""Threads for runs, how many of them, and what is said of one that broke."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

# held by whoever compiles the kernel: so it is known without importing what compiles
COMPILING = threading.Lock()
# set while runs are asked to stop: what takes long before there is anything to keep is not begun any more
STOPPING = threading.Event()
STACK_BYTES = 64 * 2**20  # compiling needs more stack than some systems give a thread


def describe(error: BaseException) -> str:
    """An unexpected exception in one line: what and where."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    text = str(error).strip()
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}"


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def worker_threads(count: int) -> Iterator[ThreadPoolExecutor]:
    """A pool of threads; a second interrupt abandons it instead of waiting for its end."""
    before = threading.stack_size(STACK_BYTES)
    pool = ThreadPoolExecutor(max_workers=max(count, 1), thread_name_prefix="docksim")
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        pool.shutdown()
    finally:
        threading.stack_size(before)
