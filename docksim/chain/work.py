"""Scratch of the formulations, made once for a chain: compiled code allocates nothing.

The same tables can be filled with counting numbers: see counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

# what compiled code passes around, as tuples: a vector, a symmetric matrix (xx, yy, zz, xy, xz, yz), a matrix by rows
Vec = tuple[float, float, float]
Sym = tuple[float, float, float, float, float, float]
Mat = tuple[float, float, float, float, float, float, float, float, float]


class Work(NamedTuple):
    """Vectors are (n, 3), or (n, n, 3) by link and joint; matrices have 9 entries, symmetric ones 6."""

    # frames: joint motions, then everything on base axes
    turn: Annotated[Any, np.float64, 2]  # (n, 9) rotation of the joint
    shift: Annotated[Any, np.float64, 2]  # (n, 3) translation of the joint, on joint axes
    R: Annotated[Any, np.float64, 2]  # (n, 9) link to base axes
    z: Annotated[Any, np.float64, 2]  # (n, 3) joint axes
    r: Annotated[Any, np.float64, 2]  # (n, 3) from the parent's origin (the world's) to the link's
    c: Annotated[Any, np.float64, 2]  # (n, 3) first moments
    J: Annotated[Any, np.float64, 2]  # (n, 6) inertias about the links' origins
    # motion
    rate: Annotated[Any, np.float64, 2]  # (n, 3) angular velocity
    spin: Annotated[Any, np.float64, 2]  # (n, 3) angular acceleration
    lift: Annotated[Any, np.float64, 2]  # (n, 3) acceleration of the origin, less gravity
    force: Annotated[Any, np.float64, 2]  # (n, 3) what moves the link
    torque: Annotated[Any, np.float64, 2]  # (n, 3) about its origin
    # of the formulations
    T: Annotated[Any, np.float64, 3]  # (n, n, 3) velocity of link k's origin by rate of joint i
    S: Annotated[Any, np.float64, 3]  # (n, n, 3) angular velocity of link k by rate of joint i, or between origins
    U: Annotated[Any, np.float64, 2]  # (n, 3)
    V: Annotated[Any, np.float64, 2]  # (n, 3)
    Y: Annotated[Any, np.float64, 2]  # (n, 3)
    M: Annotated[Any, np.float64, 2]  # (n, 9) sums of 3 x 3 matrices
    K: Annotated[Any, np.float64, 2]  # (n, 6) sums of symmetric ones
    s: Annotated[Any, np.float64]  # (n,) sums of masses
    X: Annotated[Any, np.float64, 2]  # (n, n)
    path: Annotated[np.ndarray, np.int64]  # (n,) integers


SHAPES = {
    "turn": "9", "shift": "3", "R": "9", "z": "3", "r": "3", "c": "3", "J": "6",
    "rate": "3", "spin": "3", "lift": "3", "force": "3", "torque": "3",
    "T": "n3", "S": "n3", "U": "3", "V": "3", "Y": "3", "M": "9", "K": "6", "s": "", "X": "n",
}  # fmt: skip


def make_work(n: int, blank: Callable[[tuple[int, ...]], Any] = np.zeros) -> Work:
    """Tables for a chain of n links; `blank` makes an empty one of a shape."""
    shapes = {name: (n, *(n if letter == "n" else int(letter) for letter in text)) for name, text in SHAPES.items()}
    return Work(**{name: blank(shape) for name, shape in shapes.items()}, path=np.zeros(n, np.int64))
