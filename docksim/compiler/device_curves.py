"""Piecewise linear laws of springs and dampers as knots: force and slope from a coordinate on, energy stored there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

Knot = tuple[float, float, float, float]  # coordinate or rate, force, slope up to the next knot, energy
Rows = Sequence[tuple[float, float]]


def curve(rows: Rows, left: float, right: float) -> tuple[Knot, ...]:
    """Straight lines through the rows, going on with the given slopes; energy, the integral of -force, 0 at row 0."""
    slopes = [(g - f) / (y - x) for (x, f), (y, g) in pairwise(rows)] + [right]
    knots, energy = [], 0.0
    for (x, force), slope, (y, _) in zip(rows, slopes, [*rows[1:], rows[-1]], strict=True):
        knots.append((x, force, slope, energy))
        energy -= (y - x) * (force + 0.5 * slope * (y - x))
    # the kernel continues its first piece to the left, so that line gets a knot of its own
    x, force = rows[0]
    back = max(rows[-1][0] - x, abs(x), 1e-3)
    first = (x - back, force - left * back, left, back * (force - 0.5 * left * back))
    return (first, *knots)


def counted_from(knots: Sequence[Knot], zero: float) -> tuple[Knot, ...]:
    """The same law with another zero of its energy."""
    return tuple((x, force, slope, energy - zero) for x, force, slope, energy in knots)


def spring_curve(rows: Rows) -> tuple[Knot, ...]:
    """A spring by table, its end slopes continued; its energy counts from the least within the table."""
    slopes = [(g - f) / (y - x) for (x, f), (y, g) in pairwise(rows)]
    knots = curve(rows, slopes[0], slopes[-1])
    least = [energy for _, _, _, energy in knots[1:]]
    for (x, force, slope, energy), (y, *_) in pairwise(knots[1:]):
        way = -force / slope if slope < 0.0 else -1.0
        if 0.0 < way < y - x:
            least.append(energy - 0.5 * force * way)
    return counted_from(knots, min(least))


def caged_spring(rest: float, stiffness: float, rebound: float, preload: float, give: float) -> tuple[Knot, ...]:
    """A spring that leaves its cage at the preload when shortened, and has a slope of its own when lengthened."""
    knots = curve([(rest - give, preload + stiffness * give), (rest, 0.0)], -stiffness, -rebound)
    return counted_from(knots, knots[-1][3])


def damper_curve(rows: Rows) -> tuple[Knot, ...]:
    """A damper by table, odd if it begins at rest; beyond its ends it never weakens, so it never gives energy."""
    if rows[0][0] == 0.0:
        rows = [(-rate, -force) for rate, force in rows[:0:-1]] + list(rows)
    slopes = [(g - f) / (y - x) for (x, f), (y, g) in pairwise(rows)]
    return curve(rows, max(slopes[0], 0.0), max(slopes[-1], 0.0))


def slope_at(knots: Sequence[Knot], x: float) -> float:
    """Slope of the law, that above x where it changes just there."""
    return next((slope for at, _, slope, _ in reversed(knots) if at <= x), knots[0][2])
