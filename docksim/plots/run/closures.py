"""Closures of a run: what each carries, and how far bushings give way."""

from __future__ import annotations

import numpy as np

from docksim.plots.panels import Curve, Panel
from docksim.plots.run.motion import ROUNDING
from docksim.result.result import Result

PREFIX, ON = "closures.", ".on"


def closures_of(result: Result) -> list[str]:
    """Names of the closures that were ever closed."""
    names = [name for name in result if name.startswith(PREFIX) and name.endswith(ON)]
    return [name.removeprefix(PREFIX).removesuffix(ON) for name in names if np.any(result[name])]


def closure_panels(result: Result) -> list[Panel]:
    """All closures beside each other: sizes of their wrenches, and stretch and turn of bushings."""
    names = closures_of(result)

    def sizes(key: str) -> tuple[Curve, ...]:
        return tuple(Curve(name, np.linalg.norm(result[f"{PREFIX}{name}.{key}"], axis=1)) for name in names)

    panels = [
        Panel("force", "N", sizes("force_N"), "size", ROUNDING),
        Panel("moment", "N m", sizes("moment_Nm"), "size", ROUNDING),
    ]
    parts = result.scenario.closures if result.scenario is not None else {}
    soft = [name for name in names if name in parts and parts[name].kind == "bushing"]
    if soft:
        stretch = tuple(Curve(name, 1e3 * result[f"{PREFIX}{name}.gap_m"]) for name in soft)
        turn = tuple(Curve(name, result[f"{PREFIX}{name}.turn_deg"]) for name in soft)
        panels += [Panel("stretch", "mm", stretch, "", 1e-6), Panel("turn", "deg", turn, "", ROUNDING)]
    return panels
