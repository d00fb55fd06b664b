"""Compiled loops around what is measured, as the simulation itself calls it."""

from docksim.kernel.jit import kernel
from docksim.kernel.step import evaluate
from docksim.kernel.tree import tree_acceleration, tree_articulation, tree_motion


@kernel
def passes(model, state, work, n):
    """Forward dynamics alone: the three passes of the recursion, the counterpart of aba."""
    for _ in range(n):
        tree_motion(model, state, work)
        tree_articulation(model, state, work)
        tree_acceleration(model, state, work)


@kernel
def evaluations(model, state, work, n):
    """The whole right-hand side: devices, control, loads, environment, forward and inverse dynamics, power."""
    for _ in range(n):
        evaluate(model, state, work)
