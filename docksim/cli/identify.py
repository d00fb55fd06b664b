"""docksim identify: inertial parameters of a chain from recorded motion; a motion that tells them well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.text import Text

from docksim import chain as chains
from docksim.chain import load_chain
from docksim.chain.identification.by_forces import Identification
from docksim.chain.identification.by_forces import identify as fit
from docksim.chain.identification.excite import excitation
from docksim.chain.identification.recording import WINDOW, read_recording
from docksim.chain.model import ChainModel
from docksim.chain.motion.files import state_columns, write_columns
from docksim.cli.loading import refusals
from docksim.cli.options import Number, echo_paths, figure_format, json_option, no_figures
from docksim.cli.tables import left, listing, print_table, right
from docksim.result.arrays import write_npz, write_text
from docksim.result.result import ResultError

DRIVES = ("rotor", "viscous", "coulomb")


@click.command(short_help="Inertial parameters of a chain from recorded motion and torques.")
@click.argument("file", type=click.Path())
@click.argument("data", type=click.Path(path_type=Path), required=False)
@click.option("--excite", is_flag=True, help="Instead of DATA: search a motion that tells the parameters well.")
@click.option("--consistent", is_flag=True, help="Also the nearest links that real bodies can be.")
@click.option(
    "--by", type=click.Choice(("forces", "energy")), default="forces", show_default=True,
    help="Balance of forces, or of energy, which needs no accelerations.",
)  # fmt: skip
@click.option("--drive", "drives", multiple=True, type=click.Choice(DRIVES), help="Identify these of the joints, too.")
@click.option("--confidence", type=Number(0.5, 0.9999), default=0.95, show_default=True, help="Of the intervals.")
@click.option(
    "--window", type=click.IntRange(5, 999), default=WINDOW, show_default=True,
    help="Samples that derive rates and accelerations where DATA has none; odd.",
)  # fmt: skip
@click.option("--period", type=Number(0.01, 1e5), default=10.0, show_default=True, help="Of --excite [s].")
@click.option("--harmonics", type=click.IntRange(2, 50), default=5, show_default=True, help="Of --excite.")
@click.option("--rate", type=Number(1.0, 1e4), default=100.0, show_default=True, help="Of its rows [Hz].")
@click.option("--rounds", type=click.IntRange(0, 1000), default=25, show_default=True, help="Of its search.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of its search, of --by energy.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: results/identify/NAME]")
@figure_format
@no_figures("Only the table and the data.")
@json_option
@click.pass_context
def identify(context: click.Context, /, file: str, data: Path | None, excite: bool, **options: Any) -> None:
    """Base inertial parameters of the chain in FILE from DATA: CSV or .npz, one column a quantity, units in the names.

    \b
    DATA needs time_s and for every link LINK.angle_deg (or angle_rad, travel_m) and LINK.torque_Nm (or force_N);
    LINK.rate_deg_s and LINK.acceleration_deg_s2 (or _rad, _m) are derived if they are missing.

    \b
    Examples:
    docksim identify configs/chains/puma560.yaml --excite
    docksim identify configs/chains/planar_2r.yaml angles.csv --by energy
    docksim identify configs/chains/puma560.yaml measured.csv --drive viscous --drive coulomb --consistent
    """
    if excite == (data is not None):
        raise click.UsageError("give DATA, or --excite to search a motion to record; one of them")
    if options["window"] % 2 == 0:
        raise click.BadParameter("must be odd, so that it has a middle", param_hint="--window")
    name = Path(file).stem
    folder = options["out"] or Path("results") / "identify" / name
    with refusals():
        try:
            model = load_chain(file)
            if data is None:
                _excite(model, name, folder, options)
            else:
                context.exit(_identify(model, name, data, folder, options))
        except ResultError as error:
            raise ResultError(f"{data or file}: {error}") from None


# ---------------------------------------------------------------- from data


def _identify(model: ChainModel, name: str, data: Path, folder: Path, options: dict[str, Any]) -> int:
    asked = {
        "drives": tuple(dict.fromkeys(options["drives"])),
        "confidence": options["confidence"],
        "consistent": options["consistent"],
    }
    if options["by"] == "energy":
        recording = read_recording(data, model, window=options["window"], derive=False)
        more = {"window": options["window"], "seed": options["seed"]}
        answer = chains.identify_by_energy(model, recording, **more, **asked)
    else:
        answer = fit(model, read_recording(data, model, window=options["window"]), **asked)
    paths = _write(model, name, answer, folder, None if options["no_figures"] else options["kind"])
    if options["as_json"]:
        click.echo(json.dumps(content(model, answer), indent=1))
    else:
        show(model, name, answer)
        echo_paths(paths)
    for group in answer.unknown:
        why = "nothing in the motion depends on it; let more joints move"
        if len(group) > 1:
            why = "only sums of them show in it; let more joints move, faster"
        click.echo(f"{', '.join(group)} cannot be told from this data: {why}", err=True)
    return 1 if answer.unknown else 0


def _write(model: ChainModel, name: str, answer: Identification, folder: Path, kind: str | None) -> list[Path]:
    text = json.dumps(content(model, answer), indent=1)
    arrays = {
        "names": np.array(answer.names, dtype=str),
        "values": answer.fit.values,
        "half_width": answer.fit.half_width,
        "covariance": answer.fit.covariance,
        "Y": answer.base.Y,
        "time_s": answer.recording.time_s,
        "measured": answer.measured,
        "predicted": answer.fit.predicted,
    }
    if answer.real is not None:
        arrays |= {"links": answer.real.parameters, "consistent": answer.real.values}

    paths = [write_text(folder / "parameters.json", text), write_npz(folder / "identification.npz", arrays)]
    if kind is None:
        return paths
    from docksim.plots.chain.motion import forces_figure
    from docksim.plots.files import write_figures

    words = "energy of the links" if answer.by == "energy" else "forces of the joints"
    title, sensors = f"{name}: measured and predicted {words}", answer.sensors(model)
    figure = forces_figure(
        title, sensors, answer.recording.time_s, answer.measured, answer.fit.predicted, answer.fit.noise.tolist()
    )
    return paths + write_figures({answer.by: figure}, folder, kind)


def content(model: ChainModel, answer: Identification) -> dict[str, Any]:
    """All figures as plain data; what cannot be told is null."""

    def plain(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    fit = answer.fit
    sensors = [name for name, _ in answer.sensors(model)]
    parameters = [
        {
            "name": name,
            "unit": unit,
            "expression": words,
            "value": plain(fit.values[i]),
            "half_width": plain(fit.half_width[i]),
            "in_file": float(answer.nominal[i]),
            **({"consistent": float(answer.real.values[i])} if answer.real else {}),
        }
        for i, (name, unit, words) in enumerate(zip(answer.names, answer.units, answer.expressions, strict=True))
    ]
    return {
        "confidence": answer.confidence,
        "samples": len(answer.recording.time_s),
        "condition": plain(fit.condition),
        "by": answer.by,
        "noise": dict(zip(sensors, fit.noise.tolist(), strict=True)),
        "neighbour_correlation": dict(zip(sensors, fit.neighbours.tolist(), strict=True)),
        "parameters": parameters,
        "cannot_be_told": [list(group) for group in answer.unknown],
        "notes": notes(answer),
        **({"links": answer.real.parameters.tolist(), "consistent_misfit": answer.real.misfit} if answer.real else {}),
    }


def notes(answer: Identification) -> list[str]:
    """What a reader of the intervals must know."""
    words = list(answer.recording.notes)
    largest = float(abs(answer.fit.neighbours).max())
    if largest > 0.3:
        words.append(
            f"neighbouring residuals are correlated ({largest:.2f}): the noise is not white, or the model misses"
            " something (friction?); the intervals are too narrow"
        )
    return words


def show(model: ChainModel, name: str, answer: Identification) -> None:
    """Every parameter with its interval, then the noise."""
    fit = answer.fit
    samples = f"{len(answer.recording.time_s)} samples, condition number {fit.condition:.3g}"
    percent = f"{100 * answer.confidence:g} %"
    figures = right("value", f"± {percent}", "in the file", *(("consistent",) if answer.real else ()))
    table = listing(f"{name}: {samples}", *left("parameter"), *figures, *left("unit"), *left("stands for", fold=True))
    for i, parameter in enumerate(answer.names):
        told = fit.told[i]
        cells = [f"{fit.values[i]:.5g}", f"{fit.half_width[i]:.2g}"] if told else ["cannot be told", ""]
        cells.append(f"{answer.nominal[i]:.5g}")
        if answer.real:
            cells.append(f"{answer.real.values[i]:.5g}")
        table.add_row(Text(parameter), *cells, answer.units[i], Text(answer.expressions[i]))
    print_table(table)
    for (sensor, unit), noise in zip(answer.sensors(model), fit.noise, strict=True):
        click.echo(f"noise of {sensor}: {noise:.3g} {unit}")
    for note in notes(answer):
        click.echo(f"note: {note}", err=True)


# ---------------------------------------------------------------- a motion to record


def _excite(model: ChainModel, name: str, folder: Path, options: dict[str, Any]) -> None:
    def heard(condition: float) -> None:
        click.echo(f"condition number {condition:.4g}", err=True)

    motion = excitation(
        model,
        period_s=options["period"],
        harmonics=options["harmonics"],
        samples=max(4 * options["harmonics"] + 4, round(options["period"] * options["rate"])),
        seed=options["seed"],
        rounds=options["rounds"],
        progress=None if options["as_json"] else heard,
    )
    columns = state_columns(model, motion.time_s, motion.q, motion.rates, motion.accelerations, motion.force)
    paths = write_columns(columns, folder, "excitation")
    if not options["no_figures"]:
        from docksim.plots.chain.motion import state_figure
        from docksim.plots.files import write_figures

        figure = state_figure(f"{name}: motion to record", model, motion.time_s, motion.q, motion.rates, motion.force)
        paths += write_figures({"excitation": figure}, folder, options["kind"])
    if options["as_json"]:
        figures = {
            "condition": motion.condition,
            "random_condition": motion.random_condition,
            "notes": list(motion.notes),
        }
        click.echo(json.dumps(figures, indent=1))
        return
    click.echo(f"condition number {motion.condition:.4g}; random motions have {motion.random_condition:.4g} (median)")
    for note in motion.notes:
        click.echo(f"note: {note}", err=True)
    echo_paths(paths)
