"""Figures of what a run did not come to are left out: a docking that ends captured has no loads of hard docking.

Latches pull when the ring is brought in, and legs and chaser are loaded most then. A run that stops before, as studies
of capture do, would tell the largest tension as zero. The other peaks of such a run are those up to its end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docksim.config.schema import Scenario
from docksim.result.pairs import JoinedPorts, PairOutcome, ports_at
from docksim.result.result import Metric

# of a pair, and of each of its vehicles
OF_PAIR = (
    "peak_tension_N", "peak_tension_N.of_limit", "sustained_compression_N", "sustained_compression_N.of_limit",
)  # fmt: skip
OF_VEHICLE = ("legs.force_N.peak", "legs.torque_Nm.peak", "acceleration_m_s2.peak")


def what_was_run(
    figures: Mapping[str, Metric], scenario: Scenario, pairs: Sequence[PairOutcome], ports: Sequence[JoinedPorts]
) -> dict[str, Metric]:
    """The figures without those of the retraction of pairs that ended captured, though hooks were to close."""
    left_out: set[str] = set()
    for one in pairs:
        if one.word == "captured" and ports_at(scenario, one.pair, ports):
            left_out |= {f"{one.pair}.{name}" for name in OF_PAIR}
            vehicles = {port.split(".")[0] for port in scenario.contacts[one.pair].ports}
            left_out |= {f"{vehicle}.{name}" for vehicle in vehicles for name in OF_VEHICLE}
    return {name: value for name, value in figures.items() if name not in left_out}
