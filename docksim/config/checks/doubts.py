"""What is valid and yet unlikely to be meant: a closing rate in mm/s, ports of an approach the wrong way round."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.schema import names
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Keys

FAST_M_S = 2.0  # dockings close in at 0.01 to 0.35 m/s


def doubtful_approach(scenario: Scenario) -> Iterator[tuple[Keys, str]]:
    """Warnings of the approach, by key."""
    approach = scenario.approach
    if approach is None:
        return
    rate = approach.closing_rate_m_s
    if rate > FAST_M_S:
        way = rate * scenario.solver.step_s
        text = f"{rate:g} m/s is {1e3 * way:.3g} mm a step{_against(scenario, way)}; was mm/s meant ({rate / 1e3:g})?"
        yield ("approach", "closing_rate_m_s"), text
    active, passive = approach.active.split(".")[0], approach.passive.split(".")[0]
    carries = {name: scenario.vehicles[name].mechanism is not None for name in (active, passive)}
    if carries[passive] and not carries[active]:
        yield (
            ("approach", "active"),
            f"{approach.active} has no mechanism, {approach.passive} has; were the two swapped?",
        )


def _against(scenario: Scenario, way: float) -> str:
    """What a step of this size would jump over."""
    petals = [one.petals for one in names.interfaces(scenario).values() if one is not None]
    plates = [2.0 * one.plate_radius_m for one in petals if one is not None]
    return ", more than a petal is thick" if plates and way > min(plates) else ""
