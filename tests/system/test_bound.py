"""The loop bound to its tables does what the loop does, and goes on with the tables that it was bound to."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance
from docksim.model import RUNNING
from docksim.model.log import Log
from docksim.native.decorators import bound
from docksim.simulation.run import Run
from tests.support.shipped import SCENARIOS

STEPS = 600


def docking() -> Compiled:
    """A quarter of a second before the first touch."""
    compiled = compile_scenario(load_scenario(SCENARIOS / "dock_nds.yaml"))
    log, work = compiled.new_log(), new_work(compiled.model, compiled.state)
    while compiled.state.clock[0].t < 4.0:
        advance(compiled.model, compiled.state, work, log, 100)
    return compiled


def bits(compiled: Compiled, log: Log) -> bytes:
    return b"".join(table.tobytes() for table in (*compiled.state, *log.filled()))


def called() -> bytes:
    """Every call by itself."""
    compiled = docking()
    log, work = compiled.new_log(), new_work(compiled.model, compiled.state)
    for _ in range(STEPS):
        advance(compiled.model, compiled.state, work, log, 1)
    assert compiled.state.contact[0].touches > 0
    return bits(compiled, log)


def bound_run(run: Run) -> bytes:
    for _ in range(STEPS):
        assert run.advance(1) == RUNNING
    return bits(run.compiled, run.log)


def test_bound_loop_gives_the_bits_of_the_loop() -> None:
    run = Run(docking())
    gc.collect()
    assert bound_run(run) == called()


def test_bound_loops_keep_apart_in_threads_that_run_at_once() -> None:
    runs = [Run(docking()) for _ in range(5)]
    expected = bound_run(runs.pop())
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(bound_run, runs)) == {expected}


def test_tables_stay_alive_as_long_as_the_loop_that_is_bound_to_them() -> None:
    compiled = docking()
    log = compiled.new_log()
    go_on = bound(advance, compiled.model, compiled.state, new_work(compiled.model, compiled.state), log)
    clock = compiled.state.clock
    del compiled
    gc.collect()
    # memory that had been let go would be taken by these
    filled = [np.full(1 << 12, np.nan) for _ in range(1000)]
    assert go_on(STEPS) == RUNNING
    assert clock[0].step == 4000 + STEPS
    assert all(np.isfinite(table.view(np.float64)).all() for table in log.filled().tables().values())
    assert len(filled) == 1000


def test_rows_go_to_the_log_that_a_run_has_now() -> None:
    run = Run(docking())
    run.advance(100)
    first, run.log = run.log, run.compiled.new_log()
    rows = int(first.rows[0])
    run.advance(100)
    assert int(first.rows[0]) == rows > 0
    assert run.log.head["time"][0] > first.head["time"][rows - 1]


def test_no_steps_move_nothing_and_change_no_bits_of_what_follows() -> None:
    run = Run(docking())
    run.advance(50)
    before = bits(run.compiled, run.log)
    run.advance(0)
    assert bits(run.compiled, run.log) == before
    # a rehearsal before every step, also in contact
    for _ in range(STEPS - 50):
        run.advance(0)
        run.advance(1)
    assert bits(run.compiled, run.log) == called()
