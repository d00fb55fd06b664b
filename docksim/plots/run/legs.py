"""Ring and legs of a docking mechanism in a run: pose of the ring on its base; strokes with stops, rates, forces.

Built from the channels "<v>.ring.*" of the ring's joint and "<v>.legs.<k>.*". Stops come from the scenario; where it is
lost, curves are drawn without them. Forces of single devices, with their limits, are drawn by devices.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from docksim.plots.panels import Curve, Panel, banded
from docksim.plots.run.devices import device_of, devices
from docksim.result.result import Result

ROUNDING = 1e-9


def with_ring(result: Result) -> list[str]:
    """Vehicles with a docking ring."""
    suffix = ".ring.offset_m"
    return [name.removesuffix(suffix) for name in result if name.endswith(suffix) and name.count(".") == 2]


def ring_panels(result: Result, vehicle: str) -> list[Panel]:
    """Where the ring is and how it turns, on the axes of the mechanism's base: the way along x apart from the rest."""
    kinds = (
        ("offset_m", "ring, axial", (0,)),
        ("offset_m", "ring, lateral", (1, 2)),
        ("rotation_deg", "ring rotation", (0, 1, 2)),
        ("offset_rate_m_s", "ring velocity", (0, 1, 2)),
        ("joint_rate_deg_s", "ring rate", (0, 1, 2)),
    )
    panels = []
    for key, label, columns in kinds:
        if channel := result.channels.get(f"{vehicle}.ring.{key}"):
            curves = tuple(Curve(channel.components[i], channel.data[:, i], look=i) for i in columns)
            wraps = channel.unit == "deg"
            panels.append(Panel(label, channel.unit, curves, "mechanism base axes", ROUNDING, wraps=wraps))
    return panels


# ---------------------------------------------------------------- legs


def leg_panels(result: Result, vehicle: str) -> list[Panel]:
    """Coordinate, rate and force of all legs; strokes and cranks apart."""
    legs = devices(result, vehicle, "legs")
    kinds = (
        ("leg stroke", "travel_m"),
        ("leg crank", "angle_deg"),
        ("stroke rate", "travel_rate_m_s"),
        ("crank rate", "angle_rate_deg_s"),
        ("leg force", "force_N"),
        ("leg torque", "torque_Nm"),
    )
    return [panel for label, key in kinds for panel in _panel(result, vehicle, legs, label, key)]


def _panel(result: Result, vehicle: str, legs: list[str], label: str, key: str) -> Iterator[Panel]:
    members = [name for name in legs if f"{name}.{key}" in result]
    if not members:
        return
    unit = result.channel(f"{members[0]}.{key}").unit
    lines = [(f"{name}.{key}", Curve(name.rpartition(".")[2], result[f"{name}.{key}"])) for name in members]
    curves = tuple(banded(result, curve, channel) for channel, curve in lines)
    if all(curve.is_zero(ROUNDING) for curve in curves):
        return
    bounds = _stops(result, members) if key in ("travel_m", "angle_deg") else ()
    title = f"{vehicle}.legs" + (", all devices" if key in ("force_N", "torque_Nm") else "")
    yield Panel(label, unit, curves, title, ROUNDING, bounds=bounds)


def _stops(result: Result, legs: list[str]) -> tuple[tuple[float, str], ...]:
    """End stops that all legs share, in the unit of the channel."""
    own = [device_of(result, name) for name in legs]
    shared = []
    for stem in ("lower", "upper"):
        values = {getattr(device, device.key(stem), None) if device is not None else None for device in own}
        if len(values) == 1 and (value := values.pop()) is not None:
            shared.append((float(value), "stop"))
    return tuple(shared)
