"""Operations of the formulations, counted: the same code runs on numbers that count what is done with them.

Counted from the joints' own rotations on, as in N. A. Yaskevich's table: sines, cosines and a joint's 3 x 3 matrix are
free, everything after them is not. A count for a serial chain of turning joints is a polynomial of the number of links
N, found exactly from a few lengths and checked at two others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from docksim.chain.dynamics import composite, frames, kane, recurrent, twists
from docksim.chain.model import REVOLUTE, ChainModel, ChainTables, ideal_joints
from docksim.chain.work import make_work
from docksim.numbers.counting import ADD, MULTIPLY, Tally, plain, values_of

# name, what it is, and the formula that N. A. Yaskevich's table has for it (highest power first)
MATRIX: dict[str, tuple[str, tuple[float, ...] | None]] = {
    "kane": ("matrix Kane, as printed", (16.0, 55.0, 246.0, 0.0)),
    "kane_trimmed": ("matrix Kane, zeros and symmetry used", None),
    "recurrent": ("recurrent closed form", (4.5, 37.0, 243.5, -19.0)),
    "crba": ("composite bodies (CRBA)", None),
    "twists": ("Zaremba's twists", None),
}
KOSYNKA = ("kosynka", (14.0, 129.0, -59.0, 0.0))
FORCES = {
    "kane": "matrix Kane",
    "recurrent": "recurrent closed form",
    "crba": "Newton-Euler recursion (RNEA)",
    "twists": "Zaremba's twists",
}
LENGTHS = (3, 4, 5, 6)
CHECKED = (2, 8)


@dataclass(frozen=True)
class Count:
    """Operations of one run."""

    multiplications: int
    additions: int

    @property
    def total(self) -> int:
        return self.multiplications + self.additions


@dataclass(frozen=True)
class Polynomial:
    """Multiplications and additions by powers of N, highest first; exact."""

    multiplications: tuple[Fraction, ...]
    additions: tuple[Fraction, ...]

    @property
    def total(self) -> tuple[Fraction, ...]:
        return tuple(a + b for a, b in zip(self.multiplications, self.additions, strict=True))

    def at(self, n: int) -> int:
        return int(value_at(self.total, n))


def value_at(coefficients: tuple[Any, ...], n: int) -> Any:
    """A polynomial, highest power first."""
    value = 0 * coefficients[0]
    for coefficient in coefficients:
        value = value * n + coefficient
    return value


def in_words(coefficients: tuple[Any, ...]) -> str:
    """4.5N³ + 37N² - 19"""
    powers = ("N³", "N²", "N", "")
    text = ""
    for coefficient, power in zip(coefficients, powers[-len(coefficients) :], strict=True):
        if coefficient == 0:
            continue
        sign = "-" if coefficient < 0 else "+"
        words = f"{abs(float(coefficient)):.4g}".removesuffix(".0")
        words = power if words == "1" and power else words + power
        text += f" {sign} {words}" if text else f"{'-' if sign == '-' else ''}{words}"
    return text or "0"


# ---------------------------------------------------------------- one run


def count_matrix(chain: ChainModel, name: str) -> tuple[Count, np.ndarray]:
    """Operations for A from the joints' rotations on, and A."""
    frame = twists.link_axes if name == "twists" else frames.base_axes
    matrix = {
        "kane": kane.kane_matrix,
        "kane_trimmed": kane.kane_trimmed,
        "recurrent": recurrent.recurrent_matrix,
        "crba": composite.crba_matrix,
        "twists": twists.twist_matrix,
    }[name]
    run = CountedState(chain)
    A = run.tally.blank((chain.n, chain.n))
    plain(frame)(run.tables, run.work)
    plain(matrix)(run.tables, run.work, A)
    return run.count(), values_of(A)


def count_common(chain: ChainModel) -> Count:
    """Operations for what the formulations on base axes share."""
    run = CountedState(chain)
    plain(frames.base_axes)(run.tables, run.work)
    return run.count()


def count_forces(chain: ChainModel, name: str) -> tuple[Count, np.ndarray]:
    """Operations for b from the joints' rotations on, and b."""
    run = CountedState(chain)
    b = run.tally.blank((chain.n,))
    if name == "twists":
        plain(twists.link_axes)(run.tables, run.work)
        plain(twists.twist_bias)(run.tables, run.rates, run.work, b)
        return run.count(), values_of(b)
    code = {"kane": kane.kane_bias, "recurrent": recurrent.recurrent_bias, "crba": composite.rnea_forces}[name]
    plain(frames.base_axes)(run.tables, run.work)
    plain(frames.forces)(run.tables, run.rates, run.tally.cells(np.zeros(chain.n)), run.work)
    plain(code)(run.tables, run.work, b)
    return run.count(), values_of(b)


