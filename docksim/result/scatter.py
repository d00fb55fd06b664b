"""The range of peaks over several runs whose starts differ by next to nothing.

After a few knocks two interfaces rattle, and differences grow from knock to knock: peaks of a whole run scatter by a
tenth or a quarter with the start's last digits, however exact each run is. One run gives one draw of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docksim.result.result import Metric

_EXTREMES = ("peak", "largest", "least")
_STARTS = ("peak_", "sustained_")
OF_LIMIT = ".of_limit"
LOW, HIGH = ".low", ".high"


def is_extreme(name: str) -> bool:
    """Is this metric the largest or least of something over the run?"""
    last = name.rsplit(".", 1)[-1]
    return last in _EXTREMES or last.startswith(_STARTS)


def ranges(runs: Sequence[Mapping[str, Metric]]) -> dict[str, float]:
    """`<metric>.low` and `<metric>.high` of every extreme that all runs have; its share of the limit by the upper end,
    `<metric>.high.of_limit`."""
    ends: dict[str, float] = {}
    for name in runs[0]:
        stem = name.removesuffix(OF_LIMIT)
        if not is_extreme(stem) or not all(name in run for run in runs):
            continue
        values = [float(run[name]) for run in runs]
        if name == stem:
            ends[stem + LOW] = min(values)
            ends[stem + HIGH] = max(values)
        else:
            ends[stem + HIGH + OF_LIMIT] = max(values)
    return ends
