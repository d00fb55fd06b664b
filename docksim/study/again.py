"""Cases of a table run again, from what the table itself keeps: the study, and its base with all that it changes.

Neither the study's file nor that of its base is needed. A case that does not give the table's numbers again is an
error: the table comes from another docksim. Tables of searches, whose cases are where the search went, have the values
of their cases in their rows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docksim.config.errors import ScenarioError
from docksim.config.loading.includes import content_of
from docksim.config.loading.study import given_of, load_study, study_again
from docksim.config.schema.dispersions import Discrete
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.study import Study
from docksim.result.files import checked_given
from docksim.result.reading import UNREADABLE, fault
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events
from docksim.study.plan import REDRAWS, Plan
from docksim.study.store import FILE, SAMPLE, Store
from docksim.study.table import Table


def plan_of(table: Table) -> Plan:
    """The study as it was run; ResultError if this docksim does not take it."""
    with closing(Store.open(table.file, read_only=True)) as store:
        return _plan(store, table.study)


def _plan(store: Store, study: Study) -> Plan:
    name, about = str(store.file), store.about()
    if "data" not in about:
        raise ResultError(f"{name}: an older docksim made it; docksim run STUDY --case N runs a case of its file")
    try:
        base = content_of(about["base"], name)
        return Plan(study_again(study, base, about["data"], about["nominal"], name))
    except ScenarioError as error:
        raise ResultError(f"{name}: its base is not usable by this version of docksim:\n{error}") from error
    except UNREADABLE as error:
        raise fault(store.file, error) from error


@dataclass(frozen=True)
class OneCase:
    """A case by itself: the study that it is of, its scenario, a name for its results, and what it was given."""

    plan: Plan
    scenario: Scenario
    name: str
    given: dict[str, Any]


def case_of(source: Path, case: int) -> OneCase:
    """A case of a study's file, or of the table of a study or of a search, which needs no other file."""
    if source.suffix != ".sqlite" and not (source / FILE).is_file():
        plan = Plan(load_study(source))
        return _one(plan, case, plan.values(case), "case", given_of(plan.loaded))
    file = source / FILE if source.is_dir() else source
    with closing(Store.open(file, read_only=True)) as store:
        try:
            about = store.about()
            plan = _plan(store, Study.model_validate_json(json.dumps(about["study"])))
            told = checked_given(about.get("given", {}))
        except UNREADABLE as error:
            raise fault(file, error) from error
        if about.get("kind", SAMPLE) == SAMPLE:
            return _one(plan, case, plan.values(case), "case", told)
        inputs = store.inputs(case)
    if inputs is None:
        raise ResultError(f"{file}: has no case {case}: the search did not go there")
    return _one(plan, case, values_again(plan, inputs), "search", told)


def _one(plan: Plan, case: int, values: list[Any], word: str, told: dict[str, Any]) -> OneCase:
    inputs = dict(zip(plan.keys, values, strict=True))
    own = {**told, "study": plan.study.name, "case": case, "inputs": inputs}
    return OneCase(plan, plan.scenario_of(values), f"{plan.study.name[:80]}-{word}-{case}", own)


def values_again(plan: Plan, inputs: Mapping[str, Any]) -> list[Any]:
    """The values of a case as they were, from its row: a table knows true and false as numbers."""
    choices = {item.key: item.values for item in plan.study.dispersions if isinstance(item, Discrete)}
    return [next((own for own in choices.get(key, []) if own == value), value) for key, value in inputs.items()]


def run_again(table: Table, plan: Plan, case: int) -> Result:
    """A case with its whole history; ResultError if the table has other numbers of it."""
    one = case_of(table.file, case)
    result = simulate_over(one.scenario, plan.band)
    result.given_by = lambda: one.given
    now = {**metrics_with_events(result), REDRAWS: plan.drawn(case)[1]}
    differ = [(name, value) for name, value in metrics_of(table, case) if now.get(name) != value]
    for name, value in differ[:1]:
        again = f"case {case} gives {name} = {now.get(name)} when it is run again, the table has {value}"
        advice = "take the docksim that made the table, or run the study anew"
        raise ResultError(f"{table.file}: {again}; {advice}")
    return result


def metrics_of(table: Table, case: int) -> list[tuple[str, float]]:
    """The metrics that the table has of a case; none if it has not run."""
    rows = np.flatnonzero(table.case == case)
    return [(name, values[i]) for i in rows for name, values in table.metrics.items() if not np.isnan(values[i])]
