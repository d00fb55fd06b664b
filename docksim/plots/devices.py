"""Devices of the docking mechanism in a run: forces with their limits, set-points, and who absorbed how much energy.

Built from the channels "<v>.legs.<k>.*" and "<v>.couplings.<name>.*". Limits come from the scenario: where a brake
slips, and what a servo may exert, as events have changed them. A limit that no force comes near is only named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from docksim.plots.panels import LIMIT_SHOWN, Curve, Panel
from docksim.result.result import Result, ResultError

KINDS = ("spring", "damper", "brake", "stop", "motor")
ABSORBERS = KINDS[1:]
ROUNDING = 1e-9
FORCE = ("force_N", "torque_Nm")
# keys of the action `set` that change a limit
CHANGES = {"brake": ("friction_N", "friction_Nm"), "motor": ("force_limit_N", "torque_limit_Nm")}


def shafts(result: Result, vehicle: str, group: str) -> list[str]:
    """Full names of a vehicle's legs or couplings that have channels."""
    prefix = f"{vehicle}.{group}."
    names = [name[len(prefix) :].split(".")[0] for name in result if name.startswith(prefix)]
    return [prefix + name for name in dict.fromkeys(names)]


def with_devices(result: Result) -> list[str]:
    """Vehicles whose legs have devices."""
    found = [name.split(".")[0] for name in result if ".legs." in name or ".couplings." in name]
    return list(dict.fromkeys(found))


# ---------------------------------------------------------------- forces


def device_panels(result: Result, vehicle: str) -> list[Panel]:
    """Legs: one panel a kind of device. Couplings: one panel each."""
    legs = shafts(result, vehicle, "legs")
    panels = [panel for kind in KINDS for panel in _kind_panels(result, vehicle, legs, kind)]
    for name in shafts(result, vehicle, "couplings"):
        panels += _coupling_panel(result, name)
    return panels


def _force(result: Result, name: str, kind: str) -> tuple[np.ndarray, str] | None:
    """Values and unit of a device's force."""
    key = next((key for suffix in FORCE if (key := f"{name}.{kind}_{suffix}") in result), None)
    return (result[key], result.channel(key).unit) if key is not None else None


def _kind_panels(result: Result, vehicle: str, legs: list[str], kind: str) -> Iterator[Panel]:
    """Strokes and cranks apart."""
    found = [(name, _force(result, name, kind)) for name in legs]
    for unit in ("N", "N m"):
        members = [(name, force[0]) for name, force in found if force is not None and force[1] == unit]
        if not any(np.any(np.abs(values) > ROUNDING) for _, values in members):
            continue
        curves = tuple(Curve(name.rpartition(".")[2], values) for name, values in members)
        bounds = [limit for name, _ in members if (limit := limit_of(result, name, kind)) is not None]
        limit = bounds[0] if len(bounds) == len(members) and all(np.array_equal(bounds[0], b) for b in bounds) else None
        yield _limited(_quantity(kind, unit), unit, curves, f"{vehicle}.legs", limit)


def _coupling_panel(result: Result, name: str) -> list[Panel]:
    found = {kind: force for kind in KINDS if (force := _force(result, name, kind)) is not None}
    curves = tuple(Curve(kind, values) for kind, (values, _) in found.items() if np.any(np.abs(values) > ROUNDING))
    if not curves:
        return []
    unit = next(iter(found.values()))[1]
    kinds = [curve.label for curve in curves]
    limits = {kind: limit_of(result, name, kind) for kind in CHANGES if kind in kinds}
    which = next((kind for kind, limit in limits.items() if limit is not None), None)
    limit = limits[which] if which is not None else None
    group, _, own = name.rpartition(".")
    return [_limited(_quantity(own, unit), unit, curves, group, limit, which or "")]


def _quantity(name: str, unit: str) -> str:
    return f"{name} {'torque' if unit == 'N m' else 'force'}"


