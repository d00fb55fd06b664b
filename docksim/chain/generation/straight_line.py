"""Straight-line dynamics of one chain: recorded operations, with all that is constant about the chain worked in.

    inverse   Q of q, q', q''        mass   A of q        forward   q'' of q, q', Q

The recursions of `link_axes` run once on numbers that record, for the chain regrouped to its base parameters. Rotors,
springs, dampers and friction of the joints are in, as in `Dynamics`. No loop, no branch, no memory; nothing is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.generation.link_axes import LinkAxes, solved
from docksim.chain.generation.regrouped import aligned, regrouped
from docksim.chain.identification.baseparams import BaseParameters
from docksim.chain.model import ChainModel
from docksim.numbers.recorded import Program, Tape

Numbers = list[Any]
Sign = Callable[[Any], Any]
WHAT = ("inverse", "forward", "mass")
MOST_JOINTS = 60


class TooLong(ValueError):
    """A chain for which straight-line code would be absurd."""


@dataclass(frozen=True, eq=False)
class Straight:
    """One function of a chain: arguments that it reads, what it writes, and how."""

    what: str
    chain: ChainModel
    base: BaseParameters
    program: Program
    arguments: tuple[str, ...]
    result: str

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the result."""
        return (self.chain.n, self.chain.n) if self.what == "mass" else (self.chain.n,)


def straight(chain: ChainModel, what: str) -> Straight:
    """The operations of inverse, forward or mass. Raises TooLong, or Singular where A has no inverse."""
    if what not in WHAT:
        raise ValueError(f"no function {what!r}; choose one of {', '.join(WHAT)}")
    if chain.n > MOST_JOINTS:
        text = (
            f"has {chain.n} joints; code without loops is written for at most {MOST_JOINTS}: use docksim.chain.Dynamics"
        )
        raise TooLong(text)
    if what == "forward":
        # a joint that moves nothing is found before a zero is divided by
        Dynamics(chain, compiled=False).forward(chain.home, np.zeros(chain.n), np.zeros(chain.n))
    joints, base = regrouped(aligned(chain))
    arguments, result, record = _FUNCTIONS[what]
    tape = Tape()
    links = LinkAxes(joints, chain.gravity.tolist(), lambda x: tape.call("sin", x), lambda x: tape.call("cos", x))
    given = [[tape.input(name, k) for k in range(chain.n)] for name in arguments]
    outputs = record(chain, links, lambda x: tape.call("sign", x), *given)
    return Straight(what, chain, base, tape.program(outputs), arguments, result)


def _inverse(
    chain: ChainModel, links: LinkAxes, sign: Sign, q: Numbers, rate: Numbers, acceleration: Numbers
) -> Numbers:
    Q = links.inverse(q, rate, acceleration)
    own = _own_forces(chain, sign, q, rate)
    return [Q[k] + float(chain.rotor[k]) * acceleration[k] + own[k] for k in range(chain.n)]


def _own_forces(chain: ChainModel, sign: Sign, q: Numbers, rate: Numbers) -> Numbers:
    """What springs, dampers and friction ask of the drives."""
    made = []
    for k in range(chain.n):
        stiffness, damping, friction = (float(x[k]) for x in (chain.stiffness, chain.damping, chain.friction))
        spring = stiffness * (q[k] - float(chain.rest[k])) if stiffness else 0.0
        made.append(spring + damping * rate[k] + (friction * sign(rate[k]) if friction else 0.0))
    return made


def _matrix(chain: ChainModel, links: LinkAxes, q: Numbers) -> list[Numbers]:
    A = links.matrix(q)
    for k in range(chain.n):
        A[k][k] = A[k][k] + float(chain.rotor[k])
    return A


def _mass(chain: ChainModel, links: LinkAxes, sign: Sign, q: Numbers) -> Numbers:
    return [entry for row in _matrix(chain, links, q) for entry in row]


def _forward(chain: ChainModel, links: LinkAxes, sign: Sign, q: Numbers, rate: Numbers, force: Numbers) -> Numbers:
    b = _inverse(chain, links, sign, q, rate, [0.0] * chain.n)
    A = _matrix(chain, links, q)
    return solved(A, [force[k] - b[k] for k in range(chain.n)], chain.parent.tolist())


# arguments, result, and what records it
_FUNCTIONS: dict[str, tuple[tuple[str, ...], str, Callable[..., Numbers]]] = {
    "inverse": (("q", "rate", "acceleration"), "force", _inverse),
    "forward": (("q", "rate", "force"), "acceleration", _forward),
    "mass": (("q",), "A", _mass),
}
