"""The worst case of a study's box: corners, then a search, for the largest value of one metric.

The box is that of the dispersions, to its edge; where a distribution has none, to three standard deviations. A run of
the search is a case with a row in OUT/<study>/worst-<metric>.sqlite, which `docksim run FILE --case N` repeats; the
method goes through its steps again when it is resumed, and runs only what has no row. Where the state of an approach
holds at first contact, the search does not go where there is none.

A peak after several knocks differs from start to start by itself, so the largest of many runs may be one lucky knock:
the largest few are repeated from starts a nanometre apart, and the one with the largest median is the answer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from docksim.algebra.elementary import atan2
from docksim.algebra.normal import normal_probability
from docksim.config.errors import ScenarioError, unknown
from docksim.config.schema.band_ends import at_end
from docksim.config.schema.dispersions import LogNormal, Normal, OneKey
from docksim.config.schema.scenario import Scenario
from docksim.result.bands import BAND_HIGH, end_of, is_band_end, middle_of
from docksim.result.result import ResultError
from docksim.simulation.run import run_on
from docksim.simulation.scatter import jittered
from docksim.simulation.threads import worker_threads
from docksim.study.again import values_again
from docksim.study.case import Row
from docksim.study.columns import all_metrics
from docksim.study.plan import Plan
from docksim.study.runner import Crew, Stop, Stopped, Workers, crew_of
from docksim.study.sampling import LARGEST, SMALLEST
from docksim.study.search import Box, first_points, search
from docksim.study.session import FREE_KEYS, session
from docksim.study.store import Store, save_json
from docksim.study.transforms import Dispersed

RUNS, REPEATS = 150, 8
CONTENDERS = 3  # whose scatter is looked at
FARTHEST = 3.0  # standard deviations of a distribution without limits
STEADY = 0.01  # of the value: what scatters less does not rattle
KIND = "search for a worst case"
FREE = (*FREE_KEYS, "cases", "sampling", "replicates")


@dataclass(frozen=True)
class Contender:
    """A case with a large value, and what it gives from starts a nanometre apart: least, median, largest."""

    case: int
    value: float
    outcome: str
    missed: tuple[str, ...]
    inputs: dict[str, Any]
    least: float
    median: float
    largest: float

    @property
    def rattles(self) -> bool:
        return self.largest - self.least > STEADY * abs(self.median)


@dataclass(frozen=True)
class WorstCase:
    """What was found: the contenders, the worst first, and how it was looked for."""

    study: str
    metric: str
    file: str
    runs: int
    first: int  # corners, and those with factors in the middle
    largest_of_first: float
    repeats: int
    contenders: tuple[Contender, ...]
    notes: tuple[str, ...]

    @property
    def worst(self) -> Contender:
        return self.contenders[0]

    @property
    def command(self) -> str:
        """What repeats it."""
        return f"docksim run {self.file} --case {self.worst.case}"

    @property
    def scatter(self) -> str:
        """How far its value can be trusted, in words."""
        one = self.worst
        if not self.repeats:
            return "not looked at"
        span = f"{one.least:.6g} to {one.largest:.6g}, median {one.median:.6g}"
        starts = f"over {self.repeats + 1} starts a nanometre apart"
        if one.rattles:
            return f"{span}, {starts}: the interfaces rattle, take the range and not one knock"
        return f"{span}, {starts}: it does not rattle"

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "command": self.command, "scatter": self.scatter}

    def save(self, file: Path) -> None:
        """All or nothing."""
        save_json(file, self.as_dict())


def run_worst_search(
    plan: Plan,
    metric: str,
    out: Path = Path("results"),
    runs: int = RUNS,
    repeats: int = REPEATS,
    workers: Workers | None = None,
    resume: bool = False,
    stop: Stop | None = None,
    begun: Callable[[Store], None] | None = None,
    report: Callable[[list[Row]], None] | None = None,
) -> WorstCase | None:
    """Look for the worst case, or go on; None if `stop()` came first. The answer is also saved beside the table.

    `begun` and `report` are those of run_study.
    """
    plan = plan_for(plan, metric, runs)
    workers = workers or Workers()
    file = out / plan.study.name / f"worst-{metric}.sqlite"
    with session(plan, file, workers, resume, FREE, KIND) as store:
        if begun:
            begun(store)
        with crew_of(plan, store, workers, stop, report) as crew:
            try:
                _, values = search(_evaluation(plan, metric, crew), box_of(plan), runs, plan.study.seed)
            except Stopped:
                return None
        answer = _answer(plan, metric, store, values, repeats, workers.number, stop)
    if answer is not None:
        answer.save(file.with_suffix(".json"))
    return answer


def plan_for(plan: Plan, metric: str, runs: int) -> Plan:
    """The study as it is searched: so many cases, its metric kept, both ends of the contact's band only where it asks
    for one of them."""
    study = plan.study
    if not study.dispersions:
        text = "the worst case is looked for in a box of dispersions; a grid or a sweep has none"
        raise ScenarioError([plan.loaded.problem((), text)])
    band = True if is_band_end(metric) else False if study.band is None else study.band
    metrics = [*study.metrics, middle_of(metric)]
    study = study.model_copy(update={"cases": runs, "band": band, "metrics": metrics, "sampling": "random"})
    if metric not in (names := all_metrics(study, plan.loaded.base)):
        raise ResultError(f"{plan.loaded.file}: {unknown('metric', metric, names)}")
    return Plan(replace(plan.loaded, study=study))


# ---------------------------------------------------------------- points of the search


def box_of(plan: Plan) -> Box:
    """One coordinate for a distribution of one key; two, within a disc, for what has a limit on a vector sum."""
    transform = plan.transform
    pairs = [transform.columns([i]) for i, item in enumerate(transform.dispersions) if not isinstance(item, OneKey)]
    return Box(transform.dimensions, [(x, y) for x, y in pairs])


def cube_point(dispersions: list[Dispersed], point: np.ndarray) -> np.ndarray:
    """From a point of the search, from -1 to 1, to one of the unit cube that cases are drawn from."""
    rest, cube = point.tolist(), []
    for item in dispersions:
        if not isinstance(item, OneKey):
            x, y, *rest = rest
            cube += [x * x + y * y, (atan2(y, x) / (2.0 * math.pi)) % 1.0]
            continue
        x, *rest = rest
        cube.append(normal_probability(FARTHEST * x) if isinstance(item, Normal | LogNormal) else 0.5 + 0.5 * x)
    return np.clip(cube, SMALLEST, LARGEST)


def _evaluation(plan: Plan, metric: str, crew: Crew) -> Callable[[int, np.ndarray], np.ndarray]:
    """The metric of cases from a number on; minus infinity where there is none."""

    def evaluate(number: int, points: np.ndarray) -> np.ndarray:
        last = number + len(points) - 1
        known = set(crew.store.metric(metric, number, last))
        values = (plan.transform.values(cube_point(plan.transform.dispersions, point)) for point in points)
        jobs = [(case, value) for case, value in enumerate(values, number) if case not in known]
        if plan.at_contact:
            jobs = [(case, value) for case, value in jobs if plan.reason_against(value) is None]
        crew.finish(jobs)
        there = {case: value for case, value in crew.store.metric(metric, number, last).items() if value is not None}
        return np.array([there.get(case, -math.inf) for case in range(number, last + 1)])

    return evaluate


# ---------------------------------------------------------------- the answer


def _answer(
    plan: Plan, metric: str, store: Store, values: np.ndarray, repeats: int, workers: int, stop: Stop | None
) -> WorstCase | None:
    """None if `stop()` ended the repeats."""
    order = [int(i) for i in np.argsort(-values, kind="stable") if np.isfinite(values[i])][:CONTENDERS]
    if not order:
        raise ResultError(f"{store.file}: no case of {len(values)} has the metric {metric}")
    contenders = []
    for i in order:
        inputs = store.inputs(i + 1) or {}
        scenario = plan.scenario_of(values_again(plan, inputs))
        again = repeated(scenario, metric, repeats, workers, stop)
        if again is None:
            return None
        every = [float(values[i]), *again]
        outcome, missed = store.verdict(i + 1)
        spread = (min(every), float(np.median(every)), max(every))
        contenders.append(Contender(i + 1, float(values[i]), outcome, missed, inputs, *spread))
    first = len(first_points(box_of(plan), plan.study.seed))
    best = float(np.max(values[:first]))
    return WorstCase(
        study=plan.study.name,
        metric=metric,
        file=str(store.file),
        runs=len(values),
        first=min(first, len(values)),
        largest_of_first=best if math.isfinite(best) else math.nan,
        repeats=repeats,
        contenders=tuple(sorted(contenders, key=lambda one: (-one.median, one.case))),
        notes=tuple(_notes(plan, metric, store, len(values))),
    )


def repeated(scenario: Scenario, metric: str, repeats: int, workers: int, stop: Stop | None) -> list[float] | None:
    """The metric from so many starts a nanometre apart; None if `stop()` ended them."""
    end, name = end_of(metric), middle_of(metric)
    scenario = scenario if end is None else at_end(scenario, end)

    def again(number: int) -> Any:
        result = run_on(jittered(scenario, number), stop=stop, metrics=(name,))
        return None if result.outcome == "interrupted" else result.metrics.get(name, math.nan)

    with worker_threads(max(1, min(workers, repeats))) as pool:
        values = list(pool.map(again, range(1, repeats + 1)))
    return None if None in values else [float(value) for value in values if not math.isnan(value)]


def _notes(plan: Plan, metric: str, store: Store, runs: int) -> list[str]:
    """What a careful reader must know."""
    figures, outcomes = store.metric(metric, 1, runs), store.outcomes()
    said = []
    if unbounded := [item.key for item in plan.study.dispersions if isinstance(item, Normal | LogNormal)]:
        said.append(f"{', '.join(unbounded)}: no limits, looked at to {FARTHEST:g} standard deviations")
    if missing := runs - len(figures):
        said.append(f"{missing} of {runs} points are no first contacts, and were not run")
    if without := Counter(outcomes[case] for case, value in figures.items() if value is None):
        words = ", ".join(f"{count} {outcome}" for outcome, count in without.items())
        said.append(f"cases without a figure, which may be worse than any number: {words}")
    if metric + BAND_HIGH in all_metrics(plan.study.model_copy(update={"band": True}), plan.loaded.base):
        said.append(f"the middle of the contact's band; --metric {metric}{BAND_HIGH} asks for stiff contact")
    said.append("the largest value met, not a proof that there is none larger")
    return said
