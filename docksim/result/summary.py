"""The numbers a user looks at first, computed from a result; tables and --json show the same ones.

Energy residuals are relative to the largest energy or work of the run. Momentum residuals are the largest magnitudes
over the run, in their own unit and relative to what the bodies carry. All are metrics, over every step; a result
without them has none.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from docksim.result.bands import outcomes_of, verdict_of
from docksim.result.result import EventRecord, Metric, Result

UNITS = {"linear": "kg_m_s", "angular": "kg_m2_s"}


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
    relative: float


@dataclass(frozen=True)
class Summary:
    """Times, balances, events and metrics of one run."""

    simulated_s: float
    wall_s: float | None
    energy_residual: EnergyResidual | None
    momentum_residuals: dict[str, MomentumResidual]
    events: list[EventRecord]
    metrics: dict[str, Metric]
    repeats: int = 0  # of the run, for the ranges of its peaks
    verdict: str = ""  # on the loads over the band of the contact's stiffness
    outcomes: dict[str, str] = field(default_factory=dict)  # by end of that band
    warnings: list[str] = field(default_factory=list)
    mechanisms: dict[str, str] = field(default_factory=dict)  # how their legs were reduced, by vehicle

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
            "band": {"verdict": self.verdict, "outcomes": self.outcomes} if self.verdict else None,
            "warnings": self.warnings,
            "mechanisms": self.mechanisms,
        }


def summarize(result: Result) -> Summary:
    """Everything the summary table shows."""
    wall, scatter, mechanisms = (result.manifest.get(key) for key in ("wall_time_s", "scatter", "mechanisms"))
    repeats = scatter.get("repeats") if isinstance(scatter, dict) else None
    methods = mechanisms.items() if isinstance(mechanisms, dict) else ()
    return Summary(
        simulated_s=result.simulated_s,
        wall_s=None if wall is None else float(wall),
        energy_residual=energy_residual(result),
        momentum_residuals=momentum_residuals(result),
        events=list(result.events),
        metrics=dict(result.metrics),
        repeats=repeats if isinstance(repeats, int) else 0,
        verdict=verdict_of(result.manifest),
        outcomes=outcomes_of(result.manifest),
        warnings=list(result.warnings),
        mechanisms={str(name): str(method) for name, method in methods},
    )


def energy_residual(result: Result) -> EnergyResidual | None:
    """None if there is no residual, or no energy to compare it with."""
    largest, relative = (result.metrics.get(f"energy.residual_{key}") for key in ("J", "relative"))
    if not isinstance(largest, float) or not isinstance(relative, float) or "energy.residual_J" not in result:
        return None
    if not largest > 0.0 or not len(result.time_s):
        return EnergyResidual(0.0, 0.0) if largest == 0.0 else None
    return EnergyResidual(float(result["energy.residual_J"][-1]) * relative / largest, relative)


def momentum_residuals(result: Result) -> dict[str, MomentumResidual]:
    """The residual of each balance, by name ("linear", "angular")."""
    residuals = {}
    for kind, unit in UNITS.items():
        name = f"momentum.{kind}_residual"
        largest, relative = (result.metrics.get(f"{name}_{key}") for key in (unit, "relative"))
        if isinstance(largest, float) and isinstance(relative, float) and name in result:
            residuals[kind] = MomentumResidual(largest, result.channels[name].unit, relative)
    return residuals
