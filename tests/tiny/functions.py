"""Small compiled functions, one for each way that arguments and results cross into compiled code."""

from typing import Annotated, NamedTuple

import numpy as np

from docksim.native.decorators import kernel, melted, pure

POINT = np.dtype([("x", np.float64), ("n", np.int64), ("v", np.float64, (3,))], align=True)


class Pair(NamedTuple):
    """A bundle."""

    points: Annotated[np.ndarray, POINT]
    grid: Annotated[np.ndarray, np.float64, 2]


@pure
def twice(x):
    return 2.0 * x


@melted
def shifted(x):
    y = twice(x)
    return y + 1.0


@kernel
def scaled(x, n, up):
    """Twice x and one, n times, up or down."""
    y = shifted(x) * n
    return y if up else -y


@kernel
def raised(x, n=2):
    """A power of x, the square if nothing is said."""
    y = 1.0
    for _ in range(n):
        y *= x
    return y


@kernel
def turned(v, n):
    """Results within results."""
    return (v[1], v[2], v[0]), (n + 1, n > 3), n == 0


@kernel
def is_positive(x):
    return x > 0.0


@kernel
def filled(grid, value):
    """Writes the grid; returns nothing."""
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            grid[i, j] = value + 10.0 * i + j


@kernel
def moved(point, step):
    """Writes one row."""
    point.x += step
    point.n += 1
    for i in range(3):
        point.v[i] *= 2.0
    return point.x


@kernel
def summed(pair, rounds):
    """All numbers of a bundle, again and again."""
    total = 0.0
    for _ in range(rounds):
        for k in range(pair.points.size):
            total += pair.points[k].x
        for i in range(pair.grid.shape[0]):
            for j in range(pair.grid.shape[1]):
                total += pair.grid[i, j]
    return total


@kernel
def counted(pair, n):
    """Adds n to every point's count; a function of tables and a number, as the loop is."""
    for k in range(pair.points.size):
        pair.points[k].n += n
    return pair.points[0].n
