"""Two ports that part: gap, what acts between them, and the rates that they leave with."""

from __future__ import annotations

import itertools

import numpy as np

from docksim.plots.groups import ROUNDING
from docksim.plots.panels import Curve, Panel
from docksim.result.result import Result

GAP = ".parting_gap_m"
# of one size each: hooks pull with kilonewtons, a seal with hundreds
FORCES = {
    "push of rods": (".rod_",),
    "pull of hooks": (".late_hook_",),
    "seal, pressure": (".seal_pull_N", ".pressure_force_N"),
}
# seconds before and after, as parts of how long something acts
BEFORE, AFTER = 0.1, 0.4


def partings(result: Result) -> list[str]:
    """Names of what events part and something pushes."""
    return [name.removesuffix(GAP) for name in result if name.endswith(GAP) and parting_rows(result, name)]


def parting_rows(result: Result, name: str) -> slice | None:
    """From shortly before something acts until some time after; None if nothing ever does."""
    forces = [result[key] for key in _forces(result, name.removesuffix(GAP), *itertools.chain(*FORCES.values()))]
    acting = np.flatnonzero(np.any(np.array(forces) != 0.0, axis=0)) if forces else np.array([])
    if not len(acting):
        return None
    time = result.time_s
    first, last = float(time[acting[0]]), float(time[acting[-1]])
    ends = np.searchsorted(time, (first - BEFORE * (last - first), last + AFTER * (last - first)))
    return slice(int(ends[0]), int(ends[1]) + 1)


def parting_panels(result: Result, name: str) -> list[Panel]:
    panels = [Panel("gap", "mm", (Curve("between the ports", 1e3 * result[name + GAP]),))]
    for label, kinds in FORCES.items():
        keys = [key for key in _forces(result, name, *kinds) if np.any(result[key] != 0.0)]
        words = (key.removeprefix(f"{name}.").removesuffix("_N").replace("_", " ") for key in keys)
        curves = tuple(Curve(text.removesuffix(" force"), result[key]) for text, key in zip(words, keys, strict=True))
        panels += [Panel(label, "N", curves)] if curves else []
    for vehicle in dict.fromkeys(port.split(".")[0] for port in name.split("+")):
        rate = result.channels[f"{vehicle}.rate_deg_s"]
        curves = tuple(Curve(axis, rate.data[:, k]) for k, axis in enumerate(rate.components))
        panels.append(Panel(f"rate of {vehicle}", "deg/s", curves, "body axes", ROUNDING))
    return panels


def _forces(result: Result, name: str, *kinds: str) -> list[str]:
    return [key for key in result if key.startswith(tuple(name + kind for kind in kinds))]
