"""What can be said of a valid scenario without running it: faults that a run would end with, and what is doubtful."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from docksim.config import Problem, Scenario, ScenarioError
from docksim.config.checks.contact import capsules_alone, overdamped_pairs
from docksim.config.checks.doubts import doubtful_approach
from docksim.config.loading.scenario import problems_at
from docksim.config.schema.joining import joins_without_hooks, pins_without_contact
from docksim.config.tree import Fault
from docksim.simulation.closures import at_fault
from docksim.simulation.first_contact import PlacementError, find_start
from docksim.simulation.mating import overlaps
from docksim.simulation.run import new_run, prepare_kernel
from docksim.simulation.stability import too_stiff

# what `solver.tolerance` does to a docking: `python -m benchmarks.campaign 24 --only-trust`, docs/accuracy.md
# tolerance [m/s, rad/s]: first impacts against those at 1e-12, median and largest; instant of capture [s]
MEASURED = {1e-7: (4.7e-4, 2.9e-3, 5.9e-3), 1e-6: (8.5e-4, 3.4e-3, 2.9e-3), 1e-5: (7.8e-3, 1.2e-2, 4.2e-3)}


def examined(
    scenario: Scenario, source: str | Mapping[str, Any], changes: Mapping[str, Any] | None = None, origin: str = "--set"
) -> tuple[list[Problem], list[Problem]]:
    """What loses the run for certain, and warnings, with the lines of the source; ScenarioError where it cannot begin.

    Warnings are of approaches that look mistaken, joins that nothing can refuse, capsules that meet nothing, dampers
    that outweigh their springs, and what the step is too long for: joints, legs and contacts.
    """
    name = source if isinstance(source, str) else "<dict>"

    def placed(faults: Iterable[Fault]) -> list[Problem]:
        return problems_at(source, faults, changes, origin)

    _refuse_start(scenario, placed, name)
    _refuse_closures(scenario, placed)
    stiff = too_stiff(scenario)
    certain = placed((one.path, one.text) for one in stiff if one.certain)
    told = [*joins_without_hooks(scenario), *capsules_alone(scenario), *pins_without_contact(scenario)]
    doubtful = [Problem(name, None, "", f"warning: {text}") for text in told]
    warnings = [
        *doubtful_approach(scenario),
        *overdamped_pairs(scenario),
        *((one.path, one.text) for one in stiff if not one.certain),
    ]
    doubtful += placed((path, f"warning: {text}") for path, text in warnings)
    if scenario.solver.tolerance is not None:
        doubtful += placed([(("solver", "tolerance"), tolerance_text(scenario.solver.tolerance))])
    return certain, doubtful


def _refuse_start(scenario: Scenario, placed: Callable[[Iterable[Fault]], list[Problem]], name: str) -> None:
    """A state at contact that has no start, and interfaces that overlap at the start, which a run would refuse."""
    if not scenario.contacts:
        return
    prepare_kernel()
    try:
        start = find_start(scenario)
    except PlacementError as error:
        raise ScenarioError(placed(error.faults)) from None
    overlapping = [Problem(name, None, f"contacts.{pair}", text) for pair, text in overlaps(scenario, start).items()]
    if overlapping:
        raise ScenarioError(overlapping)


def _refuse_closures(scenario: Scenario, placed: Callable[[Iterable[Fault]], list[Problem]]) -> None:
    """Closures that cannot hold where the run begins, which would end it at once."""
    if any(closure.on for closure in scenario.closures.values()):
        run = new_run(scenario)
        run.advance(1)
        if faults := at_fault(run.compiled):
            raise ScenarioError(placed(faults))


def tolerance_text(tolerance: float) -> str:
    """What to expect of it, in words."""
    coarser = [known for known in MEASURED if known >= tolerance * (1.0 - 1e-9)]
    if not coarser:
        largest = max(MEASURED)
        return (
            f"warning: {tolerance:g} is coarser than {largest:g}, beyond which nothing was measured; take that or less"
        )
    median, largest_off, capture = MEASURED[min(coarser)]
    words = f"first impacts were off by {median:.1%} (median) and {largest_off:.1%} (largest) of the truth's"
    return f"note: at {min(coarser):g} {words}, captures by {1e3 * capture:.0f} ms; docs/accuracy.md"
