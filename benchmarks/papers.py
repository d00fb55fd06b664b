"""Figures of the page on the five papers, computed: `python -m benchmarks.papers [--write]`.

Each part stands on docs/papers.md between two comments with its name; --write renews them there. Only what is the same
on every machine is printed: counts, ranks, and whether two ways agree within a bound, not by how much.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.inexactness import MECHANISMS, Case, load_case, states
from benchmarks.operation_counts import MIXED, TYPES, legs_by_type
from benchmarks.recorded_legs import table as recorded_table
from docksim.chain import ChainModel, Dynamics, base_parameters, load_chain
from docksim.chain.dynamics.counts import (
    FORCES,
    MATRIX,
    count_forces,
    count_matrix,
    force_polynomials,
    in_words,
    matrix_polynomials,
)
from docksim.chain.dynamics.formulations import METHODS
from docksim.chain.dynamics.literal import SUMS, TOTALS, sum_of, sum_polynomials
from docksim.chain.generation.straight_line import WHAT, straight
from docksim.chain.identification.baseparams import parameter_name
from docksim.hardware.mechanism import Mechanism
from docksim.validation.dynamics import PRINTED
from tests.support.mechanisms import quaternion

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "papers.md"
CHAINS = ROOT / "configs" / "chains"
# of the largest entry; what tests ask for
BOUND = 1e-12
STATES = 100


def markdown(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """A table; numbers with commas between thousands."""

    def line(cells: Iterable[Any]) -> str:
        return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells) + " |"

    head = list(head)
    return "\n".join([line(head), "|" + "---|" * len(head), *(line(row) for row in rows)])


def within(difference: float, bound: float = BOUND) -> str:
    """The bound, if it is kept."""
    return f"within {bound:.0e}".replace("e-0", "e-") if difference < bound else f"**{difference:.1e}**"


def off(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Of the largest entry."""
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


# ---------------------------------------------------------------- N. A. Yaskevich


def sums() -> str:
    """The recurrent form sum by sum: what its table has, and what doing just that takes."""
    found = sum_polynomials()
    rows: list[tuple[Any, ...]] = []
    for key, one in SUMS.items():
        same = "yes" if found[key].multiplications == one.multiplications else "**no**"
        words = (in_words(one.multiplications), in_words(one.additions), in_words(found[key].additions))
        rows.append((f"`{one.words}`", words[0], same, *words[1:]))
    together = [sum_of(getattr(one, part) for one in found.values()) for part in ("multiplications", "additions")]
    same = "yes" if together[0] == TOTALS.multiplications else "**no**"
    totals = (in_words(TOTALS.multiplications), same, in_words(TOTALS.additions), in_words(together[1]))
    head = ("sum", "multiplications, table", "taken alike", "additions, table", "additions taken")
    return markdown(head, [*rows, ("together", *totals)])


def formulas() -> str:
    """Operations of the formulations as they run."""
    matrix, forces = matrix_polynomials(), force_polynomials()
    rows: list[tuple[Any, ...]] = []
    for key, (words, published) in MATRIX.items():
        found = matrix[key]
        rows.append((f"A, {words}", in_words(found.total), in_words(published) if published else "", found.at(7)))
    rows += [(f"b, {FORCES[key]}", in_words(one.total), "", one.at(7)) for key, one in forces.items()]
    return markdown(("", "counted", "published", "N = 7"), rows)


# ---------------------------------------------------------------- base parameters


def chains() -> str:
    """Shipped chains: formulations, base parameters, generated code."""
    rows = []
    for path in sorted(CHAINS.glob("*.yaml")):
        chain = load_chain(path)
        light = replace(chain, gravity=np.zeros(3))
        ranks = [len(base_parameters(one).names) for one in (chain, light)]
        taken = count_forces(chain, "crba")[0].total
        code = straight(chain, "inverse").program.operations
        rows.append((f"`{path.stem}`", chain.n, within(disagreement(chain)), 10 * chain.n, *ranks, taken, code))
    head = ("chain", "joints", "four formulations agree", "parameters", "base", "without gravity", "recursion", "code")
    return markdown(head, rows)


def disagreement(chain: ChainModel) -> float:
    """Of the four formulations in A and in b, in a state drawn from a seed; plain Python."""
    q, rates = 0.3 * np.random.default_rng(1).normal(size=(2, chain.n))
    codes = [Dynamics(chain, method, joints=False, compiled=False) for method in METHODS]
    A, b = [code.mass_matrix(q) for code in codes], [code.bias(q, rates) for code in codes]
    return max(off(one, of[0]) for of in (A, b) for one in of[1:])


def projections() -> str:
    """What the article says of its own method, by its own formulas, and what docksim finds for its example."""
    puma = base_parameters(load_chain(CHAINS / "puma560.yaml"))
    rows = [
        ("rows of Z, five turning joints (theorem on the basis)", "47118", basis_size(5)),
        ("rows of Z, six turning joints", "", basis_size(6)),
        ("matrices kept by the direct recursion, N = 6", "56", matrices_kept(6)),
        ("base parameters of the PUMA 560", "36", len(puma.names)),
        ("of its printed expressions, found coefficient for coefficient", "36", printed_found(puma)),
    ]
    return markdown(("", "printed", "here"), rows)


