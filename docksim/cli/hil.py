"""docksim hil: how much delay a test rig may have."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.table import Column, Table

from docksim.cli.options import Number, figure_format, json_option, no_figures
from docksim.cli.tables import print_table
from docksim.realtime.hil import Verdict, judge
from docksim.realtime.hil_loop import LONGEST, Loop, crossover
from docksim.result.files import plain
from docksim.result.result import ResultError

POSITIVE = Number(min=1e-9, max=1e15)
NOT_NEGATIVE = Number(min=0.0, max=1e15)
NAMES = {"none": "none", "lead": "lead", "passivity": "passivity control"}


@click.command(short_help="How much delay a test rig may have, and what it does to a contact.")
@click.option("--mass", type=POSITIVE, required=True, metavar="KG", help="Simulated; of two vehicles the reduced one.")
@click.option("--stiffness", type=POSITIVE, required=True, metavar="N/M", help="Of the contact hardware.")
@click.option("--damping", type=NOT_NEGATIVE, default=0.0, show_default=True, metavar="NS/M", help="Of the hardware.")
@click.option("--delay", type=NOT_NEGATIVE, required=True, metavar="S", help="From simulated motion to measured force.")
@click.option("--bandwidth", type=POSITIVE, metavar="HZ", help="Of the rig's motion, first order.  [default: none]")
@click.option("--rate", type=POSITIVE, metavar="HZ", help="Sampled simulation: adds one and a half periods of delay.")
@click.option("--speed", type=POSITIVE, default=0.05, show_default=True, metavar="M/S", help="Of the impact.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results/hil"), show_default=True, help="Folder.")
@figure_format
@json_option
@no_figures("Do not draw the figure.")
@click.pass_context
def hil(
    context: click.Context, /, mass: float, stiffness: float, damping: float, delay: float, bandwidth: float | None,
    rate: float | None, speed: float, out: Path, kind: str, as_json: bool, no_figures: bool,
) -> None:  # fmt: skip
    """Judge a loop of a simulated mass, a rig and real contact hardware; exit code 1 if it would run away.

    \b
    Example, a rig of 4 ms that tests a latch with 100 kN/m against a reduced mass of 4 t:
    docksim hil --mass 4000 --stiffness 1e5 --damping 2000 --delay 0.004 --bandwidth 30 --rate 1000
    """
    total = delay + (1.5 / rate if rate else 0.0)
    loop = Loop(mass, stiffness, damping, total, 2.0 * math.pi * bandwidth if bandwidth else math.inf)
    if loop.damping_ratio >= 1.0:
        limit = 2.0 * math.sqrt(stiffness * mass)
        raise click.BadParameter(f"{damping:g} N s/m is overdamped; below {limit:.6g} the contact rebounds",
                                 param_hint="--damping")  # fmt: skip
    if loop.slowness > LONGEST:
        slow = f"delay and lag together are {loop.slowness:.3g} times the contact's own time scale of"
        raise click.UsageError(f"{slow} {1.0 / loop.frequency:.3g} s: such a rig follows nothing (at most {LONGEST:g})")
    verdict, courses = judge(loop, speed)
    figure = None
    if not no_figures:
        from docksim.plots.files import write_figures
        from docksim.plots.realtime import hil_figure

        try:
            (figure,) = write_figures({"hil": hil_figure(verdict, courses, speed)}, out, kind)
        except ResultError as error:
            click.echo(str(error), err=True)
    if as_json:
        gains = {name: verdict.gain(name) for name in verdict.rebound}
        content = {**asdict(verdict), "stable": verdict.stable, "energy_against_no_rig": gains}
        click.echo(json.dumps(plain(content), indent=1, allow_nan=False))
    else:
        _echo_table(verdict)
        if figure:
            click.echo(f"figure   {figure}")
    context.exit(0 if verdict.stable else 1)


def _echo_table(verdict: Verdict) -> None:
    loop = verdict.loop
    facts = Table("", Column(justify="right"), box=box.SIMPLE_HEAD, show_header=False)
    facts.add_row("contact's own frequency", f"{loop.frequency / (2.0 * math.pi):.3f} Hz")
    facts.add_row("damping ratio", f"{loop.damping_ratio:.4f}")
    facts.add_row("crossover of the loop", f"{crossover(loop) / (2.0 * math.pi):.3f} Hz")
    facts.add_row("delay, sampling included", f"{1e3 * loop.delay:.3f} ms")
    facts.add_row("critical delay", f"{1e3 * verdict.critical_delay:.3f} ms")
    facts.add_row("verdict", "stable" if verdict.stable else "runs away: delay beyond the critical one")
    print_table(facts)
    table = Table(box=box.SIMPLE_HEAD, title="one bounce", title_justify="left", title_style="bold")
    for name in ("compensation", "rebound / impact speed", "energy against no rig", "critical delay"):
        table.add_column(name, justify="left" if name == "compensation" else "right")
    table.add_row("no rig", f"{verdict.ideal:.4f}", "1.000", "")
    for name, words in NAMES.items():
        critical = "gains none" if name == "passivity" else f"{1e3 * verdict.critical[name]:.3f} ms"
        table.add_row(words, f"{verdict.rebound[name]:.4f}", f"{verdict.gain(name):.3f}", critical)
    print_table(table)
