"""The approach of a study as a drawing: where the active port comes from, seen against the axis and from the side.

Sizes of rings are those of the interfaces, offsets are true to scale; speeds and angles are numbers beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.config.schema.contact import Approach
from docksim.config.schema.interface import Interface
from docksim.plots import style
from docksim.plots.page import study_page

HEIGHT_IN = 3.4
OWN, MATE = "#0072b2", "#555555"
SIDE: dict[str, Any] = {"linewidth": 2.2, "solid_capstyle": "butt"}
TAU = 2.0 * np.pi


def approach_figure(
    name: str, approach: Approach, interface: Interface | None, inputs: Mapping[str, np.ndarray]
) -> Figure:
    """Offsets of all cases against the axis; closing rate, angles and rates from the side."""
    radius = ring_radius(interface)
    title = f"{name}: the approach of {approach.active} to {approach.passive}"
    with study_page(title, HEIGHT_IN, 1, 2) as (figure, (against, side)):
        _against_the_axis(against, approach, radius, inputs)
        _from_the_side(side, approach, radius, inputs)
    return figure


def ring_radius(interface: Interface | None) -> float:
    """Of the soft-capture ring or port; a metre where no shape tells."""
    if interface is None:
        return 1.0
    parts = ((interface.rim, "radius_m"), (interface.face, "outer_m"), (interface.petals, "base_radius_m"))
    return max((float(getattr(part, key)) for part, key in parts if part is not None), default=1.0)


def _against_the_axis(axes: Axes, approach: Approach, radius: float, inputs: Mapping[str, np.ndarray]) -> None:
    turn = np.linspace(0.0, TAU, 121)
    y, z = (values_of(inputs, approach, "lateral_offset_m", i) for i in (0, 1))
    axes.plot(radius * np.cos(turn), radius * np.sin(turn), color=MATE, linewidth=1.2, label="ring of the passive port")
    axes.plot(y, z, linestyle="none", marker="o", markersize=2.5, color=OWN, label="origin of the active port, cases")
    axes.plot([0.0], [0.0], linestyle="none", marker="+", color=MATE)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="y [m]", ylabel="z [m]")
    axes.set_title("against the axis", fontsize=style.SMALL_PT, loc="left")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=style.SMALL_PT)


def _from_the_side(axes: Axes, approach: Approach, radius: float, inputs: Mapping[str, np.ndarray]) -> None:
    gap, back = 0.9 * radius, 0.35 * radius
    for x, away, colour, word in ((0.0, back, MATE, approach.passive), (-gap, -back, OWN, approach.active)):
        axes.plot([x, x], [-radius, radius], color=colour, **SIDE)
        axes.plot([x, x + away], [0.0, 0.0], color=colour, linewidth=1.0)
        axes.text(
            x + away, 0.06 * radius, word, color=colour, fontsize=style.SMALL_PT, ha="left" if away > 0 else "right"
        )
    tilt = max(float(np.max(np.abs(values_of(inputs, approach, f"{key}_deg")))) for key in ("pitch", "yaw"))
    for sign in (-1.0, 1.0):
        along, across = radius * np.sin(np.radians(sign * tilt)), radius * np.cos(np.radians(tilt))
        axes.plot([-gap - along, -gap + along], [-across, across], color=OWN, linewidth=0.8, linestyle="--")
    axes.annotate("", xy=(-0.35 * gap, 0.0), xytext=(-0.85 * gap, 0.0), arrowprops={"arrowstyle": "->", "color": OWN})
    lines = [f"{word} {span}" for word, span in spans(approach, inputs)]
    axes.text(-gap - back, -1.25 * radius, "\n".join(lines), fontsize=style.SMALL_PT, va="top")
    axes.set(xlim=(-gap - 3.0 * back, 3.0 * back), ylim=(-2.9 * radius, 1.1 * radius), aspect="equal")
    axes.set_axis_off()
    axes.set_title("from the side; dashed: the largest tilt", fontsize=style.SMALL_PT, loc="left", pad=12.0)


def spans(approach: Approach, inputs: Mapping[str, np.ndarray]) -> list[tuple[str, str]]:
    """What the cases have of speed, angles and rates, least to largest."""
    keys = {
        "closing rate": ("closing_rate_m_s", "m/s"),
        "roll": ("roll_deg", "deg"),
        "pitch": ("pitch_deg", "deg"),
        "yaw": ("yaw_deg", "deg"),
        "roll rate": ("roll_rate_deg_s", "deg/s"),
        "pitch rate": ("pitch_rate_deg_s", "deg/s"),
        "yaw rate": ("yaw_rate_deg_s", "deg/s"),
    }
    return [(word, f"{_span(values_of(inputs, approach, key))} {unit}") for word, (key, unit) in keys.items()]


def _span(values: np.ndarray) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def values_of(inputs: Mapping[str, np.ndarray], approach: Approach, key: str, index: int | None = None) -> np.ndarray:
    """Of all cases; the base scenario's where the key does not vary."""
    name = f"approach.{key}" if index is None else f"approach.{key}.{index}"
    nominal = getattr(approach, key) if index is None else getattr(approach, key)[index]
    column = inputs.get(name)
    return np.array([nominal], float) if column is None or column.dtype == object or not len(column) else column
