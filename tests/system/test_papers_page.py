"""docs/papers.md, the account of the five papers: its tables are what is computed, and what it names is there."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import click
import pytest

from benchmarks.papers import PAGE, PARTS, across_median, renewed
from docksim.cli import main

ROOT = PAGE.parents[1]
TEXT = PAGE.read_text(encoding="utf-8")
QUOTED = sorted(set(re.findall(r"`([^`\n]+)`", TEXT)))
FOLDERS = ("docksim/", "tests/", "docs/", "configs/", "scenarios/", "benchmarks/")
PATHS = [word for word in QUOTED if word.startswith(FOLDERS)]
COMMANDS = [word for word in QUOTED if word.startswith("docksim ")]
MODULES = [word.split()[2] for word in QUOTED if word.startswith("python -m ")]
LINKS = sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT)))
HEAD = "| item | where | as printed? | what differs, and why | test |"


@pytest.mark.parametrize("name", [name for name in PARTS if name != "across"])
def test_tables_of_the_page_are_what_is_computed(name: str) -> None:
    assert renewed(TEXT, [name]) == TEXT, "out of date: python -m benchmarks.papers --write"


@pytest.mark.parametrize(("column", "name", "contact_N"), [(1, "nds_like UPS", 300.0), (5, "its RUS variant", 0.0)])
def test_force_across_the_last_link_is_what_is_computed(column: int, name: str, contact_N: float) -> None:
    """Two of its ten medians: each takes half a second."""
    (row,) = re.findall(rf"^\| {contact_N:g} N on the ring \|.*$", TEXT, re.M)
    assert row.split("|")[column + 1].strip() == across_median(name, contact_N)


@pytest.mark.parametrize("word", PATHS)
def test_files_and_tests_of_the_page_are_there(word: str) -> None:
    path, _, test = word.partition("::")
    assert (ROOT / path).exists()
    if test:
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("words", COMMANDS)
def test_commands_of_the_page_are_there(words: str) -> None:
    found: click.Command = main
    context = click.Context(main)
    for word in words.split()[1:]:
        if isinstance(found, click.Group):
            inner = found.get_command(context, word)
            assert inner is not None, word
            found = inner
        elif word.startswith("--"):
            assert any(word in option.opts for option in found.params), word
    assert not isinstance(found, click.Group)


def test_modules_and_links_of_the_page_are_there() -> None:
    assert MODULES
    assert [name for name in MODULES if importlib.util.find_spec(name) is None] == []
    for link in LINKS:
        file, _, anchor = link.partition("#")
        target = (PAGE.parent / file).resolve() if file else PAGE
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def anchors(file: Path) -> set[str]:
    """Headings as links have them."""
    heads = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_every_item_that_is_somewhere_has_a_test() -> None:
    """Five tables, one a paper; an item without a place says that it is not there, and why."""
    tables = re.findall(rf"^{re.escape(HEAD)}\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.M)
    assert len(tables) == 5
    for line in "".join(tables).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 5, line
        item, where, how, _, test = cells
        assert item, line
        assert how, line
        assert bool(where) == bool(test), line
        assert where or how.startswith("not "), line
