"""The kernel of chains in loops, from coordinates to answer; compiled on the spot."""

from __future__ import annotations

import numpy as np

from docksim.chain.dynamics.composite import crba_matrix, rnea_forces
from docksim.chain.dynamics.frames import base_axes, forces, joint_motions
from docksim.chain.model import ChainTables
from docksim.chain.work import Work
from docksim.native.decorators import kernel


@kernel
def kernel_inverse(
    times: int, chain: ChainTables, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray, work: Work,
    Q: np.ndarray,
) -> None:  # fmt: skip
    """Newton-Euler recursion so many times."""
    for i in range(times):
        rates[0] = 1e-9 * i
        q[1] = 0.3 + 1e-9 * i
        joint_motions(chain, q, work)
        base_axes(chain, work)
        forces(chain, rates, accelerations, work)
        rnea_forces(chain, work, Q)


@kernel
def kernel_mass(times: int, chain: ChainTables, q: np.ndarray, work: Work, A: np.ndarray) -> None:
    """Composite bodies so many times."""
    for i in range(times):
        q[1] = 0.3 + 1e-9 * i
        joint_motions(chain, q, work)
        base_axes(chain, work)
        crba_matrix(chain, work, A)
