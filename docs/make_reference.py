"""The reference of the documentation site, from what it describes: python docs/make_reference.py [FOLDER].

Keys come from the schema, commands from their help, Python names from their docstrings; nothing is written down twice.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

import docksim
from docksim.cli import main
from docksim.config.outcomes import MEANINGS, SUCCESSES
from docksim.config.schema.keys import ROOTS, Key, all_keys

FOLDER = Path(__file__).resolve().parent / "reference"
# no table of contents beside the table, so that paths of keys have room
WIDE = ("---", "hide: [toc]", "---", "<style>.md-typeset td:first-child { min-width: 16rem }</style>", "")
MADE = "\n*Made by docs/make_reference.py.*\n"


def keys_page() -> str:
    """Every key of every kind of file."""
    lines = [
        *WIDE,
        "# Keys",
        MADE,
        "`<name>` is a name of your own. `docksim explain KEY` says the same, with an example.",
    ]
    for file in ROOTS:
        lines += ["", f"## Of a {file}", "", "| key | meaning | kind | unit | default |", "|---|---|---|---|---|"]
        lines += [_row(key) for key in all_keys() if key.file == file]
    return "\n".join(lines) + "\n"


def _row(key: Key) -> str:
    bounds = f", {key.bounds}" if key.bounds else ""
    meaning = " ".join(key.meaning.split())
    return f"| `{key.text}` | {_cell(meaning)} | {_cell(key.kind + bounds)} | {key.unit} | {_cell(key.default)} |"


def _cell(text: str) -> str:
    """Text that ends no cell, opens no link and no element."""
    for mark in "|[]*_":
        text = text.replace(mark, f"\\{mark}")
    # a backslash before it stays
    return text.replace("<", "&lt;")


def commands_page() -> str:
    """The help of every command, and what exit codes mean."""
    lines = ["# Commands and exit codes", MADE, "| exit code | means |", "|---|---|"]
    lines += ["| 0 | the run ended well, or the command did what it was asked |"]
    lines += [
        "| 1 | a run ended otherwise, or a file is refused |",
        "| 2 | wrong usage |",
        "| 130, 143 | ended by Ctrl-C, by SIGTERM |",
    ]
    lines += ["", "| outcome of a run | exit code | means |", "|---|---|---|"]
    for word, meaning in MEANINGS.items():
        code = 130 if word == "interrupted" else 0 if word in SUCCESSES else 1
        lines.append(f"| `{word}` | {code} | {meaning} |")
    for name, text in helps(main, "docksim"):
        lines += ["", f"## {name}", "", *(f"    {line}".rstrip() for line in text.splitlines())]
    return "\n".join(lines) + "\n"


def helps(command: click.Command, name: str) -> Iterator[tuple[str, str]]:
    """Every command by its whole name, with its help."""
    context = click.Context(command, info_name=name, max_content_width=100)
    yield name, command.get_help(context)
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None:
                yield from helps(found, f"{name} {child}")


def python_page() -> str:
    """The names of `import docksim`, with what they can do."""
    lines = ["# Python", MADE, inspect.cleandoc(docksim.__doc__ or "").replace("\n    ", "\n\n    ", 1)]
    for name in docksim.__all__:
        if not name.startswith("_"):
            lines += _described(f"docksim.{name}", getattr(docksim, name))
    return "\n".join(lines) + "\n"


def _described(name: str, thing: object) -> Iterator[str]:
    yield from ("", f"## {name}", "", "    " + _signature(name, thing), "", _words(thing))
    if not inspect.isclass(thing):
        return
    for own, member in _members(thing).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if own.startswith("_") or not (inspect.isfunction(function) or isinstance(member, property)):
            continue
        shown = f"{name}.{own}"
        is_value = isinstance(member, property)
        yield from (
            "",
            f"### {shown}",
            "",
            f"    {shown if is_value else _signature(shown, function)}",
            "",
            _words(member),
        )


def _members(thing: type) -> dict[str, object]:
    """Its own and those that it has from other classes of docksim."""
    homes = [one for one in thing.__mro__ if one.__module__.startswith("docksim")]
    return {name: member for home in reversed(homes) for name, member in vars(home).items()}


def _signature(name: str, thing: object) -> str:
    if inspect.isclass(thing) and issubclass(thing, Exception):
        return name
    return f"{name}{inspect.signature(thing)}"  # type: ignore[arg-type]


def _words(thing: object) -> str:
    return inspect.getdoc(thing) or ""


PAGES = {"keys": keys_page, "commands": commands_page, "python": python_page}


def write(folder: Path) -> list[Path]:
    """All pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / f"{name}.md").write_text(page(), encoding="utf-8")
    return [folder / f"{name}.md" for name in PAGES]


if __name__ == "__main__":
    for path in write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER):
        print(path)
