"""Options of all commands, as the command line knows them: nothing is run here."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from docksim.cli import main
from docksim.cli.options import Number


def options(command: click.Command, path: str = "docksim") -> Iterator[tuple[str, click.Option]]:
    """Every option of a command and of those below it, with its place."""
    context = click.Context(command)
    for param in command.params:
        if isinstance(param, click.Option):
            yield f"{path} {param.opts[0]}", param
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below, f"{path} {name}")


OPTIONS = list(options(main))


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
