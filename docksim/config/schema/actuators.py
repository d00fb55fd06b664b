"""What acts on a leg's stroke or crank, on a coupling of several, or on a joint's axis.

Spring, damper, brake, stops, motor, servo, and the rotor behind them. All forces count positive when they lengthen the
leg (turn the crank or the joint to larger angles); what is said to oppose the motion has the sign of the rate, and is
subtracted.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from pydantic import Field

from docksim.config.schema.device_parts import (
    Gear,
    LinearBrake,
    LinearEddyCurrent,
    RotaryBrake,
    RotaryEddyCurrent,
    Screw,
)
from docksim.config.schema.fields import KeyFaults, NonNegative, Pair, Positive
from docksim.config.schema.servos import LinearServo, RotaryServo
from docksim.config.schema.twins import Twin

Fault = tuple[str, str]
FARTHEST, CLOSEST = 1e6, 1e-9  # coordinates and rates in laws, their distances
MOST = 1e15  # no force or mass comes near it, and kernels can still square it
Table = Annotated[list[Pair], Field(min_length=2)]


class Actuator(Twin):
    """What both actuators have, and the rules between their keys."""

    spring_table: Table | None = Field(
        None,
        description="Spring force that lengthens, as rows [stroke_m, force_N] or [angle_deg, torque_Nm], increasing; "
        "linear between rows and beyond. Excludes stiffness, preload and rest.",
    )
    damping_table: Table | None = Field(
        None,
        description="Force against the motion, as rows [rate_m_s, force_N] or [rate_deg_s, torque_Nm], increasing, "
        "[0, 0] among them; an odd function if it begins there. Excludes damping.",
    )

    def check(self) -> KeyFaults:
        rules = (self._limit_faults, self._spring_faults, self._table_faults, self._twice, self._target_faults)
        return [fault for rule in (*rules, self._size_faults) for fault in rule()]

    @property
    def slip(self) -> float:
        """Level of dry friction, by number or of the brake [N] or [N m]."""
        brake = getattr(self, "brake", None)
        return float(brake.slip if brake is not None else self.si("friction"))

    @property
    def rotor(self) -> float:
        """Reflected inertia of the rotor, by number or through screw or gear [kg] or [kg m²]."""
        drive = getattr(self, "screw", None) or getattr(self, "gear", None)
        return float(drive.reflected if drive is not None else self.si("rotor_mass"))

    def _limit_faults(self) -> list[Fault]:
        lower, upper = (getattr(self, self.key(stem)) for stem in ("lower", "upper"))
        if lower is not None and upper is not None and lower >= upper:
            return [(self.key("upper"), f"{upper} must be greater than {self.key('lower')}, which is {lower}")]
        speed = self.key("speed_limit")
        if self.given("speed_limit") and not self.given("force_limit"):
            return [(speed, f"needs {self.key('force_limit')}: the force at rest, which falls to nothing at this rate")]
        return []

    def _spring_faults(self) -> list[Fault]:
        stiffness, preload, rebound = (self.key(stem) for stem in ("stiffness", "preload", "rebound_stiffness"))
        if self.spring_table is not None:
            others = [key for key in (stiffness, preload) if getattr(self, key) > 0]
            others += [key for key in (rebound, self.key("rest")) if getattr(self, key) is not None]
            faults = [("spring_table", f"excludes {key}; the table is the whole spring") for key in others[:1]]
            return faults + _not_increasing("spring_table", self.spring_table)
        give, rest = self.key("preload_give"), self.key("rest")
        faults = []
        if getattr(self, preload) > 0 and getattr(self, stiffness) == 0 and getattr(self, rebound) is None:
            faults.append((preload, f"needs a spring; give {stiffness} (and {rebound}, if the other side differs)"))
        if getattr(self, give) < CLOSEST:
            faults.append((give, f"{getattr(self, give)} is too small; {CLOSEST:g} is the least"))
        if abs(getattr(self, rest) or 0.0) > FARTHEST:
            faults.append((rest, f"{getattr(self, rest)} is out of all proportion; at most {FARTHEST:g} in size"))
        return faults

    def _table_faults(self) -> list[Fault]:
        if self.damping_table is None:
            return []
        key = self.key("damping")
        faults = [("damping_table", f"excludes {key}; the table is the whole damper")] if self.given("damping") else []
        faults += _not_increasing("damping_table", self.damping_table)
        if (0.0, 0.0) not in self.damping_table:
            faults.append(("damping_table", "must contain the row [0, 0]; a damper at rest has no force"))
        wrong = next((row for row in self.damping_table if row[0] * row[1] < 0), None)
        if wrong is not None:
            text = f"row {list(wrong)} would drive the motion; the force has the sign of the rate, and opposes it"
            faults.append(("damping_table", text))
        return faults

    def _twice(self) -> list[Fault]:
        pairs = [("brake", "friction"), ("screw", "rotor_mass"), ("gear", "rotor_mass")]
        both = [(key, stem) for key, stem in pairs if getattr(self, key, None) is not None and self.given(stem)]
        return [(key, f"excludes {self.key(stem)}; give one of them") for key, stem in both]

    def _size_faults(self) -> list[Fault]:
        drive = "screw" if getattr(self, "screw", None) is not None else "gear"
        sizes = (("brake", "force at which it slips", self.slip), (drive, "rotor as it is felt", self.rotor))
        return [
            (key, f"the {what} is {size:.3g}; give figures that keep it below {MOST:.0g}")
            for key, what, size in sizes
            if not size < MOST
        ]

    def _target_faults(self) -> list[Fault]:
        servo = getattr(self, "servo", None)
        if servo is None or servo.follows == "mean":
            return []
        return [("servo", f"{servo.key('target')} {text}") for text in self.beyond(servo.si("target"))]

    def beyond(self, target: float | None) -> list[str]:
        """Why a target [m] or [rad] cannot be kept, if it is outside the limits."""
        lower, upper = self.si("lower"), self.si("upper")
        if target is not None and lower is not None and target < lower:
            return [f"lies below {self.key('lower')}, which is {getattr(self, self.key('lower'))}"]
        if target is not None and upper is not None and target > upper:
            return [f"lies above {self.key('upper')}, which is {getattr(self, self.key('upper'))}"]
        return []


def _not_increasing(key: str, rows: list[Pair]) -> list[Fault]:
    late = next(((a, b) for a, b in pairwise(rows) if b[0] <= a[0]), None)
    if late is not None:
        return [(key, f"does not increase: {late[1][0]} comes after {late[0][0]}")]
    far = next((row[0] for row in rows if abs(row[0]) > FARTHEST), None)
    if far is not None:
        return [(key, f"{far} is out of all proportion; at most {FARTHEST:g} in size")]
    close = next(((a, b) for a, b in pairwise(rows) if b[0] - a[0] < CLOSEST), None)
    return [] if close is None else [(key, f"{close[0][0]} and {close[1][0]} are too close; {CLOSEST:g} is the least")]


class LinearActuator(Actuator):
    """What acts along the stroke of a leg, or on a coupling of strokes, and how far and how strongly."""

    lower_m: float | None = Field(None, description="Smallest stroke [m]; no limit if left out.")
    upper_m: float | None = Field(None, description="Largest stroke [m]; no limit if left out.")
    stop_stiffness_N_m: NonNegative = Field(1e5, description="Stiffness of the stops at the limits [N/m].")
    stop_damping_s_m: NonNegative = Field(0.0, description="Hunt-Crossley damping factor of the stops [s/m].")
    stop_travel_m: Positive = Field(
        0.02, description="How far a stop gives way [m]; beyond, the run ends with the outcome over-stroke."
    )
    stiffness_N_m: NonNegative = Field(0.0, description="Spring along the stroke [N/m].")
    rest_m: float | None = Field(
        None, description="Stroke at which the spring is at ease [m]; that of the reference pose if left out."
    )
    preload_N: NonNegative = Field(0.0, description="Force of the caged spring as it leaves its cage, shortened [N].")
    preload_give_m: Positive = Field(1e-3, description="Travel over which the preload builds up [m].")
    rebound_stiffness_N_m: NonNegative | None = Field(
        None, description="Spring beyond rest_m, lengthened [N/m]; as stiffness_N_m if left out."
    )
    damping_Ns_m: NonNegative = Field(0.0, description="Viscous damper along the stroke [N s/m].")
    eddy_current: LinearEddyCurrent | None = Field(None, description="Eddy-current brake; none if left out.")
    friction_N: NonNegative = Field(0.0, description="Coulomb friction along the stroke, with true sticking [N].")
    brake: LinearBrake | None = Field(None, description="Friction brake; excludes friction_N.")
    presliding_m: Positive = Field(1e-4, description="Elastic deflection before friction or brake slips [m].")
    force_N: float = Field(0.0, description="Constant force that lengthens the leg [N].")
    force_limit_N: Positive | None = Field(
        None, description="Largest force of the servo, enforced, and of the actuator in inspections [N]; or none."
    )
    speed_limit_m_s: Positive | None = Field(
        None,
        description="Rate at which the servo's motor has no force left to go faster [m/s]; or none.",
    )
    servo: LinearServo | None = Field(None, description="Position, velocity or torque loop; none if left out.")
    rotor_mass_kg: NonNegative = Field(0.0, description="Rotor inertia reflected through the screw [kg].")
    screw: Screw | None = Field(None, description="Screw and rotor; excludes rotor_mass_kg.")


class RotaryActuator(Actuator):
    """What acts on the crank of a leg, or on a coupling of cranks, and how far and how strongly."""

    lower_deg: float | None = Field(None, description="Smallest crank angle [deg]; no limit if left out.")
    upper_deg: float | None = Field(None, description="Largest crank angle [deg]; no limit if left out.")
    stop_stiffness_Nm_rad: NonNegative = Field(1e4, description="Stiffness of the stops at the limits [N m/rad].")
    stop_damping_s_rad: NonNegative = Field(0.0, description="Hunt-Crossley damping factor of the stops [s/rad].")
    stop_travel_deg: Positive = Field(
        3.0, description="How far a stop gives way [deg]; beyond, the run ends with the outcome over-stroke."
    )
    stiffness_Nm_rad: NonNegative = Field(0.0, description="Spring on the crank [N m/rad].")
    rest_deg: float | None = Field(
        None, description="Crank angle at which the spring is at ease [deg]; that of the reference pose if left out."
    )
    preload_Nm: NonNegative = Field(
        0.0, description="Torque of the caged spring as it leaves its cage, turned back [N m]."
    )
    preload_give_deg: Positive = Field(0.1, description="Angle over which the preload builds up [deg].")
    rebound_stiffness_Nm_rad: NonNegative | None = Field(
        None, description="Spring beyond rest_deg [N m/rad]; as stiffness_Nm_rad if left out."
    )
    damping_Nms_rad: NonNegative = Field(0.0, description="Viscous damper on the crank [N m s/rad].")
    eddy_current: RotaryEddyCurrent | None = Field(None, description="Eddy-current brake; none if left out.")
    friction_Nm: NonNegative = Field(0.0, description="Coulomb friction on the crank, with true sticking [N m].")
    brake: RotaryBrake | None = Field(None, description="Friction brake; excludes friction_Nm.")
    presliding_deg: Positive = Field(0.05, description="Elastic deflection before friction or brake slips [deg].")
    torque_Nm: float = Field(0.0, description="Constant torque that increases the crank angle [N m].")
    torque_limit_Nm: Positive | None = Field(
        None, description="Largest torque of the servo, enforced, and of the actuator in inspections [N m]; or none."
    )
    speed_limit_deg_s: Positive | None = Field(
        None,
        description="Rate at which the servo's motor has no torque left to go faster [deg/s]; or none.",
    )
    servo: RotaryServo | None = Field(None, description="Position, velocity or torque loop; none if left out.")
    rotor_inertia_kg_m2: NonNegative = Field(0.0, description="Rotor inertia reflected through the gear [kg m²].")
    gear: Gear | None = Field(None, description="Gear and rotor; excludes rotor_inertia_kg_m2.")
