"""The commands, in process, around a stand-in for the simulation."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import docksim
from docksim.cli import main
from docksim.jobs.compiling import NOTICE
from docksim.plots import style
from tests.support import samples, stand_in

MAIN = {"phases", "motion_chaser", "motion_station", "joints", "loads"}
PIXELS = style.RC["savefig.dpi"]


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in.take_the_place_of_runs(monkeypatch.setattr)
    # few pixels: what is drawn where is looked at, not how
    monkeypatch.setitem(style.RC, "savefig.dpi", PIXELS // 4)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)


def write(name: str, description: str = "fine") -> str:
    Path(f"{name}.yaml").write_text(stand_in.SCENARIO.format(description=description))
    return f"{name}.yaml"


def docksim_(*arguments: str) -> Result:
    """Run a command; anything but a clean exit is an error of the test."""
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def saved() -> str:
    return str(samples.result().save("results/sample/first"))


# ---------------------------------------------------------------- run


def test_run_shows_a_summary_and_where_the_files_are_and_draws_the_main_figures() -> None:
    done = docksim_("run", write("a"))
    assert done.exit_code == 0
    for words in ("completed", "60 s", "1.5 s", "real-time factor", "energy residual", "linear momentum residual"):
        assert words in done.stdout
    assert "contact: chaser.port joins station.port (energy loss 21.5 J)" in done.stdout
    assert re.search(r"peak_reaction_N\s+812.25", done.stdout)
    [folder] = Path("results/a").iterdir()
    assert f"result   {folder}" in done.stdout
    drawn_ones = list((folder / "figures").iterdir())
    assert {path.stem for path in drawn_ones} == MAIN
    for figure in drawn_ones:
        assert str(figure) in done.stdout
    # what it has not drawn, and how to get it
    assert f"more     energy, momentum\n         docksim plot {folder} --what energy, or all" in done.stdout


def test_run_in_a_narrow_window_keeps_paths_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = docksim_("run", write("a"), "--no-plots")
    [folder] = Path("results/a").iterdir()
    assert f"result   {folder}\n" in done.stdout


def test_run_without_plots_draws_nothing() -> None:
    docksim_("run", write("a"), "--no-plots", "--out", "elsewhere")
    [folder] = Path("elsewhere/a").iterdir()
    assert not (folder / "figures").exists()


def drawn(*options: str) -> set[str]:
    """Names of the figures that a run draws."""
    assert docksim_("run", write("a"), "--out", "drawn", *options).exit_code == 0
    folder = max(Path("drawn/a").iterdir()) / "figures"
    return {path.stem for path in folder.iterdir()} if folder.exists() else set()


def test_run_draws_the_main_figures_unless_asked_otherwise() -> None:
    # without a word as with "main": the run above
    assert drawn("--figures", "main") == MAIN
    assert drawn("--figures", "all") == MAIN | {"energy", "momentum"}
    assert drawn("--figures", "none") == drawn("--no-figures") == drawn("--no-figures", "--figures", "none") == set()


@pytest.mark.parametrize("command", ["run", "realtime"])
@pytest.mark.parametrize("asked", ["main", "all"])
def test_figures_and_no_figures_contradict_each_other(command: str, asked: str) -> None:
    done = docksim_(command, write("a"), "--no-figures", "--figures", asked)
    assert done.exit_code == 2
    assert f"--no-figures contradicts --figures {asked}" in done.stderr
    assert not Path("results").exists()


def test_run_names_the_figures_that_it_has_not_drawn_in_json_and_nothing_where_none_is_left() -> None:
    [report] = json.loads(docksim_("run", write("b"), "--json").stdout)["runs"]
    assert report["more_figures"] == ["energy", "momentum"]
    assert {Path(path).stem for path in report["figures"]} >= {"phases", "loads"}
    assert "more     " not in docksim_("run", write("c"), "--no-figures").stdout


def test_command_that_the_table_names_draws_the_same_bytes_as_all() -> None:
    assert "more     " not in docksim_("run", write("a"), "--figures", "all").stdout
    docksim_("run", write("a"), "--out", "some")
    [every], [some] = Path("results/a").iterdir(), Path("some/a").iterdir()
    assert docksim_("plot", str(some), "--what", "energy,momentum").exit_code == 0
    contents = [{path.name: path.read_bytes() for path in (one / "figures").iterdir()} for one in (every, some)]
    assert contents[0] == contents[1]


def test_report_does_not_depend_on_what_was_drawn() -> None:
    pages = []
    for asked in ("none", "all"):
        docksim_("run", write("a"), "--out", asked, "--figures", asked)
        [folder] = Path(asked, "a").iterdir()
        assert docksim_("report", str(folder)).exit_code == 0
        pages.append(re.findall("<svg.*?</svg>", (folder / "report.html").read_text(encoding="utf-8"), re.DOTALL))
    assert len(pages[0]) == 7
    assert pages[0] == pages[1]


def test_set_changes_the_scenario_and_out_the_place() -> None:
    done = docksim_("run", write("a"), "--set", "brick.mass_kg=1e1", "--set", "name=b", "--out", "kept", "--no-plots")
    assert done.exit_code == 0
    [folder] = Path("kept/b").iterdir()
    assert docksim.load(folder).scenario.vehicles["brick"].mass_kg == 10.0


@pytest.mark.parametrize("text", ["brick.mass_kg", "=3", "brick.mass_kg=[1,"])
def test_set_that_cannot_be_read_is_wrong_usage(text: str) -> None:
    done = docksim_("run", write("a"), "--set", text)
    assert done.exit_code == 2
    assert "Invalid value for --set" in done.stderr


def test_set_of_an_unknown_key_is_refused_with_a_suggestion() -> None:
    done = docksim_("run", write("a"), "--set", "brick.mas_kg=3")
    assert done.exit_code == 1
    assert "--set: " in done.stderr
    assert "did you mean 'mass_kg'?" in done.stderr


@pytest.mark.parametrize(("told", "code"), [("fine", 0), ("stop", 0), ("diverge", 1), ("raise", 1)])
def test_exit_code_tells_the_outcome(told: str, code: int) -> None:
    assert docksim_("run", write("a", told), "--no-plots").exit_code == code


def test_diverged_run_says_where_and_is_still_saved() -> None:
    done = docksim_("run", write("a", "diverge"), "--no-plots")
    assert "non-finite state at t = 3.2 s, body 'brick', phase FREE" in done.stdout
    assert len(list(Path("results/a").iterdir())) == 1


def test_unexpected_exception_is_one_line_with_its_place() -> None:
    done = docksim_("run", write("a", "raise"))
    assert re.search(r"a\.yaml: failed: RuntimeError: the kernel fell over \[red\] \(stand_in\.py:\d+\)", done.stderr)


def test_batch_has_a_row_per_file_and_one_bad_file_stops_nothing() -> None:
    Path("bad.yaml").write_text("vehicles: {}\nsolvr: {}\n")
    done = docksim_("run", write("a"), "bad.yaml", write("b", "raise"), write("c"), "--no-plots", "--workers", "2")
    assert done.exit_code == 1
    rows = [line.split()[:2] for line in done.stdout.splitlines() if ".yaml " in line]
    assert rows == [["a.yaml", "completed"], ["bad.yaml", "invalid"], ["b.yaml", "failed"], ["c.yaml", "completed"]]
    assert "bad.yaml:2: solvr" in done.stderr
    assert "2 completed, 1 invalid, 1 failed" in done.stdout
    assert {path.name for path in Path("results").iterdir()} == {"a", "c"}


def test_the_same_file_twice_gives_two_results() -> None:
    docksim_("run", write("a"), "a.yaml", "--no-plots")
    assert len(list(Path("results/a").iterdir())) == 2


def test_json_is_all_that_reaches_standard_output() -> None:
    done = docksim_("run", write("a"), "missing.yaml", write("c", "diverge"), "--json", "--no-plots")
    content = json.loads(done.stdout, parse_constant=lambda text: pytest.fail(text))
    runs = content["runs"]
    assert content["docksim_version"] == docksim.__version__
    assert [(item["file"], item["outcome"], item["ok"]) for item in runs] == [
        ("a.yaml", "completed", True),
        ("missing.yaml", "invalid", False),
        ("c.yaml", "diverged", False),
    ]
    assert (runs[0]["simulated_s"], runs[0]["wall_s"], runs[0]["real_time_factor"]) == (60.0, 1.5, 40.0)
    assert runs[0]["metrics"]["peak_reaction_N"] == 812.25
    assert runs[0]["events"][0]["name"] == "contact"
    assert Path(runs[0]["folder"], "data.npz").is_file()
    assert runs[1]["problems"][0]["file"] == "missing.yaml"


def test_first_run_announces_the_compilation_unless_the_scenario_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in.take_the_place_of_runs(monkeypatch.setattr, cached=False)
    Path("bad.yaml").write_text("{}")
    done = docksim_("run", write("a"), "a.yaml", "--json", "--no-plots")
    assert done.stderr.count(NOTICE) == 1
    assert done.stderr.count("kernel compiled in 0 s") == 1
    assert NOTICE not in docksim_("run", "bad.yaml").stderr


def test_results_that_cannot_be_written_are_one_clear_line() -> None:
    Path("taken").write_text("")
    done = docksim_("run", write("a"), "--out", "taken")
    assert done.exit_code == 1
    assert "cannot write the result to taken/a" in done.stdout + done.stderr
    # that is told before the run, which would have failed
    done = docksim_("run", write("b", "raise"), "--out", "taken")
    assert "cannot write the result to taken/b" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("run",), ("run", "a.yaml", "--workers", "0"), ("run", "a.yaml", "--fast"), ("dance",), ("export", "x")],
)
def test_wrong_usage_exits_with_2(arguments: tuple[str, ...]) -> None:
    done = docksim_(*arguments)
    assert done.exit_code == 2
    assert "Usage:" in done.stderr


# ---------------------------------------------------------------- check, schema, version


def test_check_says_ok_or_every_fault() -> None:
    Path("bad.yaml").write_text(
        "vehicles:\n  a: {mass_kg: -1, inertia_kg_m2: [1, 1, 1], mas: 2}\nsolver: {duration_s: 1}\n"
    )
    done = docksim_("check", write("a"), "bad.yaml", "missing.yaml")
    assert done.exit_code == 1
    assert done.stdout == "a.yaml: ok\n"
    assert "bad.yaml:2: vehicles.a.mass_kg" in done.stderr
    assert "bad.yaml:2: vehicles.a.mas" in done.stderr
    assert "missing.yaml" in done.stderr
    assert docksim_("check", "a.yaml").exit_code == 0


def test_check_in_json_lists_files_and_problems() -> None:
    Path("bad.yaml").write_text("{}")
    done = docksim_("check", write("a"), "bad.yaml", "--json")
    good, bad = json.loads(done.stdout)["files"]
    assert good == {"file": "a.yaml", "valid": True, "problems": [], "warnings": []}
    assert bad["valid"] is False
    assert set(bad["problems"][0]) == {"file", "line", "key", "message", "text"}
    assert done.exit_code == 1


def test_check_warns_of_capsules_that_meet_nothing() -> None:
    rod = {"capsules": [{"start_m": [0.0, -0.1, 0.0], "end_m": [0.0, 0.1, 0.0], "radius_m": 0.01}]}
    ball = {"spheres": [{"center_m": [0.0, 0.0, 0.0], "radius_m": 0.1}]}
    for name, other in (("lonely", ball), ("matched", {**ball, **rod})):
        vehicles = {
            key: {
                "mass_kg": 1.0,
                "inertia_kg_m2": [1.0, 1.0, 1.0],
                "position_m": [x, 0.0, 0.0],
                "ports": {"p": {"interface": interface}},
            }
            for key, x, interface in (("a", 0.0, rod), ("b", 2.0, other))
        }
        content = {"vehicles": vehicles, "contacts": {"hit": {"ports": ["a.p", "b.p"]}}, "solver": {"duration_s": 1.0}}
        Path(f"{name}.yaml").write_text(json.dumps(content))
    done = docksim_("check", "lonely.yaml", "matched.yaml")
    assert (done.exit_code, done.stdout) == (0, "lonely.yaml: ok\nmatched.yaml: ok\n")
    warning = "contacts.hit: the capsules of a.p meet capsules only, and b.p has none; they pass through it"
    assert f"lonely.yaml: warning: {warning}\n" in done.stderr
    assert "meet capsules only" not in done.stderr.split("matched.yaml", 1)[-1]


def test_check_warns_of_joins_without_hooks() -> None:
    body = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "ports": {"p": {}}}
    hooked = {
        **body,
        "ports": {"p": {"hooks": {"reach_m": 1, "window_m": 1, "tilt_deg": 1, "roll_deg": 1, "rate_m_s": 1}}},
    }
    events = {"grab": {"when": {"time_s": 0.1}, "do": {"join": ["a.p", "b.p"]}}}
    for name, other in (("bare", body), ("hooked", hooked)):
        content = {"vehicles": {"a": body, "b": other}, "events": events, "solver": {"duration_s": 1.0}}
        Path(f"{name}.yaml").write_text(json.dumps(content))
    done = docksim_("check", "bare.yaml", "hooked.yaml")
    assert (done.exit_code, done.stdout) == (0, "bare.yaml: ok\nhooked.yaml: ok\n")
    assert done.stderr.startswith("bare.yaml: warning: event 'grab' joins a.p and b.p, which have no hooks")
    assert "hooked" not in done.stderr
    bare, sound = json.loads(docksim_("check", "bare.yaml", "hooked.yaml", "--json").stdout)["files"]
    assert (bare["valid"], len(bare["warnings"]), sound["warnings"]) == (True, 1, [])


def test_check_survives_a_fault_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("docksim.cli.check.load_scenario", fail)
    done = docksim_("check", write("a"))
    assert done.exit_code == 1
    assert "a.yaml: ZeroDivisionError: inside" in done.stderr


def test_schema_is_json_and_describes_scenarios() -> None:
    content = json.loads(docksim_("schema").stdout)
    assert {"vehicles", "solver", "events"} <= set(content["properties"])


def test_version_is_that_of_the_package() -> None:
    assert docksim_("--version").stdout == f"docksim, version {docksim.__version__}\n"


# ---------------------------------------------------------------- plot, export


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_plot_writes_figures_beside_the_result(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(style.RC, "savefig.dpi", PIXELS)
    done = docksim_("plot", saved(), "--format", kind)
    assert done.exit_code == 0
    paths = [Path(line) for line in done.stdout.splitlines()]
    assert Path(f"results/sample/first/figures/energy.{kind}") in paths
    assert all(path.stat().st_size > 5_000 for path in paths)


def test_plot_of_several_results_keeps_them_apart_and_goes_on_after_a_bad_one() -> None:
    first, second = saved(), str(samples.result().save("results/sample/second"))
    Path(second, "data.npz").write_bytes(b"junk")
    done = docksim_("plot", second, first, "--out", "figures")
    assert done.exit_code == 1
    assert "results/sample/second/data.npz: damaged" in done.stderr
    assert [path.name for path in Path("figures").iterdir()] == ["sample-first"]


def test_plot_of_a_run_too_short_to_draw_says_so() -> None:
    folder = samples.result(rows=1).save("short")
    done = docksim_("plot", str(folder))
    assert (done.exit_code, done.stderr) == (0, "short: nothing to draw\n")


@pytest.mark.parametrize("kind", ["csv", "mat", "h5"])
def test_export_says_which_file_it_wrote(kind: str) -> None:
    folder = saved()
    assert docksim_("export", folder, "--to", kind).stdout == f"{folder}/data.{kind}\n"
    done = docksim_("export", folder, "--to", kind, "--out", f"sub/mine.{kind}")
    assert done.stdout == f"sub/mine.{kind}\n"
    assert Path(f"sub/mine.{kind}").read_bytes()[:4] == Path(folder, f"data.{kind}").read_bytes()[:4]


def test_export_and_plot_of_what_is_no_result_point_at_one() -> None:
    folder = saved()
    for arguments in (("export", "results", "--to", "csv"), ("plot", "results")):
        done = docksim_(*arguments)
        assert done.exit_code == 1
        assert f"results: not a result folder; did you mean {folder}?" in done.stderr


# ---------------------------------------------------------------- new


@pytest.mark.parametrize("kind", ["spin", "two_vehicles", "docking"])
def test_new_scenario_passes_the_check_and_has_the_name_of_its_file(kind: str) -> None:
    done = docksim_("new", kind, "my run.yaml")
    assert done.exit_code == 0
    assert docksim_("check", "my run.yaml").stdout == "my run.yaml: ok\n"
    # how they end is looked at with the templates
    assert docksim_("run", "my run.yaml", "--no-plots", "--set", "solver.duration_s=1.0").exit_code == 0
    assert [path.name for path in Path("results").iterdir()] == ["my_run"]


def test_new_never_overwrites_without_force() -> None:
    Path("mine.yaml").write_text("precious")
    done = docksim_("new", "spin", "mine.yaml")
    assert done.exit_code == 1
    assert "mine.yaml exists; --force overwrites it" in done.stderr
    assert Path("mine.yaml").read_text() == "precious"
    assert docksim_("new", "spin", "mine.yaml", "--force").exit_code == 0
    assert 'name: "mine"' in Path("mine.yaml").read_text()


def test_new_in_a_missing_folder_or_of_an_unknown_kind_is_one_clear_line() -> None:
    done = docksim_("new", "spin", "nowhere/mine.yaml")
    assert (done.exit_code, "cannot write nowhere/mine.yaml: No such folder" in done.stderr) == (1, True)
    assert docksim_("new", "opera", "mine.yaml").exit_code == 2
