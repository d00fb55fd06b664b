"""Reports are whole, self-contained and harmless; the page in a real browser is looked at by tests/browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docksim.plots.run.figures import all_figures
from docksim.report import report_of_results, report_of_study, write_report
from docksim.report.facts import loads_of
from docksim.report.pages import drawing, smaller
from docksim.result.result import EventRecord, Result, ResultError
from docksim.study.session import run_study
from docksim.study.table import load_table
from tests.support import samples
from tests.support.studies import HALF_DEG_S, brick_plan
from tests.unit.test_plot_contact import result as docking

EVIL = "<script>alert('boo')</script>"


class Tags(HTMLParser):
    """Tags and attributes of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page() -> Tags:
    result = samples.result()
    result.folder = Path("results/sample/first")
    return Tags(report_of_results({"sample": result}, ["phases", "energy"]))


def test_page_says_outcome_events_metrics_residuals_versions_seed_and_command(page: Tags) -> None:
    for words in (
        "completed",
        "energy residual",
        "linear momentum residual",
        "push_off",
        "peak_reaction_N",
        "812.25",
        "HARD_DOCK",
        "numpy",
        "docksim run results/sample/first/scenario.yaml",
        "name: sample",
    ):
        assert words in page.text, words
    assert "seed7" in page.text, "the cell with the name, and beside it the number"


def test_page_has_its_figures_inside_and_asks_for_nothing(page: Tags) -> None:
    assert page.tags.count("svg") == 2
    assert not {"script", "iframe", "object", "embed", "form"} & set(page.tags)
    outside = [value for name, value in page.attributes if name in ("src", "href", "xlink:href", "data", "action")]
    assert [value for value in outside if not value.startswith(("#", "data:"))] == []
    assert "http" not in "".join(value for name, value in page.attributes if name == "style")


def test_inner_names_of_figures_are_unique_on_the_page(page: Tags) -> None:
    names = [value for name, value in page.attributes if name == "id"]
    assert len(names) == len(set(names))
    used = [value[1:] for name, value in page.attributes if name in ("xlink:href", "href") and value.startswith("#")]
    assert set(used) <= set(names)


def test_names_texts_and_numbers_of_users_are_inert() -> None:
    event = EventRecord(1.0, EVIL, EVIL)
    result = samples.result(name=EVIL, events=[event], metrics={EVIL: EVIL}, reason=EVIL)
    page = Tags(report_of_results({EVIL: result}, ["energy"]))
    assert "script" not in page.tags
    assert page.text.count(EVIL) >= 5
    both = Tags(report_of_results({EVIL: result, "b": samples.result()}, ["energy"]))
    assert "script" not in both.tags


def test_loads_are_peaks_against_the_limits_of_the_interface() -> None:
    loads = {load.name: load for load in loads_of(docking(), "dock")}
    compression = loads["dock: compression"]
    assert (compression.peak, compression.limit, compression.unit) == (650.0, 6500.0, "N")
    assert compression.share == pytest.approx(0.1)
    assert compression.level == "fine"
    over = {load.name: load for load in loads_of(docking(force=7000.0), "dock")}["dock: compression"]
    assert over.level == "over"
    assert "exceeded" in report_of_results({"a": docking(force=7000.0)}, ["interface"])
    free = {load.name: load for load in loads_of(docking(limits=False), "dock")}["dock: compression"]
    assert free.limit is None
    # a run that did not come to a load has no metric of it
    short = docking()
    del short.metrics["dock.peak_tension_N"]
    assert [load.name for load in loads_of(short, "dock")] == [name for name in loads if "tension" not in name]


def test_figures_lose_digits_and_comments_but_no_point() -> None:
    figure = all_figures(samples.result(), ["energy"])["energy"]
    text = str(drawing("energy", "", figure, 3).svg)
    assert text.startswith("<svg")
    assert "<!--" not in text
    assert "<metadata>" not in text
    assert not re.search(r' d="[^"]*\d\.\d{3}', text)
    before = '<svg id="a"><!-- x --><path id="b" d="M 1.23456 7"/><use xlink:href="#b" clip-path="url(#a)"/></svg>'
    after = '<svg id="f1-a"><path id="f1-b" d="M 1.23 7"/><use xlink:href="#f1-b" clip-path="url(#f1-a)"/></svg>'
    assert smaller(before, "f1-") == after
    letter = '<svg><g transform="scale(0.015625)"/></svg>'
    assert smaller(letter, "") == letter, "the size of letters is not rounded"


def test_report_of_a_run_without_curves_says_so() -> None:
    assert "no curves to draw" in report_of_results({"short": samples.result(rows=1)})


def test_result_whose_scenario_is_no_longer_valid_has_a_report_with_it_as_it_is(tmp_path: Path) -> None:
    folder = samples.result().save(tmp_path / "run")
    (folder / "scenario.yaml").write_text("vehicles: 1 <b>\n")
    page = Tags(report_of_results({"a": Result.load(folder)}, ["energy"]))
    assert "vehicles: 1 <b>" in page.text


def test_study_report_has_statistics_figures_and_inputs(tmp_path: Path) -> None:
    run_study(brick_plan(tmp_path, cases=70, limits={"brick.rate_deg_s.peak": HALF_DEG_S}), tmp_path)
    page = Tags(report_of_study(load_table(tmp_path / "brick")))
    for words in ("70 of 70", "Clopper-Pearson", "brick.rate_deg_s.peak", "cases beyond", "dispersions:", "mass_kg"):
        assert words in page.text, words
    # scatter, histogram, exceedance, convergence, drivers; no histories were kept
    assert page.tags.count("svg") >= 5
    assert "script" not in page.tags


def test_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = write_report("page", tmp_path / "new" / "report.html")
    assert file.read_text() == "page"
    assert [one.name for one in file.parent.iterdir()] == ["report.html"]
    with pytest.raises(ResultError, match="cannot write"):
        write_report("page", file / "below.html")
