"""Start, resume and finish a study in its folder: results/<study>/study.sqlite, and time histories beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from docksim.config.loading.study import given_of
from docksim.result.result import ResultError
from docksim.simulation.bands import simulate_over
from docksim.simulation.manifest import build_manifest
from docksim.study.case import Row, keeps_history, save_history
from docksim.study.plan import Plan
from docksim.study.reference import checked_cases, reference_file
from docksim.study.runner import Stop, StopRule, Workers, crew_of, run_cases
from docksim.study.store import FILE, HEAD, SAMPLE, Columns, Store, locked

# what may differ between two starts of one study
FREE_KEYS = ("description", "histories", "rare", "timeout_s")


def run_study(
    plan: Plan,
    out: Path = Path("results"),
    workers: Workers | None = None,
    resume: bool = False,
    rule: StopRule | None = None,
    stop: Stop | None = None,
    begun: Callable[[Store], None] | None = None,
    report: Callable[[list[Row]], None] | None = None,
) -> tuple[str, Path]:
    """Run a study, or go on with it; how it ended, and its file.

    `begun` is called when the file is open, `report` with rows that are safe on disk.
    """
    file = out / plan.study.name / FILE
    workers = workers or Workers()
    if rule is not None and not plan.study.is_random:
        raise ResultError("a stopping rule needs random sampling: a design, a grid or a sweep is whole or nothing")
    free = (*FREE_KEYS, "cases") if plan.study.sampling == "random" else FREE_KEYS
    with session(plan, file, workers, resume, free) as store:
        if begun:
            begun(store)
        ended = run_cases(plan, store, workers, rule, stop, report)
        if ended != "interrupted":
            keep_histories(plan, store, stop)
            if not run_reference(plan, store, workers, stop):
                ended = "interrupted"
    return ended, file


def run_reference(plan: Plan, store: Store, workers: Workers, stop: Stop | None = None) -> bool:
    """Some cases of a fast study the reference way, in a file of their own; False if `stop()` came first."""
    fast, usual = plan.study.fast, plan.loaded.reference
    if fast is None or usual is None:
        return True
    file = reference_file(store.file)
    with session(Plan(usual), file, workers, resume=True, free=(*FREE_KEYS, "cases")) as beside:
        done = beside.done()
        wanted = [case for case in checked_cases(store.done(), fast.check_every) if case not in done]
        with crew_of(Plan(usual), beside, workers, stop) as crew:
            return crew.run((case, None) for case in wanted)


@contextmanager
def session(
    plan: Plan, file: Path, workers: Workers, resume: bool, free: Iterable[str], kind: str = SAMPLE
) -> Iterator[Store]:
    """The file of a study, new or to go on with, for one process at a time.

    `free` keys of the study may have changed since. `kind` is SAMPLE, or what the cases are instead.
    """
    with locked(file):
        store = _opened(plan, file, resume, free, kind)
        try:
            # what can change a number: program, commit, libraries, platform
            made_by = build_manifest(plan.loaded.base.name, plan.study.seed, 0.0)
            del made_by["wall_time_s"], made_by["started_utc"]
            store.begin_session({**made_by, **workers.facts()})
            yield store
        finally:
            store.close()


def _opened(plan: Plan, file: Path, resume: bool, free: Iterable[str], kind: str) -> Store:
    if file.exists() and not resume:
        advice = "--resume goes on with it (resume=True), --out names another place, nothing is overwritten"
        raise ResultError(f"{file} exists; {advice}")
    columns = Columns(tuple(plan.keys), tuple(plan.columns))
    about = {"study": plan.study.model_dump(mode="json"), "base": plan.loaded.base.to_yaml(), "cases": plan.cases}
    # what cases are made of, so that they run again without the files
    about |= {"kind": kind, "data": plan.loaded.data, "nominal": plan.loaded.nominal}
    if not file.exists():
        return Store.create(file, columns, {**about, "given": given_of(plan.loaded)})
    store = Store.open(file)
    try:
        _refuse_another(store, columns, about, set(free))
        known = store.about()
        limit_s, before_s = plan.study.timeout_s, known["study"].get("timeout_s")
        if before_s is not None and (limit_s is None or limit_s > before_s):
            store.forget("too slow")
        store.amend("study", about["study"])
        store.amend("cases", max(plan.cases, known["cases"]))
    except BaseException:
        store.close()
        raise
    return store


def _refuse_another(store: Store, columns: Columns, about: dict[str, Any], free: set[str]) -> None:
    """ResultError if the file belongs to another study than the one to go on with."""
    known = store.about()
    changed = [key for key, value in about["study"].items() if key not in free and known["study"].get(key) != value]
    if known["base"] != about["base"]:
        changed.append("the base scenario")
    if store.columns != columns:
        changed.append("the columns of the table")
    if changed:
        advice = "--out names another place for the new one"
        raise ResultError(f"{store.file}: holds another study ({', '.join(changed)} differ); {advice}")


# ---------------------------------------------------------------- time histories


def worst_cases(store: Store, metric: str, count: int) -> list[int]:
    """The cases with the largest values of a metric, the worst first."""
    column = len(HEAD) + store.columns.names.index(f"metric.{metric}")
    values = [(row[column], -row[0]) for row in store.table() if row[column] is not None]
    return [-case for _, case in sorted(values, reverse=True)[:count]]


def keep_histories(plan: Plan, store: Store, stop: Stop | None = None) -> list[Path]:
    """The time histories that are not there yet: of the worst cases, and of those that ran on other machines.

    The cases are run again, which gives the same bits.
    """
    wanted = plan.study.histories
    if wanted.keep == "worst" and wanted.metric is not None:
        cases = worst_cases(store, wanted.metric, wanted.count or 1)
    else:
        cases = [case for case in sorted(store.done()) if keeps_history(plan.study, case)]
    folder = store.file.parent / "histories"
    kept = []
    for case in cases:
        place = folder / f"case-{case}"
        if not place.is_dir() and not (stop is not None and stop()):
            result = simulate_over(plan.scenario(case), plan.band, stop=stop)
            if result.outcome != "interrupted":
                kept.append(save_history(result, folder, case))
    return kept
