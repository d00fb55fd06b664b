"""Figures of linear models: mode shapes on the skeleton, and eigenvalues along a motion.

A skeleton that lies and moves in one plane of the world is drawn in it, to scale; any other one in parallel projection
from above the corner between x and -y, with the world's axes and a scale beside it. The displacement is drawn larger
than life: its largest is a ninth of the skeleton's size. Both extremes of the oscillation are shown, at the phase where
most of the shape is out at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from docksim.linear.model import LinearModel, Mode, Skeleton
from docksim.plots import style
from docksim.plots.page import page

MOST_MODES = 6
PER_ROW = 3
REST: dict[str, Any] = {"color": "#999999", "linewidth": 1.4, "solid_capstyle": "round"}
OUT: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.4}
BACK: dict[str, Any] = {"color": "#d55e00", "linewidth": 1.0, "linestyle": (0, (3, 1.6))}
_VIEW = np.array([[0.5, 0.75**0.5, 0.0], [-(0.75**0.5) * 0.5, 0.25, 0.75**0.5]])  # rows: right and up of the picture


def mode_figure(model: LinearModel) -> Figure | None:
    """The lowest oscillations (or other modes, if there are none) on the skeleton; None if there is nothing to draw."""
    skeleton, modes = model.skeleton, shown_modes(model)
    if skeleton is None or not modes:
        return None
    flat = _plane(skeleton, modes)
    columns = 2 if len(modes) == 4 else min(PER_ROW, len(modes))
    rows = -(-len(modes) // columns)
    height = 0.35 + 2.35 * rows
    when = f" at t = {model.time_s:.6g} s" if model.time_s is not None else ""
    with page(f"{model.name}: mode shapes{when}", height) as figure:
        left, gap = (0.5, 0.45) if flat else (0.15, 0.2)
        width = (style.WIDTH_IN - left - 0.15 - gap * (columns - 1)) / columns
        for i, (number, mode) in enumerate(modes):
            row, column = divmod(i, columns)
            low = height - 0.35 - 2.35 * (row + 1) + 0.42
            start = left + column * (width + gap)
            box = (start / style.WIDTH_IN, low / height, width / style.WIDTH_IN, 1.65 / height)
            _draw(figure.add_axes(box), skeleton, number, mode, flat, last=row == rows - 1, first=column == 0)
        words = (("at rest", REST), ("one extreme", OUT), ("the other", BACK))
        keys = [Line2D([], [], label=word, **look) for word, look in words]
        figure.legend(handles=keys, loc="upper right", bbox_to_anchor=(0.995, 1 - 0.02 / height), ncols=3)
    return figure


def shown_modes(model: LinearModel) -> list[tuple[int, Mode]]:
    """Up to six modes with their numbers in the table: oscillations first, by frequency."""
    told = [(i + 1, mode) for i, mode in enumerate(model.modes()) if not mode.free]
    swinging = [one for one in told if one[1].frequency_Hz > 0.0]
    return (swinging or told)[:MOST_MODES]


def mode_words(mode: Mode) -> str:
    """Frequency and damping, or the time constant of a mode that does not swing."""
    if mode.frequency_Hz > 0.0:
        return f"{mode.frequency_Hz:.4g} Hz, damping {100 * mode.damping_ratio:.2g} %"
    return f"{mode.kind}, {1.0 / abs(mode.eigenvalue.real):.3g} s"


# ---------------------------------------------------------------- drawing


def _plane(skeleton: Skeleton, modes: Sequence[tuple[int, Mode]]) -> tuple[int, int] | None:
    """The two world axes in which everything lies and moves, if there are such."""
    moves = np.concatenate([np.abs(_displacement(skeleton, mode)) for _, mode in modes])
    extent = np.ptp(skeleton.points, axis=0)
    size, largest = float(extent.max(initial=0.0)), float(moves.max(initial=0.0))
    for across in (2, 1, 0):
        if extent[across] <= 1e-6 * size and moves[:, across].max(initial=0.0) <= 1e-6 * largest:
            a, b = (i for i in range(3) if i != across)
            return a, b
    return None


def _displacement(skeleton: Skeleton, mode: Mode) -> np.ndarray:
    """(P, 3) at the phase where the sum of squares is largest."""
    moved = skeleton.jacobian @ mode.shape
    turn = np.exp(-0.5j * np.angle(np.sum(moved**2)))
    return np.real(moved * turn)


def _draw(
    axes: Axes, skeleton: Skeleton, number: int, mode: Mode, flat: tuple[int, int] | None, *, last: bool, first: bool
) -> None:
    view = np.eye(3)[list(flat)] if flat else _VIEW
    moved = _displacement(skeleton, mode)
    size = float(np.ptp(skeleton.points, axis=0).max(initial=0.0)) or 1.0
    scale = size / 9.0 / max(float(np.linalg.norm(moved, axis=1).max(initial=0.0)), 1e-300)
    for points, look in (
        (skeleton.points, REST),
        (skeleton.points - scale * moved, BACK),
        (skeleton.points + scale * moved, OUT),
    ):
        flat_points = points @ view.T
        for i, j in skeleton.lines:
            axes.plot(*flat_points[[i, j]].T, zorder=2 if look is not REST else 1.5, **look)
        joints = sorted({i for line in skeleton.lines for i in line})
        axes.plot(*flat_points[joints].T, ".", markersize=2.5, color=look["color"], zorder=3)
    axes.set_title(f"{number}: {mode_words(mode)}", fontsize=style.FONT_PT, loc="left", parse_math=False)
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.08)
    if flat:
        axes.set_xlabel(f"{'xyz'[flat[0]]} [m]" if last else "")
        axes.set_ylabel(f"{'xyz'[flat[1]]} [m]" if first else "")
        return
    axes.set_axis_off()
    _triad(axes, size)


def _triad(axes: Axes, size: float) -> None:
    """World axes in the corner, with their length."""
    length = 10.0 ** np.floor(np.log10(0.3 * size))
    length *= max(k for k in (1.0, 2.0, 5.0) if k * length <= 0.3 * size)
    axes.autoscale_view()
    x0, x1 = axes.get_xlim()
    y0, y1 = axes.get_ylim()
    start = np.array([x0 + 0.06 * (x1 - x0) + 0.6 * length, y0 + 0.02 * (y1 - y0)])
    for i, name in enumerate("xyz"):
        end = start + length * _VIEW[:, i]
        axes.plot(*np.stack([start, end]).T, color="#555555", linewidth=0.7)
        x, y = start + 1.25 * length * _VIEW[:, i]
        axes.text(x, y, name, fontsize=style.SMALL_PT, ha="center", va="center")
    axes.text(
        0.99, 0.0, f"axes {length:g} m long", transform=axes.transAxes, fontsize=style.SMALL_PT, ha="right", va="bottom"
    )


# ---------------------------------------------------------------- along a motion


def along_figure(title: str, models: Sequence[LinearModel]) -> Figure:
    """Imaginary and real parts of all eigenvalues over time: how frequencies and decay change along a motion."""
    times = np.array([model.time_s if model.time_s is not None else np.nan for model in models])
    values = [np.array([mode.eigenvalue for mode in model.modes()]) for model in models]
    with page(title, 4.4) as figure:
        panels = (("frequency [Hz]", lambda z: np.abs(z.imag) / (2 * np.pi)), ("real part [1/s]", lambda z: z.real))
        for row, (label, shown) in enumerate(panels):
            axes = figure.add_axes((0.1, 0.53 - 0.43 * row, 0.87, 0.38))
            for t, roots in zip(times, values, strict=True):
                axes.plot(np.full(len(roots), t), shown(roots), ".", markersize=2.2, color=style.CURVES[0]["color"])
            axes.set_ylabel(label)
            axes.margins(x=0.02)
            if row == 0:
                axes.tick_params(labelbottom=False)
            else:
                axes.axhline(0.0, **style.LIMIT)
                axes.set_xlabel("time [s]")
    return figure
