"""What the system may grant a loop with deadlines; each thing is asked for, and said in one line if refused.

Garbage collection off, the thread's timer slack at its least (Linux delays sleeps by 50 us otherwise), one processor,
a real-time priority (SCHED_FIFO: nothing of normal priority runs before the job is done), all memory locked. All is
given back at the end.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

_PR_SET_TIMERSLACK, _PR_GET_TIMERSLACK = 29, 30
_MCL_CURRENT = 1


@contextmanager
def real_time(priority: int | None = None, cpu: int | None = None, lock_memory: bool = True) -> Iterator[list[str]]:
    """Ask for what helps to keep deadlines; yields a line for each thing granted or refused."""
    lines: list[str] = []
    with ExitStack() as back:
        if gc.isenabled():
            gc.collect()
            gc.disable()
            back.callback(gc.enable)
        lines.append("garbage collection: off")
        if sys.platform.startswith("linux"):
            prctl = ctypes.CDLL(None).prctl
            slack = prctl(_PR_GET_TIMERSLACK, 0, 0, 0, 0)
            if prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0) == 0:
                back.callback(prctl, _PR_SET_TIMERSLACK, ctypes.c_ulong(slack), 0, 0, 0)
                lines.append("timer slack: 1 ns")
        if cpu is not None:
            with _asked(lines, f"processor {cpu}"):
                processors = os.sched_getaffinity(0)
                os.sched_setaffinity(0, {cpu})
                back.callback(os.sched_setaffinity, 0, processors)
        if priority is not None:
            with _asked(lines, f"SCHED_FIFO priority {priority}"):
                policy, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
                back.callback(os.sched_setscheduler, 0, policy, parameter)
        if lock_memory:
            with _asked(lines, "memory lock"):
                back.callback(lock_memory_of_now())
        yield lines


def lock_memory_of_now() -> Callable[[], object]:
    """Lock what is allocated now; locking what is still to come could make a later allocation fail. What unlocks it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mlockall(_MCL_CURRENT) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    unlock: Callable[[], object] = libc.munlockall
    return unlock


@contextmanager
def _asked(lines: list[str], what: str) -> Iterator[None]:
    try:
        yield
    except (OSError, AttributeError, ValueError, TypeError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "not on this system"
        lines.append(f"{what}: refused ({reason})")
    else:
        lines.append(f"{what}: granted")
