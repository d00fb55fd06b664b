"""`python -m docksim.native.builder MODULE LEVEL OUT [FUNCTIONS]`: build the LIBRARY of a module into the file OUT.

Says how far it is, a line at a time: "function NAME", "linking", "optimised", "done SECONDS". FUNCTIONS keeps the front
end's work. Ends with the process that started it.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from docksim.files.writing import write_bytes


def main(module: str, level: str, out: str, functions: str = "") -> None:
    # nothing here is garbage before the end
    gc.disable()
    # where the system knows how (Linux): nobody waits for what is made here if the parent is gone
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    # attempts that fail are coloured for a terminal otherwise, where colorama is installed
    os.environ["NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING"] = "1"
    from docksim.native.builder.library import build

    def tell(text: str) -> None:
        print(text, flush=True)

    content = build(importlib.import_module(module).LIBRARY, level, Path(functions) if functions else None, tell)
    write_bytes(Path(out), content)
    tell(f"done {time.process_time():.1f}")


if __name__ == "__main__":
    # a megabyte more on Python's stack of frames, in one piece with those of all calls below; CPython's pieces have
    # 16 kB, and each call across an edge maps and unmaps memory: a tenth of the time of a build
    main.__code__ = main.__code__.replace(co_stacksize=1 << 17)
    main(*sys.argv[1:])
