"""SIGINT and SIGTERM, heard from the first line of `guarded` to its last.

The first one raises KeyboardInterrupt, wherever the program is; commands that have something to save ask to be told
instead (docksim/cli/interrupt.py). Nothing shows a traceback, and the exit code is 128 and the signal's number: 130 for
SIGINT, 143 for SIGTERM. A signal that the caller has set to be ignored, as shells do for what runs behind, stays so.
"""

from __future__ import annotations

import _thread
import atexit
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)
_heard: list[int] = []


def guarded(commands: Callable[[], None]) -> None:
    """Run what the program is for; it may be interrupted from its first import on."""
    heeded = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]
    _to_all(heeded, interrupt)
    sys.unraisablehook = _later
    # the first to be registered is the last to be done: from there on nothing hears, and nothing is to be said
    atexit.register(_to_all, heeded, signal.SIG_IGN)
    try:
        commands()
    except KeyboardInterrupt:
        sys.exit(told_of_abort())
    except Exception as error:
        if not (_heard and _was_interrupted(error)):
            raise
        sys.exit(told_of_abort())
    finally:
        # Python would die by SIGINT at its end if an interrupt came while a text was executed; the next text mends that
        exec("")
        # all that is left is Python's own end
        _to_all(heeded, _at_once)


def _to_all(signals: Iterable[signal.Signals], handler: Any) -> None:
    for one in signals:
        signal.signal(one, handler)


def interrupt(signum: int, frame: FrameType | None) -> None:
    """The handler of both signals while nothing else is asked for."""
    heard(signum)
    raise KeyboardInterrupt


def heard(signum: int) -> None:
    """A signal that ends the program decides on its exit code."""
    _heard[:] = [signum]


def unheard() -> None:
    """A new beginning, where commands follow each other in one process."""
    _heard.clear()


def interrupted() -> int:
    """The exit code of what was ended by a signal."""
    return 128 + (_heard or [signal.SIGINT])[0]


def told_of_abort() -> int:
    """The same, once the user has been told."""
    sys.stderr.write("aborted\n")
    return interrupted()


def _was_interrupted(error: BaseException) -> bool:
    """Some libraries wrap an interrupt that comes while they work, or only name it in words of their own."""
    one: BaseException | None = error
    while one is not None and not isinstance(one, KeyboardInterrupt) and KeyboardInterrupt.__name__ not in str(one):
        one = one.__cause__ or one.__context__
    return one is not None


def _later(unraisable: sys.UnraisableHookArgs) -> None:
    """Where an interrupt came and went in what can raise nothing, as in a callback of the garbage collector, it comes
    again."""
    if unraisable.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_again, (interrupted() - 128,))
    else:
        sys.__unraisablehook__(unraisable)


def _again(signum: int) -> None:
    time.sleep(1e-3)
    os.kill(os.getpid(), signum)


def _at_once(signum: int, frame: Any) -> None:
    os._exit(128 + signum)
