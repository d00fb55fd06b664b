"""Ordinary compilation: kernels as numba compiles them at their first call, kept under a stamp of all sources."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from docksim.native import storage
from docksim.native.decorators import APART, Kernel
from docksim.native.twins import Twins


def twin(kernel: Kernel) -> Callable[..., Any]:
    """A kernel as numba's dispatcher."""
    return twins().of(kernel)


@cache
def twins() -> Twins:
    """Of all kernels that were asked for."""
    import numba

    config: Any = numba.config
    folder, _ = storage.cache_folder()
    # of all sources: numba looks at the file of the cached function alone
    stamp = hashlib.sha256(f"{sys.version} {numba.__version__}".encode())
    for path in sorted(Path(__file__).resolve().parents[1].rglob("*.py")):
        stamp.update(path.name.encode() + b"\0" + path.read_bytes())

    def make(function: Any, options: dict[str, Any]) -> Any:
        previous = config.CACHE_DIR
        config.CACHE_DIR = str(folder / "jit" / stamp.hexdigest()[:16]) if folder is not None else ""
        try:
            known = {name: value for name, value in options.items() if name != APART}
            return numba.njit(function, cache=folder is not None, **known)
        finally:
            config.CACHE_DIR = previous

    return Twins(make)
