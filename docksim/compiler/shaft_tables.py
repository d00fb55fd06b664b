"""Shafts to the kernel's tables, and their names: legs in their order, then couplings by mechanism, then joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.compiler.device_curves import Knot
from docksim.compiler.drives import DriveTables
from docksim.compiler.shafts import Shaft
from docksim.model import table
from docksim.model.mechanism import SHAFT, SHAFT_STATE
from docksim.model.tree import KNOT


class Owned(NamedTuple):
    """A shaft, and what it belongs to."""

    mechanism: int  # -1 for a joint
    vehicle: str
    shaft: Shaft
    v: int = 0  # of a joint: its places in State.beta and State.q
    q: int = 0

    @property
    def name(self) -> str:
        """As events and channels have it: "chaser.legs.3", "chaser.couplings.axial", "chaser.elbow"."""
        return f"{self.vehicle}.{self.shaft.name}"

    @property
    def words(self) -> str:
        """As messages have it."""
        kind, _, name = self.shaft.name.partition(".")
        if self.mechanism < 0:
            return f"joint '{self.name}'"
        return f"leg {name} of '{self.vehicle}'" if kind == "legs" else f"coupling '{name}' of '{self.vehicle}'"


# filled by name from a Shaft; the rest is filled by hand
_CONSTANTS = (
    "weight", "turns", "stiffness", "rest", "eddy_rate", "presliding", "lower", "upper", "stop_stiffness",
    "stop_damping", "stop_travel", "rotor", "speed_limit", "follows", "admittance_mass", "admittance_damping",
    "admittance_stiffness", "dead_band", "travel_limit",
)  # fmt: skip
_STATE = (
    "force", "friction", "damping", "eddy_peak", "servo_on", "gives_way", "mode", "stiffness_gain", "damping_gain",
    "target", "target_rate", "target_force", "rate_limit", "force_limit", "start", "command",
)  # fmt: skip


def in_order(assembly: Assembly) -> list[Owned]:
    """All shafts as the kernel counts them."""
    parts = assembly.mechanisms
    owned = [Owned(i, part.vehicle, shaft) for i, part in enumerate(parts) for shaft in part.shafts]
    legs, couplings = ([row for row in owned if (row.shaft.place >= 0) is leg] for leg in (True, False))
    return [*legs, *couplings, *_on_joints(assembly)]


def _on_joints(assembly: Assembly) -> list[Owned]:
    owned, q, v = [], 0, 0
    for joint in assembly.joints:
        vehicle, _, own = joint.name.partition(".")
        for i, coordinate in enumerate(joint.coordinates):
            if coordinate.devices is not None:
                name = f"{own}.{coordinate.name}" if coordinate.name else own
                owned.append(Owned(-1, vehicle, replace(coordinate.devices, name=name), v + i, q + i))
        q, v = q + len(joint.start), v + len(joint.coordinates)
    return owned


def shaft_names(assembly: Assembly) -> list[str]:
    """Names as events and channels have them."""
    return [owned.name for owned in in_order(assembly)]


def shaft_tables(assembly: Assembly, step: float, drives: DriveTables) -> tuple[np.ndarray, np.ndarray]:
    """Tables of model and state; curves of devices go to the knots, paths of set-points to the profiles."""
    owned = in_order(assembly)
    rows, states = table(SHAFT, len(owned)), table(SHAFT_STATE, len(owned))
    for k, (row, state, one) in enumerate(zip(rows, states, owned, strict=True)):
        shaft = one.shaft
        fill_shaft(row, shaft, step)
        fill_state(state, shaft)
        row.mechanism, row.leg = one.mechanism, k if shaft.place >= 0 else -1
        row.v, row.q = one.v, one.q
        row.spring_first, row.spring_n = drives.add_curve(shaft.spring), len(shaft.spring)
        row.damper_first, row.damper_n = drives.add_curve(shaft.damper), len(shaft.damper)
        if shaft.path is not None:
            state.on_path, state.profile, state.drive_from = 1, drives.add(shaft.path), shaft.start
    return rows, states


def fill_shaft(row: Any, shaft: Shaft, step: float) -> None:
    """All constants but the places of other rows."""
    for name in _CONSTANTS:
        row[name] = getattr(shaft, name)
    if shaft.sample_s > 0.0:
        row.sample_steps = round(shaft.sample_s / step)
        row.delay_samples = round(shaft.delay_s / shaft.sample_s)


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
