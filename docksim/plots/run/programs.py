"""Arms under program control: the base's turn and rate, the hand's errors, the torques of the joints."""

from __future__ import annotations

import numpy as np

from docksim.plots.panels import Curve, Panel
from docksim.plots.run.devices import ROUNDING, drives, motor_panels
from docksim.plots.run.motion import attitude_panel
from docksim.result.result import Result

HAND = ".hand_error_m"
ON = ".on"


def with_programs(result: Result) -> list[str]:
    """Vehicles whose arms have programs that acted."""
    return list(dict.fromkeys(name.split(".")[0] for name in [*_hands(result, ""), *_learning(result, "")]))


def _hands(result: Result, start: str) -> list[str]:
    """Programs that led a hand."""
    there = (name.removesuffix(HAND) for name in result if name.startswith(start) and name.endswith(HAND))
    return [name for name in there if np.any(result[f"{name}{ON}"])]


def _learning(result: Result, start: str) -> list[str]:
    """Programs that learnt masses."""
    programs = (name.rsplit(".", 2)[0] for name in result if name.startswith(start) and _is_figure(name))
    there = dict.fromkeys(name if f"{name}{ON}" in result else name.rsplit(".", 1)[0] for name in programs)
    return [name for name in there if np.any(result[f"{name}{ON}"])]


def _is_figure(name: str) -> bool:
    """Mass figures of links are named so: "tug.learn.elbow.Sxx_kg_m2"."""
    return name.endswith(("_kg_m2", "_kg_m", ".m_kg")) and name.count(".") >= 3


def arm_panels(result: Result, vehicle: str) -> list[Panel]:
    """Base, hand, joints."""
    rate = result.channel(f"{vehicle}.rate_deg_s")
    panels = [attitude_panel(result.channel(f"{vehicle}.attitude"))]
    curves = tuple(Curve(axis, rate.data[:, i]) for i, axis in enumerate("xyz"))
    panels.append(Panel("base rate", "deg/s", curves, "body axes", ROUNDING))
    panels += _hand_panels(result, vehicle)
    for program in _learning(result, f"{vehicle}."):
        panels += _learning_panels(result, program)
    return [*panels, *motor_panels(result, vehicle, drives(result, vehicle))]


def _hand_panels(result: Result, vehicle: str) -> list[Panel]:
    panels = []
    for label, unit, key in (("hand error", "m", "hand_error_m"), ("hand error", "deg", "hand_error_deg")):
        programs = _hands(result, f"{vehicle}.")
        sizes = ((name, np.linalg.norm(result[f"{name}.{key}"], axis=1)) for name in programs)
        curves_of_hand = tuple(
            Curve(name.removeprefix(f"{vehicle}."), np.where(result[f"{name}{ON}"] == 1, size, np.nan))
            for name, size in sizes
        )
        if any(np.nanmax(curve.values) > ROUNDING for curve in curves_of_hand):
            panels.append(Panel(label, unit, curves_of_hand, "program", ROUNDING))
    return panels


def _learning_panels(result: Result, program: str) -> list[Panel]:
    """Errors of the joints, and by how much what is believed of each link has changed."""
    panels = []
    for unit in ("deg", "m"):
        names = [name for name in result if name.startswith(f"{program}.") and name.endswith(f".error_{unit}")]
        on = result[f"{program}{ON}"] == 1
        curves = tuple(Curve(_axis(name, program), np.where(on, result[name], np.nan)) for name in names)
        if curves:
            panels.append(Panel("joint error", unit, curves, program, ROUNDING))
    for label, unit, ending in (
        ("2nd moments", "kg m2", "_kg_m2"),
        ("1st moments", "kg m", "_kg_m"),
        ("mass", "kg", ".m_kg"),
    ):
        sizes: dict[str, np.ndarray] = {}
        for name in result:
            if name.startswith(f"{program}.") and name.endswith(ending):
                change = result[name] - result[name][0]
                axis = _axis(name, program)
                sizes[axis] = np.hypot(sizes.get(axis, np.zeros_like(change)), change)
        curves = tuple(Curve(axis, size) for axis, size in sizes.items())
        if curves:
            panels.append(Panel(label, unit, curves, "learnt, change of", ROUNDING))
    return panels


def _axis(name: str, program: str) -> str:
    return name.removeprefix(f"{program}.").rpartition(".")[0]
