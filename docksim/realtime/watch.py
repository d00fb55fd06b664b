"""A terminal dashboard of a paced run, fed by its datagrams: a process of its own that no deadline waits for."""

from __future__ import annotations

import json
import math
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from docksim.realtime import packets
from docksim.realtime.telemetry import state_numbers

SILENCE_S = 2.0
WIDE = 118
FRAME_COLUMNS = (
    ("position, m", 0, 1.0, "8.3f"),
    ("velocity, m/s", 7, 1.0, "7.4f"),
    ("rate, deg/s", 10, 180.0 / math.pi, "7.2f"),
    ("acceleration, m/s2", 13, 1.0, "7.3f"),
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
            self._describe(bytes(packet.payload))
        elif packet.type == packets.STATE:
            found = state_numbers(packet.payload)
            if found is None:
                self.faults += 1
                return
            self.state, self.seen_s = found, time.monotonic()
            self.time_s, self.flags = packet.simulated_s, packet.flags

    def _describe(self, payload: bytes) -> None:
        try:
            content = json.loads(payload)
            lists = {key: [str(name) for name in content[key]] for key in ("frames", "contacts", "phases")}
            self.names = {"scenario": str(content["scenario"]), **lists}
        except (ValueError, KeyError, TypeError):
            self.faults += 1

    @property
    def ended(self) -> bool:
        return bool(self.flags & packets.ENDED)

    def picture(self, width: int = 120) -> Group:
        """Tables of frames and contacts; a narrow terminal gets fewer columns."""
        if self.state is None:
            return Group(Text("waiting for a run: docksim realtime FILE --watch"))
        phase, frames, contacts = self.state
        name = self._name("phases", phase, str(phase))
        head = Text(f"{self.names.get('scenario', 'run')}   t = {self.time_s:9.3f} s   phase {name}   ", "bold")
        words = flag_words(self.flags)
        if time.monotonic() - self.seen_s > SILENCE_S and not self.ended:
            words.append("no packets")
        head.append(", ".join(words), "bold red" if words else "")
        parts: list[Any] = [head, self._frames(frames, FRAME_COLUMNS[: 4 if width >= WIDE else 2])]
        if len(contacts):
            parts.append(self._contacts(contacts, width >= WIDE))
        if self.faults:
            parts.append(Text(f"{self.faults} datagrams were not packets of docksim", "dim"))
        return Group(*parts)

    def _name(self, key: str, index: int, instead: str) -> str:
        names = self.names.get(key, [])
        return names[index] if index < len(names) else instead

    def _frames(self, frames: Any, columns: Sequence[tuple[str, int, float, str]]) -> Table:
        table = _table("frame", *(name for name, _, _, _ in columns))
        for i, row in enumerate(frames):
            cells = [_triple(factor * row[first : first + 3], form) for _, first, factor, form in columns]
            table.add_row(self._name("frames", i, str(i)), *cells)
        return table

    def _contacts(self, contacts: Any, wide: bool) -> Table:
        table = _table("contact", "gap, mm", "normal, N", "latches", "force, N", *(["moment, N m"] if wide else []))
        for i, row in enumerate(contacts):
            gap = "far" if row[0] >= 0.1 else f"{1e3 * row[0]:.3f}"
            cells = [gap, f"{row[1]:.1f}", f"{row[8]:.0f}", _triple(row[2:5], "7.1f")]
            moment = [_triple(row[5:8], "7.1f")] if wide else []
            table.add_row(self._name("contacts", i, str(i)), *cells, *moment)
        return table


def flag_words(flags: int) -> list[str]:
    """What is to be known of a run besides its numbers."""
    return [text for flag, text in packets.FLAG_NAMES.items() if flags & flag and flag != packets.NO_INPUT]


def _table(*names: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD)
    for i, name in enumerate(names):
        table.add_column(name, justify="right" if i else "left", no_wrap=True)
    return table


def _triple(values: Any, form: str) -> str:
    return " ".join(f"{value:{form}}" for value in values)


def show(port: int, once: bool = False, console: Console | None = None) -> None:
    """Listen and draw until interrupted, or until the run ends if `once`."""
    view = View()
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    console = console or Console()
    with listener, Live(view.picture(), console=console, refresh_per_second=10) as live:
        listener.bind(("127.0.0.1", port))
        listener.settimeout(0.5)
        while not (once and view.ended):
            with suppress(TimeoutError):
                view.take(listener.recv(65536))
            live.update(view.picture(console.width))
