"""Numbers that sum a run up: of a docking first, then of every run.

Whatever is largest or least is `measured`: noted while the run went, at every sub-step, whether it was logged or not.
The rest is of the last row, of the events, or of the scenario.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from docksim.algebra.dense import dot
from docksim.result.docking_metrics import docking_metrics
from docksim.result.result import Channel, EventRecord

if TYPE_CHECKING:
    from docksim.config.schema import Scenario

# largest rates and loads, of runs without contact too
OF_EVERY_RUN = (".rate_deg_s.peak", ".load_force_N.peak", ".load_moment_Nm.peak")


def metrics_of(
    channels: Mapping[str, Channel],
    scenario: Scenario | None = None,
    events: Iterable[EventRecord] = (),
    wanted: Container[str] | None = None,
    measured: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, float]:
    """Figures of the docking, residuals of energy and momentum, and the largest rates and loads.

    With `wanted` the largest rates and loads are only those named there. `measured` are figures that the solver's state
    has, by name; those of hooks come first, and without contact pairs there are only rates and loads.
    """
    docking = docking_metrics(channels, scenario, measured) if scenario is not None else {}
    ends = {name: value for name, value in measured.items() if name.endswith(OF_EVERY_RUN)}
    others = {name: value for name, value in measured.items() if name not in docking and name not in ends}
    found = others | docking if docking else {}
    found |= {
        "energy.residual_J": _last_peak(channels["energy.residual_J"].data),
        "energy.residual_relative": _energy_residual(channels),
        "momentum.linear_residual_relative": _momentum_residual(channels, "linear"),
        "momentum.angular_residual_relative": _momentum_residual(channels, "angular"),
    }
    return found | {name: value for name, value in ends.items() if wanted is None or name in wanted}


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
