"""Ctrl-C and SIGTERM: asked first, obeyed at once when there is nothing to keep."""

from __future__ import annotations

import os
import signal

import pytest

from docksim.cli.interrupt import SIGNALS, interruptible
from docksim.simulation.threads import COMPILING


@pytest.mark.parametrize("one", SIGNALS)
def test_first_signal_asks_and_the_second_leaves(one: signal.Signals) -> None:
    notes: list[str] = []
    before = [signal.getsignal(each) for each in SIGNALS]
    with interruptible(notes.append) as stop:
        os.kill(os.getpid(), one)
        assert stop.is_set()
        assert "stopping and saving" in notes[0]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), one)
    assert [signal.getsignal(each) for each in SIGNALS] == before


def test_first_signal_leaves_while_the_kernel_is_compiled() -> None:
    notes: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible(notes.append), COMPILING:
        os.kill(os.getpid(), signal.SIGINT)
    assert notes == ["the kernel was being compiled; there is nothing to save"]
