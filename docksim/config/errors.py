"""What is wrong with a scenario, told like a compiler: `file:line: key: message`, every problem at once."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxlevel = 3
_SHORT.maxlist = _SHORT.maxtuple = 8


LONGEST_KEY, LONGEST_MESSAGE = 200, 1000
MOST_LISTED = 20


@dataclass(frozen=True)
class Problem:
    """One fault. `line` is None where there is no text to point at (a dict, an override, a missing file)."""

    file: str
    line: int | None
    key: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        key = self.key if len(self.key) <= LONGEST_KEY else f"{self.key[:LONGEST_KEY]}…"
        message = self.message if len(self.message) <= LONGEST_MESSAGE else f"{self.message[:LONGEST_MESSAGE]}…"
        return printable(": ".join(part for part in (place, key, message) if part)).replace("\n", "\\n")


class ScenarioError(Exception):
    """A scenario that cannot be used; `problems` holds every fault found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(dict.fromkeys(problems))
        super().__init__("\n".join(listed(self.problems)))

    def __reduce__(self) -> tuple[type[ScenarioError], tuple[list[Problem]]]:
        # the default would rebuild from the joined text; worker processes send the problems themselves
        return type(self), (self.problems,)


def listed(problems: Iterable[object]) -> list[str]:
    """A line for each of the first faults, and how many more there are."""
    every = list(problems)
    more = len(every) - MOST_LISTED
    return [*map(str, every[:MOST_LISTED]), *([f"... and {more} more faults"] if more > 0 else [])]


def printable(text: str) -> str:
    """The text without what a terminal would obey: control characters appear as escapes, but for ends of lines."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def closest(word: object, choices: Iterable[str]) -> str | None:
    """The choice most like `word`, ignoring case, or None when nothing is near."""
    folded: dict[str, str] = {}
    for choice in choices:
        folded.setdefault(choice.lower(), choice)
    matches = difflib.get_close_matches(str(word).lower()[:200], folded, n=1, cutoff=0.6)
    return folded[matches[0]] if matches else None


def did_you_mean(word: object, choices: Iterable[str]) -> str:
    """A ready-made end of a message: "; did you mean 'x'?", or nothing."""
    match = closest(word, choices)
    return f"; did you mean {match!r}?" if match is not None else ""


def one_of(choices: Iterable[str]) -> str:
    """The choices as a readable list."""
    return ", ".join(choices) or "none"


def shown(value: object) -> str:
    """A value as it appears in a message: the way a scenario file writes it, cut short."""
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _SHORT.repr(value)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The message about a reference that leads nowhere."""
    listed = list(known)
    near = one_of(listed) if len(listed) <= 12 else f"{one_of(listed[:12])}, ..."
    return f"no {what} '{name}'; there is {near}{did_you_mean(name, listed)}"
