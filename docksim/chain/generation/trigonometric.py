"""A(q), the potential energy and Christoffel symbols of a chain as sums of products of sines and cosines, exactly.

The method of projections written out: with X_k the 4 x 4 motion of joint k and D_k its derivative in the link's frame,

    A_ji    W = (X..X_i)' D_j' (X..X_i) D_i    goes on from link to link as X' W X, and enters by trace(W H_k)
    V       v = -g' T                          goes on as v X, and enters by v H_k e_4

where X' W X is split by the functions 1, c, s, c^2, s c of a turning and 1, d, d^2 of a sliding joint, and a product
whose matrix is zero is dropped at once. H_k has the basic parameters only: each product has a coefficient for each base
parameter. Turning joints whose axes stay parallel are one group: there the functions are exp(i n q), whose products are
sines and cosines of sums of angles (c23 for cos(q2 + q3)), and far fewer of them are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from docksim.chain.identification.baseparams import SMALL, BaseParameters, base_parameters
from docksim.chain.identification.projections import JointMatrices
from docksim.chain.model import ChainModel

MOST_PRODUCTS = 20_000
# a factor: c, s or d; its angle as (joint, multiple) pairs, or the sliding joint; its power
Angle = tuple[tuple[int, int], ...]
Factor = tuple[str, Angle, int]
Term = tuple[Factor, ...]
Sum = dict[Term, np.ndarray]  # coefficients by base parameter (r,)
Rows = tuple[np.ndarray, np.ndarray]  # (M, n) function of each joint in a product, (M, 16) or (M, 4) its matrix
ONE: Term = ()
WAVES = (0, 1, -1, 2, -2)


class TooManyTerms(ValueError):
    """Equations that nobody could read."""


@dataclass(frozen=True, eq=False)
class Equations:
    """A q'' + C q' q' + dV/dq = Q of the links: sums by joints, all linear in the base parameters."""

    chain: ChainModel
    base: BaseParameters
    A: dict[tuple[int, int], Sum]  # i <= j; those that are not zero
    weights: dict[int, Sum]

    def without(self, left_out: np.ndarray) -> Equations:
        """The same without some base parameters (r,)."""
        factor = np.where(left_out, 0.0, 1.0)

        def kept(sums: dict[Any, Sum]) -> dict[Any, Sum]:
            rest = {at: cleaned({term: factor * values for term, values in one.items()}) for at, one in sums.items()}
            return {at: one for at, one in rest.items() if one}

        return Equations(self.chain, self.base, kept(self.A), kept(self.weights))

    @cached_property
    def christoffel(self) -> dict[tuple[int, int, int], Sum]:
        """C_ijk = (dA_ij/dq_k + dA_ik/dq_j - dA_jk/dq_i) / 2 for j <= k; those that are not zero."""
        slopes = {(i, j, k): derivative(entry, k) for (i, j), entry in self.A.items() for k in range(self.chain.n)}
        symbols = {}
        for i, j, k in product(range(self.chain.n), repeat=3):
            if j <= k:
                parts = ((i, j, k, 0.5), (i, k, j, 0.5), (j, k, i, -0.5))
                entry = added((slopes.get((min(a, b), max(a, b), by), {}), factor) for a, b, by, factor in parts)
                if entry:
                    symbols[i, j, k] = entry
        return symbols


def equations(chain: ChainModel) -> Equations:
    """The expansion. Raises TooManyTerms for chains whose equations are beyond reading."""
    base = base_parameters(chain)
    joints = [JointMatrices(chain, k, 1.0) for k in range(chain.n)]
    maker = _Maker(chain, base, joints)
    V = maker.potential()
    weights = {k: derivative(V, k) for k in range(chain.n)}
    return Equations(chain, base, maker.matrix(), {k: entry for k, entry in weights.items() if entry})


# ---------------------------------------------------------------- the expansion


class _Maker:
    def __init__(self, chain: ChainModel, base: BaseParameters, joints: list[JointMatrices]) -> None:
        self.chain, self.base, self.joints = chain, base, joints
        self.group = _groups(chain)
        self.parallel = [self.group.count(group) > 1 for group in self.group]
        # parameters of link k among the base parameters: their places there, and in the ten of the link
        self.places = [np.flatnonzero(base.columns // 10 == k) for k in range(chain.n)]
        self._sums: dict[tuple[tuple[int, int], ...], list[tuple[Term, complex]]] = {}

    def matrix(self) -> dict[tuple[int, int], Sum]:
        entries = {}
        for j in range(self.chain.n):
            single = {j: self._start(self.joints[j].rate.T.reshape(1, 16))}
            for i in range(j, self.chain.n):
                if not self.chain.inside[j, i]:
                    continue
                if i > j:
                    single[i] = self._through(i, single[int(self.chain.parent[i])], self.joints[i].squares())
                functions, matrices = single[i]
                turned = (matrices.reshape(-1, 4, 4) @ self.joints[i].rate).reshape(-1, 16)
                entry = self._collected(i, (functions, turned), kinetic=True)
                if entry:
                    entries[j, i] = entry
        return entries

    def potential(self) -> Sum:
        """V without its constant."""
        down = -np.append(self.chain.gravity, 0.0)[None]
        rows: dict[int, Rows] = {-1: self._start(down)}
        parts = []
        for k in range(self.chain.n):
            rows[k] = self._through(k, rows[int(self.chain.parent[k])], self.joints[k].parts)
            parts.append(self._entered(k, rows[k], kinetic=False))
        energy = self._summed(parts)
        energy.pop(ONE, None)
        return energy

    def _collected(self, i: int, start: Rows, kinetic: bool) -> Sum:
        """All that hangs on joint i, as rows go on from link to link."""
        rows = {i: start}
        parts = []
        for k in range(i, self.chain.n):
            if self.chain.inside[i, k]:
                if k > i:
                    rows[k] = self._through(k, rows[int(self.chain.parent[k])], self.joints[k].squares())
                parts.append(self._entered(k, rows[k], kinetic))
        return self._summed(parts)

    def _start(self, matrix: np.ndarray) -> Rows:
        return np.zeros((1, self.chain.n), np.int8), matrix

    def _through(self, k: int, rows: Rows, parts: list[np.ndarray]) -> Rows:
        """Rows times each of the functions of joint k; zeros are dropped."""
        functions, matrices = rows
        parts = _waves(parts) if self.parallel[k] else parts
        if len(functions) * len(parts) > 5 * MOST_PRODUCTS:
            raise TooManyTerms(_beyond(self.chain))
        made = [matrices @ part for part in parts]
        kept = [np.abs(one).max(axis=1, initial=0.0) > SMALL for one in made]
        marked = [functions[keep] for keep in kept]
        for function, one in enumerate(marked):
            one[:, k] = function
        return np.concatenate(marked), np.concatenate([one[keep] for one, keep in zip(made, kept)])

    def _entered(self, k: int, rows: Rows, kinetic: bool) -> Rows:
        """Coefficients (M, r) of the base parameters of link k."""
        columns = self.joints[k].kinetic_columns() if kinetic else self.joints[k].potential_columns()
        out = np.zeros((len(rows[0]), len(self.base.columns)), complex)
        out[:, self.places[k]] = (rows[1] @ columns)[:, self.base.columns[self.places[k]] % 10]
        keep = np.abs(out).max(axis=1, initial=0.0) > SMALL
        return rows[0][keep], out[keep]

    # ------------------------------------------------------------ products in words of terms

    def _summed(self, parts: list[Rows]) -> Sum:
        total: Sum = {}
        for functions, coefficients in parts:
            for row, values in zip(functions.tolist(), coefficients, strict=True):
                for term, factor in self._terms(row):
                    total[term] = total[term] + factor * values if term in total else factor * values
        if len(total) > MOST_PRODUCTS:
            raise TooManyTerms(_beyond(self.chain))
        # exp(i a) and exp(-i a) come together: nothing imaginary is left
        return cleaned({term: values.real for term, values in total.items()})

    def _terms(self, row: list[int]) -> Iterator[tuple[Term, complex]]:
        """A product of functions, group by group, as terms with factors."""
        by_group: dict[int, list[tuple[int, int]]] = {}
        for k, function in enumerate(row):
            if function:
                by_group.setdefault(self.group[k], []).append((k, function))
        choices = [self._of_group(tuple(members)) for members in by_group.values()]
        for chosen in product(*choices):
            factor: complex = 1.0
            for _, part in chosen:
                factor *= part
            yield tuple(sorted((one for term, _ in chosen for one in term), key=_order)), factor

    def _of_group(self, members: tuple[tuple[int, int], ...]) -> list[tuple[Term, complex]]:
        if members not in self._sums:
            alone = not self.parallel[members[0][0]]
            self._sums[members] = [(_alone(self.chain, *members[0]), 1.0)] if alone else _wave(members)
        return self._sums[members]


def _beyond(chain: ChainModel) -> str:
    return (
        f"has {chain.n} joints, and its equations more than {MOST_PRODUCTS} products of sines and cosines:"
        " nobody reads them; 'docksim chain generate' writes them as code"
    )


def _groups(chain: ChainModel) -> list[int]:
    """The first of the joints whose axes stay parallel to a joint's; a sliding joint by itself."""
    group = list(range(chain.n))
    for k in range(chain.n):
        p = int(chain.parent[k])
        if p >= 0 and not chain.prismatic[k] and not chain.prismatic[p]:
            along = float(chain.axis[p] @ chain.R_fix[k] @ chain.axis[k])
            if 1.0 - abs(along) < 1e-15:
                group[k] = group[p]
    return group


