"""Linear models on standard output: the table of modes, and the same for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from docksim.cli.tables import print_table
from docksim.linear.model import LinearModel, Mode

MOST_ROWS = 24


def content(model: LinearModel) -> dict[str, Any]:
    """Modes and operating point as plain data."""
    modes = [
        {
            "real_1_s": mode.eigenvalue.real,
            "imaginary_1_s": mode.eigenvalue.imag,
            "frequency_Hz": mode.frequency_Hz,
            "damping_ratio": None if mode.free else mode.damping_ratio,
            "kind": mode.kind,
        }
        for mode in model.modes()
    ]
    return {
        "name": model.name,
        "time_s": model.time_s,
        "states": list(model.states),
        "inputs": list(model.inputs),
        "operating_point": dict(model.operating_point),
        "modes": modes,
        "notes": list(model.notes),
    }


def show(models: Sequence[LinearModel]) -> None:
    """The modes of one model in a table, or what a series holds."""
    first = models[0]
    where = f"{len(first.states)} states, {len(first.inputs)} inputs, {len(first.outputs)} outputs"
    if len(models) > 1:
        span = f"{models[0].time_s:.6g} to {models[-1].time_s:.6g} s"
        click.echo(f"{first.name}: {len(models)} models from {span}, {where}")
    else:
        table = Table(box=box.SIMPLE_HEAD, title=Text(f"{first.name}: {where}", "bold"), title_justify="left")
        for heading in ("mode", "frequency", "damping", "real part"):
            table.add_column(heading, justify="right", no_wrap=True)
        table.add_column("kind", no_wrap=True)
        table.add_column("moves most", overflow="fold")
        for cells in _mode_rows(first):
            table.add_row(*(Text(cell) for cell in cells))
        print_table(table)
    for note in dict.fromkeys(note for model in models for note in model.notes):
        click.echo(f"note: {note}", err=True)


def _mode_rows(model: LinearModel) -> list[tuple[str, ...]]:
    modes = model.modes()
    free = sum(mode.free for mode in modes)
    rows: list[tuple[str, ...]] = []
    if free:
        rows.append((f"1-{free}" if free > 1 else "1", "0 Hz", "", "", "free", "nothing holds it back"))
    for number, mode in enumerate(modes, 1):
        if mode.free:
            continue
        if len(rows) == MOST_ROWS:
            rows.append(("…", "", "", "", "", f"{len(modes) - number + 1} more in the files"))
            break
        swings = mode.frequency_Hz > 0.0
        rows.append(
            (
                str(number),
                f"{mode.frequency_Hz:.4g} Hz" if swings else "",
                f"{100 * mode.damping_ratio:.3g} %" if swings else "",
                f"{mode.eigenvalue.real:.4g} /s",
                mode.kind,
                _movers(model, mode),
            )
        )
    return rows


def _movers(model: LinearModel, mode: Mode) -> str:
    """The three coordinates with the largest part."""
    size = abs(mode.shape)
    order = sorted(range(len(size)), key=lambda i: -size[i])[:3]
    names = model.coordinates or model.states
    owners = [name.rpartition(".")[0] or name for name in names]
    words = [owner if owners.count(owner) == 1 else name for owner, name in zip(owners, names, strict=True)]
    bare = [word.removesuffix("_rad").removesuffix("_m") for word in words]
    return ", ".join(f"{bare[i]} {size[i]:.2g}" for i in order if size[i] > 0.05)
