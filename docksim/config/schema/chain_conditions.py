"""Conditions f(q, t) = 0 on a chain: constraints that hold it, or a program that it shall follow.

Points and frames are those of the far end of a link (the tool, for the last one), in the world. A condition without a
target holds what it finds at the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from docksim.config.schema.fields import (
    OR_SINGLE,
    ZERO3,
    Attitude,
    Direction,
    KeyFaults,
    Name,
    NonNegative,
    Part,
    Positive,
    Reference,
    Vec3,
    as_list,
)
from docksim.config.schema.unions import ToldByValue

# ---------------------------------------------------------------- paths in time


class JointWaypoint(Part):
    """Where a joint shall be at an instant."""

    time_s: NonNegative = Field(description="When [s].")
    angle_deg: float | None = Field(None, description="Angle of a turning joint [deg].")
    travel_m: float | None = Field(None, description="Travel of a sliding joint [m].")


class PointWaypoint(Part):
    """Where a point shall be at an instant."""

    time_s: NonNegative = Field(description="When [s].")
    position_m: Vec3 = Field(description="Where, in the world [m].")


class PoseWaypoint(Part):
    """Where a frame shall be at an instant."""

    time_s: NonNegative = Field(description="When [s].")
    position_m: Vec3 = Field(description="Origin, in the world [m].")
    attitude: Attitude = Field(description="Axes, in the world.")


class Circle(Part):
    """A circle, run through at a constant rate."""

    center_m: Vec3 = Field(description="Centre, in the world [m].")
    normal: Direction = Field(description="Axis, right-handed; any length but zero.")
    radius_m: Positive = Field(description="Radius [m].")
    period_s: Positive = Field(description="Time of one turn [s].")
    start: Direction | None = Field(
        None, description="Direction from the centre to the start; across the normal is taken, any if left out."
    )


Law = Literal["rest", "spline"]
LAW_WORDS = "rest: stop at every waypoint (quintic); spline: pass through smoothly (cubic), at rest at the ends."


def waypoint_faults(waypoints: Sequence[JointWaypoint | PointWaypoint | PoseWaypoint]) -> list[tuple[str, str]]:
    """Waypoints must come in time."""
    faults = []
    for i, (one, two) in enumerate(pairwise(waypoints)):
        if two.time_s <= one.time_s:
            faults.append(("waypoints", f"number {i + 2} is at {two.time_s} s, not after {one.time_s} s"))
    return faults


# ---------------------------------------------------------------- conditions


class Poles(Part):
    """How errors shall die out: f'' + G1 f' + G0 f = 0 in every component, by its two poles."""

    frequency_Hz: Positive | None = Field(None, description="Natural frequency of the pair [Hz].")
    damping_ratio: Positive = Field(1.0, description="Damping ratio of the pair; 1 is the fastest without overshoot.")
    real_1_s: list[float] | None = Field(None, min_length=2, max_length=2, description="Two real poles [1/s] instead.")

    def check(self) -> KeyFaults:
        faults = []
        if (self.frequency_Hz is None) == (self.real_1_s is None):
            faults.append(("", "needs frequency_Hz or real_1_s, one of them"))
        if self.real_1_s is not None and max(self.real_1_s) >= 0.0:
            faults.append(("real_1_s", f"{self.real_1_s}: poles of a decay are negative"))
        return faults

    def gains(self) -> tuple[float, float]:
        """G1 and G0."""
        if self.real_1_s is not None:
            one, two = self.real_1_s
            return -(one + two), one * two
        w = 2.0 * math.pi * (self.frequency_Hz or 0.0)
        return 2.0 * self.damping_ratio * w, w * w


