"""Devices of the docking mechanism and of joints in a run: forces with their limits, set-points, energy absorbed.

Built from the channels "<v>.legs.<k>.*", "<v>.couplings.<name>.*" and "<v>.<joint>.motor_*". Limits come from the
scenario: where a brake slips, and what a servo may exert, as events have changed them. A limit that no force comes near
is only named. Energy absorbed is a bar for every leg, coupling and joint, its sections by kind of device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from docksim.config.schema import names
from docksim.config.schema.scenario import Scenario
from docksim.plots import style
from docksim.plots.curves import LIMIT_SHOWN
from docksim.plots.events import fit, text_width_in
from docksim.plots.page import page
from docksim.plots.panels import Curve, Panel
from docksim.result.result import Result, ResultError

KINDS = ("spring", "damper", "brake", "stop", "motor")
ABSORBERS = KINDS[1:]
ROUNDING = 1e-9
FORCE = ("force_N", "torque_Nm")
GROUPS = ("legs", "couplings")
# keys of the action `set` that change a limit
CHANGES = {"brake": ("friction_N", "friction_Nm"), "motor": ("force_limit_N", "torque_limit_Nm")}
BAR_IN, TOP_IN, BOTTOM_IN, RIGHT_IN = 0.26, 0.62, 0.5, 0.7
LOOKS: dict[str, dict[str, Any]] = {
    "damper": {"facecolor": "#0072b2"},
    "brake": {"facecolor": "#d55e00", "hatch": "////"},
    "stop": {"facecolor": "#333333"},
    "motor": {"facecolor": "#009e73", "hatch": "\\\\\\\\"},
}


def devices(result: Result, vehicle: str, group: str) -> list[str]:
    """Full names of a vehicle's legs or couplings that have channels."""
    prefix = f"{vehicle}.{group}."
    names = [name[len(prefix) :].split(".")[0] for name in result if name.startswith(prefix)]
    return [prefix + name for name in dict.fromkeys(names)]


def drives(result: Result, vehicle: str) -> list[str]:
    """Full names of a vehicle's joints that have devices of their own."""
    owners = []
    for key in result:
        owner, _, last = key.rpartition(".")
        kind = last.split("_")[0]
        if kind in KINDS and last.removeprefix(f"{kind}_") in FORCE and owner.startswith(f"{vehicle}."):
            owners.append(owner)
    return [name for name in dict.fromkeys(owners) if not any(f".{group}." in name for group in GROUPS)]


def with_devices(result: Result) -> list[str]:
    """Vehicles whose legs have devices."""
    return list(dict.fromkeys(name.split(".")[0] for name in result if ".legs." in name or ".couplings." in name))


def with_drives(result: Result) -> list[str]:
    """Vehicles whose legs or joints have devices."""
    vehicles = dict.fromkeys(key.split(".")[0] for key in result)
    legs = with_devices(result)
    return [name for name in vehicles if name in legs or drives(result, name)]


# ---------------------------------------------------------------- forces


def device_panels(result: Result, vehicle: str) -> list[Panel]:
    """Legs: one panel a kind of device; joints as well. Couplings: one panel each."""
    panels = []
    for group, members in ((f"{vehicle}.legs", devices(result, vehicle, "legs")), (vehicle, drives(result, vehicle))):
        panels += [panel for kind in KINDS for panel in _kind_panels(result, group, members, kind)]
    for name in devices(result, vehicle, "couplings"):
        panels += _coupling_panel(result, name)
    return panels


def motor_panels(result: Result, vehicle: str, members: list[str]) -> list[Panel]:
    """Torques and forces of the motors on joints, with their limits."""
    return list(_kind_panels(result, vehicle, members, "motor"))


def _force(result: Result, name: str, kind: str) -> tuple[np.ndarray, str] | None:
    """Values and unit of a device's force."""
    key = next((key for suffix in FORCE if (key := f"{name}.{kind}_{suffix}") in result), None)
    return (result[key], result.channel(key).unit) if key is not None else None


def _kind_panels(result: Result, group: str, members: list[str], kind: str) -> Iterator[Panel]:
    """Strokes and cranks apart."""
    forces = [(name, _force(result, name, kind)) for name in members]
    for unit in ("N", "N m"):
        acting = [(name, force[0]) for name, force in forces if force is not None and force[1] == unit]
        if not any(np.any(np.abs(values) > ROUNDING) for _, values in acting):
            continue
        curves = tuple(Curve(name.removeprefix(f"{group}."), values) for name, values in acting)
        bounds = [limit for name, _ in acting if (limit := limit_of(result, name, kind)) is not None]
        limit = bounds[0] if len(bounds) == len(acting) and all(np.array_equal(bounds[0], b) for b in bounds) else None
        yield _limited(_quantity(kind, unit), unit, curves, group, limit)


def _coupling_panel(result: Result, name: str) -> list[Panel]:
    forces = {kind: force for kind in KINDS if (force := _force(result, name, kind)) is not None}
    curves = tuple(Curve(kind, values) for kind, (values, _) in forces.items() if np.any(np.abs(values) > ROUNDING))
    if not curves:
        return []
    unit = next(iter(forces.values()))[1]
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
    device = device_of(result, name)
    if device is None or kind not in CHANGES:
        return None
    value = device.slip if kind == "brake" else device.si("force_limit") if device.servo is not None else None
    limit = np.full(len(result.time_s), np.inf if value is None else float(value))
    for time, new in _changes(result, name, kind):
        limit[result.time_s > time] = new
    limit[limit == 0.0] = np.inf
    return limit if np.any(np.isfinite(limit)) else None


