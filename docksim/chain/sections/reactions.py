"""Reactions of constraints as wrenches on the links that they hold, for loads inside the links.

A condition on a point has G = P J, J the twist [v; w] of the point: its rows N pull with the wrench PT N there. What
holds a joint's coordinate, or couples several, acts inside the joints, as drives do, and on no link from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.chain.kinematics.links import Kinematics
from docksim.chain.kinematics.paths import rate_matrix
from docksim.chain.sections.sections import Outside
from docksim.config.schema.chain_conditions import (
    AnyCondition,
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
    if isinstance(part, PositionCondition):
        return len(part.axes)
    return 6 if isinstance(part, PoseCondition) else 1


def reaction_wrenches(
    parts: Sequence[AnyCondition], state: Kinematics, reaction: np.ndarray, errors: np.ndarray
) -> list[Outside]:
    """Wrenches of the constraints' reactions N at a state; `errors` are f, which a pose's moments need."""
    wrenches, first = [], 0
    for part in parts:
        own = slice(first, first + rows_of(part))
        first = own.stop
        if not isinstance(part, (JointCondition, CouplingCondition)):
            wrenches.append(_wrench(part, state, reaction[own], errors[own]))
    return wrenches


def _wrench(
    part: PositionCondition | PoseCondition | PlaneCondition | DistanceCondition,
    state: Kinematics,
    N: np.ndarray,
    f: np.ndarray,
) -> Outside:
    model = state.model
    k = model.n - 1 if part.link is None else int(model.far[model.names.index(part.link)])
    local = model.p_end[k] + model.R_end[k] @ np.array(part.point_m)
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
