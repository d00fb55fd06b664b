"""Studies whose state holds at first contact: what is none is drawn again, counted, and the same for all workers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import ScenarioError
from docksim.jobs.batch import Job, run_one
from docksim.simulation.first_contact import NoFirstContact, find_start
from docksim.study.case import run_case
from docksim.study.plan import REDRAWS, Plan, load_plan
from docksim.study.rare import run_rare
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import load_table
from tests.support.docks import dock
from tests.support.studies import digest

# off to one side and slow: half of the lateral rates draw the interfaces apart, in which case they touched before
ASIDE = {"holds_at": "contact", "distance_m": None, "closing_rate_m_s": 0.01, "lateral_offset_m": [0.08, 0.0]}
RATE = "approach.lateral_rate_m_s.0"


def study(folder: Path, low: float = -0.1, high: float = 0.1, **changes: Any) -> Path:
    base = dock(sequence=[], solver={"duration_s": 0.6}, **{f"approach__{key}": value for key, value in ASIDE.items()})
    (folder / "base.yaml").write_text(yaml.safe_dump(base), encoding="utf-8")
    content = {
        "base": "base.yaml", "seed": 5, "cases": 12, "metrics": ["dock.*"],
        "dispersions": [{"type": "uniform", "key": RATE, "low": low, "high": high}], **changes,
    }  # fmt: skip
    file = folder / "aside.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def is_contact(plan: Plan, values: list[Any]) -> bool:
    try:
        find_start(plan.scenario_of(values))
    except NoFirstContact:
        return False
    return True


def test_cases_are_first_contacts_the_others_are_redrawn_and_counted(tmp_path: Path) -> None:
    file = study(tmp_path)
    tables = [run_study(load_plan(file), tmp_path / str(count), Workers(count))[1] for count in (1, 3)]
    assert digest(tables[0]) == digest(tables[1])
    table = load_table(tables[0])
    plan = load_plan(file)
    redraws = table.metrics[REDRAWS]
    for case, times, rate in zip(table.case, redraws, table.inputs[RATE], strict=True):
        # the first of its draws that is one
        draws = [plan.transform.values(plan.random.point(int(case), again)) for again in range(int(times) + 1)]
        assert [is_contact(plan, draw) for draw in draws] == [False] * int(times) + [True]
        assert draws[-1] == [rate]
    assert 3 < redraws.sum() < 40
    assert not set(table.outcome) & {"invalid", "failed"}
    told = f"redrawn {int(redraws.sum())} of {int(redraws.sum()) + 12} draws, which were no first contacts"
    assert told in summarize_study(table).notes


def test_case_that_was_redrawn_can_be_run_again_by_itself(tmp_path: Path) -> None:
    plan = load_plan(study(tmp_path))
    case = next(case for case in range(1, 13) if plan.drawn(case)[1] > 0)
    row = run_case(plan, case)
    report = run_one(tmp_path / "aside.yaml", Job(out=tmp_path / "out", case=case, figures="none"))
    assert row is not None
    assert report.folder is not None
    saved = yaml.safe_load((report.folder / "scenario.yaml").read_text(encoding="utf-8"))
    assert (saved["approach"]["holds_at"], saved["approach"]["lateral_rate_m_s"][0]) == ("contact", row.values[0])
    assert row.metrics[plan.columns.index("dock.at_contact.lateral_rate_m_s")] == pytest.approx(abs(row.values[0]))


def test_case_of_a_design_that_is_no_first_contact_stays_and_is_invalid(tmp_path: Path) -> None:
    plan = load_plan(study(tmp_path, sampling="latin_hypercube", replicates=2))
    assert REDRAWS not in plan.columns
    rows = [run_case(plan, case) for case in range(1, 13)]
    invalid = [row for row in rows if row is not None and row.outcome == "invalid"]
    assert 3 <= len(invalid) <= 9
    assert {row.reason.split(":")[0] for row in invalid} == {"approach.holds_at"}
    assert "not a first contact" in invalid[0].reason


def test_box_without_first_contacts_is_refused_at_its_line(tmp_path: Path) -> None:
    file = study(tmp_path, low=-0.2, high=-0.1)
    with pytest.raises(ScenarioError) as caught:
        load_plan(file)
    (problem,) = caught.value.problems
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if text.startswith("dispersions"))
    assert (Path(problem.file).name, problem.key) == ("aside.yaml", "dispersions")
    assert problem.line in (line, line + 1)
    assert "case 1: none of 101 draws is a first contact" in problem.message
    assert "narrow the distributions" in problem.message


def test_rare_event_is_sought_among_first_contacts(tmp_path: Path) -> None:
    rare = {
        "metric": "dock.at_contact.lateral_rate_m_s",
        "above": 0.09,
        "samples": 20,
        "level_probability": 0.25,
        "most_levels": 3,
    }
    plan = load_plan(study(tmp_path, rare=rare))
    found = run_rare(plan, tmp_path / "out", Workers(1))
    assert found is not None
    # of the box only lateral rates that are first contacts remain, from about -0.01 to 0.1 m/s
    assert found.estimate.probability == pytest.approx(0.1, abs=0.12)
    assert found.value is not None
    assert found.value >= 0.09


def test_check_and_run_name_file_line_and_key_of_a_state_that_is_none(tmp_path: Path) -> None:
    study(tmp_path)
    file = tmp_path / "base.yaml"
    data = yaml.safe_load(file.read_text(encoding="utf-8"))
    data["approach"]["lateral_rate_m_s"] = [-0.1, 0.0]
    file.write_text(yaml.safe_dump(data), encoding="utf-8")
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "holds_at" in text)
    checked = CliRunner().invoke(main, ["check", str(file)])
    assert checked.exit_code == 1
    assert f"base.yaml:{line}: approach.holds_at: not a first contact" in checked.output
    report = run_one(file, Job(out=None))
    assert report.outcome == "invalid"
    assert f"base.yaml:{line}: approach.holds_at: not a first contact" in report.reason
