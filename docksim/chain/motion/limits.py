"""What drives can do at most, and the stops at the ends of the joints' travel, in pieces that are smooth.

A drive gives what it is asked for, up to its largest force; where it pushes the way the joint moves, up to
largest (1 - |q'| / rate limit), and nothing beyond the rate limit:

    piece    0     as asked for
            +-1    the largest force: standing, or braking
            +-2    the straight line to the rate limit
            +-3    nothing: faster than the rate limit

A stop pushes back by Hunt and Crossley's law k d (1 + c d'), d the depth, and never pulls: piece -1, 0, +1. All forces
are continuous from piece to piece. A run integrates one piece with its formula, however far the step goes, and begins
anew at the corner: so a step never sees a kink.
"""

from __future__ import annotations

import numpy as np

from docksim.chain.model import ChainModel


class Limits:
    """Limits of one chain."""

    def __init__(self, model: ChainModel) -> None:
        self.largest = model.effort_limit
        self.rate = np.where(np.isfinite(model.effort_limit), model.rate_limit, np.inf)
        self.lower, self.upper = model.lower, model.upper
        self.stiffness, self.damping = model.stop_stiffness, model.stop_damping
        self.drives = bool(np.isfinite(self.largest[~model.passive]).any())
        self.stops = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def drive_pieces(self, wanted: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """(n,) which formula holds for the drives."""
        sign = np.sign(wanted)
        along = sign * rates
        bent = (along > 0.0) & np.isfinite(self.rate)
        share = np.where(bent, np.maximum(0.0, 1.0 - along / self.rate), 1.0)
        over = np.abs(wanted) > self.largest * share
        return (sign * over * (1 + bent + (bent & (along >= self.rate)))).astype(np.int8)

    def force(self, wanted: np.ndarray, rates: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """(n,) what the drives give, by the formulas of these pieces."""
        if not pieces.any():
            return wanted
        sign, kind = np.sign(pieces), np.abs(pieces)
        full = sign * np.where(kind > 0, self.largest, 0.0)
        share = np.select([kind == 1, kind == 2], [1.0, 1.0 - sign * rates / self.rate], 0.0)
        return np.where(kind == 0, wanted, full * share)

    def stop_pieces(self, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """(n,) which stops push."""
        push = 1.0 + self.damping * rates
        above = (q > self.upper) & (push > 0.0)
        below = (q < self.lower) & (2.0 - push > 0.0)
        return above.astype(np.int8) - below.astype(np.int8)

    def stop_force(self, q: np.ndarray, rates: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """(n,) forces of the stops on the joints, by the formulas of these pieces."""
        if not pieces.any():
            return np.zeros(len(q))
        beyond = np.select([pieces > 0, pieces < 0], [q - self.upper, q - self.lower], 0.0)
        return -self.stiffness * beyond * (1.0 + self.damping * pieces * rates)
