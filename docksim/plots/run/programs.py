"""Arms under program control: the base's turn and rate, the hand's errors, the torques of the joints."""

from __future__ import annotations

import numpy as np

from docksim.plots.panels import Curve, Panel
from docksim.plots.run.devices import ROUNDING, drives, motor_panels
from docksim.plots.run.motion import attitude_panel
from docksim.result.result import Result

ERROR = ".hand_error_m"


def with_programs(result: Result) -> list[str]:
    """Vehicles whose arms have programs that acted."""
    there = [name.split(".")[0] for name in result if name.endswith(ERROR) and _acted(result, name)]
    return list(dict.fromkeys(there))


def _acted(result: Result, error: str) -> bool:
    return bool(np.any(result[f"{error.removesuffix(ERROR)}.on"]))


def arm_panels(result: Result, vehicle: str) -> list[Panel]:
    """Base, hand, joints."""
    programs = [
        name.removesuffix(ERROR)
        for name in result
        if name.startswith(f"{vehicle}.") and name.endswith(ERROR) and _acted(result, name)
    ]
    rate = result.channel(f"{vehicle}.rate_deg_s")
    panels = [attitude_panel(result.channel(f"{vehicle}.attitude"))]
    curves = tuple(Curve(axis, rate.data[:, i]) for i, axis in enumerate("xyz"))
    panels.append(Panel("base rate", "deg/s", curves, "body axes", ROUNDING))
    for label, unit, key in (("hand error", "m", "hand_error_m"), ("hand error", "deg", "hand_error_deg")):
        sizes = ((name, np.linalg.norm(result[f"{name}.{key}"], axis=1)) for name in programs)
        curves_of_hand = tuple(
            Curve(name.removeprefix(f"{vehicle}."), np.where(result[f"{name}.on"] == 1, size, np.nan))
            for name, size in sizes
        )
        if any(np.nanmax(curve.values) > ROUNDING for curve in curves_of_hand):
            panels.append(Panel(label, unit, curves_of_hand, "program", ROUNDING))
    return [*panels, *motor_panels(result, vehicle, drives(result, vehicle))]
