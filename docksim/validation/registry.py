"""All rows, in the order of the table."""

from __future__ import annotations

from docksim.validation import apas, contact_band, dynamics, interactions, mating, nds, populations, sxds
from docksim.validation.row import GROUPS, Row

_ALL: tuple[Row, ...] = (
    *dynamics.ROWS, *interactions.ROWS, *nds.ROWS, *sxds.ROWS, *apas.ROWS, *contact_band.ROWS, *populations.ROWS,
    *mating.ROWS,
)  # fmt: skip
ROWS: tuple[Row, ...] = tuple(row for group in GROUPS for row in _ALL if row.group == group)
