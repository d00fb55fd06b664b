"""A whole logged row as a packet, with the events so far, for a watcher that knows the scenario: it can then show all
that a result would show. The mark tells another scenario, or one that was changed.
"""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING

import numpy as np

from docksim.model import State
from docksim.realtime import packets

if TYPE_CHECKING:
    from docksim.config.schema import Scenario

MARK = 8
HEAD = struct.Struct(f"<{MARK}sII")  # mark of the scenario, events, numbers in the row
EVENT = 3  # number of the event, time, energy lost
# what may differ between a run and what its watcher was given: nothing of it can be seen
UNSEEN = {"name", "description", "seed", "solver"}


def mark_of(scenario: Scenario) -> bytes:
    """Of all that decides what there is to see."""
    return hashlib.sha256(scenario.model_dump_json(exclude=UNSEEN).encode()).digest()[:MARK]


def row_payload(mark: bytes, row: np.ndarray, state: State) -> bytes:
    """Payload of ROW."""
    fired = state.record[: int(state.clock[0].n_records)]
    events = np.stack([fired["event"], fired["t"], fired["loss"]], axis=1).astype("<f8")
    return HEAD.pack(mark, len(fired), len(row)) + events.tobytes() + row.astype("<f8").tobytes()


def row_numbers(payload: memoryview) -> tuple[bytes, np.ndarray, np.ndarray] | None:
    """Mark, events and row of a ROW payload; None if its size does not fit what it says."""
    if len(payload) < HEAD.size:
        return None
    mark, events, width = HEAD.unpack_from(payload)
    if len(payload) != HEAD.size + 8 * (EVENT * events + width):
        return None
    numbers = np.frombuffer(payload, "<f8", offset=HEAD.size)
    return mark, numbers[: EVENT * events].reshape(events, EVENT), numbers[EVENT * events :]


def fits(width: int, events: int) -> bool:
    """Into one datagram?"""
    return packets.HEADER.size + HEAD.size + 8 * (EVENT * events + width) + packets.CRC.size <= packets.LARGEST
