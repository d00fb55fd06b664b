"""Figure of a berthing plan: postures of the arm along the way, from the side and from above, and its angles."""

from __future__ import annotations

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.berthing import Program

POSTURES = 7


def arm_figure(program: Program) -> Figure:
    """Two views in the frame of the arm's vehicle, and joint angles against time."""
    figure = Figure(figsize=(11.0, 8.0), layout="constrained")
    grid = figure.add_gridspec(2, 2)
    _view(figure.add_subplot(grid[0, 0]), program, (0, 2), ("x [m]", "z [m], downward"))
    _view(figure.add_subplot(grid[0, 1]), program, (0, 1), ("x [m]", "y [m]"))
    angles, rates = figure.add_subplot(grid[1, 0]), figure.add_subplot(grid[1, 1])
    names = [joint.partition(".")[2].replace("_", " ") for joint in program.plan.arm.joints]
    for name, angle in zip(names, np.degrees(program.carry.angle.T), strict=True):
        angles.plot(program.carry.time, angle, label=name)
    turning = np.degrees(program.carry.rates())
    rates.plot(np.linspace(0.0, program.carry.time[-1], len(turning)), turning)
    for axes, label in ((angles, "joint angle [deg]"), (rates, "joint rate [deg/s]")):
        axes.axvline(program.carry.time[program.released_row()], color="grey", linestyle=":", linewidth=1.0)
        axes.set(xlabel="time since departure [s], dotted: joints released", ylabel=label)
        axes.grid(alpha=0.3)
    angles.legend(fontsize=8, ncols=2)
    return figure


def _view(axes: Axes, program: Program, plane: tuple[int, int], labels: tuple[str, str]) -> None:
    released = program.released_row()
    rows = np.unique(np.linspace(0, released, POSTURES).astype(int))
    shades = colormaps["viridis"](np.linspace(0.0, 0.9, len(rows)))
    for shade, row in zip(shades, rows, strict=True):
        points = program.arm.points(program.carry.angle[row])[:, plane]
        label = f"{program.carry.time[row]:.0f} s" if row in (rows[0], rows[-1]) else None
        axes.plot(*points.T, "-o", color=shade, markersize=3.0, linewidth=1.5, label=label)
        held = np.array([points[-1], program.port_at(program.carry.angle[row])[list(plane)]])
        axes.plot(*held.T, ":", color=shade, linewidth=1.5)
    way = np.array([program.port_at(q) for q in program.carry.angle[: released + 1]])[:, plane]
    axes.plot(*way.T, "--", color="tab:red", linewidth=1.0, label="way of the port")
    berth = program.scene.berth[:3, 3][list(plane)]
    axes.plot(*berth, "s", color="black", markersize=6.0, label="berth")
    axes.plot([], [], ":", color="grey", label="hand to port, through the cargo")
    axes.set(xlabel=labels[0], ylabel=labels[1], aspect="equal")
    axes.set_title("from the side" if plane == (0, 2) else "from above", loc="left")
    low, high = axes.get_ylim()
    middle, half = 0.5 * (low + high), max(0.5 * (high - low), 0.35 * float(np.ptp(axes.get_xlim())))
    axes.set_ylim(middle - half, middle + half)
    if plane == (0, 2):
        axes.invert_yaxis()
    else:
        axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
