"""Random chains: joints of both types, serial or branching, links that real bodies could be."""

import numpy as np

from docksim.chain.model import PRISMATIC, REVOLUTE, ChainModel, ideal_joints


def random_rotation(rng):
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def random_chain(rng, n, sliding=0.3, branching=0.0, gravity=True):
    """n links; `sliding` and `branching` are the shares of prismatic joints and of joints not on the last link."""
    parent = np.array([k - 1 if rng.random() >= branching else rng.integers(-1, k) for k in range(n)], dtype=np.int64)
    kind = np.where(rng.random(n) < sliding, PRISMATIC, REVOLUTE).astype(np.int64)
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    mass = rng.uniform(0.5, 2.0, n)
    centre = rng.uniform(-0.4, 0.4, (n, 3))
    inertia = np.empty((n, 3, 3))
    for k in range(n):
        # second moments of a cloud of points: every real body has such ones
        points = rng.normal(size=(4, 3)) * rng.uniform(0.05, 0.3, 3)
        second = mass[k] * (points.T @ points / 4 + np.outer(centre[k], centre[k]))
        inertia[k] = np.trace(second) * np.eye(3) - second
    return ChainModel(
        names=tuple(f"link{k + 1}" for k in range(n)),
        parent=parent,
        kind=kind,
        axis=axis,
        R_fix=np.array([random_rotation(rng) for _ in range(n)]),
        p_fix=rng.uniform(-0.5, 0.5, (n, 3)),
        mass=mass,
        moment=mass[:, None] * centre,
        inertia=inertia,
        gravity=rng.normal(size=3) * 5.0 if gravity else np.zeros(3),
        R_end=np.array([np.eye(3)] * n),
        p_end=np.zeros((n, 3)),
        far=np.arange(n),
        **ideal_joints(n),
    )
