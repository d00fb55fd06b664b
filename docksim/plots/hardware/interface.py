"""A docking interface to be checked by eye: with its mate apart in space, mated along the axis, mated in section.

Drawn to scale, on the axes of the first port; the mate is an equal interface. x, the docking axis, is up in space and
in the section, which turns everything about the axis into one half plane: petals and rings that lie at different
azimuths appear side by side there, so a petal of the one seems to stand in the ring of the other, as it does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Patch, Polygon, Rectangle

from docksim.config.schema.interface import Interface
from docksim.drawing import guides
from docksim.drawing import interface as shape
from docksim.drawing.meshes import swept_ball
from docksim.plots import style
from docksim.plots.page import page, set_space, to_scale

HEIGHT_IN = 5.3
OWN, MATE = "#0072b2", "#d55e00"
LATCH: dict[str, Any] = {"marker": "^", "markersize": 5.0, "linestyle": "none", "markeredgewidth": 0.9}
STRIKER: dict[str, Any] = {"marker": "s", "markersize": 4.4, "linestyle": "none", "markeredgewidth": 0.9}

CIRCLE: dict[str, Any] = {"linewidth": 0.6, "linestyle": (0, (6, 4))}


@dataclass(frozen=True)
class Side:
    """One of the two interfaces: how its points lie on the axes of the first port."""

    colour: str
    mirrored: bool
    shift: float

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Port axes of this side to those of the first port."""
        turned = points * np.array([-1.0, -1.0, 1.0]) if self.mirrored else points
        return turned + np.array([self.shift, 0.0, 0.0])


def interface_figure(title: str, interface: Interface) -> Figure:
    """The three views with one legend."""
    top = shape.top(interface)
    with page(title, HEIGHT_IN) as figure:
        own, apart, mated = Side(OWN, False, 0.0), Side(MATE, True, 3.8 * top + 0.05), Side(MATE, True, 0.0)
        _space(figure, interface, (own, apart))
        along = figure.add_axes((0.665, 0.46, 0.325, 0.45))
        _along(along, interface, (own, mated))
        along.set_title("mated, against the axis (+x towards you)", fontsize=style.SMALL_PT, loc="left")
        section = figure.add_axes((0.665, 0.09, 0.325, 0.23))
        _section(section, interface, (own, mated))
        shown = "mated, in section" + (": a petal and both rings" if interface.petals else "")
        shown += ", pins" if interface.pins and interface.petals else ": pins in their holes" if interface.pins else ""
        section.set_title(shown, fontsize=style.SMALL_PT, loc="left")
        _legend(figure, interface)
    return figure


# ---------------------------------------------------------------- views


def _space(figure: Figure, interface: Interface, sides: tuple[Side, Side]) -> None:
    axes: Any = figure.add_axes((-0.03, 0.05, 0.60, 0.92), projection="3d")
    drawn = []
    for side in sides:
        for ring in shape.rings(interface):
            drawn.append(_line(axes, side(ring), color=side.colour, linewidth=1.3))
        for grid in shape.petals(interface):
            _surface(axes, side(grid), color=side.colour, alpha=0.25, linewidth=0, shade=False)
            drawn.append(_line(axes, shape.outline(side(grid)), color=side.colour, linewidth=1.2))
        balls = [swept_ball(one.start, one.end, one.radius, 16) for one in shape.rounds(interface)]
        for grid in (*balls, *guides.grids(interface)):
            drawn.append(_surface(axes, side(grid), color=side.colour, alpha=0.4, linewidth=0))
        for circle in guides.circles(interface):
            _line(axes, side(circle), color=side.colour, **CIRCLE)
        for group, look in ((interface.latches, LATCH), (interface.strikers, STRIKER)):
            if group is not None:
                _line(axes, side(shape.places(group)), color=side.colour, markerfacecolor="white", **look)
    points = np.concatenate(drawn)[:, [1, 2, 0]]
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * float((high - low).max())
    set_space(axes, low - margin, high + margin, "yzx", view=(26.0, -62.0), zoom=0.9, pad=-5)


def _line(axes: Any, points: np.ndarray, **look: Any) -> np.ndarray:
    axes.plot(points[:, 1], points[:, 2], points[:, 0], **look)
    return points


def _surface(axes: Any, points: np.ndarray, **look: Any) -> np.ndarray:
    axes.plot_surface(points[..., 1], points[..., 2], points[..., 0], **look)
    return points.reshape(-1, 3)


def _along(axes: Any, interface: Interface, sides: tuple[Side, Side]) -> None:
    """Petals of both sides between one another; where a latch is, a striker should be."""
    for ring in shape.rings(interface):
        axes.plot(ring[:, 1], ring[:, 2], color="#555555", linewidth=0.8)
    for side in sides:
        for grid in shape.petals(interface):
            shown = shape.outline(side(grid))[:, 1:]
            axes.add_patch(Polygon(shown, facecolor=f"{side.colour}40", edgecolor=side.colour, linewidth=1.0))
        for one in shape.rounds(interface):
            shown = _band(side(np.stack([one.start, one.end]))[:, 1:], one.radius)
            axes.add_patch(Polygon(shown, facecolor=f"{side.colour}40", edgecolor=side.colour))
        for circle in guides.circles(interface):
            axes.plot(circle[:, 1], circle[:, 2], color="#555555", zorder=0, **CIRCLE)
        # pins filled, mouths of holes as circles around the mate's pins
        if interface.holes is not None:
            _discs(axes, side, interface.holes, interface.holes.mouth_m, "00")
        if interface.pins is not None:
            _discs(axes, side, interface.pins, interface.pins.pin_m, "90")
    if interface.latches is not None:
        at = sides[0](shape.places(interface.latches))
        axes.plot(at[:, 1], at[:, 2], color=OWN, markerfacecolor="none", **{**LATCH, "markersize": 7.0})
    if interface.strikers is not None:
        at = sides[1](shape.places(interface.strikers))
        axes.plot(at[:, 1], at[:, 2], color=MATE, markerfacecolor="none", **{**STRIKER, "markersize": 3.0})
    to_scale(axes, 0.05)
    axes.set(xlabel="y [m]", ylabel="z [m]")


