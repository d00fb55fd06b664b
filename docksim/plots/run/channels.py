"""Panels of channels by their names: whatever a result has can be drawn.

A vector has a panel of its own, one curve a component. Numbers of one quantity and unit share panels, each under the
name of what it belongs to. Extremes between rows are bands of the channel whose name they continue.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from docksim.plots.events import fit, text_width_in
from docksim.plots.panels import Curve, Panel, banded, split
from docksim.plots.run.motion import ROUNDING
from docksim.plots.style import FONT_PT, PANEL_IN
from docksim.result.parts import TIME, channels_like
from docksim.result.result import LARGEST, LEAST, Channel, Result


def channel_panels(pattern: str, result: Result) -> list[Panel]:
    """Panels of the channels that fit, in their order; ResultError if none does. What a star finds and is zero
    throughout is left out."""
    names = channels_like(result, [pattern])
    groups: dict[tuple[str, ...], list[Channel]] = defaultdict(list)
    for name in names:
        channel = result.channels[name]
        is_end = name.removesuffix(LEAST).removesuffix(LARGEST) in set(names) - {name}
        if name != TIME and not is_end and (name == pattern or np.any(np.abs(channel.data) > ROUNDING)):
            groups[(_quantity(channel), channel.unit, name if channel.components else "")].append(channel)
    return [panel for some in groups.values() for panel in _panels(result, some)]


def _panels(result: Result, channels: Sequence[Channel]) -> list[Panel]:
    first = channels[0]
    unit = first.unit or "1"
    label = fit(_quantity(first), PANEL_IN - text_width_in(f" [{unit}]", FONT_PT), FONT_PT)
    if first.components:
        curves = [Curve(word, first.data[:, i]) for i, word in enumerate(first.components)]
        title = ", ".join(filter(None, (_owner(first), first.frame)))
        return split(label, unit, curves, title, ROUNDING)
    named = [banded(result, Curve(_owner(one) or one.name, one.data), one.name) for one in channels]
    return split(label, unit, named, "", ROUNDING)


def _owner(channel: Channel) -> str:
    """Whose quantity it is: "dock" of dock.normal_force_N."""
    return channel.name.removesuffix(LEAST).removesuffix(LARGEST).rpartition(".")[0]


def _quantity(channel: Channel) -> str:
    """Without its unit: "normal force" of dock.normal_force_N."""
    end = next((end for end in (LEAST, LARGEST) if channel.name.endswith(end)), "")
    stem = channel.name.removesuffix(end).rpartition(".")[2]
    unit = channel.unit.replace("/", "_").replace(" ", "")
    return f"{stem.removesuffix(f'_{unit}').replace('_', ' ')}{end.replace('.', ', ')}"


def stem_of(pattern: str) -> str:
    """The file of what a pattern draws: "chaser.all" of "chaser.*"."""
    return re.sub(r"[^\w.+-]", "_", pattern.replace("*", "all"))
