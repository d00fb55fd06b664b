"""Loads over the band of the contact's stiffness: names, verdicts, what tables and pages say of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.config.schema.band_ends import at_end, banded
from docksim.config.schema.bands import ENDS
from docksim.report.facts import facts_of
from docksim.result.bands import add_band, band_names, load_names, three_of
from docksim.result.result import Channel, Result
from docksim.result.summary import summarize
from docksim.result.summary_text import load_rows, metric_rows, peak_rows
from tests.support.bands import BAND, PEAK, balls

SCENARIO = load_scenario(balls())
LIMIT_N = 10_000.0
LASTING = "hit.sustained_compression_N"


def result(peak_N: float, outcome: str = "captured", lasting_N: float | None = None) -> Result:
    metrics: dict[str, Any] = {PEAK: peak_N, f"{PEAK}.of_limit": peak_N / LIMIT_N, "hit.capture_s": 1.0}
    metrics |= {} if lasting_N is None else {LASTING: lasting_N, f"{LASTING}.of_limit": lasting_N / LIMIT_N}
    time = Channel("time_s", "s", "", "", np.zeros(1))
    return Result(SCENARIO, [time], outcome, "it says why", metrics=metrics)


def over_band(low: Result, middle: Result, high: Result) -> Result:
    add_band(middle, {"low": low, "high": high}, {})
    return middle


def test_loads_are_peaks_across_the_interfaces_of_pairs_and_their_parts_of_limits() -> None:
    loads = ["dock.peak_shear_N", "dock.peak_shear_N.of_limit", "dock.first_impact.peak_bending_Nm"]
    others = [
        "dock.sustained_compression_N", "dock.capture_s", "arm.peak_shear_N", "dock.peak_shear_N.low",
        "chaser.legs.force_N.peak", "dock.rate_deg_s.peak",
    ]  # fmt: skip
    assert list(load_names([*others, *loads], ["dock"])) == loads
    assert list(load_names(loads, [])) == []
    assert list(band_names(["dock.capture_s", loads[0]], ["dock"])) == [
        "dock.capture_s", "dock.peak_shear_N", "dock.peak_shear_N.band_low", "dock.peak_shear_N.band_high",
    ]  # fmt: skip


def test_ends_stand_beside_the_middle_and_only_of_loads() -> None:
    found = over_band(result(5e3), result(6e3), result(9e3)).metrics
    assert three_of(found, PEAK) == (5e3, 6e3, 9e3)
    assert three_of(found, f"{PEAK}.of_limit") == (0.5, 0.6, 0.9)
    assert [name for name in found if ".band_" in name and "peak" not in name] == []
    assert three_of(found, "hit.capture_s") is None


def test_compiled_code_of_all_three_runs_counts() -> None:
    runs = [result(5e3), result(6e3), result(9e3)]
    for run, took_s in zip(runs, (1.0, 2.0, 4.0), strict=True):
        run.manifest["kernel_time_s"] = took_s
    assert over_band(*runs).manifest["kernel_time_s"] == 7.0


@pytest.mark.parametrize(
    ("loads", "verdict"),
    [
        ((5e3, 6e3, 9e3), "within limits over the band"),
        ((5e3, 6e3, 12e3), "overloaded at the stiff end"),
        # a load need not grow with the stiffness
        ((11e3, 6e3, 9e3), "overloaded at the soft end"),
        ((5e3, 11e3, 12e3), "overloaded at the middle and the stiff end"),
        ((11e3, 12e3, 13e3), "overloaded over the whole band"),
    ],
)
def test_limits_are_kept_only_if_all_three_keep_them(loads: tuple[float, float, float], verdict: str) -> None:
    words = ["overloaded" if load > LIMIT_N else "captured" for load in loads]
    found = over_band(*(result(load, word) for load, word in zip(loads, words, strict=True)))
    assert found.manifest["band"]["verdict"] == verdict
    assert found.manifest["band"]["outcomes"] == dict(zip(BAND, words, strict=True))
    assert found.outcome == ("captured" if "within" in verdict else "overloaded")
    if verdict.startswith("overloaded at the s"):
        worst = max(loads) / LIMIT_N
        assert found.reason == f"{verdict}: {PEAK} is {worst:.3g} of its limit; at the middle: captured, it says why"


def test_another_end_of_the_run_is_a_warning_and_the_outcome_that_of_the_middle() -> None:
    found = over_band(result(5e3, "rebounded"), result(6e3), result(7e3))
    assert found.outcome == "captured"
    assert found.warnings == ["contact at the soft end of its band: rebounded (it says why), not captured"]
    same = over_band(result(5e3), result(6e3), result(7e3))
    assert same.warnings == []


def test_run_without_figures_at_an_end_is_no_verdict_there() -> None:
    found = over_band(result(5e3), result(6e3), result(99e3, "inaccurate"))
    assert found.manifest["band"]["verdict"] == "within limits where it is known; no figures at the stiff end"
    assert found.outcome == "captured"
    assert f"{PEAK}.band_high" not in found.metrics
    assert f"{PEAK}.band_low" in found.metrics
    assert len(found.warnings) == 1


def test_lasting_compression_stands_alone_unless_it_hangs_on_the_stiffness() -> None:
    alike = over_band(result(5e3, lasting_N=780.0), result(6e3, lasting_N=800.0), result(7e3, lasting_N=838.0))
    assert alike.warnings == []
    assert three_of(alike.metrics, LASTING) is None
    apart = over_band(result(5e3, lasting_N=700.0), result(6e3, lasting_N=800.0), result(7e3, lasting_N=838.0))
    [warning] = apart.warnings
    assert warning.startswith(f"{LASTING} hangs on the contact's stiffness: 800 N at the middle of its band, 700 N at")
    # as of frames, that nothing is held against
    middle = result(6e3, lasting_N=800.0)
    del middle.metrics[f"{LASTING}.of_limit"]
    assert over_band(result(5e3, lasting_N=700.0), middle, result(7e3, lasting_N=838.0)).warnings == []


def test_table_has_each_load_as_three_with_its_limit_and_no_row_twice() -> None:
    summary = summarize(over_band(result(5e3), result(6e3), result(12e3)))
    assert dict(load_rows(summary)) == {PEAK: "5000 / 6000 / 12000 N of 10000, at most 1.2"}
    assert [name for name, _ in metric_rows(summary)] == ["hit.capture_s"]
    words = dict(peak_rows(summary))["loads"]
    assert words == "overloaded at the stiff end; three runs, contact soft / middle / stiff: all captured"
    assert summary.as_dict()["band"]["verdict"] == "overloaded at the stiff end"
    alone = summarize(result(6e3))
    assert alone.as_dict()["band"] is None
    assert dict(load_rows(alone)) == {}


def test_page_judges_a_load_by_the_largest_of_the_three() -> None:
    run = docksim.run(balls(limit_N=1e4), band=True)
    facts = facts_of(run)
    load = next(load for load in facts.loads if load.name == "hit: compression")
    assert load.band == three_of(run.metrics, PEAK)
    assert load.share == pytest.approx(run.metrics[f"{PEAK}.band_high"] / 1e4, rel=1e-12)
    assert (facts.outcome, load.level) == ("overloaded", "over")
    assert any("overloaded at the stiff end" in text for _, text in facts.summary)


def test_scenario_at_an_end_has_one_stiffness_and_no_band() -> None:
    assert banded(SCENARIO) == ["hit"]
    assert banded(load_scenario(balls(band=1e6))) == []
    for end in ENDS:
        single, stiffness = at_end(SCENARIO, end), BAND[end]
        assert banded(single) == []
        law = single.contacts["hit"].contact
        assert law is not None
        assert law.stiffnesses() == law.stiffnesses("high") == (stiffness, 1e7, 1e7)
