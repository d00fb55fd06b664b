"""The numbers a user looks at first, computed from a result; tables and --json show the same ones.

Energy residuals are relative to the largest energy or work of the run. Momentum residuals are the largest magnitudes
over the run, in their own unit, and relative where the metrics say to what. What has no channel is left out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from docksim.algebra.dense import length
from docksim.result.result import EventRecord, Metric, Result


@dataclass(frozen=True)
class EnergyResidual:
    """What the energy balance leaves over, relative: at the end, and at most."""

    final: float
    largest: float


@dataclass(frozen=True)
class MomentumResidual:
    """What a momentum balance leaves over at most."""

    largest: float
    unit: str
    relative: float | None = None


@dataclass(frozen=True)
class Summary:
    """Times, balances, events and metrics of one run."""

    simulated_s: float
    wall_s: float | None
    energy_residual: EnergyResidual | None
    momentum_residuals: dict[str, MomentumResidual]
    events: list[EventRecord]
    metrics: dict[str, Metric]
    repeats: int  # of the run, for the ranges of its peaks

    @property
    def real_time_factor(self) -> float | None:
        """Simulated seconds per second of waiting."""
        return self.simulated_s / self.wall_s if self.wall_s else None

    def as_dict(self) -> dict[str, Any]:
        """The same, for machines."""
        return {
            "simulated_s": self.simulated_s,
            "wall_s": self.wall_s,
            "real_time_factor": self.real_time_factor,
            "energy_residual_relative": asdict(self.energy_residual) if self.energy_residual else None,
            "momentum_residuals": {name: asdict(item) for name, item in self.momentum_residuals.items()},
            "events": [event._asdict() for event in self.events],
            "metrics": self.metrics,
            "repeats": self.repeats,
        }


def summarize(result: Result) -> Summary:
    """Everything the summary table shows."""
    wall = result.manifest.get("wall_time_s")
    return Summary(
        simulated_s=result.simulated_s,
        wall_s=None if wall is None else float(wall),
        energy_residual=energy_residual(result),
        momentum_residuals=momentum_residuals(result),
        events=list(result.events),
        metrics=dict(result.metrics),
        repeats=_repeats(result.manifest.get("scatter")),
    )


def _repeats(told: Any) -> int:
    repeats = told.get("repeats") if isinstance(told, dict) else None
    return repeats if isinstance(repeats, int) else 0


def energy_residual(result: Result) -> EnergyResidual | None:
    """None if there is no residual, or no energy to compare it with."""
    names = [name for name in result if name.startswith("energy.") and name != "energy.residual_J"]
    if "energy.residual_J" not in result or not names or not len(result.time_s):
        return None
    scale = max(float(np.max(np.abs(result[name]))) for name in names)
    if not scale > 0:
        return None
    relative = result["energy.residual_J"] / scale
    return EnergyResidual(float(relative[-1]), float(np.max(np.abs(relative))))


def momentum_residuals(result: Result) -> dict[str, MomentumResidual]:
    """The residual of each balance, by name ("linear", "angular")."""
    found = {}
    for kind in ("linear", "angular"):
        channel = result.channels.get(f"momentum.{kind}_residual")
        if channel is not None and len(channel.data):
            rows = channel.data.reshape(len(channel.data), -1)
            largest = float(np.max(length(rows)))
            relative = result.metrics.get(f"momentum.{kind}_residual_relative")
            found[kind] = MomentumResidual(largest, channel.unit, None if relative is None else float(relative))
    return found
