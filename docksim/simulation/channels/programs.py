"""Channels of programs: whether one acts, and how far the hand is off."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from docksim.result.result import Channel

TO_DEG = 180.0 / math.pi


def program_channels(name: str, rows: np.ndarray) -> Iterator[Channel]:
    """Of the program "<v>.<name>"; errors are those of the latest sample, and zero while it is off."""
    text = "of the hand against its program"
    yield Channel(f"{name}.on", "", "", "1 while the program acts", rows["on"].astype(np.int64))
    yield Channel(f"{name}.hand_error_m", "m", "target", f"error of the position {text}", rows["f"][:, :3])
    yield Channel(f"{name}.hand_error_deg", "deg", "hand", f"rotation vector {text}", rows["f"][:, 3:] * TO_DEG)
    yield Channel(f"{name}.rank", "", "", "rows of the program that the joints can meet", rows["rank"].astype(np.int64))
