"""Start, resume and finish a study in its folder: results/<study>/study.sqlite, and time histories beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from docksim.config.errors import ScenarioError, unknown
from docksim.config.study import MetricWithin
from docksim.manifest import build_manifest
from docksim.result import ResultError
from docksim.study.case import Row, metric_columns, save_history
from docksim.study.plan import Plan
from docksim.study.runner import StopRule, Workers, run_cases
from docksim.study.store import FILE, Columns, Store, locked

# what may differ between two starts of one study
FREE_KEYS = ("description", "histories", "timeout_s")


def run_study(
    plan: Plan,
    out: Path = Path("results"),
    workers: Workers | None = None,
    resume: bool = False,
    rule: StopRule | None = None,
    stop: Callable[[], bool] | None = None,
    begun: Callable[[Store], None] | None = None,
    report: Callable[[list[Row]], None] | None = None,
) -> tuple[str, Path]:
    """Run a study, or go on with it; how it ended, and its file.

    `begun` is called when the file is open, `report` with rows that are safe on disk.
    """
    file = out / plan.study.name / FILE
    workers = workers or Workers()
    if rule is not None and not plan.is_random:
        raise ResultError("a stopping rule needs random sampling: a design, a grid or a sweep is whole or nothing")
    with locked(file):
        store = _opened(plan, file, resume)
        try:
            store.begin_session({**_versions(plan), "workers": workers.number, "processes": workers.processes})
            if begun:
                begun(store)
            ended = run_cases(plan, store, workers, rule, stop, report)
            if ended != "interrupted":
                keep_worst(plan, store)
        finally:
            store.close()
    return ended, file


def _versions(plan: Plan) -> dict[str, Any]:
    """What can change a number: program, commit, libraries, platform."""
    found = build_manifest(plan.loaded.base.name, plan.study.seed, 0.0)
    return {key: value for key, value in found.items() if key not in ("wall_time_s", "started_utc")}


def _opened(plan: Plan, file: Path, resume: bool) -> Store:
    if file.exists() and not resume:
        raise ResultError(f"{file} exists; --resume goes on with it, --out names another place, nothing is overwritten")
    metrics = metric_columns(plan.study, plan.loaded.base)
    _check_metrics(plan, metrics)
    columns = Columns(tuple(plan.keys), tuple(metrics))
    about = {"study": plan.study.model_dump(mode="json"), "base": plan.loaded.base.to_yaml(), "cases": plan.cases}
    if not file.exists():
        return Store.create(file, columns, about)
    store = Store.open(file)
    try:
        _refuse_another(store, columns, about)
        known = store.about()
        store.amend("study", about["study"])
        store.amend("cases", max(plan.cases, known["cases"]))
    except BaseException:
        store.close()
        raise
    return store


def _check_metrics(plan: Plan, names: list[str]) -> None:
    """Conditions, limits and histories must speak of metrics that there are."""
    study, problems = plan.study, []
    wanted: list[tuple[tuple[str | int, ...], str]] = [
        (("success", i, "metric"), item.metric)
        for i, item in enumerate(study.success)
        if isinstance(item, MetricWithin)
    ]
    wanted += [(("limits", name), name) for name in study.limits]
    if study.histories.metric is not None:
        wanted.append((("histories", "metric"), study.histories.metric))
    for path, name in wanted:
        if name not in names:
            problems.append(plan.loaded.problem(path, unknown("metric", name, names)))
    if problems:
        raise ScenarioError(problems)


def _refuse_another(store: Store, columns: Columns, about: dict[str, Any]) -> None:
    """ResultError if the file belongs to another study than the one to go on with."""
    known = store.about()
    free = set(FREE_KEYS) | ({"cases"} if about["study"]["sampling"] == "random" else set())
    changed = [key for key, value in about["study"].items() if key not in free and known["study"].get(key) != value]
    if known["base"] != about["base"]:
        changed.append("the base scenario")
    if store.columns != columns:
        changed.append("the columns of the table")
    if changed:
        advice = "--out names another place for the new one"
        raise ResultError(f"{store.file}: holds another study ({', '.join(changed)} differ); {advice}")


# ---------------------------------------------------------------- the worst cases


def worst_cases(store: Store, metric: str, count: int) -> list[int]:
    """The cases with the largest values of a metric, the worst first."""
    column = 4 + store.columns.names.index(f"metric.{metric}")
    found = [(row[column], -row[0]) for row in store.table() if row[column] is not None]
    return [-case for _, case in sorted(found, reverse=True)[:count]]


def keep_worst(plan: Plan, store: Store) -> list[Path]:
    """The time histories of the worst cases: they are run again, which gives the same bits."""
    from docksim.simulation import simulate

    wanted = plan.study.histories
    if wanted.keep != "worst" or wanted.metric is None:
        return []
    folder = store.file.parent / "histories"
    found = []
    for case in worst_cases(store, wanted.metric, wanted.count or 1):
        place = folder / f"case-{case}"
        found.append(place if place.is_dir() else save_history(simulate(plan.scenario(case)), folder, case))
    return found
