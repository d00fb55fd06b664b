"""Recorded motion of chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.chain.identification.recording import Recording
from docksim.chain.identification.regressor import inertial_parameters, regressor
from docksim.chain.model import ChainModel


def waves(rng: np.random.Generator, chain: ChainModel, samples: int = 200, moving: Any = 1.0) -> Recording:
    """Ten seconds of a few sines each of all joints (or of some), with derivatives, and the forces that they need."""
    time = np.linspace(0.0, 10.0, samples)
    turn = rng.uniform(0.5, 4.0, (4, chain.n))
    size = rng.uniform(0.1, 0.4, (4, chain.n)) * moving
    phase = turn * time[:, None, None] + rng.uniform(0, 6, (4, chain.n))
    q = chain.home + (size * np.sin(phase)).sum(1)
    rates = (size * turn * np.cos(phase)).sum(1)
    accelerations = (-size * turn**2 * np.sin(phase)).sum(1)
    force = regressor(chain, q, rates, accelerations) @ inertial_parameters(chain)
    force = force + chain.rotor * accelerations - chain.joint_forces(q, rates)
    return Recording(time, q, rates, accelerations, force)
