"""Who absorbed what: a bar for every leg and coupling, its parts by kind of device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from docksim.plots import style
from docksim.plots.events import fit, text_width_in

BAR_IN, TOP_IN, BOTTOM_IN, RIGHT_IN = 0.26, 0.62, 0.5, 0.7
LOOKS: dict[str, dict[str, Any]] = {
    "damper": {"facecolor": "#0072b2"},
    "brake": {"facecolor": "#d55e00", "hatch": "////"},
    "stop": {"facecolor": "#333333"},
    "motor": {"facecolor": "#009e73", "hatch": "\\\\\\\\"},
}


def absorbed_figure(title: str, parts: Mapping[str, Mapping[str, np.ndarray]]) -> Figure:
    """Energy taken from the system over the whole run; what a motor has given points to the left."""
    names = list(parts)
    left = min(max(text_width_in(name) for name in names) + 0.35, 2.2)
    height = TOP_IN + BOTTOM_IN + BAR_IN * len(names)
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, height))
        FigureCanvasAgg(figure)
        figure.text(0.1 / style.WIDTH_IN, 1 - 0.09 / height, title, va="top", weight="bold", parse_math=False)
        width = style.WIDTH_IN - left - RIGHT_IN
        place = (left / style.WIDTH_IN, BOTTOM_IN / height, width / style.WIDTH_IN, BAR_IN * len(names) / height)
        axes = figure.add_axes(place)
        for row, works in enumerate(parts.values()):
            _bar(axes, row, works)
        axes.set_yticks(range(len(names)), [fit(name, 2.0) for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        axes.axvline(0.0, color="#444444", linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
        axes.margins(x=0.03)
        axes.set_xlabel("energy absorbed [J]; negative: given")
        _totals(axes, parts)
        handles = {label: bar for bar, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(
            handles.values(), handles.keys(), loc="upper left", ncols=len(handles), handlelength=1.6,
            bbox_to_anchor=(left / style.WIDTH_IN - 0.01, 1 - 0.3 / height),
        )  # fmt: skip
    return figure


def at_end(values: np.ndarray) -> float:
    """The last number of a run, also of one that diverged."""
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else 0.0


def _bar(axes: Any, row: int, works: Mapping[str, np.ndarray]) -> None:
    """Parts of one bar end to end, gains to the right and losses to the left of zero."""
    ends = {True: 0.0, False: 0.0}
    for kind, values in works.items():
        energy = at_end(values)
        if energy != 0.0:
            axes.barh(
                row, energy, left=ends[energy > 0], height=0.62, label=kind, edgecolor="white", linewidth=0.4,
                **LOOKS[kind],
            )  # fmt: skip
            ends[energy > 0] += energy


def _totals(axes: Any, parts: Mapping[str, Mapping[str, np.ndarray]]) -> None:
    """Every bar's sum beside it."""
    ends = [sum(max(at_end(values), 0.0) for values in works.values()) for works in parts.values()]
    for row, (works, end) in enumerate(zip(parts.values(), ends, strict=True)):
        total = sum(at_end(values) for values in works.values())
        axes.annotate(
            f"{total:.3g} J", (end, row), xytext=(4, 0), textcoords="offset points", va="center",
            fontsize=style.SMALL_PT, annotation_clip=False,
        )  # fmt: skip
