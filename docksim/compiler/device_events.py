"""Events on devices: conditions and settings of shafts to rows, and which devices an event may bring to life."""

from __future__ import annotations

from docksim import model as codes
from docksim.compiler.parts import DEG
from docksim.config.device_events import given_keys
from docksim.config.schema import DeviceCondition, Part, Scenario, SetAction, SetCommand
from docksim.config.units import split_unit

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
    "rate_limit": codes.SET_RATE_LIMIT,
    "force_limit": codes.SET_FORCE_LIMIT,
    "mode": codes.SET_MODE,
    "enabled": codes.SET_ENABLED,
}
_MODES = {"position": codes.POSITION, "velocity": codes.VELOCITY}
# what a setting brings to life
_ALIVE = {"force": "motor", "friction": "brake", "damping": "damper", "eddy_peak_force": "damper", "servo": "motor"}


def _values(part: Part) -> dict[str, float]:
    """What a command sets, by stem, in SI and radians."""
    found = {}
    for key in given_keys(part):
        stem, unit = split_unit(key)
        value = getattr(part, key)
        if isinstance(value, Part):
            continue
        number = float(_MODES[value] if isinstance(value, str) else value)
        found[stem.replace("torque", "force")] = number * DEG if unit in ("deg", "deg_s") else number
    return found


def targets(device: str, names: list[str]) -> list[str]:
    """The shafts that a reference means: itself, or all legs."""
    return [name for name in names if name == device or name.rsplit(".", 1)[0] == device]


def set_rows(command: SetCommand, names: list[str]) -> list[Row]:
    """One action for each value and shaft."""
    device, servo = _values(command), _values(command.servo) if command.servo is not None else {}
    rows = []
    for name in targets(command.device, names):
        k = names.index(name)
        rows += [(codes.SET_SHAFT, k, code, device[stem]) for stem, code in _DEVICE.items() if stem in device]
        rows += [(codes.SET_SHAFT, k, code, servo[stem]) for stem, code in _SERVO.items() if stem in servo]
    return rows


def condition_row(condition: DeviceCondition, names: list[str]) -> Row:
    (key,) = given_keys(condition)
    stem, unit = split_unit(key)
    *quantity, side = stem.split("_")
    what = {"": codes.SHAFT_COORDINATE, "rate": codes.SHAFT_RATE}.get("".join(quantity), codes.SHAFT_FORCE)
    kind = codes.SHAFT_ABOVE if side == "above" else codes.SHAFT_BELOW
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
