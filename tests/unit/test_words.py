"""What is said to mistakes that are valid files, and that no table loses a column."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner
from rich.table import Column

import docksim
from docksim.cli import main
from docksim.cli.tables import listing, print_table
from docksim.config import load_scenario
from docksim.config.checks.doubts import doubtful_approach


def doubts(**changes: Any) -> list[str]:
    return [text for _, text in doubtful_approach(load_scenario("dock_nds", changes))]


def test_closing_rate_in_millimetres_is_doubted() -> None:
    assert doubts() == []
    (text,) = doubts(**{"approach.closing_rate_m_s": 60.0, "solver.step_s": 0.001})
    assert text == "60 m/s is 60 mm a step, more than a petal is thick; was mm/s meant (0.06)?"
    assert doubts(**{"approach.closing_rate_m_s": 0.35}) == []


def test_swapped_ports_are_doubted() -> None:
    (text,) = doubts(**{"approach.active": "station.dock", "approach.passive": "chaser.ring.face"})
    assert text == "station.dock has no mechanism, chaser.ring.face has; were the two swapped?"


@pytest.mark.parametrize("words", [["study"], ["study", "worst", "--metric", "x"], ["study", "envelope"]])
def test_study_of_a_scenario_is_told_what_to_do(words: list[str]) -> None:
    result = CliRunner().invoke(main, [*words, "dock_nds"])
    assert result.exit_code == 1
    told = "dock_nds: is a scenario: docksim run dock_nds runs it; docksim new study dock_nds_study.yaml --base"
    assert result.stderr.startswith(told)
    with pytest.raises(docksim.ScenarioError, match=told):
        docksim.run_study("dock_nds")


def test_run_of_a_study_is_told_what_to_do() -> None:
    told = "idss_nds: is a study: docksim study idss_nds runs it, docksim run idss_nds --case N one of its cases\n"
    for words in (["run"], ["realtime"], ["linearize"]):
        assert CliRunner().invoke(main, [*words, "idss_nds"]).stderr == told
    for opened in (docksim.Scenario.load, docksim.run, docksim.Simulation):
        with pytest.raises(docksim.ScenarioError, match=told.strip()):
            opened("idss_nds")
    with pytest.raises(docksim.ScenarioError, match=r"is a study: docksim\.run_study runs it"):
        docksim.run({"name": "a", "base": "dock_nds"})
    with pytest.raises(docksim.ScenarioError, match=r"is a study file.*docksim.run_study\('studies/idss_nds.yaml'\)"):
        docksim.load("studies/idss_nds.yaml")


def test_exit_codes_are_in_the_help_of_run() -> None:
    text = " ".join(CliRunner().invoke(main, ["run", "--help"]).output.split())
    assert "Exit code: 0 hard-docked, captured, undocked, completed, stopped; 1 any other outcome" in text


def test_no_cell_of_a_table_is_cut_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    table = listing("wide", *(Column(f"column_{k}", no_wrap=True) for k in range(12)))
    table.add_row(*(f"cell_{k}_with_no_place_to_break" for k in range(12)))
    print_table(table)
    text = capsys.readouterr().out
    assert all(f"cell_{k}_with_no_place_to_break" in text for k in range(12))
    assert "…" not in text
