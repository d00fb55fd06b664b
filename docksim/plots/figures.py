"""The standard figures of a run, built from channel names alone.

Each builder returns figures by file name ("motion_chaser", "joints", "joints_2"), and none if the run has nothing to
show. `*_panels` functions choose and compute; panels.draw draws. A joint belongs to its vehicle, a beam's segment to
its beam; of a group with very many members only those that move (or carry) most are drawn, and the legend says so.
A pair of ports ("chaser.nose+station.aft") has a figure for its relative motion; it carries loads while it is joined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby

import numpy as np
from matplotlib.figure import Figure

from docksim.plots.absorbed import absorbed_figure
from docksim.plots.attitude import roll_pitch_yaw_deg, turn_from_start_deg
from docksim.plots.contact import capture_rows, contact_pairs, contact_panels
from docksim.plots.devices import absorbed, device_panels, servo_panels, with_devices
from docksim.plots.panels import Curve, Panel, draw
from docksim.plots.style import MAX_CURVES
from docksim.result import Channel, Result

Figures = dict[str, Figure]

MAX_PANELS = 6  # per page
SMALL_TURN_DEG = 60.0
PAIR = "+"  # in the name of a pair of ports
CONTACT_ROWS = ".rows."  # forces between two features, too many to draw
ROUNDING = 1e-9  # smallest range of metres, degrees or newtons worth an axis


def all_figures(result: Result) -> Figures:
    """Every figure that has something to show, by file name."""
    figures: Figures = {}
    for vehicle in vehicles(result):
        figures |= motion(result, vehicle)
    for pair in port_pairs(result):
        figures |= port_motion(result, pair)
    for build in (joints, loads):
        figures |= build(result)
    for pair in contact_pairs(result):
        figures |= contact(result, pair)
    for vehicle in with_devices(result):
        figures |= devices(result, vehicle)
    for build in (energy, momentum):
        figures |= build(result)
    return figures


def motion(result: Result, vehicle: str) -> Figures:
    """Position, velocity, attitude and body rates of a vehicle's base."""
    return _pages(result, f"motion_{vehicle}", f"motion of {vehicle}", partial(motion_panels, vehicle=vehicle))


def port_motion(result: Result, pair: str) -> Figures:
    """How the second port of a pair ("chaser.nose+station.aft", or a contact's name) moves as seen from the first."""
    first, _, second = pair.partition(PAIR)
    title = f"{second} as seen from {first}" if second else f"second port of {pair} as seen from the first"
    return _pages(result, f"ports_{pair.replace(PAIR, '-')}", title, partial(port_panels, pair=pair))


def joints(result: Result) -> Figures:
    """All joint coordinates, angles and travels apart."""
    return _pages(result, "joints", "joint coordinates", joint_panels)


def loads(result: Result) -> Figures:
    """What joints carry: along their free axes, and as reactions at the hinge."""
    return _pages(result, "loads", "joint loads", load_panels)


def devices(result: Result, vehicle: str) -> Figures:
    """Devices of a docking mechanism: forces with their limits, set-points, and the energy that each absorbed."""
    name = f"_{vehicle}"
    figures = _pages(result, f"devices{name}", f"devices of {vehicle}", partial(device_panels, vehicle=vehicle))
    figures |= _pages(result, f"servos{name}", f"servos of {vehicle}", partial(servo_panels, vehicle=vehicle))
    parts = absorbed(result, vehicle)
    if figures and parts:
        figures[f"absorbed{name}"] = absorbed_figure(f"{result.scenario_name}: absorbed by {vehicle}", parts)
    return figures


def contact(result: Result, pair: str) -> Figures:
    """Contact of a pair of interfaces over the whole run, and from first contact to capture."""
    figures = _pages(result, f"contact_{pair}", f"contact of {pair}", partial(contact_panels, pair=pair))
    rows = capture_rows(result, pair) if figures else None
    if rows is not None:
        title = f"contact of {pair}, " + ("until capture" if result[f"{pair}.capture_s"][-1] >= 0 else "while touching")
        figures |= _pages(result, f"capture_{pair}", title, partial(contact_panels, pair=pair), rows)
    return figures


def energy(result: Result) -> Figures:
    """Energies, works, and what the balance leaves over."""
    return _pages(result, "energy", "energy", energy_panels)


def momentum(result: Result) -> Figures:
    """What the momentum balance leaves over."""
    return _pages(result, "momentum", "momentum balance", momentum_panels)


# ---------------------------------------------------------------- what to draw


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
        moving = [curve for curve in _members(result, *suffixes) if PAIR not in curve.label]
        panels += _grouped(label, unit, moving)
    return panels


def load_panels(result: Result) -> list[Panel]:
    kinds = (
        ("axis torque", "N m", (".torque_Nm", ".joint_torque_Nm")),
        ("axis force", "N", (".force_N", ".joint_force_N")),
        ("reaction force", "N", (".load_force_N",)),
        ("reaction moment", "N m", (".load_moment_Nm",)),
    )
    panels = []
    for label, unit, suffixes in kinds:
        carried = [curve for curve in _members(result, *suffixes) if np.any(np.abs(curve.values) > ROUNDING)]
        # nothing holds a base but a port, and that is drawn itself
        joints = [curve for curve in carried if PAIR not in curve.label and "." in curve.label]
        panels += _grouped(label, unit, joints)
        panels += _grouped(f"port {label.split()[1]}", unit, [curve for curve in carried if PAIR in curve.label])
    return panels


