"""Curves of a run by channel names alone: motion of vehicles and ports, joints and their loads, momentum.

`*_panels` functions choose and compute; panels.draw draws. What rests, or carries nothing, is left out. Of many curves
few panels are made: a joint belongs to its vehicle, a beam's segment to its beam; of a group with very many members
only those that move (or carry) most are drawn, and the legend says so.

Attitude quaternions (w, x, y, z) become angles that people read. Yaw, pitch, roll are the intrinsic z-y'-x'' turns of
the scenario key yaw_pitch_roll_deg, yaw and roll within half a turn. At a pitch of 90 deg yaw and roll are not defined
apart; curves may jump there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from docksim.algebra.quat import quat_conj, quat_mul
from docksim.algebra.rotations import roll_pitch_yaw, rotation_matrix
from docksim.plots.panels import Curve, Panel, banded
from docksim.plots.style import MAX_CURVES
from docksim.result.result import Channel, Result

PAIR = "+"  # in the name of a pair of ports
CONTACT_ROWS = ".rows."  # forces between two features, too many to draw
ROUNDING = 1e-9  # smallest range of metres, degrees or newtons worth an axis
SMALL_TURN_DEG = 60.0
SMALL_WAY = 0.2  # of the distance from the origin: less would be a level line
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
    kinds = {"position_m": "position", "velocity_m_s": "velocity", "attitude": "", "rate_deg_s": "body rate"}
    there = {label: result.channels.get(f"{vehicle}.{quantity}") for quantity, label in kinds.items()}
    return _moving(
        _place_panel(channel)
        if label == "position"
        else _vector_panel(label, channel)
        if label
        else attitude_panel(channel)
        for label, channel in there.items()
        if channel is not None
    )


def _place_panel(channel: Channel) -> Panel:
    """Where a vehicle is; how it moves from its start, where it moves little for how far it is from the origin."""
    if np.ptp(channel.data, axis=0).max() > SMALL_WAY * np.abs(channel.data).max():
        return _vector_panel("position", channel)
    return _vector_panel("way from start", replace(channel, data=channel.data - channel.data[0]))


def port_panels(result: Result, pair: str) -> list[Panel]:
    kinds = {
        "position_m": "position",
        "velocity_m_s": "velocity",
        "misalignment_deg": "misalignment",
        "rate_deg_s": "rate",
    }
    there = {label: result.channels.get(f"{pair}.{quantity}") for quantity, label in kinds.items()}
    return _moving(_vector_panel(label, channel) for label, channel in there.items() if channel is not None)


def joint_panels(result: Result) -> list[Panel]:
    kinds = (("joint angle", "deg", (".angle_deg", ".rotation_deg")), ("joint travel", "m", (".travel_m", ".offset_m")))
    panels = []
    for label, unit, suffixes in kinds:
        moving = [curve for curve in members(result, *suffixes) if PAIR not in curve.label and not _drawn(curve.label)]
        panels += grouped(label, unit, moving)
    return panels


def _drawn(label: str) -> bool:
    """Whether a coordinate belongs to a docking mechanism, or is none but acts from outside."""
    name = label.split(" ")[0]
    if name.startswith(("external.", "loads.")) or name.endswith((".attitude_hold", MECHANISM[0])):
        return True
    return any(word in name for word in MECHANISM[1:])


def load_panels(result: Result) -> list[Panel]:
    kinds = (
        ("axis torque", "N m", (".torque_Nm", ".joint_torque_Nm")),
        ("axis force", "N", (".force_N", ".joint_force_N")),
        ("reaction force", "N", (".load_force_N",)),
        ("reaction moment", "N m", (".load_moment_Nm",)),
    )
    panels = []
    for label, unit, suffixes in kinds:
        carried = [curve for curve in members(result, *suffixes) if not curve.is_zero(ROUNDING)]
        # nothing holds a base but a port, and that is drawn itself
        joints = [curve for curve in carried if PAIR not in curve.label and "." in curve.label]
        joints = [curve for curve in joints if label.startswith("reaction") or not _drawn(curve.label)]
        panels += grouped(label, unit, joints)
        panels += grouped(f"port {label.split()[1]}", unit, [curve for curve in carried if PAIR in curve.label])
    return panels


def momentum_panels(result: Result) -> list[Panel]:
    names = {kind: f"momentum.{kind}_residual" for kind in ("linear", "angular")}
    there = {kind: result.channels[name] for kind, name in names.items() if name in result}
    return [_vector_panel(f"{kind} residual", channel, floor=0.0) for kind, channel in there.items()]


def _vector_panel(label: str, channel: Channel, floor: float = ROUNDING) -> Panel:
    """A channel with one curve per component, or a single one."""
    unit = channel.unit or "1"
    if channel.data.ndim == 1:
        return Panel(label, unit, (Curve("magnitude", channel.data),), "", floor)
    curves = tuple(Curve(name, channel.data[:, i]) for i, name in enumerate(channel.components))
    return Panel(label, unit, curves, axes_of(channel.frame), floor)


def axes_of(frame: str) -> str:
    """A channel's frame as the title of a legend."""
    return "world axes (W)" if frame == "W" else frame if not frame or "ax" in frame else f"{frame} axes"


