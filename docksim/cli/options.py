"""What options of several commands have in common: numbers in a range, figures, their kinds and their format."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from docksim.cli.tables import echo_json
from docksim.plots.kinds import CHOICES, MAIN_KINDS, MOTION_KINDS, RESULT_KINDS, STUDY_KINDS, Choice, is_channel
from docksim.result.result import ResultError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Command = TypeVar("_Command", bound=Callable[..., Any])
FIGURE_FORMATS = ("png", "svg", "pdf")

figure_format = click.option(
    "--format", "kind", type=click.Choice(FIGURE_FORMATS), default="png", show_default=True, help="Of the figures."
)

json_option = click.option("--json", "as_json", is_flag=True, help="Machine-readable, on standard output.")


class _Renamed(click.Option):
    """An option with a name of old: understood as ever, and not shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        shown = copy(self)
        shown.opts = self.opts[:1]
        return click.Option.get_help_record(shown, ctx)


def no_figures(text: str) -> Callable[[_Command], _Command]:
    """Leaves figures out, in every command that draws some; --no-plots is its name of old."""
    return click.option("--no-figures", "--no-plots", is_flag=True, cls=_Renamed, help=text)


def run_figures(command: _Command) -> _Command:
    """Which figures a run draws: --figures, and --no-figures for none; read by `figures_asked`."""
    docking = ", ".join(MAIN_KINDS)
    which = click.option(
        "--figures", type=click.Choice(CHOICES), default="main", show_default=True,
        help=f"Draw none, all, or what a docking is judged by: {docking}.",
    )  # fmt: skip
    return which(no_figures("The same as --figures none.")(command))


def figures_asked(context: click.Context, figures: Choice, no_figures: bool) -> Choice:
    """The choice that --figures and --no-figures make together."""
    if no_figures and figures != "none" and is_given(context, "figures"):
        raise click.UsageError(f"--no-figures contradicts --figures {figures}: give one of them")
    return "none" if no_figures else figures


def listed(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Words apart by commas or given one by one."""
    return tuple(name.strip() for text in given for name in text.split(",") if name.strip())


def kinds(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """Names of kinds of figures; a wrong one is answered with all there are."""
    return _refuse_unknown(listed(context, option, given))


def kinds_or_channels(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The same, or names of channels, which have a dot or a star."""
    names = listed(context, option, given)
    _refuse_unknown(tuple(name for name in names if not is_channel(name)))
    return names


def _refuse_unknown(names: tuple[str, ...]) -> tuple[str, ...]:
    all_kinds = {"of a result": RESULT_KINDS, "of a study": STUDY_KINDS, "of a chain's motion": MOTION_KINDS}
    wrong = next((name for name in names if not any(name in known for known in all_kinds.values())), None)
    if wrong is not None:
        lines = [f"{wrong!r} is no kind of figure; there are"]
        for title, known in all_kinds.items():
            lines += [f"{title}:", *(f"  {name:<12} {text}" for name, text in known.items())]
        raise click.BadParameter("\n".join(lines))
    return names


class Number(click.FloatRange):
    """A finite number in a range; nan compares with nothing, so a range by itself lets it pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value} is not a finite number", param, ctx)

    def _describe_range(self) -> str:
        """The range as people write numbers, for help and messages: 0 < x <= 1e15."""
        low = "" if self.min is None else f"{_plain(self.min)} {'<' if self.min_open else '<='} "
        high = "" if self.max is None else f" {'<' if self.max_open else '<='} {_plain(self.max)}"
        return f"{low}x{high}"


def _plain(number: float) -> str:
    return f"{number:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def is_given(context: click.Context, name: str) -> bool:
    """Did the user give the parameter, or is it the default?"""
    return context.get_parameter_source(name) not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None)


def save_figures(figures: Mapping[str, Figure], folder: Path, kind: str, quiet: bool = False) -> list[Path]:
    """Draw them into files, and name these unless told to be quiet."""
    from docksim.plots.files import write_figures

    try:
        paths = write_figures(figures, folder, kind)
    except ResultError as error:
        raise click.ClickException(str(error)) from error
    if not quiet:
        echo_paths(paths)
    return paths


def echo_paths(paths: Iterable[Path], as_json: bool = False) -> None:
    """Files that were written, a line each; or all of them for machines."""
    if as_json:
        return echo_json({"files": [str(path) for path in paths]})
    for path in paths:
        click.echo(str(path))