class ConditionPart(Part):
    """What all conditions have."""

    name: Name | None = Field(None, description="Name in results and messages; type and number if left out.")
    poles: Annotated[list[Poles], BeforeValidator(as_list), OR_SINGLE] | None = Field(
        None, min_length=1, description="Of a program: how its errors die out, one for all its rows or one a row."
    )

    @property
    def row_count(self) -> int:
        """Components of f."""
        return 1

    def check(self) -> KeyFaults:
        if self.poles is not None and len(self.poles) not in (1, self.row_count):
            rows = f"{self.row_count} row{'s' if self.row_count > 1 else ''}"
            yield "poles", f"{len(self.poles)} pairs of poles for {rows}; give one, or one a row"


class OnLink(Part):
    """A point that a link carries."""

    link: Reference | None = Field(None, description="Link that carries the point; the last one if left out.")
    point_m: Vec3 = Field(ZERO3, description="The point, from the far end of the link, on the axes there [m].")


class OnPoint(ConditionPart, OnLink):
    """A condition on a point that a link carries."""


class JointSine(Part):
    """A sine, at its middle at the start."""

    amplitude_deg: float | None = Field(None, description="Amplitude of a turning joint [deg].")
    amplitude_m: float | None = Field(None, description="Amplitude of a sliding joint [m].")
    frequency_Hz: Positive = Field(description="Frequency [Hz].")


class JointCondition(ConditionPart):
    """One coordinate."""

    type: Literal["joint"] = Field(description="The coordinate of one joint.")
    link: Reference = Field(description="The link that the joint carries.")
    angle_deg: float | None = Field(None, description="Angle of a turning joint [deg].")
    travel_m: float | None = Field(None, description="Travel of a sliding joint [m].")
    waypoints: list[JointWaypoint] | None = Field(None, min_length=1, description="A path instead of a place.")
    law: Law = Field("rest", description=LAW_WORDS)
    sine: JointSine | None = Field(None, description="Swinging about the place, or about where it starts.")

    def check(self) -> KeyFaults:
        given = [key for key in ("angle_deg", "travel_m", "waypoints") if getattr(self, key) is not None]
        faults = waypoint_faults(self.waypoints or [])
        if self.sine is not None and self.waypoints is not None:
            faults.append(("sine", "excludes 'waypoints'"))
        if len(given) > 1:
            faults.append((given[1], f"excludes '{given[0]}'"))
        return faults


class CouplingCondition(ConditionPart):
    """A gear: a sum of coordinates keeps its value."""

    type: Literal["coupling"] = Field(description="The sum of ratio times coordinate keeps its value.")
    ratios: dict[Reference, float] = Field(min_length=1, description="Ratio of each link's coordinate (rad, m).")


WorldAxis = Literal["x", "y", "z"]


def _all_axes() -> list[WorldAxis]:
    return ["x", "y", "z"]


class PositionCondition(OnPoint):
    """A point, in some or all directions of the world."""

    type: Literal["position"] = Field(description="Position of a point in the world.")
    axes: list[WorldAxis] = Field(
        default_factory=_all_axes, min_length=1, max_length=3, description="World axes that count."
    )
    at_m: Vec3 | None = Field(None, description="Where, in the world [m].")
    waypoints: list[PointWaypoint] | None = Field(None, min_length=1, description="A path instead of a place.")
    circle: Circle | None = Field(None, description="A circle instead of a place.")
    law: Law = Field("rest", description=LAW_WORDS)

    @property
    def row_count(self) -> int:
        return len(self.axes)

    def check(self) -> KeyFaults:
        given = [key for key in ("at_m", "waypoints", "circle") if getattr(self, key) is not None]
        faults = [*super().check(), *waypoint_faults(self.waypoints or [])]
        if len(given) > 1:
            faults.append((given[1], f"excludes '{given[0]}'"))
        if len(set(self.axes)) < len(self.axes):
            faults.append(("axes", "names an axis twice"))
        return faults


