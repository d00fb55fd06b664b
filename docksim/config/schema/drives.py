"""Motions that are prescribed for one coordinate, or that a servo's set-point goes along. Angles in degrees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docksim.config.schema.fields import KeyFaults, Part, Positive
from docksim.config.schema.twins import Twin
from docksim.config.schema.unions import ToldByValue


class HoldDrive(Part):
    """Stop and stay where the coordinate is."""

    kind: Literal["hold"] = Field("hold", description="Keeps the coordinate where it is when the drive starts.")


class TableDrive(Twin):
    """What both tables have."""

    kind: Literal["table"] = Field("table", description="Cubic spline through a table, at rest at both ends.")
    time_s: list[float] = Field(min_length=2, description="Times since the drive started [s]: 0 first, increasing.")

    def check(self) -> KeyFaults:
        key = self.key("displacement")
        return _table_faults(self.time_s, getattr(self, key), key)


class RotaryMove(Part):
    """Move to an angle, from rest to rest."""

    kind: Literal["move"] = Field("move", description="Rest-to-rest move along a fifth-order polynomial.")
    to_deg: float = Field(description="Angle reached at the end [deg].")
    duration_s: Positive = Field(description="Time the move takes [s].")


class RotaryRate(Part):
    """Turn at a constant rate."""

    kind: Literal["rate"] = Field("rate", description="Constant rate from the start of the drive.")
    rate_deg_s: float = Field(description="Rate [deg/s].")


class RotarySine(Part):
    """Swing about the starting angle."""

    kind: Literal["sine"] = Field("sine", description="Displacement A sin(2 pi f t) about the starting angle.")
    amplitude_deg: float = Field(description="Amplitude A [deg].")
    frequency_Hz: Positive = Field(description="Frequency f [Hz].")


class RotaryTable(TableDrive):
    """Follow a table of angles."""

    displacement_deg: list[float] = Field(
        min_length=2, description="Displacements from the starting angle [deg]: 0 first."
    )


class LinearMove(Part):
    """Move to a position, from rest to rest."""

    kind: Literal["move"] = Field("move", description="Rest-to-rest move along a fifth-order polynomial.")
    to_m: float = Field(description="Travel reached at the end [m].")
    duration_s: Positive = Field(description="Time the move takes [s].")


class LinearRate(Part):
    """Move at a constant velocity."""

    kind: Literal["rate"] = Field("rate", description="Constant velocity from the start of the drive.")
    rate_m_s: float = Field(description="Velocity [m/s].")


class LinearSine(Part):
    """Swing about the starting position."""

    kind: Literal["sine"] = Field("sine", description="Displacement A sin(2 pi f t) about the starting position.")
    amplitude_m: float = Field(description="Amplitude A [m].")
    frequency_Hz: Positive = Field(description="Frequency f [Hz].")


class LinearTable(TableDrive):
    """Follow a table of positions."""

    displacement_m: list[float] = Field(
        min_length=2, description="Displacements from the starting position [m]: 0 first."
    )


def _table_faults(time_s: list[float], displacement: list[float], key: str) -> list[tuple[str, str]]:
    faults = []
    if len(time_s) != len(displacement):
        faults.append((key, f"has {len(displacement)} values but time_s has {len(time_s)}; they must be as many"))
    if time_s[0] != 0.0:
        faults.append(("time_s", f"starts at {time_s[0]}; the table's time counts from 0, the start of the drive"))
    if displacement[0] != 0.0:
        faults.append(
            (key, f"starts at {displacement[0]}; displacements count from 0, where the coordinate is at the start")
        )
    late = next((k for k in range(1, len(time_s)) if time_s[k] <= time_s[k - 1]), None)
    if late is not None:
        faults.append(("time_s", f"does not increase: {time_s[late]} comes after {time_s[late - 1]}"))
    return faults


RotaryDrive = Annotated[HoldDrive | RotaryMove | RotaryRate | RotarySine | RotaryTable, ToldByValue("kind")]
LinearDrive = Annotated[HoldDrive | LinearMove | LinearRate | LinearSine | LinearTable, ToldByValue("kind")]


DriveProfile = Annotated[
    HoldDrive | RotaryMove | RotaryRate | RotarySine | RotaryTable | LinearMove | LinearRate | LinearSine |
    LinearTable,
    ToldByValue("kind"),
]  # fmt: skip

LINEAR_DRIVES = (LinearMove, LinearRate, LinearSine, LinearTable)


def unit_of(profile: Part) -> str | None:
    """Of the coordinate that a motion is for, "m" or "deg"; None where it goes with both."""
    return None if isinstance(profile, HoldDrive) else "m" if isinstance(profile, LINEAR_DRIVES) else "deg"
