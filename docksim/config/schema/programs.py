"""Programs of arms: a hand follows a path against the world, its own vehicle, or a port of another vehicle.

Or joints follow paths, and their control learns what the links weigh.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from docksim.config.schema.chain_conditions import Poles
from docksim.config.schema.chain_task import Adaptive
from docksim.config.schema.drives import DriveProfile
from docksim.config.schema.fields import (
    ZERO3,
    Attitude,
    Name,
    Part,
    Positive,
    Reference,
    Vec3,
    identity,
    refuse,
)
from docksim.config.schema.unions import ToldByKey

SAMPLE = "Sampling period, a whole multiple of solver.step_s [s]; continuous if left out."
MOST_AXES = 24


class HandPoint(Part):
    """A pose of the hand in the target's frame, reached at rest."""

    time_s: Positive = Field(description="Time since the program began [s].")
    position_m: Vec3 = Field(ZERO3, description="Hand's origin, in the target's frame [m].")
    attitude: Attitude = Field(default_factory=identity, description="Hand's frame in the target's frame.")


class FreeMotion(Part):
    """What the joints do with the freedom that the hand leaves: the vector v of the law."""

    type: Literal["damping", "posture", "none"] = Field(
        "damping",
        description="damping: rates die out; posture: towards a configuration; none: v = 0, joints may drift.",
    )
    frequency_Hz: Positive = Field(0.1, description="How fast: natural frequency, critically damped [Hz].")
    posture: dict[Reference, float] = Field(
        default_factory=dict,
        description="Angles [deg] or travels [m] by axis; those of the start if left out.",
    )


class ArmProgram(Part):
    """Torques of the arm's drives, so that errors of the hand die out with given poles, whatever the base does."""

    hand: Reference = Field(description="Port of this vehicle that is led ('wrist_roll.grip').")
    target: Reference = Field(
        "base", description="'base': the vehicle's own frame; 'world': W; or a port of a vehicle ('satellite.grapple')."
    )
    axes: list[Reference] = Field(
        default_factory=list,
        max_length=MOST_AXES,
        description="Axes of joints ('elbow', 'gimbal.first') that it drives; all from base to hand if left out. Each "
        "needs an actuator with a servo in mode torque.",
    )
    controls: Literal["pose", "position"] = Field("pose", description="Position and attitude of the hand, or position.")
    waypoints: Annotated[list[HandPoint], Field(min_length=1, max_length=1000)] = Field(
        description="Poses on the way, which begins where the hand is; from rest to rest by quintics, straight and by "
        "one turn each."
    )
    poles: Poles = Field(
        default_factory=lambda: Poles(frequency_Hz=0.2), description="How errors of the position die out."
    )
    attitude_poles: Poles | None = Field(None, description="How errors of the attitude do; as those of the position.")
    redundancy: FreeMotion = Field(
        default_factory=FreeMotion, description="What the joints do with the freedom that the hand leaves."
    )
    sample_s: Positive | None = Field(None, description=SAMPLE)
    enabled: bool = Field(False, description="Whether it acts from the start; events can switch it.")

    @model_validator(mode="after")
    def _check(self) -> ArmProgram:
        times = [point.time_s for point in self.waypoints]
        late = next((k for k in range(1, len(times)) if times[k] <= times[k - 1]), None)
        if late is not None:
            refuse([("waypoints", f"times do not increase: {times[late]} s comes after {times[late - 1]} s")])
        twice = next((axis for i, axis in enumerate(self.axes) if axis in self.axes[:i]), None)
        if twice is not None:
            refuse([("axes", f"'{twice}' is listed twice")])
        return self


class AdaptiveProgram(Part):
    """Torques of the arm's drives, so that its joints follow their paths, whatever links and load weigh."""

    adaptive: Adaptive = Field(description="Gains of the law, and how fast masses are learnt; {} for those proposed.")
    end: Reference = Field(
        description="Body at the arm's end ('wrist_roll'); all axes between the base and it are driven. Each needs an "
        "actuator with a servo in mode torque."
    )
    paths: dict[Reference, DriveProfile] = Field(
        default_factory=dict,
        description="Motions by axis ('elbow', 'gimbal.first') since the program began, from where the joint is then; "
        "others stay there.",
    )
    mass_error: dict[Reference, Positive] = Field(
        default_factory=dict,
        description="By body: factor on mass and inertia that the controller does not know of as it begins.",
    )
    sample_s: Positive | None = Field(
        None, description="Sampling period, a whole multiple of solver.step_s [s]; every step if left out."
    )
    enabled: bool = Field(False, description="Whether it acts from the start; events can switch it.")


AnyProgram = Annotated[
    ArmProgram | AdaptiveProgram,
    ToldByKey("a program", "one leads a hand, the other joints; give two programs"),
]


class ProgramCommand(Part):
    """A program switched on or off."""

    of: Reference = Field(description="Vehicle and program ('servicer.reach').")
    mode: Literal["on", "off"] = Field(
        "on",
        description="on: the path begins where the hand is, and other programs of its axes end, and masses are learnt "
        "anew; off: no torques.",
    )


class ProgramAction(Part):
    """Switch a program of an arm on or off."""

    program: ProgramCommand = Field(description="The program, and on or off.")


Programs = dict[Name, AnyProgram]
