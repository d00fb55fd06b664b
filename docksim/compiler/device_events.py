"""Events on devices: conditions and settings of shafts to rows, and which devices an event may bring to life."""

from __future__ import annotations

from docksim.compiler.drives import DriveTables
from docksim.compiler.parts import DEG
from docksim.compiler.shafts import MODES
from docksim.config.schema.device_events import DeviceCondition, SetAction, SetCommand, given_keys
from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario
from docksim.config.units import split_unit
from docksim.model import mechanism as codes
from docksim.model.events import SET_SHAFT, SHAFT_ABOVE, SHAFT_BELOW

Row = tuple[int, int, int, float]

_DEVICE = {
    "force": codes.SET_FORCE,
    "friction": codes.SET_FRICTION,
    "damping": codes.SET_DAMPING,
    "eddy_peak_force": codes.SET_EDDY_PEAK,
}
# in this order: gains and targets are there when the servo is switched on
_SERVO = {
    "stiffness": codes.SET_STIFFNESS_GAIN,
    "damping": codes.SET_DAMPING_GAIN,
    "target": codes.SET_TARGET,
    "target_rate": codes.SET_TARGET_RATE,
    "target_force": codes.SET_TARGET_FORCE,
    "path": codes.SET_PATH,
    "rate_limit": codes.SET_RATE_LIMIT,
    "force_limit": codes.SET_FORCE_LIMIT,
    "mode": codes.SET_MODE,
    "enabled": codes.SET_ENABLED,
    "admittance": codes.SET_ADMITTANCE,
}
# what a setting brings to life
_ALIVE = {"force": "motor", "friction": "brake", "damping": "damper", "eddy_peak_force": "damper", "servo": "motor"}


def _values(part: Part) -> dict[str, float]:
    """What a command sets, by stem, in SI and radians."""
    values = {}
    for key in given_keys(part):
        stem, unit = split_unit(key)
        value = getattr(part, key)
        if isinstance(value, Part):
            continue
        number = float(MODES[value] if isinstance(value, str) else value)
        values[stem.replace("torque", "force")] = number * DEG if unit in ("deg", "deg_s") else number
    return values


def targets(device: str, names: list[str]) -> list[str]:
    """The shafts that a reference means: itself, or all legs."""
    return [name for name in names if name == device or name.rsplit(".", 1)[0] == device]


def set_rows(command: SetCommand, names: list[str], drives: DriveTables) -> list[Row]:
    """One action for each value and shaft."""
    device, servo = _values(command), _values(command.servo) if command.servo is not None else {}
    if command.servo is not None and command.servo.path is not None:
        servo["path"] = float(drives.add(command.servo.path))
    rows = []
    for name in targets(command.device, names):
        k = names.index(name)
        rows += [(SET_SHAFT, k, code, device[stem]) for stem, code in _DEVICE.items() if stem in device]
        rows += [(SET_SHAFT, k, code, servo[stem]) for stem, code in _SERVO.items() if stem in servo]
    return rows


def condition_row(condition: DeviceCondition, names: list[str]) -> Row:
    (key,) = given_keys(condition)
    stem, unit = split_unit(key)
    *quantity, side = stem.split("_")
    what = {"": codes.SHAFT_COORDINATE, "rate": codes.SHAFT_RATE}.get("".join(quantity), codes.SHAFT_FORCE)
    kind = SHAFT_ABOVE if side == "above" else SHAFT_BELOW
    limit = getattr(condition, key) * (DEG if unit in ("deg", "deg_s") else 1.0)
    return kind, names.index(condition.device), what, limit


def brought_to_life(scenario: Scenario, names: list[str]) -> dict[str, set[str]]:
    """Devices (damper, brake, motor) that events may set, by shaft."""
    alive: dict[str, set[str]] = {name: set() for name in names}
    for event in scenario.events.values():
        for action in event.do:
            if isinstance(action, SetAction):
                stems = [split_unit(key)[0].replace("torque", "force") for key in given_keys(action.set)]
                for name in targets(action.set.device, names):
                    alive[name] |= {_ALIVE[stem] for stem in stems}
    return alive
