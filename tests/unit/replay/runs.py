"""Short runs for the tests of the replay, each made once."""

from __future__ import annotations

from functools import cache
from typing import Any

from docksim.config import load_scenario
from docksim.result.result import Result
from docksim.simulation.run import simulate
from tests.support.short_runs import touching

ELASTIC = {"law": "kelvin_voigt", "damping_Ns_m": 0.0, "friction": 0.0, "stiffness_N_m": 1e6}
IN = {"mechanism": "satellite", "fraction": 0.6, "duration_s": 0.1}
OUT = {"mechanism": "satellite", "fraction": 0.0, "duration_s": 0.05}
RETRACT = {"when": {"time_s": 0.05}, "do": [{"retract": IN}]}
BACK = {"when": {"time_s": 0.1}, "do": [{"retract": OUT}]}


def run(source: Any, **overrides: Any) -> Result:
    return simulate(load_scenario(source, overrides))


@cache
def docking() -> Result:
    """Two equal interfaces meet, latch, are opened, latch and let go; no damping, no friction, every feature logged."""
    return run(touching(ELASTIC, 120) | {"name": "meeting"})


@cache
def poor_docking() -> Result:
    """The same with a latch that fails and one that engages late; none lets go."""
    late = [{"latch": 3, "delay_s": 6e-4}]
    faults = {"contacts.dock.failed_latches": [2], "contacts.dock.latch_errors": late, "events.caught.when.count": 2}
    latches = {"holds_N": None, "pawl": {"mass_kg": 0.0}}
    return run(touching(ELASTIC, 120, latches=latches) | {"name": "meeting_poorly"}, **faults)


@cache
def legs() -> Result:
    """All leg types; the ring is released at half a second and pushed."""
    return run("scenarios/leg_gallery.yaml", **{"solver.duration_s": 1.5})


@cache
def retracting() -> Result:
    """Base joints that move in and, before they have arrived, out again."""
    source = "scenarios/leg_gallery.yaml"
    travel = {f"satellite.mechanism.legs.{k}.base_travel_m": [-0.02, 0.0, 0.0] for k in range(6)}
    times = {"solver.duration_s": 0.2, "outputs.every_s": 0.002}
    return run(source, **travel, **times, **{"events.retract": RETRACT, "events.back": BACK})
