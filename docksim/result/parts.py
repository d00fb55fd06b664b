"""Part of a result: some of its channels, fewer rows, a stretch of its time.

Rows are left out, never made up: every number is one of the result, to the bit. Channels that hold extremes between
rows hold those between the rows that are left, so no peak is lost by it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TypeVar

import numpy as np

from docksim.config.errors import unknown
from docksim.result.result import LARGEST, LEAST, Channel, Channels, Result, ResultError

TIME = "time_s"
NEAR = 1e-6  # of the distance asked for: times are sums of steps
AnyResult = TypeVar("AnyResult", bound=Result)


def part_of(
    result: AnyResult,
    patterns: Iterable[str] = (),
    every_s: float | None = None,
    from_s: float | None = None,
    to_s: float | None = None,
) -> AnyResult:
    """The channels that fit any of the patterns, all if there are none; rows from `from_s` to `to_s`, one each
    `every_s`. Time is always among the channels; events, metrics and outcome stay those of the whole run."""
    names = channels_like(result, patterns)
    rows = np.arange(len(result.time_s))[rows_between(result, from_s, to_s)]
    if every_s is not None:
        rows = rows[_one_each(result.time_s[rows], every_s)]
    part = copy.copy(result)
    part.channels = Channels({name: _some_rows(result.channels[name], rows) for name in names})
    return part


def channels_like(result: Result, patterns: Iterable[str]) -> list[str]:
    """Names that fit, in the order of the result, time first; ResultError for a pattern that fits none."""
    wanted = list(patterns)
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in result):
            raise ResultError(f"{unknown('channel', pattern, result)}; * stands for any part of a name")
    return [n for n in result if n == TIME or not wanted or any(fnmatchcase(n, pattern) for pattern in wanted)]


def rows_between(result: Result, from_s: float | None, to_s: float | None) -> slice:
    """The rows of a stretch of time, both ends included; ResultError if there are none."""
    time = result.time_s
    if from_s is None and to_s is None:
        return slice(None)
    first = 0 if from_s is None else int(np.searchsorted(time, from_s, "left"))
    end = len(time) if to_s is None else int(np.searchsorted(time, to_s, "right"))
    if first >= end:
        there = f"rows go from {time[0]:g} to {time[-1]:g} s" if len(time) else "there are no rows"
        wanted = " ".join(f"{word} {s:g} s" for word, s in (("from", from_s), ("to", to_s)) if s is not None)
        raise ResultError(f"no rows {wanted}: {there}")
    return slice(first, end)


def _one_each(time: np.ndarray, every_s: float) -> np.ndarray:
    """The first row at or after each multiple of `every_s`, and both ends."""
    if not 0.0 < every_s < np.inf:
        raise ResultError(f"every {every_s:g} s: expected a finite time greater than 0 s")
    stretch = np.floor(time / every_s + NEAR)
    begins = np.diff(stretch, prepend=-np.inf) > 0
    begins[-1:] = True
    return np.flatnonzero(begins)


def _some_rows(channel: Channel, rows: np.ndarray) -> Channel:
    """Those rows; of extremes the extreme since the row before that is left."""
    join = np.minimum if channel.name.endswith(LEAST) else np.maximum if channel.name.endswith(LARGEST) else None
    if join is None or not len(rows):
        return replace(channel, data=channel.data[rows])
    since = np.append(rows[:1], rows[:-1] + 1)
    return replace(channel, data=join.reduceat(channel.data[: rows[-1] + 1], since, axis=0))