class CountedState:
    """A chain at a fixed state, in counting numbers."""

    def __init__(self, chain: ChainModel) -> None:
        self.tally = Tally()
        q, rates = np.random.default_rng(1).normal(size=(2, chain.n))
        started = make_work(chain.n)
        plain(frames.joint_motions)(chain.tables, q, started)
        self.work = make_work(chain.n, self.tally.blank)
        self.work = self.work._replace(turn=self.tally.cells(started.turn), shift=self.tally.cells(started.shift))
        whole = ("parent", "kind", "inside")
        self.tables = ChainTables(
            *(table if name in whole else self.tally.cells(table) for name, table in chain.tables._asdict().items())
        )
        self.rates = self.tally.cells(rates)

    def count(self) -> Count:
        counts = self.tally.counts
        return Count(counts[MULTIPLY], counts[ADD])


# ---------------------------------------------------------------- by the number of links


def sample_chain(n: int, seed: int = 0) -> ChainModel:
    """A serial chain of n turning joints in general position: nothing is zero that could be dropped."""
    rng = np.random.default_rng(seed)
    turns = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    turns = turns * np.linalg.det(turns)[:, None, None]
    axis = rng.normal(size=(n, 3))
    centre = rng.uniform(-0.3, 0.3, (n, 3))
    points = rng.normal(size=(n, 4, 3)) * 0.2
    second = np.einsum("kpi,kpj->kij", points, points) / 4 + np.einsum("ki,kj->kij", centre, centre)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return ChainModel(
        names=tuple(f"link{k + 1}" for k in range(n)),
        parent=np.arange(-1, n - 1),
        kind=np.full(n, REVOLUTE),
        axis=axis / np.linalg.norm(axis, axis=1)[:, None],
        R_fix=turns,
        p_fix=rng.uniform(-0.5, 0.5, (n, 3)),
        mass=np.ones(n),
        moment=centre,
        inertia=inertia,
        gravity=np.array([0.0, 0.0, -9.81]),
        R_end=np.broadcast_to(np.eye(3), (n, 3, 3)),
        p_end=np.zeros((n, 3)),
        far=np.arange(n),
        **ideal_joints(n),
    )


def polynomial(counted: Callable[[int], Count]) -> Polynomial:
    """The count by the number of links; ArithmeticError if it is no polynomial of third degree."""
    counts = {n: counted(n) for n in (*LENGTHS, *CHECKED)}
    parts = []
    for part in ("multiplications", "additions"):
        values = {n: getattr(count, part) for n, count in counts.items()}
        fitted = _through([(n, values[n]) for n in LENGTHS])
        wrong = [n for n in CHECKED if value_at(fitted, n) != values[n]]
        if wrong:
            raise ArithmeticError(f"the count of {part} is no cubic polynomial at N = {wrong}")
        parts.append(fitted)
    return Polynomial(*parts)


def _through(points: list[tuple[int, int]]) -> tuple[Fraction, ...]:
    """Coefficients, highest power first, of the polynomial through points (Newton's differences)."""
    differences = [Fraction(y) for _, y in points]
    size = len(points)
    for order in range(1, size):
        for i in range(size - 1, order - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (points[i][0] - points[i - order][0])
    made = [Fraction(0)] * size
    for i in range(size - 1, -1, -1):
        # times (N - x_i), plus the difference
        shifted = [*made[1:], Fraction(0)]
        made = [a - points[i][0] * b for a, b in zip(shifted, made, strict=True)]
        made[-1] += differences[i]
    return tuple(made)


def matrix_polynomials() -> dict[str, Polynomial]:
    """Operations for A by formulation."""
    return {name: polynomial(partial(_sampled, count_matrix, name)) for name in MATRIX}


def force_polynomials() -> dict[str, Polynomial]:
    """Operations for b by formulation."""
    return {name: polynomial(partial(_sampled, count_forces, name)) for name in FORCES}


def _sampled(counted: Callable[[ChainModel, str], tuple[Count, np.ndarray]], name: str, n: int) -> Count:
    return counted(sample_chain(n), name)[0]


def fewest_from(name: str, others: dict[str, Polynomial], largest: int = 50) -> list[int]:
    """The numbers of links up to `largest` at which a formulation needs the fewest operations of all."""
    return [n for n in range(1, largest + 1) if min(others, key=lambda other: others[other].at(n)) == name]
