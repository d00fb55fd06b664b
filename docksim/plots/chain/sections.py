"""Loads along a link or beam: the diagram at its worst instant, and what each section went through in the whole run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.page import page
from docksim.result.sections import KINDS, UNITS, LineLoads

PANEL_IN, GAP_IN, TOP_IN = 1.25, 0.22, 0.62
AXES = {"axial": ("N",), "shear": ("Vy", "Vz"), "torsion": ("T",), "bending": ("My", "Mz")}
LIMIT_SEEN = 3.0  # a limit is drawn up to so many times the largest load


def section_figures(lines: Sequence[LineLoads]) -> dict[str, Figure]:
    """One figure a line that has a length."""
    long = [line for line in lines if line.distance_m[-1] > 0.0]
    return {f"sections_{line.name.replace('.', '_')}": section_figure(line) for line in long}


def section_figure(line: LineLoads) -> Figure:
    """Axial force, shear, torsion and bending against the distance from the root."""
    row = line.worst_row()
    shown = [kind for kind in KINDS if kind in ("axial", "shear", "bending") or line.worst(kind).size > 0.0]
    height = TOP_IN + len(shown) * (PANEL_IN + GAP_IN) + style.BOTTOM_IN
    left, right = style.LEFT_IN, 1.55
    margins = line.margins()
    why = "the least margin" if margins and np.isfinite(min(margins.values())) else "the largest load"
    when = f"lines: at t = {line.time_s[row]:.4g} s, {why}; bands: least to largest over the whole time"
    if len(line.time_s) == 1:
        when = "in the state given; force and moment of the outer part on the inner one"
    with page(f"{line.name}: loads along it", height) as figure:
        place = 0.1 / style.WIDTH_IN, 1 - 0.29 / height
        figure.text(*place, when, va="top", fontsize=style.SMALL_PT, parse_math=False)
        for i, kind in enumerate(shown):
            low = height - TOP_IN - PANEL_IN - i * (PANEL_IN + GAP_IN)
            width = style.WIDTH_IN - left - right
            axes = figure.add_axes((left / style.WIDTH_IN, low / height, width / style.WIDTH_IN, PANEL_IN / height))
            _panel(axes, line, kind, row)
            # sections with names of their own
            for name, k in line.named.items():
                axes.axvline(line.distance_m[k], **style.EVENT_LINE)
                if i == 0:
                    top, look = axes.get_xaxis_transform(), {"ha": "center", "va": "bottom", **style.EVENT_TEXT}
                    axes.text(line.distance_m[k], 1.02, name, transform=top, **look)
            axes.yaxis.set_label_coords((0.2 - left) / width, 0.5)
            if i == len(shown) - 1:
                axes.set_xlabel("distance from the root [m]")
            else:
                axes.tick_params(labelbottom=False)
    return figure


def _panel(axes: Axes, line: LineLoads, kind: str, row: int) -> None:
    x = line.distance_m
    for look, word, k in zip(style.CURVES, AXES[kind], KINDS[kind]):
        values = line.loads[:, :, k]
        axes.plot(x, values[row], label=word, **look)
        if len(values) > 1:
            axes.fill_between(x, values.min(axis=0), values.max(axis=0), color=look["color"], **style.BAND)
    _limit(axes, line, kind)
    axes.set_xlim(x[0], x[-1])
    low, high = axes.get_ylim()
    if line.worst(kind).size < 1e-9:
        axes.set_ylim(-1.0, 1.0)
    elif kind in ("axial", "torsion") and low > 0.0:
        axes.set_ylim(0.0, high)
    axes.set_ylabel(f"{kind} [{UNITS[kind].replace('Nm', 'N m')}]")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


def _limit(axes: Axes, line: LineLoads, kind: str) -> None:
    """What may be, factor of safety taken off; only words where it is far above all loads."""
    if kind not in line.allowable:
        return
    most = line.allowable[kind] / line.factor
    if most <= LIMIT_SEEN * line.worst(kind).size:
        for sign in (1.0, -1.0):
            axes.axhline(sign * most, label=f"allowed {most:.4g}" if sign > 0.0 else None, **style.LIMIT)
    else:
        axes.plot([], [], label=f"allowed {most:.4g}", **style.LIMIT)
