"""Compiled loops around what is measured, as the simulation itself calls it."""

from docksim.algebra.vec3 import load9
from docksim.kernel.mechanism.leg_loads import leg_acceleration
from docksim.kernel.mechanism.ring import leg_closure, leg_details
from docksim.kernel.step import evaluate
from docksim.kernel.tree.passes import tree_acceleration, tree_articulation, tree_motion
from docksim.native.decorators import kernel


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


@kernel
def mechanism_passes(model, state, work, n):
    """Forward dynamics with a docking mechanism: closure of its legs, accelerations of base and ring."""
    for _ in range(n):
        tree_motion(model, state, work)
        leg_closure(model, state, work)
        tree_articulation(model, state, work)
        tree_acceleration(model, state, work)


@kernel
def leg_joint_passes(model, state, work, accelerations, n):
    """The same, and the accelerations of the legs' joints, which no integrator needs but the peer returns."""
    for _ in range(n):
        tree_motion(model, state, work)
        leg_closure(model, state, work)
        tree_articulation(model, state, work)
        tree_acceleration(model, state, work)
        leg_details(model, state, work)
        own = work.mechanism[0]
        R_C = load9(own.R_BC)
        for k in range(model.leg.size):
            leg_acceleration(model.leg[k], work.leg[k], R_C, own.u_dot, accelerations[k])
