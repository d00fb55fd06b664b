"""Arithmetic of one leg by the paper's path and by docksim's: `python -m benchmarks.recorded_legs`.

Both are recorded, not timed: the kernels run as plain Python on numbers that write down what is done with them
(`docksim/numbers/recorded.py`), from the ring's pose and rates to the leg's share of A* and b*, base inertial. Left
out on both sides are zeros and ones, repeats, results that nothing needs, and what depends on the leg's figures alone.
The paper's path is `docksim/kernel/mechanism/branch.py`, which scenarios with `method: joints` run; docksim's own is
the straight-line kernel of the type. Before counts are reported the answers are compared.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from benchmarks.operation_counts import BODIES, MIXED, TYPES, Motion, legs_by_type, some_motion
from docksim.compiler.mechanism_tables import leg_blocks, leg_table
from docksim.hardware.mechanism import Mechanism
from docksim.kernel.mechanism.branch import close_branch, move_branch, share_branch
from docksim.kernel.mechanism.legs import at_home
from docksim.model.mechanism import LEG, LEG_BLOCK, SHARE_G, SHARES, WORK_BLOCK, WORK_BRANCH
from docksim.numbers.plain import plain
from docksim.numbers.recorded import CALLS, INPUT, OPERATORS, Recorded, Tape, nodes_of

# figures of the leg that are choices, not numbers
CHOICES = ("elbow", "spin")
STATE = "state"
INERTIAL = (0.0, 0.0, 0.0)  # rate of the base


class Recording(NamedTuple):
    """Operations that a state costs, and the share."""

    operations: int
    share: np.ndarray


class Recorder:
    """One recording: figures of the leg, and the state."""

    def __init__(self) -> None:
        self.tape = Tape()
        self.maths = SimpleNamespace(sqrt=self._root, pi=math.pi)

    def _root(self, x: Any) -> Any:
        return self.tape.call("sqrt", x) if isinstance(x, Recorded) else math.sqrt(x)

    def cells(self, name: str, values: Any) -> np.ndarray:
        values = np.asarray(values, float)
        made = np.empty(values.shape, object)
        for number, place in enumerate(np.ndindex(values.shape)):
            made[place] = self.tape.input(name, number, float(values[place]))
        return made

    def figure(self, name: str, value: Any) -> Any:
        """A field of a leg's table; rotors that are not there are no numbers."""
        made = np.asarray(value, float).astype(object) if name in CHOICES else self.cells(name, value)
        if name == "rotor":
            made[np.asarray(value) == 0.0] = 0.0
        return made if np.ndim(value) else made.item()

    def state(self, motion: Motion) -> tuple[tuple[Any, ...], ...]:
        """The ring's motion as kernels take it."""
        numbers = np.concatenate([motion.R_C.ravel(), motion.r_C, motion.u])
        made = tuple(self.cells(STATE, numbers))
        return made[:9], made[9:12], made[12:15], made[15:18]

    def done(self, share: np.ndarray) -> Recording:
        """Of A* and b*."""
        outputs = list(share[:SHARE_G])
        values = np.array([x.value if isinstance(x, Recorded) else x for x in outputs], float)
        return Recording(operations_of_state(self.tape, outputs), values)


def operations_of_state(tape: Tape, outputs: list[Any]) -> int:
    """Sums, products, quotients and roots that depend on the state."""
    program = tape.program(outputs)
    follows: list[bool] = []
    for line in program.lines:
        follows.append(line.operands[0] == STATE if line.what == INPUT else any(follows[k] for k in nodes_of(line)))
    counted = (*OPERATORS, *CALLS)
    return sum(moves and line.what in counted for moves, line in zip(follows, program.lines, strict=True))


def papers_path(mechanism: Mechanism, k: int, motion: Motion) -> Recording:
    """The leg in joint coordinates."""
    recorder = Recorder()
    row = leg_table(mechanism.legs)[k]
    names = (name for name in LEG.names or () if LEG[name].base == np.float64)
    leg = SimpleNamespace(type=int(row.type), **{name: recorder.figure(name, row[name]) for name in names})
    out = SimpleNamespace(**{name: np.zeros(WORK_BRANCH[name].shape, object) for name in WORK_BRANCH.names or ()})
    ring = recorder.state(motion)
    share, home = np.zeros((SHARES, 1), object), plain(at_home, recorder.maths)(leg)
    plain(close_branch, recorder.maths)(leg, out, ring, home)
    wrench = plain(move_branch, recorder.maths)(leg, out, ring, INERTIAL, home)
    plain(share_branch, recorder.maths)(leg, out, share, 0, *wrench)
    return recorder.done(share[:, 0])


def own_path(mechanism: Mechanism, k: int, motion: Motion) -> Recording:
    """The straight-line kernel of the leg's type."""
    recorder = Recorder()
    row = leg_blocks(leg_table(mechanism.legs)[k : k + 1])[0]
    names = (name for name in LEG_BLOCK.names or () if LEG_BLOCK[name].base == np.float64)
    constant = SimpleNamespace(**{name: recorder.figure(name, row[name][..., :1]) for name in names})
    out = np.zeros(1, WORK_BLOCK)[0]
    block = SimpleNamespace(**{name: out[name][..., :1].astype(object) for name in WORK_BLOCK.names or ()})
    ring = recorder.state(motion)
    body, *choice = BODIES[mechanism.types[k]]
    plain(body, recorder.maths)(constant, block, 0, ring, INERTIAL, *choice)
    return recorder.done(block.share[:, 0])


METHODS = {"paper's path, joint coordinates": papers_path, "docksim, by inputs": own_path}


def table() -> str:
    """Operations by method and type of leg, as a Markdown table."""
    mechanism = Mechanism.load(MIXED)
    motion, legs = some_motion(mechanism), legs_by_type(mechanism)
    found = {name: [path(mechanism, legs[kind], motion) for kind in TYPES] for name, path in METHODS.items()}
    for paper, own in zip(*found.values(), strict=True):
        # both in double precision: 1e-14; a wrong formula does not come near
        if np.max(np.abs(paper.share - own.share)) > 1e-12 * np.max(np.abs(own.share)):
            raise RuntimeError("the two paths disagree")
    lines = ["| method | " + " | ".join(TYPES) + " |", "|---|" + "---|" * len(TYPES)]
    for name, row in found.items():
        lines.append(f"| {name} | " + " | ".join(str(one.operations) for one in row) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
