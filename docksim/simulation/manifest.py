"""Where a result comes from: program version, source commit, seed, platform, library versions, wall time.

Nothing here identifies the user or the host. The commit is reported only if docksim itself runs from a git checkout;
a docksim installed into the virtual environment of some other repository does not borrow that repository's commit.
"""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from docksim import __version__

LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "pydantic", "PyYAML", "matplotlib", "click", "rich")


def build_manifest(
    scenario: str, seed: int, wall_time_s: float, started: datetime | None = None, **extra: Any
) -> dict[str, Any]:
    """The record saved with a result. `started` is when the run began (now if left out); `extra` adds entries."""
    began = (started or datetime.now(UTC)).astimezone(UTC)
    return {
        "scenario": scenario,
        "seed": seed,
        "docksim_version": __version__,
        **source_commit(),
        "started_utc": began.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "wall_time_s": wall_time_s,
        "platform": platform_facts(),
        "libraries": dict(library_versions()),
        **extra,
    }


def platform_facts() -> dict[str, Any]:
    """Operating system, processor and Python."""
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cpu_count": os.cpu_count(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


@cache
def library_versions() -> tuple[tuple[str, str], ...]:
    """Installed versions of the libraries that can change a number or a figure."""
    return tuple((name, _version_of(name)) for name in LIBRARIES)


def source_commit(package: Path | None = None) -> dict[str, Any]:
    """Commit of the checkout docksim runs from, and whether tracked files differ from it; None outside a checkout."""
    return dict(_source_commit(package or Path(__file__).resolve().parent))


@cache
def _source_commit(package: Path) -> tuple[tuple[str, Any], ...]:
    root = package.parent
    commit = _git(root, "rev-parse", "HEAD") if (root / ".git").exists() else None
    if not commit:
        return ("commit", None), ("commit_modified", None)
    changes = _git(root, "status", "--porcelain", "--untracked-files=no")
    return ("commit", commit), ("commit_modified", None if changes is None else bool(changes))


def _git(root: Path, *arguments: str) -> str | None:
    """Output of a git command, or None if git is absent, slow or unwilling."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _version_of(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
