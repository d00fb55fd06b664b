"""Where no code fits the sources, the kernel is compiled before the first run, and the user hears how long it takes."""

from __future__ import annotations

import time
from collections.abc import Callable

from docksim.simulation.run import kernel_is_cached, prepare_kernel

LINE_EVERY_S = 10.0
NOTICE = "compiling the kernel: about a minute of one core, once for these sources"


def compile_first(note: Callable[[str], None]) -> None:
    """Compile the kernel if need be; what there is to say goes to `note`, a line at a time."""
    if kernel_is_cached():
        return
    note(NOTICE)
    began = told = time.monotonic()

    def show(fraction: float) -> None:
        nonlocal told
        if time.monotonic() - told >= LINE_EVERY_S:
            told = time.monotonic()
            note(f"compiling the kernel: {fraction:.0%} after {told - began:.0f} s")

    prepare_kernel(show)
    note(f"kernel compiled in {time.monotonic() - began:.0f} s")
