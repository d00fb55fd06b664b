"""A chain to be checked by eye: a view in space and two along the world's axes, all to scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from docksim.chain.dynamics.formulations import Vector
from docksim.chain.model import ChainModel
from docksim.plots import style
from docksim.plots.page import page, set_space, to_scale

HEIGHT_IN = 4.6
LINK: dict[str, Any] = {"color": "#0072b2", "linewidth": 2.0, "solid_capstyle": "round"}
AXIS: dict[str, Any] = {"color": "#d55e00", "linewidth": 1.0}
TURN: dict[str, Any] = {"marker": "o", "markersize": 4.2}
SLIDE: dict[str, Any] = {"marker": "s", "markersize": 4.2}
MASS: dict[str, Any] = {"marker": "x", "markersize": 4.0, "color": "#555555", "linestyle": "none"}
TIP: dict[str, Any] = {"marker": ".", "markersize": 6.0, "color": "#0072b2", "linestyle": "none"}
BEHIND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.6}
LABEL: dict[str, Any] = {"fontsize": style.FONT_PT, "color": "#333333", "zorder": 10, "bbox": BEHIND}
NUMBERS = 12  # chains of more joints are drawn without


@dataclass(frozen=True, eq=False)
class ChainDrawing:
    """Everything in the world [m]."""

    lines: tuple[np.ndarray, ...]  # (points, 3), one for each link
    joints: np.ndarray  # (n, 3)
    axes: np.ndarray  # (n, 3) unit
    sliding: np.ndarray  # (n,)
    masses: np.ndarray  # (m, 3) mass centres
    ends: np.ndarray  # (e, 3) far ends of links that carry no other

    def points(self) -> np.ndarray:
        return np.concatenate([*self.lines, self.joints, self.masses])


def drawing_of(chain: ChainModel, q: Vector) -> ChainDrawing:
    """Links from their joints to those that they carry, or to their far ends; rows with their offset d first."""
    R, p = chain.world_pose(np.asarray(q, float))
    ends = p + np.einsum("kij,kj->ki", R, chain.p_end)
    lines, tips = [], []
    for k in range(chain.n):
        children = np.flatnonzero(chain.parent == k)
        if chain.by_rows:
            corner = p[k] + R[k] @ (chain.axis[k] * (chain.axis[k] @ chain.p_end[k]))
            lines.append(np.array([p[k], corner, ends[k]]))
        else:
            lines += [np.array([p[k], p[child]]) for child in children]
            lines.append(np.array([p[k], ends[k]]))
        if not len(children):
            tips.append(ends[k])
    # a slide moves the joint's own point: from where it starts to where it is
    starts = p - np.where(chain.prismatic, q, 0.0)[:, None] * np.einsum("kij,kj->ki", R, chain.axis)
    lines += [np.array([starts[k], p[k]]) for k in np.flatnonzero(chain.prismatic)]
    axes = np.einsum("kij,kj->ki", R, chain.axis)
    massive = chain.mass > 0.0
    centres = (p + np.einsum("kij,kj->ki", R, chain.com))[massive]
    return ChainDrawing(tuple(lines), starts, axes, chain.prismatic, centres, np.array(tips))


def chain_figure(title: str, drawing: ChainDrawing) -> Figure:
    """The three views with one legend."""
    with page(title, HEIGHT_IN) as figure:
        _space(figure, drawing)
        for low, pick, words in ((0.56, (0, 2), "from the front (+y away from you)"), (0.11, (0, 1), "from above")):
            axes = figure.add_axes((0.66, low, 0.32, 0.34))
            _flat(axes, drawing, pick)
            axes.set(xlabel=f"{'xyz'[pick[0]]} [m]", ylabel=f"{'xyz'[pick[1]]} [m]")
            axes.set_title(words, fontsize=style.SMALL_PT, loc="left")
        figure.legend(handles=_keys(drawing), loc="lower left", bbox_to_anchor=(0.01, 0.0), ncols=5, columnspacing=1.2)
    return figure


def _size(drawing: ChainDrawing) -> float:
    return float(np.ptp(drawing.points(), axis=0).max()) or 1.0


def _curves(drawing: ChainDrawing) -> list[tuple[np.ndarray, dict[str, Any]]]:
    """Points and look of every line, back to front."""
    reach = 0.05 * _size(drawing)
    axes = [np.array([p - reach * a, p + reach * a]) for p, a in zip(drawing.joints, drawing.axes, strict=True)]
    return [*((line, LINK) for line in drawing.lines), *((line, AXIS) for line in axes)]


def _marks(drawing: ChainDrawing) -> list[tuple[np.ndarray, dict[str, Any]]]:
    look: dict[str, Any] = {"linestyle": "none", "color": "#d55e00", "markerfacecolor": "white", "markeredgewidth": 0.8}
    return [
        (drawing.masses, MASS),
        (drawing.ends, TIP),
        (drawing.joints[~drawing.sliding], {**look, **TURN}),
        (drawing.joints[drawing.sliding], {**look, **SLIDE}),
    ]


def _labels(drawing: ChainDrawing) -> list[tuple[np.ndarray, str]]:
    """Numbers of joints beside them; those at one point share a label."""
    if len(drawing.joints) > NUMBERS:
        return []
    groups: list[tuple[np.ndarray, list[int]]] = []
    for k, place in enumerate(drawing.joints):
        near = next((g for g in groups if np.linalg.norm(g[0] - place) < 0.03 * _size(drawing)), None)
        if near is None:
            groups.append((place, [k + 1]))
        else:
            near[1].append(k + 1)
    return [(place, ", ".join(map(str, numbers))) for place, numbers in groups]


def _space(figure: Figure, drawing: ChainDrawing) -> None:
    axes: Any = figure.add_axes((-0.01, 0.11, 0.60, 0.86), projection="3d")
    for line, look in _curves(drawing):
        axes.plot(*line.T, **look)
    for points, look in _marks(drawing):
        axes.plot(*points.T, **look)
    lift = 0.055 * _size(drawing)
    for place, text in _labels(drawing):
        axes.text(*(place + [0.0, 0.0, lift]), text, ha="center", **LABEL)
    points = drawing.points()
    middle, half = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.5 * np.ptp(points, axis=0)
    half = np.maximum(half + lift, 0.2 * _size(drawing))
    set_space(axes, middle - half, middle + half, "xyz", view=(22.0, -58.0), zoom=0.92, pad=-4)


def _flat(axes: Any, drawing: ChainDrawing, pick: tuple[int, int]) -> None:
    for line, look in _curves(drawing):
        axes.plot(*line[:, pick].T, **{**look, "linewidth": 0.7 * look["linewidth"]})
    for points, look in _marks(drawing):
        axes.plot(*points[:, pick].T, **{**look, "markersize": 0.75 * look["markersize"]})
    to_scale(axes, 0.1)


def _keys(drawing: ChainDrawing) -> list[Line2D]:
    look: dict[str, Any] = {"color": "#d55e00", "linewidth": 1.0, "markerfacecolor": "white"}
    keys = [Line2D([], [], label="link", **LINK)]
    if not drawing.sliding.all():
        keys.append(Line2D([], [], label="turning joint", **look, **TURN))
    if drawing.sliding.any():
        keys.append(Line2D([], [], label="sliding joint", **look, **SLIDE))
    if len(drawing.masses):
        keys.append(Line2D([], [], label="mass centre", **MASS))
    return [*keys, Line2D([], [], label="far end", **TIP)]
