"""What a report says of a result, as rows of text: summary, loads against limits, phases, events, inputs, origin."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from docksim.config.outcomes import SUCCESSES
from docksim.plots.run.contact import LIMITS, contact_pairs, interface_limits
from docksim.plots.run.phases import Span, phase_spans
from docksim.result.bands import three_of
from docksim.result.result import Result, ResultError
from docksim.result.scatter import HIGH, LOW
from docksim.result.summary import summarize
from docksim.result.summary_text import balance_rows, load_rows, metric_rows, peak_rows

Rows = list[tuple[str, str]]
MOST_METRICS = 400


@dataclass(frozen=True)
class Load:
    """A peak load across an interface and its limit, if there is one."""

    name: str
    unit: str
    peak: float
    limit: float | None
    range: tuple[float, float] | None = None  # over several runs
    band: tuple[float, float, float] | None = None  # with soft, middle and stiff contact

    @property
    def share(self) -> float | None:
        """Of the limit; by the largest where there is a range or a band."""
        largest = max(self.peak, *(self.range or ()), *(self.band or ()), self.peak)
        return None if not self.limit else largest / self.limit

    @property
    def level(self) -> str:
        """How near the limit is: a word for the style of the page."""
        share = self.share or 0.0
        return "over" if share > 1.0 else "near" if share > 0.8 else "fine"


@dataclass(frozen=True)
class ResultFacts:
    """Everything but the figures."""

    name: str
    folder: str
    description: str
    outcome: str
    good: bool
    reason: str
    warnings: list[str]
    summary: Rows
    loads: list[Load]
    phases: list[Span]
    events: list[tuple[str, str, str, str]]
    metrics: Rows
    scenario: str
    origin: Rows
    command: str


def facts_of(result: Result) -> ResultFacts:
    """All of it; of a run that diverged, too."""
    with np.errstate(over="ignore", invalid="ignore"):
        summary = summarize(result)
    try:
        scenario = result.scenario_yaml
    except ResultError as error:
        scenario = f"# {error}"
    try:
        description = str(getattr(result.scenario, "description", ""))
    except ResultError:
        description = ""
    return ResultFacts(
        name=result.scenario_name,
        folder=str(result.folder or ""),
        description=description,
        outcome=result.outcome,
        good=result.outcome in SUCCESSES,
        reason=result.reason,
        warnings=list(result.warnings),
        summary=[*balance_rows(summary), *peak_rows(summary)],
        loads=[load for pair in contact_pairs(result) for load in loads_of(result, pair)],
        phases=phase_spans(result),
        events=[
            (f"{e.time_s:.6g}", e.name, e.text, f"{e.energy_loss_J:.4g}" if e.energy_loss_J else "")
            for e in result.events
        ],
        metrics=[*load_rows(summary), *metric_rows(summary, MOST_METRICS)],
        scenario=scenario,
        origin=origin_rows(result.manifest),
        command=f"docksim run {shlex.quote(f'{result.folder}/scenario.yaml')}",
    )


def loads_of(result: Result, pair: str) -> Iterator[Load]:
    """Peaks of all steps against the limits of the first port's interface; those that the run came to."""
    limits = interface_limits(result, pair)
    for key, bounds in LIMITS.items():
        channel, peak = result.channels.get(f"{pair}.peak_{key}"), result.metrics.get(f"{pair}.peak_{key}")
        if channel is not None and isinstance(peak, (int, float)):
            limit = next((limits[name] for name in bounds if name in limits), None)
            word = key.split("_")[0]
            own = _range(result, f"{pair}.peak_{key}")
            band = three_of(result.metrics, f"{pair}.peak_{key}")
            yield Load(f"{pair}: {word}", channel.unit, float(peak), limit, own, band)
    lasting = result.metrics.get(f"{pair}.sustained_compression_N")
    if isinstance(lasting, (int, float)):
        own = _range(result, f"{pair}.sustained_compression_N")
        yield Load(f"{pair}: sustained compression", "N", float(lasting), limits.get("compression_N"), own)


def _range(result: Result, metric: str) -> tuple[float, float] | None:
    ends = [result.metrics.get(metric + end) for end in (LOW, HIGH)]
    low, high = (end if isinstance(end, (int, float)) else None for end in ends)
    return None if low is None or high is None else (float(low), float(high))


def origin_rows(manifest: Mapping[str, Any]) -> Rows:
    """Seed, versions, commit, platform and libraries, as the manifest has them."""
    rows = [("seed", str(manifest["seed"]))] if "seed" in manifest else []
    rows.append(("docksim", str(manifest.get("docksim_version", "unknown"))))
    if commit := manifest.get("commit"):
        changed = " with uncommitted changes" if manifest.get("commit_modified") else ""
        rows.append(("commit", f"{commit}{changed}"))
    if started := manifest.get("started_utc"):
        rows.append(("started", str(started)))
    for group in ("platform", "libraries"):
        facts = manifest.get(group)
        if isinstance(facts, Mapping):
            rows.append((group, ", ".join(f"{key} {value}" for key, value in facts.items())))
    return rows
