"""Cubic splines in plain arithmetic: at rest at both ends, or straight there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def clamped_spline(times: Sequence[float], values: Sequence[float]) -> list[tuple[float, float, float, float]]:
    """Of every interval c0 .. c3: the value is c0 + x (c1 + x (c2 + x c3)), x from the interval's start.

    Twice continuously differentiable, with slope zero at both ends. The slopes at the knots solve a tridiagonal system
    with a dominant diagonal, by elimination without pivots.
    """
    spans = [b - a for a, b in pairwise(times)]
    chords = [(b - a) / span for (a, b), span in zip(pairwise(values), spans, strict=True)]
    slopes = _slopes(spans, chords)
    rows = []
    for i, (span, chord) in enumerate(zip(spans, chords, strict=True)):
        bend = (slopes[i] + slopes[i + 1] - 2.0 * chord) / span
        rows.append((values[i], slopes[i], (chord - slopes[i]) / span - bend, bend / span))
    return rows


def natural_spline(places: Sequence[float], values: Sequence[float]) -> list[tuple[float, float, float, float]]:
    """The same with no curvature at both ends; one row more, from the last knot on, goes straight on.

    The second derivatives at the knots solve a tridiagonal system with a dominant diagonal.
    """
    spans = [b - a for a, b in pairwise(places)]
    chords = [(b - a) / span for (a, b), span in zip(pairwise(values), spans, strict=True)]
    above, right = [0.0], [0.0]
    for i in range(1, len(spans)):
        pivot = 2.0 * (spans[i - 1] + spans[i]) - spans[i - 1] * above[-1]
        above.append(spans[i] / pivot)
        right.append((6.0 * (chords[i] - chords[i - 1]) - spans[i - 1] * right[-1]) / pivot)
    bends = _from_the_end(above, right)
    rows = []
    for i, (span, chord) in enumerate(zip(spans, chords, strict=True)):
        slope = chord - span * (2.0 * bends[i] + bends[i + 1]) / 6.0
        rows.append((values[i], slope, 0.5 * bends[i], (bends[i + 1] - bends[i]) / (6.0 * span)))
    slope = chords[-1] + spans[-1] * (bends[-2] + 2.0 * bends[-1]) / 6.0
    return [*rows, (values[-1], slope, 0.0, 0.0)]


def _slopes(spans: Sequence[float], chords: Sequence[float]) -> list[float]:
    """At the knots; zero at the first and the last."""
    above, right = [0.0], [0.0]
    for i in range(1, len(spans)):
        before, after = spans[i - 1], spans[i]
        pivot = 2.0 * (before + after) - after * above[-1]
        wanted = 3.0 * (after * chords[i - 1] + before * chords[i]) - after * right[-1]
        above.append(before / pivot)
        right.append(wanted / pivot)
    return _from_the_end(above, right)


def _from_the_end(above: Sequence[float], right: Sequence[float]) -> list[float]:
    """The unknowns of an eliminated tridiagonal system; zero at both ends."""
    values = [0.0]
    for share, part in zip(reversed(above[1:]), reversed(right[1:]), strict=True):
        values.append(part - share * values[-1])
    return [0.0, *reversed(values)]
