"""Metrics whose meaning changed, and with it their name: old names, or patterns of them, and what to write instead."""

from fnmatch import fnmatchcase

RENAMED_METRICS = {
    "budget.kinetic_left_J": "'budget.left_J' is what is left of the approach energy, the motion together left out",
}


def renamed_metric(name: str) -> str:
    """What to know about a name of old; nothing if it is none."""
    return next((f"'{name}' is no more: {hint}" for old, hint in RENAMED_METRICS.items() if fnmatchcase(name, old)), "")
