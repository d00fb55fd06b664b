"""Compile ahead of the first run: `python -m docksim.warm [MODULE...]`. Later starts load the code.

Without modules the libraries of kernel and chains; a module is one that declares a LIBRARY.
"""

from __future__ import annotations

import importlib
import sys
import time

from docksim.native.libraries import loaded

USUAL = ("docksim.kernel.library", "docksim.chain.library")


def main(modules: list[str]) -> None:
    for module in modules or USUAL:
        library = importlib.import_module(module).LIBRARY
        began = time.perf_counter()
        print(f"{library.name}: {loaded(library).origin}, {time.perf_counter() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
