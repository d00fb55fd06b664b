"""The joint of two ports that hooks hold: pull of hooks, faces, gap, seal, wrench through it, pressures."""

from __future__ import annotations

import numpy as np

from docksim.config.joining import hooks_of
from docksim.plots.groups import PAIR, ROUNDING
from docksim.plots.panels import Curve, Panel
from docksim.result.result import Result

WORK = ".closing_work_J"


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
    panels = [
        Panel("pull", "kN", hook, words, 1e-3, bounds=preload),
        Panel("least face load", "kN", (Curve("at any hook", 1e-3 * touching(result, name)),), "", 1e-3),
        Panel("gap", "mm", (*distances, Curve("seal, least", 1e3 * seal)), "and compression", 1e-6),
        Panel("force", "N", loads, "through the joint", ROUNDING, bounds=_bounds(limits, "tension_N")),
        Panel("moment", "N m", turns, "through the joint", ROUNDING, bounds=_bounds(limits, "bending_Nm")),
    ]
    spaces = {"tunnel": "tunnel_Pa", "between seals": "between_seals_Pa"}
    gas = tuple(Curve(text, 1e-3 * result[f"{name}.{key}"]) for text, key in spaces.items())
    return [*panels, Panel("pressure", "kPa", gas)] if any(np.any(curve.values) for curve in gas) else panels


def touching(result: Result, name: str) -> np.ndarray:
    """Least force of the faces, nothing where they gape."""
    return np.maximum(result[f"{name}.face_least_N"], 0.0)


def _bounds(limits: object, key: str) -> tuple[tuple[float, str], ...]:
    limit = getattr(limits, key, None)
    return ((limit, "limit"),) if limit is not None else ()
