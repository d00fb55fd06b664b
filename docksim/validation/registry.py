"""All rows, in the order of the table."""

from __future__ import annotations

from docksim.validation import apas, apas_loads, dynamics, interactions, mating, nds, populations
from docksim.validation.row import GROUPS, Row

_ALL: tuple[Row, ...] = (
    *dynamics.ROWS, *interactions.ROWS, *nds.ROWS, *apas.ROWS, *apas_loads.ROWS, *populations.ROWS, *mating.ROWS,
)  # fmt: skip
ROWS: tuple[Row, ...] = tuple(row for group in GROUPS for row in _ALL if row.group == group)
