"""Servos on legs and joints: position, velocity and torque loops, sampled or continuous, and admittance control.

Law: force = clip(stiffness (set - x) + damping (set' - x'), ± force limit of the actuator); a velocity loop has the
second term only, a torque loop exerts what it is told. The set-point starts where the coordinate is when the servo is
switched on, and moves to the target at the rate limit, at once without one; or it goes along a path.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from docksim.config.schema.drives import LinearDrive, RotaryDrive
from docksim.config.schema.fields import KeyFaults, NonNegative, Positive
from docksim.config.schema.twins import Twin

Mode = Literal["position", "velocity", "torque"]
Follows = Literal["own", "mean"]
MODE = "What the loop controls: position, velocity, or torque (force)."
PATH = "Motion of the set-point since the servo was switched on; excludes target and rate limit. Position loop."
FOLLOWS = (
    "own: the coordinate is measured from its zero; mean: from the mean of the six legs, which the servos leave free."
)
SAMPLE = "Sampling period, a whole multiple of solver.step_s [s]; continuous if left out."
DELAY = "Delay from measurement to force, a whole multiple of sample_s [s]."
ADMITTANCE = "Moves the set-point with the force that the ring exerts on the leg; none if left out."


class LinearAdmittance(Twin):
    """mass z'' + damping z' + stiffness z = force of the ring beyond the dead band; z is added to the target."""

    mass_kg: Positive = Field(description="Mass that the leg feigns [kg].")
    damping_Ns_m: NonNegative = Field(description="Damping that the leg feigns [N s/m].")
    stiffness_N_m: NonNegative = Field(0.0, description="Stiffness that draws the set-point back to the target [N/m].")
    dead_band_N: NonNegative = Field(0.0, description="Force that is ignored [N].")
    travel_limit_m: Positive | None = Field(None, description="Largest shift of the set-point [m]; none if left out.")


class RotaryAdmittance(Twin):
    """inertia z'' + damping z' + stiffness z = torque of the ring beyond the dead band; z is added to the target."""

    inertia_kg_m2: Positive = Field(description="Inertia that the crank feigns [kg m²].")
    damping_Nms_rad: NonNegative = Field(description="Damping that the crank feigns [N m s/rad].")
    stiffness_Nm_rad: NonNegative = Field(0.0, description="Stiffness that draws the set-point back [N m/rad].")
    dead_band_Nm: NonNegative = Field(0.0, description="Torque that is ignored [N m].")
    travel_limit_deg: Positive | None = Field(
        None, description="Largest shift of the set-point [deg]; none if left out."
    )


class Servo(Twin):
    """What both servos have, and the rules between their keys."""

    enabled: bool = Field(True, description="Whether it works from the start; events can switch it.")
    mode: Mode = Field("position", description=MODE)
    follows: Follows = Field("own", description=FOLLOWS)
    sample_s: Positive | None = Field(None, description=SAMPLE)
    delay_s: NonNegative = Field(0.0, description=DELAY)

    def check(self) -> KeyFaults:
        return [*self._mode_faults(), *self._sampling_faults()]

    def _mode_faults(self) -> list[tuple[str, str]]:
        stiffness, target, rate, force = (
            self.key(stem) for stem in ("stiffness", "target", "target_rate", "target_force")
        )
        faults = []
        if self.mode != "torque" and self.si("target_force") is not None:
            faults.append((force, "belongs to mode: torque"))
        if self.mode == "torque":
            return faults + self._torque_faults()
        if self.mode == "position":
            if self.si("stiffness") is None:
                faults.append((stiffness, "missing; a position loop needs it, or choose mode: velocity"))
            if self.si("target_rate") is not None:
                faults.append((rate, f"belongs to mode: velocity; a position loop has {target}"))
            return faults + self._path_faults()
        if self.si("stiffness") is not None:
            faults.append((stiffness, "belongs to mode: position; a velocity loop has damping only"))
        if self.si("target") is not None:
            faults.append((target, f"belongs to mode: position; a velocity loop has {rate}"))
        if self.follows == "mean":
            faults.append(("follows", "mean is for mode: position; velocity loops have follows: own"))
        if getattr(self, "admittance", None) is not None:
            faults.append(("admittance", "moves a set-point, so it needs mode: position"))
        if getattr(self, "path", None) is not None:
            faults.append(("path", "moves a set-point, so it needs mode: position"))
        return faults

    def _torque_faults(self) -> list[tuple[str, str]]:
        faults = [
            (
                self.key(stem),
                "belongs to a position or velocity loop; a torque loop has no gains and no target to go to",
            )
            for stem in ("stiffness", "damping", "target", "target_rate", "rate_limit")
            if self.given(stem)
        ]
        faults += [
            (key, "needs mode: position") for key in ("path", "admittance") if getattr(self, key, None) is not None
        ]
        return faults + ([("follows", "mean is for mode: position")] if self.follows == "mean" else [])

    def _path_faults(self) -> list[tuple[str, str]]:
        if getattr(self, "path", None) is None:
            return []
        keys = [self.key(stem) for stem in ("target", "rate_limit") if self.si(stem) is not None]
        return [("path", f"excludes {key}; the path says where the set-point goes, and how fast") for key in keys]

    def _sampling_faults(self) -> list[tuple[str, str]]:
        admittance = getattr(self, "admittance", None)
        if self.sample_s is None:
            faults = [("delay_s", f"{self.delay_s} s needs sample_s; a continuous servo has no delay")]
            listed = faults if self.delay_s > 0 else []
            if admittance is not None:
                listed.append(("admittance", "needs sample_s; the force of the ring is measured in samples"))
            return listed
        return _runaway(admittance, self.sample_s) if admittance is not None else []


