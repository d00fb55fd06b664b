"""The formulations many times over, for timing: the loop is compiled, so that a call from Python costs nothing.

Each time from the joints' rotations to A, as operations are counted. One entry that a turning joint does not use is
written each time, so that no compiler can take the work out of the loop.
"""

from __future__ import annotations

import numpy as np

from docksim.chain.dynamics.composite import crba_matrix
from docksim.chain.dynamics.frames import base_axes, joint_motions
from docksim.chain.dynamics.kane import kane_matrix, kane_trimmed
from docksim.chain.dynamics.recurrent import recurrent_matrix
from docksim.chain.dynamics.twists import link_axes, twist_matrix
from docksim.chain.model import ChainTables
from docksim.chain.work import Work
from docksim.native.decorators import kernel

FORMS = ("kane", "kane_trimmed", "recurrent", "crba", "twists")
KANE, KANE_TRIMMED, RECURRENT, CRBA, TWISTS = range(len(FORMS))


@kernel
def repeat(form: int, chain: ChainTables, work: Work, A: np.ndarray, times: int) -> None:
    """A by one of the forms. One loop for all of them: the choice costs nothing beside the shortest."""
    for i in range(times):
        work.shift[0, 0] = 1e-9 * i
        if form == TWISTS:
            link_axes(chain, work)
            twist_matrix(chain, work, A)
            continue
        base_axes(chain, work)
        if form == KANE:
            kane_matrix(chain, work, A)
        elif form == KANE_TRIMMED:
            kane_trimmed(chain, work, A)
        elif form == RECURRENT:
            recurrent_matrix(chain, work, A)
        elif form == CRBA:
            crba_matrix(chain, work, A)


@kernel
def repeat_from_coordinates(times: int, chain: ChainTables, q: np.ndarray, work: Work, A: np.ndarray) -> None:
    """Composite bodies with the joints' sines and rotations, as other libraries are timed."""
    for _ in range(times):
        joint_motions(chain, q, work)
        base_axes(chain, work)
        crba_matrix(chain, work, A)
