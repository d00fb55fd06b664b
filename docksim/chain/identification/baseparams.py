"""Base inertial parameters of a chain: the fewest combinations of the links' parameters that its motion depends on.

Z p, with Z from `projections`, is the energy's expansion. Its leftmost independent columns are the basic ones, and the
rows of its reduced echelon form are Y: the base parameters are Y p, each one basic parameter plus what cannot be told
from it. The form depends on nothing but the span of the rows; which columns are independent is decided by their
distance from the span of those before them, which does not lose digits along the chain as elimination does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from docksim.chain.identification.projections import PARAMETERS, energy_rows
from docksim.chain.model import ChainModel

SMALL = 1e-9  # lengths in units of the chain's own: what is less is zero
UNITS = (*("kg m2",) * 6, *("kg m",) * 3, "kg")
# power of length in a parameter
POWERS = np.array([2, 2, 2, 2, 2, 2, 1, 1, 1, 0])


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Y takes the 10 n parameters p of the links to the r base parameters, SI."""

    Y: np.ndarray  # (r, 10 n)
    columns: np.ndarray  # (r,) the basic parameter of each, its place in p
    links: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the basic parameters: Ixx2 is xx of link 2."""
        return tuple(parameter_name(column) for column in self.columns)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(UNITS[column % 10] for column in self.columns)

    def in_length(self, unit_m: float) -> np.ndarray:
        """Y for lengths in another unit: 0.001 for millimetres."""
        powers = np.tile(POWERS, len(self.links))
        return self.Y / unit_m ** (powers[self.columns][:, None] - powers[None, :])

    def values(self, parameters: np.ndarray) -> np.ndarray:
        """Y p; a sum that cancels is zero, not its rounding."""
        sums: np.ndarray = self.Y @ parameters
        return np.where(np.abs(sums) < 1e-14 * (np.abs(self.Y) @ np.abs(parameters)), 0.0, sums)

    def expressions(self, unit_m: float = 1.0, digits: int = 6) -> tuple[str, ...]:
        """Each base parameter in words: 'Ixx5 + 412.09 (m3 + m4)'."""
        Y = self.in_length(unit_m)
        return tuple(expression(row, int(column), digits) for row, column in zip(Y, self.columns))

    def unidentifiable(self) -> tuple[str, ...]:
        """Parameters that no motion of this chain depends on."""
        return tuple(parameter_name(j) for j in range(self.Y.shape[1]) if not self.Y[:, j].any())


def parameter_name(column: int) -> str:
    """Ixx1, Sx1, m1: of link 1."""
    kind = PARAMETERS[column % 10]
    return f"{'I' if len(kind) == 2 and kind[0] != 'S' else ''}{kind}{column // 10 + 1}"


def base_parameters(chain: ChainModel) -> BaseParameters:
    """The base parameters of a chain: of its geometry, joint types, and direction of gravity only."""
    length = characteristic_length(chain)
    Y, columns = echelon(energy_rows(chain, length))
    made = BaseParameters(Y, columns, chain.names)
    # back from units of the characteristic length
    return BaseParameters(made.in_length(1.0 / length), columns, chain.names)


def characteristic_length(chain: ChainModel) -> float:
    """The longest distance in the chain, 1 m if there is none; where the base is makes no difference."""
    offsets = np.concatenate([chain.p_fix[chain.parent >= 0], chain.parameter_frame()[1]])
    return float(np.linalg.norm(offsets, axis=1).max(initial=0.0)) or 1.0


def echelon(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reduced echelon form (r, columns) and its pivot columns, the leftmost independent ones."""
    rows = orthonormal(rows)[0].T
    _, pivots, triangle = orthonormal(rows.T)
    return _solved(triangle, pivots), np.array(pivots, int)


def orthonormal(vectors: np.ndarray) -> tuple[np.ndarray, list[int], np.ndarray]:
    """An orthonormal frame (size, r) of vectors (count, size), the vectors that added to it, and all in it (r, count).

    Gram and Schmidt, one vector after the other, so that the first ones are chosen.
    """
    count, size = vectors.shape
    frame = np.zeros((size, min(count, size)))
    within = np.zeros((frame.shape[1], count))
    chosen: list[int] = []
    for k in range(count):
        rest = vectors[k].copy()
        r = len(chosen)
        # twice is enough: what is left is at right angles to rounding
        for _ in range(2):
            part = frame[:, :r].T @ rest
            rest -= frame[:, :r] @ part
            within[:r, k] += part
        left = float(np.linalg.norm(rest))
        if left > SMALL and r < frame.shape[1]:
            frame[:, r] = rest / left
            within[r, k] = left
            chosen.append(k)
    return frame[:, : len(chosen)], chosen, within[: len(chosen)]


def _solved(triangle: np.ndarray, pivots: list[int]) -> np.ndarray:
    """Y from triangle[:, pivots] Y = triangle, upwards; entries that are rounding become zero."""
    Y = triangle.copy()
    for i in range(len(pivots) - 1, -1, -1):
        Y[i] = (Y[i] - triangle[i, pivots[i + 1 :]] @ Y[i + 1 :]) / triangle[i, pivots[i]]
    Y[np.abs(Y) < SMALL] = 0.0
    return Y


# ---------------------------------------------------------------- words


def expression(row: np.ndarray, basic: int, digits: int) -> str:
    """A row of Y in words, terms of equal coefficient together, the basic parameter first."""
    groups: dict[float, list[int]] = {}
    for column in np.flatnonzero(row):
        value = float(f"{row[column]:.10g}")
        groups.setdefault(value, []).append(int(column))
    order = sorted(groups.items(), key=lambda item: (basic not in item[1], min(item[1])))
    text = ""
    for sign, words in _terms(order, digits):
        text += f"{' ' + sign + ' ' if text else '-' if sign == '-' else ''}{words}"
    return text


def _terms(groups: list[tuple[float, list[int]]], digits: int) -> Iterator[tuple[str, str]]:
    for value, columns in groups:
        names = [parameter_name(column) for column in columns]
        sign = "-" if value < 0.0 else "+"
        if abs(value) == 1.0:
            yield from ((sign, name) for name in names)
        else:
            inside = f"({' + '.join(names)})" if len(names) > 1 else names[0]
            yield sign, f"{abs(value):.{digits}g} {inside}"
