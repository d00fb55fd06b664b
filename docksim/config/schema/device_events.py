"""Events on devices: the condition `device` and the action `set`.

Devices are "vehicle.legs.3" (legs count from 1), "vehicle.couplings.name", and joints with an actuator,
"vehicle.elbow", "vehicle.gimbal.first"; `set` also takes "vehicle.legs", all six.
"""

from __future__ import annotations

from pydantic import Field

from docksim.config.errors import one_of
from docksim.config.schema.drives import DriveProfile
from docksim.config.schema.fields import KeyFaults, NonNegative, Part, Positive, Reference, exactly_one
from docksim.config.schema.servos import MODE, Mode

DEVICE = "Leg ('chaser.legs.3'), coupling ('chaser.couplings.axial') or joint ('station.elbow')"


class DeviceCondition(Part):
    """Holds while the coordinate, rate or force of a leg or coupling is beyond a value, signs counted."""

    device: Reference = Field(description=f"{DEVICE}.")
    above_m: float | None = Field(None, description="Holds while the stroke is above this [m].")
    below_m: float | None = Field(None, description="Holds while the stroke is below this [m].")
    above_deg: float | None = Field(None, description="Holds while the angle is above this [deg].")
    below_deg: float | None = Field(None, description="Holds while the angle is below this [deg].")
    rate_above_m_s: float | None = Field(None, description="Holds while the rate is above this [m/s].")
    rate_below_m_s: float | None = Field(None, description="Holds while the rate is below this [m/s].")
    rate_above_deg_s: float | None = Field(None, description="Holds while the rate is above this [deg/s].")
    rate_below_deg_s: float | None = Field(None, description="Holds while the rate is below this [deg/s].")
    force_above_N: float | None = Field(None, description="Holds while all devices together exert more [N].")
    force_below_N: float | None = Field(None, description="Holds while all devices together exert less [N].")
    torque_above_Nm: float | None = Field(None, description="Holds while all devices together exert more [N m].")
    torque_below_Nm: float | None = Field(None, description="Holds while all devices together exert less [N m].")

    def check(self) -> KeyFaults:
        return exactly_one(self, *list(type(self).model_fields)[1:])


class SetServo(Part):
    """New values of a servo."""

    enabled: bool | None = Field(None, description="true switches it on, its set-point where the coordinate is.")
    mode: Mode | None = Field(None, description=MODE)
    stiffness_N_m: NonNegative | None = Field(None, description="Force per error of position [N/m].")
    stiffness_Nm_rad: NonNegative | None = Field(None, description="Torque per error of angle [N m/rad].")
    damping_Ns_m: NonNegative | None = Field(None, description="Force per error of rate [N s/m].")
    damping_Nms_rad: NonNegative | None = Field(None, description="Torque per error of rate [N m s/rad].")
    target_m: float | None = Field(None, description="Where to [m].")
    target_deg: float | None = Field(None, description="Where to [deg].")
    target_rate_m_s: float | None = Field(None, description="How fast, in mode velocity [m/s].")
    target_rate_deg_s: float | None = Field(None, description="How fast, in mode velocity [deg/s].")
    target_force_N: float | None = Field(None, description="How strongly, in mode torque [N].")
    target_torque_Nm: float | None = Field(None, description="How strongly, in mode torque [N m].")
    path: DriveProfile | None = Field(None, description="Motion of the set-point from now on, from where it is.")
    rate_limit_m_s: Positive | None = Field(None, description="Fastest motion of the set-point [m/s].")
    rate_limit_deg_s: Positive | None = Field(None, description="Fastest motion of the set-point [deg/s].")
    force_limit_N: Positive | None = Field(None, description="Largest force of the servo [N].")
    torque_limit_Nm: Positive | None = Field(None, description="Largest torque of the servo [N m].")
    admittance: bool | None = Field(
        None, description="false: the set-point no longer gives way to the ring, and goes on from where it is."
    )

    def check(self) -> KeyFaults:
        yield from _nothing(self)
        goal = self.target_m if self.target_m is not None else self.target_deg
        if self.path is not None and goal is not None:
            yield "path", "excludes a target; the path says where the set-point goes"


class SetCommand(Part):
    """New values of a device; what is not named stays as it is."""

    device: Reference = Field(description=f"{DEVICE}, or all legs ('chaser.legs').")
    force_N: float | None = Field(None, description="Constant force that lengthens the leg [N].")
    torque_Nm: float | None = Field(None, description="Constant torque that increases the crank angle [N m].")
    friction_N: NonNegative | None = Field(None, description="Force at which friction or brake slips [N].")
    friction_Nm: NonNegative | None = Field(None, description="Torque at which friction or brake slips [N m].")
    damping_Ns_m: NonNegative | None = Field(None, description="Viscous damper [N s/m].")
    damping_Nms_rad: NonNegative | None = Field(None, description="Viscous damper [N m s/rad].")
    eddy_peak_force_N: NonNegative | None = Field(None, description="Largest force of the eddy-current brake [N].")
    eddy_peak_torque_Nm: NonNegative | None = Field(None, description="Largest torque of the eddy-current brake [N m].")
    servo: SetServo | None = Field(None, description="New values of the servo.")

    def check(self) -> KeyFaults:
        return _nothing(self)


class SetAction(Part):
    """Give a device of the docking mechanism, or of a joint, new values."""

    set: SetCommand = Field(description="The device and its new values.")


def given_keys(part: Part) -> list[str]:
    """What a command sets, without the device it names."""
    return [key for key in type(part).model_fields if key != "device" and getattr(part, key) is not None]


def _nothing(part: Part) -> list[tuple[str, str]]:
    if given_keys(part):
        return []
    keys = [key for key in type(part).model_fields if key != "device"]
    return [("", f"sets nothing; give at least one of {one_of(keys)}")]
