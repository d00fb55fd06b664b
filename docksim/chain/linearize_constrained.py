"""Linear model of a chain at rest under constraints: Zaremba (1990), (4.1) with the reactions eliminated.

    A dq'' + D dq' + (K - d(GT N)/dq) dq = dQ + GT dN,    G dq = 0

The term with the reactions N of the point itself is missing in print. Some joints, as many as freedoms are left, are
chosen as coordinates z, so that dq = T z with G T = 0 and T the identity in the chosen rows; TT times the equation has
no dN. The curvature d(GT N)/dq comes from the drift c(q, v) of the constraints, which at a fixed time is quadratic in
v: N c(v) = vT [d(GT N)/dq] v, and its values at sums of unit vectors give every entry, exactly.

The drives hold the point where the task's own drive forces do not.
"""

from __future__ import annotations

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.conditions import Conditions, build_conditions
from docksim.chain.constrained import Constrained, Infeasible
from docksim.chain.linearize import coefficients, skeleton
from docksim.chain.model import ChainModel
from docksim.chain.motion import drive_forces, start_state
from docksim.chain.screws import coordinate_names, effort_names, rate_names
from docksim.config.chain_task import LoadedTask
from docksim.linear.model import LinearModel, Skeleton, second_order


def linearize_task(loaded: LoadedTask) -> LinearModel:
    """The model of a task with constraints at its start, brought onto them, at rest."""
    task, model = loaded.task, build_chain(loaded.chain)
    q, rates = start_state(task, model)
    conditions = build_conditions(model, task.constraint, q)
    held = Constrained(model, conditions)
    q = held.place(0.0, q)
    held.check(0.0, q)
    notes = ["at rest: the task's initial rates are left out"] if np.any(rates) else []
    if np.abs(conditions(model, q, np.zeros(model.n), 0.0).rate).max() > 0.0:
        raise Infeasible("the constraint moves with time; only constraints that stand still are linearised")
    return linearize_held(held, q, drive_forces(task, model), task.name, notes)


def linearize_held(
    held: Constrained, q: np.ndarray, Q: np.ndarray, name: str, notes: list[str] | None = None
) -> LinearModel:
    """The model at a configuration on the constraints, at rest."""
    model, zero = held.model, np.zeros(held.model.n)
    found = held.at(0.0, q, zero, Q)
    G = held.conditions(model, q, zero, 0.0).gradient
    T, chosen = freedoms(G)
    if not len(chosen):
        raise Infeasible(f"{len(G)} constraints on {model.n} joints leave nothing that could move")
    links = coefficients(model, q, zero, zero)
    K = links.b_by_q + np.diag(model.stiffness) - curvature(model, held.conditions, q, found.reaction)
    M = links.A + np.diag(model.rotor)
    drive = Q - M @ found.acceleration
    point = dict(zip(coordinate_names(model), q.tolist(), strict=True))
    point |= dict(zip(effort_names(model), drive.tolist(), strict=True))
    units = ("N" if unit == "m" else "Nm" for unit in held.conditions.units)
    reactions = (f"reaction.{row}_{unit}" for row, unit in zip(held.conditions.rows, units, strict=True))
    point |= dict(zip(reactions, found.reaction.tolist(), strict=True))
    if np.abs(drive - Q).max() > 1e-9 * max(1.0, float(np.abs(drive).max())):
        notes = [*(notes or []), "the drives hold the point, which would not rest by itself"]
    shape = skeleton(model, q)
    return second_order(
        name,
        [coordinate_names(model)[k] for k in chosen],
        [rate_names(model)[k] for k in chosen],
        effort_names(model),
        M=T.T @ M @ T,
        damping=T.T @ np.diag(model.damping) @ T,
        K=T.T @ K @ T,
        F=T.T,
        operating_point=point,
        notes=tuple(notes or ()),
        skeleton=Skeleton(shape.points, shape.lines, shape.jacobian @ T, shape.labels),
    )


def freedoms(G: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """T (n, n - m) with G T = 0 and the identity in the rows of the chosen coordinates."""
    from scipy.linalg import qr

    m, n = G.shape
    null = np.linalg.svd(G)[2][m:].T
    if m >= n:
        return np.zeros((n, 0)), []
    # rows of the null space that are most independent: these joints tell all the others
    order = qr(null.T, mode="r", pivoting=True)[1][: n - m]
    chosen = sorted(int(k) for k in order)
    return null @ np.linalg.inv(null[chosen]), chosen


def curvature(model: ChainModel, conditions: Conditions, q: np.ndarray, N: np.ndarray) -> np.ndarray:
    """d(GT N)/dq (n, n), from the drift, which is quadratic in the rates."""
    n = model.n
    unit = np.eye(n)

    def along(v: np.ndarray) -> float:
        return float(N @ conditions(model, q, v, 0.0).drift)

    own = np.array([along(unit[i]) for i in range(n)])
    H = np.diag(own)
    for i in range(n):
        for j in range(i):
            H[i, j] = H[j, i] = 0.5 * (along(unit[i] + unit[j]) - own[i] - own[j])
    return H
