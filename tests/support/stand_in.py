"""A stand-in for docksim.simulation.run: instant, made-up results, for tests of everything around it.

What a scenario's description says decides what happens: "raise", "diverge", "stop", "slow" (runs until it is stopped),
"deaf" (takes its time whatever it is asked), anything else completes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from docksim.config import Scenario
from docksim.jobs import batch, compiling
from docksim.result.result import Result
from docksim.simulation import run
from tests.support import samples

SCENARIO = """\
description: {description}
vehicles:
  brick:
    mass_kg: 12.0
    inertia_kg_m2: [1.0, 1.2, 1.4]
solver: {{duration_s: 60.0}}
"""


def simulate(
    scenario: Scenario, progress: Callable[[float], None] | None = None, stop: Callable[[], bool] | None = None
) -> Result:
    told = scenario.description
    if told == "raise":
        raise RuntimeError("the kernel fell over [red]")
    if told == "diverge":
        reason = "non-finite state at t = 3.2 s, body 'brick', phase FREE"
        return samples.result(name=scenario.name, scenario=scenario, outcome="diverged", reason=reason)
    if told == "stop":
        return samples.result(name=scenario.name, scenario=scenario, outcome="stopped", reason="clear of the station")
    if told in ("slow", "deaf"):
        return _until_stopped(scenario, progress, stop if stop and told == "slow" else lambda: False)
    for part in range(11):
        if progress:
            progress(part / 10)
    return samples.result(name=scenario.name, scenario=scenario)


def _until_stopped(scenario: Scenario, progress: Callable[[float], None] | None, stop: Callable[[], bool]) -> Result:
    for _ in range(3000):
        if stop():
            return samples.result(rows=50, name=scenario.name, scenario=scenario, outcome="interrupted")
        if progress:
            progress(0.5)
        time.sleep(0.01)
    raise TimeoutError("nobody stopped the slow run")


def take_the_place_of_runs(put: Callable[[object, str, object], None], cached: bool = True) -> None:
    """Put the stand-in where the simulation is called; `put` is setattr, or a monkeypatch's."""
    for caller in (batch, run):
        put(caller, "simulate", simulate)
    put(compiling, "kernel_is_cached", lambda: cached)
    put(compiling, "prepare_kernel", prepare_kernel)


def prepare_kernel(progress: Callable[[float], None] | None = None) -> float:
    """Compiles at once."""
    if progress is not None:
        progress(1.0)
    return 0.0
