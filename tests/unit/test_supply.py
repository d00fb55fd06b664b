"""What docksim needs to run is pinned, and its licence is told; so is what travels with it."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# for those who work on docksim
NOT_TO_RUN = ("dev", "docs", "all")


def needed(texts: list[str], extras: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names of packages, and of those that they need in turn."""
    asked = [(Requirement(text), extras) for text in texts]
    known: set[tuple[str, frozenset[str]]] = set()
    while asked:
        one, wanted = asked.pop()
        if one.marker is not None and not any(one.marker.evaluate({"extra": extra}) for extra in (*wanted, "")):
            continue
        name, own = canonicalize_name(one.name), frozenset(one.extras)
        if (name, own) not in known:
            known.add((name, own))
            yield name
            asked += [(Requirement(text), own) for text in requires(name) or ()]


def to_run() -> set[str]:
    extras = PROJECT["optional-dependencies"]
    more = [text for extra, texts in extras.items() if extra not in NOT_TO_RUN for text in texts]
    return set(needed([*PROJECT["dependencies"], *more]))


def test_all_that_docksim_runs_on_is_pinned_and_its_licence_told() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {canonicalize_name(name) for name, _, version in (line.partition("==") for line in lines) if version}
    security = (ROOT / "SECURITY.md").read_text(encoding="utf-8").partition("## Supply chain")[2]
    told = {canonicalize_name(word) for word in re.findall(r"[A-Za-z][\w.-]*\w", security)}
    asked = to_run()
    assert {"numpy", "pyarrow", "trimesh", "cryptography", "tornado"} <= asked
    assert sorted(asked - pinned) == []
    assert sorted(asked - told) == []


def test_library_of_the_pages_is_the_one_that_its_readme_tells() -> None:
    folder = ROOT / "docksim" / "replay" / "page" / "three"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256((folder / "three.min.js").read_bytes()).hexdigest() in readme
    (version,) = set(re.findall(r"three\.js (\d+\.\d+\.\d+)", readme))
    assert f"three.js {version}" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "MIT" in (folder / "LICENSE").read_text(encoding="utf-8")
