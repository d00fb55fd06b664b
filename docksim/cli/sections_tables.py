"""Tables of docksim sections."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from docksim.chain.accuracy import ToolAccuracy
from docksim.result.sections import UNITS, LineLoads


def loads_table(name: str, lines: Sequence[LineLoads]) -> Table:
    """Largest loads of every line, where and when, and its least margin."""
    table = Table(
        box=box.SIMPLE_HEAD, title=Text(f"{name}: largest loads", "bold"), title_justify="left", padding=(0, 1, 0, 0)
    )
    table.add_column("along", no_wrap=True)
    for kind, unit in UNITS.items():
        table.add_column(f"{kind} [{unit.replace('Nm', 'N m')}]", justify="right", no_wrap=True)
    table.add_column("bending at", justify="right", no_wrap=True)
    table.add_column("margin", justify="right", no_wrap=True)
    for line in lines:
        worst = line.worst("bending")
        place = f"{line.distance_m[worst.section]:.4g} m"
        if len(line.time_s) > 1:
            place += f", {line.time_s[worst.row]:.4g} s"
        table.add_row(
            Text(line.name), *(f"{line.worst(kind).size:.4g}" for kind in UNITS), place if worst.size else "-",
            _margin(line),
        )  # fmt: skip
    return table


def _margin(line: LineLoads) -> Text:
    margins = line.margins()
    if not margins:
        return Text("-")
    kind = min(margins, key=lambda key: margins[key])
    if not math.isfinite(margins[kind]):
        return Text("no load")
    return Text(f"{margins[kind]:+.2f} {kind}", "bold red" if margins[kind] < 0.0 else "")


def accuracy_table(tool: ToolAccuracy) -> Table:
    """Sag, tilt and stiffness of the tool."""
    table = Table(box=box.SIMPLE_HEAD, title=Text("the tool, under weight and load", "bold"), title_justify="left")
    table.add_column("", no_wrap=True)
    for axis in "xyz":
        table.add_column(axis, justify="right", no_wrap=True)
    table.add_row(Text("sag [mm]"), *(f"{1e3 * value + 0.0:.4g}" for value in tool.sag_m))
    table.add_row(Text("tilt [deg]"), *(f"{value + 0.0:.4g}" for value in np.degrees(tool.tilt_rad)))
    table.add_row(Text("gives way [mm/N]"), *(f"{1e3 * value + 0.0:.4g}" for value in np.diag(tool.compliance)[:3]))
    return table


def stiffness_words(tool: ToolAccuracy) -> str:
    """Of the tool against forces, in one line."""
    softest, hardest = tool.stiffness_N_m()
    return f"stiffness of the tool against forces: {softest:.4g} N/m at the softest, {hardest:.4g} N/m at the hardest"
