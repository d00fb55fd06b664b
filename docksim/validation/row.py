"""One row of the table: what is published, what passes, how it is found, and what was found.

Below, what rows have in common: captures counted, and counts held against a share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from docksim.study.statistics import clopper_pearson

if TYPE_CHECKING:
    from docksim.validation.bench import Bench, Told

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
    published: str
    source: str
    band: str
    reason: str
    experiment: Callable[[Bench, int], Finding]
    short: int
    full: int
    group: Group = "published"
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
        answer = {"size": self.size, "ours": self.ours, "verdict": self.verdict, "figures": dict(self.figures)}
        return {**told, "tuned": list(row.tuned), **answer}


def captured(runs: Sequence[Told]) -> int:
    """How many ended with all latches holding, no stop passed."""
    return sum(told.outcome in ("captured", "hard-docked") for told in runs)


def share(successes: int, cases: int, least: float = 0.0, most: float = 1.0) -> Finding:
    """A count against bounds on its share; whole cases, so 99 % of 6 are all 6."""
    interval = clopper_pearson(successes, cases)
    words = f"{successes} of {cases} (95 %: {100 * interval.low:.1f} to {100 * interval.high:.1f} %)"
    shares = {"share": successes / cases, "low": interval.low, "high": interval.high}
    figures = {"successes": successes, "cases": cases, **shares}
    curves = {**shares, "least": least, "most": most, "cases": cases}
    return Finding(words, least <= shares["share"] <= most, figures, curves)


def outcomes(runs: Sequence[Told]) -> str:
    """Every outcome with its count."""
    return ", ".join(f"{number} {word}" for word, number in Counter(told.outcome for told in runs).most_common())
