"""A terminal dashboard of a paced run, fed by its datagrams: a process of its own that no deadline waits for.

Nothing in a datagram is trusted: names are shown as plain text without control characters, and every number in a cell
of fixed width, so that the layout is that of the terminal's width and of nothing else.
"""

from __future__ import annotations

import json
import math
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from docksim.realtime import packets
from docksim.realtime.telemetry import state_numbers

SILENCE_S = 2.0
LONGEST_NAME = 40
FAR_M = 0.1
FRAME_COLUMNS = (
    ("position, m", "position", 1.0, "8.3f"),
    ("velocity, m/s", "velocity", 1.0, "7.4f"),
    ("rate, deg/s", "rate", 180.0 / math.pi, "7.2f"),
    ("acceleration, m/s2", "acceleration", 1.0, "7.3f"),
)


class View:
    """What is known of a run from its packets, and its picture."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.state: tuple[int, Any, Any] | None = None
        self.time_s = 0.0
        self.flags = 0
        self.seen_s = -math.inf
        self.faults = 0

    def take(self, data: bytes) -> None:
        """A datagram; what is not a whole packet of docksim is counted."""
        packet = packets.decode(data)
        if isinstance(packet, str):
            self.faults += 1
        elif packet.type == packets.DESCRIPTION:
            try:
                content = json.loads(bytes(packet.payload))
                lists = {key: [_plain(name) for name in content[key]] for key in ("frames", "contacts", "phases")}
                self.names = {"scenario": _plain(content["scenario"]), **lists}
            except (ValueError, KeyError, TypeError, RecursionError):
                self.faults += 1
        elif packet.type == packets.STATE:
            numbers = state_numbers(packet.payload)
            if numbers is None:
                self.faults += 1
                return
            self.state, self.seen_s = numbers, time.monotonic()
            self.time_s, self.flags = packet.simulated_s, packet.flags

    @property
    def ended(self) -> bool:
        return bool(self.flags & packets.ENDED)

    def picture(self, width: int = 120) -> Group:
        """Tables of frames and contacts, as wide as fits."""
        if self.state is None:
            return Group(Text("waiting for a run: docksim realtime FILE --watch"))
        phase, frames, contacts = self.state
        name, at = self._name("phases", phase), _number(self.time_s, "9.3f")
        head = Text(f"{self.names.get('scenario', 'run')}   t = {at} s   phase {name}   ", "bold")
        words = flag_words(self.flags)
        if time.monotonic() - self.seen_s > SILENCE_S and not self.ended:
            words.append("no packets")
        head.append(", ".join(words), "bold red" if words else "")
        rows = [self._name("frames", i) for i in range(len(frames))]
        columns = [
            _Column(title, [_triple(factor * row[field], form) for row in frames])
            for title, field, factor, form in FRAME_COLUMNS
        ]
        pieces: list[Any] = [head, *_tables(_Column("frame", rows), columns, 2, width)]
        if len(contacts):
            rows = [self._name("contacts", i) for i in range(len(contacts))]
            pieces += _tables(_Column("contact", rows), _contact_columns(contacts), 4, width)
        if self.faults:
            pieces.append(Text(f"{self.faults} datagrams were not packets of docksim", "dim"))
        return Group(*pieces)

    def _name(self, key: str, index: int) -> str:
        names = self.names.get(key, [])
        return names[index] if index < len(names) else str(index)


def flag_words(flags: int) -> list[str]:
    """What is to be known of a run besides its numbers."""
    return [text for flag, text in packets.FLAG_NAMES.items() if flags & flag and flag != packets.NO_INPUT]


class _Column(NamedTuple):
    """Of a table: its head and a text for each row."""

    head: str
    cells: list[str]

    @property
    def width(self) -> int:
        """With the space around it."""
        return 2 + max(len(text) for text in (self.head, *self.cells))


def _contact_columns(contacts: Any) -> list[_Column]:
    gaps = ["far".rjust(8) if row["gap"] >= FAR_M else _number(1e3 * row["gap"], "8.3f") for row in contacts]
    return [
        _Column("gap, mm", gaps),
        _Column("normal, N", [_number(row["normal_force"], "9.1f") for row in contacts]),
        _Column("latches", [_number(row["engaged"], "7.0f") for row in contacts]),
        _Column("force, N", [_triple(row["force"], "8.1f") for row in contacts]),
        _Column("moment, N m", [_triple(row["moment"], "8.1f") for row in contacts]),
    ]


def _tables(names: _Column, columns: Sequence[_Column], needed: int, width: int) -> list[Table]:
    """The first columns, so many as are needed, in as few tables as the width allows, and of the others what fits.

    Each table has the names; a long name gives way to numbers.
    """
    room = width - max(column.width + 1 for column in columns[:needed])
    first = min(names.width, max(room, 6))
    groups: list[list[_Column]] = []
    left = 0
    for i, column in enumerate(columns):
        if column.width + 1 > left:
            if i >= needed:
                continue
            groups.append([])
            left = width - first
        groups[-1].append(column)
        left -= column.width + 1
    return [_table(names, first - 2, group) for group in groups]


def _table(names: _Column, room: int, columns: Sequence[_Column]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(names.head, no_wrap=True, max_width=room)
    for column in columns:
        table.add_column(column.head, justify="right", no_wrap=True)
    for name, *cells in zip(names.cells, *(column.cells for column in columns), strict=True):
        table.add_row(Text(name), *map(Text, cells))
    return table


def _plain(name: Any) -> str:
    """What came as a name, as text that does nothing to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(name)[:LONGEST_NAME])


def _number(value: float, form: str) -> str:
    """In the width of its form, whatever it is."""
    text, width = f"{value:{form}}", int(form.split(".")[0])
    return text if len(text) <= width else f"{value:{width}.0e}"


def _triple(values: Any, form: str) -> str:
    return " ".join(_number(value, form) for value in values)


def show(port: int, once: bool = False, console: Console | None = None) -> None:
    """Listen and draw until interrupted, or until the run ends if `once`."""
    view = View()
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    console = console or Console()
    with listener, Live(view.picture(console.width), console=console, refresh_per_second=10) as live:
        listener.bind(("127.0.0.1", port))
        listener.settimeout(0.5)
        while not (once and view.ended):
            with suppress(TimeoutError):
                view.take(listener.recv(65536))
            live.update(view.picture(console.width))
