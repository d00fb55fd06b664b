"""What a run was given: its file, what was changed, where every value is written, and what in it is an estimate.

Kept with results and tables, so that two runs can be compared, and a report can list its assumptions, after the files
have changed. A figure is an estimate where its file says so: by the word "estimate" in the comment beside it, in a
comment of lines of its own, or in a text such as `source`. A value that another one was laid on counts no more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from docksim.config.errors import ScenarioError
from docksim.config.loading.files import data_root, found_file
from docksim.config.loading.overrides import phases
from docksim.config.loading.scenario import Loading
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Entry, Place, dotted, every_leaf, plain
from docksim.config.tree import places as every_place

WORD = re.compile(r"\bestimate", re.IGNORECASE)
LARGEST_FILE = 2_000_000  # bytes that are looked through
MOST_KEYS = 8  # told of one line
Places = Mapping[str, Place]


def given(
    source: str | PathLike[str] | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    origin: str = "--set",
    own: Places | None = None,
) -> dict[str, Any]:
    """Of a scenario that has been read without a fault; nothing of one that is no file's. `own` are places of changes
    that are written somewhere else."""
    if isinstance(source, Scenario):
        return {}
    name = fspath(source) if isinstance(source, str | PathLike) else "<dict>"
    loading = Loading(source, name)
    try:
        tree = loading.with_overrides(loading.tree(), changes or {}, origin)
    except ScenarioError:  # the files have changed since
        return {"file": name, "changes": dict(changes or {})}
    leaves = {dotted(path): entry for path, entry in every_leaf(tree)}
    places: dict[str, dict[str, int | None]] = {}
    for key, entry in leaves.items():
        place = (own or {}).get(_short(key), entry.place)
        places.setdefault(place.file, {})[key] = place.line
    written = {(place.file, place.line) for _, place in every_place(tree)}
    told = list(estimates(leaves, places, written))
    sequence = tree.value.get("sequence") if isinstance(tree.value, dict) else None
    named = phases(sequence.value) if sequence is not None and isinstance(sequence.value, list) else {}
    return {"file": name, "changes": dict(changes or {}), "places": places, "phases": named, "estimates": told}


def _short(key: str) -> str:
    return key.removeprefix("vehicles.")


# ---------------------------------------------------------------- estimates


def estimates(
    leaves: Mapping[str, Entry], places: Mapping[str, Mapping[str, int | None]], written: Collection[tuple[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Every line of a used file that says so, with the keys that it is about and their values."""
    for file, lines in places.items():
        keys_at: dict[int, list[str]] = {}
        for key, line in lines.items():
            keys_at.setdefault(line or 0, []).append(key)
        for line, text in _told(file):
            # a comment by itself, or beside what counts
            if not text.startswith("#") and (file, line) not in written:
                continue
            keys = keys_at.get(line, [])[:MOST_KEYS]
            values = {_short(key): plain(leaves[key]) for key in keys if not WORD.search(str(plain(leaves[key])))}
            yield {"file": file, "line": line, "text": _words(text), "values": values}


def _told(file: str) -> Iterator[tuple[int, str]]:
    """Lines with the word, by their numbers; sentences that go over several comment lines as one."""
    text = _text(file).splitlines()
    i = 0
    while i < len(text):
        block = [text[i].strip()]
        while block[0].startswith("#") and i + len(block) < len(text) and text[i + len(block)].strip().startswith("#"):
            block.append(text[i + len(block)].strip())
        if WORD.search(" ".join(block)):
            yield i + 1, " ".join([block[0], *(line.lstrip("# ") for line in block[1:])])
        i += len(block)


def _text(file: str) -> str:
    """Of a file as messages name it; nothing of what is no file any more."""
    for path in (Path(file), data_root() / file):
        try:
            path = found_file(path)
            if path.is_file() and path.stat().st_size <= LARGEST_FILE:
                return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
    return ""


def _words(line: str) -> str:
    """A comment as a sentence: what stands behind the value, or the whole line."""
    _, mark, comment = line.partition("#")
    return (comment if mark and WORD.search(comment) else line).strip()
