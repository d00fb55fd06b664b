"""Extremes between two rows as channels beside the one they belong to: "dock.petals_force_N.largest".

An impact is shorter than what lies between two rows. `least` and `largest` are those of all substeps after the row
before, this row's own instant included.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.result.result import LARGEST, LEAST, Channel

SINCE = "since the row before"


def band(name: str, unit: str, frame: str, text: str, least: np.ndarray, largest: np.ndarray) -> Iterator[Channel]:
    """Both ends of what a channel went through."""
    yield Channel(name + LEAST, unit, frame, f"least {text} {SINCE}", least)
    yield Channel(name + LARGEST, unit, frame, f"largest {text} {SINCE}", largest)


def largest_size(name: str, unit: str, text: str, largest: np.ndarray) -> Channel:
    """The largest size of a vector."""
    return Channel(name + LARGEST, unit, "", f"largest size of the {text} {SINCE}", largest)
