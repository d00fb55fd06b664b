"""A chain as lines and points in the world, in one state."""

from __future__ import annotations

import numpy as np

from docksim.chain.dynamics.formulations import Vector
from docksim.chain.model import ChainModel
from docksim.plots.chain.view import ChainDrawing


def drawing_of(chain: ChainModel, q: Vector) -> ChainDrawing:
    """Links from their joints to those that they carry, or to their far ends; rows with their offset d first."""
    R, p = chain.world_pose(np.asarray(q, float))
    ends = p + np.einsum("kij,kj->ki", R, chain.p_end)
    lines, tips = [], []
    for k in range(chain.n):
        children = np.flatnonzero(chain.parent == k)
        if chain.by_rows:
            corner = p[k] + R[k] @ (chain.axis[k] * (chain.axis[k] @ chain.p_end[k]))
            lines.append(np.array([p[k], corner, ends[k]]))
        else:
            lines += [np.array([p[k], p[child]]) for child in children]
            lines.append(np.array([p[k], ends[k]]))
        if not len(children):
            tips.append(ends[k])
    # a slide moves the joint's own point: from where it starts to where it is
    starts = p - np.where(chain.prismatic, q, 0.0)[:, None] * np.einsum("kij,kj->ki", R, chain.axis)
    lines += [np.array([starts[k], p[k]]) for k in np.flatnonzero(chain.prismatic)]
    axes = np.einsum("kij,kj->ki", R, chain.axis)
    massive = chain.mass > 0.0
    centres = (p + np.einsum("kij,kj->ki", R, chain.com))[massive]
    return ChainDrawing(tuple(lines), starts, axes, chain.prismatic, centres, np.array(tips))
