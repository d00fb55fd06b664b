"""The report in a real browser: it loads from disk without a complaint or a request, names are inert, it prints."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from docksim.report import report_of_results, report_of_study, write_report
from docksim.study.session import run_study
from docksim.study.table import load_table
from tests.browser.chromium import Page
from tests.support import samples
from tests.support.studies import HALF_DEG_S, brick_plan
from tests.unit.test_plot_contact import result as docking

Open = Callable[..., Page]
Reports = dict[str, Path]
EVIL = "<script>window.hit = 1; alert('boo')</script><img src=x onerror='window.hit = 2'>"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A result, two of them compared, and a study."""
    folder = tmp_path_factory.mktemp("reports")
    run_study(brick_plan(folder, cases=70, limits={"brick.rate_deg_s.peak": HALF_DEG_S}), folder)
    made = {
        "result": report_of_results({"dock": docking()}),
        "several": report_of_results({"first": docking(), "second": docking(captured=4.9)}),
        "study": report_of_study(load_table(folder / "brick")),
    }
    return {name: write_report(page, folder / f"{name}.html") for name, page in made.items()}


@pytest.mark.parametrize("name", ["result", "several", "study"])
def test_report_loads_offline_without_complaint_or_request(name: str, reports: Reports, open_page: Open) -> None:
    page = open_page(reports[name])
    assert (page.errors, page.outside, page.dialogs) == ([], [], [])
    assert page.evaluate("document.querySelectorAll('figure svg').length") > 2
    assert page.requests == [reports[name].as_uri()] or all(url.startswith("data:") for url in page.requests[1:])


@pytest.mark.parametrize("width", [1280, 420])
def test_page_is_no_wider_than_the_window(width: int, reports: Reports, open_page: Open) -> None:
    page = open_page(reports["result"], width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    ends = page.evaluate("[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().right)")
    assert max(ends) <= width


@pytest.mark.parametrize("name", ["several", "study"])
def test_no_column_of_a_table_is_out_of_view(name: str, reports: Reports, open_page: Open) -> None:
    page = open_page(reports[name], width=1280)
    assert (
        page.evaluate("[...document.querySelectorAll('.wide')].filter(w => w.scrollWidth > w.clientWidth).length") == 0
    )


def test_figures_are_drawn_and_not_blank(reports: Reports, open_page: Open) -> None:
    page = open_page(reports["result"])
    sizes = page.evaluate("[...document.querySelectorAll('figure svg')].map(s => s.getBBox().width)")
    assert min(sizes) > 100
    # what a figure refers to must be there: symbols without a target are drawn as nothing
    targets = "[...document.querySelectorAll('use')].map(u => document.querySelector(u.getAttribute('xlink:href')))"
    assert page.evaluate(f"{targets}.every(target => target)")


def test_name_with_a_script_in_it_is_inert(tmp_path: Path, open_page: Open) -> None:
    result = samples.result(name=EVIL, reason=EVIL, metrics={EVIL: EVIL})
    page = open_page(write_report(report_of_results({EVIL: result}, ["energy", "phases"]), tmp_path / "evil.html"))
    assert page.evaluate("window.hit") is None
    assert (page.dialogs, page.errors, page.outside) == ([], [], [])
    assert page.evaluate("document.querySelector('h1').textContent") == EVIL
    assert page.evaluate("document.title").startswith("<script>")


def test_policy_of_the_page_forbids_scripts_and_requests(reports: Reports, open_page: Open, tmp_path: Path) -> None:
    """Even if something slipped through: a script and an image put into the page do nothing."""
    text = reports["result"].read_text(encoding="utf-8")
    file = tmp_path / "tampered.html"
    tampered = "<script>window.hit = 1</script><img src='http://example.invalid/a.png'></main>"
    file.write_text(text.replace("</main>", tampered), encoding="utf-8")
    page = open_page(file)
    assert page.evaluate("window.hit") is None
    assert any("Content Security Policy" in error for error in page.errors)


def test_report_prints_on_a4_with_figures_on_one_page_each(reports: Reports, open_page: Open) -> None:
    page = open_page(reports["result"])
    pdf = page.pdf()
    boxes = set(re.findall(rb"/MediaBox\s*\[([^]]*)\]", pdf))
    # 210 mm x 297 mm in points, as the browser rounds them
    [box] = boxes
    assert [round(float(part)) for part in box.split()] == [0, 0, 595, 842]
    figures = page.evaluate("document.querySelectorAll('figure').length")
    assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 12 + figures
