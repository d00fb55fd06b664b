"""Laws of the devices: force against the coordinate, stops and preload visible, and against the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from docksim.hardware.inspect_devices import DeviceLaw
from docksim.plots import style
from docksim.plots.page import page, paged

MAX_ROWS = 6  # per page
ROW_IN, GAP_IN, TOP_IN, BOTTOM_IN = 1.25, 0.52, 0.42, 0.75
LEFT, RIGHT, BETWEEN = 0.115, 0.02, 0.115
STOP_SHARE = 0.7  # of the height over the springs that a stop's force may take before it leaves the axes
LOPSIDED = 1.5  # most that one side of an axis may be longer than the other
LOOKS: dict[str, dict[str, Any]] = {
    "spring": {"color": "#0072b2", "linewidth": 1.4},
    "stop": {"color": "#d55e00", "linewidth": 1.2, "linestyle": (0, (4, 1.5))},
    "damper": {"color": "#0072b2", "linewidth": 1.4},
    "brake": {"color": "#d55e00", "linewidth": 1.2, "linestyle": (0, (4, 1.5))},
}
BEYOND: dict[str, Any] = {"color": "#dddddd", "linewidth": 0.0}
AT_REFERENCE: dict[str, Any] = {
    "marker": "o", "markersize": 4.0, "color": "#333333", "markeredgecolor": "white", "linestyle": "none", "zorder": 4,
}  # fmt: skip


def law_figures(title: str, laws: Sequence[DeviceLaw]) -> dict[str, Figure]:
    """Pages of a few devices each, none without devices."""
    return {name: _page(title + number, some) for name, number, some in paged("devices", laws, MAX_ROWS)}


def _page(title: str, laws: Sequence[DeviceLaw]) -> Figure:
    height = TOP_IN + BOTTOM_IN + len(laws) * ROW_IN + (len(laws) - 1) * GAP_IN
    with page(title, height) as figure:
        width = (1.0 - LEFT - RIGHT - BETWEEN) / 2
        for i, law in enumerate(laws):
            y = (height - TOP_IN - ROW_IN - i * (ROW_IN + GAP_IN)) / height
            _against_coordinate(figure.add_axes((LEFT, y, width, ROW_IN / height)), law)
            axes = figure.add_axes((LEFT + width + BETWEEN, y, width, ROW_IN / height))
            axes.set_xlim(law.rate[0], law.rate[-1])
            if np.any(law.brake):
                axes.plot(law.rate, law.damper + law.brake, **LOOKS["brake"])
            axes.plot(law.rate, law.damper, **LOOKS["damper"])
            axes.set_ylim(*_reach(law.damper + law.brake))
            _name(axes, law, f"rate [{law.unit}/s]", label=False)
        handles = [
            Line2D([], [], label="left: spring and constant force; right: dampers", **LOOKS["spring"]),
            Line2D([], [], label="left: with the stop; right: with the brake slipping", **LOOKS["stop"]),
            Line2D([], [], label="reference pose", **AT_REFERENCE),
            Patch(facecolor="#dddddd", label="in the stop, as far as it gives"),
        ]
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncols=2, handlelength=2.4)
    return figure


def _against_coordinate(axes: Axes, law: DeviceLaw) -> None:
    x = law.x
    axes.set_xlim(x[0], x[-1])
    for low, high in ((x[0], law.lower), (law.upper, x[-1])):
        if math.isfinite(low) and math.isfinite(high):
            axes.axvspan(low, high, **BEYOND)
    bottom, top = _reach(law.spring) if np.any(law.spring) else _reach(law.stop)
    # stops are far stiffer than springs: what they do is shown, how far it goes is not
    room = STOP_SHARE * (top - bottom) if np.any(law.spring) and np.any(law.stop) else 0.0
    pressed = np.convolve(law.stop != 0.0, [1, 1, 1], "same") > 0
    axes.plot(x, np.where(pressed, law.spring + law.stop, np.nan), **LOOKS["stop"])
    axes.plot(x, law.spring, **LOOKS["spring"])
    axes.plot(law.reference, np.interp(law.reference, x, law.spring), **AT_REFERENCE)
    axes.set_ylim(bottom - room, top + room)
    kind = "coordinate" if not law.label.startswith("leg") else "crank angle" if law.unit == "deg" else "stroke"
    _name(axes, law, f"{kind} [{law.unit}]")


def _reach(values: np.ndarray) -> tuple[float, float]:
    """Range with a margin, zero inside; a side that would dwarf the other is cut off."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    if low < 0.0 < high:
        low, high = max(low, -LOPSIDED * high), min(high, -LOPSIDED * low)
    margin = 0.1 * (high - low) or 1.0
    return low - margin, high + margin


def _name(axes: Axes, law: DeviceLaw, xlabel: str, label: bool = True) -> None:
    axes.axhline(0.0, color="#888888", linewidth=0.6, zorder=1.5)
    axes.set_xlabel(xlabel, labelpad=1.5)
    axes.set_ylabel(f"{'torque' if law.unit == 'deg' else 'force'} [{law.force_unit}]")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]))
    if label:
        axes.set_title(law.label, loc="left", fontsize=style.FONT_PT, pad=3, parse_math=False)
