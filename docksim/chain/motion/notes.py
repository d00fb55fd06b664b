"""What a reader of a run must know: a start that was moved, friction that was rounded, limits that were met."""

from __future__ import annotations

import numpy as np

from docksim.chain.model import ChainModel
from docksim.chain.motion.plant import ROUNDED


def start_notes(model: ChainModel, shift: np.ndarray, change: np.ndarray) -> list[str]:
    """What had to change so that the start meets the constraints."""
    notes = []
    for word, values, units in (("moved", shift, ("deg", "m")), ("rates changed", change, ("deg/s", "m/s"))):
        if np.abs(values).max(initial=0.0) > 1e-9:
            k = int(np.argmax(np.abs(values)))
            size = values[k] if model.prismatic[k] else np.degrees(values[k])
            unit = units[1] if model.prismatic[k] else units[0]
            notes.append(f"start {word} to meet the constraints, most at {model.names[k]}: {size:.4g} {unit}")
    return notes


def friction_notes(model: ChainModel) -> list[str]:
    """Friction does not stick."""
    if not np.any(model.friction):
        return []
    return [f"Coulomb friction fades out below {ROUNDED:g} rad/s or m/s: joints creep rather than stick"]


def limit_notes(
    model: ChainModel, q: np.ndarray, rates: np.ndarray, wanted: np.ndarray, limited: np.ndarray
) -> list[str]:
    """Drives and stops at their limits, and rates beyond what the file allows."""
    notes = []
    for k in np.flatnonzero(limited[0] > 0.0):
        unit = "N" if model.prismatic[k] else "N m"
        asked = f"asked for up to {np.abs(wanted[:, k]).max():.4g} {unit}, has {model.effort_limit[k]:.4g}"
        notes.append(f"drive of {model.names[k]} at its limit {_share(limited[0, k])}: {asked}")
    beyond = np.maximum(np.maximum(q - model.upper, model.lower - q), 0.0).max(axis=0)
    for k in np.flatnonzero(limited[1] > 0.0):
        depth = f"{beyond[k]:.3g} m" if model.prismatic[k] else f"{np.degrees(beyond[k]):.3g} deg"
        notes.append(f"{model.names[k]} on its stop {_share(limited[1, k])}, up to {depth} deep")
    fast = np.flatnonzero((np.abs(rates) > model.rate_limit * (1 + 1e-9)).any(axis=0))
    if len(fast):
        notes.append(f"beyond the rate limit: {', '.join(model.names[k] for k in fast)}")
    return notes


def _share(part: float) -> str:
    return f"for {100.0 * part:.3g} % of the time"
