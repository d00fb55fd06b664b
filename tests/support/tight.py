"""Disks that are full or may not be written to."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

NOBODY = 65534


@contextmanager
def tight_disk(most_bytes: int) -> Iterator[None]:
    """Writes beyond so many bytes of any file fail with an OSError, as they do when a disk is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def small_disk(place: Path, most_kB: int) -> Iterator[bool]:
    """A disk of its own where this user may mount one, else just the folder; tells which."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={most_kB}k", "tmpfs", str(place)]
    mounted = os.getuid() == 0 and subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def filled(place: Path, left_bytes: int = 0) -> Iterator[None]:
    """No more than so many bytes fit on the disk; where it is none of its own, into any of its files."""
    if not place.is_mount():
        with tight_disk(max(2, left_bytes)):
            yield
        return
    space = os.statvfs(place)
    ballast = place / "ballast"
    handle = os.open(ballast, os.O_CREAT | os.O_WRONLY)
    try:
        os.posix_fallocate(handle, 0, space.f_bavail * space.f_frsize - left_bytes)
        yield
    finally:
        os.close(handle)
        ballast.unlink()


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Nothing can be written on the disk; where it is none of its own, in any of its folders."""
    with ExitStack() as after:
        if place.is_mount():
            subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
            after.callback(subprocess.run, ["mount", "-o", "remount,rw", str(place)], check=True)
        else:
            for folder in (place, *(path for path in place.rglob("*") if path.is_dir())):
                after.callback(folder.chmod, folder.stat().st_mode)
                folder.chmod(0o555)
            if os.getuid() == 0:
                # no folder is closed to root
                after.callback(os.seteuid, 0)
                os.seteuid(NOBODY)
        yield
