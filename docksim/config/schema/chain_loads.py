"""What acts on a chain over time: drives of its joints, and loads from outside at points of its links."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from docksim.config.schema.chain_conditions import LAW_WORDS, JointWaypoint, Law, OnLink, waypoint_faults
from docksim.config.schema.fields import ZERO3, NonNegative, Part, Positive, Vec3, refuse


def _time_faults(time_s: list[float], values: list[float] | None, key: str) -> list[tuple[str, str]]:
    """Times must increase, one value each."""
    faults = []
    for i, (one, two) in enumerate(pairwise(time_s)):
        if two <= one:
            faults.append(("time_s", f"entry {i + 2} is {two}, not after {one}; times must increase"))
    if values is not None and len(values) != len(time_s):
        faults.append((key, f"has {len(values)} entries for {len(time_s)} times; give one for each"))
    return faults


# ---------------------------------------------------------------- drives


class DriveTable(Part):
    """Force of a drive over time, by straight lines between the entries; constant before the first, after the last."""

    time_s: list[float] = Field(min_length=1, description="Times since the start [s], increasing.")
    torque_Nm: list[float] | None = Field(None, description="Torque of a turning joint at these times [N m].")
    force_N: list[float] | None = Field(None, description="Force of a sliding joint at these times [N].")

    @model_validator(mode="after")
    def _check(self) -> DriveTable:
        faults = []
        for key in ("torque_Nm", "force_N"):
            faults += _time_faults(self.time_s, getattr(self, key), key)
        refuse(list(dict.fromkeys(faults)))
        return self


class JointServo(Part):
    """A loop: k (set - q) + c (set' - q'). A set-point with a rate starts where the joint does."""

    mode: Literal["position", "velocity"] = Field(
        "position",
        description="position: towards a place or along a path; velocity: c (target_rate - q'). For a torque loop give "
        "the drive its torque.",
    )
    angle_deg: float | None = Field(None, description="Where a turning joint shall go [deg].")
    travel_m: float | None = Field(None, description="Where a sliding joint shall go [m].")
    rate_deg_s: Positive | None = Field(
        None, description="Rate of the set-point towards angle_deg [deg/s]; there at once if left out."
    )
    rate_m_s: Positive | None = Field(
        None, description="Rate of the set-point towards travel_m [m/s]; there at once if left out."
    )
    waypoints: list[JointWaypoint] | None = Field(None, min_length=1, description="A path instead of a place.")
    law: Law = Field("rest", description=LAW_WORDS)
    stiffness_Nm_rad: Positive | None = Field(None, description="Gain k of a turning joint [N m/rad].")
    damping_Nms_rad: NonNegative = Field(0.0, description="Gain c of a turning joint [N m s/rad].")
    stiffness_N_m: Positive | None = Field(None, description="Gain k of a sliding joint [N/m].")
    damping_Ns_m: NonNegative = Field(0.0, description="Gain c of a sliding joint [N s/m].")
    target_rate_deg_s: float | None = Field(None, description="How fast a velocity loop turns the joint [deg/s].")
    target_rate_m_s: float | None = Field(None, description="How fast a velocity loop slides the joint [m/s].")
    sample_s: Positive | None = Field(None, description="Sampling period [s]; continuous if left out.")
    delay_s: NonNegative = Field(0.0, description="Delay from measurement to force, a whole multiple of sample_s [s].")

    @model_validator(mode="after")
    def _check(self) -> JointServo:
        faults = self._sampling_faults()
        faults += self._velocity_faults() if self.mode == "velocity" else self._position_faults()
        refuse(faults)
        return self

    def _position_faults(self) -> list[tuple[str, str]]:
        given = [key for key in ("angle_deg", "travel_m", "waypoints") if getattr(self, key) is not None]
        faults = waypoint_faults(self.waypoints or [])
        if len(given) > 1:
            faults.append((given[1], f"excludes '{given[0]}'"))
        for key in ("rate_deg_s", "rate_m_s"):
            if self.waypoints is not None and getattr(self, key) is not None:
                faults.append((key, "excludes 'waypoints', which have times of their own"))
        for key in ("target_rate_deg_s", "target_rate_m_s"):
            if getattr(self, key) is not None:
                faults.append((key, "belongs to mode: velocity"))
        if (self.stiffness_Nm_rad is None) == (self.stiffness_N_m is None):
            faults.append(("", "needs stiffness_Nm_rad for a turning joint, or stiffness_N_m for a sliding one"))
        return faults

    def _velocity_faults(self) -> list[tuple[str, str]]:
        places = ("angle_deg", "travel_m", "rate_deg_s", "rate_m_s", "waypoints", "stiffness_Nm_rad", "stiffness_N_m")
        faults = [
            (key, "belongs to mode: position; a velocity loop has a target_rate and damping")
            for key in places
            if getattr(self, key) is not None
        ]
        if (self.damping_Nms_rad > 0.0) == (self.damping_Ns_m > 0.0):
            faults.append(("", "needs damping_Nms_rad for a turning joint, or damping_Ns_m for a sliding one"))
        return faults

    def _sampling_faults(self) -> list[tuple[str, str]]:
        if self.sample_s is None:
            text = f"{self.delay_s} s needs sample_s; a continuous servo has no delay"
            return [("delay_s", text)] if self.delay_s > 0.0 else []
        samples = self.delay_s / self.sample_s
        if abs(samples - round(samples)) > 1e-9 * max(1.0, samples):
            return [("delay_s", f"{self.delay_s} s is no whole multiple of sample_s {self.sample_s} s")]
        return []


class JointDrive(Part):
    """Force of a drive: a constant, a table over time, a servo. They add up; the joint's limits cut off the sum."""

    torque_Nm: float = Field(0.0, description="Constant torque of a turning joint [N m].")
    force_N: float = Field(0.0, description="Constant force of a sliding joint [N].")
    table: DriveTable | None = Field(None, description="Over time.")
    servo: JointServo | None = Field(None, description="Towards a place, along a path, or at a rate.")
    presliding_deg: Positive | None = Field(
        None,
        description="Elastic deflection of a turning joint before its friction slips [deg]: it sticks. Friction fades "
        "out at small rates if left out.",
    )
    presliding_m: Positive | None = Field(None, description="The same of a sliding joint [m].")