def _runaway(part: Twin, sample_s: float) -> list[tuple[str, str]]:
    """Semi-implicit Euler steps of the admittance grow without bound from 2 c h / m + k h^2 / m = 4 on."""
    m, c, k = part.si("mass"), part.si("damping"), part.si("stiffness")
    if 2.0 * c * sample_s + k * sample_s * sample_s < 4.0 * m:
        return []
    least = 0.5 * c * sample_s + 0.25 * k * sample_s * sample_s
    key = part.key("mass")
    given = f"{getattr(part, key)} is so small that the set-point would run away with sample_s {sample_s}"
    return [("admittance", f"{key} {given}; more than {least:.4g} is needed, or a shorter sample_s")]


class LinearServo(Servo):
    """A loop on the stroke of a leg, a coupling of strokes, or a sliding joint. force_limit_N limits its force."""

    stiffness_N_m: NonNegative | None = Field(None, description="Force per error of position [N/m]; position loop.")
    damping_Ns_m: NonNegative = Field(0.0, description="Force per error of rate [N s/m].")
    target_m: float | None = Field(
        None, description="Where to [m]; the reference pose if left out, zero with follows: mean. Position loop."
    )
    target_rate_m_s: float | None = Field(None, description="How fast [m/s]; zero if left out. Velocity loop.")
    rate_limit_m_s: Positive | None = Field(
        None, description="Fastest motion of the set-point [m/s]; it jumps if left out."
    )
    target_force_N: float | None = Field(None, description="How strongly [N]; zero if left out. Torque loop.")
    path: LinearDrive | None = Field(None, description=PATH)
    admittance: LinearAdmittance | None = Field(None, description=ADMITTANCE)


class RotaryServo(Servo):
    """A loop on the crank of a leg, a coupling of cranks, or a turning joint. torque_limit_Nm limits its torque."""

    stiffness_Nm_rad: NonNegative | None = Field(
        None, description="Torque per error of angle [N m/rad]; position loop."
    )
    damping_Nms_rad: NonNegative = Field(0.0, description="Torque per error of rate [N m s/rad].")
    target_deg: float | None = Field(
        None, description="Where to [deg]; the reference pose if left out, zero with follows: mean. Position loop."
    )
    target_rate_deg_s: float | None = Field(None, description="How fast [deg/s]; zero if left out. Velocity loop.")
    rate_limit_deg_s: Positive | None = Field(
        None, description="Fastest motion of the set-point [deg/s]; it jumps if left out."
    )
    target_torque_Nm: float | None = Field(None, description="How strongly [N m]; zero if left out. Torque loop.")
    path: RotaryDrive | None = Field(None, description=PATH)
    admittance: RotaryAdmittance | None = Field(None, description=ADMITTANCE)