def device_of(result: Result, name: str) -> Any:
    """What the scenario says of a leg, coupling or joint; None where it is lost or no longer valid: curves can be drawn
    without their limits."""
    try:
        scenario = result.scenario
    except ResultError:
        return None
    facts = names.devices(scenario).get(name) if isinstance(scenario, Scenario) else None
    return facts.actuators[0] if facts is not None and facts.actuators else None


def _changes(result: Result, name: str, kind: str) -> Iterator[tuple[float, float]]:
    """Times at which events have set the limit, and its new values."""
    devices = (name, name.rpartition(".")[0])
    for event in result.events:
        planned = result.scenario.events.get(event.name)
        commands = [one.set for one in planned.do if hasattr(one, "set")] if planned is not None else []
        for command in commands:
            changed = command if kind == "brake" else command.servo
            new = next((v for key in CHANGES[kind] if (v := getattr(changed, key, None)) is not None), None)
            if command.device in devices and new is not None:
                yield event.time_s, new


# ---------------------------------------------------------------- servos


def servo_panels(result: Result, vehicle: str) -> list[Panel]:
    """Coordinate and set-point of every servo; legs that follow the mean are measured from it, as their servos do."""
    panels = []
    for group in ("legs", "couplings"):
        for name in devices(result, vehicle, group):
            label = f"leg {name.rpartition('.')[2]}" if group == "legs" else name.rpartition(".")[2]
            curves = _servo_curves(result, name, devices(result, vehicle, group))
            panels += [Panel(label, *curves, "", ROUNDING)] if curves is not None else []
    for name in drives(result, vehicle):
        curves = _servo_curves(result, name, [])
        panels += [Panel(name.removeprefix(f"{vehicle}."), *curves, "", ROUNDING)] if curves is not None else []
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
    """Energy taken from the system [J] by leg, coupling or joint ("leg 1", "axial", "elbow") and kind, row by row."""
    works_of: dict[str, dict[str, np.ndarray]] = {}
    for group in ("legs", "couplings"):
        for name in devices(result, vehicle, group):
            label = name.rpartition(".")[2]
            works_of[f"leg {label}" if group == "legs" else label] = _works(result, name)
    works_of |= {name.removeprefix(f"{vehicle}."): _works(result, name) for name in drives(result, vehicle)}
    return {name: works for name, works in works_of.items() if any(np.any(values) for values in works.values())}


def _works(result: Result, name: str) -> dict[str, np.ndarray]:
    return {kind: -result[key] for kind in ABSORBERS if (key := f"{name}.{kind}_work_J") in result}


def absorbed_figure(title: str, works_of: Mapping[str, Mapping[str, np.ndarray]]) -> Figure:
    """Energy taken from the system over the whole run; what a motor has given points to the left."""
    names = list(works_of)
    left = min(max(text_width_in(name) for name in names) + 0.35, 2.2)
    height = TOP_IN + BOTTOM_IN + BAR_IN * len(names)
    with page(title, height) as figure:
        width = style.WIDTH_IN - left - RIGHT_IN
        place = (left / style.WIDTH_IN, BOTTOM_IN / height, width / style.WIDTH_IN, BAR_IN * len(names) / height)
        axes = figure.add_axes(place)
        for row, works in enumerate(works_of.values()):
            _bar(axes, row, works)
        axes.set_yticks(range(len(names)), [fit(name, 2.0) for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        axes.axvline(0.0, color="#444444", linewidth=0.6)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 2.5, 5, 10]))
        axes.margins(x=0.03)
        axes.set_xlabel("energy absorbed [J]; negative: given")
        handles = {label: bar for bar, label in zip(*axes.get_legend_handles_labels(), strict=True)}
        figure.legend(
            handles.values(), handles.keys(), loc="upper left", ncols=len(handles), handlelength=1.6,
            bbox_to_anchor=(left / style.WIDTH_IN - 0.01, 1 - 0.3 / height),
        )  # fmt: skip
    return figure


def _bar(axes: Any, row: int, works: Mapping[str, np.ndarray]) -> None:
    """Energies end to end, gains to the right and losses to the left of zero, and their sum beside them."""
    ends = {True: 0.0, False: 0.0}
    total = 0.0
    for kind, values in works.items():
        # the last number of a run, also of one that diverged
        finite = values[np.isfinite(values)]
        energy = float(finite[-1]) if len(finite) else 0.0
        total += energy
        if energy != 0.0:
            axes.barh(
                row, energy, left=ends[energy > 0], height=0.62, label=kind, edgecolor="white", linewidth=0.4,
                **LOOKS[kind],
            )  # fmt: skip
            ends[energy > 0] += energy
    axes.annotate(
        f"{total:.3g} J", (ends[True], row), xytext=(4, 0), textcoords="offset points", va="center",
        fontsize=style.SMALL_PT, annotation_clip=False,
    )  # fmt: skip