def attitude_panel(channel: Channel) -> Panel:
    """The turn since the start where it is moderate, to show small motion in any attitude; else roll, pitch, yaw."""
    turn = turn_from_start_deg(channel.data)
    if np.max(np.linalg.norm(turn, axis=1)) < SMALL_TURN_DEG:
        curves = tuple(Curve(name, turn[:, i]) for i, name in enumerate("xyz"))
        return Panel("turn from start", "deg", curves, "initial body axes", ROUNDING)
    angles = roll_pitch_yaw_deg(channel.data)
    curves = tuple(Curve(name, angles[:, i]) for i, name in enumerate(("roll x''", "pitch y'", "yaw z")))
    return Panel("attitude", "deg", curves, channel.frame, ROUNDING, wraps=True)


def _moving(panels: Iterable[Panel]) -> list[Panel]:
    """Without those that have nothing but zeros, or rounding."""
    return [panel for panel in panels if any(np.any(np.abs(curve.values) > panel.floor) for curve in panel.curves)]


# ---------------------------------------------------------------- many curves


def members(result: Result, *suffixes: str) -> list[Curve]:
    """Curves of the channels with these endings; reactions as magnitudes, other vectors by component."""
    curves: list[Curve] = []
    for name, channel in result.channels.items():
        suffix, data = f".{name.rpartition('.')[2]}", channel.data
        if suffix not in suffixes or CONTACT_ROWS in name:
            continue
        owner = name.removesuffix(suffix)
        if data.ndim == 1 or suffix.startswith(".load_"):
            own = [Curve(owner, data if data.ndim == 1 else np.linalg.norm(data, axis=1))]
        else:
            own = [Curve(f"{owner} {component}", data[:, i]) for i, component in enumerate(channel.components)]
        curves += [banded(result, curve, name) for curve in own]
    return curves


def grouped(label: str, unit: str, curves: Sequence[Curve]) -> list[Panel]:
    """Panels of a few curves each: one vehicle's joints, or one beam's segments."""
    groups: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        owner, rest = _owner(curve.label)
        groups[owner].append(replace(curve, label=rest))
    panels = []
    for owner, own in groups.items():
        title = owner
        if len(own) > 2 * MAX_CURVES:
            title = f"{owner}, {MAX_CURVES} largest of {len(own)}"
            widest = sorted(own, key=_range, reverse=True)[:MAX_CURVES]
            own = [curve for curve in own if curve in widest]
        panels += [Panel(label, unit, tuple(some), title, ROUNDING, wraps=unit == "deg") for some in chunks(own)]
    return panels


def _owner(label: str) -> tuple[str, str]:
    """("chaser", "panel_1") of a joint, ("chaser.array", "3 bend_y") of a segment, ("a.p+b.q", "x") of a pair."""
    name, _, component = label.partition(" ")
    if PAIR in name:
        return name, component or "magnitude"
    words = name.split(".")
    if len(words) == 3 and words[1] == "couplings":
        return f"{words[0]}.couplings", words[2]
    cut = next((i for i, word in enumerate(words) if word.isdigit()), 1)
    return ".".join(words[:cut]), " ".join([*words[cut:], component]).strip() or name


def _range(curve: Curve) -> float:
    finite = curve.drawn()[np.isfinite(curve.drawn())]
    return float(np.ptp(finite)) if len(finite) else 0.0


def chunks(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Portions of at most MAX_CURVES that do not tear the components of a joint apart."""
    portions: list[list[Curve]] = []
    for _, block in groupby(curves, key=lambda curve: curve.label.split(" ")[0]):
        own = list(block)
        if portions and len(portions[-1]) + len(own) <= MAX_CURVES:
            portions[-1] += own
        else:
            portions.append(own)
    return [some[i : i + MAX_CURVES] for some in portions for i in range(0, len(some), MAX_CURVES)]


# ---------------------------------------------------------------- angles


def roll_pitch_yaw_deg(q: np.ndarray) -> np.ndarray:
    """Columns roll, pitch, yaw in deg of rows (w, x, y, z)."""
    return np.degrees(roll_pitch_yaw(rotation_matrix(q)))


def turn_from_start_deg(q: np.ndarray) -> np.ndarray:
    """Rotation vector from the first attitude on its body axes in deg, at most half a turn long."""
    columns: Any = q.T
    turn = np.array(quat_mul(quat_conj(q[0].tolist()), columns)).T
    turn = np.where(turn[:, :1] < 0, -turn, turn)
    sine = np.linalg.norm(turn[:, 1:], axis=1)
    angle = 2 * np.arctan2(sine, turn[:, 0])
    # the ratio tends to 2 for small angles
    ratio = np.divide(angle, sine, out=np.full_like(angle, 2.0), where=sine > 1e-12)
    return np.degrees(turn[:, 1:] * ratio[:, None])
