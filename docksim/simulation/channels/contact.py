"""Channels of contacts: gap, forces by group of features, the load across the ports, latches, peaks.

Forces are on the axes of the first port, of the first interface on the second; moments are about the second port's
origin. Peaks are over all accepted states so far, logged or not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.contact import PairPart, pair_parts
from docksim.model import Model
from docksim.model.contact import GROUP_NAMES, N_GROUPS, N_PEAKS
from docksim.model.log import LOG_CONTACT
from docksim.result.result import Channel

PEAKS = ("tension_N", "compression_N", "shear_N", "bending_Nm", "torsion_Nm")
# port axes (x, y, z) are (z, x, y) of the interface
TO_PORT = [2, 0, 1]
GAP_TEXT = "least gap, negative in penetration; 0.1 where it is wider"


def contact_columns(model: Model) -> int:
    """Width of the contacts' block in a row of the log."""
    rows = len(model.contact_row) if model.settings[0].log_rows else 0
    return len(model.contact) * LOG_CONTACT + len(model.latch) + rows


def contact_channels(compiled: Compiled, data: np.ndarray) -> Iterator[Channel]:
    """All pairs."""
    model = compiled.model
    latches = data[:, len(model.contact) * LOG_CONTACT :]
    rows = latches[:, len(model.latch) :]
    for i, (part, row) in enumerate(zip(pair_parts(compiled.scenario), model.contact)):
        yield from _pair_channels(part.name, data[:, i * LOG_CONTACT : (i + 1) * LOG_CONTACT])
        first, count = int(row.first_latch), int(row.latches)
        yield from _latch_channels(part.name, latches[:, first : first + count])
        if model.settings[0].log_rows:
            yield from _row_channels(part, rows[:, int(row.first_row) : int(row.first_row + row.rows)])


def _pair_channels(name: str, block: np.ndarray) -> Iterator[Channel]:
    where, frame = "of the first port on the second", "first port"
    yield Channel(f"{name}.gap_m", "m", "", GAP_TEXT, block[:, 0])
    yield Channel(f"{name}.normal_force_N", "N", "", "sum of the normal forces", block[:, 1])
    yield Channel(f"{name}.load_force_N", "N", frame, f"force {where}, latches included", block[:, 2:5][:, TO_PORT])
    text = f"moment {where} about the second port's origin"
    yield Channel(f"{name}.load_moment_Nm", "N m", frame, text, block[:, 5:8][:, TO_PORT])
    yield Channel(f"{name}.latches_engaged", "", "", "how many latches hold", block[:, 8])
    yield Channel(f"{name}.first_contact_s", "s", "", "time of first contact, -1 before", block[:, 9])
    yield Channel(f"{name}.capture_s", "s", "", "time at which all latches held first, -1 before", block[:, 10])
    yield Channel(f"{name}.contact_count", "", "", "how often contact has begun", block[:, 11])
    for k, peak in enumerate(PEAKS):
        unit = "N m" if peak.endswith("Nm") else "N"
        text = f"largest {peak.split('_')[0]} across the ports so far"
        yield Channel(f"{name}.peak_{peak}", unit, "", text, block[:, 12 + k])
    forces = block[:, 12 + N_PEAKS :]
    for k, group in enumerate(GROUP_NAMES):
        text = "pull of all latches" if group == "latches" else f"sum of the normal forces of the {group}"
        yield Channel(f"{name}.{group}_force_N", "N", "", text, forces[:, k])
        yield Channel(f"{name}.peak_{group}_force_N", "N", "", f"largest {text} so far", forces[:, N_GROUPS + k])


def _latch_channels(name: str, pulls: np.ndarray) -> Iterator[Channel]:
    for k in range(pulls.shape[1]):
        text = "pull of the latch; negative while its pawl pushes"
        yield Channel(f"{name}.latch_{k + 1}_force_N", "N", "", text, pulls[:, k])


def _row_channels(part: PairPart, forces: np.ndarray) -> Iterator[Channel]:
    for k, row in enumerate(part.row_names):
        text = f"normal force, {row}"
        yield Channel(f"{part.name}.rows.{row.replace(' ', '_')}.force_N", "N", "", text, forces[:, k])
