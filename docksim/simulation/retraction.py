"""What became of drives that retract base joints: how long they were stalled, against what, and where."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.mechanism import MechanismPart
from docksim.model.mechanism import HELD

ARRIVED_M = 1e-6  # a way that the kernel takes for none


def retraction_figures(compiled: Compiled) -> dict[str, float]:
    """Time of stalls and the largest load in them, of every mechanism with a drive."""
    figures = {}
    for part, own in _driven(compiled):
        figures[f"{part.vehicle}.retraction.stalled_s"] = float(own.stalled)
        figures[f"{part.vehicle}.retraction.stalled_load_N"] = float(own.stalled_load) / part.stroke
    return figures


def stalls(compiled: Compiled) -> Iterator[str]:
    """Drives that stand still at the end of a run, though they were to go on."""
    for part, own in _driven(compiled):
        if own.phase == HELD and own.stalled > 0.0 and abs(own.target - own.fraction) * part.stroke > ARRIVED_M:
            stroke = part.stroke
            yield (
                f"{part.vehicle}.retraction is stalled at {own.fraction * stroke:.4g} m of {own.target * stroke:.4g} m;"
                f" it pushes with {own.force_limit / stroke:.4g} N, and was held for {own.stalled:.3g} s against up to "
                f"{own.stalled_load / stroke:.4g} N"
            )


def _driven(compiled: Compiled) -> Iterator[tuple[MechanismPart, np.record]]:
    rows = zip(compiled.assembly.mechanisms, compiled.state.retraction, strict=True)
    return ((part, own) for part, own in rows if part.drive is not None)
