"""docksim interface show, docksim tune-contact: docking interfaces and the figures of their contact."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from docksim.cli.loading import refusals
from docksim.cli.options import Number, figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import fact_table, print_table
from docksim.config import load_interface
from docksim.config.schema.interface import Interface
from docksim.hardware.contact_tuning import LAWS, Tuning, tune
from docksim.hardware.inspect_interface import InterfaceFigures, PawlFigures, PinFigures, inspect_interface

POSITIVE = Number(1e-9, 1e12)


@click.group()
def interface() -> None:
    """Look at a docking interface."""


@interface.command(short_help="Table and figure of an interface file, apart and mated.")
@click.argument("file", type=click.Path())
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the figure.  [default: results/interfaces/NAME]"
)
@figure_format
@no_figures("Only the table.")
@json_option
def show(file: str, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """Sizes, play and first touch of the interface in FILE, such as configs/interfaces/x.yaml, with an equal mate.

    With latches also what their pawls push with, going in and out, and the work to pass them; with guide pins what they
    find, what play they leave, and the pull that a taper asks for.
    """
    with refusals():
        own = load_interface(file)
    figures, stem = inspect_interface(own), Path(file).stem
    if as_json:
        click.echo(json.dumps(asdict(figures), indent=1))
    else:
        rows = [*_rows(figures, own), *([("source", own.source)] if own.source else [])]
        print_table(fact_table(stem, rows))
    if not no_figures:
        from docksim.plots.hardware.figures import interface_figures

        save_figures(interface_figures(own, stem), out or Path("results") / "interfaces" / stem, kind, quiet=as_json)


def _rows(figures: InterfaceFigures, own: Interface) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if figures.passage_radius_m is not None:
        rows.append(("free passage", f"{2e3 * figures.passage_radius_m:.0f} mm in diameter"))
    if figures.petal_height_m is not None:
        rows.append(("petals", f"{1e3 * figures.petal_height_m:.0f} mm high"))
    if figures.guided_m is not None:
        rows.append(("lateral error guided", f"{1e3 * figures.guided_m:.0f} mm"))
    for group, gap in figures.clearances_m.items():
        words = "seated" if abs(gap) < 1e-6 else f"{1e3 * gap:.2f} mm" + (" of overlap" if gap < 0 else "")
        rows.append((f"mated, {group}", words))
    for offset, (low, high) in figures.first_touch_m.items():
        span = f"{1e3 * low:.1f}" if high - low < 5e-5 else f"{1e3 * low:.1f} to {1e3 * high:.1f}"
        rows.append((f"first touch, {1e3 * float(offset):.0f} mm off", f"ports {span} mm apart"))
    rows.append(("contact law", figures.contact_law))
    for features, ends in figures.contact_stiffness_N_m.items():
        words = " / ".join(f"{value:.4g}" for value in dict.fromkeys(ends))
        rows.append(
            (f"contact stiffness, {features}", f"{words} N/m" + (" (low, middle, high)" if "/" in words else ""))
        )
    rows.append(("contact friction", f"{own.contact.friction:g}"))
    for speed, value in figures.restitution.items():
        rows.append((f"restitution at {speed} m/s", f"{value:.3f}"))
    if figures.pawl is not None:
        rows += _pawl_rows(figures.pawl)
    if figures.pins is not None:
        rows += _pin_rows(figures.pins)
    limits = {key: value for key, value in own.limits.model_dump().items() if value is not None}
    for key, value in limits.items():
        stem, _, unit = key.rpartition("_")
        rows.append((f"limit, {stem.replace('_', ' ')}", f"{value:g} {'N m' if unit == 'Nm' else unit}"))
    return rows


def _pawl_rows(pawl: PawlFigures) -> list[tuple[str, str]]:
    passed = f"{pawl.peak_N:.3g} N at most, {pawl.work_to_pass_J:.3g} J over {1e3 * pawl.travel_m:.3g} mm"
    together = f"{pawl.count * pawl.peak_N:.3g} N, {pawl.count * pawl.work_to_pass_J:.3g} J"
    back = (
        f"{pawl.given_back_J:.3g} J"
        if pawl.given_back_J > 0.0
        else f"nothing, it takes {-pawl.given_back_J:.3g} J more"
    )
    room = ", ".join(f"{1e3 * room:.2g} mm at {tilt} deg" for tilt, room in pawl.side_window_m.items())
    return [
        ("to pass a pawl", passed),
        (f"all {pawl.count} at once", together),
        ("turned round before it", f"gives back {back}"),
        ("a pawl falls for", f"{1e3 * pawl.falls_s:.3g} ms"),
        ("side window, by tilt", room),
    ]


def _pin_rows(pins: PinFigures) -> list[tuple[str, str]]:
    pull = "it sticks" if pins.pull_over_side is None else f"{pins.pull_over_side:.3g} of the force across"
    return [
        ("pins", f"{1e3 * pins.length_m:.3g} mm long, find a hole {1e3 * pins.guided_m:.3g} mm aside"),
        ("pins leave", f"{1e3 * pins.play_m:.3g} mm, and {pins.roll_deg:.2g} deg of roll"),
        ("pull that a taper asks for", pull),
    ]


@click.command(name="tune-contact", short_help="Contact figures from masses, speed and limits.")
@click.option("--masses", type=(POSITIVE, POSITIVE), required=True, metavar="M1 M2", help="The two vehicles [kg].")
@click.option("--speed", type=POSITIVE, required=True, metavar="V", help="Closing speed [m/s].")
@click.option(
    "--penetration", type=POSITIVE, default=1e-3, show_default=True, metavar="D", help="Allowed at the load limit [m]."
)
@click.option("--load", type=POSITIVE, default=6500.0, show_default=True, metavar="F", help="Load limit [N].")
@click.option(
    "--restitution", type=Number(0.001, 1.0), default=0.8, show_default=True, metavar="E",
    help="Rebound over impact speed.",
)  # fmt: skip
@click.option(
    "--law", type=click.Choice(LAWS), default=LAWS[0], show_default=True, help="Contact law that is to rebound so."
)
@click.option("--ring-mass", type=POSITIVE, metavar="M", help="Light body that the contact shakes [kg].")
@click.option("--friction", type=Number(0.0, 10.0), default=0.1, show_default=True, metavar="MU", help="Coulomb's.")
@click.option("--step", type=POSITIVE, default=0.001, show_default=True, metavar="H", help="solver.step_s [s].")
@json_option
def tune_contact(
    masses: tuple[float, float], speed: float, penetration: float, load: float, restitution: float, law: str,
    ring_mass: float | None, friction: float, step: float, as_json: bool,
) -> None:  # fmt: skip
    """Stiffness, damping, step and substeps of a contact, each with its formula, and the lines for the files.

    \b
    Example, a 12 t chaser with a ring of 38 kg at a station:
    docksim tune-contact --masses 12000 400000 --speed 0.1 --ring-mass 38
    """
    tuned = tune(masses, speed, penetration, load, restitution, ring_mass, friction, step, law)
    if as_json:
        click.echo(json.dumps(asdict(tuned), indent=1))
        return
    inputs = {"speed": speed, "penetration": penetration, "load": load}
    print_table(fact_table("contact", _tuning_rows(tuned, inputs, ring_mass)))
    click.echo(_yaml(tuned, friction))


def _tuning_rows(tuned: Tuning, inputs: dict[str, Any], ring_mass: float | None) -> list[tuple[str, str]]:
    v = inputs["speed"]
    light = "m" if ring_mass is None else "m_ring"
    shaken = f"sqrt(k / {light}) / 2 pi, {light} = {tuned.light_mass_kg:.4g} kg"
    hit = f"{tuned.impact_force_N:.4g} N and {1e3 * tuned.impact_penetration_m:.3g} mm  =  v sqrt(k m), v sqrt(m / k)"
    hysteretic = tuned.damping_s_m is None
    share, period = ("(1 + e)/2 ", "e times the period") if hysteretic else ("", "the period")
    if not tuned.within_limits:
        hit += "\nbeyond the load limit: it is the mechanism between the bodies that must give way"
    return [
        ("reduced mass m", f"{tuned.reduced_mass_kg:.4g} kg  =  m1 m2 / (m1 + m2)"),
        ("stiffness k", f"{tuned.stiffness_N_m:.4g} N/m  =  F / d  =  {inputs['load']:g} / {inputs['penetration']:g}"),
        (f"rigid impact at {v:g} m/s", hit),
        _rebound_row(tuned, v),
        ("frequency", f"{tuned.frequency_Hz:.4g} Hz  =  {shaken}"),
        ("contact lasts", f"{1e3 * tuned.contact_time_s:.3g} ms  =  {share}pi sqrt({light} / k)"),
        ("presliding", f"{1e3 * tuned.presliding_m:.3g} mm at the load limit  =  mu F / (0.8 k)"),
        ("step in contact", f"{1e3 * tuned.contact_step_s:.3g} ms or less  =  a 75th of {period}"),
    ]


def _rebound_row(tuned: Tuning, v: float) -> tuple[str, str]:
    """What makes the contact lose energy; where damping outweighs the spring, this is said."""
    e, c = tuned.restitution, tuned.damping_s_m
    if c is None:
        return "unloading", f"{tuned.stiffness_N_m / e**2:.4g} N/m  =  k / e^2, e = {e:g} at any speed"
    text = f"{c:.4g} s/m  from  c v (1 + e) = ln((1 + c v) / (1 - e c v)), e = {e:g}"
    if c * v > 1.0:
        text += f"\nc v = {c * v:.3g} is above 1: the damper makes the peak force; take --law walton_braun"
    return "damping factor c", text


def _yaml(tuned: Tuning, friction: float) -> str:
    rebound = f"law: walton_braun, restitution: {tuned.restitution:g}"
    if tuned.damping_s_m is not None:
        rebound = f"damping_s_m: {tuned.damping_s_m:.4g}"
    law = f"{{stiffness_N_m: {tuned.stiffness_N_m:.6g}, {rebound}, friction: {friction:g}}}"
    return (
        f"in the interface:  contact: {law}\n"
        f"in the scenario:   solver.step_s: {tuned.step_s:g}, and substeps: {tuned.substeps} in the contact pair"
    )