def _discs(axes: Any, side: Side, group: Any, radius: float, opacity: str) -> None:
    for at in side(guides.places(group)):
        axes.add_patch(Circle((at[1], at[2]), radius, facecolor=side.colour + opacity, edgecolor=side.colour))


def _section(axes: Any, interface: Interface, sides: tuple[Side, Side]) -> None:
    """Distance from the axis across, x up: the first side's petal and latch, both rings, the mate's striker."""
    for side in sides:
        up = -1.0 if side.mirrored else 1.0
        look: dict[str, Any] = {"facecolor": f"{side.colour}40", "edgecolor": side.colour, "linewidth": 0.9}
        if interface.face is not None:
            face = interface.face
            low = min(0.0, -up * face.depth_m)
            axes.add_patch(Rectangle((face.inner_m, low), face.outer_m - face.inner_m, face.depth_m, **look))
        if interface.rim is not None:
            rim = interface.rim
            axes.add_patch(Circle((rim.radius_m, up * rim.height_m), rim.tube_m, **{**look, "facecolor": "none"}))
        for one in shape.rounds(interface):
            way = np.linspace(one.start, one.end, 25)
            line = np.stack([np.hypot(way[:, 1], way[:, 2]), up * way[:, 0]], axis=-1)
            axes.add_patch(Polygon(_band(line, one.radius), **look))
        for outline in _guides_in_section(interface):
            axes.add_patch(Polygon(outline * (1.0, up), **look))
    if interface.petals is not None:
        middle = shape.petals(interface)[0][:, shape.ACROSS // 2]
        line = np.stack([np.hypot(middle[:, 1], middle[:, 2]), middle[:, 0]], axis=-1)
        outline = _band(line[[0, -1]], interface.petals.plate_radius_m)
        axes.add_patch(Polygon(outline, facecolor=f"{OWN}40", edgecolor=OWN, linewidth=0.9))
    latches, strikers = interface.latches, interface.strikers
    if latches is not None:
        axes.plot([latches.radius_m], [latches.height_m], color=OWN, markerfacecolor="white", **LATCH)
    if strikers is not None:
        small = {**STRIKER, "markersize": 2.6}
        axes.plot([strikers.radius_m], [-strikers.height_m], color=MATE, markerfacecolor=MATE, **small)
    to_scale(axes, 0.08, 6)
    axes.set(xlabel="distance from the axis [m]", ylabel="x [m]")


def _guides_in_section(interface: Interface) -> list[np.ndarray]:
    """Outlines of a pin, and of a hole's wall on both sides; distance from the axis, x."""
    outlines = []
    if interface.pins is not None:
        x, q = guides.pin_outline(interface.pins).T
        across = interface.pins.radius_m + np.concatenate([q, -q[::-1]])
        outlines.append(np.stack([across, np.concatenate([x, x[::-1]])], axis=-1))
    if interface.holes is not None:
        x, q = guides.hole_outline(interface.holes).T
        outlines += [np.stack([interface.holes.radius_m + side * q, x], axis=-1) for side in (-1.0, 1.0)]
    return outlines


def _band(line: np.ndarray, radius: float) -> np.ndarray:
    """Outline of a line, or of a point, with a radius."""
    way = np.gradient(line, axis=0)
    along = np.arctan2(way[:, 1], way[:, 0])
    half = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 15)
    right, end = (line, along - 0.5 * np.pi), (line[-1:], along[-1] + half)
    left, start = (line[::-1], along[::-1] + 0.5 * np.pi), (line[:1], along[0] + np.pi + half)
    pieces = (right, end, left, start)
    return np.concatenate([p + radius * np.stack([np.cos(t), np.sin(t)], axis=-1) for p, t in pieces])


def _legend(figure: Figure, interface: Interface) -> None:
    handles: list[Any] = [
        Patch(facecolor=f"{OWN}40", edgecolor=OWN, label="interface"),
        Patch(facecolor=f"{MATE}40", edgecolor=MATE, label="mate"),
    ]
    hollow: dict[str, Any] = {"color": "#333333", "markerfacecolor": "white"}
    if interface.latches is not None:
        handles.append(Line2D([], [], label="latch", **hollow, **LATCH))
    if interface.strikers is not None:
        handles.append(Line2D([], [], label="striker", **hollow, **STRIKER))
    dot: dict[str, Any] = {"marker": "o", "markersize": 6.0, "linestyle": "none", "color": "#333333"}
    if interface.pins is not None:
        handles.append(Line2D([], [], label="pin", **dot, markerfacecolor="#999999"))
    if interface.holes is not None:
        handles.append(Line2D([], [], label="hole", **dot, markerfacecolor="white"))
    figure.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.015, 0.0), ncols=6, columnspacing=1.6)
