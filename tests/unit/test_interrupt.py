"""Ctrl-C and SIGTERM: asked first, obeyed at once when there is nothing to keep."""

from __future__ import annotations

import os
import signal

import pytest

from docksim.cli.interrupt import SIGNALS, interruptible
from docksim.simulation import run
from docksim.simulation.threads import COMPILING, STOPPING


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


def test_no_compiling_begins_once_runs_are_asked_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "is_ready", lambda library: False)
    monkeypatch.setattr(run, "loaded", lambda *_: pytest.fail("it was compiled"))
    with interruptible(lambda text: None):
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            run.prepare_kernel()
    assert not STOPPING.is_set()


def test_first_signal_leaves_while_the_kernel_is_compiled() -> None:
    notes: list[str] = []
    with pytest.raises(KeyboardInterrupt), interruptible(notes.append), COMPILING:
        os.kill(os.getpid(), signal.SIGINT)
    assert notes == ["the kernel was being compiled; there is nothing to save"]
