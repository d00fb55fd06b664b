"""Events on contact: the conditions `contact`, `latched`, `separated`, the actions on latches.

A pair goes by its name under `contacts`.
"""

from __future__ import annotations

from pydantic import Field

from docksim.config.schema.fields import Name, NonNegative, Part, Positive

PAIR = "Name of the pair under 'contacts'"


class ContactCondition(Part):
    """Holds while two interfaces push each other."""

    contact: Name = Field(description=f"{PAIR}.")
    force_above_N: NonNegative = Field(0.0, description="Holds while the sum of normal forces is above this [N].")


class LatchedCondition(Part):
    """Holds while latches are engaged."""

    latched: Name = Field(description=f"{PAIR}.")
    count: int = Field(3, ge=1, description="At least so many.")


class SettledCondition(Part):
    """Holds while all latches of a pair hold and nothing moves any more: no feature of one side against the other, no
    body's mass centre against the body it hangs on; set-points of servos have arrived, nothing is brought in."""

    settled: Name = Field(description=f"{PAIR}.")
    slower_than_m_s: Positive = Field(description="Speed of what may still move [m/s].")


class SeparatedCondition(Part):
    """Holds while two ports are apart along the axis and nothing touches."""

    separated: Name = Field(description=f"{PAIR}.")
    distance_above_m: NonNegative = Field(
        description="Holds while the second port's origin is farther than this along x of the first one [m]."
    )


class OpenLatchesAction(Part):
    """Open all latches of a pair, under load if need be; they stay open until armed."""

    open_latches: Name = Field(description=f"{PAIR}.")


class ArmLatchesAction(Part):
    """Make the open latches of a pair ready to engage again; at the start all are."""

    arm_latches: Name = Field(description=f"{PAIR}.")
