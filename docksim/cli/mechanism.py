"""docksim mechanism inspect: a docking mechanism in tables, a figure to check by eye, its workspace, what resists."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Column, Table
from rich.text import Text

from docksim.cli.complete import ScenarioPath
from docksim.cli.loading import refusals
from docksim.cli.options import figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import fact_table, left, listing, print_table, right
from docksim.config import ScenarioError, load_scenario
from docksim.config.errors import Problem, unknown
from docksim.config.loading.scenario import is_scenario
from docksim.hardware.inspect_mechanism import Inspection, inspect
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.yielding import Resistance, Yielding
from docksim.result.files import plain


@click.group()
def mechanism() -> None:
    """Look at a docking mechanism."""


@mechanism.command(name="inspect", short_help="Table, figure and workspace of a mechanism file.")
@click.argument("file", type=ScenarioPath())
@click.option(
    "--vehicle", metavar="NAME", help="Of a scenario: the vehicle whose mechanism it is.  [default: the first with one]"
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the figures.  [default: results/mechanisms/NAME]"
)
@figure_format
@no_figures("Only the table.")
@json_option
def inspect_file(file: str, vehicle: str | None, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """Strokes, conditioning, frequencies and workspace of the mechanism in FILE, and the force that tilts its ring.

    FILE is a mechanism, such as configs/mechanisms/x.yaml, or a scenario: then it is what the first vehicle with a
    mechanism has at the start of the run.
    """
    with refusals():
        own = _loaded(file, vehicle)
    figures, stem = inspect(own), Path(file).stem
    if as_json:
        # JSON has no infinity: a limit that is not there is null
        click.echo(json.dumps(plain(asdict(figures)), indent=1))
    else:
        for table in (leg_table(stem, figures), device_table(figures), figure_table(figures)):
            print_table(table)
        print_table(resistance_table(figures.yielding))
    if not no_figures:
        from docksim.plots.hardware.figures import mechanism_figures

        save_figures(mechanism_figures(own, stem), out or Path("results") / "mechanisms" / stem, kind, quiet=as_json)


def _loaded(file: str, name: str | None) -> Mechanism:
    """Of a file of its own, or of a scenario."""
    if not is_scenario(file):
        return Mechanism.load(file)
    vehicles = load_scenario(file).vehicles
    carrying = {key: vehicle.mechanism for key, vehicle in vehicles.items() if vehicle.mechanism is not None}
    if not carrying:
        raise ScenarioError([Problem(file, None, "vehicles", "none of them has a mechanism")])
    if name is not None and name not in carrying:
        raise ScenarioError([Problem(file, None, "vehicles", unknown("mechanism on a vehicle", name, carrying))])
    return Mechanism(carrying[name or next(iter(carrying))])


def _value(value: float, digits: int = 4) -> str:
    return f"{round(value, 9) + 0.0:.{digits}g}" if math.isfinite(value) else "-"


def leg_table(name: str, figures: Inspection) -> Table:
    """One row a leg."""
    figures_of_leg = right("reference", "lower", "upper", "limit", "spring", "mass")
    table = listing(name, *right("leg", wrap=True), Column("type"), *figures_of_leg, tight=True)
    for leg in figures.legs:
        turn = leg.unit == "deg"
        ends = (leg.reference, leg.lower, leg.upper)
        span = [f"{_value(value)} {leg.unit}" if math.isfinite(value) else "-" for value in ends]
        limit = f"{_value(leg.force_limit)} {'N m' if turn else 'N'}" if math.isfinite(leg.force_limit) else "-"
        spring = f"{_value(leg.stiffness)} {'N m/rad' if turn else 'N/m'}"
        table.add_row(str(leg.number), leg.type, *span, limit, spring, f"{_value(leg.mass_kg)} kg")
    return table


def device_table(figures: Inspection) -> Table:
    """What acts on which shaft."""
    table = listing("", *left("shaft", "sum of"), *right("range"), *left("devices", fold=True), tight=True)
    for row in figures.devices:
        limits = [_value(limit, 3) for limit in (row.lower, row.upper)]
        span = "-" if limits == ["-", "-"] else f"{limits[0]} to {limits[1]} {row.unit}"
        table.add_row(row.shaft, weight_words(row.weights), span, "\n".join(row.words) or "none; it only measures")
    return table


def weight_words(weights: tuple[float, ...]) -> str:
    """Legs by their weight in a coupling, one weight a line: '0.333: 1 2'."""
    legs: dict[float, list[str]] = {}
    for number, weight in enumerate(weights, start=1):
        if weight:
            legs.setdefault(weight, []).append(str(number))
    return "\n".join(f"{_value(weight, 3)}: {' '.join(numbers)}" for weight, numbers in legs.items())


def figure_table(figures: Inspection) -> Table:
    """What concerns the mechanism as a whole."""
    table = fact_table()
    table.add_row("mass", f"{_value(figures.mass_kg)} kg, of which the ring {_value(figures.ring_mass_kg)} kg")
    table.add_row("Jacobian condition", f"{_value(figures.condition)} at the reference pose (1 is the best)")
    margin = (
        f"{_value(figures.singularity_margin)} at the reference pose, at least {_value(figures.box_margin)} in the box"
    )
    table.add_row("singularity margin", margin)
    share = "all" if figures.box_share == 1.0 else f"{100 * figures.box_share:.1f} %"
    table.add_row("IDSS misalignments", f"{share} of the poses 0.1 m, 4 deg tilt, 4 deg roll off keep every limit")
    if math.isfinite(figures.axial_capacity_N):
        table.add_row(
            "axial capacity", f"{_value(figures.axial_capacity_N)} N on the ring, no actuator beyond its limit"
        )
    for i, mode in enumerate(figures.modes):
        text = f"{_value(mode.frequency_Hz):>7} Hz  damping ratio {_value(mode.damping_ratio, 3):<5} {mode.motion}"
        table.add_row("ring on its springs" if i == 0 else "", text)
    if not figures.modes:
        table.add_row("ring on its springs", "no springs are given")
    return table


def resistance_table(by_motion: Yielding) -> Table:
    """What resists before capture, slowly: one row a size, springs and friction of the weakest side."""
    figures = right("by", "springs", "friction", "weakest", "strongest", "centre held")
    table = listing("", *left("the ring"), *figures, tight=True)
    table.title = Text("what resists, slowly [N]: weakest side and strongest")
    for row, held in zip(by_motion.tilt, by_motion.tilt_centre_held, strict=False):
        centre_held = f"{held.force_N:.0f} to {held.strongest_N:.0f}"
        table.add_row(*_resists("is tilted" if row is by_motion.tilt[0] else "", row, "deg"), centre_held)
    for name, rows in (("moves aside", by_motion.lateral), ("is pushed in", by_motion.inward)):
        for row in rows:
            table.add_row(*_resists(name if row is rows[0] else "", row, "m"), "")
    table.caption = f"tilted by a force along the axis, {_value(by_motion.radius_m, 3)} m from it, the mean length held"
    table.caption_justify = "left"
    return table


def _resists(name: str, row: Resistance, unit: str) -> list[str]:
    forces = (row.springs_N, row.friction_N, row.force_N, row.strongest_N)
    return [name, f"{_value(row.size, 2)} {unit}", *(f"{round(force, 6) + 0.0:.0f}" for force in forces)]
