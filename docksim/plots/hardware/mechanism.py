"""A docking mechanism to be checked by eye: a view in space, one along the docking axis, one from the side.

Drawn to scale in all three; x, the docking axis, is up in space and from the side.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from docksim.config.schema.legs import HUNT
from docksim.drawing.mechanism import Drawing, outline
from docksim.plots import style
from docksim.plots.page import page, set_space, to_scale

HEIGHT_IN = 4.6
LOOKS: dict[str, dict[str, Any]] = {
    "base": {"color": "#555555", "linewidth": 2.0},
    "ring": {"color": "#0072b2", "linewidth": 2.6},
    "first": {"color": "#d55e00", "linewidth": 3.2, "solid_capstyle": "butt"},
    "second": {"color": "#009e73", "linewidth": 1.7},
}
JOINT: dict[str, Any] = {
    "marker": "o",
    "markersize": 3.4,
    "linestyle": "none",
    "markeredgewidth": 0.7,
    "markerfacecolor": "white",
}


def mechanism_figure(title: str, drawing: Drawing) -> Figure:
    """The three views with one legend."""
    with page(title, HEIGHT_IN) as figure:
        _space(figure, drawing)
        along = figure.add_axes((0.705, 0.475, 0.28, 0.42))
        _flat(along, drawing, (1, 2), numbers=True)
        along.set(xlabel="y [m]", ylabel="z [m]")
        along.set_title("against the docking axis (+x towards you)", fontsize=style.SMALL_PT, loc="left")
        side = figure.add_axes((0.705, 0.10, 0.28, 0.25))
        _flat(side, drawing, (1, 0), numbers=False)
        side.set(xlabel="y [m]", ylabel="x [m]")
        side.set_title("from the side (+z away from you)", fontsize=style.SMALL_PT, loc="left")
        names = {"base": "base circle", "ring": "ring", "first": drawing.first_name, "second": drawing.second_name}
        handles = [Line2D([], [], label=name, **LOOKS[key]) for key, name in names.items()]
        figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.015, 0.0), ncols=4, columnspacing=1.6)
    return figure


def _curves(drawing: Drawing) -> list[tuple[str, np.ndarray]]:
    """Look and points of every line, back to front."""
    curves = [("base", outline(drawing.base_joints, np.array([1.0, 0.0, 0.0])))]
    for k in range(len(drawing.types)):
        curves.append(("first", np.array([drawing.base_joints[k], drawing.first_ends[k]])))
        curves.append(("second", np.array([drawing.second_starts[k], drawing.ring_joints[k]])))
    curves.append(("ring", outline(drawing.ring_joints, drawing.ring_axes[:, 0])))
    return curves


def _points(drawing: Drawing) -> list[tuple[np.ndarray, str]]:
    """Joints with their colour: those between links only where these meet in a point."""
    meet = np.linalg.norm(drawing.first_ends - drawing.second_starts, axis=1) < 1e-9
    elbows = drawing.first_ends[[kind in HUNT for kind in drawing.types] & meet]
    joints = (("base", drawing.base_joints), ("first", elbows), ("ring", drawing.ring_joints))
    return [(points, LOOKS[look]["color"]) for look, points in joints]


def _labels(drawing: Drawing) -> np.ndarray:
    """(legs, 3) places beside the base joints: outside the base, or inside where the leg first leads outward."""
    middle = drawing.base_joints.mean(axis=0)
    arms, ends = drawing.base_joints - middle, drawing.first_ends - middle
    outward = np.linalg.norm(ends[:, 1:], axis=1) > 1.02 * np.linalg.norm(arms[:, 1:], axis=1)
    return middle + np.where(outward, 0.84, 1.15)[:, None] * arms


def _space(figure: Figure, drawing: Drawing) -> None:
    axes: Any = figure.add_axes((0.01, 0.05, 0.58, 0.92), projection="3d")
    for look, points in _curves(drawing):
        axes.plot(points[:, 1], points[:, 2], points[:, 0], **LOOKS[look])
    for joints, colour in _points(drawing):
        axes.plot(joints[:, 1], joints[:, 2], joints[:, 0], color=colour, **JOINT)
    for k, (x, y, z) in enumerate(_labels(drawing)):
        axes.text(y, z, x, f"{k + 1}", fontsize=style.FONT_PT, ha="center", va="center", color="#333333")
    size = 0.2 * float(np.ptp(drawing.base_joints, axis=0).max())
    _triad(axes, np.zeros(3), np.eye(3), size, "B")
    _triad(axes, drawing.ring_position, drawing.ring_axes, size, "C")
    points = np.concatenate([points for _, points in _curves(drawing)])[:, [1, 2, 0]]
    low, high = points.min(axis=0), points.max(axis=0)
    low[2] = min(low[2], 0.0)
    # room for the axes of the ring
    high[2] += 0.22 * float(np.ptp(drawing.base_joints, axis=0).max())
    margin = 0.05 * float((high - low).max()) * np.array([1.0, 1.0, 0.0])
    set_space(axes, low - margin, high + margin, "yzx", view=(22.0, -58.0), zoom=1.0, pad=-6)


def _triad(axes: Any, origin: np.ndarray, frame: np.ndarray, size: float, name: str) -> None:
    """A frame's axes with their names."""
    for letter, direction in zip("xyz", frame.T, strict=True):
        axes.plot(*np.array([origin, origin + size * direction]).T[[1, 2, 0]], color="#000000", linewidth=0.9)
        y, z, x = (origin + 1.25 * size * direction)[[1, 2, 0]]
        label = f"${letter}_{name}$"
        axes.text(y, z, x, label, fontsize=style.SMALL_PT, ha="center", va="center", color="#000000")


def _flat(axes: Any, drawing: Drawing, pick: tuple[int, int], numbers: bool) -> None:
    """A view along the third axis."""
    i, j = pick
    for look, points in _curves(drawing):
        axes.plot(points[:, i], points[:, j], **{**LOOKS[look], "linewidth": 0.7 * LOOKS[look]["linewidth"]})
    for joints, colour in _points(drawing):
        axes.plot(joints[:, i], joints[:, j], color=colour, **{**JOINT, "markersize": 2.6})
    if numbers:
        places = _labels(drawing)
        axes.update_datalim(places[:, pick])
        for k, place in enumerate(places):
            axes.text(
                place[i], place[j], f"{k + 1}", fontsize=style.SMALL_PT, ha="center", va="center", color="#333333"
            )
    to_scale(axes, 0.09)
