"""Devices with keys of their own: eddy-current brakes, friction brakes, and rotors behind screws and gears."""

from __future__ import annotations

import math

from pydantic import Field

from docksim.config.schema.fields import NonNegative, Part, Positive
from docksim.config.schema.twins import Twin


class LinearEddyCurrent(Twin):
    """An eddy-current brake: force = 2 peak (v / v_p) / (1 + (v / v_p)²) against the motion."""

    peak_force_N: Positive = Field(description="Largest force [N].")
    at_rate_m_s: Positive = Field(description="Rate v_p at which it is largest [m/s].")


class RotaryEddyCurrent(Twin):
    """An eddy-current brake: torque = 2 peak (v / v_p) / (1 + (v / v_p)²) against the motion."""

    peak_torque_Nm: Positive = Field(description="Largest torque [N m].")
    at_rate_deg_s: Positive = Field(description="Rate v_p at which it is largest [deg/s].")


class LinearBrake(Part):
    """A friction brake with true sticking. Its own force may unload its discs."""

    normal_force_N: Positive = Field(description="Force N that presses the discs together [N].")
    friction_coefficient: Positive = Field(description="Coefficient of friction mu of the discs.")
    self_adjustment: NonNegative = Field(
        0.0,
        description="Unloading of the discs per brake force, s: the brake slips at mu N / (1 + mu s), which hardly "
        "depends on mu when mu s is large.",
    )

    @property
    def slip(self) -> float:
        """Force at which it slips [N]."""
        mu = self.friction_coefficient
        return mu * self.normal_force_N / (1.0 + mu * self.self_adjustment)


class RotaryBrake(LinearBrake):
    """A friction brake on a crank, or on a shaft behind a differential."""

    mean_radius_m: Positive = Field(description="Mean radius of the discs [m].")

    @property
    def slip(self) -> float:
        """Torque at which it slips [N m]."""
        return self.mean_radius_m * super().slip


class Screw(Part):
    """A rotor behind a screw and a gear."""

    lead_mm: Positive = Field(description="Travel per turn of the screw [mm].")
    gear_ratio: Positive = Field(1.0, description="Turns of the rotor per turn of the screw.")
    rotor_inertia_kg_m2: NonNegative = Field(description="Inertia of the rotor about its axis [kg m²].")

    @property
    def reflected(self) -> float:
        """Mass that the rotor is felt as along the stroke [kg]."""
        turns = 2.0 * math.pi * self.gear_ratio / (1e-3 * self.lead_mm) if self.lead_mm > 1e-300 else math.inf
        return self.rotor_inertia_kg_m2 * turns * turns if self.rotor_inertia_kg_m2 > 0.0 else 0.0


class Gear(Part):
    """A rotor behind a gear."""

    ratio: Positive = Field(description="Turns of the rotor per turn of the crank.")
    rotor_inertia_kg_m2: NonNegative = Field(description="Inertia of the rotor about its axis [kg m²].")

    @property
    def reflected(self) -> float:
        """Inertia that the rotor is felt as on the crank [kg m²]."""
        return self.rotor_inertia_kg_m2 * self.ratio * self.ratio
