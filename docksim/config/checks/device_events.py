"""Do the condition `device` and the action `set` name devices that exist, and only what these devices have?"""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.actuators import Actuator
from docksim.config.schema.device_events import DeviceCondition, SetAction, SetCommand, SetServo, given_keys
from docksim.config.schema.drives import unit_of
from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.servos import Servo
from docksim.config.schema.twins import RADIANS, stem_of
from docksim.config.tree import Fault
from docksim.config.units import split_unit

# units of the keys by the unit of the coordinate
FAMILY = {
    "m": ("m", "m_s", "N", "N_m", "Ns_m"),
    "deg": ("deg", "deg_s", "Nm", "Nm_rad", "Nms_rad"),
}
KIND = {"m": "a stroke, in m and N", "deg": "a crank, in deg and N m"}
KIND_OF_JOINT = {"m": "a travel, in m and N", "deg": "an angle, in deg and N m"}


class DeviceEventChecks:
    """The checks of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self.devices = names.devices(scenario)
        actions = [action for event in scenario.events.values() for action in event.do]
        self.commands = [action.set for action in actions if isinstance(action, SetAction)]

    def condition(self, condition: DeviceCondition) -> Iterator[Fault]:
        device, (key,) = condition.device, given_keys(condition)
        facts = self.devices.get(device)
        if facts is None:
            yield ("device",), self.unknown(device)
        elif device.endswith(".legs"):
            yield ("device",), f"'{device}' are six legs; a condition looks at one: '{device}.1' to '{device}.6'"
        elif fault := _misfit(condition, key, device, facts.units):
            yield (key,), fault
        elif not facts.actuators and split_unit(key)[1] in ("N", "Nm"):
            yield (key,), f"'{device}' has no devices, so it exerts no force; give it 'linear' or 'rotary'"

    def command(self, command: SetCommand) -> Iterator[Fault]:
        device = command.device
        facts = self.devices.get(device)
        if facts is None:
            yield ("device",), self.unknown(device)
            return
        if not facts.actuators:
            yield ("device",), f"'{device}' has no devices and only measures; give it 'linear' or 'rotary'"
            return
        misfits: list[Fault] = [((key,), _misfit(command, key, device, facts.units)) for key in given_keys(command)]
        if command.servo is not None:
            inner = [(key, _misfit(command.servo, key, device, facts.units)) for key in given_keys(command.servo)]
            misfits += [(("servo", key), fault) for key, fault in inner]
        faults = [(path, fault) for path, fault in misfits if fault]
        if not faults:
            # equal legs have equal faults
            faults = list(dict.fromkeys(fault for part in facts.actuators for fault in self.lacks(command, part)))
        yield from faults

    def lacks(self, command: SetCommand, part: Actuator) -> Iterator[Fault]:
        """What the command sets and this device does not have."""
        device = command.device
        for key in given_keys(command):
            stem = stem_of(key)
            if stem == "damping" and part.damping_table is not None:
                yield (key,), f"the damper of '{device}' is a damping_table, which has no number to set"
            if stem == "eddy_peak_force" and getattr(part, "eddy_current", None) is None:
                text = "add one to the mechanism, with the rate of its peak"
                yield (key,), f"'{device}' has no eddy_current; {text}"
        servo: Servo | None = getattr(part, "servo", None)
        if command.servo is not None and servo is None:
            yield ("servo",), f"'{device}' has no servo; add one to the actuator (enabled: false to start without)"
        elif command.servo is not None and servo is not None:
            yield from ((("servo", *path), text) for path, text in self.servo(command.servo, servo, part, device))

    def servo(self, command: SetServo, servo: Servo, part: Actuator, device: str) -> Iterator[Fault]:
        if command.mode == "torque" and servo.follows == "mean":
            yield ("mode",), f"torque is not for a servo that follows the mean, as that of '{device}'"
        modes = {command.mode} if command.mode is not None else {servo.mode, *self.modes_set(device)}
        given = {stem_of(key): key for key in given_keys(command)}
        if modes == {"velocity"} and (wrong := given.get("target") or given.get("stiffness")):
            yield (wrong,), f"belongs to mode: position, and the servo of '{device}' is in mode velocity here"
        if modes == {"position"} and "target_rate" in given:
            yield (given["target_rate"],), f"belongs to mode: velocity, and '{device}' is in mode position here"
        if "torque" not in modes and "target_force" in given:
            yield (given["target_force"],), f"belongs to mode: torque, and '{device}' is in mode {modes.pop()} here"
        if "position" not in modes and command.path is not None:
            yield ("path",), f"belongs to mode: position, and the servo of '{device}' is in mode {modes.pop()} here"
        if command.mode == "position" and servo.si("stiffness") is None and "stiffness" not in given:
            yield ("mode",), f"position needs {servo.key('stiffness')}, which the servo of '{device}' has not; set both"
        if command.admittance is not None and getattr(servo, "admittance", None) is None:
            yield ("admittance",), f"the servo of '{device}' has none; add one to the mechanism"
        if command.mode == "velocity" and servo.follows == "mean":
            yield ("mode",), f"velocity is not for a servo that follows the mean, as that of '{device}'"
        if "target" in given and servo.follows == "own":
            key = given["target"]
            target = getattr(command, key) * (RADIANS if key.endswith("_deg") else 1.0)
            yield from (((key,), f"{getattr(command, key)} {text} in '{device}'") for text in part.beyond(target))

    def modes_set(self, device: str) -> set[str]:
        """Modes to which some event may have switched the servo."""
        legs = device.rpartition(".")[0]
        near = [command for command in self.commands if command.device.startswith(device) or command.device == legs]
        return {command.servo.mode for command in near if command.servo is not None and command.servo.mode is not None}

    def unknown(self, device: str) -> str:
        if not self.devices:
            return f"no device '{device}'; no vehicle of this scenario has a mechanism or a joint with an 'actuator'"
        return unknown("device", device, self.devices)


def _misfit(part: Part, key: str, device: str, units: frozenset[str]) -> str:
    """Why a key does not fit the unit of the device's coordinate; empty if it does."""
    unit = split_unit(key)[1]
    wanted = next((family for family, suffixes in FAMILY.items() if unit in suffixes), None)
    if key == "path":
        wanted = unit_of(part.path)  # type: ignore[attr-defined]
    if wanted is None or units == {wanted}:
        return ""
    if len(units) > 1:
        return f"does not fit all of '{device}', which are strokes and cranks; set the legs one by one"
    (have,) = units
    stem = stem_of(key)
    twin = next(
        (one for one in type(part).model_fields if stem_of(one) == stem and split_unit(one)[1] in FAMILY[have]), None
    )
    kind = KIND if ".legs" in device or ".couplings." in device else KIND_OF_JOINT
    return f"does not fit: '{device}' is {kind[have]}" + (f"; use {twin}" if twin else "")
