"""What a run did not come to: a docking that ends captured has not closed its hooks, nor run the loads until then.

Two things follow from how far a run went. It names the phases that were still to come until hooks close: loads of those
are not in its figures, which are peaks up to its end. And if it ended sooner after capture than the latches are pulled
at, figures that are largest later are left out, since a tension of zero would be told otherwise. Compression, shear,
bending and torsion are largest at capture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from docksim.config.outcomes import LONG_ENOUGH_S
from docksim.config.schema.actions import JoinAction, PhaseAction
from docksim.config.schema.conditions import AfterCondition
from docksim.config.schema.scenario import Scenario
from docksim.result.pairs import JoinedPorts, PairOutcome, ports_at
from docksim.result.result import EventRecord, Metric

# largest after capture: of a pair, and of each of its vehicles
OF_PAIR = (
    "peak_tension_N", "peak_tension_N.of_limit", "sustained_compression_N", "sustained_compression_N.of_limit",
)  # fmt: skip
OF_VEHICLE = ("legs.force_N.peak", "legs.torque_Nm.peak", "acceleration_m_s2.peak")
ROUNDING_S = 1e-6  # of times


def what_was_run(
    figures: Mapping[str, Metric],
    scenario: Scenario,
    pairs: Sequence[PairOutcome],
    ports: Sequence[JoinedPorts],
    events: Iterable[EventRecord] = (),
) -> dict[str, Metric]:
    """The figures, with what pairs that ended captured have not run, and without loads that they ended too soon for."""
    marks: dict[str, Metric] = {}
    left_out: set[str] = set()
    fired = {event.name for event in events}
    for one in pairs:
        hooks = ports_at(scenario, one.pair, ports) if one.word == "captured" else []
        if not hooks:
            continue
        marks[f"{one.pair}.not_run"] = ", ".join(_still_to_come(scenario, hooks, fired)) or "hooks"
        if float(figures.get(f"{one.pair}.after_capture_s", 0.0)) < LONG_ENOUGH_S - ROUNDING_S:
            vehicles = {port.split(".")[0] for port in scenario.contacts[one.pair].ports}
            left_out |= {f"{one.pair}.{name}" for name in OF_PAIR}
            left_out |= {f"{one.pair}.into_{vehicle}.peak_tension_N" for vehicle in vehicles}
            left_out |= {f"{vehicle}.{name}" for vehicle in vehicles for name in OF_VEHICLE}
    return marks | {name: value for name, value in figures.items() if name not in left_out}


def _still_to_come(scenario: Scenario, hooks: Sequence[JoinedPorts], fired: set[str]) -> list[str]:
    """Phases, or events without one, that lead to the closing of hooks and have not begun, the next one first."""
    names = {one.names for one in hooks}
    coming: list[str] = []
    todo = [
        name
        for name, event in scenario.events.items()
        if any(isinstance(action, JoinAction) and frozenset(action.join) in names for action in event.do)
    ]
    while todo:
        name = todo.pop()
        if name in fired or name in coming or name not in scenario.events:
            continue
        coming.append(name)
        todo += [condition.after for condition in scenario.events[name].when if isinstance(condition, AfterCondition)]
    phases = {name: [one.phase for one in scenario.events[name].do if isinstance(one, PhaseAction)] for name in coming}
    return [phases[name][0] if phases[name] else name for name in reversed(coming)]
