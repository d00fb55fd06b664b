"""Compile ahead of the first run: `python -m docksim.cli.warm [MODULE...]`. Later starts load the code.

Without modules the libraries of kernel and chains; a module is one that declares a LIBRARY. A second library is begun
when the first one is being linked: it takes over the functions that both have, and two cores are busy.
"""

from __future__ import annotations

import importlib
import sys
import threading
import time

from docksim.native.libraries import PARTS, Library, loaded

USUAL = ("docksim.kernel.library", "docksim.chain.library")


def main(modules: list[str]) -> None:
    threads = []
    for module in modules or USUAL:
        linking = threading.Event()
        library = importlib.import_module(module).LIBRARY
        threads.append(threading.Thread(target=_prepare, args=(library, linking)))
        threads[-1].start()
        linking.wait()
    for thread in threads:
        thread.join()


def _prepare(library: Library, linking: threading.Event) -> None:
    began = time.perf_counter()
    try:
        code = loaded(library, lambda done: linking.set() if done >= PARTS["linking"] else None)
        print(f"{library.name}: {code.origin}, {time.perf_counter() - began:.1f} s", flush=True)
    finally:
        linking.set()


if __name__ == "__main__":
    main(sys.argv[1:])
