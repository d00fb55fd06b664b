"""docksim plot, report and gallery: what a user may ask for, and what comes of a wrong question."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import Result

from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS
from docksim.report import gallery
from docksim.study.session import run_study
from tests.support import samples
from tests.support.commands import call
from tests.support.studies import HALF_DEG_S, brick_plan


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def saved(name: str = "first") -> str:
    return str(samples.result().save(Path("results") / "sample" / name))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    run_study(brick_plan(folder, cases=70, limits={"brick.rate_deg_s.peak": HALF_DEG_S}), folder)
    return folder / "brick"


def names(done: Result) -> list[str]:
    return [Path(line).stem for line in done.stdout.splitlines()]


def test_what_chooses_kinds_apart_by_commas_or_one_by_one() -> None:
    assert names(call("plot", saved(), "--what", "energy,phases", "--what", "momentum")) == [
        "phases",
        "energy",
        "momentum",
    ]


def test_wrong_kind_is_answered_with_all_there_are() -> None:
    done = call("plot", saved(), "--what", "enrgy")
    assert done.exit_code == 2
    assert "'enrgy' is no kind of figure" in done.output
    assert all(re.search(rf"^  {name} ", done.output, re.MULTILINE) for name in (*RESULT_KINDS, *STUDY_KINDS))


def test_kind_that_does_not_fit_is_refused_with_those_that_do() -> None:
    done = call("plot", saved(), "--what", "scatter")
    assert done.exit_code == 1
    assert "has no figures of the kind scatter; it has phases, motion" in done.stderr


def test_overlay_puts_results_into_one_set_of_figures() -> None:
    done = call("plot", saved(), saved("second"), "--overlay", "--what", "energy", "--format", "svg")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == ["overlay/energy.svg"]


def test_overlay_of_one_result_is_no_comparison() -> None:
    done = call("plot", saved(), "--overlay")
    assert done.exit_code == 2
    assert "two results or more" in done.output


def test_overlay_with_an_unreadable_result_is_refused() -> None:
    done = call("plot", saved(), "nowhere", "--overlay")
    assert done.exit_code == 1
    assert "nowhere" in done.output
    assert not Path("overlay").exists()


def test_plot_draws_studies_too(study: Path) -> None:
    done = call("plot", str(study), "--out", "figures", "--what", "scatter,convergence,sensitivity")
    assert done.exit_code == 0, done.output
    assert {"scatter", "convergence", "drivers_brick.rate_deg_s.peak"} <= set(names(done))
    assert not any(name.startswith(("histogram", "exceedance")) for name in names(done))


def test_worst_cases_that_were_not_kept_are_run_again(study: Path) -> None:
    done = call("plot", str(study), "--out", "figures", "--what", "worst")
    assert done.exit_code == 0, done.output
    assert names(done) == ["worst"]
    assert [file.name for file in study.iterdir() if file.suffix == ".yaml"] == [], "nothing is left behind"


def test_report_is_one_file_beside_the_result() -> None:
    done = call("report", saved(), "--what", "energy")
    assert done.exit_code == 0, done.output
    assert done.stdout == "results/sample/first/report.html\n"
    assert Path("results/sample/first/report.html").read_text().count("<svg") == 1


def test_report_of_several_results_compares_them() -> None:
    done = call("report", saved(), saved("second"), "--out", "both.html", "--what", "energy")
    assert done.exit_code == 0, done.output
    assert "sample second" in Path("both.html").read_text()


def test_report_of_a_study_goes_beside_its_table(study: Path) -> None:
    done = call("report", str(study), "--what", "convergence")
    assert done.exit_code == 0, done.output
    assert (study / "report.html").read_text().count("<svg") == 1


@pytest.mark.parametrize("paths", [["nowhere"], ["nowhere", "neither"]])
def test_report_of_nothing_is_a_clear_error(paths: list[str]) -> None:
    done = call("report", *paths)
    assert done.exit_code == 1
    assert "nowhere" in done.output
    assert "Traceback" not in done.output


def test_study_and_result_make_no_report_together(study: Path) -> None:
    done = call("report", str(study), saved())
    assert done.exit_code == 1
    assert "write one report each" in done.output


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("undock_tipoff", ["phases", "separation_chaser.nose-station.dock", "hooks_chaser.nose-station.dock"]),
        ("docked_loads", ["phases", "hooks_chaser.nose-station.dock", "motion_chaser"]),
        ("dock_pins_jam", ["phases", "capture_dock", "contact_frames"]),
    ],
)
def test_gallery_shows_what_joints_and_pins_do(name: str, kinds: list[str]) -> None:
    [file] = [file for file in gallery.shipped_scenarios() if file.stem == name]
    [exhibit] = gallery.exhibits([file], report=lambda _: None)
    assert [one.name for one in exhibit.drawings] == kinds
    assert exhibit.description
    assert len(kinds) == gallery.MOST


def test_gallery_shows_scenarios_and_those_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Path("broken.yaml")
    bad.write_text("vehicles: 1\n")
    shipped = gallery.shipped_scenarios()
    monkeypatch.setattr("docksim.cli.report.shipped_scenarios", lambda: [*shipped, bad])
    done = call("gallery", "tumbling_brick", "broken", "--out", "gallery.html")
    assert done.exit_code == 0, done.output
    page = Path("gallery.html").read_text()
    # motion and energy
    assert page.count("<svg") == 2
    assert "broken.yaml" in page
    wrong = call("gallery", "tumbling_brik")
    assert wrong.exit_code == 2
    assert "did you mean 'tumbling_brick'" in wrong.output
