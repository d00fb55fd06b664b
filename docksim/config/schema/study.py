"""The study schema: one file describes many runs of one base scenario.

Either `dispersions` with `sampling` (Monte Carlo), or `grid` (all combinations), or `sweep` (one key at a time).
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from docksim.config.outcomes import LONG_ENOUGH_S
from docksim.config.schema.dispersions import Axis, Correlation, Dispersion
from docksim.config.schema.fields import (
    FileName,
    KeyFaults,
    NonNegative,
    Part,
    Positive,
    Reference,
)
from docksim.config.schema.unions import ToldByKey

DESIGNS = ("latin_hypercube", "sobol", "saltelli")
MOST_CASES = 10_000_000
MOST_DESIGN_CASES = 2**24


# ---------------------------------------------------------------- what counts as success


class Captured(Part):
    """Two interfaces hold each other until the end, and the run goes on long enough to load them.

    At the end every latch of the pair is engaged, or its hooks are closed.
    """

    captured: Reference = Field(description="Name of a contact pair with latches.")
    for_s: NonNegative = Field(
        LONG_ENOUGH_S, description="How long the run goes on after capture [s], unless hooks close before."
    )


class EventHappens(Part):
    """The event fires."""

    event: Reference = Field(description="Name of an event of the base scenario.")


class MetricWithin(Part):
    """A metric keeps a limit."""

    metric: Reference = Field(description="Name of a metric.")
    below: float | None = Field(None, description="Largest value that counts as success.")
    above: float | None = Field(None, description="Smallest value that counts as success.")

    def check(self) -> KeyFaults:
        if self.below is None and self.above is None:
            yield "", "needs below or above, or both"


class OutcomeIs(Part):
    """The run ends so."""

    outcome: Reference = Field(description="Outcome of the run, such as completed.")


Condition = Annotated[
    Captured | EventHappens | MetricWithin | OutcomeIs,
    ToldByKey("a condition", "give one condition an item"),
]  # fmt: skip


# ---------------------------------------------------------------- what is kept


class Histories(Part):
    """Of which cases the whole time history is kept."""

    keep: Literal["none", "all", "every", "worst"] = Field("none", description="none, all, every k-th, or the worst.")
    count: int | None = Field(None, ge=1, description="k of every, or how many of the worst.")
    metric: Reference | None = Field(None, description="The worst by this metric: the largest.")

    def check(self) -> KeyFaults:
        if self.keep in ("every", "worst") and self.count is None:
            yield "count", f"missing; keep: {self.keep} needs a count"
            return
        if (self.keep == "worst") != (self.metric is not None):
            yield "metric", "goes with keep: worst, which needs it"


def _as_histories(value: Any) -> Any:
    return {"keep": value} if isinstance(value, str) else value


# ---------------------------------------------------------------- a rare event


class Rare(Part):
    """The event whose probability `docksim study rare` finds: a metric beyond a threshold.

    A case without the metric (it diverged, or what the metric is about did not happen) counts as the event.
    """

    metric: Reference = Field(description="Metric that grows, or falls, towards the event.")
    above: float | None = Field(None, description="The event: the metric is at least this; excludes below.")
    below: float | None = Field(None, description="The event: the metric is at most this; excludes above.")
    samples: int = Field(1000, ge=20, le=1_000_000, description="Cases of a level.")
    level_probability: float = Field(0.1, ge=0.02, le=0.5, description="Share of a level's cases that begin the next.")
    most_levels: int = Field(12, ge=1, le=100, description="Levels after which it gives up.")

    def check(self) -> KeyFaults:
        if (self.above is None) == (self.below is None):
            yield "", "needs exactly one of above, below"
            return
        chains = round(self.samples * self.level_probability)
        if chains < 2 or self.samples % chains:
            text = f"{self.samples} cases, of which {self.level_probability:g} begin chains, do not come out even"
            yield "samples", f"{text}; samples times level_probability must be whole, and divide samples"

    @property
    def chains(self) -> int:
        """How many cases of a level begin the next."""
        return round(self.samples * self.level_probability)


# ---------------------------------------------------------------- fast


class Fast(Part):
    """Cases with steps as long as a tolerance lets them be, and that may end once a pair has settled.

    Some of them run the reference way as well, with fixed steps and to their own end, beside the study.
    """

    tolerance: Positive = Field(1e-6, description="solver.tolerance of the cases [m/s, rad/s].")
    settled: Reference | None = Field(
        None, description="Cases end once this contact pair is held and settled; success then asks for no longer run."
    )
    slower_than_m_s: Positive = Field(0.02, description="Speed below which it has settled [m/s].")
    lasting_s: Positive = Field(0.1, description="For so long without a break [s].")
    check_every: int = Field(50, ge=1, description="Of so many cases one also runs the reference way: 1, 51, 101, ...")

    @property
    def text(self) -> str:
        """In words."""
        ends = f"{self.settled} is held and slower than {self.slower_than_m_s:g} m/s for {self.lasting_s:g} s"
        return f"tolerance {self.tolerance:g}" + (f", cases end when {ends}" if self.settled else "")


# ---------------------------------------------------------------- the study


class Study(Part):
    """Many runs of one scenario."""

    name: FileName = Field(
        "study",
        description="Name, also of the result folder; the file's name if left out.",
    )
    description: str = Field("", description="What the study is for, in words.")
    base: Reference = Field(description="Path of the scenario file that the cases vary.")
    set: dict[Reference, Any] = Field(default_factory=dict, description="Keys changed in every case, as --set does.")
    seed: int = Field(0, ge=0, le=2**63 - 1, description="Seed of the dispersions.")
    cases: int | None = Field(None, ge=1, le=MOST_CASES, description="Number of cases; not for grids and sweeps.")
    sampling: Literal["random", "latin_hypercube", "sobol", "saltelli"] = Field(
        "random", description="How cases are spread; saltelli is the design for Sobol indices."
    )
    replicates: int = Field(8, ge=2, le=1000, description="Independent designs a study consists of, if not random.")
    dispersions: list[Dispersion] = Field(default_factory=list, description="What varies, and how.")
    correlations: list[Correlation] = Field(default_factory=list, description="What varies together.")
    grid: list[Axis] = Field(default_factory=list, description="Axes of which all combinations are run.")
    sweep: list[Axis] = Field(default_factory=list, description="Axes of which each is run alone, the rest as in base.")
    success: list[Condition] = Field(
        default_factory=list, description="All must hold, beside the limits; runs that end well if left out."
    )
    metrics: list[Reference] = Field(
        default_factory=lambda: ["*"], min_length=1, description="Metrics to keep; * stands for any part of a name."
    )
    limits: dict[Reference, float] = Field(
        default_factory=dict, description="Metrics and what they must not exceed; a case beyond one is no success."
    )
    histories: Annotated[Histories, BeforeValidator(_as_histories)] = Field(
        default_factory=Histories, description="Time histories to keep."
    )
    band: bool | None = Field(
        None,
        description="Run every case with soft and with stiff contact too, where the base has a band of stiffness: "
        "three runs a case. If left out: where limits or success are about loads across interfaces.",
    )
    rare: Rare | None = Field(None, description="A rare event, for `docksim study rare`.")
    fast: Fast | None = Field(None, description="Fast cases; `--fast` is `fast: {}`. Left out: fixed steps.")
    timeout_s: Positive | None = Field(None, description="Longest wall time of a case [s]; no limit if left out.")

    def check(self) -> KeyFaults:
        return [*self._kind_faults(), *self._design_faults()]

    @property
    def is_random(self) -> bool:
        """Whether cases are a random sample, independent of one another, which exact intervals need."""
        return bool(self.dispersions) and self.sampling == "random"

    @property
    def keys(self) -> list[str]:
        """Every key that varies, in the order of the table's columns."""
        if self.dispersions:
            return [key for item in self.dispersions for key in item.targets]
        return [axis.key for axis in self.grid or self.sweep]

    @property
    def factors(self) -> list[tuple[str, list[int]]]:
        """What varies independently, for Sobol indices: name and dispersions of each; correlated keys are one."""
        group = {key: i for i, item in enumerate(self.correlations) for key in item.keys}
        members_of: dict[Any, tuple[str, list[int]]] = {}
        for i, item in enumerate(self.dispersions):
            together = group.get(item.targets[0], f"alone {i}")
            name, members = members_of.get(together, ("", []))
            members_of[together] = (", ".join([name, *item.targets] if name else item.targets), [*members, i])
        return list(members_of.values())

    def _kind_faults(self) -> list[tuple[str, str]]:
        if self.rare is not None and not self.dispersions:
            return [("rare", "needs dispersions: a grid or a sweep has no probabilities")]
        given = [name for name in ("dispersions", "grid", "sweep") if getattr(self, name)]
        if len(given) != 1:
            named = " and ".join(given) or "none of them"
            return [("", f"needs exactly one of dispersions, grid, sweep; found {named}")]
        if given == ["dispersions"] and self.cases is None:
            return [("cases", "missing; add the key 'cases': how many cases to run")]
        if given != ["dispersions"] and self.cases is not None:
            return [("cases", f"a {given[0]} has as many cases as its values make; remove the key")]
        if math.prod(len(axis.values) for axis in self.grid) > MOST_CASES:
            return [("grid", f"makes more than {MOST_CASES} cases; take fewer values, or random sampling")]
        return []

    def _design_faults(self) -> list[tuple[str, str]]:
        """A design is laid out for a number of cases, so that number must be right from the start."""
        if self.sampling not in DESIGNS or not self.dispersions or self.cases is None:
            return []
        if self.cases > MOST_DESIGN_CASES:
            return [("cases", f"{self.cases}: a design has at most {MOST_DESIGN_CASES}; random sampling may have more")]
        rows, what = self.replicates, f"replicates ({self.replicates})"
        if self.sampling == "saltelli":
            blocks = len(self.factors) + 2
            rows, what = rows * blocks, f"replicates times (factors + 2), {rows} x {blocks}"
        each, rest = divmod(self.cases, rows)
        if rest or each < 2:
            near = rows * max(2, round(self.cases / rows))
            return [("cases", f"{self.cases} must be a multiple of {what}, at least twice it; try {near}")]
        if self.sampling != "latin_hypercube" and each & (each - 1):
            near = rows * 2 ** round(math.log2(each))
            return [("cases", f"{self.cases} is {each} times {what}, and {each} is not a power of 2; try {near}")]
        return []
