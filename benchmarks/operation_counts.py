"""Arithmetic of one leg, general method against docksim's kernels: `python -m benchmarks.operation_counts`.

All do the same job: from the pose and rates of the ring and the rate of the base to the leg's share of the ring's and
the base's equations (A*, b*, G*, n0*, I*), closure included, shares added up. The kernels are the ones that simulations
run, taken as plain Python on counted numbers (`docksim/numbers/counting.py`): `straight-line` is what every step runs,
one lane of it; `link by link` is the leg in detail, one code for all types, from which loads are computed. The general
method is `generic_leg.py`. Before counts are reported the answers are compared.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from benchmarks.generic_leg import GenericLeg, a_plus_b
from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.mechanism_tables import leg_blocks, leg_table
from docksim.hardware.mechanism import Mechanism
from docksim.kernel.mechanism.hunt import hunt_leg
from docksim.kernel.mechanism.legs import at_home, leg_motion
from docksim.kernel.mechanism.reduction import add_leg
from docksim.kernel.mechanism.ring import add_leg_forces
from docksim.kernel.mechanism.ring_equations import add_total, inertia_entry
from docksim.kernel.mechanism.stewart import ups_leg
from docksim.kernel.mechanism.stewart_spun import spun_leg
from docksim.model.mechanism import LEG_FINE, WORK_BLOCK, WORK_LEG
from docksim.numbers.counting import KINDS, Tally, plain, values_of
from tests.oracle.rotations import turn
from tests.support.mechanisms import oracle_leg

MIXED = Path(__file__).resolve().parent.parent / "configs" / "mechanisms" / "mixed_legs.yaml"
TYPES = ("UPS", "SPU", "UCU", "RUS", "RSU")
# body of each type's loop over lanes, and the constant that the loop gives it
BODIES: dict[str, tuple[Any, ...]] = {
    "UPS": (ups_leg,),
    "SPU": (spun_leg, True),
    "UCU": (spun_leg, False),
    "RUS": (hunt_leg, False),
    "RSU": (hunt_leg, True),
}


class Motion(NamedTuple):
    """State of the ring in B, rate of the base, forces of the kept joints."""

    R_C: np.ndarray
    r_C: np.ndarray
    u: np.ndarray  # [w_C; v_C]
    w_0: np.ndarray
    Q: np.ndarray  # (4,)


class Counts(NamedTuple):
    """Operations in the order of KINDS, and the answer: A* (6, 6), b* (6,), G* (6, 6), n0* (6,), I* (6, 6)."""

    operations: tuple[int, ...]
    answer: list[np.ndarray]


def some_motion(mechanism: Mechanism, seed: int = 1) -> Motion:
    """A moving ring near the reference pose."""
    rng = np.random.default_rng(seed)
    R_C = rotation_matrix(np.array(mechanism.reference[1])) @ turn(rng.uniform(-0.05, 0.05, 3))
    r_C = np.array(mechanism.reference[0]) + rng.uniform(-0.03, 0.03, 3)
    return Motion(R_C, r_C, rng.normal(size=6), rng.normal(size=3), 100.0 * rng.normal(size=4))


def legs_by_type(mechanism: Mechanism) -> dict[str, int]:
    """Place of the first leg of each type."""
    return {name: mechanism.types.index(name) for name in TYPES if name in mechanism.types}


def with_driven_force(mechanism: Mechanism, k: int, motion: Motion) -> Motion:
    """Active force on the driven joint only, the one that devices act on."""
    Q = np.zeros(4)
    Q[mechanism.driven[k]] = motion.Q[0]
    return motion._replace(Q=Q)


def empty_sums(tally: Tally) -> SimpleNamespace:
    """What legs add to, at zero."""
    sizes = {"A": 21, "b": 6, "G": (6, 6), "n_0": 6, "I": 21}
    return SimpleNamespace(**{name: tally.cells(np.zeros(size)) for name, size in sizes.items()})


def answer_of(sums: SimpleNamespace) -> list[np.ndarray]:
    A, b, G, n_0, inertia = (values_of(getattr(sums, name)) for name in ("A", "b", "G", "n_0", "I"))
    return [full(A), b, G, n_0, full(inertia)]


def straight_line_counts(mechanism: Mechanism, k: int, motion: Motion, drop: bool = False) -> Counts:
    """One lane of the type's straight-line kernel, its force, and its part in the sums."""
    tally = Tally(drop)
    legs = leg_table(mechanism.legs)[k : k + 1]
    row = leg_blocks(legs)[0]
    out = np.zeros(1, WORK_BLOCK)[0]
    constant, block = (
        SimpleNamespace(
            **{name: tally.cells(own[name][..., :1]) for name in own.dtype.names if own[name].dtype == float}
        )
        for own in (row, out)
    )
    constant.n_legs = 1
    # the base joint is at home, as it is to the other methods
    block.way = block.v_0 = block.a_0 = np.zeros((3, 1))
    block.Q = tally.cells(motion.Q[:1])
    own = empty_sums(tally)
    R_C, r_C, u, w_0, _ = (tuple(tally.cells(part).ravel()) for part in motion)
    ring = (R_C, r_C, u[:3], u[3:])
    body, *choice = BODIES[mechanism.types[k]]
    plain(body)(constant, block, 0, ring, w_0, *choice)
    plain(add_total)(own, block.share[:, 0], tally.number(legs[0].mass.sum()))
    model, work = SimpleNamespace(block=[constant]), SimpleNamespace(block=[block])
    plain(add_leg_forces)(model, work, SimpleNamespace(first_block=0, n_blocks=1), own)
    return Counts(tally.row(), answer_of(own))