def _limited(label: str, unit: str, curves: tuple[Curve, ...], title: str, limit: Any, kind: str = "") -> Panel:
    """A panel with the limit drawn, or named where it is far away."""
    if limit is None:
        return Panel(label, unit, curves, title, ROUNDING)
    own = [curve.values for curve in curves if not kind or curve.label == kind]
    share = max(float(np.max(np.abs(values) / limit)) for values in own)
    if share > LIMIT_SHOWN:
        return Panel(label, unit, curves, title, ROUNDING, limit=limit)
    named = f"limit {float(np.min(limit)):.4g} {unit}"
    return Panel(label, unit, curves, ", ".join(filter(None, (title, named))), ROUNDING)


# ---------------------------------------------------------------- limits


def limit_of(result: Result, name: str, kind: str) -> np.ndarray | None:
    """Slip level of a brake, or limit of a servo, row by row; None without one."""
    part = actuator_of(result, name)
    if part is None or kind not in CHANGES:
        return None
    value = part.slip if kind == "brake" else part.si("force_limit") if part.servo is not None else None
    limit = np.full(len(result.time_s), np.inf if value is None else float(value))
    for time, new in _changes(result, name, kind):
        limit[result.time_s > time] = new
    limit[limit == 0.0] = np.inf
    return limit if np.any(np.isfinite(limit)) else None


def _scenario(result: Result) -> Any:
    """The scenario, None where it is lost or no longer valid: curves can be drawn without their limits."""
    try:
        return result.scenario
    except ResultError:
        return None


def actuator_of(result: Result, name: str) -> Any:
    """What the scenario says of "<v>.legs.<k>" or "<v>.couplings.<name>"."""
    vehicle, group, key = name.split(".")
    part = getattr(_scenario(result), "vehicles", {}).get(vehicle)
    mechanism = getattr(part, "mechanism", None)
    if mechanism is None:
        return None
    if group == "legs":
        return mechanism.symmetric.actuator if mechanism.symmetric else mechanism.legs[int(key) - 1].actuator
    return mechanism.couplings[key].actuator


def _changes(result: Result, name: str, kind: str) -> Iterator[tuple[float, float]]:
    """Times at which events have set the limit, and its new values."""
    devices = (name, name.rpartition(".")[0])
    for event in result.events:
        planned = result.scenario.events.get(event.name)
        commands = [one.set for one in planned.do if hasattr(one, "set")] if planned is not None else []
        for command in commands:
            part = command if kind == "brake" else command.servo
            new = next((v for key in CHANGES[kind] if (v := getattr(part, key, None)) is not None), None)
            if command.device in devices and new is not None:
                yield event.time_s, new


# ---------------------------------------------------------------- servos


def servo_panels(result: Result, vehicle: str) -> list[Panel]:
    """Coordinate and set-point of every servo; legs that follow the mean are measured from it, as their servos do."""
    panels = []
    for group in ("legs", "couplings"):
        for name in shafts(result, vehicle, group):
            found = _servo_curves(result, name, shafts(result, vehicle, group))
            if found is not None:
                label = f"leg {name.rpartition('.')[2]}" if group == "legs" else name.rpartition(".")[2]
                panels.append(Panel(label, found[0], found[1], "", ROUNDING))
    return panels


def _servo_curves(result: Result, name: str, legs: list[str]) -> tuple[str, tuple[Curve, ...]] | None:
    for unit, key in (("m", "travel_m"), ("deg", "angle_deg")):
        if f"{name}.command_{unit}" in result:
            own = result[f"{name}.{key}"]
            word = "stroke" if unit == "m" else "angle"
            if "mean of the legs" in result.channel(f"{name}.command_{unit}").description:
                own, word = own - np.mean([result[f"{leg}.{key}"] for leg in legs], axis=0), f"{word} less mean"
            word = "coordinate" if ".couplings." in name else word
            return unit, (Curve(word, own), Curve("set-point", result[f"{name}.command_{unit}"]))
    return None


# ---------------------------------------------------------------- energy


def absorbed(result: Result, vehicle: str) -> dict[str, dict[str, np.ndarray]]:
    """Energy taken from the system [J] by shaft ("leg 1", "axial") and kind of device, row by row."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for group in ("legs", "couplings"):
        for name in shafts(result, vehicle, group):
            works = {kind: -result[key] for kind in ABSORBERS if (key := f"{name}.{kind}_work_J") in result}
            label = name.rpartition(".")[2]
            if any(np.any(values) for values in works.values()):
                found[f"leg {label}" if group == "legs" else label] = works
    return found