def _alone(chain: ChainModel, k: int, function: int) -> Term:
    """c, s, c^2, s c of a turning joint, d, d^2 of a sliding one."""
    angle = ((k, 1),)
    if chain.prismatic[k]:
        return (("d", angle, function),)
    return {
        1: (("c", angle, 1),),
        2: (("s", angle, 1),),
        3: (("c", angle, 2),),
        4: (("s", angle, 1), ("c", angle, 1)),
    }[function]


def _waves(parts: list[np.ndarray]) -> list[np.ndarray]:
    """Factors of exp(i n q), n in the order of WAVES, from those of 1, c, s or of 1, c, s, c^2, s c."""
    one, c, s = parts[:3]
    first = [0.5 * (c - 1j * s), 0.5 * (c + 1j * s)]
    if len(parts) == 3:
        return [one + 0j, *first]
    cc, sc = parts[3:]
    return [one + 0.5 * cc, *first, 0.25 * (cc - 1j * sc), 0.25 * (cc + 1j * sc)]


def _wave(members: tuple[tuple[int, int], ...]) -> list[tuple[Term, complex]]:
    """exp(i a) of a sum of angles as cos a + i sin a, with the first multiple positive."""
    angle = tuple((k, WAVES[function]) for k, function in members)
    turn = -1 if angle[0][1] < 0 else 1
    angle = tuple((k, turn * n) for k, n in angle)
    return [((("c", angle, 1),), 1.0), ((("s", angle, 1),), 1j * turn)]


