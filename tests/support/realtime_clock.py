"""A clock of the test's own: time passes only by sleeps and by what jobs are said to take."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from docksim.realtime.pacing import Job

US = 1_000


class FakeClock:
    """Sleeps end `overshoot_ns` after the deadline."""

    def __init__(self, overshoot_ns: int = 0) -> None:
        self.time = 0
        self.overshoot_ns = overshoot_ns
        self.slept: list[int] = []

    def now(self) -> int:
        return self.time

    def sleep_until(self, deadline_ns: int) -> bool:
        if self.time < deadline_ns:
            self.slept.append(deadline_ns)
            self.time = deadline_ns + self.overshoot_ns
        return False


def jobs(clock: FakeClock, usual_us: int, long_us: Mapping[int, int], then: Callable[[int], bool] | None = None) -> Job:
    """A job of the usual length, but for some cycles."""

    def job(k: int) -> bool:
        clock.time += long_us.get(k, usual_us) * US
        return True if then is None else then(k)

    return job
