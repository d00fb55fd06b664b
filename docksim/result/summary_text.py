"""The summary of a run in words: rows of name and text that terminal and report show alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from docksim.result.bands import is_band_end, three_of
from docksim.result.result import Metric
from docksim.result.scatter import HIGH, LOW, OF_LIMIT
from docksim.result.summary import Summary

MAX_METRICS = 30
_SHOWN_ABOVE = ("energy.residual", "momentum.linear_residual", "momentum.angular_residual")


def balance_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    """Times, and what the balances of energy and momentum leave over."""
    yield "simulated time", f"{number(summary.simulated_s)} s"
    if summary.wall_s is not None:
        yield "wall time", f"{summary.wall_s:.3g} s"
    if summary.real_time_factor is not None:
        yield "real-time factor", f"{summary.real_time_factor:.3g}"
    for vehicle, method in summary.mechanisms.items():
        if method == "joints":
            yield f"legs of {vehicle}", "by joint coordinates, as published (method: joints)"
    if residual := summary.energy_residual:
        yield (
            "energy residual",
            f"{residual.final:.2e} at the end, {residual.largest:.2e} at most, of the largest energy",
        )
    for name, left in summary.momentum_residuals.items():
        yield f"{name} momentum residual", f"{left.largest:.2e} {left.unit} at most, relative {left.relative:.2e}"


def peak_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    """How far the peaks of a run with contact can be trusted."""
    if summary.verdict:
        words = list(summary.outcomes.values())
        outcomes = f"all {words[0]}" if len(set(words)) == 1 else " / ".join(words)
        yield "loads", f"{summary.verdict}; three runs, contact soft / middle / stiff: {outcomes}"
    if summary.repeats:
        yield "peaks", f"with their range over {summary.repeats + 1} runs, starts a nanometre apart"
    elif any(name.endswith(".first_contact_s") for name in summary.metrics):
        yield "peaks", "one run; late peaks scatter (--scatter N gives their range), those of the first impact do not"


def event_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    """What happened when."""
    for event in summary.events:
        words = f"{event.name}: {event.text}" if event.text else event.name
        loss = f" (energy loss {number(event.energy_loss_J)} J)" if event.energy_loss_J else ""
        yield f"{event.time_s:.6g} s", words + loss


def load_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    """Every load across an interface that is not nothing, as low / middle / high of the band, with its limit."""
    for name, ends in _loads(summary.metrics):
        unit = "N m" if name.endswith("_Nm") else "N"
        text = f"{' / '.join(map(_load, ends))} {unit}{_range(summary.metrics, name)}"
        shares = three_of(summary.metrics, name + OF_LIMIT)
        limits = [load / share for load, share in zip(ends, shares or (), strict=False) if share > 0.0]
        told = f" of {_load(limits[0])}, at most {max(shares):.2g}" if shares and limits else ""
        if any(ends):
            yield name, text + told


def _load(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 1e3 else f"{value:.4g}"


def _loads(metrics: Mapping[str, Metric]) -> Iterator[tuple[str, tuple[float, float, float]]]:
    for name in metrics:
        ends = None if name.endswith(OF_LIMIT) else three_of(metrics, name)
        if ends is not None:
            yield name, ends


def metric_rows(summary: Summary, most: int = MAX_METRICS) -> Iterator[tuple[str, str]]:
    """Metrics by name, but for those that balance_rows has; no more than `most`."""
    banded = {name for name, _ in _loads(summary.metrics)}
    banded |= {name + OF_LIMIT for name in banded}
    metrics = {k: v for k, v in summary.metrics.items() if not k.startswith(_SHOWN_ABOVE) and k not in banded}
    items = list(condensed(metrics).items())
    yield from items[:most]
    if len(items) > most:
        yield "…", f"{len(items) - most} more in metrics.json"


def condensed(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Metrics as text, those of a beam's segments in one line: the largest, "chaser.array.*.load_force_N.peak".

    A range over several runs stands behind its metric.
    """
    groups: dict[str, list[Metric]] = {}
    for name, value in metrics.items():
        if not name.endswith((LOW, HIGH, HIGH + OF_LIMIT)) and not is_band_end(name):
            groups.setdefault(re.sub(r"\.\d+(?=\.)", ".*", name), []).append(value)
    return {name: _largest(values) + _range(metrics, name) for name, values in groups.items()}


def _range(metrics: Mapping[str, Metric], name: str) -> str:
    if name + LOW in metrics:
        return f" ({number(metrics[name + LOW])} to {number(metrics[name + HIGH])})"
    upper = metrics.get(name.removesuffix(OF_LIMIT) + HIGH + OF_LIMIT)
    return f" ({number(upper)} by the upper end)" if name.endswith(OF_LIMIT) and upper is not None else ""


def _largest(values: list[Metric]) -> str:
    numbers = [value for value in values if not isinstance(value, str)]
    if len(values) == 1 or len(numbers) < len(values):
        return ", ".join(number(value) for value in values)
    return f"{number(max(numbers))}, largest of {len(values)}"


def number(value: Any) -> str:
    """Six digits are enough to read; the files have them all."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
