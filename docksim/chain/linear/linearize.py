"""Linear model of a chain at a state, or along a motion: Zaremba (1990), section 4, exact.

With A(q) q'' + b(q, q') = Q + e(q, q'), where e are the springs and dampers in the joints, small deviations obey (4.1)

    A dq'' + (db/dq' - de/dq') dq' + (db/dq + dA/dq q'' - de/dq) dq = dQ

The coefficients come from the derivative theorems: db/dq' is twice the Christoffel symbols times q' (4.2, without the
printed half), db/dq takes the second derivatives of A, and the weight's part also the turning of the vertical in each
link (missing in print). Coulomb friction has no derivative and is left out, with a note.

At a state without given accelerations the joints' drives are taken to hold it: q'' = 0 with the drives' force Q that
this needs. That is the model a controller wants; a chain left alone moves on, and its motion is a `program`. Inputs are
the forces of the joints that have a drive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.dynamics.formulations import Dynamics, Singular
from docksim.chain.kinematics.derivatives import Screws, bracket, christoffel
from docksim.chain.kinematics.screws import (
    coordinate_names,
    effort_names,
    inertias,
    joint_screws,
    link_poses,
    rate_names,
    screws_at,
    world_poses,
)
from docksim.chain.model import ChainModel
from docksim.linear.model import LinearModel, Skeleton, second_order
from docksim.result.result import ResultError


@dataclass(frozen=True)
class Coefficients:
    """Of the links alone: A q'' + b = Q and its derivatives."""

    A: np.ndarray  # (n, n)
    b: np.ndarray  # (n,)
    b_by_rate: np.ndarray  # (n, n)
    b_by_q: np.ndarray  # (n, n)
    Aqdd_by_q: np.ndarray  # (n, n) d(A q'')/dq at constant q''


def coefficients(model: ChainModel, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray) -> Coefficients:
    """The coefficients of (4.1) by (4.2)."""
    screws = screws_at(model, q)
    dA = screws.gradient()
    d = christoffel(dA)
    weight, weight_by_q = _weight(model, screws)
    by_q = _velocity_terms_by_q(screws, rates) - weight_by_q
    return Coefficients(
        A=screws.mass_derivative(),
        b=np.einsum("isj,s,j->i", d, rates, rates) - weight,
        b_by_rate=2.0 * np.einsum("isj,s->ij", d, rates),
        b_by_q=by_q,
        Aqdd_by_q=np.einsum("tij,j->it", dA, accelerations),
    )


def _velocity_terms_by_q(screws: Screws, rates: np.ndarray) -> np.ndarray:
    """d/dq_t of sum_sj (d_s a_ij - d_i a_sj / 2) q_s' q_j'."""
    n = screws.n
    if not np.any(rates):
        return np.zeros((n, n))
    out = np.zeros((n, n))
    for t in range(n):
        for s in range(t + 1):
            second = screws.mass_derivative((s, t))
            column = second @ rates
            out[:, t] += column * rates[s]
            out[s, t] -= 0.5 * rates @ column
            if s != t:
                out[:, s] += column * rates[t]
                out[t, s] -= 0.5 * rates @ column
    return out


def _weight(model: ChainModel, screws: Screws) -> tuple[np.ndarray, np.ndarray]:
    """f_g (2.8) and its derivative by q: of the twists by Theorem 1, and of the vertical z_k in each link."""
    R, _ = world_poses(model, screws.C, screws.O)
    fall = np.zeros((model.n, 6), R.dtype)
    fall[:, :3] = np.einsum("kba,b->ka", R, model.gravity)
    force = np.einsum("kab,kb->ka", screws.Theta, fall)
    by_q = np.zeros((model.n, model.n), R.dtype)
    for k in range(model.n):
        own = np.flatnonzero(screws.moves[k])
        l = screws.twist[k, own]
        # (l_k^i)^j = <l_k^j>T l_k^i for i < j: the wrench turned by <l_k^j> instead
        turned = np.einsum("jab,b->ja", bracket(l), force[k])
        by_q[np.ix_(own, own)] += np.triu(l @ turned.T, 1)
        tilt = np.zeros_like(l)
        tilt[:, :3] = -np.cross(l[:, 3:], fall[k, :3])
        by_q[np.ix_(own, own)] += l @ screws.Theta[k] @ tilt.T
    return np.einsum("kia,ka->i", screws.twist, force), by_q


def linearize_chain(
    model: ChainModel,
    q: np.ndarray | None = None,
    rates: np.ndarray | None = None,
    accelerations: np.ndarray | None = None,
    *,
    name: str = "chain",
    time_s: float | None = None,
) -> LinearModel:
    """The linear model about a state; the default is the chain's home, at rest."""
    zero = np.zeros(model.n)
    q = model.home if q is None else np.asarray(q, float)
    rates = zero if rates is None else np.asarray(rates, float)
    accelerations = zero if accelerations is None else np.asarray(accelerations, float)
    with np.errstate(all="ignore"):
        terms = coefficients(model, q, rates, accelerations)
    if not np.all(np.isfinite(terms.b_by_q + terms.b_by_rate + terms.Aqdd_by_q)):
        raise ResultError(f"{name}: the state is beyond all numbers; take smaller rates and accelerations")
    try:
        Dynamics(model).forward(q, zero, zero)
    except Singular as error:
        raise ResultError(f"{name}: {error}") from None
    drive = terms.A @ accelerations + model.rotor * accelerations + terms.b - model.joint_forces(q, rates)
    point = dict(zip(coordinate_names(model), q.tolist(), strict=True))
    point |= dict(zip(rate_names(model), rates.tolist(), strict=True))
    efforts = effort_names(model)
    point |= {efforts[k]: float(drive[k]) for k in model.driven}
    notes = passive_notes(model, drive)
    notes += ["Coulomb friction of the joints is left out: it has no derivative"] if np.any(model.friction) else []
    over = [link for link, force, most in zip(model.names, drive, model.effort_limit, strict=True) if abs(force) > most]
    if over:
        notes.append(f"holding this point needs more than the drives of {', '.join(over)} can do")
    return second_order(
        name,
        coordinate_names(model),
        rate_names(model),
        [efforts[k] for k in model.driven],
        M=terms.A + np.diag(model.rotor),
        damping=terms.b_by_rate + np.diag(model.damping),
        K=terms.b_by_q + terms.Aqdd_by_q + np.diag(model.stiffness),
        F=np.eye(model.n)[:, model.driven],
        operating_point=point,
        time_s=time_s,
        notes=tuple(notes),
        skeleton=skeleton(model, q),
    )


