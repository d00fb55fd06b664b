"""Figure of a berthing plan: postures of the arm along the way, from the side and from above, its angles and rates."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.berthing import Program
from docksim.plots import style
from docksim.plots.page import page, to_scale

POSTURES = 7
HEIGHT_IN = 6.6
HELD: dict[str, Any] = {"linestyle": ":", "linewidth": 1.1}
WAY: dict[str, Any] = {"color": "#d55e00", "linestyle": "--", "linewidth": 1.0}
BERTH: dict[str, Any] = {"color": "black", "marker": "s", "markersize": 5.0, "linestyle": "none"}


def arm_figure(program: Program) -> Figure:
    """Two views in the frame of the arm's vehicle, with one legend; joint angles and rates against time."""
    vehicle, names = (
        program.plan.arm.joints[0].partition(".")[0],
        [one.split(".")[1] for one in program.plan.arm.joints],
    )
    with page(f"berthing program: arm of {vehicle}", HEIGHT_IN) as figure:
        views = (((0, 2), "from the side", ("x [m]", "z [m], downward")), ((0, 1), "from above", ("x [m]", "y [m]")))
        for i, (plane, title, labels) in enumerate(views):
            axes = figure.add_axes((0.085 + 0.5 * i, 0.6, 0.4, 0.325))
            _view(axes, program, plane)
            axes.set(xlabel=labels[0], ylabel=labels[1])
            axes.set_title(title, fontsize=style.SMALL_PT, loc="left")
        handles, words = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, words, loc="upper left", bbox_to_anchor=(0.07, 0.535), ncols=5, handlelength=2.2)
        time, angles = program.carry.time, np.degrees(program.carry.angle)
        rates = np.degrees(program.carry.rates())
        above = figure.add_axes((0.085, 0.26, 0.7, 0.18))
        below = figure.add_axes((0.085, 0.06, 0.7, 0.18), sharex=above)
        _curves(above, time, angles, names, "joint angle [deg]")
        _curves(below, np.linspace(0.0, time[-1], len(rates)), rates, names, "joint rate [deg/s]")
        for axes in (above, below):
            axes.axvline(time[program.released_row()], label="joints are released", **style.LIMIT)
        above.tick_params(labelbottom=False)
        above.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
        below.set_xlabel("time since departure [s]")
    return figure


def _curves(axes: Axes, time: np.ndarray, values: np.ndarray, names: list[str], label: str) -> None:
    for i, (name, own) in enumerate(zip(names, values.T, strict=True)):
        axes.plot(time, own, label=name.replace("_", " "), **style.CURVES[i % len(style.CURVES)])
    axes.set_ylabel(label)
    axes.set_xlim(0.0, time[-1])


def _view(axes: Axes, program: Program, plane: tuple[int, int]) -> None:
    """Postures in their order from dark to light, what the hand holds, and the way of the port to its berth."""
    pick, released = list(plane), program.released_row()
    rows = np.unique(np.linspace(0, released, POSTURES).astype(int))
    for shade, row in zip(colormaps["viridis"](np.linspace(0.0, 0.9, len(rows))), rows, strict=True):
        points = program.arm.points(program.carry.angle[row])[:, pick]
        label = f"arm at {program.carry.time[row]:.0f} s"
        axes.plot(*points.T, "-o", color=shade, markersize=2.4, linewidth=1.3, label=label)
        held = np.array([points[-1], program.port_at(program.carry.angle[row])[pick]])
        axes.plot(*held.T, color=shade, **HELD)
    way = np.array([program.port_at(q) for q in program.carry.angle[: released + 1]])[:, pick]
    axes.plot(*way.T, label="way of the port", **WAY)
    axes.plot(*program.scene.berth[:3, 3][pick], label="berth", **BERTH)
    axes.plot([], [], color="grey", label="hand to port, through the cargo", **HELD)
    to_scale(axes, 0.06)
    if plane == (0, 2):
        axes.invert_yaxis()
