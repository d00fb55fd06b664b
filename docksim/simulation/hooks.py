"""How ports stood when hooks closed, or failed to, read from the solver's state."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from docksim.compiler import Compiled
from docksim.config.schema.hooks import Hooks
from docksim.config.schema.joining import Ports, active_and_passive, hooks_of, joinable
from docksim.config.schema.scenario import Scenario
from docksim.model import hooks as codes
from docksim.result.pairs import JoinedPorts, hook_plane
from docksim.simulation.joined import fault_of, pulls
from docksim.simulation.parting import holding_still


def joined_ports(compiled: Compiled) -> list[JoinedPorts]:
    """Every two ports that events join or wait for, as they stand."""
    rows = zip(joinable(compiled.scenario), compiled.model.hooks, compiled.state.hooks, strict=True)
    pairs = [_joined(compiled, ports, bool(row.given), own) for ports, row, own in rows]
    return [replace(one, pulls=pulls(compiled, one), fault=fault_of(compiled, one)) for one in pairs]


def _joined(compiled: Compiled, ports: Ports, checked: bool, own: Any) -> JoinedPorts:
    active, passive = active_and_passive(compiled.scenario, ports)
    weld = compiled.assembly.welds.get(frozenset(ports))
    return JoinedPorts(
        active,
        passive,
        checked,
        joined=weld is not None and bool((compiled.state.link["joint"][1:] == weld).any()),
        joined_s=float(own.joined) if own.joined >= 0.0 else None,
        refused=bool(own.beyond),
        held="" if weld is None else holding_still(compiled, weld),
        stand={
            "axial_m": float(own.stand[codes.AXIAL]),
            "lateral_m": float(own.stand[codes.LATERAL]),
            "tilt_deg": math.degrees(own.stand[codes.TILT]),
            "roll_deg": math.degrees(own.stand[codes.ROLL]),
            "speed_m_s": float(own.stand[codes.SPEED]),
            "rate_deg_s": math.degrees(own.stand[codes.TURN_RATE]),
        },
    )


def hook_figures(scenario: Scenario, ports: Sequence[JoinedPorts]) -> dict[str, float]:
    """Metrics of the hooks of every contact pair: when they closed, and how the ports stood."""
    return {f"{pair}.{name}": value for pair in scenario.contacts for name, value in _of_pair(scenario, pair, ports)}


def _of_pair(scenario: Scenario, pair: str, ports: Sequence[JoinedPorts]) -> Iterator[tuple[str, float]]:
    plane = hook_plane(scenario, pair, ports)
    if plane is not None:
        if plane.joined_s is not None:
            yield "hard_dock_s", plane.joined_s
        yield from ((f"hook_plane.{name}", value) for name, value in plane.stand.items())


def as_if_joined(ports: Sequence[JoinedPorts]) -> list[JoinedPorts]:
    """The same ports after a join, for the names of what there may be to tell."""
    return [replace(one, joined_s=0.0) for one in ports]


def misaligned_text(compiled: Compiled) -> str:
    """Which hooks could not close, and every figure against what they allow."""
    rows = zip(joinable(compiled.scenario), joined_ports(compiled), compiled.state.hooks, strict=True)
    ports, one, own = next((ports, one, own) for ports, one, own in rows if one.refused)
    hooks = hooks_of(compiled.scenario, ports)
    assert hooks is not None  # nothing else refuses
    figures = [(int(own.beyond) & bits != 0, text) for bits, text in _against(hooks, one)]
    return f"hooks of {one} cannot close: {_beyond_and_within(figures)}"


def stalled_text(compiled: Compiled) -> str:
    """How ports stand that were to be joined and are not, every figure against what their hooks allow."""
    told = []
    for ports, one in zip(joinable(compiled.scenario), joined_ports(compiled), strict=True):
        hooks = hooks_of(compiled.scenario, ports)
        if hooks is not None and not one.joined:
            beyond = _bits_beyond(hooks, one.stand)
            figures = [(beyond & bits != 0, text) for bits, text in _against(hooks, one)]
            told.append(f"{one} stand at {_beyond_and_within(figures)}")
    return "; ".join(told)


def _beyond_and_within(figures: Sequence[tuple[bool, str]]) -> str:
    wrong = ", ".join(text for beyond, text in figures if beyond)
    right = ", ".join(text for beyond, text in figures if not beyond)
    return "; within bounds: ".join(text for text in (wrong or "nothing beyond its bound", right) if text)


def _bits_beyond(hooks: Hooks, stand: Mapping[str, float]) -> int:
    """What keeps hooks from closing on ports that stand so, as `beyond_reach` of the kernel has it at a join."""
    bounds = {
        codes.TOO_FAR: stand["axial_m"] > hooks.reach_m,
        codes.TOO_DEEP: stand["axial_m"] < -hooks.overlap_m,
        codes.TOO_WIDE: stand["lateral_m"] > hooks.window_m,
        codes.TOO_TILTED: stand["tilt_deg"] > hooks.tilt_deg,
        codes.TOO_ROLLED: abs(stand["roll_deg"]) > hooks.roll_deg,
        codes.TOO_FAST: stand["speed_m_s"] > hooks.rate_m_s,
    }
    return sum(bit for bit, beyond in bounds.items() if beyond)


def _against(hooks: Hooks, ports: JoinedPorts) -> list[tuple[int, str]]:
    """Figures and bounds in words, each with the bits that find it out of bounds."""
    axial, lateral, tilt, roll, speed, _ = (f"{value:.4g}" for value in ports.stand.values())
    return [
        (codes.TOO_FAR | codes.TOO_DEEP, f"axial {axial} m ({-hooks.overlap_m:g} to {hooks.reach_m:g})"),
        (codes.TOO_WIDE, f"lateral {lateral} m (at most {hooks.window_m:g})"),
        (codes.TOO_TILTED, f"tilt {tilt} deg (at most {hooks.tilt_deg:g})"),
        (codes.TOO_ROLLED, f"roll {roll} deg (at most {hooks.roll_deg:g} either way)"),
        (codes.TOO_FAST, f"speed {speed} m/s (at most {hooks.rate_m_s:g})"),
    ]