def kernel_counts(mechanism: Mechanism, k: int, motion: Motion, drop: bool = False) -> Counts:
    """`leg_motion` and `add_leg`, as docksim runs them."""
    tally = Tally(drop)
    motion = with_driven_force(mechanism, k, motion)
    row = leg_table(mechanism.legs)[k]
    leg = SimpleNamespace(**{name: _field(tally, name, row[name]) for name in row.dtype.names})
    out = SimpleNamespace(**{name: tally.blank(WORK_LEG[name].shape) for name in WORK_LEG.names})
    out.status, out.Q = LEG_FINE, tally.cells(motion.Q)
    work = empty_sums(tally)
    R_C, r_C, u, w_0, _ = (tuple(tally.cells(part).ravel()) for part in motion)
    plain(leg_motion)(leg, out, R_C, r_C, u[:3], u[3:], w_0, plain(at_home)(leg))
    plain(add_leg)(leg, out, work, R_C)
    if out.status != LEG_FINE:
        raise RuntimeError(f"the leg is not closed, status {out.status}")
    return Counts(tally.row(), answer_of(work))


def full(P: np.ndarray) -> np.ndarray:
    """6 x 6 matrix of an inertia in 21 numbers."""
    entry = plain(inertia_entry)
    return np.array([[entry(P, i, j) for j in range(6)] for i in range(6)])


def _field(tally: Tally, name: str, value: Any) -> Any:
    if name == "type":
        return int(value)
    return tally.cells(value) if np.ndim(value) else tally.number(value)


def generic_counts(mechanism: Mechanism, k: int, motion: Motion, drop: bool = False) -> Counts:
    """The general method."""
    tally = Tally(drop)
    motion = with_driven_force(mechanism, k, motion)
    leg = GenericLeg(oracle_leg(mechanism.legs[k]), tally)
    R_C, r_C, u, w_0, Q = (tally.cells(part).tolist() for part in motion)
    share = leg.share(R_C, r_C, u, w_0, Q[: leg.leg.n])
    sums = [tally.cells(np.zeros(np.shape(part))).tolist() for part in share]
    sums = [a_plus_b(total, part) for total, part in zip(sums, share)]
    return Counts(tally.row(), [values_of(part) for part in sums])


def disagreement(a: Counts, b: Counts) -> float:
    """Largest difference of the two answers, each part relative to its largest entry."""
    return max(float(np.max(np.abs(x - y)) / np.max(np.abs(y))) for x, y in zip(a.answer, b.answer))


METHODS = {"general": generic_counts, "link by link": kernel_counts, "straight-line": straight_line_counts}


def table() -> str:
    """Counts per leg as a Markdown table."""
    mechanism = Mechanism.load(MIXED)
    motion = some_motion(mechanism)
    lines = ["| leg | method | " + " | ".join(KINDS) + " | all | all without 0 and 1 |", "|---|---|" + "---|" * 7]
    for name, k in legs_by_type(mechanism).items():
        rows = []
        for count in METHODS.values():
            rows.append((count(mechanism, k, motion), count(mechanism, k, motion, drop=True)))
        # methods in double precision agree to 1e-14; a wrong formula does not come near
        if max(disagreement(a, rows[0][0]) for row in rows for a in row) > 1e-10:
            raise RuntimeError(f"{name}: the methods disagree")
        for method, (written, dropped) in zip(METHODS, rows):
            cells = [*written.operations, sum(written.operations), sum(dropped.operations)]
            lines.append(f"| {name} | {method} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
