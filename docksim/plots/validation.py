"""Figures of docksim validate: what the answers of its rows look like, each drawn if its row was answered.

Captures of populations with their confidence; the thrust that a slow approach takes, and which error it bears least;
axial forces over a box; the strokes of the yaw case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.validation.row import Answer

CAPTIONS = {
    "validation_shares": "Captures of the populations: share with its 95 % interval (Clopper and Pearson), and "
    "the band that passes",
    "validation_thrust": "The differential-coupled ring at 0.05 m/s. Left: seconds from first contact to "
    "capture, 7 deg askew, by thrust; crosses were not captured. Right: the largest part of each error that is "
    "captured within 3 s with 600 N",
    "validation_loads": "Largest axial force of the differential-coupled ring over the box of its maker: share of "
    "cases beyond a force, with soft, middle and hard contact, and the published limit",
    "validation_astp": "Second docking of Apollo and Soyuz: rate of Soyuz, and of the two against each other",
    "validation_yaw": "Strokes of the six legs in the yaw case: those of the petal that is met first go back, "
    "the others extend in the lunge",
}
Curves = Mapping[str, Any]
GOOD, BAD, PASSES = "#0072b2", "#d55e00", "#dfeee6"
# from first contact to capture: what the band asks for [s]
LATE_S, SOON_S = 3.0, 1.5


def validation_figures(answers: Sequence[Answer]) -> dict[str, Figure]:
    """By name, those whose rows were answered."""
    curves = {answer.row.name: answer.curves for answer in answers if answer.curves}
    figures: dict[str, Figure] = {}
    with rc_context(style.RC):
        shares = {answer.row.name: answer for answer in answers if "share" in answer.curves}
        if shares:
            figures["validation_shares"] = _shares(shares)
        if {"apas_thrust", "apas_angle_first"} <= set(curves):
            figures["validation_thrust"] = _thrust(curves["apas_thrust"], curves["apas_angle_first"])
        if "sast_axial_force" in curves:
            figures["validation_loads"] = _loads(curves["sast_axial_force"])
        if "astp_second" in curves:
            figures["validation_astp"] = _astp(curves["astp_second"])
        if "nds_yaw" in curves:
            figures["validation_yaw"] = _yaw(curves["nds_yaw"])
    return figures


def _page(height: float, columns: int = 1, **keys: Any) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False, **keys)[0]
    return figure, list(axes)


def _shares(answers: Mapping[str, Answer]) -> Figure:
    """A line for each population, the first on top."""
    figure, [axes] = _page(0.7 + 0.34 * len(answers))
    for y, answer in enumerate(answers.values()):
        c = answer.curves
        axes.barh(y, c["most"] - c["least"], left=c["least"], height=0.8, color=PASSES, zorder=1)
        colour = GOOD if answer.verdict == "pass" else BAD
        axes.plot([c["low"], c["high"]], [y, y], color=colour, solid_capstyle="butt", linewidth=2.0)
        axes.plot(c["share"], y, marker="o" if answer.verdict == "pass" else "X", color=colour, markersize=5.0)
        left = c["share"] > 0.5
        at = c["low"] - 0.01 if left else c["high"] + 0.01
        text = f"{round(c['share'] * c['cases'])} of {c['cases']}"
        axes.text(at, y, text, ha="right" if left else "left", va="center", fontsize=style.SMALL_PT)
    axes.set_yticks(range(len(answers)), list(answers))
    axes.set_ylim(len(answers) - 0.5, -0.5)
    axes.set_xlim(0.0, 1.005)
    axes.set_xlabel("share captured (shaded: passes)")
    axes.grid(axis="y", visible=False)
    return figure


def _thrust(thrust: Curves, borne: Curves) -> Figure:
    figure, [left, right] = _page(2.6, 2, width_ratios=[3, 2])
    force, seconds = np.array(thrust["thrust_N"]), np.array(thrust["capture_s"], float)
    caught = np.isfinite(seconds)
    top = 1.15 * max(LATE_S, *seconds[caught], 0.0)
    left.plot(force[caught], seconds[caught], marker="o", color=GOOD, markersize=4.0)
    left.plot(force[~caught], np.full((~caught).sum(), 0.96 * top), "x", color=BAD, markersize=6.0, clip_on=False)
    # the band: later than 3 s at 600 N, within 1.5 s at 1500 N
    for at, low, high in ((600.0, LATE_S, top), (1500.0, 0.0, SOON_S)):
        left.fill_between([at - 45.0, at + 45.0], low, high, color=PASSES, zorder=1)
    left.set(xlim=(-60.0, 1560.0), ylim=(0.0, top), xlabel="thrust [N]", ylabel="first contact to capture [s]")
    names = list(borne["parts"])
    right.bar(range(len(names)), [borne["parts"][name] for name in names], color=GOOD, width=0.6)
    right.set_xticks(range(len(names)), [f"{name}\nof {borne['whole'][name]}" for name in names])
    right.set(ylim=(0.0, 1.05), ylabel="largest part captured")
    right.grid(axis="x", visible=False)
    right.margins(x=0.15)
    return figure


def _loads(curves: Curves) -> Figure:
    figure, [axes] = _page(2.6)
    for look, (end, peaks) in zip(style.CURVES, curves["peaks_N"].items(), strict=False):
        beyond = 1.0 - np.arange(len(peaks) + 1) / len(peaks)
        axes.step([0.0, *(1e-3 * np.array(peaks))], beyond, where="post", label=f"{end} stiffness", **look)
    axes.axvline(1e-3 * curves["limit_N"], **style.LIMIT)
    axes.annotate("limit", (1e-3 * curves["limit_N"], 0.5), (-3, 0), textcoords="offset points", ha="right",
                  fontsize=style.SMALL_PT)  # fmt: skip
    axes.set(xlim=(0.0, 1.1e-3 * curves["limit_N"]), ylim=(0.0, 1.03))
    axes.set(xlabel="largest compression [kN]", ylabel="share of cases beyond")
    axes.legend(loc="upper right", bbox_to_anchor=(0.9, 1.0))
    return figure


def _astp(curves: Curves) -> Figure:
    figure, [axes] = _page(2.6)
    time = np.array(curves["time_s"])
    shown = time > -5.0
    for look, (word, key) in zip(style.CURVES, (("Soyuz", "soyuz"), ("against each other", "relative")), strict=False):
        axes.plot(time[shown], np.array(curves[f"{key}_deg_s"])[shown], label=word, **look)
    axes.axvspan(40.0, 41.0, color=PASSES, zorder=1)
    axes.set(xlabel="time since capture [s]", ylabel="rate [deg/s]")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper right")
    return figure


def _yaw(curves: Curves) -> Figure:
    """Legs in the two groups that the paper tells apart."""
    figure, [axes] = _page(2.6)
    time, strokes = np.array(curves["time_s"]), 1e3 * np.array(curves["legs_m"])
    lunge, attenuate = curves["lunge_s"], curves["attenuate_s"]
    shown = (time > lunge - 1.5) & (time < attenuate + 2.0)
    words = ("of the petal met first", "the others")
    for k, stroke in enumerate(strokes):
        other = k not in curves["met_first"]
        axes.plot(time[shown], stroke[shown], label=words[other], **style.CURVES[other])
    for at, word, side in ((lunge, "lunge", "right"), (attenuate, "attenuate", "left")):
        axes.axvline(at, **style.EVENT_LINE)
        axes.annotate(
            word, (at, 1.0), (2 if side == "left" else -2, -1), xycoords=("data", "axes fraction"),
            textcoords="offset points", va="top", ha=side, fontsize=style.SMALL_PT,
        )  # fmt: skip
    axes.set(xlabel="time [s]", ylabel="stroke of a leg [mm]")
    axes.margins(y=0.14)
    handles = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(handles.values(), handles.keys(), loc="lower left")
    return figure