def passive_notes(model: ChainModel, drive: np.ndarray) -> list[str]:
    """Joints without a drive that would need one to be where they are."""
    floor = 1e-9 * max(1.0, float(np.abs(drive).max(initial=0.0)))
    missing = [model.names[k] for k in np.flatnonzero(model.passive & (np.abs(drive) > floor))]
    if not missing:
        return []
    named = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
    return [f"no drive holds {named} there: the model is about a point that the motion leaves"]


def skeleton(model: ChainModel, q: np.ndarray) -> Skeleton:
    """Joints and far ends of the links as points, with their Jacobians on world axes."""
    C, O = link_poses(model, q)
    screws = Screws(model.parent, C, O, joint_screws(model), inertias(model))
    R, p = world_poses(model, C, O)
    tips = p + np.einsum("kab,kb->ka", R, model.p_end)
    twist = screws.twist  # (k, i, 6) on link axes, at the link's origin
    at_joint = np.einsum("kab,kib->kai", R, twist[:, :, :3])
    lever = np.cross(twist[:, :, 3:], model.p_end[:, None, :])
    at_tip = np.einsum("kab,kib->kai", R, twist[:, :, :3] + lever)
    n = model.n
    root = [i for i in range(n) if model.parent[i] == -1]
    base = model.p_fix[root[0]] * 0.0 if n else np.zeros(3)
    points = np.vstack([base[None], p, tips])
    jacobian = np.concatenate([np.zeros((1, 3, n)), at_joint, at_tip])
    lines = [(0 if model.parent[k] == -1 else 1 + int(model.parent[k]), 1 + k) for k in range(n)]
    lines += [(1 + k, 1 + n + k) for k in range(n) if np.any(model.p_end[k])]
    return Skeleton(points, tuple(lines), jacobian, {1 + k: model.names[k] for k in range(n)})
