"""Bands of curves: the extremes between logged rows, where the run has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from docksim.plots.panels import Curve
from docksim.result.result import LARGEST, LEAST, Result


def banded(result: Result, curve: Curve, channel: str) -> Curve:
    """The curve with the extremes that belong to a channel; of a size, which has no least, down to the curve itself."""
    largest = result.channels.get(channel + LARGEST)
    if largest is None:
        return curve
    least = result.channels.get(channel + LEAST)
    return replace(curve, least=curve.values if least is None else least.data, largest=largest.data)


def is_zero(curve: Curve, rounding: float = 0.0) -> bool:
    """Nothing to show, neither in the rows nor between them."""
    return not np.any(np.abs(curve.drawn()) > rounding)
