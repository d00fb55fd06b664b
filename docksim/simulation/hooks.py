"""How ports stood when hooks closed, or failed to, in words."""

from __future__ import annotations

import math

from docksim.compiler import Compiled
from docksim.config.hooks import Hooks
from docksim.config.joining import hooks_of, joinable
from docksim.model.hooks import (
    AXIAL,
    LATERAL,
    ROLL,
    SPEED,
    TILT,
    TOO_DEEP,
    TOO_FAR,
    TOO_FAST,
    TOO_ROLLED,
    TOO_TILTED,
    TOO_WIDE,
)


def misaligned_text(compiled: Compiled) -> str:
    """Which hooks could not close, and every figure against what they allow."""
    rows = zip(joinable(compiled.scenario), compiled.state.hooks, strict=True)
    ports, row = next((ports, row) for ports, row in rows if row.beyond)
    hooks = hooks_of(compiled.scenario, ports)
    assert hooks is not None  # nothing else refuses
    figures = [(int(row.beyond) & bits != 0, text) for bits, text in _figures(hooks, list(map(float, row.stand)))]
    wrong = ", ".join(text for beyond, text in figures if beyond)
    right = ", ".join(text for beyond, text in figures if not beyond)
    return f"hooks of {' and '.join(ports)} cannot close: {wrong}" + (f"; within bounds: {right}" if right else "")


def _figures(hooks: Hooks, stand: list[float]) -> list[tuple[int, str]]:
    """Figures in words, each with the bits that find it out of bounds."""
    axial, lateral, speed = (f"{stand[k]:.4g}" for k in (AXIAL, LATERAL, SPEED))
    tilt, roll = (f"{math.degrees(stand[k]):.4g}" for k in (TILT, ROLL))
    return [
        (TOO_FAR | TOO_DEEP, f"axial {axial} m ({-hooks.overlap_m:g} to {hooks.reach_m:g})"),
        (TOO_WIDE, f"lateral {lateral} m (at most {hooks.window_m:g})"),
        (TOO_TILTED, f"tilt {tilt} deg (at most {hooks.tilt_deg:g})"),
        (TOO_ROLLED, f"roll {roll} deg (at most {hooks.roll_deg:g} either way)"),
        (TOO_FAST, f"speed {speed} m/s (at most {hooks.rate_m_s:g})"),
    ]
