"""Conditions of events: time, other events, joints, ports, rates, commands from outside.

Those of contact, hooks and devices are in the files of these.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from docksim.config.errors import one_of
from docksim.config.schema.fields import (
    OR_SINGLE,
    KeyFaults,
    Name,
    NonNegative,
    Part,
    PortPair,
    Positive,
    Reference,
    as_names,
    exactly_one,
)

References = Annotated[list[Reference], BeforeValidator(as_names), Field(min_length=1), OR_SINGLE]

JOINT = "Joint, by its body ('chaser.panel_1') or beam segment ('chaser.array.2')."
COORDINATE = "Which coordinate of the joint: 0, or 1 for the second of cylindrical and universal joints and so on."


class TimeCondition(Part):
    """Holds from a time on."""

    time_s: NonNegative = Field(description="Time from which the condition holds [s].")


class AfterCondition(Part):
    """Holds after another event has fired."""

    after: Name = Field(description="Name of the other event.")
    delay_s: NonNegative = Field(0.0, description="Time after that event [s].")


class NotFiredCondition(Part):
    """Holds until another event fires."""

    not_fired: Name = Field(description="Name of the other event.")


class CommandCondition(Part):
    """Holds from a command of a test rig on; without one, never. See `docksim realtime`."""

    command: Name = Field(max_length=32, description="Name of the command, as the rig sends it.")


class JointCondition(Part):
    """Holds while a joint coordinate is beyond a value."""

    joint: Reference = Field(description=JOINT)
    coordinate: int = Field(0, ge=0, description=COORDINATE)
    above_deg: float | None = Field(None, description="Holds while the angle is above this [deg].")
    below_deg: float | None = Field(None, description="Holds while the angle is below this [deg].")
    above_m: float | None = Field(None, description="Holds while the travel is above this [m].")
    below_m: float | None = Field(None, description="Holds while the travel is below this [m].")

    def check(self) -> KeyFaults:
        return exactly_one(self, "above_deg", "below_deg", "above_m", "below_m")


class DistanceCondition(Part):
    """Holds while two ports are near, or far."""

    distance: PortPair = Field(description="The two ports between whose origins the distance is taken.")
    below_m: Positive | None = Field(None, description="Holds while the distance is below this [m].")
    above_m: NonNegative | None = Field(None, description="Holds while the distance is above this [m].")

    def check(self) -> KeyFaults:
        return exactly_one(self, "below_m", "above_m")


class InReachCondition(Part):
    """Holds while two ports are where their hooks can close: near, straight and slow enough for a join."""

    in_reach: PortPair = Field(description="The two ports; at least one of them has hooks.")
    speed_below_m_s: Positive | None = Field(
        None, description="Holds only while one port's origin moves slower than this against the other [m/s]."
    )
    rate_below_deg_s: Positive | None = Field(
        None, description="Holds only while one port turns slower than this against the other [deg/s]."
    )


class AlignedCondition(Part):
    """Holds while two ports, however far apart, are straight before each other, or move little against each other."""

    aligned: PortPair = Field(description="The two ports.")
    tilt_below_deg: Positive | None = Field(
        None, description="Holds only while the angle between the ports' axes is below this [deg]."
    )
    speed_below_m_s: Positive | None = Field(
        None, description="Holds only while one port's origin moves slower than this against the other [m/s]."
    )
    rate_below_deg_s: Positive | None = Field(
        None, description="Holds only while one port turns slower than this against the other [deg/s]."
    )

    def check(self) -> KeyFaults:
        bounds = list(type(self).model_fields)[1:]
        if all(getattr(self, key) is None for key in bounds):
            yield "", f"asks for nothing; give at least one of {one_of(bounds)}"


class RateCondition(Part):
    """Holds while a body turns slowly, or fast."""

    rate_of: Reference = Field(
        description="Vehicle ('chaser') or body ('chaser.arm', 'chaser.array.tip') whose rate is taken."
    )
    below_deg_s: Positive | None = Field(None, description="Holds while the rate is below this [deg/s].")
    above_deg_s: NonNegative | None = Field(None, description="Holds while the rate is above this [deg/s].")

    def check(self) -> KeyFaults:
        return exactly_one(self, "below_deg_s", "above_deg_s")
