"""Identified parameters on standard output: a table, and the same for machines."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from docksim.chain.identification import Identification
from docksim.chain.model import ChainModel
from docksim.cli.tables import print_table


def content(model: ChainModel, found: Identification) -> dict[str, Any]:
    """All figures as plain data; what cannot be told is null."""

    def plain(value: float) -> float | None:
        return float(value) if np.isfinite(value) else None

    fit = found.fit
    sensors = [name for name, _ in found.sensors(model)]
    parameters = [
        {
            "name": name,
            "unit": unit,
            "expression": words,
            "value": plain(fit.values[i]),
            "half_width": plain(fit.half_width[i]),
            "in_file": float(found.nominal[i]),
            **({"consistent": float(found.real.values[i])} if found.real else {}),
        }
        for i, (name, unit, words) in enumerate(zip(found.names, found.units, found.expressions, strict=True))
    ]
    return {
        "confidence": found.confidence,
        "samples": len(found.recording.time_s),
        "condition": plain(fit.condition),
        "by": found.by,
        "noise": dict(zip(sensors, fit.noise.tolist(), strict=True)),
        "neighbour_correlation": dict(zip(sensors, fit.neighbours.tolist(), strict=True)),
        "parameters": parameters,
        "cannot_be_told": [list(group) for group in found.unknown],
        "notes": notes(found),
        **({"links": found.real.parameters.tolist(), "consistent_misfit": found.real.misfit} if found.real else {}),
    }


def notes(found: Identification) -> list[str]:
    """What a reader of the intervals must know."""
    words = list(found.recording.notes)
    largest = float(abs(found.fit.neighbours).max())
    if largest > 0.3:
        words.append(
            f"neighbouring residuals are correlated ({largest:.2f}): the noise is not white, or the model misses"
            " something (friction?); the intervals are too narrow"
        )
    return words


def show(model: ChainModel, name: str, found: Identification) -> None:
    """Every parameter with its interval, then the noise."""
    fit = found.fit
    samples = f"{len(found.recording.time_s)} samples, condition number {fit.condition:.3g}"
    table = Table(box=box.SIMPLE_HEAD, title=Text(f"{name}: {samples}", "bold"), title_justify="left")
    table.add_column("parameter", no_wrap=True)
    percent = f"{100 * found.confidence:g} %"
    for heading in ("value", f"± {percent}", "in the file", *(("consistent",) if found.real else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("stands for", overflow="fold")
    for i, parameter in enumerate(found.names):
        told = fit.told[i]
        cells = [f"{fit.values[i]:.5g}", f"{fit.half_width[i]:.2g}"] if told else ["cannot be told", ""]
        cells.append(f"{found.nominal[i]:.5g}")
        if found.real:
            cells.append(f"{found.real.values[i]:.5g}")
        table.add_row(Text(parameter), *cells, found.units[i], Text(found.expressions[i]))
    print_table(table)
    for (sensor, unit), noise in zip(found.sensors(model), fit.noise, strict=True):
        click.echo(f"noise of {sensor}: {noise:.3g} {unit}")
    for note in notes(found):
        click.echo(f"note: {note}", err=True)
