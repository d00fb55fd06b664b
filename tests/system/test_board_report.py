"""The report of a box for a review board: limits, inputs of the worst cases, margins, loads that act at once."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config.units import unit_of
from docksim.plots.study.approach import approach_figure, spans, values_of
from docksim.report.board import board_facts, distribution_of, mass_rows, outcome_rows, worst_of
from docksim.study.again import plan_of, run_again
from docksim.study.concurrent import concurrent_loads
from docksim.study.differences import given_of_table
from docksim.study.plan import load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.table import Table, load_table
from tests.support.studies import ROOT

LIMITS = {"dock.peak_compression_N": 3000.0, "dock.peak_shear_N": 3200.0}
# until the first knocks are over
BOX = {
    "name": "short_box",
    "use": [str(ROOT / "configs" / "boxes" / "idss.yaml")],
    "base": str(ROOT / "scenarios" / "dock_nds.yaml"),
    "set": {"solver.duration_s": 0.6, "outputs.every_s": 0.1},
    "seed": 1,
    "cases": 3,
    "band": False,
    "metrics": ["dock.*"],
    "limits": LIMITS,
}


class Text(HTMLParser):
    """The text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(page)
        self.text = " ".join(" ".join(self.words).split())

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    _, file = run_study(load_plan(BOX), tmp_path_factory.mktemp("box"), Workers(1))
    return load_table(file)


@pytest.fixture(scope="module")
def page(table: Table) -> str:
    told = ["report", str(table.file.parent), "--what", "convergence"]
    heading = ["--title", "Loads <at> capture", "--author", "A. Analyst", "--revision", "B"]
    done = CliRunner().invoke(main, [*told, *heading])
    assert done.exit_code == 0, done.output
    return (table.file.parent / "report.html").read_text(encoding="utf-8")


def test_report_holds_the_limits_of_its_box_and_all_inputs_of_its_worst_case(page: str, table: Table) -> None:
    text = Text(page).text
    for words in (
        "0.05 to 0.1",
        "vector sum at most 0.1",
        "-4 to 4",
        "configs/boxes/idss.yaml:",
        "m/s",
        "3000",
        "3200",
    ):
        assert words in text, words
    for metric in LIMITS:
        [(case, value)] = table.worst(metric, 1)
        row = int(np.flatnonzero(table.case == case)[0])
        assert f"{value:.6g}" in text
        assert f"case {case}" in text
        assert [key for key, column in table.inputs.items() if f"{column[row]:.6g}" not in text] == []


def test_report_has_its_title_block_masses_margins_and_assumptions(page: str, table: Table) -> None:
    text = Text(page).text
    assert "<title>Loads &lt;at&gt; capture" in page
    assert re.search(r"Loads <at> capture Study short_box author A. Analyst revision B date \d{4}-\d\d-\d\d", text)
    assert "station: base body" in text
    largest = max(table.metric("dock.peak_compression_N"))
    assert f"{3000.0 / largest - 1.0:+.3f}" in text
    # a comment of a file that the base uses, and its place
    assert "estimate: uniform cylinder, diameter 4 m" in text
    assert " configs/vehicles/crew_dragon_like.yaml:4" in text
    assert page.count('class="new-page"') >= 5
    assert "<script" not in page


def test_loads_at_once_are_those_of_a_run_at_the_instant_of_its_peak(table: Table) -> None:
    plan = plan_of(table)
    every = list(concurrent_loads(table, plan, list(LIMITS)))
    # one for each peak of the pair, with a limit or without
    loads = ("compression_N", "shear_N", "tension_N", "bending_Nm", "torsion_Nm")
    largest = {name: table.worst(name, 1)[0][1] for name in (f"dock.peak_{load}" for load in loads)}
    assert [one.metric for one in every] == [name for name, value in largest.items() if value > 0.0]
    assert len(every) >= 4
    for one in every:
        assert one.port == "chaser.ring.face"
        [(case, value)] = table.worst(one.metric, 1)
        assert (one.case, one.peak) == (case, value)
        # a step of 1 ms beside substeps of a quarter of it, in a contact that lasts some 5 ms
        assert one.load == pytest.approx(value, rel=0.1)
        along, *across = one.force_N if one.metric.endswith("_N") else one.moment_Nm
        is_across = "shear" in one.metric or "bending" in one.metric
        assert one.load == pytest.approx(np.hypot(*across) if is_across else abs(along))
        again = run_again(table, plan, case)
        end_s = again.time_s[np.argmax(again[one.metric] == value)]
        assert end_s - 0.1 <= one.time_s <= end_s
    assert list(concurrent_loads(table, plan, ["dock.at_contact.roll_deg"])) == []


