"""Command lines in the help and on the pages: options exist, files are there, and short ones do what they say."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from docksim.cli import main
from tests.unit.test_cli_options import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
SHIPPED = ("configs", "scenarios", "studies", "benchmarks")
# those of the help that take seconds
SHORT = ("about", "chain dynamics", "hil", "tune-contact", "linearize", "fmu")


def of_help() -> list[str]:
    text = "\n".join(command.help or "" for _, command in COMMANDS)
    return re.findall(r"^\s*(docksim \S.*)$", text, flags=re.MULTILINE)


def of_pages() -> list[str]:
    """Indented lines that begin with the command."""
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    return re.findall(r"^    (docksim \S.*)$", re.sub(r"\\\n\s+", "", text), flags=re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what docksim comes with."""
    for name in SHIPPED:
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(line: str, folder: Path) -> list[str]:
    """Arguments, with names of files written out; results and files of the user's own are made, empty."""
    found: list[str] = []
    for word in shlex.split(line, comments=True)[1:]:
        own = word.startswith(("results/", "other/", "RESULT")) or re.fullmatch(r"\w+\.(yaml|csv)", word)
        if own:
            path = folder / word.replace("*", "one")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch() if path.suffix in (".npz", ".yaml", ".csv") else path.mkdir(exist_ok=True)
            word = str(path)
        if word.startswith(tuple(f"{name}/" for name in SHIPPED)) and "*" in word:
            found += sorted(map(str, Path().glob(word)))
        else:
            found.append(word)
    return found


def taken(arguments: list[str]) -> None:
    """The command line takes the arguments; click says what is wrong with them."""
    command: click.Command = main
    while isinstance(command, click.Group):
        context = click.Context(command)
        below = command.get_command(context, arguments[0])
        # of a study the word run may be left out
        command = below or command.commands["run"]
        arguments = arguments[1:] if below else arguments
    command.make_context("last", arguments)


def test_there_are_examples() -> None:
    assert len(of_help()) > 30
    assert len(of_pages()) > 60


@pytest.mark.parametrize("line", sorted({*of_help(), *of_pages()}))
def test_example_has_known_options_and_names_files_that_are_there(line: str, folder: Path) -> None:
    arguments = words(line, folder)
    taken(arguments)
    written = [word for flag, word in pairwise(arguments) if flag == "--out"]
    named = [word for word in arguments if word.startswith(tuple(f"{name}/" for name in SHIPPED))]
    assert [word for word in named if word not in written and not Path(word).is_file()] == []


@pytest.mark.parametrize("line", [line for line in of_help() if line.startswith(tuple(f"docksim {c}" for c in SHORT))])
def test_short_example_of_the_help_does_what_it_says(line: str, folder: Path) -> None:
    arguments = words(line, folder)
    arguments += ["--no-figures"] * (arguments[0] in ("linearize", "hil"))
    arguments += ["--samples", "3"] * ("--along" in arguments)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
