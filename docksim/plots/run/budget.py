"""The energy budget of a run, as layers that close: what moves, what is stored, what each kind of device has taken.

Kinetic energy + stored energy - all work done = energy at the start + residual, so the sum of the layers is level but
for the integrator's error. Kinetic energy is that against the common mass centre where no outer force changes the total
momentum; a station's drift would otherwise hide everything else. A layer that has given more than it took is negative.
"""

from __future__ import annotations

import numpy as np

from docksim.plots.panels import Curve, Panel, split
from docksim.plots.style import MAX_CURVES
from docksim.result.docking import total_mass
from docksim.result.result import Result, ResultError

PREFIX, SUFFIX = "energy.work.", "_J"
SMALL = 0.01  # share of the largest layer below which a work has no layer of its own
ROUNDING = 1e-9
STEADY = 1e-9  # relative change of the momentum that is rounding


def budget_panels(result: Result) -> list[Panel]:
    """Layers of the budget, then stores, works, and what the balance leaves over, each as lines."""
    needed = ("energy.kinetic_J", "energy.potential_J")
    layers = _layers(result) if all(name in result for name in needed) else ()
    panels = []
    # at least two layers tell a story, and finite ones
    if len(layers) > 1 and all(np.all(np.isfinite(curve.values)) for curve in layers):
        title = "about the mass centre" if drift_energy(result) is not None else "all energy"
        panels.append(Panel("budget", "J", layers, title, ROUNDING, stacked=True))
    stored = [("kinetic", "energy.kinetic_J"), ("potential", "energy.potential_J")]
    curves = tuple(Curve(label, result[name]) for label, name in stored if name in result)
    panels += [Panel("energy", "J", curves, "stored", ROUNDING)] if curves else []
    done = [Curve(_word(name), result[name]) for name in works(result)]
    panels += split("work", "J", done, "work by", ROUNDING)
    if "energy.residual_J" in result:
        panels.append(Panel("residual", "J", (Curve("energy balance", result["energy.residual_J"]),)))
    return panels


def works(result: Result) -> list[str]:
    """Channels of works that are not zero all along."""
    return [name for name in result if name.startswith(PREFIX) and np.any(result[name])]


def _layers(result: Result) -> tuple[Curve, ...]:
    moving = result["energy.kinetic_J"] - (drift_energy(result) or 0.0)
    layers = [Curve("kinetic", moving), Curve("stored", result["energy.potential_J"])]
    # works count from the first row on
    taken = [Curve(f"to {_word(name)}", result[name][0] - result[name]) for name in works(result)]
    scale = max(_peak(curve) for curve in [*layers, *taken])
    own = [curve for curve in taken if _peak(curve) >= SMALL * scale]
    own = sorted(own, key=lambda curve: -_peak(curve))[: MAX_CURVES - 3]
    own = [curve for curve in taken if curve in own]
    rest = [curve for curve in taken if curve not in own]
    if len(rest) > 1:
        rest = [Curve(f"to {len(rest)} others", np.sum([curve.values for curve in rest], axis=0))]
    return (*(curve for curve in layers if np.any(np.abs(curve.values) > ROUNDING)), *own, *rest)


def _peak(curve: Curve) -> float:
    return float(np.max(np.abs(curve.values), initial=0.0, where=np.isfinite(curve.values)))


def drift_energy(result: Result) -> float | None:
    """Kinetic energy of all mass moving with the common mass centre, None where outer forces change it [J]."""
    try:
        scenario = result.scenario
        anchored = any(vehicle.anchored for vehicle in scenario.vehicles.values())
        mass = total_mass(scenario)
    except (ResultError, AttributeError):
        return None
    if anchored or "momentum.linear_kg_m_s" not in result:
        return None
    momentum = result["momentum.linear_kg_m_s"]
    scale = float(np.max(result["momentum.linear_traffic"], initial=0.0))
    if not np.all(np.isfinite(momentum)) or np.max(np.abs(momentum - momentum[0])) > STEADY * scale:
        return None
    return float(momentum[0] @ momentum[0]) / (2.0 * mass)


def _word(name: str) -> str:
    return name.removeprefix(PREFIX).removesuffix(SUFFIX).replace("_", " ")
