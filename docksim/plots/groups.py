"""Many curves, few panels: a joint belongs to its vehicle, a beam's segment to its beam.

Of a group with very many members only those that move (or carry) most are drawn, and the legend says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from docksim.plots.bands import banded
from docksim.plots.panels import Curve, Panel
from docksim.plots.style import MAX_CURVES
from docksim.result.result import Channel, Result

PAIR = "+"  # in the name of a pair of ports
CONTACT_ROWS = ".rows."  # forces between two features, too many to draw
ROUNDING = 1e-9  # smallest range of metres, degrees or newtons worth an axis


def members(result: Result, *suffixes: str) -> list[Curve]:
    """Curves of the channels with these endings; reactions as magnitudes, other vectors by component."""
    curves: list[Curve] = []
    for name, channel in result.channels.items():
        suffix = f".{name.rpartition('.')[2]}"
        if suffix in suffixes and CONTACT_ROWS not in name:
            own = _curves(name.removesuffix(suffix), channel, as_magnitude=suffix.startswith(".load_"))
            curves += [banded(result, curve, name) for curve in own]
    return curves


def _curves(owner: str, channel: Channel, as_magnitude: bool) -> Iterator[Curve]:
    if channel.data.ndim == 1:
        yield Curve(owner, channel.data)
    elif as_magnitude:
        yield Curve(owner, np.linalg.norm(channel.data, axis=1))
    else:
        for i, component in enumerate(channel.components):
            yield Curve(f"{owner} {component}", channel.data[:, i])


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
            own = _largest(own)
        panels += [Panel(label, unit, tuple(part), title, ROUNDING, wraps=unit == "deg") for part in chunks(own)]
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
    by_range = sorted(range(len(curves)), key=lambda i: -_range(curves[i].drawn()))
    return [curves[i] for i in sorted(by_range[:MAX_CURVES])]


def _range(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0


def chunks(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Portions of at most MAX_CURVES that do not tear the components of a joint apart."""
    parts: list[list[Curve]] = []
    for _, block in groupby(curves, key=lambda curve: curve.label.split(" ")[0]):
        own = list(block)
        if parts and len(parts[-1]) + len(own) <= MAX_CURVES:
            parts[-1] += own
        else:
            parts.append(own)
    return [part[i : i + MAX_CURVES] for part in parts for i in range(0, len(part), MAX_CURVES)]