def basis_size(turning: int, sliding: int = 0) -> int:
    """Dimension of the space of the theorem."""
    n = turning + sliding
    return (n * n + n) * 5**turning * 3**sliding // 2 + 3**turning * 2**sliding


def matrices_kept(n: int) -> int:
    """2 + sum of k (k + 1) / 2 + k + 2."""
    return 2 + sum(k * (k + 1) // 2 + k + 2 for k in range(1, n + 1))


def printed_found(base: Any) -> int:
    """Printed expressions that come out with all their coefficients, to the digits printed."""
    rows = dict(zip(base.names, base.in_length(1e-3), strict=True))
    count = 0
    for terms in PRINTED:
        wanted = {name: value for value, names in terms for name in names}
        row = rows.get(terms[0][1][0], np.zeros(0))
        found = {parameter_name(int(j)): float(row[j]) for j in np.flatnonzero(row)}
        # squares of lengths are printed to whole mm2
        close = all(
            abs(found.get(name, 0.0) - x) <= (0.5 if abs(x) > 1e5 else 1e-9 * abs(x)) for name, x in wanted.items()
        )
        count += set(found) == set(wanted) and close
    return count


def code() -> str:
    """The PUMA's dynamics: the recursions' operations and those of the generated code."""
    chain = load_chain(CHAINS / "puma560.yaml")
    recursions = {"inverse": count_forces(chain, "crba")[0].total, "mass": count_matrix(chain, "crba")[0].total}
    rows = [(what, recursions.get(what, ""), straight(chain, what).program.operations) for what in WHAT]
    return markdown(("`puma560`", "recursion", "generated code"), rows)


# ---------------------------------------------------------------- Golubev & Yaskevich


def legs() -> str:
    """The paper's path beside the kernel, type by type: agreement in a state, then operations."""
    mechanism = Mechanism.load(MIXED)
    rng = np.random.default_rng(2)
    state = mechanism.reference, 0.3 * rng.normal(size=6), 50.0 * rng.normal(size=6), 50.0 * rng.normal(size=6)
    theirs, ours = mechanism.forward(*state), Mechanism.load(MIXED, method="joints").forward(*state)
    of_type = legs_by_type(mechanism)
    rows: list[list[str]] = []
    for words, part in (
        ("joint accelerations", "joint_accelerations"),
        ("force in the cut joint", "ring_joint_wrench"),
    ):
        pairs = [(getattr(ours, part)[of_type[kind]], getattr(theirs, part)[of_type[kind]]) for kind in TYPES]
        rows.append([f"{words}: paper's path and kernel", *(within(off(a, b)) for a, b in pairs)])
    return "\n".join([recorded_table(), *markdown(("", *TYPES), rows).splitlines()[2:]])


def across() -> str:
    """Median share of the cut joint's force across the last link, over legs and states; base at rest."""
    rows = [
        [f"{contact_N:g} N on the ring", *(across_median(name, contact_N) for name in MECHANISMS)]
        for contact_N in (300.0, 0.0)
    ]
    return markdown(("", *MECHANISMS), rows)


def across_median(name: str, contact_N: float) -> str:
    """Of one mechanism, in percent."""
    case = load_case(*MECHANISMS[name])
    parts = [shares_across(case, state) for state in states(case, STATES, 1, 0.1, contact_N)]
    return f"{100.0 * float(np.median(np.concatenate(parts))):.0f} %"


def shares_across(case: Case, state: Any) -> np.ndarray:
    """By leg."""
    pose = state.r_C, quaternion(state.R_C)
    force = case.api.forward(pose, state.u, state.Q, state.W_C).ring_joint_wrench[:, 3:]
    points = case.api.points(pose)
    link = points[:, 2] - points[:, 1]
    link /= np.linalg.norm(link, axis=1)[:, None]
    along = np.einsum("ka,ka->k", force, link)
    return np.linalg.norm(force - along[:, None] * link, axis=1) / np.linalg.norm(force, axis=1)


PARTS = {
    "sums": sums,
    "formulas": formulas,
    "chains": chains,
    "projections": projections,
    "code": code,
    "legs": legs,
    "across": across,
}


def renewed(page: str, names: Iterable[str] = tuple(PARTS)) -> str:
    """The page with these parts computed anew; KeyError if it has no place for one."""
    for name in names:
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        if not place.search(page):
            raise KeyError(f"the page has no place for '{name}'")
        text = PARTS[name]()
        page = place.sub(lambda at, text=text: f"{at.group(1)}{text}\n{at.group(2)}", page)
    return page


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--write", action="store_true", help="into docs/papers.md")
    if parser.parse_args(arguments).write:
        PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        return
    for name, part in PARTS.items():
        print(f"{name}\n\n{part()}\n")


if __name__ == "__main__":
    main()
