"""Shafts to the kernel's tables, and their names: all legs in their order first, then the couplings by mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docksim.compiler.device_curves import Knot
from docksim.compiler.drives import DriveTables
from docksim.compiler.mechanism import MechanismPart
from docksim.compiler.shafts import Shaft
from docksim.model import table
from docksim.model.mechanism import SHAFT, SHAFT_STATE
from docksim.model.tree import KNOT

Owned = tuple[int, MechanismPart, Shaft]  # a shaft, and the mechanism it belongs to
# filled by name from a Shaft; the rest is filled by hand
_CONSTANTS = (
    "weight", "turns", "stiffness", "rest", "eddy_rate", "presliding", "lower", "upper", "stop_stiffness",
    "stop_damping", "stop_travel", "rotor", "follows", "admittance_mass", "admittance_damping", "admittance_stiffness",
    "dead_band", "travel_limit",
)  # fmt: skip
_STATE = (
    "force", "friction", "damping", "eddy_peak", "servo_on", "gives_way", "mode", "stiffness_gain", "damping_gain",
    "target", "target_rate", "rate_limit", "force_limit", "start", "command",
)  # fmt: skip


def in_order(parts: Sequence[MechanismPart]) -> list[Owned]:
    """All shafts as the kernel counts them."""
    owned = [(i, part, shaft) for i, part in enumerate(parts) for shaft in part.shafts]
    return [row for row in owned if row[2].place >= 0] + [row for row in owned if row[2].place < 0]


def shaft_names(parts: Sequence[MechanismPart]) -> list[str]:
    """Names as events and channels have them: "chaser.legs.3", "chaser.couplings.axial"."""
    return [f"{part.vehicle}.{shaft.name}" for _, part, shaft in in_order(parts)]


def shaft_table(parts: Sequence[MechanismPart], step: float, knots: DriveTables) -> np.ndarray:
    """Model table; the devices' curves go to the knots."""
    owned = in_order(parts)
    rows = table(SHAFT, len(owned))
    for k, (row, (i, _, shaft)) in enumerate(zip(rows, owned, strict=True)):
        fill_shaft(row, shaft, step)
        row.mechanism, row.leg = i, k if shaft.place >= 0 else -1
        row.spring_first, row.spring_n = knots.add_curve(shaft.spring), len(shaft.spring)
        row.damper_first, row.damper_n = knots.add_curve(shaft.damper), len(shaft.damper)
    return rows


def fill_shaft(row: Any, shaft: Shaft, step: float) -> None:
    """All constants but the places of other rows."""
    for name in _CONSTANTS:
        row[name] = getattr(shaft, name)
    if shaft.sample_s > 0.0:
        row.sample_steps = round(shaft.sample_s / step)
        row.delay_samples = round(shaft.delay_s / shaft.sample_s)


def shaft_states(parts: Sequence[MechanismPart]) -> np.ndarray:
    """State table at the reference pose."""
    owned = in_order(parts)
    rows = table(SHAFT_STATE, len(owned))
    for row, (_, _, shaft) in zip(rows, owned, strict=True):
        fill_state(row, shaft)
    return rows


def fill_state(row: Any, shaft: Shaft) -> None:
    for name in _STATE:
        row[name] = getattr(shaft, name)


def lone_shafts(shafts: Sequence[Shaft]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Constants, states and knots of shafts outside a scenario; nothing is sampled there."""
    rows, states = table(SHAFT, len(shafts)), table(SHAFT_STATE, len(shafts))
    knots: list[Knot] = []
    for row, state, shaft in zip(rows, states, shafts, strict=True):
        fill_shaft(row, shaft, 1.0)
        fill_state(state, shaft)
        row.leg = shaft.place
        row.spring_first, row.spring_n = len(knots), len(shaft.spring)
        row.damper_first, row.damper_n = len(knots) + len(shaft.spring), len(shaft.damper)
        knots += [*shaft.spring, *shaft.damper]
    return rows, states, knot_rows(knots)


def knot_rows(knots: Sequence[Knot]) -> np.ndarray:
    rows = table(KNOT, len(knots))
    for row, (x, *law) in zip(rows, knots, strict=True):
        row.time = x
        row.c[:3] = law
    return rows
