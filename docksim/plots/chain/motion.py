"""Figures of a chain's motion: joints, what holds or drives them, errors, energy; and of identified forces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.algebra.rotations import TO_DEG
from docksim.chain.model import ChainModel
from docksim.chain.motion.adaptive import Adaptation
from docksim.chain.motion.plant import WORKS
from docksim.chain.motion.runs import ChainMotion
from docksim.plots import style
from docksim.plots.page import page
from docksim.plots.panels import Curve, Panel, draw, split

BY_POLES: dict[str, Any] = {"color": "#bbbbbb", "linewidth": 3.0, "zorder": 1.5, "solid_capstyle": "butt"}


def motion_figures(motion: ChainMotion) -> dict[str, Figure]:
    """Of a run under constraints, or along a program."""
    model, time = motion.model, motion.time_s
    if len(time) < 2:
        return {}
    tool = Panel("position", "m", tuple(Curve(axis, motion.tool_m[:, i]) for i, axis in enumerate("xyz")), "tool")
    more = [*_bends(motion), *_stops(motion), tool]
    figures = {
        "joints": state_figure(f"{motion.name}: joints", model, time, motion.q, motion.rates, motion.force, *more),
        "energy": draw(f"{motion.name}: energy and work", time, _budget(motion)),
    }
    if motion.kind == "constraint":
        figures["constraint"] = draw(f"{motion.name}: reactions and errors of the constraints", time, _held(motion))
    elif motion.kind == "program":
        figures["program"] = _decay(motion)
    elif motion.adaptation is not None:
        panels = _learnt(motion, motion.adaptation)
        figures["adaptive"] = draw(f"{motion.name}: errors, and what is learnt", time, panels)
    return figures


def _learnt(motion: ChainMotion, learnt: Adaptation) -> list[Panel]:
    """Errors of the joints; base parameters that the motion tells apart, over their true size; V."""
    panels = []
    for unit in ("m", "rad"):
        rows = [j for j, one in enumerate(motion.units) if one == unit]
        factor, label = (TO_DEG, "deg") if unit == "rad" else (1.0, "m")
        panels += split("error", label, [Curve(motion.rows[j], factor * motion.f[:, j]) for j in rows], "joint", 0.0)
    size = np.abs(learnt.true).max(axis=0)
    there = np.flatnonzero(size > 1e-9 * size.max())
    moved = np.ptp(learnt.estimates[:, there], axis=0) / size[there]
    chosen = np.sort(there[np.argsort(-moved)[: style.MAX_CURVES]])
    ratio = [Curve(learnt.names[i], learnt.estimates[:, i] / learnt.true[:, i]) for i in chosen]
    panels.append(Panel("believed / true", "1", tuple(ratio), "parameter"))
    return [*panels, Panel("V", "J", (Curve("V", learnt.lyapunov_J),), "Lyapunov")]


def _bends(motion: ChainMotion) -> list[Panel]:
    """Angle between the ends of every elastic link, in each of its deformations: what its elements add up to."""
    sums: dict[str, np.ndarray] = {}
    for k, (name, owner) in enumerate(zip(motion.model.names, motion.model.owners, strict=True)):
        if name != owner:
            label = f"{owner}, {name.rpartition('.')[2].replace('_', ' about ')}"
            sums[label] = sums.get(label, 0.0) + TO_DEG * motion.q[:, k]
    curves = [Curve(label, values) for label, values in sums.items() if np.abs(values).max() > 1e-9]
    return split("angle", "deg", curves, "bending", 0.0)


def _stops(motion: ChainMotion) -> Iterable[Panel]:
    """Forces of the stops that were met."""
    met = np.flatnonzero(np.abs(motion.stop).max(axis=0) > 0.0)
    for slides, (label, unit) in ((False, ("torque", "N m")), (True, ("force", "N"))):
        chosen = [k for k in met if motion.model.prismatic[k] == slides][: style.MAX_CURVES]
        if chosen:
            yield Panel(label, unit, tuple(Curve(motion.model.names[k], motion.stop[:, k]) for k in chosen), "stops")


def _budget(motion: ChainMotion) -> list[Panel]:
    """Change of energy beside the work of all that acts, and what is left between them."""
    change = motion.energy_J - motion.energy_J[0]
    done = [Curve(name, motion.work_J[:, i]) for i, name in enumerate(WORKS) if np.any(motion.work_J[:, i])]
    floor = 1e-9 * float(max(np.abs(change).max(), np.abs(motion.work_J).max(), 1e-300))
    return [
        Panel("change", "J", (Curve("energy", change),), "energy", floor=floor),
        *([Panel("work", "J", tuple(done), "work of", floor=floor)] if done else []),
        Panel("change less work", "J", (Curve("residual", motion.residual_J),), "budget"),
    ]


def state_figure(
    title: str,
    model: ChainModel,
    time: np.ndarray,
    q: np.ndarray,
    rates: np.ndarray,
    force: np.ndarray,
    *more: Panel,
) -> Figure:
    """Coordinates, rates and drive forces of the joints, and more panels below."""
    panels = [
        *_joint_panels(model, "position", q, ("angle", "deg"), ("travel", "m")),
        *_joint_panels(model, "rate", rates, ("rate", "deg/s"), ("rate", "m/s")),
        *_joint_panels(model, "drive", force, ("torque", "N m"), ("force", "N")),
    ]
    return draw(title, time, [*panels, *more])


def _joint_panels(
    model: ChainModel, legend: str, values: np.ndarray, turning: tuple[str, str], sliding: tuple[str, str]
) -> Iterable[Panel]:
    for slides, (label, unit) in ((False, turning), (True, sliding)):
        # elements of elastic links are too many: what they add up to has a panel of its own
        own = np.array([name == owner for name, owner in zip(model.names, model.owners, strict=True)])
        chosen = np.flatnonzero((model.prismatic == slides) & own)
        factor = TO_DEG if "deg" in unit else 1.0
        curves = [Curve(model.names[k], factor * values[:, k]) for k in chosen]
        yield from split(label, unit, curves, legend, 1e-9)


def _held(motion: ChainMotion) -> list[Panel]:
    panels = []
    for unit, label, reaction in (("m", "force", "N"), ("rad", "torque", "N m")):
        rows = [j for j, one in enumerate(motion.units) if one == unit]
        reactions = [Curve(motion.rows[j], motion.reaction[:, j]) for j in rows]
        panels += split(label, reaction, reactions, "reaction", 1e-9)
    for unit in ("m", "rad"):
        rows = [j for j, one in enumerate(motion.units) if one == unit][: style.MAX_CURVES]
        if rows:
            curves = tuple(Curve(motion.rows[j], motion.f[:, j]) for j in rows)
            panels.append(Panel("error", unit, curves, "constraint"))
    return panels


def _decay(motion: ChainMotion) -> Figure:
    """Errors of the program on a logarithmic scale: straight lines where the poles rule."""
    groups = [unit for unit in ("m", "rad") if unit in motion.units]
    with page(f"{motion.name}: errors of the program", 3.0) as figure:
        width = (0.87 - 0.1 * (len(groups) - 1)) / len(groups)
        for i, unit in enumerate(groups):
            axes = figure.add_axes((0.1 + i * (width + 0.1), 0.28, width, 0.58))
            rows = [j for j, one in enumerate(motion.units) if one == unit]
            for j, look in zip(rows, style.CURVES, strict=False):
                factor = TO_DEG if unit == "rad" else 1.0
                axes.plot(motion.time_s, factor * np.abs(motion.f[:, j]), label=motion.rows[j], **look)
            _log(axes, "size of the error [{}]".format("deg" if unit == "rad" else unit))
            if motion.expected is not None:
                lines = (TO_DEG if unit == "rad" else 1.0) * np.abs(motion.expected[:, rows])
                axes.plot(motion.time_s, lines, **BY_POLES)
                axes.plot([], [], label="by the poles", **BY_POLES)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=4 // len(groups))
    return figure


def _log(axes: Axes, label: str) -> None:
    values = np.concatenate([np.asarray(line.get_ydata(), float) for line in axes.get_lines()])
    largest = float(values.max(initial=0.0))
    axes.set_xlabel("time [s]")
    axes.set_ylabel(label)
    if largest > 0.0:
        axes.set_yscale("log")
        axes.set_ylim(max(float(values[values > 0.0].min()), 1e-13 * largest) / 2.0, 3.0 * largest)


# ---------------------------------------------------------------- identification


def forces_figure(
    title: str,
    sensors: Sequence[tuple[str, str]],
    time: np.ndarray,
    measured: np.ndarray,
    predicted: np.ndarray,
    noise: Sequence[float],
) -> Figure:
    """Measured and predicted force of every joint, or energy, and what is left, beside the noise."""
    rows = len(sensors)
    height = style.TITLE_IN + 0.55 + 1.25 * rows
    with page(title, height) as figure:
        for k in range(rows):
            low = (height - style.TITLE_IN - 1.25 * (k + 1) + 0.12) / height
            name, unit = sensors[k]
            left = figure.add_axes((0.1, low, 0.5, 1.0 / height))
            left.plot(time, measured[:, k], label="measured", color="#999999", linewidth=1.8)
            left.plot(time, predicted[:, k], label="predicted", color="#0072b2", linewidth=0.9)
            left.set_ylabel(f"{name} [{unit}]", parse_math=False)
            right = figure.add_axes((0.7, low, 0.28, 1.0 / height))
            right.plot(time, measured[:, k] - predicted[:, k], ".", markersize=1.2, color="#d55e00", label="difference")
            for sign in (2.0, -2.0):
                right.axhline(sign * noise[k], label="two deviations" if sign > 0 else "_", **style.LIMIT)
            right.set_ylabel(f"[{unit}]")
            for axes in (left, right):
                axes.set_xlim(time[0], time[-1])
                axes.tick_params(labelbottom=k == rows - 1)
                if k == rows - 1:
                    axes.set_xlabel("time [s]")
                    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.38), ncols=2)
    return figure
