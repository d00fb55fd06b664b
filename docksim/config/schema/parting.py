"""How two ports part: a spring that pushes them off, and the pressure that is left between them.

Rods, the seal and hooks that are late to open belong to the ports (`hooks`).
"""

from __future__ import annotations

import itertools

from pydantic import Field

from docksim.config.schema.fields import KeyFaults, Pair, Part, PortPair, Positive, exactly_one


class PushOff(Part):
    """A compressed spring that pushes apart, along x of the first port or of the joint frame, until extended."""

    stiffness_N_m: Positive = Field(description="Spring stiffness [N/m].")
    stroke_m: Positive = Field(description="Compression at release [m].")


class ResidualPressure(Part):
    """What is left in the tunnel when two ports part; it presses on all within the seal and comes to nothing."""

    over_time: list[Pair] | None = Field(
        None,
        min_length=2,
        description="Points [s, Pa] from the separation on, straight between; the last is 0 Pa.",
    )
    over_gap: list[Pair] | None = Field(
        None, min_length=2, description="The same over the gap between the ports: points [m, Pa]."
    )

    def check(self) -> KeyFaults:
        if faults := exactly_one(self, "over_time", "over_gap"):
            return faults
        key = "over_time" if self.over_gap is None else "over_gap"
        places = [x for x, _ in self.points]
        if places[0] != 0.0 or any(b <= a for a, b in itertools.pairwise(places)):
            faults.append((key, f"must begin at 0 and rise from point to point; it has {places}"))
        if any(pressure < 0.0 for _, pressure in self.points):
            faults.append((key, "has a pressure below 0; pressures are against vacuum"))
        if self.points[-1][1] != 0.0:
            faults.append((key, f"must end with 0 Pa, as the tunnel is open then; it ends with {self.points[-1][1]:g}"))
        return faults

    @property
    def points(self) -> list[tuple[float, float]]:
        """Place or time, and pressure."""
        return self.over_gap or self.over_time or []


class SeparateCommand(Part):
    """Two ports that part: rods push them if their hooks have any, or a spring."""

    ports: PortPair = Field(description="The two joined ports.")
    push_off: PushOff | None = Field(None, description="Push-off spring along x of the first port; none if left out.")
    residual_pressure: ResidualPressure | None = Field(
        None,
        description="Pressure left in the tunnel, which pushes on all within the seal; left out, what the joint has "
        "there, gone at the seal's vented_at_m.",
    )
