"""A disk that is full, for the process that asks: no file grows beyond a few bytes."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def tight_disk(most_bytes: int) -> Iterator[None]:
    """Writes beyond so many bytes of any file fail with an OSError, as they do when a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
