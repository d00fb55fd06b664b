"""What all targets share."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
REFUSED, TAKEN = "refused", "taken"
MOST_LINES = 25


class Target(Protocol):
    """A reader under test; `folder` is scratch."""

    suffix: str

    def draw(self, rng: Random) -> bytes: ...
    def feed(self, content: bytes, folder: Path) -> str: ...


def fit_to_print(text: str, lines: int = 1) -> None:
    """Words for a terminal: not too many, and nothing that it would obey."""
    assert len(text.splitlines()) <= lines, text[:2000]
    assert text.replace("\n", "").isprintable(), ascii(text[:2000])
    assert len(text) < 400 * lines, text[:2000]


class _Tags(HTMLParser):
    """What a page would run or fetch."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.scripts, self.odd = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.odd += [tag] if tag in ("iframe", "object", "embed", "base", "form", "foreignobject") else []
        for name, value in attrs:
            runs = name.startswith("on") or (value or "").strip().lower().startswith(("javascript:", "http:", "//"))
            # names of XML, which nothing fetches
            self.odd += [f"{tag} {name}"] if runs and not name.startswith("xmlns") else []


def fit_to_open(page: str, scripts: int, forms: int = 0) -> None:
    """A page that runs its own scripts and nothing that came with its data, and asks for nothing."""
    tags = _Tags()
    tags.feed(page)
    odd = [one for one in tags.odd if one != "form"]
    assert (tags.scripts, odd, len(tags.odd) - len(odd)) == (scripts, [], forms), (tags.scripts, tags.odd[:5])