def _order(factor: Factor) -> tuple[int, int, int]:
    """By the first joint; s before c."""
    return factor[1][0][0], len(factor[1]), "dsc".index(factor[0])


# ---------------------------------------------------------------- sums


def added(parts: Iterable[tuple[Sum, float]]) -> Sum:
    """Sums with factors."""
    total: Sum = {}
    for entry, factor in parts:
        for term, values in entry.items():
            total[term] = total[term] + factor * values if term in total else factor * values
    return cleaned(total)


def cleaned(entry: Sum) -> Sum:
    """Without what is rounding."""
    kept = {term: np.where(np.abs(values) > SMALL, values, 0.0) for term, values in entry.items()}
    return {term: values for term, values in kept.items() if values.any()}


def derivative(entry: Sum, k: int) -> Sum:
    """By the coordinate of joint k."""
    parts = [({changed: values}, factor) for term, values in entry.items() for changed, factor in _slope(term, k)]
    return added(parts)


def _slope(term: Term, k: int) -> Iterator[tuple[Term, float]]:
    """The derivative of one product as products with factors."""
    touched = [one for one in term if any(joint == k for joint, _ in one[1])]
    rest = [one for one in term if one not in touched]
    if not touched:
        return
    angle = touched[0][1]
    n = dict(angle)[k]
    kinds = tuple((kind, power) for kind, _, power in touched)
    changes: dict[tuple[tuple[str, int], ...], list[tuple[list[tuple[str, int]], float]]] = {
        (("c", 1),): [([("s", 1)], -1.0)],
        (("s", 1),): [([("c", 1)], 1.0)],
        (("c", 2),): [([("s", 1), ("c", 1)], -2.0)],
        (("s", 1), ("c", 1)): [([("c", 2)], 2.0), ([], -1.0)],
        (("d", 1),): [([], 1.0)],
        (("d", 2),): [([("d", 1)], 2.0)],
    }
    for made, factor in changes[kinds]:
        new = [(kind, angle, power) for kind, power in made]
        yield tuple(sorted((*rest, *new), key=_order)), n * factor
