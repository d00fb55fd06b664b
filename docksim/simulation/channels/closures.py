"""Channels of the closures that a scenario names: what each carries, and how far its ends are off."""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.compiler import Compiled
from docksim.model.log import Log
from docksim.result.result import Channel

TO_DEG = 180.0 / math.pi
_SCALARS = (
    # field of the log, name, unit, factor, description
    ("on", "on", "", 1.0, "1 while it is closed"),
    ("gap", "gap_m", "m", 1.0, "how far the ends are from where they are tied"),
    ("turn", "turn_deg", "deg", TO_DEG, "how far they are turned from where they are tied"),
    ("gap_rate", "gap_rate_m_s", "m/s", 1.0, "speed along the directions that are tied"),
    ("turn_rate", "turn_rate_deg_s", "deg/s", TO_DEG, "rate about the directions that are tied"),
)


def closure_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Zero while a closure is open."""
    for i, (key, closure) in enumerate(compiled.scenario.closures.items()):
        rows, frame = log.closure[:, i], closure.between[0]
        if closure.axis is not None:
            frame = f"{frame}, z along the axis"
        who = f"of {closure.between[0]} on {closure.between[1]}"
        yield Channel(f"closures.{key}.force_N", "N", frame, f"force {who}", rows["force"])
        text = f"moment {who}, about the point where it is held"
        yield Channel(f"closures.{key}.moment_Nm", "N m", frame, text, rows["moment"])
        for field, name, unit, factor, text in _SCALARS:
            yield Channel(f"closures.{key}.{name}", unit, "", text, factor * rows[field])
