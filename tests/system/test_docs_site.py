"""Tutorial and how-tos run as they stand, in a plain installation outside the repository, and each does its job; the
reference has everything; links lead somewhere."""

from __future__ import annotations

import csv
import json
import re
import resource
import runpy
import textwrap
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from markupsafe import Markup

import docksim
from docksim.cli import TABLE, main
from docksim.config.schema.keys import all_keys
from docksim.report import pages
from docksim.result.result import Result
from tests.support.plain import Plain, required, size_mb
from tests.support.realtime_rigs import free_ports

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"(?:^File `(?P<file>[^`]+)`[^\n]*:[^\n]*\n\n)?(?P<text>(?:^    .*\n|^\n(?=    |\n    ))+)", re.MULTILINE
)
# what a page shows as a word of its own, not as a line to run
NOT_RUN = ("--open", "--page")
PORTS = ("47001", "47010")


def steps_of(page: Path) -> list[dict[str, str]]:
    """Files to write and commands to run, as the page has them in its blocks; ports are free ones of this machine."""
    text = page.read_text(encoding="utf-8") + "\n"
    for port, free in zip(PORTS, free_ports(len(PORTS)), strict=True):
        text = text.replace(port, str(free))
    steps = []
    for block in BLOCK.finditer(text):
        own = textwrap.dedent(block["text"]).strip("\n") + "\n"
        if block["file"]:
            steps.append({"file": block["file"], "text": own})
        elif own.startswith(("docksim ", "python ")):
            lines = [line.split(" #")[0].strip() for line in own.splitlines()]
            steps += [{"command": line} for line in lines if not any(word in line for word in NOT_RUN)]
    return steps


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    return Plain(tmp_path_factory.mktemp("plain"))


def one_run(folder: Path) -> Result:
    (run,) = folder.iterdir()
    return docksim.load(run)


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


def test_plain_installation_is_no_heavier_than_it_was() -> None:
    packages = required()
    assert len(packages) <= 27, sorted(packages)
    assert size_mb(packages) < 586.0


def test_replay_needs_nothing_beyond_a_plain_installation(plain: Plain, tmp_path: Path) -> None:
    absent = (
        "import importlib.util as u; print([n for n in ('meshcat', 'IPython', 'trimesh', 'pandas') if u.find_spec(n)])"
    )
    assert plain.python("-c", absent).stdout.strip() == "[]"
    commands = ("run tumbling_brick --set solver.duration_s=1 --figures none", "replay tumbling_brick", "list --json")
    plain.follow([{"command": f"docksim {line}"} for line in commands], tmp_path)
    (page,) = tmp_path.rglob("replay.html")
    assert "THREE" in page.read_text(encoding="utf-8")


def test_help_does_not_wait(plain: Plain) -> None:
    def seconds() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert "Commands:" in plain.python("-m", "docksim", "--help").stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    # processor time, which is all that it takes on a machine that does nothing else: 0.05 s
    assert min(seconds() for _ in range(3)) < 0.15


def test_tutorial_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # what figures of reports look like is asked in their own tests
    monkeypatch.setattr(pages, "drawing", lambda name, caption, *_: pages.Drawing(name, caption, Markup("<svg/>")))
    steps = steps_of(DOCS / "tutorial.md")
    assert len(steps) > 14
    for step in steps:
        if "file" in step:
            Path(step["file"]).write_text(step["text"], encoding="utf-8")
            continue
        done = CliRunner().invoke(main, step["command"].split()[1:])
        assert done.exit_code == 0, f"{step['command']}\n{done.output}"
    assert docksim.load(next((tmp_path / "results" / "first").iterdir())).outcome == "hard-docked"
    assert (tmp_path / "results" / "box" / "report.html").is_file()


def test_loads_analyst_finds_design_loads_and_the_worst_case(plain: Plain, tmp_path: Path) -> None:
    said = plain.follow(steps_of(DOCS / "howto" / "loads.md"), tmp_path)
    box = tmp_path / "results" / "box"
    # every case with all that went in and all that came out
    rows = rows_of(next(box.rglob("*.csv")))
    assert len(rows) == 4
    rates = [float(row["input.approach.closing_rate_m_s"]) for row in rows]
    assert all(0.02 <= rate <= 0.12 for rate in rates)
    loads = [float(row["metric.dock.peak_compression_N"]) for row in rows]
    # the page's worst case is the worst of the table, which the summary names, and gives the same number by itself
    assert rows[int(np.argmax(loads))]["case"] == "2"
    (worst,) = re.findall(r"\n worst cases +case 2 .*?\n dock.peak_compression_N +(\S+) ", said, re.DOTALL)
    assert worst == f"{max(loads):.6g}"
    alone = one_run(tmp_path / "results" / "box-case-2").metrics["dock.peak_compression_N"]
    assert alone == max(loads)
    # a search finds at least that
    (searched,) = re.findall(r"\$ docksim study worst.*", said, re.DOTALL)
    assert "case" in searched
    assert {"main_drivers.png", "exceedance_dock.peak_compression_N.png"} <= {one.name for one in box.rglob("*.png")}
    assert "dock.peak_compression_N" in (box / "report.html").read_text(encoding="utf-8")


