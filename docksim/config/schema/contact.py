"""Pairs of ports whose interfaces may touch, and the approach: initial conditions as docking engineers give them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from docksim.config.schema.fields import KeyFaults, Pair, Part, PortPair, Reference, refuse
from docksim.config.schema.interface import Contact, Interface, Latches, Strikers

ZERO2 = (0.0, 0.0)
FARTHEST = 1e6  # metres, degrees or their rates, beyond any approach
Number = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]


class LatchError(Part):
    """How one latch differs from what its interface says."""

    latch: int = Field(ge=1, description="Number of the latch, from 1.")
    delay_s: float = Field(0.0, ge=0, le=1e6, description="How much later it begins to hold [s].")
    spring_factor: float = Field(1.0, ge=0.01, le=100, description="Force of its pawl's spring over the nominal one.")
    friction: float | None = Field(None, ge=0, le=10, description="Coulomb's, of its pawl's tip; as the pawl has it.")
    height_m: float = Field(0.0, ge=-1, le=1, description="How much higher it sits, towards the mate [m].")


class ContactPair(Part):
    """Two ports whose interfaces touch. Latches of the first hold strikers of the second, or else the other way."""

    ports: PortPair = Field(description="The two ports, on different vehicles, each with an interface.")
    margin_m: float = Field(0.01, ge=1e-6, le=100, description="Gap below which every feature is looked at [m].")
    substeps: int = Field(1, ge=1, le=100, description="Parts of a rough step while the gap is that small.")
    contact: Contact | None = Field(None, description="Contact law; that of the first port's interface if left out.")
    failed_latches: list[int] = Field(default_factory=list, description="Latches that never engage, from 1.")
    latch_errors: list[LatchError] = Field(
        default_factory=list, description="Latches that are late, too high, or have another spring or friction."
    )

    @model_validator(mode="before")
    @classmethod
    def _late(cls, data: Any) -> Any:
        if isinstance(data, dict) and "late_latches" in data:
            refuse([("late_latches", "is called latch_errors, with the same keys and more: {latch: 1, delay_s: 0.1}")])
        return data


def latching(first: Interface, second: Interface) -> tuple[Latches, Strikers, bool] | None:
    """Which latches of a pair hold which strikers, and whether they are the first one's; None if none do."""
    if first.latches is not None and second.strikers is not None:
        return first.latches, second.strikers, True
    if second.latches is not None and first.strikers is not None:
        return second.latches, first.strikers, False
    return None


class Approach(Part):
    """Where and how fast the active port comes in, seen from the passive port.

    All is on the axes of the passive port turned by half a turn about its z, to face the comer: x along the approach,
    from the active port to the passive one. Mated without error, the active port's axes are these. The state is that at
    `distance_m`, or that at the first touch of the interfaces, whose distance is then found; a run may begin earlier.
    """

    active: Reference = Field(description="Port of the vehicle that comes ('chaser.ring.face'); this sets its state.")
    passive: Reference = Field(description="Port it comes to ('station.port').")
    holds_at: Literal["distance", "contact"] = Field(
        "distance",
        description="Where the state holds: at distance_m, or at the first touch of the interfaces, whose distance is "
        "found; the run then begins a millimetre of gap before it.",
    )
    distance_m: float | None = Field(
        None,
        ge=0,
        le=FARTHEST,
        description="Between the origins of the ports, along the axis [m]. Where the state holds at contact it is "
        "found, and what is given here is not used.",
    )
    start_distance_m: float | None = Field(
        None,
        gt=0,
        le=FARTHEST,
        description="Where the run begins, in free flight back at the closing rate; where the state holds if left out, "
        "or just before contact [m].",
    )
    closing_rate_m_s: float = Field(ge=0, le=FARTHEST, description="Speed along the axis [m/s].")
    lateral_offset_m: Pair = Field(ZERO2, description="Offset of the active port's origin along y and z [m].")
    lateral_rate_m_s: Pair = Field(ZERO2, description="Velocity of the active port's origin along y and z [m/s].")
    roll_deg: Number = Field(0.0, description="Last turn of the active port, about its x [deg].")
    pitch_deg: Number = Field(0.0, description="Second turn of the active port, about the new y [deg].")
    yaw_deg: Number = Field(0.0, description="First turn of the active port, about z [deg].")
    roll_rate_deg_s: Number = Field(0.0, description="Rate about the active port's x [deg/s].")
    pitch_rate_deg_s: Number = Field(0.0, description="Rate about the active port's y [deg/s].")
    yaw_rate_deg_s: Number = Field(0.0, description="Rate about the active port's z [deg/s].")

    def check(self) -> KeyFaults:
        pairs = ("lateral_offset_m", "lateral_rate_m_s")
        far = [key for key in pairs if max(map(abs, getattr(self, key))) > FARTHEST]
        yield from ((key, f"{list(getattr(self, key))} is out of all proportion; at most {FARTHEST:g}") for key in far)
        if self.holds_at == "contact":
            if self.closing_rate_m_s == 0.0:
                yield "closing_rate_m_s", "0 never comes to a contact; give a speed, or 'holds_at: distance'"
        elif self.distance_m is None:
            yield "distance_m", "missing; give it, or 'holds_at: contact', which finds it"
        elif self.start_distance_m is not None:
            yield from self._lead_faults(self.start_distance_m, self.distance_m)

    def _lead_faults(self, start: float, distance: float) -> Iterator[tuple[str, str]]:
        if start < distance:
            yield "start_distance_m", f"{start} is nearer than distance_m, {distance}; it must be farther"
            return
        rates = (self.roll_rate_deg_s, self.pitch_rate_deg_s, self.yaw_rate_deg_s, *self.lateral_rate_m_s)
        if not (start - distance) * max(1.0, *map(abs, rates)) <= self.closing_rate_m_s * FARTHEST:
            yield "start_distance_m", f"{start} m cannot be traced back at a closing rate of {self.closing_rate_m_s}"
