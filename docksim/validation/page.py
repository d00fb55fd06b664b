"""The answers as a page: docs/validation.md is one, made by `make validate`.

Nothing in it depends on when or where it was made, so that the same sources give the same page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from docksim import __version__
from docksim.validation.judge import counts
from docksim.validation.row import GROUPS, Answer, Row

HEAD = """# Validation

Made by `make validate`, which runs every row in its full size: do not edit, make it again. `docksim validate` runs the
same rows in a small size and prints them, `docksim validate NAME --full` one as it is here, and `--list` names them.

A row holds what is published against what docksim finds. Published figures set what passes; why, is told below the
tables. Where the source has words only, what to measure was settled while looking at first results (five interactions,
yaw and roll of the NDS, time scales), figures that pass were not. A row that fails stays here as failing, with what the
model lacks. Some parameters were set with a row in view: that row cannot judge them, the others do.
"""
SMALL = "**This page was made in small sizes**, see the column: the populations in full are still to be run.\n"
# published, and not a row: what was looked for in the sources, and why it is not compared
NOT_COMPARED = """## Published and not compared

- NESC orbital cases 8A and 8B (free rotation of a station): the published curves are not at hand; `iss_free_rotation`
  is held against the elliptic solution in the tests instead.
- Loads of the NDS cases (figures 10, 11 and 15 of McFatter et al.), contact conditions and ships in tables of
  Syromyatnikov's book: only in pictures that cannot be read.
- Loads of Shuttle and Mir, and of IBDM tests, in numbers: not found.
- A deployed ring that is not aligned has no effect on capture (Matthews et al.): rings of the model start aligned.
"""
WORDS = {"pass": "pass", "fail": "**FAIL**", "not run": "not run"}


def page(answers: Sequence[Answer], figures: Mapping[str, str] | None = None, full: bool = True) -> str:
    """Markdown; `figures` are files to show, with what is said below each."""
    size = "" if full else SMALL
    return "\n".join([HEAD, size, *_sections(answers, figures or {})]).rstrip() + "\n"


def _sections(answers: Sequence[Answer], figures: Mapping[str, str]) -> Iterator[str]:
    yield f"docksim {__version__}, {counts(answers)}.\n"
    for group, heading in GROUPS.items():
        mine = [answer for answer in answers if answer.row.group == group]
        if mine:
            yield f"## {heading}\n"
            yield from _table(mine)
    for file, words in figures.items():
        yield f"![{words}]({file})\n\n*{words}*\n"
    failing = [answer for answer in answers if answer.verdict == "fail"]
    yield "## Rows that fail, and what the model lacks\n"
    for answer in failing:
        lacks = answer.row.lacks or "not known yet"
        yield f"- `{answer.row.name}`: {answer.ours}. {lacks[0].upper()}{lacks[1:]}."
    yield "None.\n" if not failing else ""
    yield "## Why these bands\n"
    yield from (f"- `{answer.row.name}`: {answer.row.reason}." for answer in answers)
    yield "\n## Parameters tuned, and on which rows\n"
    yield from _tuned([answer.row for answer in answers])
    yield NOT_COMPARED


def _table(answers: Sequence[Answer]) -> Iterator[str]:
    yield "| row | published | source | passes if | ours | size | verdict |"
    yield "|---|---|---|---|---|---|---|"
    for answer in answers:
        yield table_line(answer.row) + _cells(answer.ours, answer.size, WORDS[answer.verdict])
    yield ""


def table_line(row: Row) -> str:
    """That of a row's line which does not depend on any run."""
    return "|" + _cells(f"`{row.name}`", row.published, row.source, row.band)


def _cells(*texts: str) -> str:
    return "".join(f" {text.replace('|', '/')} |" for text in texts)


def _tuned(rows: Sequence[Row]) -> Iterator[str]:
    where: dict[str, list[str]] = {}
    for row in rows:
        for parameter in row.tuned:
            where.setdefault(parameter, []).append(f"`{row.name}`")
    yield from (f"- {parameter}: {', '.join(names)}." for parameter, names in where.items())
    yield "" if where else "None.\n"
