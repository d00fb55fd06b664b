"""Summaries and comparisons of made-up tables, whose answers are known."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docksim.config.schema.study import Study
from docksim.result.result import ResultError
from docksim.study.comparison import compare, holm
from docksim.study.statistics import clopper_pearson
from docksim.study.success import misses
from docksim.study.summary import summarize_study
from docksim.study.table import Miss, Table

LOAD = "ring.load_N.peak"


def table(n: int = 200, seed: int = 1, shift: float = 0.0, **changes: object) -> Table:
    """Loads that follow the closing rate; success below 1.2; case 5 diverged."""
    rng = np.random.default_rng(seed)
    rate, mass = rng.random(n), rng.random(n)
    load = 1.0 + 0.5 * (rate - 0.5) + 0.02 * rng.normal(size=n) + shift
    load[4] = np.nan
    outcome = np.array(["completed"] * n, object)
    outcome[4] = "diverged"
    content = {
        "base": "x.yaml",
        "cases": n,
        "dispersions": [{"type": "uniform", "key": key, "low": 0.0, "high": 1.0} for key in ("rate", "mass")],
        "success": [{"metric": LOAD, "below": 1.2}],
        "limits": {LOAD: 1.2},
        **changes,
    }
    reason = np.array([""] * n, object)
    case = np.arange(1, n + 1)
    inputs = {"rate": rate, "mass": mass}
    study = Study.model_validate(content)
    missed = tuple(misses(study, word, {LOAD: x}) for word, x in zip(outcome, load, strict=True))
    return Table(Path("made_up"), study, n, case, outcome, reason, missed, inputs, {LOAD: load}, np.ones(n))


def test_summary_counts_and_bounds_success() -> None:
    made = table()
    found = summarize_study(made)
    good = int(np.nansum(made.metrics[LOAD] < 1.2))
    assert (found.cases, found.successes) == (200, good)
    assert found.success == clopper_pearson(good, 200)
    assert found.outcomes == {"completed": 199, "diverged": 1}
    # as a session or a notebook shows it
    assert repr(found) == str(found)
    assert repr(found).startswith(f"{found.name}: 200 of 200 cases, {good} successful")
    assert found.missed == [
        Miss(f"{LOAD} out of bounds", 199 - good, 0),
        Miss(f"over limit {LOAD}", 199 - good, 0),
        Miss("diverged", 1, 1),
    ]
    assert any("1 cases diverged" in note for note in found.notes)


def test_case_without_the_metric_counts_as_beyond_its_limit() -> None:
    made = table()
    beyond = summarize_study(made).metrics[0].exceedance
    assert beyond is not None
    assert beyond.count == int(np.sum(made.metrics[LOAD] > 1.2)) + 1
    assert beyond.at_most is not None
    assert beyond.at_most > beyond.count / 200
    assert f"{LOAD}: 1 cases without a figure count as beyond its limit" in summarize_study(made).notes


@pytest.mark.parametrize("ran", [0, 150])
def test_cases_that_ended_before_hooks_closed_are_told(ran: int) -> None:
    tension = "dock.peak_tension_N"
    made = table(limits={LOAD: 1.2, tension: 3900.0})
    made.outcome[:] = np.where(np.arange(200) < ran, "hard-docked", "captured")
    made.metrics[tension] = np.where(np.arange(200) < ran, 500.0, np.nan)
    made.metrics["dock.hard_dock_s"] = np.where(np.arange(200) < ran, 60.0, np.nan)
    notes = summarize_study(made).notes
    assert sum(f"{200 - ran} cases ended captured, before hooks closed" in note for note in notes) == 1
    assert any(note.startswith(f"{tension}: no case has a figure") for note in notes) == (ran == 0)
    made.metrics[tension][:] = 500.0
    made.metrics["dock.hard_dock_s"][:] = 60.0
    assert not any("hooks" in note or "no case" in note for note in summarize_study(made).notes)


def test_statistics_of_a_metric_leave_out_cases_without_it() -> None:
    made = table()
    item = summarize_study(made).metrics[0]
    known = np.sort(made.metrics[LOAD][~np.isnan(made.metrics[LOAD])])
    assert item.cases == 199
    assert item.mean.estimate == pytest.approx(known.mean())
    assert item.mean.low < known.mean() < item.mean.high
    assert made.metrics[LOAD][item.worst_case - 1] == known[-1] == item.largest
    # 199 cases: by the table of Wilks the fifth largest (181 cases are needed for it, 208 for the sixth)
    assert item.tolerance == (known[-5], 5)


def test_drivers_are_ranked_and_chance_is_called_so() -> None:
    first, second = summarize_study(table()).drivers[LOAD]
    assert (first.key, first.significant) == ("rate", True)
    assert first.coefficient > 0.95
    assert (second.key, second.significant) == ("mass", False)


def test_worst_cases_come_largest_first() -> None:
    made = table()
    worst = made.worst(LOAD, 3)
    values = made.metrics[LOAD]
    assert [value for _, value in worst] == sorted(values[~np.isnan(values)])[:-4:-1]
    assert all(values[case - 1] == value for case, value in worst)


@pytest.mark.parametrize("sampling", ["latin_hypercube", "sobol"])
def test_designs_have_intervals_of_their_own_kind(sampling: str) -> None:
    found = summarize_study(table(256, sampling=sampling))
    assert found.success is not None
    assert "replicates" in found.success.method
    assert found.metrics[0].tolerance is None
    assert any("not independent" in note for note in found.notes)
    # half of a design is no design
    half = replace(table(256, sampling=sampling), planned=512)
    assert summarize_study(half).success is None


def test_grid_has_no_probabilities() -> None:
    made = table()
    axes = {"grid": [{"key": "rate", "values": [1.0]}], "dispersions": [], "cases": None}
    study = Study.model_validate({**made.study.model_dump(), **axes})
    found = summarize_study(replace(made, study=study))
    assert found.success is None
    assert found.metrics[0].exceedance is not None
    assert found.metrics[0].exceedance.probability is None


def test_summary_of_a_study_that_has_not_begun() -> None:
    made = table()
    none = np.array([])
    empty = replace(made, case=none, outcome=none, reason=none, missed=(), wall_s=none,
                    inputs=dict.fromkeys(made.inputs, none), metrics={LOAD: none})  # fmt: skip
    found = summarize_study(empty)
    assert (found.cases, found.success, found.metrics) == (0, None, [])
    assert any("200 of 200 cases have not run yet" in note for note in found.notes)


def test_unknown_metric_is_named_with_a_suggestion() -> None:
    with pytest.raises(ResultError, match=r"did you mean 'ring\.load_N\.peak'"):
        summarize_study(table(), ["ring.load_N"])


# ---------------------------------------------------------------- comparison


def test_same_samples_are_compared_in_pairs_and_small_differences_found() -> None:
    # one per cent more load in every case: far below the scatter of the cases
    first, second = table(), table(shift=0.01)
    found = compare(first, second)
    assert found.paired
    assert found.metrics[0].significant
    assert "Wilcoxon" in found.metrics[0].test
    assert found.success.test.startswith("McNemar")
    counts = [{miss.name: miss.cases for miss in made.misses()} for made in (first, second)]
    assert found.missed == [(name, counts[0][name], counts[1][name]) for name in counts[0]]
    assert counts[1][f"over limit {LOAD}"] > counts[0][f"over limit {LOAD}"] > 0


def test_different_samples_are_compared_as_such() -> None:
    found = compare(table(), table(seed=2, shift=0.01))
    assert not found.paired
    assert not found.metrics[0].significant
    assert compare(table(), table(seed=2, shift=0.2)).success.significant


def test_comparison_of_a_study_with_itself_finds_nothing() -> None:
    found = compare(table(), table())
    assert (found.success.p_value, found.metrics[0].p_value) == (1.0, 1.0)


def test_false_alarms_come_as_often_as_they_say() -> None:
    alarms = [compare(table(100, seed=2 * i), table(100, seed=2 * i + 1)).metrics[0].significant for i in range(300)]
    # 5 % of 300, and three standard errors
    assert np.mean(alarms) < 0.05 + 3 * 0.0126


def test_designs_are_not_compared_by_tests_for_independent_cases() -> None:
    with pytest.raises(ResultError, match="random sampling"):
        compare(table(256, sampling="sobol"), table(256))


def test_holm_corrects_as_published() -> None:
    # Holm 1979: the smallest times their number, the next times one less, never falling
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
