"""The studies that come along: all are valid, the boxes are the published ones, and cases of every one run."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from docksim.config.loading.includes import content_of
from docksim.config.loading.study import load_study, study_again
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events, run_case
from docksim.study.plan import REDRAWS, Plan, load_plan
from tests.support.studies import ROOT

STUDIES = sorted((ROOT / "studies").glob("*.yaml"))
BOXED = [
    "idss_heavy", "idss_nds", "idss_ibdm", "idss_sxds", "idss_apas",
    "nds_box_10t", "nds_box_18t", "mass_properties", "latch_tolerances",
]  # fmt: skip
# boxes with angles and rates one by one: lateral offset and rate, pitch, yaw, roll and their rates
ONE_BY_ONE = {
    "sast_apas": (0.08, 0.18, 0.16, 0.10, 3.0, 3.0, 5.0, 0.6, 0.6, 0.6),
    "astp_apas": (0.05, 0.30, 0.30, 0.10, 7.0, 7.0, 7.0, 1.0, 1.0, 1.0),
}
# closing rate, lateral offset and rate, tilt, roll, rates of tilt and roll: the tables of the two documents
LIMITS = {"idss": (0.05, 0.10, 0.10, 0.04, 4.0, 4.0, 0.2, 0.2), "nds": (0.03, 0.06, 0.11, 0.04, 5.0, 5.0, 0.2, 0.2)}


def box_of(name: str) -> str:
    return "nds" if name.startswith("nds_box") else "idss"


def content(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@cache
def plan_of(name: str) -> Plan:
    return load_plan(ROOT / "studies" / f"{name}.yaml")


def cut_short(name: str, after_s: float) -> Plan:
    """A study of capture whose runs end so soon after it, with one stiffness of the contact."""
    loaded = plan_of(name).loaded
    event = loaded.data["events"]["end_of_case"]
    end = {"when": [{**event["when"][0], "delay_s": after_s}], "do": event["do"]}
    data = {**loaded.data, "events": {**loaded.data["events"], "end_of_case": end}}
    return Plan(replace(loaded, data=data, study=loaded.study.model_copy(update={"band": False})))


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: file.stem)
def test_shipped_study_is_valid_and_says_what_it_asks(file: Path) -> None:
    assert plan_of(file.stem).study.description
    # what its table keeps makes the same cases, and the metrics in the same columns
    loaded = plan_of(file.stem).loaded
    base, kept = content_of(loaded.base.to_yaml(), "base"), json.loads(json.dumps([loaded.data, loaded.nominal]))
    again = Plan(study_again(loaded.study, base, *kept, "table"))
    assert [again.scenario(case) for case in (1, 2)] == [plan_of(file.stem).scenario(case) for case in (1, 2)]
    assert again.columns == plan_of(file.stem).columns
    # a comment on what it asks, and where its figures come from
    assert file.read_text(encoding="utf-8").startswith("# ")


@pytest.mark.parametrize("name", [*BOXED, *ONE_BY_ONE])
def test_approaches_lie_within_the_published_box_and_reach_its_edges(name: str) -> None:
    plan = plan_of(name)
    slow, fast, *limits = ONE_BY_ONE.get(name) or LIMITS[box_of(name)]
    where = {key: i for i, key in enumerate(plan.keys)}
    rows = np.array([plan.transform.values(plan.random.point(case)) for case in range(1, 401)], float)

    def size(*keys: str) -> np.ndarray:
        return np.hypot.reduce([rows[:, where[f"approach.{key}"]] for key in keys], axis=0)

    closing = rows[:, where["approach.closing_rate_m_s"]]
    assert slow <= closing.min() < slow + 0.02 * (fast - slow)
    assert fast - 0.02 * (fast - slow) < closing.max() <= fast
    across = [("lateral_offset_m.0", "lateral_offset_m.1"), ("lateral_rate_m_s.0", "lateral_rate_m_s.1")]
    turned = [("pitch_deg", "yaw_deg"), ("roll_deg",), ("pitch_rate_deg_s", "yaw_rate_deg_s"), ("roll_rate_deg_s",)]
    if name in ONE_BY_ONE:
        turned = [("pitch_deg",), ("yaw_deg",), ("roll_deg",)]
        turned += [("pitch_rate_deg_s",), ("yaw_rate_deg_s",), ("roll_rate_deg_s",)]
    for keys, limit in zip([*across, *turned], limits, strict=True):
        assert 0.98 * limit < size(*keys).max() <= limit * (1.0 + 1e-12)
    base = plan.loaded.data["approach"]
    assert (base["holds_at"], base["start_distance_m"]) == ("contact", None)


@pytest.mark.parametrize("name", ["mass_properties", "latch_tolerances"])
def test_studies_with_dispersions_of_their_own_have_the_same_box(name: str) -> None:
    box = content(ROOT / "configs" / "boxes" / "idss.yaml")
    study = content(ROOT / "studies" / f"{name}.yaml")
    assert study["dispersions"][: len(box["dispersions"])] == box["dispersions"]
    assert box["set"].items() <= study["set"].items()


@pytest.mark.parametrize("name", BOXED)
def test_case_of_a_docking_study_touches_within_the_box_and_ends_with_an_answer(name: str) -> None:
    plan = cut_short(name, 0.1)
    row = run_case(plan, 2)
    assert row is not None
    assert row.outcome in ("captured", "rebounded", "timed out", "not captured")
    found = dict(zip(plan.columns, row.metrics, strict=True))
    assert (found["dock.capture_s"] is not None) == (row.outcome == "captured")
    # a run that ends at once after its capture is no success, and tells no tension
    assert "run too short" in row.missed if row.outcome == "captured" else row.missed == ("not captured",)
    assert (found["dock.peak_tension_N"] is None) == (row.outcome == "captured")
    # no case flies through nothing, and each meets in the state that was drawn, as far as a step is short
    assert found["dock.first_contact_s"] < 0.2
    drawn = dict(zip(plan.keys, row.values, strict=True))

    def size(*keys: str) -> float:
        return math.hypot(*(drawn[f"approach.{key}"] for key in keys))

    met = {key.removeprefix("dock.at_contact."): value for key, value in found.items() if ".at_contact." in key}
    assert met["lateral_offset_m"] == pytest.approx(size("lateral_offset_m.0", "lateral_offset_m.1"), abs=1e-4)
    assert met["lateral_rate_m_s"] == pytest.approx(size("lateral_rate_m_s.0", "lateral_rate_m_s.1"), abs=1e-4)
    assert met["closing_rate_m_s"] == pytest.approx(size("closing_rate_m_s"), abs=1e-4)
    assert met["roll_deg"] == pytest.approx(drawn["approach.roll_deg"], abs=0.05)
    assert met["pitch_yaw_deg"] == pytest.approx(size("pitch_deg", "yaw_deg"), abs=0.05)
    assert found["budget.residual_of_approach"] < 1e-3


def test_case_of_a_study_of_capture_goes_on_until_the_latches_have_been_pulled_at() -> None:
    plan = plan_of("idss_nds")
    assert plan.band
    row = run_case(plan, 2)
    assert row is not None
    assert (row.outcome, row.missed) == ("captured", ())
    found = dict(zip(plan.columns, row.metrics, strict=True))
    assert found["dock.after_capture_s"] == pytest.approx(15.0, abs=0.01)
    assert 0.0 < found["dock.peak_tension_N"] < 3900.0
    assert found["dock.peak_compression_N.band_low"] < found["dock.peak_compression_N.band_high"]


def test_case_of_a_whole_docking_goes_on_until_its_loads_end() -> None:
    plan = Plan(load_study({"name": "one", "use": str(ROOT / "studies" / "idss_nds_hard_dock.yaml"), "band": False}))
    row = run_case(plan, 2)
    assert row is not None
    assert (row.outcome, row.success) == ("hard-docked", True)
    found = dict(zip(plan.columns, row.metrics, strict=True))
    assert found["dock.peak_tension_N"] > 100.0
    assert found["dock.hard_dock_s"] > found["dock.capture_s"] + 10.0


def test_metrics_of_a_case_are_those_of_the_whole_run() -> None:
    short = {"solver.duration_s": 2.0}
    plan = Plan(load_study({"name": "short", "use": str(ROOT / "studies" / "idss_nds.yaml"), "set": short}))
    assert plan.band
    row = run_case(plan, 1)
    assert row is not None
    whole = metrics_with_events(simulate_over(plan.scenario(1), plan.band))
    kept = dict(zip(plan.columns, row.metrics, strict=True))
    assert kept.pop(REDRAWS) == 0
    assert kept == {name: whole.get(name) for name in kept}
    # and none that a run has is missing among those a study can keep
    assert {name for name, value in whole.items() if not isinstance(value, str)} <= set(plan._metrics)


def test_heavier_chaser_has_the_inertia_of_the_same_cylinder() -> None:
    for tonnes, name in ((10, "nds_box_10t"), (18, "nds_box_18t")):
        chaser = plan_of(name).loaded.base.vehicles["chaser"]
        mass, radius, length = 1000.0 * tonnes, 2.0, 8.1
        across = mass * (3.0 * radius**2 + length**2) / 12.0
        found = [chaser.inertia_kg_m2.matrix()[i][i] for i in range(3)]
        assert chaser.mass_kg == mass
        assert found == pytest.approx([0.5 * mass * radius**2, across, across], rel=1e-6)
        assert math.isclose(found[1], found[2])