def energy_panels(result: Result) -> list[Panel]:
    stored = [("kinetic", "energy.kinetic_J"), ("potential", "energy.potential_J")]
    curves = tuple(Curve(label, result[name]) for label, name in stored if name in result)
    prefix, suffix = "energy.work.", "_J"
    works = [name for name in result if name.startswith(prefix) and np.any(result[name])]
    done = [Curve(name.removeprefix(prefix).removesuffix(suffix).replace("_", " "), result[name]) for name in works]
    panels = [Panel("energy", "J", curves, "stored", ROUNDING)] if curves else []
    panels += [Panel("work", "J", tuple(part), "work by", ROUNDING) for part in _chunks(done)]
    if "energy.residual_J" in result:
        panels.append(Panel("residual", "J", (Curve("energy balance", result["energy.residual_J"]),)))
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


# ---------------------------------------------------------------- many curves, few panels


def _members(result: Result, *suffixes: str) -> list[Curve]:
    """Curves of the channels with these endings; reactions as magnitudes, other vectors by component."""
    curves: list[Curve] = []
    for name, channel in result.channels.items():
        suffix = f".{name.rpartition('.')[2]}"
        if suffix in suffixes and CONTACT_ROWS not in name:
            curves += _curves(name.removesuffix(suffix), channel, as_magnitude=suffix.startswith(".load_"))
    return curves


def _curves(owner: str, channel: Channel, as_magnitude: bool) -> Iterator[Curve]:
    if channel.data.ndim == 1:
        yield Curve(owner, channel.data)
    elif as_magnitude:
        yield Curve(owner, np.linalg.norm(channel.data, axis=1))
    else:
        for i, component in enumerate(channel.components):
            yield Curve(f"{owner} {component}", channel.data[:, i])


def _grouped(label: str, unit: str, curves: Sequence[Curve]) -> list[Panel]:
    """Panels of a few curves each: one vehicle's joints, or one beam's segments."""
    groups: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        owner, rest = _owner(curve.label)
        groups[owner].append(Curve(rest, curve.values))
    panels = []
    for owner, members in groups.items():
        title = owner
        if len(members) > 2 * MAX_CURVES:
            title = f"{owner}, {MAX_CURVES} largest of {len(members)}"
            members = _largest(members)
        panels += [Panel(label, unit, tuple(part), title, ROUNDING, wraps=unit == "deg") for part in _chunks(members)]
    return panels


def _owner(label: str) -> tuple[str, str]:
    """("chaser", "panel_1") of a joint, ("chaser.array", "3 bend_y") of a segment, ("a.p+b.q", "x") of a pair."""
    name, _, component = label.partition(" ")
    if PAIR in name:
        return name, component or "magnitude"
    parts = name.split(".")
    if len(parts) == 3 and parts[1] == "couplings":
        return f"{parts[0]}.couplings", parts[2]
    numbers = [i for i, part in enumerate(parts) if part.isdigit()]
    cut = numbers[0] if numbers else 1
    return ".".join(parts[:cut]), " ".join([*parts[cut:], component]).strip() or name


def _largest(curves: Sequence[Curve]) -> list[Curve]:
    """The curves with the widest range, in their given order."""
    by_range = sorted(range(len(curves)), key=lambda i: -_range(curves[i].values))
    return [curves[i] for i in sorted(by_range[:MAX_CURVES])]


def _range(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def _chunks(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Portions of at most MAX_CURVES that do not tear the components of a joint apart."""
    chunks: list[list[Curve]] = []
    for _, block in groupby(curves, key=lambda curve: curve.label.split(" ")[0]):
        members = list(block)
        if chunks and len(chunks[-1]) + len(members) <= MAX_CURVES:
            chunks[-1] += members
        else:
            chunks.append(members)
    return [chunk[i : i + MAX_CURVES] for chunk in chunks for i in range(0, len(chunk), MAX_CURVES)]


def _pages(
    result: Result,
    stem: str,
    title: str,
    choose: Callable[[Result], Sequence[Panel]],
    rows: slice = slice(None),
) -> Figures:
    """Figures of at most MAX_PANELS panels over all rows, or some; nothing for a run too short to have a curve."""
    figures: Figures = {}
    if len(result.time_s) < 2 or not result.simulated_s > 0:
        return figures
    panels = [panel.part(rows) for panel in choose(result)]
    for page, first in enumerate(range(0, len(panels), MAX_PANELS), start=1):
        name = stem if page == 1 else f"{stem}_{page}"
        heading = f"{result.scenario_name}: {title}" + (f" ({page})" if page > 1 else "")
        figures[name] = draw(heading, result.time_s[rows], panels[first : first + MAX_PANELS], result.events)
    return figures
