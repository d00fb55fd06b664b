"""Tutorial and how-tos run as they stand; the reference has everything; links lead somewhere."""

from __future__ import annotations

import re
import runpy
import textwrap
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from markupsafe import Markup

import docksim
from docksim.cli import TABLE, main
from docksim.config.schema.keys import all_keys
from docksim.report import pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"(?:^File `(?P<file>[^`]+)`:\n\n)?(?P<text>(?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)
HOWTOS = ("loads", "gnc", "mechanism", "rig", "python", "arm")
# what a page shows as a word of its own, not as a line to run
NOT_RUN = ("--open", "--page")


def follow(page: Path) -> list[str]:
    """Write the files of a page and run its commands, in the current folder; the commands."""
    done = []
    for block in BLOCK.finditer(page.read_text(encoding="utf-8") + "\n"):
        text = textwrap.dedent(block["text"]).strip("\n") + "\n"
        if block["file"]:
            Path(block["file"]).write_text(text, encoding="utf-8")
        elif text.startswith("import docksim"):
            exec(compile(text, str(page), "exec"), {})
            done.append(text)
        for line in text.splitlines() if text.startswith("docksim ") else ():
            if any(word in line for word in NOT_RUN):
                continue
            result = CliRunner().invoke(main, line.split("#")[0].split()[1:])
            assert result.exit_code == 0, f"{line}\n{result.output}"
            done.append(line)
    return done


def test_tutorial_runs_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # what figures of reports look like is asked in their own tests
    monkeypatch.setattr(pages, "drawing", lambda name, caption, *_: pages.Drawing(name, caption, Markup("<svg/>")))
    assert len(follow(DOCS / "tutorial.md")) > 14
    assert docksim.load(next((tmp_path / "results" / "first").iterdir())).outcome == "hard-docked"
    assert (tmp_path / "results" / "box" / "report.html").is_file()


@pytest.mark.parametrize("name", HOWTOS)
def test_how_to_runs_as_it_stands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert follow(DOCS / "howto" / f"{name}.md")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pages = runpy.run_path(str(DOCS / "make_reference.py"))["write"](tmp_path_factory.mktemp("reference"))
    return {page.stem: page.read_text(encoding="utf-8") for page in pages}


def test_reference_has_every_key_command_and_name(reference: dict[str, str]) -> None:
    assert [key.text for key in all_keys() if f"| `{key.text}` |" not in reference["keys"]] == []
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
