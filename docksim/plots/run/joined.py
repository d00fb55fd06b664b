"""The joint of two ports that hooks hold, and its parting.

Joined: pull of hooks, faces, gap, seal, wrench through it, pressures. Parting: gap, what acts between the ports, and
the rates that they leave with.
"""

from __future__ import annotations

import itertools

import numpy as np

from docksim.config.schema.joining import hooks_of
from docksim.plots.panels import Curve, Panel
from docksim.plots.run.motion import PAIR, ROUNDING
from docksim.result.result import Result

WORK = ".closing_work_J"
GAP = ".parting_gap_m"
# of one size each: hooks pull with kilonewtons, a seal with hundreds
FORCES = {
    "push of rods": (".rod_",),
    "pull of hooks": (".late_hook_",),
    "seal, pressure": (".seal_pull_N", ".pressure_force_N"),
}
# seconds before and after, as shares of how long something acts
BEFORE, AFTER = 0.1, 0.4


def joints_of_hooks(result: Result) -> list[str]:
    """Names of the ports whose hooks have pulled."""
    return [name.removesuffix(WORK) for name in result if name.endswith(WORK) and np.any(result[name])]


def hook_panels(result: Result, name: str) -> list[Panel]:
    """From the forces inside to what goes through."""
    first, second = name.split(PAIR)
    hooks = hooks_of(result.scenario, (first, second)) if result.scenario is not None else None
    limits = hooks.limits if hooks is not None else None
    preload = () if hooks is None or hooks.preload_N is None else ((1e-3 * hooks.preload_N, "preload"),)
    pulls = [result[key] for key in result if key.startswith(f"{name}.hook_") and key.endswith("_force_N")]
    held = np.array([pull for pull in pulls if np.any(pull)])
    words = f"{len(held)} of {len(pulls)} hooks" if len(held) < len(pulls) else f"{len(pulls)} hooks"
    hook = (Curve("largest", 1e-3 * held.max(axis=0)), Curve("least", 1e-3 * held.min(axis=0)))
    gap, seal = result[f"{name}.gap_m"], result[f"{name}.seal_least_compression_m"]
    distances = (Curve("gap on the axis", 1e3 * gap), Curve("widest gap", 1e3 * result[f"{name}.widest_gap_m"]))
    force, moment = result[f"{name}.wrench_force_N"], result[f"{name}.wrench_moment_Nm"]
    loads = (Curve("pull", force[:, 0]), Curve("shear", np.linalg.norm(force[:, 1:], axis=1)))
    turns = (Curve("bending", np.linalg.norm(moment[:, 1:], axis=1)), Curve("torsion", moment[:, 0]))
    # nothing where they gape
    faces = np.maximum(result[f"{name}.face_least_N"], 0.0)
    panels = [
        Panel("pull", "kN", hook, words, 1e-3, bounds=preload),
        Panel("least face load", "kN", (Curve("at any hook", 1e-3 * faces),), "", 1e-3),
        Panel("gap", "mm", (*distances, Curve("seal, least", 1e3 * seal)), "and compression", 1e-6),
        Panel("force", "N", loads, "through the joint", ROUNDING, bounds=_bounds(limits, "tension_N")),
        Panel("moment", "N m", turns, "through the joint", ROUNDING, bounds=_bounds(limits, "bending_Nm")),
    ]
    spaces = {"tunnel": "tunnel_Pa", "between seals": "between_seals_Pa"}
    gas = tuple(Curve(text, 1e-3 * result[f"{name}.{key}"]) for text, key in spaces.items())
    return [*panels, Panel("pressure", "kPa", gas)] if any(np.any(curve.values) for curve in gas) else panels


def _bounds(limits: object, key: str) -> tuple[tuple[float, str], ...]:
    limit = getattr(limits, key, None)
    return ((limit, "limit"),) if limit is not None else ()


# ---------------------------------------------------------------- parting


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
