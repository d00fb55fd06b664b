"""A chain in Pinocchio, spoken to in docksim's order of joints.

Joints are added depth first, whatever the order of the chain: crba takes it that a subtree's speeds are contiguous.
`order[k]` is where Pinocchio keeps joint k. Unaligned joint axes, inertias about the mass centre.
"""

import numpy as np
import pinocchio as pin


class PinocchioChain:
    """Pinocchio's model of a ChainModel. Rotors, springs and dampers of the joints are left out on both sides."""

    def __init__(self, chain):
        self.chain = chain
        self.model = pin.Model()
        self.model.gravity = pin.Motion(np.array(chain.gravity), np.zeros(3))
        self.joint_of = [0] * chain.n
        self._add_children(-1)
        self.data = self.model.createData()
        self.order = np.array([self.model.joints[j].idx_v for j in self.joint_of])

    def _add_children(self, parent):
        for k in range(self.chain.n):
            if self.chain.parent[k] == parent:
                self._add(k)
                self._add_children(k)

    def _add(self, k):
        chain = self.chain
        above = 0 if chain.parent[k] < 0 else self.joint_of[chain.parent[k]]
        kind = pin.JointModelPrismaticUnaligned if chain.prismatic[k] else pin.JointModelRevoluteUnaligned
        place = pin.SE3(chain.R_fix[k], chain.p_fix[k])
        joint = self.model.addJoint(above, kind(np.array(chain.axis[k])), place, f"{k}.{chain.names[k]}")
        mass = chain.mass[k]
        centre = chain.moment[k] / mass if mass else np.zeros(3)
        central = chain.inertia[k] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        self.model.appendBodyToJoint(joint, pin.Inertia(mass, centre, central), pin.SE3.Identity())
        self.joint_of[k] = joint

    def _in(self, vector):
        there = np.zeros(self.chain.n)
        there[self.order] = vector
        return there

    def mass_matrix(self, q):
        A = pin.crba(self.model, self.data, self._in(q))
        A = np.triu(A) + np.triu(A, 1).T
        return A[np.ix_(self.order, self.order)]

    def bias(self, q, rates):
        return self.inverse(q, rates, np.zeros(self.chain.n))

    def inverse(self, q, rates, accelerations):
        return pin.rnea(self.model, self.data, self._in(q), self._in(rates), self._in(accelerations))[self.order]

    def forward(self, q, rates, forces):
        return pin.aba(self.model, self.data, self._in(q), self._in(rates), self._in(forces))[self.order]

    def regressor(self, q, rates, accelerations):
        """(n, 10 n) by link of the chain: m, m c (3), I_xx, I_xy, I_yy, I_xz, I_yz, I_zz about the link's origin."""
        W = pin.computeJointTorqueRegressor(
            self.model, self.data, self._in(q), self._in(rates), self._in(accelerations)
        )
        columns = [10 * (joint - 1) + c for joint in self.joint_of for c in range(10)]
        return W.reshape(self.chain.n, -1)[np.ix_(self.order, columns)]

    def pose(self, q):
        """Rotations and origins of the links in the world."""
        pin.forwardKinematics(self.model, self.data, self._in(q))
        places = [self.data.oMi[j] for j in self.joint_of]
        return np.array([p.rotation for p in places]), np.array([p.translation for p in places])
