"""A chain with base parameters for links: everything zero but the basic parameters, and the same motion.

With p^ zero except p^[basic] = Y p, Y p^ = Y p, since Y has ones in its basic columns: all forces are those of the
given chain. The links are no longer real ones (masses zero, moments negative); A stays that of the real arm. Which
parameters are basic depends on the frames: here joint axes are z and origins lie on them, so that a turning joint
leaves its link without mass, without a moment along z and without an integral of z^2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from docksim.chain.generation.link_axes import Joint, Matrix, Vector
from docksim.chain.identification.baseparams import BaseParameters, base_parameters
from docksim.chain.identification.regressor import inertial_parameters, pseudo_inertias
from docksim.chain.model import ChainModel

WHOLE = 1e-15  # of an entry of a rotation from 0, 1 or -1


def aligned(chain: ChainModel) -> ChainModel:
    """The same chain with link frames whose z is the joint's axis; axes only change places where that is enough."""
    C = np.array([_with_z(axis) for axis in chain.axis])
    above = [C[p] if p >= 0 else np.eye(3) for p in chain.parent]
    back = np.swapaxes(C, 1, 2)
    return replace(
        chain,
        axis=np.tile([0.0, 0.0, 1.0], (chain.n, 1)),
        R_fix=np.array([_whole(P.T @ R @ own) for P, R, own in zip(above, chain.R_fix, C)]),
        p_fix=np.array([P.T @ p for P, p in zip(above, chain.p_fix)]),
        moment=(back @ chain.moment[:, :, None])[:, :, 0],
        inertia=back @ chain.inertia @ C,
        by_rows=False,
    )


def _with_z(axis: np.ndarray) -> np.ndarray:
    """Columns x, y, z of a frame with z along the axis."""
    largest = int(np.argmax(np.abs(axis)))
    x = np.eye(3)[(largest + 1) % 3]
    x = x - axis * (axis @ x)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(axis, x), axis], axis=1)


def _whole(R: np.ndarray) -> np.ndarray:
    near = np.round(R)
    return np.where(np.abs(R - near) < WHOLE, near, R)


def regrouped(chain: ChainModel) -> tuple[list[Joint], BaseParameters]:
    """Joints of an aligned chain with nothing but base parameters, and these."""
    base = base_parameters(chain)
    p = np.zeros(10 * chain.n)
    p[base.columns] = base.values(inertial_parameters(chain))
    P = pseudo_inertias(p.reshape(-1, 10))
    joints = [
        Joint(
            parent=int(chain.parent[k]),
            slides=bool(chain.prismatic[k]),
            F=_matrix(chain.R_fix[k]),
            p=_vector(chain.p_fix[k]),
            mass=float(P[k, 3, 3]),
            c=_vector(P[k, :3, 3]),
            sigma=_matrix(P[k, :3, :3]),
        )
        for k in range(chain.n)
    ]
    return joints, base


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _matrix(values: np.ndarray) -> Matrix:
    x, y, z = (_vector(row) for row in values)
    return x, y, z
