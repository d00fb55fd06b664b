"""The recurrent closed form sum by sum, as N. A. Yaskevich's table has it, for counting; recurrent has the one used.

Full 3 x 3 matrices, symmetric or not, and products of skew matrices with 12 multiplications, entry by entry. The table
has four misprints; here stands what is meant, which adds up to the table's totals.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from docksim.algebra import vec3
from docksim.chain.dynamics import frames, recurrent
from docksim.chain.dynamics.counts import Count, CountedState, Polynomial, polynomial, sample_chain
from docksim.chain.model import ChainModel
from docksim.numbers.counting import plain, values_of

Coefficients = tuple[float, ...]
add, dot, mat_vec, scale, transpose = map(plain, (vec3.add, vec3.dot, vec3.mat_vec, vec3.scale, vec3.transpose))
add9, load3, load_sym = map(plain, (recurrent.add9, vec3.load3, vec3.load_sym))


class Sum(NamedTuple):
    """A row of the table: multiplications and additions by powers of N, highest first."""

    words: str
    multiplications: Coefficients
    additions: Coefficients


NONE = (0.0, 0.0, 0.0, 0.0)
SUMS = {
    "r": Sum("r_ij = r_i,i+1 + r_i+1,j", NONE, (0, 1.5, -1.5, 0)),
    "c*": Sum("c*_ij = m_j r_ij + c_j", (0, 1.5, -1.5, 0), (0, 1.5, -1.5, 0)),
    "m": Sum("sum of masses (not used by turning joints)", NONE, (0, 0, 1, -1)),
    "S1": Sum("S1_j", NONE, (0, 0, 9, -9)),
    "S2 at N": Sum("S2_iN = m_N r~ r~'", (0, 0, 21, -21), (0, 0, 6, -6)),
    "S2": Sum("S2_ij = m_j r~ r~' + S2_i,j+1", (0, 10.5, -31.5, 21), (0, 7.5, -22.5, 15)),
    "S3 at N": Sum("S3_ijN = c*~ r~'", (0, 6, -18, 12), (0, 3, -9, 6)),  # printed: 6N² − 8N + 12
    "S3": Sum("S3_ijk = c*~ r~' + S3_i,j,k+1", (2, -12, 22, -12), (2.5, -15, 27.5, -15)),  # printed: − 5N²
    "S5 at N": Sum("S5_iN = c~ r~'", (0, 0, 12, -12), (0, 0, 6, -6)),
    "S5": Sum("S5_ij = c~ r~' + S5_i,j+1", (0, 6, -18, 12), (0, 7.5, -22.5, 15)),  # printed: 6N² − 8N + 12
    "I_ii": Sum("I_ii = S1 + S2 + 2 S5", NONE, (0, 0, 27, -27)),
    "I_iN": Sum("I_iN = S1 + S5'", NONE, (0, 0, 9, -9)),
    "I_ij": Sum("I_ij = S1 + S4 + S5', S4_ij = S3_i,j,j+1", NONE, (0, 9, -27, 18)),  # printed: 9N² − 7N + 18
    "A": Sum("A_ij = z_i' I_ij z_j", (0, 6, 6, 0), (0, 4, 4, 0)),
}
TOTALS = Sum("recurrent algorithm, together", (2, 18, -8, 0), (2.5, 19, 5.5, -19))


def skew_by_entries(a: Any, b: Any) -> Any:
    """a~ b~', 12 multiplications: no product is used twice."""
    return (
        a[1] * b[1] + a[2] * b[2], -(a[1] * b[0]), -(a[2] * b[0]),
        -(a[0] * b[1]), a[0] * b[0] + a[2] * b[2], -(a[2] * b[1]),
        -(a[0] * b[2]), -(a[1] * b[2]), a[0] * b[0] + a[1] * b[1],
    )  # fmt: skip


