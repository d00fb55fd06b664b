"""A whole logged row as a packet, with the events so far, for a watcher that knows the scenario: it can then show all
that a result would show. The mark tells another scenario, or one that was changed, and another layout of the log.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_type_hints

import numpy as np

from docksim.model import Model, State
from docksim.model.log import Log, new_log
from docksim.realtime import packets

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario

MARK = 8
HEAD = struct.Struct(f"<{MARK}sII")  # mark of the scenario, events, numbers in the row
EVENT = 3  # number of the event, time, energy lost
# what may differ between a run and what its watcher was given: nothing of it can be seen
UNSEEN = {"name", "description", "seed", "solver"}


def mark_of(scenario: Scenario) -> bytes:
    """Of all that decides what there is to see, and of the fields of a row."""
    fields = repr(get_type_hints(Log, include_extras=True))
    return hashlib.sha256((scenario.model_dump_json(exclude=UNSEEN) + fields).encode()).digest()[:MARK]


def row_width(model: Model) -> int:
    """Numbers in a row."""
    return sum(table.nbytes for table in new_log(model, 1).tables().values()) // 8


def row_payload(mark: bytes, row: Log, state: State) -> bytes:
    """Payload of ROW, of a log's first row: its tables in their order."""
    numbers = np.frombuffer(b"".join(table[:1].tobytes() for table in row.tables().values()))
    fired = state.record[: int(state.clock[0].n_records)]
    events = np.stack([fired["event"], fired["t"], fired["loss"]], axis=1).astype("<f8")
    return HEAD.pack(mark, len(fired), len(numbers)) + events.tobytes() + numbers.astype("<f8").tobytes()


def row_numbers(payload: memoryview) -> tuple[bytes, np.ndarray, np.ndarray] | None:
    """Mark, events and row of a ROW payload; None if its size does not fit what it says."""
    if len(payload) < HEAD.size:
        return None
    mark, events, width = HEAD.unpack_from(payload)
    if len(payload) != HEAD.size + 8 * (EVENT * events + width):
        return None
    numbers = np.frombuffer(payload, "<f8", offset=HEAD.size)
    return mark, numbers[: EVENT * events].reshape(events, EVENT), numbers[EVENT * events :]


def log_of(model: Model, rows: Sequence[np.ndarray]) -> Log:
    """The numbers of rows that were sent, as a log."""
    log, first = new_log(model, len(rows)), 0
    numbers = np.array(rows)
    for table in log.tables().values():
        values = table.view(np.float64).reshape(len(rows), -1)
        values[...] = numbers[:, first : first + values.shape[1]]
        first += values.shape[1]
    log.rows[0] = len(rows)
    return log


def fits(width: int, events: int) -> bool:
    """Into one datagram?"""
    return packets.HEADER.size + HEAD.size + 8 * (EVENT * events + width) + packets.CRC.size <= packets.LARGEST
