"""Options of all commands, as the command line knows them: hardly anything is run here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import click
import pytest
from click.testing import CliRunner

import docksim.cli
from docksim import __version__
from docksim.cli import TABLE, main
from docksim.cli.options import Number


def commands(command: click.Command, path: str = "docksim") -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, each with its place."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, f"{path} {name}")


COMMANDS = list(commands(main))
OPTIONS = [
    (f"{path} {param.opts[0]}", param)
    for path, command in COMMANDS
    for param in command.params
    if isinstance(param, click.Option)
]


@pytest.mark.parametrize("name", TABLE)
def test_table_has_the_name_and_the_line_of_every_command(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert (command.name, command.get_short_help_str(limit=100)) == (name, TABLE[name][1])


def test_every_command_can_be_reached() -> None:
    modules = [import_module(f"docksim.cli.{module.name}") for module in iter_modules(docksim.cli.__path__)]
    values = [value for module in modules for value in vars(module).values()]
    made = [value for value in values if isinstance(value, click.Command)]
    assert len(made) > len(TABLE)
    assert [value.name for value in made if all(value is not command for _, command in COMMANDS)] == []


def test_every_option_says_what_it_does() -> None:
    assert len(OPTIONS) > 100
    assert [place for place, option in OPTIONS if not option.help] == []


def test_every_number_is_of_the_type_that_refuses_what_is_not_finite() -> None:
    lax = []
    for place, option in OPTIONS:
        types = option.type.types if isinstance(option.type, click.Tuple) else [option.type]
        lax += [place for one in types if one is click.FLOAT or type(one) is click.FloatRange]
    assert lax == []


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999", "x", ""])
def test_what_is_not_a_finite_number_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Number(min=0.0).convert(text, None, None)
    assert Number(min=0.0).convert("2.5", None, None) == 2.5


def test_figures_are_left_out_by_one_name_everywhere_and_the_old_one_is_understood_but_not_shown() -> None:
    names = ("no-figures", "plots")
    found = {place: option for place, option in OPTIONS if any(name in option.opts[0] for name in names)}
    assert len(found) >= 10
    for place, option in found.items():
        assert option.opts == ["--no-figures", "--no-plots"], place
        record = option.get_help_record(click.Context(main))
        assert record is not None
        assert record[0] == "--no-figures"


def test_ranges_are_written_as_people_write_them() -> None:
    assert Number(min=0.0, min_open=True, max=1e15)._describe_range() == "0 < x <= 1e15"
    assert Number(min=1e-9)._describe_range() == "1e-9 <= x"
    assert Number(max=0.5, max_open=True)._describe_range() == "x < 0.5"


# they end with no answer: services, and words for other programs
SILENT = ("cluster scheduler", "cluster worker", "completion", "schema", "watch")


def test_every_command_that_ends_with_an_answer_takes_json() -> None:
    leaves = [(path, command) for path, command in COMMANDS if not isinstance(command, click.Group)]
    without = {path for path, command in leaves if not any("--json" in one.opts for one in command.params)}
    assert without == {f"docksim {words}" for words in SILENT}


def test_what_is_written_or_printed_is_told_as_json(tmp_path: Path) -> None:
    def answer(*arguments: str) -> Any:
        done = CliRunner().invoke(main, [*arguments, "--json"])
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    scenario, chain = tmp_path / "spin.yaml", "configs/chains/planar_2r.yaml"
    assert answer("new", "spin", str(scenario)) == {
        "docksim_version": __version__, "files": [str(scenario)], "next": f"docksim run {scenario}",
    }  # fmt: skip
    assert answer("show", "dock_nds")["text"].startswith("# A 12 t chaser")
    assert [link["mass_kg"] > 0.0 for link in answer("chain", "inspect", chain, "--no-figures")["links"]] == [True] * 2
    code = tmp_path / "arm.c"
    assert answer("chain", "generate", chain, "--out", str(code))["files"] == [str(code)]
    assert "planar_2r_inverse" in answer("chain", "generate", chain)["text"]
    assert answer("chain", "equations", chain)["text"] == CliRunner().invoke(main, ["chain", "equations", chain]).stdout


def test_what_a_shell_passed_on_reaches_no_terminal_raw() -> None:
    done = CliRunner().invoke(main, ["explain", "\x1b]0;x\x07"])
    assert done.exit_code == 1
    assert done.output.startswith(r"Error: no key '\x1b]0;x\x07'")
