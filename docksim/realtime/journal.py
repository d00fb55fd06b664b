"""What a bridged run took from outside, cycle by cycle, so that it can be made again without its peer.

Packets that were refused changed nothing and are not kept. One that was taken is kept as it came, with the number of
the cycle before which it acted; where a stale input was put to zero, its number is. With the scenario, what was asked
for, the number of cycles and how the run ended, this decides every bit of the result.
While the run goes, records stand in memory in chunks, so that no cycle moves what is there already: 8 bytes and the
payload for each packet. A journal that has reached its limit takes no more, and the run can be made again up to there.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docksim.config.outcomes import OUTCOMES
from docksim.realtime import packets
from docksim.realtime.compensation import Path as WrenchPath
from docksim.result.reading import UNREADABLE, fault, from_json, plain_file
from docksim.result.result import ResultError
from docksim.simulation.sealed import Kind, from_text, to_text

FILE, START = "journal.npz", "start.npz"
RECORD = struct.Struct("<IHH")  # cycle, what, size of the payload
SILENCE = 0  # else the type of the packet
WHICH = struct.Struct("<H")  # payload of SILENCE: number of the input, ports before pairs before frames
WHAT = (SILENCE, *packets.ENTRIES)  # packets that act
CHUNK = 2**16  # more than the largest packet
LIMIT = 2**29
LONGEST_S = 100.0
RECORDS, ASKED = "records", "asked"

Entry = tuple[int, int, memoryview]


class JournalError(ResultError):
    """A journal that cannot be written, read or gone by; the message names the file."""


JOURNAL = Kind("journal", 2, (RECORDS, ASKED), JournalError, "Use the docksim that made it")


class Journal:
    """Records of a run under way."""

    def __init__(self, limit: int = LIMIT) -> None:
        self.full_at: int | None = None  # the cycle of the first record that had no room
        self._limit, self._chunk, self._used = limit, bytearray(CHUNK), 0
        self._before: list[memoryview] = []

    def note(self, cycle: int, what: int, payload: memoryview | bytes = b"") -> None:
        """Keep a record, if there is room; after one that had none, no other."""
        size, at = len(payload), self._used
        if self.full_at is not None:
            return
        if at + RECORD.size + size > CHUNK:
            if (len(self._before) + 2) * CHUNK > self._limit:
                self.full_at = cycle
                return
            self._before.append(memoryview(self._chunk)[:at])
            self._chunk, at = bytearray(CHUNK), 0
        RECORD.pack_into(self._chunk, at, cycle, what, size)
        self._used = end = at + RECORD.size + size
        self._chunk[at + RECORD.size : end] = payload

    def content(self) -> bytes:
        """All records, one after the other."""
        return b"".join((*self._before, memoryview(self._chunk)[: self._used]))


@dataclass(frozen=True)
class Asked:
    """What decides a run besides its scenario and its records."""

    rate_Hz: float
    ports: tuple[str, ...]
    measured: tuple[str, ...]
    motion: tuple[str, ...]
    path: WrenchPath
    cycles: int  # done, as far as the records go
    outcome: tuple[str, str] | None  # if something other than the model ended it
    full: bool  # did the run go on after the records end?
    scenario: str  # digest of its text
    torques: tuple[str, ...] = ()
    start: str = ""  # digest of the checkpoint that it began from, if it did


@dataclass(frozen=True)
class Kept:
    """A journal that was read."""

    asked: Asked
    records: bytes

    def entries(self) -> Iterator[Entry]:
        """Cycle, what and payload of all records."""
        view, at = memoryview(self.records), 0
        while at < len(view):
            cycle, what, size = RECORD.unpack_from(view, at)
            at += RECORD.size + size
            if at > len(view):
                raise ValueError("its last record is cut off")
            yield cycle, what, view[at - size : at]


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def write_journal(folder: Path, journal: Journal, asked: Asked, **facts: Any) -> Path:
    """Into the folder of the run's result; `facts` are for readers."""
    content = asdict(asked)
    if not math.isfinite(asked.path.bandwidth):
        content["path"]["bandwidth"] = None
    arrays = {
        RECORDS: np.frombuffer(journal.content(), np.uint8),
        ASKED: from_text(json.dumps(content, allow_nan=False)),
    }
    return JOURNAL.write(folder / FILE, arrays, **facts)


def read_journal(folder: Path, scenario_text: str) -> Kept:
    """The journal in a folder, which must belong to this scenario."""
    file = folder / FILE
    if not file.exists():
        hint = f"docksim run {folder / 'scenario.yaml'} makes the run again"
        raise JournalError(f"{file}: no such file. If nothing came in from outside, none is needed: {hint}")
    arrays = JOURNAL.read(file)
    try:
        kept = Kept(_asked(from_json(to_text(arrays[ASKED]))), arrays[RECORDS].astype(np.uint8).tobytes())
        _check(kept)
    except UNREADABLE as error:
        raise JournalError(str(fault(file, error))) from error
    if kept.asked.scenario != digest(scenario_text.encode()):
        raise JournalError(f"{file}: belongs to another scenario than {folder / 'scenario.yaml'}, or that was changed")
    if kept.asked.start and kept.asked.start != _digest_of_file(folder / START):
        raise JournalError(f"{folder / START}: missing, or not the checkpoint that the run of the journal began from")
    return kept


def _digest_of_file(file: Path) -> str:
    try:
        with plain_file(file) as stream:
            return digest(stream.read())
    except (OSError, ValueError):
        return ""


def _asked(content: dict[str, Any]) -> Asked:
    path, outcome = content["path"], content["outcome"]
    bandwidth = math.inf if path["bandwidth"] is None else float(path["bandwidth"])
    return Asked(
        float(content["rate_Hz"]),
        tuple(str(port) for port in content["ports"]),
        tuple(str(pair) for pair in content["measured"]),
        tuple(str(frame) for frame in content["motion"]),
        WrenchPath(float(path["delay"]), bandwidth, float(path["lead"]), bool(path["passive"])),
        int(content["cycles"]),
        None if outcome is None else (str(outcome[0]), str(outcome[1])),
        bool(content["full"]),
        str(content["scenario"]),
        tuple(str(joint) for joint in content["torques"]),
        str(content["start"]),
    )


def _check(kept: Kept) -> None:
    """What was asked for could have been, and records follow one another, are whole and of a known kind."""
    asked = kept.asked
    if not (0.0 < asked.rate_Hz <= 1e6 and asked.path.bandwidth > 0.0 and asked.cycles >= 0):
        raise ValueError("its rate, bandwidth or number of cycles makes no sense")
    if not all(0.0 <= time_s <= LONGEST_S for time_s in (asked.path.delay, asked.path.lead)):
        raise ValueError("its delay or lead makes no sense")
    if asked.outcome is not None and asked.outcome[0] not in OUTCOMES:
        raise ValueError("it says an end that no run has")
    before = 0
    for cycle, what, payload in kept.entries():
        if cycle < before or what not in WHAT or (what == SILENCE and len(payload) != WHICH.size):
            raise ValueError(f"a record of cycle {cycle} makes no sense")
        before = cycle
