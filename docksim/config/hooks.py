"""Structural hooks around a port: how near, how straight and how slow the other port must be for them to close.

The two port frames are compared on the axes of the passive one, as an approach is given: mated without error they lie
in one plane, face to face. Of two ports that both have hooks, the tighter figure counts, key by key.
"""

from __future__ import annotations

from pydantic import Field

from docksim.config.fields import NonNegative, Part, Positive


class Hooks(Part):
    """Where hooks of a port can grip the other one; a join outside of it fails as misaligned."""

    reach_m: Positive = Field(description="Largest distance of the two ports along the axis [m].")
    window_m: Positive = Field(description="Largest offset of the two ports across the axis [m].")
    tilt_deg: float = Field(gt=0, le=90, description="Largest angle between the axes of the two ports [deg].")
    roll_deg: float = Field(gt=0, le=180, description="Largest roll of one port against the other, either way [deg].")
    rate_m_s: Positive = Field(description="Largest speed of one port's origin against the other while closing [m/s].")
    overlap_m: NonNegative = Field(
        0.005,
        description="How far the planes of the two ports may lie inside each other, as seals give way [m]; hulls that "
        "overlap by more cannot be joined.",
    )


def tighter(a: Hooks | None, b: Hooks | None) -> Hooks | None:
    """What both allow."""
    if a is None or b is None:
        return a or b
    return Hooks(**{key: min(getattr(a, key), getattr(b, key)) for key in Hooks.model_fields})
