"""Inputs from outside, each with its own age: the wrench at a port, the contact of a pair, the motion of a frame.

An input is stale if nothing was taken for it for so many cycles, whatever came for others; from the start too, if it
was asked for and never came. Commands are done when they are taken, and never stale.
"""

from __future__ import annotations

from typing import Any


class Source:
    """One input: is it stale, since when, and how often was it?"""

    def __init__(self, name: str) -> None:
        self.name = name
        self.taken = False  # something, since the last look
        self.came = False  # anything at all
        self.stale = False
        self.times = self.cycles = 0  # gone stale, and stale
        self.first = -1  # cycle in which it first was
        self._last = 0

    def look(self, cycle: int, hold: int) -> bool:
        """Once a cycle; True if it has gone stale now."""
        if self.taken:
            self.taken, self.came, self.stale, self._last = False, True, False, cycle
            return False
        if cycle - self._last < hold:
            return False
        self.cycles += 1
        if self.stale:
            return False
        self.stale = True
        self.times += 1
        if self.times == 1:
            self.first = cycle
        return True

    def as_dict(self, start_s: float, period_s: float) -> dict[str, Any]:
        """What became of it; the time is that of the simulation."""
        return {
            "cycles": self.cycles,
            "times": self.times,
            "from_s": start_s + self.first * period_s,
            "ever_came": self.came,
            "stale_at_end": self.stale,
        }


def stale_words(stale: dict[str, dict[str, Any]], cycles: int) -> list[str]:
    """A line for every input that was stale, from what `as_dict` says."""
    lines = []
    for name, facts in stale.items():
        often = f"stale in {facts['cycles']} of {cycles} cycles, first at t = {facts['from_s']:.6g} s"
        end = ", and at the end" if facts["stale_at_end"] else ""
        lines.append(f"{name}: {often}{end}" if facts["ever_came"] else f"{name}: nothing ever came")
    return lines
