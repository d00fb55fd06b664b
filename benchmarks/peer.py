"""Pinocchio's aba on the same tree, called in every way that may be the fastest, and what a call from Python costs.

`batch` is abaInParallel with one thread over many columns: the loop is in C++, so the call is amortised. `single` calls
aba once per evaluation, in either convention; its Python overhead is measured on a lone free-flyer, as the cost of a
single call less the cost of a column of a batch there.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.timing import Task
from benchmarks.trees import Rig
from tests.oracle.pinocchio_tree import PinocchioTree
from tests.oracle.tree_description import TreeBody

BATCH = 512
_ALIGNED = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)


class Peer:
    """The rig's tree in Pinocchio, at the rig's state."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.tree = PinocchioTree(rig.bodies)
        self.model = aligned(self.tree)
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, 1)
        T = self.tree.transform(rig.theta)
        self.q, self.v, self.tau = self.tree.pin_q(rig.theta), T @ rig.beta, T @ rig.tau
        self.columns = [np.asfortranarray(np.tile(x[:, None], (1, BATCH))) for x in (self.q, self.v, self.tau)]
        self.answers = np.zeros((self.model.nv, BATCH), order="F")

    def single(self, convention: pin.Convention) -> Task:
        model, data, q, v, tau = self.model, self.data, self.q, self.v, self.tau

        def task(n: int) -> None:
            for _ in range(n):
                pin.aba(model, data, q, v, tau, convention)

        return task

    def batch(self, n: int) -> None:
        """n batches."""
        for _ in range(n):
            pin.abaInParallel(1, self.pool, *self.columns, self.answers)

    def tasks(self) -> dict[str, Task]:
        """Every way to call it; a call of "batch" is BATCH evaluations."""
        found = {
            "single, local": self.single(pin.Convention.LOCAL),
            "single, world": self.single(pin.Convention.WORLD),
        }
        return found | ({"batch": self.batch} if pin.WITH_OPENMP else {})

    def disagreement(self) -> float:
        """Largest relative difference of docksim's accelerations and of the measured model from the oracle's."""
        rig = self.rig
        expected = self.tree.forward(rig.theta, rig.beta, rig.tau)
        reference = pin.aba(self.tree.model, self.tree.data, self.q, self.v, self.tau)
        self.batch(1)
        scale = np.abs(expected).max()
        ours = np.abs(rig.acceleration() - expected).max() / scale
        theirs = np.abs(self.answers - reference[:, None]).max() / np.abs(reference).max()
        return float(max(ours, theirs))


def aligned(tree: PinocchioTree) -> pin.Model:
    """The same model with Pinocchio's faster joints where an axis is a coordinate axis."""
    faster: dict[int, pin.JointModel] = {}
    for joint, body in zip(tree.joint_of, tree.bodies):
        if body.joint == "revolute" and np.count_nonzero(body.axis) == 1 and body.axis.max() > 0.0:
            faster[joint] = _ALIGNED[int(np.argmax(body.axis))]()
    old, new = tree.model, pin.Model()
    new.gravity = old.gravity
    for i in range(1, old.njoints):
        joint = faster.get(i, old.joints[i])
        new.addJoint(old.parents[i], joint, old.jointPlacements[i], old.names[i])
        new.appendBodyToJoint(i, old.inertias[i], pin.SE3.Identity())
    new.armature = old.armature
    return new


def lone_free_flyer() -> Peer:
    """One body: its single call is all overhead but for one body's work."""
    return Peer(Rig([TreeBody("lone", -1, 1.0, np.zeros(3), np.eye(3), "free")]))