def test_loads_and_worst_cases_are_the_largest_over_the_band(tmp_path: Path) -> None:
    peak = "dock.peak_compression_N"
    short = {"solver.duration_s": 0.3, "outputs.every_s": 0.1}
    _, file = run_study(load_plan({**BOX, "set": short, "cases": 2, "band": True, "limits": {}}), tmp_path, Workers(1))
    table = load_table(file)
    [(case, value)] = table.worst(f"{peak}.band_high", 1)
    assert value == np.nanmax(table.over_band(peak)) > np.nanmax(table.metric(peak))
    first, *_ = concurrent_loads(table, plan_of(table), [peak])
    assert (first.metric, first.case, first.peak) == (f"{peak}.band_high", case, value)
    worst = worst_of(table, peak)
    assert worst.cases[0] == f"case {case}"
    assert [f"{peak}.band_high", f"{value:.6g}"] in [row[:2] for row in worst.rows]


def test_facts_count_what_there_is(table: Table) -> None:
    rows = {name: (count, share) for name, count, share in outcome_rows(table)}
    won = int(table.success.sum())
    assert rows["success"][0] == f"{won} of 3"
    # three of three are sure of 29 % at least (Clopper and Pearson)
    assert any("[0.2924, 1]" in share or "[0, 0.7076]" in share for _, share in rows.values())
    board = board_facts(table, list(LIMITS), given_of_table(table), runs=False)
    assert board.concurrent == []
    assert len(board.box) == len(table.study.dispersions)
    bodies = {row[0]: row[1] for row in mass_rows(plan_of(table).loaded.base)}
    assert float(bodies["chaser, all of it"]) > float(bodies["chaser: base body"]) + 38.0
    assert unit_of("approach.lateral_rate_m_s.0") == "m/s"


def test_every_distribution_has_words_and_limits() -> None:
    own = {key: value for key, value in BOX.items() if key not in ("use", "set")}
    plan = load_plan({**own, "dispersions": [
        {"type": "normal", "key": "chaser.mass_kg", "sigma": 100.0},
        {"type": "truncated_normal", "key": "approach.roll_deg", "sigma": 1.0, "low": -2.0, "high": 2.0},
        {"type": "log_normal", "key": "station.mass_kg", "sigma_log": 0.1},
        {"type": "discrete", "key": "approach.pitch_deg", "values": [0.0, 1.0], "weights": [1.0, 3.0]},
        {"type": "disc", "keys": ["approach.lateral_offset_m.0", "approach.lateral_offset_m.1"], "radius": 0.1},
    ]})  # fmt: skip
    nominal = dict(zip(plan.keys, plan.loaded.nominal, strict=True))
    said = [distribution_of(item, nominal) for item in plan.study.dispersions]
    assert said[0] == ("normal, mean 12000, sigma 100", "none")
    assert said[1][1] == "-2 to 2"
    assert said[2][1] == "above 0"
    assert said[3] == ("one of these, weights 1, 3", "0.0, 1.0")
    assert said[4] == ("uniform over a disc about (0.03, -0.02)", "vector sum at most 0.1")


def test_approach_is_drawn_with_every_case_and_its_spans(table: Table) -> None:
    approach = plan_of(table).loaded.base.approach
    assert approach is not None
    figure = approach_figure("box", approach, None, table.inputs)
    cases = [line for line in figure.axes[0].lines if len(line.get_xdata()) == len(table)]
    assert np.array_equal(cases[0].get_xdata(), table.inputs["approach.lateral_offset_m.0"])
    rates = table.inputs["approach.closing_rate_m_s"]
    assert spans(approach, table.inputs)[0] == ("closing rate", f"{rates.min():.3g} to {rates.max():.3g} m/s")
    assert values_of({}, approach, "roll_deg").tolist() == [approach.roll_deg]
