"""A monotonic clock that can be slept on until an absolute time, to the resolution of the system.

On Linux the sleep is clock_nanosleep with an absolute deadline, so that being preempted between reading the clock and
going to sleep costs nothing; elsewhere it is time.sleep of the rest. With `spin_ns` the end of the wait is spent
awake: a rehearsal of the job, for the caches, then reading the clock. That takes a core and most of the overshoot.
With `stop`, long sleeps look at it now and then, and end early if it is true; the end is absolute as ever.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Protocol

_MONOTONIC, _ABSOLUTE = 1, 1  # CLOCK_MONOTONIC and TIMER_ABSTIME of Linux
_SECOND = 1_000_000_000
PATIENCE_S = 0.2  # between two looks
_PATIENCE_NS = int(PATIENCE_S * _SECOND)


class Clock(Protocol):
    """What the loop needs of time; tests bring their own."""

    def now(self) -> int:
        """Nanoseconds from some fixed instant."""

    def sleep_until(self, deadline_ns: int) -> bool:
        """Return at the deadline or later, at once if it has passed; True if it was left early, to stop."""


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class MonotonicClock:
    """The clock of the system."""

    def __init__(
        self,
        spin_ns: int = 0,
        rehearse: Callable[[], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._spin_ns, self._stop = spin_ns, stop
        self._rehearse = rehearse if spin_ns > 0 else None
        self._nanosleep = _clock_nanosleep()
        self._request = _Timespec()
        self._reference = ctypes.byref(self._request)
        self.now: Callable[[], int] = time.monotonic_ns

    def sleep_until(self, deadline_ns: int) -> bool:
        now, stop, wake_ns = self.now, self._stop, deadline_ns - self._spin_ns
        while stop is not None and wake_ns - now() > _PATIENCE_NS:
            if stop():
                return True
            self._sleep(now() + _PATIENCE_NS)
        self._sleep(wake_ns)
        if self._rehearse is not None and now() < deadline_ns - self._spin_ns // 2:
            self._rehearse()
        while now() < deadline_ns:
            pass
        return False

    def _sleep(self, wake_ns: int) -> None:
        now = self.now
        if self._nanosleep is None:
            while (rest := wake_ns - now()) > 0:
                time.sleep(rest / _SECOND)
        else:
            # a signal ends the sleep early: its handler runs, and the sleep goes on
            while now() < wake_ns:
                self._request.seconds, self._request.nanoseconds = divmod(wake_ns, _SECOND)
                self._nanosleep(_MONOTONIC, _ABSOLUTE, self._reference, None)


def _clock_nanosleep() -> Callable[..., int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return ctypes.CDLL(None).clock_nanosleep
    except (OSError, AttributeError):
        return None


class FreeClock:
    """Reads the clock and never sleeps: for loops that wait for something else."""

    def __init__(self) -> None:
        self.now: Callable[[], int] = time.monotonic_ns

    def sleep_until(self, deadline_ns: int) -> bool:
        """Return at once."""
        return False
