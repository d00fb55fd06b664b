"""Control of a vehicle: torque and error of its attitude hold, thrusters, given loads and wrenches from outside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from docksim.plots.panels import NUMBER, Curve, Panel, split
from docksim.plots.run.motion import ROUNDING, axes_of
from docksim.result.result import Channel, Result

HOLD, IMPULSE = ".attitude_hold", ".impulse_Ns"
WORDS = {"external": "wrench", "loads": "load"}
WRENCHES = tuple(f"{kind}." for kind in WORDS)
UP = 0.7  # of the way to the next line


def controlled(result: Result) -> list[str]:
    """Vehicles that something drives from outside of their joints."""
    owners = {_owner(name) for name in result if name.startswith(WRENCHES) or name.endswith((f"{HOLD}.mode", IMPULSE))}
    return [name for name in dict.fromkeys(key.split(".")[0] for key in result) if name in owners]


def control_panels(result: Result, vehicle: str) -> list[Panel]:
    """What holds the attitude, then what pushes."""
    panels = [*_hold(result, vehicle), *_thrusters(result, vehicle)]
    for name in (key for key in result if key.startswith(WRENCHES) and _owner(key) == vehicle):
        channel, (kind, _, where) = result.channel(name), name.rpartition(".")[0].partition(".")
        label = f"{WORDS[kind]}, {'force' if channel.unit == 'N' else 'torque'}"
        panels.append(_vector(label, channel, f"{where}, {axes_of(channel.frame)}"))
    return [panel for panel in panels if not all(curve.is_zero(panel.floor) for curve in panel.curves)]


def _owner(name: str) -> str:
    """The vehicle of a channel, with or without the kind of a wrench before it."""
    first, second, *_ = name.split(".")
    return second if first in WORDS else first


def _hold(result: Result, vehicle: str) -> Iterator[Panel]:
    hold = f"{vehicle}{HOLD}"
    if f"{hold}.mode" not in result:
        return
    given = result.scenario.vehicles[vehicle].attitude_hold if result.scenario is not None else None
    limits = set(given.torque_limit_Nm) if given is not None else set()
    torque = _vector("control torque", result.channel(f"{hold}.torque_Nm"), "body axes")
    yield replace(torque, limit=np.full(len(result.time_s), limits.pop()) if len(limits) == 1 else None)
    band = given.dead_band_deg if given is not None else 0.0
    error = _vector("attitude error", result.channel(f"{hold}.error_deg"), "body axes")
    yield replace(error, bounds=((band, "dead band"), (-band, "dead band")) if band else ())


def _thrusters(result: Result, vehicle: str) -> Iterator[Panel]:
    """Whether each fires, on a line of its own, and what it has given; impulse tells a pulse between two rows."""
    names = [name for name in result if name.startswith(f"{vehicle}.") and name.endswith(IMPULSE)]
    firing, given = [], []
    for number, name in enumerate(names, start=1):
        label, impulse = name.removeprefix(f"{vehicle}.").removesuffix(IMPULSE), result[name]
        on = (result[name.removesuffix(IMPULSE) + ".on"] != 0) | (np.diff(impulse, prepend=impulse[0]) > 0.0)
        firing.append(Curve(f"{number} {label}", number + UP * on))
        given.append(Curve(label, impulse))
    if any(not curve.is_zero() for curve in given):
        yield from split("thruster", NUMBER, firing, "up while it fires", 0.0)
        yield from split("impulse", "N s", given, "thruster, so far", ROUNDING)


def _vector(label: str, channel: Channel, title: str) -> Panel:
    curves = tuple(Curve(name, channel.data[:, i]) for i, name in enumerate(channel.components))
    return Panel(label, channel.unit, curves, title, ROUNDING)
