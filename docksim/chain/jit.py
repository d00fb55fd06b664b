"""The decorators of the chains' compiled code: the kernel's, with a cache stamped by the sources of this room too.

See docksim/kernel/jit.py for the reasons. The code of chains is apart from the kernel, so that a change here does not
compile simulations again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from docksim.kernel import jit as kernel_jit

HERE = Path(__file__).resolve().parent
SOURCES = ("jit", "model", "work", "frames", "kane", "recurrent", "composite", "twists", "repeats", "points")


def source_stamp() -> str:
    """Hash of all that the compiled code depends on."""
    digest = hashlib.sha256(kernel_jit.source_stamp().encode())
    for name in SOURCES:
        digest.update(name.encode() + b"\0" + (HERE / f"{name}.py").read_bytes())
    return "chain-" + digest.hexdigest()[:16]


CACHE_FOLDER = kernel_jit._writable_folder(source_stamp())


def _compiled(function: Callable[..., Any], **more: Any) -> Any:
    config: Any = numba.config
    njit: Any = numba.njit
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(CACHE_FOLDER or "")
    try:
        cached = CACHE_FOLDER is not None
        return njit(function, nogil=True, error_model="numpy", _nrt=False, cache=cached, **more)
    finally:
        config.CACHE_DIR = previous


def compiled(function: Callable[..., Any]) -> Any:
    """Compile at first call: no GIL, IEEE division, no allocation, cached under the stamp."""
    return _compiled(function)


def inlined(function: Callable[..., Any]) -> Any:
    """The same for small functions of tuples, which become part of their callers."""
    return _compiled(function, forceinline=True)