class Literal:
    """One run on counting numbers: what each row takes, and A. For serial chains of turning joints."""

    def __init__(self, chain: ChainModel) -> None:
        state = CountedState(chain)
        plain(frames.base_axes)(state.tables, state.work)
        self.n, self.mass, work = chain.n, state.tables.mass, state.work
        self.z = [load3(row) for row in work.z]
        self.c = [load3(row) for row in work.c]
        self.steps = [load3(row) for row in work.r]
        self.J = [_full(load_sym(row)) for row in work.J]
        self.counts: dict[str, Count] = {}
        before = state.count()
        for name, rows in self._rows():
            after = state.count()
            done = Count(after.multiplications - before.multiplications, after.additions - before.additions)
            self.counts[name], before = done, after
            self.answer = rows

    @property
    def A(self) -> np.ndarray:
        """The last row's answer."""
        matrix = np.zeros((self.n, self.n))
        for (i, j), value in self.answer.items():
            matrix[i, j] = matrix[j, i] = values_of(np.array([value], object))[0]
        return matrix

    def _rows(self) -> Any:
        """Name and answer of each row, in the table's order; the last is A."""
        n, last, mass, c = self.n, self.n - 1, self.mass, self.c
        pairs = [(i, j) for i in range(n - 2, -1, -1) for j in range(last, i, -1)]
        inner = [(i, j) for i, j in pairs if j < last]
        r: dict[Any, Any] = {}
        for i, j in pairs:
            r[i, j] = self.steps[j] if j == i + 1 else add(self.steps[i + 1], r[i + 1, j])
        yield "r", r
        star = {(i, j): add(scale(mass[j], r[i, j]), c[j]) for i, j in pairs}
        yield "c*", star
        masses = [mass[last]]
        for j in range(n - 2, -1, -1):
            masses.append(masses[-1] + mass[j])
        yield "m", masses
        S1 = {last: self.J[last]}
        for j in range(n - 2, -1, -1):
            S1[j] = add9(S1[j + 1], self.J[j])
        yield "S1", S1
        S2 = {(i, last): _times(mass[last], skew_by_entries(r[i, last], r[i, last])) for i in range(n - 1)}
        yield "S2 at N", S2
        for i, j in inner:
            S2[i, j] = add9(_times(mass[j], skew_by_entries(r[i, j], r[i, j])), S2[i, j + 1])
        yield "S2", S2
        S3 = {(i, j, last): skew_by_entries(star[i, last], r[j, last]) for i, j in inner}
        yield "S3 at N", S3
        for i, j in inner:
            for k in range(last - 1, j, -1):
                S3[i, j, k] = add9(skew_by_entries(star[i, k], r[j, k]), S3[i, j, k + 1])
        yield "S3", S3
        S5 = {(i, last): skew_by_entries(c[last], r[i, last]) for i in range(n - 1)}
        yield "S5 at N", S5
        for i, j in inner:
            S5[i, j] = add9(skew_by_entries(c[j], r[i, j]), S5[i, j + 1])
        yield "S5", S5
        whole = {(last, last): S1[last]}
        for i, j in pairwise(range(n)):
            whole[i, i] = add9(add9(S1[i], S2[i, j]), add9(S5[i, j], S5[i, j]))
        yield "I_ii", whole
        for i in range(n - 1):
            whole[i, last] = add9(S1[last], transpose(S5[i, last]))
        yield "I_iN", whole
        for i, j in inner:
            whole[i, j] = add9(add9(S1[j], S3[i, j, j + 1]), transpose(S5[i, j]))
        yield "I_ij", whole
        yield "A", {place: dot(self.z[place[0]], mat_vec(I, self.z[place[1]])) for place, I in whole.items()}


def _full(s: Any) -> Any:
    xx, yy, zz, xy, xz, yz = s
    return xx, xy, xz, xy, yy, yz, xz, yz, zz


def _times(m: Any, matrix: Any) -> Any:
    return tuple(m * entry for entry in matrix)


def _counted(name: str, n: int) -> Count:
    return _run(n).counts[name]


@cache
def _run(n: int) -> Literal:
    return Literal(sample_chain(n))


def sum_polynomials() -> dict[str, Polynomial]:
    """Operations of each row, counted."""
    return {name: polynomial(partial(_counted, name)) for name in SUMS}


def sum_of(rows: Any) -> tuple[Fraction, ...]:
    """Polynomials added up."""
    return tuple(sum((Fraction(part) for part in column), Fraction(0)) for column in zip(*rows, strict=True))
