"""Channels of contacts: gap, forces by group of features, the load across the ports, latches, peaks.

Forces are on the axes of the first port, of the first interface on the second; moments are about the second port's
origin. Peaks are over all accepted states so far, logged or not, bands over those between two rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.contact import PairPart, pair_parts
from docksim.model.contact import GROUP_NAMES, LATCH_MODES
from docksim.model.log import Log
from docksim.result.result import Channel
from docksim.simulation.channels.bands import band

# loads across the ports, whose extremes between rows are logged
LOADS = (
    ("axial_force_N", "force along the axis, positive where it presses"),
    ("shear_force_N", "size of the force across the axis"),
    ("bending_moment_Nm", "size of the moment across the axis"),
    ("torsion_Nm", "moment about the axis"),
)
PEAKS = ("tension_N", "compression_N", "shear_N", "bending_Nm", "torsion_Nm")
# port axes (x, y, z) are (z, x, y) of the interface
TO_PORT = [2, 0, 1]
GAP_TEXT = "least gap, negative in penetration; 0.1 where it is wider"


def contact_channels(compiled: Compiled, log: Log, bands: bool = True) -> Iterator[Channel]:
    """All pairs, with the extremes between rows or without."""
    parts = pair_parts(compiled.scenario) if compiled.model.settings[0].log_rows else []
    for i, (name, row) in enumerate(zip(compiled.scenario.contacts, compiled.model.contact, strict=True)):
        yield from _pair_channels(name, log.contact[:, i])
        latches = log.latch[:, int(row.first_latch) : int(row.first_latch + row.latches)]
        yield from _latch_channels(name, latches)
        if bands:
            yield from _bands(name, log.contact[:, i], latches)
        if parts:
            yield from _row_channels(parts[i], log.gap[:, int(row.first_row) : int(row.first_row + row.rows)])


def _pair_channels(name: str, rows: np.ndarray) -> Iterator[Channel]:
    where, frame = "of the first port on the second", "first port"
    yield Channel(f"{name}.gap_m", "m", "", GAP_TEXT, rows["gap"])
    yield Channel(f"{name}.normal_force_N", "N", "", "sum of the normal forces", rows["normal_force"])
    yield Channel(f"{name}.load_force_N", "N", frame, f"force {where}, latches included", rows["force"][:, TO_PORT])
    text = f"moment {where} about the second port's origin"
    yield Channel(f"{name}.load_moment_Nm", "N m", frame, text, rows["moment"][:, TO_PORT])
    yield Channel(f"{name}.latches_engaged", "", "", "how many latches hold", rows["engaged"])
    yield Channel(f"{name}.first_contact_s", "s", "", "time of first contact, -1 before", rows["first_contact"])
    yield Channel(f"{name}.capture_s", "s", "", "time at which all latches held first, -1 before", rows["capture"])
    yield Channel(f"{name}.contact_count", "", "", "how often contact has begun", rows["touches"])
    for k, peak in enumerate(PEAKS):
        unit = "N m" if peak.endswith("Nm") else "N"
        text = f"largest {peak.split('_')[0]} across the ports so far"
        yield Channel(f"{name}.peak_{peak}", unit, "", text, rows["peak"][:, k])
    for k, group in enumerate(GROUP_NAMES):
        text = "pull of all latches" if group == "latches" else f"sum of the normal forces of the {group}"
        yield Channel(f"{name}.{group}_force_N", "N", "", text, rows["group"][:, k])
        yield Channel(f"{name}.peak_{group}_force_N", "N", "", f"largest {text} so far", rows["group_peak"][:, k])


def _latch_channels(name: str, latches: np.ndarray) -> Iterator[Channel]:
    for k in range(latches.shape[1]):
        text = "pull of the latch; negative while its pawl pushes"
        yield Channel(f"{name}.latch_{k + 1}_force_N", "N", "", text, latches["force"][:, k])
        mode = latches["mode"][:, k].astype(np.int64)
        yield Channel(f"{name}.latches.{k + 1}.mode", "", "", "what the latch does", mode, labels=LATCH_MODES)


def _bands(name: str, rows: np.ndarray, latches: np.ndarray) -> Iterator[Channel]:
    for k, (load, text) in enumerate(LOADS):
        unit = "N m" if load.endswith("Nm") else "N"
        yield from band(f"{name}.{load}", unit, "", text, rows["least"][:, k], rows["largest"][:, k])
    for k, group in enumerate(GROUP_NAMES):
        least, largest = rows["least_group"][:, k], rows["largest_group"][:, k]
        yield from band(f"{name}.{group}_force_N", "N", "", f"force of the {group}", least, largest)
    for k in range(latches.shape[1]):
        least, largest = latches["least"][:, k], latches["largest"][:, k]
        yield from band(f"{name}.latch_{k + 1}_force_N", "N", "", "pull of the latch", least, largest)


def _row_channels(part: PairPart, gaps: np.ndarray) -> Iterator[Channel]:
    for k, row in enumerate(part.row_names):
        text = f"normal force, {row}"
        yield Channel(f"{part.name}.rows.{row.replace(' ', '_')}.force_N", "N", "", text, gaps["force"][:, k])