class PoseCondition(OnPoint):
    """Position and attitude of the frame at a point. The attitude's error is its rotation vector."""

    type: Literal["pose"] = Field(description="Position and attitude of a frame in the world.")
    at_m: Vec3 | None = Field(None, description="Where, in the world [m].")
    attitude: Attitude | None = Field(None, description="Axes, in the world; goes with at_m.")
    waypoints: list[PoseWaypoint] | None = Field(
        None, min_length=1, description="A path instead of a place, stopping at every waypoint."
    )

    @property
    def row_count(self) -> int:
        return 6

    def check(self) -> KeyFaults:
        faults = [*super().check(), *waypoint_faults(self.waypoints or [])]
        if (self.at_m is None) != (self.attitude is None):
            faults.append(("attitude" if self.attitude is None else "at_m", "missing; a pose has at_m and attitude"))
        if self.at_m is not None and self.waypoints is not None:
            faults.append(("waypoints", "excludes 'at_m'"))
        return faults


class PlaneCondition(OnPoint):
    """A point stays in a plane."""

    type: Literal["plane"] = Field(description="A point stays in a plane.")
    normal: Direction = Field(description="Normal of the plane; any length but zero.")
    through_m: Vec3 | None = Field(None, description="A point of the plane [m]; where the point is if left out.")


class DistanceCondition(OnPoint):
    """A point keeps its distance from a place, as on a rod."""

    type: Literal["distance"] = Field(description="A point keeps its distance from a place in the world.")
    from_m: Vec3 = Field(description="The place [m].")
    distance_m: Positive | None = Field(None, description="The distance [m]; what it is at the start if left out.")


class ClosureCondition(ConditionPart):
    """Two links tied, or a link and the world; a chain with branches becomes one with loops."""

    type: Literal["closure"] = Field(description="Two links are tied.")
    kind: Literal["weld", "hinge", "ball", "point_on_line", "planar", "rod"] = Field(
        "ball",
        description="weld: rigid; hinge: turns about an axis; ball: turns; point_on_line: slides along a line, turns; "
        "planar: slides in a plane, turns about its normal; rod: two points keep their distance.",
    )
    link_a: Reference = Field(description="The first link.")
    point_a_m: Vec3 = Field(ZERO3, description="Where, from its far end, on the axes there [m].")
    link_b: Reference | None = Field(None, description="The second link; the world if left out.")
    point_b_m: Vec3 | None = Field(
        None,
        description="Where on the second, likewise; in the world if there is none [m]. If left out, the point that is "
        "at the first link's at the start; of a rod it is needed.",
    )
    axis: Direction | None = Field(
        None, description="Of a hinge, a line, the normal of a plane: on the axes at the first link's far end."
    )
    length_m: Positive | None = Field(None, description="Of a rod; what it is at the start if left out [m].")

    @property
    def row_count(self) -> int:
        return {"weld": 6, "hinge": 5, "ball": 3, "point_on_line": 2, "planar": 3, "rod": 1}[self.kind]

    def check(self) -> KeyFaults:
        turning, faults = self.kind in ("hinge", "point_on_line", "planar"), list(super().check())
        if turning and self.axis is None:
            faults.append(("axis", f"missing; a {self.kind} needs one, on the axes at the first link's far end"))
        if not turning and self.axis is not None:
            faults.append(("axis", f"means nothing to a {self.kind}; it belongs to hinge, point_on_line, planar"))
        if self.kind != "rod" and self.length_m is not None:
            faults.append(("length_m", f"means nothing to a {self.kind}; it belongs to rod"))
        if self.kind == "rod" and self.point_b_m is None:
            faults.append(("point_b_m", "missing; a rod lies between two points"))
        if self.link_a == self.link_b:
            faults.append(("link_b", f"'{self.link_b}' is the first link too; two different links are needed"))
        return faults


AnyCondition = Annotated[
    JointCondition | CouplingCondition | PositionCondition | PoseCondition | PlaneCondition | DistanceCondition |
    ClosureCondition,
    ToldByValue("type"),
]  # fmt: skip
