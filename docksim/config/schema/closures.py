"""Closures: what ties two bodies beside the joints of their trees, and the events that close, open and watch them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from docksim.config.errors import one_of
from docksim.config.schema.fields import (
    Direction,
    KeyFaults,
    Name,
    NonNegative,
    Part,
    PerAxis,
    PortPair,
    Positive,
    Vec3,
    exactly_one,
)

NAME = "Name of the closure under 'closures'."
ClosureKind = Literal["weld", "hinge", "ball", "point_on_line", "planar", "rod", "bushing"]
# which keys belong to which kinds; the others have all
KEYS: dict[str, tuple[ClosureKind, ...]] = {
    "axis": ("hinge", "point_on_line", "planar"),
    "other_axis": ("hinge", "planar"),
    "other_point_m": ("weld", "hinge", "ball", "point_on_line", "planar", "rod"),
    "length_m": ("rod",),
    "stiffness_N_m": ("bushing",),
    "stiffness_Nm_rad": ("bushing",),
    "damping_Ns_m": ("bushing",),
    "damping_Nms_rad": ("bushing",),
}


class Closure(Part):
    """Two bodies tied beside the joints of their trees, whatever trees these are.

    One that closes by an event takes its ends as it finds them.
    """

    kind: ClosureKind = Field(
        description="weld: rigid; hinge: turns about one axis; ball: turns; point_on_line: a point that slides along a "
        "line, turns; planar: slides in a plane, turns about its normal; rod: keeps the distance of two points; "
        "bushing: springs and dampers on all six."
    )
    between: PortPair = Field(
        description="The two ends: a vehicle ('chaser'), a body ('chaser.hand', 'chaser.ring'), the tip of a beam "
        "('chaser.boom.tip') or a port. Points and axes are in the frames of these ends."
    )
    point_m: Vec3 = Field((0.0, 0.0, 0.0), description="Where the first end is held, in its frame [m].")
    other_point_m: Vec3 | None = Field(
        None,
        description="Where the second end is held, in its frame [m]; if left out the point that is there when it "
        "closes, for a rod the origin.",
    )
    axis: Direction | None = Field(
        None, description="Axis of a hinge, direction of a line, normal of a plane, on the first end's axes."
    )
    other_axis: Direction | None = Field(
        None, description="The same direction on the second end's axes; if left out as it is found."
    )
    length_m: Positive | None = Field(None, description="Length of a rod [m]; if left out as it is found.")
    reach_m: NonNegative = Field(
        1e-3,
        description="How far the ends may be from what is given of both when it closes [m]; angles by as many rad. A "
        "run begins with them brought together; within a run they stay as they are found.",
    )
    stiffness_N_m: PerAxis = Field(
        (0.0, 0.0, 0.0), description="Bushing, along each axis of the first end, or one number [N/m]."
    )
    stiffness_Nm_rad: PerAxis = Field((0.0, 0.0, 0.0), description="Bushing, about each axis [N m/rad].")
    damping_Ns_m: PerAxis = Field((0.0, 0.0, 0.0), description="Bushing, along each axis [N s/m].")
    damping_Nms_rad: PerAxis = Field((0.0, 0.0, 0.0), description="Bushing, about each axis [N m s/rad].")
    on: bool = Field(True, description="Whether it is closed from the start.")

    def check(self) -> KeyFaults:
        faults = [
            (key, f"means nothing to a {self.kind}; it belongs to {one_of(kinds)}")
            for key, kinds in KEYS.items()
            if key in self.model_fields_set and self.kind not in kinds and getattr(self, key) != KEYS_UNSET.get(key)
        ]
        if self.kind in KEYS["axis"] and self.axis is None:
            faults.append(("axis", f"missing; a {self.kind} needs one, on the axes of the first end"))
        if self.kind == "bushing" and not any((*self.stiffness_N_m, *self.stiffness_Nm_rad)):
            faults.append(("stiffness_N_m", "missing; a bushing needs a stiffness, in N/m or N m/rad"))
        return faults


# what a written-out scenario has where a key means nothing
KEYS_UNSET = {key: Closure.model_fields[key].default for key in KEYS}


class LoadOnCondition(Part):
    """Holds while a closure carries more than a bound."""

    load_on: Name = Field(description=NAME)
    force_above_N: NonNegative | None = Field(None, description="Holds while its force is above this [N].")
    moment_above_Nm: NonNegative | None = Field(
        None, description="Holds while its moment, about the point of its second end, is above this [N m]."
    )

    def check(self) -> KeyFaults:
        return exactly_one(self, "force_above_N", "moment_above_Nm")


class CloseAction(Part):
    """Tie the two ends of a closure as they are; momentum is conserved, the energy lost is reported."""

    close: Name = Field(description=NAME)


class OpenAction(Part):
    """Open a closure."""

    open: Name = Field(description=NAME)
