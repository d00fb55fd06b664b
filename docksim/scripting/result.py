"""A result with what draws it: figures, export, and a card for notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docksim.result import result as plain
from docksim.result.export import export
from docksim.result.parts import part_of, rows_between

if TYPE_CHECKING:
    from docksim.scripting.figures import Figures


class Result(plain.Result):
    """The outcome of one run. `result["chaser.position_m"]` is the array of that channel."""

    @classmethod
    def of(cls, result: plain.Result) -> Result:
        """The same, with what draws it."""
        own = cls.__new__(cls)
        own.__dict__ = result.__dict__
        return own

    @classmethod
    def load(cls, folder: str | Path) -> Result:
        """Read a saved result; ResultError names the file that is missing or damaged."""
        return cls.of(plain.Result.load(folder))

    def part(
        self, *channels: str, every_s: float | None = None, from_s: float | None = None, to_s: float | None = None
    ) -> Result:
        """The channels that fit, such as "chaser.*", of a stretch of time, one row each `every_s`.

        Rows are left out, never made up, and channels of extremes between rows keep all peaks.
        """
        return part_of(self, channels, every_s, from_s, to_s)

    def plot(self, *what: str, from_s: float | None = None, to_s: float | None = None) -> Figures:
        """Figures by name: of these kinds or channels, as of `docksim plot`, or the main ones; a notebook shows them.

        `from_s` and `to_s` cut their curves to a stretch of time.
        """
        # who draws nothing waits for no matplotlib
        from docksim.scripting.figures import figures_of

        return figures_of(self, what, rows_between(self, from_s, to_s))

    def export(self, kind: str, file: str | Path | None = None) -> Path:
        """Write it as csv, mat or h5, by default into its folder."""
        return export(self, kind, None if file is None else Path(file))

    def _repr_html_(self) -> str:
        """Outcome, loads and a small figure."""
        from docksim.scripting.figures import card

        return card(self)
