"""What became of programs of arms: hands that are not where their paths have ended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.quat import load4, quat_conj, quat_log, quat_mul
from docksim.compiler import Compiled
from docksim.compiler.programs import program_names
from docksim.model.programs import PROGRAM_ON

SETTLED = 5.0  # time constants after which errors are gone
LEFT = 0.05  # of the way that may be left of them then
SMALL = (1e-3, math.radians(0.1))  # what nobody minds


def missed_paths(compiled: Compiled) -> Iterator[str]:
    """Programs whose hands should have been at the end of their paths for long, and are not, in words."""
    for name, row, own in zip(
        program_names(compiled.scenario), compiled.model.program, compiled.state.program, strict=True
    ):
        if row.adaptive or own.on != PROGRAM_ON:
            continue
        last = compiled.model.waypoint[row.first_point + row.n_points - 1]
        end = float(own.start + last.time)
        if compiled.state.clock[0].t < end + SETTLED * max(_slowest(row, i) for i in range(row.rows // 3)):
            continue
        off = [float(length(own.f[:3])), float(length(own.f[3:]))]
        far = [max(small, LEFT * way) for small, way in zip(SMALL, _way(own, last), strict=True)]
        if off[0] > far[0] or off[1] > far[1]:
            yield _words(name, end, off, int(row.rows - own.rank))


def _words(name: str, end: float, off: list[float], lost: int) -> str:
    text = f"{name}: its path ended at {end:.6g} s, and its hand is still {off[0]:.3g} m"
    text += f" and {math.degrees(off[1]):.3g} deg" if off[1] > 0.0 else ""
    singular = f" (joints cannot meet {lost} of its rows)" if lost else ""
    why = f"from there{singular}: out of reach, past a singular posture, or beyond what its drives can do"
    return f"{text} {why}; move the waypoints nearer, or look at the drives' limits"


def _slowest(row: Any, part: int) -> float:
    """The longest time constant of the poles of position or attitude [s]."""
    poles = np.roots([1.0, float(row.G1[part]), float(row.G0[part])])
    return 1.0 / float(-poles.real.max())


def _way(own: Any, last: Any) -> tuple[float, float]:
    """From where the hand began to where it is led: distance and turn."""
    turn = quat_log(quat_mul(quat_conj(load4(own.q_TD)), load4(last.q_TD)))
    return float(length(np.asarray(last.p_TD) - own.p_TD)), float(length(turn))
