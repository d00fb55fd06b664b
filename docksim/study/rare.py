"""The probability of a rare event of a study, by subset simulation over its dispersions.

The event is the study's `rare`: a metric beyond a threshold. A point of the method is a case: its coordinates become
those of the unit cube, and these the values of the keys. All cases go to OUT/<study>/rare.sqlite as they finish; the
method goes through its steps again when it is resumed, and runs only what has no row. Cases 1 to `samples` are those of
the random study. A case that has no metric (it diverged, or what the metric is about did not come) counts as the event;
one that is no valid scenario is an error, since its probability is nobody's. Where the state of an approach holds at
first contact, the probability is that among first contacts: the random cases are redrawn, and chains do not go where
there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from docksim.algebra.normal import probabilities, quantiles
from docksim.config.errors import ScenarioError
from docksim.config.schema.study import Rare
from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.plan import Plan
from docksim.study.runner import Crew, Stop, Stopped, Workers, crew_of
from docksim.study.sampling import LARGEST, SMALLEST
from docksim.study.session import FREE_KEYS, session
from docksim.study.store import Store, save_json
from docksim.study.subset import Estimate, Level, subset_simulation

FILE = "rare.sqlite"
REPORT = "rare.json"
# what may differ between two starts; `rare` itself is the question, so it may not
FREE = (*(key for key in FREE_KEYS if key != "rare"), "cases", "sampling", "replicates")


@dataclass(frozen=True)
class RareEvent:
    """What was found: the event in words, the estimate, and the likeliest case of the event."""

    event: str
    estimate: Estimate
    without_metric: int
    case: int | None
    inputs: dict[str, Any]
    value: float | None

    def as_dict(self) -> dict[str, Any]:
        low, high = self.estimate.interval()
        return {"event": self.event, "interval_95": [low, high], **asdict(self)}

    def save(self, file: Path) -> None:
        """All or nothing."""
        save_json(file, self.as_dict())


def run_rare(
    plan: Plan,
    out: Path = Path("results"),
    workers: Workers | None = None,
    resume: bool = False,
    stop: Stop | None = None,
    begun: Callable[[Store], None] | None = None,
    report: Callable[[list[Row]], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> RareEvent | None:
    """Find the probability, or go on; None if `stop()` came first. The answer is also saved beside the table.

    `begun` and `report` are those of run_study; `note` gets a line for every level.
    """
    rare = plan.study.rare
    if rare is None:
        text = "has no section 'rare', which names the metric and the threshold of the event"
        raise ScenarioError([plan.loaded.problem((), text)])
    workers = workers or Workers()
    file = out / plan.study.name / FILE
    with session(plan, file, workers, resume, FREE, "search for a rare event") as store:
        if begun:
            begun(store)
        with crew_of(plan, store, workers, stop, report) as crew:
            try:
                estimate = _estimate(plan, rare, crew, note or (lambda text: None))
            except Stopped:
                return None
        event = _event(rare, estimate, store)
    event.save(file.with_name(REPORT))
    return event


def _estimate(plan: Plan, rare: Rare, crew: Crew, note: Callable[[str], None]) -> Estimate:
    width = plan.transform.dimensions
    redraws = {case: plan.redraws_of(case) if plan.at_contact else 0 for case in range(1, rare.samples + 1)}
    first = np.array([quantiles(plan.random.point(case, redraw)) for case, redraw in redraws.items()])
    sign = 1.0 if rare.above is not None else -1.0
    threshold = sign * float(rare.above if rare.above is not None else rare.below or 0.0)

    def evaluate(number: int, points: np.ndarray) -> np.ndarray:
        last = number + len(points) - 1
        known = set(crew.store.metric(rare.metric, number, last))
        values = (plan.transform.values(np.clip(probabilities(point), SMALLEST, LARGEST)) for point in points)
        jobs = [(case, value) for case, value in enumerate(values, number) if case not in known]
        if plan.at_contact:
            jobs = [(case, value) for case, value in jobs if plan.reason_against(value) is None]
        crew.finish(jobs)
        if (wrong := crew.store.invalid(number, last)) is not None:
            advice = "a distribution reaches where no scenario is; give it limits (truncated_normal, uniform)"
            raise ResultError(f"{crew.store.file}: case {wrong[0]} is no valid scenario ({wrong[1]}); {advice}")
        metric = crew.store.metric(rare.metric, number, last)
        signed = {case: math.inf if value is None else sign * float(value) for case, value in metric.items()}
        # what was no first contact has no row, and no chain goes there
        return np.array([signed.get(case, -math.inf) for case in range(number, last + 1)])

    reached = 1.0

    def passed(level: Level) -> None:
        nonlocal reached
        reached *= level.share
        note(f"{rare.metric} reaches {sign * level.next_threshold:.6g} with probability {reached:.3g}")

    seed, most = plan.study.seed, rare.most_levels
    return subset_simulation(evaluate, width, threshold, rare.samples, rare.chains, seed, most, first, passed)


def _event(rare: Rare, estimate: Estimate, store: Store) -> RareEvent:
    sign = 1.0 if rare.above is not None else -1.0
    levels = [replace(x, threshold=sign * x.threshold, next_threshold=sign * x.next_threshold) for x in estimate.levels]
    word, limit = (">=", rare.above) if rare.above is not None else ("<=", rare.below)
    values = store.metric(rare.metric, 1, estimate.points)
    inputs = {} if estimate.likeliest is None else store.inputs(estimate.likeliest) or {}
    return RareEvent(
        event=f"{rare.metric} {word} {limit:g}",
        estimate=replace(estimate, levels=levels),
        without_metric=sum(value is None for value in values.values()),
        case=estimate.likeliest,
        inputs=inputs,
        value=None if estimate.likeliest is None else values[estimate.likeliest],
    )
