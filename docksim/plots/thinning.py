"""Long curves with no more points than can be seen: the first, least, largest and last value of every column.

A column is half as wide as a pixel. Through these points a line covers the same pixels as through all: every extreme
is drawn, and so is a spike of one row. Columns with gaps are kept whole.
"""

from __future__ import annotations

import numpy as np

COLUMNS = 2400  # over the longest time axis, about 5.5 inches of 200 pixels
LONG = 4 * COLUMNS  # rows from which on it pays


def thinned(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a curve that matter; all of a short one."""
    if len(values) <= LONG:
        return time, values
    rows = seen_rows(time, values, COLUMNS)
    return time[rows], values[rows]


def thinned_band(time: np.ndarray, least: np.ndarray, largest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of a band by columns: every column reaches as far as any row of it; all of a short one."""
    if len(least) <= LONG:
        return time, least, largest
    starts = np.flatnonzero(np.diff(_columns(time, COLUMNS), prepend=-1))
    ends = np.append(starts[1:], len(least)) - 1
    return time[ends], np.minimum.reduceat(least, starts), np.maximum.reduceat(largest, starts)


def _columns(time: np.ndarray, columns: int) -> np.ndarray:
    """The column of every row."""
    first, last = np.nanmin(time), np.nanmax(time)
    place = np.nan_to_num((time - first) * (columns / (last - first) if last > first else 0.0))
    return np.asarray(np.maximum.accumulate(np.minimum(place.astype(int), columns - 1)))


def seen_rows(time: np.ndarray, values: np.ndarray, columns: int) -> np.ndarray:
    """Rows to draw, in order; times grow, and where one is missing it is that of the row before."""
    starts = np.flatnonzero(np.diff(_columns(time, columns), prepend=-1))
    ends = np.append(starts[1:], len(values)) - 1
    lengths = ends - starts + 1
    # a gap makes the extremes of its column gaps
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    whole = np.repeat(~np.isfinite(least + most), lengths)
    extremes = [_first_equal(values, one, lengths) for one in (least, most)]
    return np.unique(np.concatenate([starts, ends, np.flatnonzero(whole), *extremes]))


def _first_equal(values: np.ndarray, wanted: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The first row of every column that has the wanted value."""
    rows = np.flatnonzero(values == np.repeat(wanted, lengths))
    owners = np.repeat(np.arange(len(lengths)), lengths)[rows]
    return np.asarray(rows[np.unique(owners, return_index=True)[1]])
