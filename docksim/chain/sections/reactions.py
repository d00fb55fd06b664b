"""Reactions of constraints as wrenches on the links that they hold, for loads inside the links.

A condition on a point has G = P J, J the twist [v; w] of the point: its rows N pull with the wrench PT N there, a
closure's on both its links. What holds a joint's coordinate, or couples several, acts inside the joints, as drives do,
and on no link from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.chain.kinematics.links import Kinematics
from docksim.chain.kinematics.paths import rate_matrix
from docksim.chain.motion.closures import ends_of, relation
from docksim.chain.sections.sections import Outside
from docksim.config.schema.chain_conditions import (
    AnyCondition,
    ClosureCondition,
    CouplingCondition,
    DistanceCondition,
    JointCondition,
    PlaneCondition,
    PoseCondition,
    PositionCondition,
)

AXES = "xyz"


def rows_of(part: AnyCondition) -> int:
    """How many rows a condition has."""
    return part.row_count


def reaction_wrenches(
    parts: Sequence[AnyCondition], start: Kinematics, state: Kinematics, reaction: np.ndarray, errors: np.ndarray
) -> list[Outside]:
    """Wrenches of the constraints' reactions N at a state; `errors` are f, which a pose's moments need, and closures
    have the ends that they had at the start."""
    wrenches: list[Outside] = []
    first = 0
    for part in parts:
        own = slice(first, first + rows_of(part))
        first = own.stop
        if isinstance(part, ClosureCondition):
            wrenches += _on_both(part, start, state, reaction[own])
        elif not isinstance(part, (JointCondition, CouplingCondition)):
            wrenches.append(_wrench(part, state, reaction[own], errors[own]))
    return wrenches


def _on_both(part: ClosureCondition, start: Kinematics, state: Kinematics, N: np.ndarray) -> list[Outside]:
    """Of a closure on its two links, opposite at one point; the world needs none."""
    a, b, length = ends_of(part, start)
    here = relation(part, a, b, length, state)
    force, moment = np.split(here.P.T @ N, 2)
    ends = [(end.link, sign) for end, sign in ((a, -1.0), (b, 1.0)) if end.link >= 0]
    return [Outside(k, state.R[k].T @ (here.point - state.p[k]), sign * force, sign * moment) for k, sign in ends]


def _wrench(
    part: PositionCondition | PoseCondition | PlaneCondition | DistanceCondition,
    state: Kinematics,
    N: np.ndarray,
    f: np.ndarray,
) -> Outside:
    model = state.model
    k, local = model.point_from_end(part.link, part.point_m)
    force, moment = np.zeros(3), np.zeros(3)
    if isinstance(part, PositionCondition):
        force[[AXES.index(axis) for axis in part.axes]] = N
    elif isinstance(part, PlaneCondition):
        force = N[0] * np.array(part.normal) / np.linalg.norm(part.normal)
    elif isinstance(part, DistanceCondition):
        arm = state.p[k] + state.R[k] @ local - np.array(part.from_m)
        force = N[0] * arm / np.linalg.norm(arm)
    else:
        # the error's rate is E times the angular velocity on the tool's axes
        force, (E, _) = N[:3], rate_matrix(f[3:], np.zeros(3))
        moment = state.R[k] @ model.R_end[k] @ (E.T @ N[3:])
    return Outside(k, local, force, moment)
