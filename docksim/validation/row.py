"""One row of the table: what is published, what passes, how it is found, and what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from docksim.validation.bench import Bench

Group = Literal["published", "population"]
Verdict = Literal["pass", "fail", "not run"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "not run")
# what the groups are, in the order of the table
GROUPS: dict[Group, str] = {
    "published": "Published behaviour and figures",
    "population": "Acceptance populations",
}


@dataclass(frozen=True)
class Finding:
    """What an experiment came to. `figures` are its numbers, `curves` what a drawing of it needs: plain data."""

    ours: str
    passes: bool
    figures: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """A published fact or a population, and the experiment that is held against it.

    `short` and `full` are the sizes of the experiment in `unit`, the first for a minute's check, the second for the
    table that is committed; an experiment that is the same in both has two equal ones. `tuned` are the parameters that
    were set with this row in view, so that it cannot judge them; `lacks` is what the model lacks where the row fails.
    """

    name: str
    group: Group
    published: str
    source: str
    band: str
    reason: str
    experiment: Callable[[Bench, int], Finding]
    short: int
    full: int
    unit: str = "runs"
    seed: int | None = None
    tuned: tuple[str, ...] = ()
    lacks: str = ""

    def size(self, full: bool) -> int:
        return self.full if full else self.short

    def sized(self, full: bool) -> str:
        """The size in words."""
        size = self.size(full)
        words = f"{size} {self.unit if size != 1 else self.unit.removesuffix('s')}"
        return words if self.seed is None else f"{words}, seed {self.seed}"


@dataclass(frozen=True)
class Answer:
    """A row with what came of it."""

    row: Row
    size: str
    verdict: Verdict
    ours: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Everything but what is only drawn, as plain data."""
        row = self.row
        told = {key: getattr(row, key) for key in ("name", "group", "published", "source", "band", "reason", "lacks")}
        found = {"size": self.size, "ours": self.ours, "verdict": self.verdict, "figures": dict(self.figures)}
        return {**told, "tuned": list(row.tuned), **found}
