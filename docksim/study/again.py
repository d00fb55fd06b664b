"""Cases of a table run again, from what the table itself keeps: the study, and its base with all that it changes.

Neither the study's file nor that of its base is needed. A case that does not give the table's numbers again is an
error: the table comes from another docksim.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np

from docksim.config.errors import ScenarioError
from docksim.config.loading.includes import content_of
from docksim.config.loading.study import study_again
from docksim.result.reading import UNREADABLE, fault
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events
from docksim.study.plan import Plan
from docksim.study.store import Store
from docksim.study.table import Table


def plan_of(table: Table) -> Plan:
    """The study as it was run; ResultError if this docksim does not take it."""
    name = str(table.file)
    store = Store.open(table.file, read_only=True)
    with closing(store.connection):
        about = store.about()
    if "data" not in about:
        raise ResultError(f"{name}: an older docksim made it; docksim run STUDY --case N runs a case of its file")
    try:
        base = content_of(about["base"], name)
        return Plan(study_again(table.study, base, about["data"], about["nominal"], name))
    except ScenarioError as error:
        raise ResultError(f"{name}: its base is not usable by this version of docksim:\n{error}") from error
    except UNREADABLE as error:
        raise fault(table.file, error) from error


def run_again(table: Table, plan: Plan, case: int) -> Result:
    """A case with its whole history; ResultError if the table has other numbers of it."""
    result = simulate_over(plan.scenario(case), plan.band)
    now = metrics_with_events(result)
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
