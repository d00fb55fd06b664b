"""The plan of a berthing: an arm takes hold of a free vehicle and carries its port to a berth. One file, one plan.

`docksim berth plan` turns it into the arm's program: initial angles, and events that drive, join, release.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from docksim.config.schema.contact import FARTHEST, ZERO2, Number
from docksim.config.schema.fields import KeyFaults, NonNegative, Pair, Part, Positive, Reference

MOST_ROWS = 5000


class Arm(Part):
    """The arm that carries."""

    joints: Annotated[list[Reference], Field(min_length=6)] = Field(
        description="Its revolute joints by their bodies ('station.elbow'), from the base to the hand."
    )
    hand: Reference = Field(description="Port at its end ('station.wrist_roll.grip'), which meets the grapple port.")
    posture_deg: list[float] = Field(description="Angles near which the first posture is looked for, by joint [deg].")

    def check(self) -> KeyFaults:
        if len(self.posture_deg) != len(self.joints):
            text = f"has {len(self.posture_deg)} angles for {len(self.joints)} joints; give one for each"
            yield "posture_deg", text
            return
        twice = [joint for i, joint in enumerate(self.joints) if joint in self.joints[:i]]
        yield from [("joints", f"'{joint}' is listed twice") for joint in twice[:1]]


class Cargo(Part):
    """What is carried."""

    port: Reference = Field(description="Its port that goes to the berth ('module.hatch').")
    grapple: Reference = Field(description="Its port that the hand takes hold of ('module.grapple').")


class Reach(Part):
    """The hand goes straight to the grapple port."""

    start_s: NonNegative = Field(1.0, description="When [s].")
    stand_off_m: Positive = Field(0.5, le=10, description="Distance along the grapple's axis at which it begins [m].")
    duration_s: Positive = Field(description="How long it takes, from rest to rest [s].")
    capture_distance_m: Positive = Field(0.05, description="The hand closes if it is nearer than this [m].")


class Waypoint(Part):
    """A pose of the port before the berth, as in an approach, reached at rest."""

    distance_m: float = Field(gt=0, le=FARTHEST, description="Between the origins of the ports, along the axis [m].")
    lateral_offset_m: Pair = Field(ZERO2, description="Offset of the port's origin along y and z [m].")
    roll_deg: Number = Field(0.0, description="Last turn of the port, about its x [deg].")
    pitch_deg: Number = Field(0.0, description="Second turn of the port, about the new y [deg].")
    yaw_deg: Number = Field(0.0, description="First turn of the port, about z [deg].")
    duration_s: Positive = Field(description="Time from the last pose to this one [s].")


class Insertion(Part):
    """Along the axis into the berth, at a constant rate after a smooth start, until the joints are released."""

    closing_rate_m_s: Positive = Field(description="Rate along the axis [m/s].")
    ramp_s: Positive = Field(5.0, description="Time in which the rate is reached [s].")
    release_distance_m: Positive = Field(description="Distance of the ports at which the joints are released [m].")
    push_N: NonNegative = Field(
        0.0, description="Push along the axis from the release on, as constant torques of the released joints [N]."
    )
    seat_N: NonNegative = Field(description="Push that seats the ports against the pawls of the latches, later [N].")
    seat_after_s: Positive = Field(20.0, description="Time from the release to that push [s].")


class BerthingPlan(Part):
    """A berthing, from the free vehicle to released joints just before contact."""

    setup: Reference = Field(description="Scenario file with the vehicles at their start, without the arm's program.")
    arm: Arm = Field(description="The arm that carries.")
    cargo: Cargo = Field(description="What is carried.")
    berth: Reference = Field(description="Port to which it is carried ('station.berth'), on the arm's vehicle.")
    reach: Reach = Field(description="How the hand goes to the grapple port.")
    carry: list[Waypoint] = Field(min_length=1, description="Poses on the way, the last one on the axis of the berth.")
    rest_s: NonNegative = Field(5.0, description="Time between grapple and departure [s].")
    insertion: Insertion = Field(description="The last way in.")
    knot_s: Positive = Field(1.0, le=60, description="Time between rows of the tables [s].")

    def check(self) -> KeyFaults:
        last, way = self.carry[-1], self.insertion
        ramp = 0.5 * way.closing_rate_m_s * way.ramp_s
        if last.distance_m - ramp < way.release_distance_m:
            text = (
                f"{way.release_distance_m:g} m is passed before the rate is reached, {ramp:g} m after the last pose "
                f"at {last.distance_m:g} m; begin farther away, or shorten ramp_s"
            )
            yield "insertion", text
            return
        rows = (self.reach.duration_s + self.carry_s) / self.knot_s
        if rows > MOST_ROWS:
            text = f"{self.knot_s:g} s makes {rows:.3g} rows of tables, more than {MOST_ROWS}; give a larger one"
            yield "knot_s", text

    @property
    def carry_s(self) -> float:
        """From the grapple until the way in is through."""
        way = self.insertion
        through = 2.0 * way.ramp_s + self.carry[-1].distance_m / way.closing_rate_m_s
        return sum(point.duration_s for point in self.carry) + through