def test_gnc_engineer_sees_the_controller_at_work(plain: Plain, tmp_path: Path) -> None:
    plain.follow(steps_of(DOCS / "howto" / "gnc.md"), tmp_path)
    result = one_run(tmp_path / "results" / "approach")
    assert [name for name in ("brake", "contact", "arrived") if name in [event.name for event in result.events]] == [
        "brake", "contact", "arrived",
    ]  # fmt: skip
    # 400 N for 3 s and for 1.2 s
    assert result["chaser.aft.impulse_Ns"][-1] == pytest.approx(1200.0, rel=1e-12)
    assert result["chaser.front.impulse_Ns"][-1] == pytest.approx(480.0, rel=1e-12)
    error = result["chaser.attitude_hold.error_size_deg"]
    assert error[0] > 1.0
    before = result.time_s < next(event.time_s for event in result.events if event.name == "contact")
    assert error[before][-1] < 0.3
    assert (result.folder / "figures" / "control_chaser.png").is_file()
    assert {one.suffix for one in tmp_path.rglob("*") if one.suffix in (".csv", ".mat")} == {".csv", ".mat"}
    table = docksim.Study.load(tmp_path / "results" / "arrivals")
    assert len(table.worst("dock.at_contact.pitch_yaw_deg", 4)) == 4


def test_mechanism_designer_compares_two_designs(plain: Plain, tmp_path: Path) -> None:
    said = plain.follow(steps_of(DOCS / "howto" / "mechanism.md"), tmp_path)
    # three files and a phase have their say about a spring
    spring = said.partition("servo.stiffness_N_m\n")[2].partition("vehicles.")[0]
    assert [line.split()[0] for line in spring.splitlines()[:4]] == ["value", "over", "then", "then"]
    assert re.search(r"nds_like\.yaml:\d+   in ATTENUATE", spring)
    # legs that are held more stiffly after capture move otherwise from there on, and not before
    soft, stiff = (one_run(tmp_path / name / "my") for name in ("soft", "stiff"))
    captured = soft.time_s < float(soft.metrics["dock.capture_s"])
    force = "chaser.legs.1.force_N"
    assert np.array_equal(soft[force][captured], stiff[force][captured])
    assert not np.array_equal(soft[force], stiff[force])
    assert (tmp_path / "overlay" / "legs_chaser.png").is_file()
    assert (tmp_path / "both.html").is_file()
    assert "soft_box" in said.partition("study compare")[2]


def test_rig_engineer_couples_a_peer_and_makes_the_run_again(plain: Plain, tmp_path: Path) -> None:
    said = plain.follow(steps_of(DOCS / "howto" / "rig.md"), tmp_path)
    assert "the same bits" in said
    first = min((tmp_path / "results" / "rig").iterdir(), key=lambda run: run.stat().st_mtime_ns)
    result = docksim.load(first)
    force, place = result["external.table.plate.force_N"], result["table.position_m"]
    # what the rig sent is in the result, beside the motion that it answered to
    assert force[-1, 0] != 0.0
    assert np.corrcoef(force[20:, 0], place[20:, 0])[0, 1] < -0.5
    assert {"control_table.png"} <= {one.name for one in first.rglob("*.png")}
    assert "external.table.plate.force_N" in next(tmp_path.rglob("*.csv")).read_text(encoding="utf-8")


def test_berthing_by_an_arm_is_planned(plain: Plain, tmp_path: Path) -> None:
    plain.follow(steps_of(DOCS / "howto" / "arm.md"), tmp_path)
    assert (tmp_path / "berth_program.yaml").is_file()


def test_python_of_its_how_to_runs_as_it_stands(plain: Plain, tmp_path: Path) -> None:
    page = DOCS / "howto" / "python.md"
    blocks = [textwrap.dedent(one["text"]).strip("\n") + "\n" for one in BLOCK.finditer(page.read_text("utf-8") + "\n")]
    assert len(blocks) > 3
    run = "import json, sys\nfor text in json.loads(sys.argv[1]): exec(compile(text, 'python.md', 'exec'), {})"
    done = plain.python("-c", run, json.dumps(blocks), cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "slow_box: 4 of 4 cases" in done.stdout
    assert (tmp_path / "box.csv").is_file()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pages = runpy.run_path(str(DOCS / "make_reference.py"))["write"](tmp_path_factory.mktemp("reference"))
    return {page.stem: page.read_text(encoding="utf-8") for page in pages}


def test_reference_has_every_key_command_and_name(reference: dict[str, str]) -> None:
    assert [key.text for key in all_keys() if f"| `{key.text}` |" not in reference["keys"]] == []
    assert "\\<" not in reference["keys"], "a page shows the backslash"
    assert [name for name in TABLE if f"## docksim {name}\n" not in reference["commands"]] == []
    names = [name for name in docksim.__all__ if not name.startswith("_")]
    assert [name for name in names if f"## docksim.{name}\n" not in reference["python"]] == []


def test_every_page_can_be_reached_and_every_link_leads_somewhere() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": (\S+\.md)$", site, re.MULTILINE))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    made = {f"reference/{name}.md" for name in ("keys", "commands", "python")}
    linked = {link for page in DOCS.rglob("*.md") for link in re.findall(r"\(([\w/]+\.md)", page.read_text("utf-8"))}
    assert listed <= pages | made
    # what is not in the navigation is linked from a page
    assert pages - listed <= linked
    assert yaml.safe_load(site)["docs_dir"] == "docs"
    for page in [*DOCS.rglob("*.md"), ROOT / "README.md"]:
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8")):
            target = page.parent / link
            if "://" not in link and "reference/" not in link:
                assert target.exists(), f"{page.name}: {link}"