# ---------------------------------------------------------------- loads


class LoadTable(Part):
    """Factor of a load over time, by straight lines; constant before the first entry and after the last."""

    time_s: list[float] = Field(min_length=1, description="Times since the start [s], increasing.")
    factor: list[float] = Field(min_length=1, description="Factor of force and moment at these times.")

    @model_validator(mode="after")
    def _check(self) -> LoadTable:
        refuse(_time_faults(self.time_s, self.factor, "factor"))
        return self


class LoadSine(Part):
    """Factor of a load that swings: sin(2 pi f t + phase)."""

    frequency_Hz: Positive = Field(description="Frequency f [Hz].")
    phase_deg: float = Field(0.0, description="Phase at the start [deg]; 90 begins at the full load.")


class Load(OnLink):
    """A wrench from outside at a point that a link carries."""

    force_N: Vec3 = Field(ZERO3, description="Force at the point [N].")
    moment_Nm: Vec3 = Field(ZERO3, description="Moment [N m].")
    axes: Literal["world", "link"] = Field(
        "world", description="Axes of force and moment: the world's, or those at the far end of the link, which turn."
    )
    table: LoadTable | None = Field(None, description="How it changes with time; constant if left out.")
    sine: LoadSine | None = Field(None, description="A swinging load instead.")
    known: bool = Field(True, description="Along a program: does the controller know of the load and make up for it?")

    @model_validator(mode="after")
    def _check(self) -> Load:
        faults = []
        if self.table is not None and self.sine is not None:
            faults.append(("sine", "excludes 'table'"))
        if not any((*self.force_N, *self.moment_Nm)):
            faults.append(("force_N", "force_N and moment_Nm are both zero; give one of them"))
        refuse(faults)
        return self
