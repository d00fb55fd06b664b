"""docksim identify: inertial parameters of a chain from recorded motion; a motion that tells them well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from docksim import chain as chains
from docksim.chain import load_chain
from docksim.chain.excite import Excitation, excitation
from docksim.chain.identification import Identification
from docksim.chain.identification import identify as fit
from docksim.chain.model import ChainModel
from docksim.chain.motion_files import state_columns, write_columns
from docksim.chain.recording import WINDOW, read_recording
from docksim.cli.identify_tables import content, show
from docksim.cli.options import Number, figure_format, no_figures
from docksim.config import ScenarioError
from docksim.result.arrays import whole, write_npz
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
@click.option(
    "--confidence", type=Number(0.5, 0.9999), default=0.95, show_default=True,
    help="Of the intervals.",
)  # fmt: skip
@click.option(
    "--window", type=click.IntRange(5, 999), default=WINDOW, show_default=True,
    help="Samples that derive rates and accelerations where DATA has none; odd.",
)  # fmt: skip
@click.option(
    "--period", type=Number(0.01, 1e5), default=10.0, show_default=True,
    help="Of --excite [s].",
)  # fmt: skip
@click.option("--harmonics", type=click.IntRange(2, 50), default=5, show_default=True, help="Of --excite.")
@click.option(
    "--rate", type=Number(1.0, 1e4), default=100.0, show_default=True,
    help="Of its rows [Hz].",
)  # fmt: skip
@click.option("--rounds", type=click.IntRange(0, 1000), default=25, show_default=True, help="Of its search.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of its search, of --by energy.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: results/identify/NAME]")
@figure_format
@no_figures("Only the table and the data.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable figures on standard output.")
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
    try:
        model = load_chain(file)
        if excite:
            _excite(model, name, folder, options)
        elif data is not None:
            context.exit(_identify(model, name, data, folder, options))
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except ResultError as error:
        click.echo(f"{data or file}: {error}", err=True)
        context.exit(1)


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
        found = chains.identify_by_energy(model, recording, **more, **asked)
    else:
        found = fit(model, read_recording(data, model, window=options["window"]), **asked)
    paths = _write(model, name, found, folder, None if options["no_figures"] else options["kind"])
    if options["as_json"]:
        click.echo(json.dumps(content(model, found), indent=1))
    else:
        show(model, name, found)
        for path in paths:
            click.echo(str(path))
    for group in found.unknown:
        click.echo(_cannot_tell(group), err=True)
    return 1 if found.unknown else 0


def _cannot_tell(group: tuple[str, ...]) -> str:
    if len(group) == 1:
        return f"{group[0]} cannot be told from this data: nothing in the motion depends on it; let more joints move"
    listed = ", ".join(group)
    return f"{listed} cannot be told from this data: only sums of them show in it; let more joints move, faster"


def _write(model: ChainModel, name: str, found: Identification, folder: Path, kind: str | None) -> list[Path]:
    text = json.dumps(content(model, found), indent=1)
    arrays = {
        "names": np.array(found.names, dtype=str),
        "values": found.fit.values,
        "half_width": found.fit.half_width,
        "covariance": found.fit.covariance,
        "Y": found.base.Y,
        "time_s": found.recording.time_s,
        "measured": found.measured,
        "predicted": found.fit.predicted,
    }
    if found.real is not None:
        arrays |= {"links": found.real.parameters, "consistent": found.real.values}
    paths = [
        whole(folder / "parameters.json", lambda path: _write_text(path, text)),
        write_npz(folder / "identification.npz", arrays),
    ]
    if kind is None:
        return paths
    from docksim.plots.chain_motion import forces_figure
    from docksim.plots.files import write_figures

    words = "energy of the links" if found.by == "energy" else "forces of the joints"
    title, sensors = f"{name}: measured and predicted {words}", found.sensors(model)
    figure = forces_figure(
        title, sensors, found.recording.time_s, found.measured, found.fit.predicted, found.fit.noise.tolist()
    )
    return paths + write_figures({found.by: figure}, folder, kind)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


# ---------------------------------------------------------------- a motion to record


def _excite(model: ChainModel, name: str, folder: Path, options: dict[str, Any]) -> None:
    def heard(condition: float) -> None:
        click.echo(f"condition number {condition:.4g}", err=True)

    found = excitation(
        model,
        period_s=options["period"],
        harmonics=options["harmonics"],
        samples=max(4 * options["harmonics"] + 4, round(options["period"] * options["rate"])),
        seed=options["seed"],
        rounds=options["rounds"],
        progress=None if options["as_json"] else heard,
    )
    columns = state_columns(model, found.time_s, found.q, found.rates, found.accelerations, found.force)
    paths = write_columns(columns, folder, "excitation")
    if not options["no_figures"]:
        paths += _draw_excitation(model, name, found, folder, options["kind"])
    if options["as_json"]:
        figures = {"condition": found.condition, "random_condition": found.random_condition, "notes": list(found.notes)}
        click.echo(json.dumps(figures, indent=1))
        return
    click.echo(f"condition number {found.condition:.4g}; random motions have {found.random_condition:.4g} (median)")
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    for path in paths:
        click.echo(str(path))


def _draw_excitation(model: ChainModel, name: str, found: Excitation, folder: Path, kind: str) -> list[Path]:
    from docksim.plots.chain_motion import state_figure
    from docksim.plots.files import write_figures

    figure = state_figure(f"{name}: motion to record", model, found.time_s, found.q, found.rates, found.force)
    return write_figures({"excitation": figure}, folder, kind)
