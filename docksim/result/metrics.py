"""Numbers that sum a run up: of a docking first, then of every run.

They are computed from channels, events and scenario alone, so a saved result gives them again.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from docksim.algebra.dense import dot
from docksim.result.docking_metrics import docking_metrics
from docksim.result.result import Channel, EventRecord

if TYPE_CHECKING:
    from docksim.config.schema import Scenario


def metrics_of(
    channels: Mapping[str, Channel],
    scenario: Scenario | None = None,
    events: Iterable[EventRecord] = (),
    wanted: Container[str] | None = None,
    measured: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Figures of the docking, residuals of energy and momentum, and the largest rates and loads.

    With `wanted` the largest rates and loads are only those named there. `measured` are figures that the solver's state
    has, by name; they come first.
    """
    found = dict(measured or {})
    found |= docking_metrics(channels, scenario) if scenario is not None else {}
    found |= {
        "energy.residual_J": _last_peak(channels["energy.residual_J"].data),
        "energy.residual_relative": _energy_residual(channels),
        "momentum.linear_residual_relative": _momentum_residual(channels, "linear"),
        "momentum.angular_residual_relative": _momentum_residual(channels, "angular"),
    }
    for name, channel in channels.items():
        quantity = name.rsplit(".", 1)[-1]
        depth = name.count(".")
        of_vehicle = quantity == "rate_deg_s" and depth == 1
        of_joint = quantity in ("load_force_N", "load_moment_Nm") and depth > 1
        if (of_vehicle or of_joint) and (wanted is None or f"{name}.peak" in wanted):
            found[f"{name}.peak"] = _peak_length(channel.data)
    return found


def _peak_length(data: np.ndarray) -> float:
    return math.sqrt(float(dot(data, data).max()))


def _last_peak(data: np.ndarray) -> float:
    return float(np.abs(data).max())


def _energy_residual(channels: Mapping[str, Channel]) -> float:
    """Against the largest energy that was in the system or passed through it."""
    total = np.abs(channels["energy.kinetic_J"].data) + np.abs(channels["energy.potential_J"].data)
    works = [c.data for name, c in channels.items() if name.startswith("energy.work.")]
    scale = max(float(total.max()), max(float(np.abs(work).max()) for work in works))
    return _ratio(_last_peak(channels["energy.residual_J"].data), scale)


def _momentum_residual(channels: Mapping[str, Channel], kind: str) -> float:
    """Against the largest sum of the bodies' momenta, which stays meaningful when the total is zero."""
    scale = float(channels[f"momentum.{kind}_traffic"].data.max())
    return _ratio(_peak_length(channels[f"momentum.{kind}_residual"].data), scale)


def _ratio(value: float, scale: float) -> float:
    return value / scale if scale > 0.0 else value
