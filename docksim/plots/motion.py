"""Curves of a run by channel names alone: motion of vehicles and ports, joints and their loads, momentum.

`*_panels` functions choose and compute; panels.draw draws. What rests, or carries nothing, is left out.
"""

from __future__ import annotations

import numpy as np

from docksim.plots.attitude import roll_pitch_yaw_deg, turn_from_start_deg
from docksim.plots.bands import is_zero
from docksim.plots.groups import PAIR, ROUNDING, grouped, members
from docksim.plots.panels import Curve, Panel
from docksim.result.result import Channel, Result

SMALL_TURN_DEG = 60.0
# joints of a docking mechanism have figures of their own
MECHANISM = (".ring", ".legs.", ".couplings.")


def vehicles(result: Result) -> list[str]:
    """Names of vehicles, in the order of their channels."""
    suffix = ".attitude"
    return [name.removesuffix(suffix) for name in result if name.endswith(suffix) and name.count(".") == 1]


def port_pairs(result: Result) -> list[str]:
    """Names of pairs of ports whose relative motion was logged."""
    suffix = ".misalignment_deg"
    return [name.removesuffix(suffix) for name in result if name.endswith(suffix)]


def motion_panels(result: Result, vehicle: str) -> list[Panel]:
    panels = []
    if position := result.channels.get(f"{vehicle}.position_m"):
        panels.append(_vector_panel("position", position))
    if velocity := result.channels.get(f"{vehicle}.velocity_m_s"):
        panels.append(_vector_panel("velocity", velocity))
    if attitude := result.channels.get(f"{vehicle}.attitude"):
        panels.append(_attitude_panel(attitude))
    if rate := result.channels.get(f"{vehicle}.rate_deg_s"):
        panels.append(_vector_panel("body rate", rate))
    return [panel for panel in panels if not _rests(panel)]


def port_panels(result: Result, pair: str) -> list[Panel]:
    kinds = {
        "position_m": "position",
        "velocity_m_s": "velocity",
        "misalignment_deg": "misalignment",
        "rate_deg_s": "rate",
    }
    found = {label: result.channels.get(f"{pair}.{quantity}") for quantity, label in kinds.items()}
    panels = [_vector_panel(label, channel) for label, channel in found.items() if channel is not None]
    return [panel for panel in panels if not _rests(panel)]


def joint_panels(result: Result) -> list[Panel]:
    kinds = (("joint angle", "deg", (".angle_deg", ".rotation_deg")), ("joint travel", "m", (".travel_m", ".offset_m")))
    panels = []
    for label, unit, suffixes in kinds:
        moving = [curve for curve in members(result, *suffixes) if PAIR not in curve.label and not _drawn(curve.label)]
        panels += grouped(label, unit, moving)
    return panels


def _drawn(label: str) -> bool:
    """Whether a coordinate belongs to a docking mechanism."""
    name = label.split(" ")[0]
    return name.endswith(MECHANISM[0]) or any(part in name for part in MECHANISM[1:])


def load_panels(result: Result) -> list[Panel]:
    kinds = (
        ("axis torque", "N m", (".torque_Nm", ".joint_torque_Nm")),
        ("axis force", "N", (".force_N", ".joint_force_N")),
        ("reaction force", "N", (".load_force_N",)),
        ("reaction moment", "N m", (".load_moment_Nm",)),
    )
    panels = []
    for label, unit, suffixes in kinds:
        carried = [curve for curve in members(result, *suffixes) if not is_zero(curve, ROUNDING)]
        # nothing holds a base but a port, and that is drawn itself
        joints = [curve for curve in carried if PAIR not in curve.label and "." in curve.label]
        joints = [curve for curve in joints if label.startswith("reaction") or not _drawn(curve.label)]
        panels += grouped(label, unit, joints)
        panels += grouped(f"port {label.split()[1]}", unit, [curve for curve in carried if PAIR in curve.label])
    return panels


def momentum_panels(result: Result) -> list[Panel]:
    names = {kind: f"momentum.{kind}_residual" for kind in ("linear", "angular")}
    found = {kind: result.channels[name] for kind, name in names.items() if name in result}
    return [_vector_panel(f"{kind} residual", channel, floor=0.0) for kind, channel in found.items()]


def _vector_panel(label: str, channel: Channel, floor: float = ROUNDING) -> Panel:
    """A channel with one curve per component, or a single one."""
    unit = channel.unit or "1"
    if channel.data.ndim == 1:
        return Panel(label, unit, (Curve("magnitude", channel.data),), "", floor)
    curves = tuple(Curve(name, channel.data[:, i]) for i, name in enumerate(channel.components))
    return Panel(label, unit, curves, _axes_title(channel.frame), floor)


def _attitude_panel(channel: Channel) -> Panel:
    """The turn since the start where it is moderate, to show small motion in any attitude; else roll, pitch, yaw."""
    turn = turn_from_start_deg(channel.data)
    if np.max(np.linalg.norm(turn, axis=1)) < SMALL_TURN_DEG:
        curves = tuple(Curve(name, turn[:, i]) for i, name in enumerate("xyz"))
        return Panel("turn from start", "deg", curves, "initial body axes", ROUNDING)
    angles = roll_pitch_yaw_deg(channel.data)
    curves = tuple(Curve(name, angles[:, i]) for i, name in enumerate(("roll x''", "pitch y'", "yaw z")))
    return Panel("attitude", "deg", curves, channel.frame, ROUNDING, wraps=True)


def _rests(panel: Panel) -> bool:
    """Nothing but zeros, or rounding."""
    return all(bool(np.all(np.abs(curve.values) <= panel.floor)) for curve in panel.curves)


def _axes_title(frame: str) -> str:
    return frame if not frame or "ax" in frame else f"{frame} axes"
