"""The five classic interactions of peripheral docking: each begins with the surfaces that it is named after."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from docksim.validation.bench import Bench, Told
from docksim.validation.row import Finding, Row

SURFACES = ("petals", "edges", "faces")
SOURCE = "Syromyatnikov, Spacecraft Docking Devices, p. 303 (matrix of tests)"
REASON = (
    "the source names the kinds of impact and gives no loads: what meets first, and that it is captured, is all to ask"
)


def first_bearing(told: Told) -> dict[str, float]:
    """When each kind of surface bears first [s]; those that never do are left out."""
    times = {}
    for kind in SURFACES:
        rows = np.flatnonzero(told.channel(f"dock.{kind}_force_N.largest"))
        if len(rows):
            times[kind] = float(told.time[rows[0]])
    return times


def interaction(scenario: str, first: str, never: tuple[str, ...]) -> Callable[[Bench, int], Finding]:
    """The experiment: `first` bears before all else, `never` not at all, and the latches hold at the end."""

    def experiment(bench: Bench, size: int) -> Finding:
        told = bench.run(scenario, channels=[f"dock.{kind}_force_N.largest" for kind in SURFACES])
        times = first_bearing(told)
        order = sorted(times, key=lambda kind: times[kind])
        right = bool(order) and order[0] == first and not set(never) & set(order)
        began = times[order[0]] if order else np.nan
        took = told.number("dock.capture_s") - began
        words = f"{', then '.join(order)}; {told.outcome}"
        return Finding(words, right and told.outcome == "captured", {"first_to_capture_s": took})

    return experiment


# name, what is published, what passes, the surfaces that bear first, and those that never do
KINDS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("central_impact", "central impact: on the axis without error, the rings meet all around",
     "faces bear first, guides never; captured", "faces", ("petals", "edges")),
    ("roll_impact", "impact with roll: guides meet side by side",
     "edges of guides bear first; captured", "edges", ()),
    ("guide_guide", "guide on guide: aside and rolled, a guide runs along its neighbour",
     "edges of guides bear first; captured", "edges", ()),
    ("guide_ring", "guide on ring: aside, a guide slides down the opposite ring",
     "a guide's face bears first; captured", "petals", ()),
    ("ring_ring", "ring on ring: askew, the rings meet on one side",
     "faces of the rings bear first; captured", "faces", ()),
)  # fmt: skip
ROWS = tuple(
    Row(name, published, SOURCE, band, REASON, interaction(f"dock_{name}", first, never), 1, 1)
    for name, published, band, first, never in KINDS
)
