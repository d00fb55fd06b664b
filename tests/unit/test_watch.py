"""The dashboard in a terminal: all numbers whole at every width, and nothing in a datagram that harms it."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from docksim.realtime import packets
from docksim.realtime.packets import encode
from docksim.realtime.watch import View

NAMES = {
    "scenario": "dock",
    "frames": ["station", "chaser", "chaser.ring"],
    "contacts": ["dock"],
    "phases": ["approach"],
}
CONTACT = (0.0123, 1234.5, (-2000.5, 3.0, -1100.0), (5.5, -6.5, 77.5), 3.0)


def view_of(names: dict[str, Any] = NAMES, scale: float = 1.0) -> View:
    view, rng = View(), np.random.default_rng(1)
    frames = np.zeros(3, packets.STATE_FRAME)
    frames.view("<f8")[:] = -scale * rng.uniform(0.1, 0.9, frames.nbytes // 8)
    frames["position"] *= 200.0
    view.take(encode(packets.DESCRIPTION, json.dumps(names).encode()))
    contact = np.array(CONTACT, packets.STATE_CONTACT)
    view.take(encode(packets.STATE, packets.STATE_HEAD.pack(3, 1, 0) + frames.tobytes() + contact.tobytes()))
    return view


def drawn(view: View, width: int) -> str:
    console = Console(width=width, file=io.StringIO())
    with console.capture() as captured:
        console.print(view.picture(width))
    return captured.get()


@pytest.mark.parametrize("width", [45, 60, 80, 100, 119, 120, 160])
def test_every_number_is_shown_whole_at_every_width(width: int) -> None:
    text = drawn(view_of(), width)
    assert "\u2026" not in text
    assert max(map(len, text.splitlines())) <= width
    # what is needed is there always, the rest where there is room
    for words in ("position, m", "velocity, m/s", "12.300", "1234.5", "-1100.0"):
        assert words in text
    assert ("acceleration" in text) == (width >= 120)
    assert ("moment" in text) == (width >= 100)


def test_layout_does_not_move_with_the_numbers() -> None:
    plain, huge = drawn(view_of(), 80), drawn(view_of(scale=1e12), 80)
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in huge.splitlines()]


def test_names_are_text_and_nothing_else() -> None:
    frames = ["[/red]", "[bold]a[/bold]", "\x1b[2Jb\x07\u202ec" + 1000 * "x"]
    names = {**NAMES, "scenario": "[/]\x1b]0;t\x07", "frames": frames, "phases": ["[/x]"]}
    text = drawn(view_of(names), 120)
    assert "[/red]" in text
    assert "[bold]a[/bold]" in text
    assert "[/x]" in text
    assert not any(letter in text for letter in "\x1b\x07\u202e")
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("payload", [50_000 * b"[", b"[1", b"{}", b"\xff", b'{"frames": 1}', b"1"])
def test_description_that_is_none_is_counted(payload: bytes) -> None:
    view = view_of()
    view.take(encode(packets.DESCRIPTION, payload))
    assert view.faults == 1
    assert "chaser.ring" in drawn(view, 120)
