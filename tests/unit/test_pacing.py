"""Deadlines and what happens when they are missed, on a clock that the test moves."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from docksim.config.schema.scenario import Solver
from docksim.realtime import privileges
from docksim.realtime.clock import MonotonicClock
from docksim.realtime.pacing import COMPLETED, OVERRUN, STOPPED, Policy, Record, pace
from docksim.realtime.privileges import real_time
from docksim.realtime.session import RateError, steps_of_cycles, steps_per_cycle
from docksim.realtime.timing import Timing, Worst, overshoot_us, summarize
from tests.support.realtime_clock import US, FakeClock, jobs

ROOT = Path(__file__).resolve().parents[2]
PERIOD_US = 1000
PHASES = ("start", "late")


def paced(
    policy: Policy, long_us: dict[int, int], cycles: int = 20, usual_us: int = 100, overshoot_us_: int = 0
) -> tuple[str, Record, Timing]:
    clock, record = FakeClock(overshoot_us_ * US), Record(cycles, PERIOD_US * US)
    ended = pace(jobs(clock, usual_us, long_us), record, clock, policy)
    return ended, record, summarize(record, policy, 0.0, np.arange(cycles) // 10, PHASES)


def slots(record: Record) -> list[int]:
    """Deadlines in periods from the first."""
    return [int(x) // (PERIOD_US * US) for x in record.deadline[: record.cycles] - record.deadline[0]]


@pytest.mark.parametrize("policy", ["skip", "catch-up", "stop"])
def test_without_load_every_policy_keeps_every_deadline(policy: Policy) -> None:
    ended, record, timing = paced(policy, {}, overshoot_us_=30)
    assert ended == COMPLETED
    assert slots(record) == list(range(20))
    assert (timing.overruns, timing.late, timing.skipped, timing.behind_us) == (0, 0, 0, 0.0)
    assert (timing.job.median_us, timing.job.max_us) == (100.0, 100.0)
    assert (timing.overshoot.median_us, timing.overshoot.max_us) == (30.0, 30.0)
    assert timing.headroom_worst == 10.0


def test_skip_drops_the_slots_that_have_passed_and_stays_behind() -> None:
    ended, record, timing = paced("skip", {12: 3500})
    assert ended == COMPLETED
    # job 12 ends in slot 15: 13, 14 and 15 are gone
    assert slots(record) == [*range(13), *range(16, 23)]
    assert (timing.overruns, timing.late, timing.skipped) == (1, 1, 3)
    assert timing.behind_us == 3 * PERIOD_US
    assert timing.worst_job == Worst(3500.0, 12, 0.012, "late")
    assert timing.worst_lateness == Worst(2500.0, 12, 0.012, "late")
    assert timing.headroom_worst == pytest.approx(1.0 / 3.5)


def test_catch_up_drops_nothing_and_comes_back_to_the_clock() -> None:
    ended, record, timing = paced("catch-up", {5: 3500})
    assert ended == COMPLETED
    assert slots(record) == list(range(20))
    assert (timing.overruns, timing.skipped, timing.behind_us) == (1, 0, 0.0)
    # 5 itself, then 6 and 7, which end 3.6 and 3.7 ms after deadline 5 instead of by 2 and 3; 8 ends by 3.8 < 4
    assert timing.late == 3
    # the cycles that made up for it did not sleep, so they have no overshoot
    assert len(overshoot_us(record)) == 20 - 3


def test_catch_up_under_lasting_overload_says_how_far_behind_it_is() -> None:
    _, _, timing = paced("catch-up", {}, usual_us=1500)
    assert timing.overruns == 20
    assert timing.behind_us == 20 * 500


def test_stop_ends_at_the_first_late_cycle() -> None:
    ended, record, timing = paced("stop", {7: 1001})
    assert ended == OVERRUN
    assert record.cycles == 8
    assert timing.worst_lateness.us == 1.0


def test_worst_overshoot_is_told_with_its_time_and_phase_though_cycles_before_it_did_not_sleep() -> None:
    record = Record(20, PERIOD_US * US)

    class Stopped(FakeClock):
        """The system holds the process before cycle 14."""

        def sleep_until(self, deadline_ns: int) -> bool:
            super().sleep_until(deadline_ns)
            self.time += 499_798 * US if record.cycles == 14 else 0
            return False

    clock = Stopped()
    pace(jobs(clock, 100, {3: 2500}), record, clock, "catch-up")
    timing = summarize(record, "catch-up", 0.0, np.arange(20) // 10, PHASES)
    assert timing.worst_overshoot == Worst(499_798.0, 14, 0.014, "late")
    assert timing.worst_lateness == Worst(498_898.0, 14, 0.014, "late")
    assert timing.worst_job == Worst(2500.0, 3, 0.003, "start")


def test_long_sleep_ends_when_it_is_asked_to_and_the_cycle_is_not_run() -> None:
    ran: list[int] = []
    calls = iter(range(100))

    def stop() -> bool:
        return next(calls) > 0

    record = Record(3, 60e9)
    ended = pace(lambda k: ran.append(k) is None, record, MonotonicClock(stop=stop), "skip", stop)
    assert (ended, ran, record.cycles) == (STOPPED, [0], 1)


def test_sleep_that_looks_for_a_stop_keeps_its_deadline() -> None:
    looks: list[int] = []
    clock = MonotonicClock(stop=lambda: bool(looks.append(0)))
    deadline = clock.now() + 450_000_000
    assert not clock.sleep_until(deadline)
    assert clock.now() >= deadline
    assert len(looks) == 2


def test_late_by_the_sleep_alone_is_no_overrun() -> None:
    _, _, timing = paced("skip", {}, usual_us=100, overshoot_us_=950)
    assert timing.overruns == 0
    assert timing.late == 20
    assert timing.overshoot.median_us == 950.0


def test_loop_ends_when_the_job_says_so_or_when_it_is_stopped() -> None:
    clock, record = FakeClock(), Record(20, PERIOD_US * US)
    assert pace(jobs(clock, 1, {}, lambda k: k < 4), record, clock, "skip") == COMPLETED
    assert record.cycles == 5
    record = Record(20, PERIOD_US * US)
    assert pace(jobs(clock, 1, {}), record, clock, "skip", lambda: record.cycles == 3) == STOPPED
    assert record.cycles == 3


def test_deadlines_of_a_period_that_is_no_whole_nanosecond_do_not_drift() -> None:
    clock, record = FakeClock(), Record(3001, 1e9 / 3000.0)
    pace(jobs(clock, 1, {}), record, clock, "skip")
    # a grid rounded to whole nanoseconds once per cycle would be a microsecond off after a second
    assert abs(int(record.deadline[3000] - record.deadline[0]) - 10**9) <= 1


def test_rate_must_be_a_whole_number_of_steps() -> None:
    assert steps_per_cycle(0.001, 1000.0) == 1
    assert steps_per_cycle(0.0001, 1000.0) == 10
    assert steps_per_cycle(1.0 / 3000.0, 1000.0) == 3
    for step, rate in ((0.0007, 1000.0), (0.002, 1000.0), (0.001, 1500.0)):
        with pytest.raises(RateError, match=r"not a whole number of steps .* choose --rate"):
            steps_per_cycle(step, rate)


def test_run_must_be_a_whole_number_of_cycles() -> None:
    def steps(duration: float, step: float, rate: float) -> int:
        return steps_of_cycles(Solver(duration_s=duration, step_s=step), rate)

    # whole but for rounding
    assert (steps(0.3, 0.1, 10.0), steps(7.2, 0.005, 5.0), steps(0.9, 1.0 / 3000.0, 1000.0)) == (1, 40, 3)
    for duration, step, rate in ((0.35, 0.1, 10.0), (7.3, 0.005, 5.0), (0.0502, 0.001, 1000.0)):
        with pytest.raises(RateError, match=r"duration_s: .* is not a whole number of cycles .* choose --duration"):
            steps(duration, step, rate)


@pytest.mark.parametrize("spin_ns", [0, 200_000])
def test_real_clock_never_wakes_before_the_deadline(spin_ns: int) -> None:
    clock = MonotonicClock(spin_ns)
    for _ in range(20):
        deadline = clock.now() + 500_000
        clock.sleep_until(deadline)
        assert clock.now() >= deadline
    before = clock.now()
    clock.sleep_until(before - 10**9)


def test_privileges_are_asked_for_told_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    # the lock itself would touch all memory of the tests' process
    asked: list[str] = []
    monkeypatch.setattr(
        privileges, "lock_memory_of_now", lambda: asked.append("lock") or (lambda: asked.append("back"))
    )
    assert gc.isenabled()
    with real_time(cpu=10**6) as lines:
        assert not gc.isenabled()
        assert any(line.startswith("processor 1000000: refused (") for line in lines)
        assert "memory lock: granted" in lines
        assert asked == ["lock"]
    assert gc.isenabled()
    assert asked == ["lock", "back"]

    def refuse() -> None:
        raise PermissionError(1, "not for you")

    monkeypatch.setattr(privileges, "lock_memory_of_now", refuse)
    with real_time(cpu=9999999999999) as lines:
        assert any(line.startswith("processor 9999999999999: refused (") for line in lines)
        assert "memory lock: refused (not for you)" in lines


LOCKED = """\
import re
from pathlib import Path
from docksim.realtime.privileges import real_time

def locked_kB():
    return int(re.search(r"VmLck:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

with real_time() as lines:
    print(lines[-1], locked_kB() > 1000)
print(locked_kB())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells what is locked")
def test_memory_is_locked_or_that_is_refused_in_a_process_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", LOCKED], cwd=ROOT, capture_output=True, text=True, check=True)
    told, after = done.stdout.splitlines()
    assert told == "memory lock: granted True" or (told.startswith("memory lock: refused (") and told.endswith("False"))
    assert after == "0"


def test_python_part_of_the_loop_keeps_no_memory() -> None:
    clock, record = FakeClock(), Record(6000, PERIOD_US * US)
    tracemalloc.start()
    sizes: list[int] = []

    def note(k: int) -> bool:
        if k in (1000, 5999):
            sizes.append(tracemalloc.get_traced_memory()[0])
        return True

    pace(jobs(clock, 1, {}, note), record, clock, "skip")
    tracemalloc.stop()
    clock.slept.clear()
    # the fake clock keeps an integer of 32 bytes and a pointer per sleep; nothing else stays
    assert sizes[1] - sizes[0] < 5000 * 48
