"""A tree in Pinocchio, spoken to in docksim's coordinates; gravity is zero.

Coordinates and speeds: tree_description.py. Two-axis joints become two Pinocchio joints with nothing between them.
Joints are added depth first, whatever the order of the list: crba takes it that a subtree's speeds are contiguous, and
is silently wrong otherwise. Pinocchio's free flyer has q = (position, quaternion xyzw) and v = [linear; angular], both
on moving axes. So, with R = R_FJ,

    v_pin = T beta,   a_pin = T beta' + T' beta,   tau_beta = T^T tau_pin

T is orthogonal: it reorders, and a free joint's block is [[0, R^T], [1, 0]], with T' beta = [-omega x R^T v; 0].
Rotors are Pinocchio's armature. Results are on world axes; 6-vectors are [angular; linear] and [moment; force].
"""

import numpy as np
import pinocchio as pin

from tests.oracle.rotations import hat, quat_matrix
from tests.oracle.tree_description import (
    COORDINATES,
    SPEEDS,
    TreeBody,
    inertial_wrench,
    momentum,
    random_state,
    random_tree,
    slices,
)

__all__ = ["PinocchioTree", "TreeBody", "random_state", "random_tree"]


def _simple_joints(body):
    """Pinocchio joints that make up the joint, innermost last."""
    a, b = body.unit_axis(), body.unit_axis_2()
    return {
        "fixed": list,
        "revolute": lambda: [pin.JointModelRevoluteUnaligned(a)],
        "prismatic": lambda: [pin.JointModelPrismaticUnaligned(a)],
        "cylindrical": lambda: [pin.JointModelRevoluteUnaligned(a), pin.JointModelPrismaticUnaligned(a)],
        "universal": lambda: [pin.JointModelRevoluteUnaligned(a), pin.JointModelRevoluteUnaligned(b)],
        "spherical": lambda: [pin.JointModelSpherical()],
        "free": lambda: [pin.JointModelFreeFlyer()],
    }[body.joint]()


class PinocchioTree:
    """Pinocchio's model of a list of TreeBody.

    omega_axes: axes of the rates of spherical and free joints, "joint" (J, the default) or "body".
    wrenches, wherever they appear: a list of (body index, point in the body frame, [moment; force] on world axes).
    """

    def __init__(self, bodies, omega_axes="joint"):
        self.bodies = list(bodies)
        self.theta_of = slices(bodies, COORDINATES)  # slice of each body's coordinates
        self.beta_of = slices(bodies, SPEEDS)  # slice of each body's speeds
        self.model = pin.Model()
        self.model.gravity = pin.Motion.Zero()
        self.joint_of = [0] * len(self.bodies)  # Pinocchio joint that carries each body
        self.placement = [pin.SE3.Identity()] * len(self.bodies)  # body frame in that joint's frame
        self._q_rows, self._v_rows = [[] for _ in bodies], [[] for _ in bodies]  # where Pinocchio keeps a body's joint
        self._add_children(-1)
        self.data = self.model.createData()
        if omega_axes not in ("joint", "body"):
            raise ValueError("omega_axes is 'joint' or 'body'")
        self._to_joint = [b.child_rotation.T if omega_axes == "body" else np.eye(3) for b in self.bodies]

    def _add_children(self, parent):
        for k, body in enumerate(self.bodies):
            if body.parent == parent:
                self._add(k, body)
                self._add_children(k)

    def _add(self, k, body):
        joint, place = 0, pin.SE3.Identity()
        if body.parent >= 0:
            joint, place = self.joint_of[body.parent], self.placement[body.parent]
        place = place * pin.SE3(body.rotation, body.position)
        for i, simple in enumerate(_simple_joints(body)):
            joint = self.model.addJoint(joint, simple, place, f"{body.name}.{i}")
            place = pin.SE3.Identity()
            q, v = self.model.idx_qs[joint], self.model.idx_vs[joint]
            self._q_rows[k] += range(q, q + self.model.nqs[joint])
            self._v_rows[k] += range(v, v + self.model.nvs[joint])
            if body.rotor:
                self.model.armature[v] = body.rotor[i]
        place = place * pin.SE3(body.child_rotation, body.child_position).inverse()
        self.model.appendBodyToJoint(joint, pin.Inertia(body.mass, body.com, body.inertia), place)
        self.joint_of[k], self.placement[k] = joint, place

    # conversions

    def pin_q(self, theta):
        """Pinocchio's coordinates: quaternions to xyzw."""
        q = np.zeros(self.model.nq)
        for k, body in enumerate(self.bodies):
            own = np.array(theta[self.theta_of[k]], float)
            if body.joint in ("spherical", "free"):
                own[-4:] = np.roll(own[-4:] / np.linalg.norm(own[-4:]), -1)
            q[self._q_rows[k]] = own
        return q

    def transform(self, theta):
        """T, with v_pin = T beta."""
        T = np.zeros((self.model.nv, self.model.nv))
        for k, body in enumerate(self.bodies):
            block = np.eye(SPEEDS[body.joint])
            if body.joint == "spherical":
                block = self._to_joint[k]
            elif body.joint == "free":
                R = quat_matrix(theta[self.theta_of[k]][3:])
                block = np.block([[np.zeros((3, 3)), R.T], [self._to_joint[k], np.zeros((3, 3))]])
            T[self._v_rows[k], self.beta_of[k]] = block
        return T

    def _transform_rate(self, theta, beta):
        """T' beta."""
        rate = np.zeros(self.model.nv)
        for k, body in enumerate(self.bodies):
            if body.joint == "free":
                s = self.beta_of[k]
                R = quat_matrix(theta[self.theta_of[k]][3:])
                rate[self._v_rows[k][:3]] = -np.cross(self._to_joint[k] @ beta[s][:3], R.T @ beta[s][3:])
        return rate

    def _external(self, q, wrenches):
        """Pinocchio's external forces: one per joint, in its frame."""
        pin.forwardKinematics(self.model, self.data, q)
        forces = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for k, point, wrench in wrenches:
            joint = self.joint_of[k]
            oMj = self.data.oMi[joint]
            at_point = pin.SE3(oMj.rotation.T, self.placement[k].act(np.asarray(point, float)))
            forces[joint] += at_point.act(pin.Force(np.array(wrench[3:], float), np.array(wrench[:3], float)))
        vector = pin.StdVec_Force()
        vector.extend(forces)
        return vector

    # dynamics

    def forward(self, theta, beta, tau, wrenches=()):
        """Accelerations beta' for the joint forces tau (aba)."""
        q, T = self.pin_q(theta), self.transform(theta)
        a = pin.aba(self.model, self.data, q, T @ beta, T @ tau, self._external(q, wrenches))
        return T.T @ (a - self._transform_rate(theta, beta))

    def forward_derivatives(self, theta, beta, tau):
        """Derivatives of beta' (computeABADerivatives) by the tangent z of the coordinates, by beta and by tau.

        z has the axes of beta: rotations by vectors on child axes, travels on F axes. tau is zero for free joints.
        """
        q, T = self.pin_q(theta), self.transform(theta)
        a = pin.aba(self.model, self.data, q, T @ beta, T @ tau)
        pin.computeABADerivatives(self.model, self.data, q, T @ beta, T @ tau)
        by_tau = np.triu(self.data.Minv) + np.triu(self.data.Minv, 1).T
        shift = np.zeros_like(T)  # v_pin = T(theta) beta changes with theta as well
        for k, _, x, _ in self._free_joints(theta, beta):
            shift[np.ix_(self._v_rows[k][:3], self._own(k, 0))] = hat(x)
        by_z = T.T @ (self.data.ddq_dq @ T + self.data.ddq_dv @ shift)
        by_beta = T.T @ self.data.ddq_dv @ T
        # travels: beta' = R (a + w x R^T v)
        for k, R, x, w in self._free_joints(theta, beta):
            turn, travel = self._own(k, 0), self._own(k, 3)
            pull = a[self._v_rows[k][:3]] + np.cross(w, x)
            by_z[np.ix_(travel, turn)] += R @ (hat(w) @ hat(x) - hat(pull))
            by_beta[np.ix_(travel, turn)] -= R @ hat(x)
            by_beta[np.ix_(travel, travel)] += R @ hat(w) @ R.T
        return by_z, by_beta, T.T @ by_tau @ T

    def _own(self, k, first):
        return range(self.beta_of[k].start + first, self.beta_of[k].start + first + 3)

    def _free_joints(self, theta, beta):
        """Index, R, R^T v and angular velocity of each free joint."""
        for k, body in enumerate(self.bodies):
            if body.joint == "free":
                R, own = quat_matrix(theta[self.theta_of[k]][3:]), beta[self.beta_of[k]]
                yield k, R, R.T @ own[3:], own[:3]

    def inverse(self, theta, beta, beta_dot, wrenches=()):
        """Joint forces tau for the accelerations beta' (rnea)."""
        q, T = self.pin_q(theta), self.transform(theta)
        a = T @ beta_dot + self._transform_rate(theta, beta)
        return T.T @ pin.rnea(self.model, self.data, q, T @ beta, a, self._external(q, wrenches))

    def mass_matrix(self, theta):
        """M, with kinetic energy beta^T M beta / 2 (crba)."""
        T = self.transform(theta)
        upper = np.triu(pin.crba(self.model, self.data, self.pin_q(theta)))
        return T.T @ (upper + np.triu(upper, 1).T) @ T

    def mixed(self, theta, beta, tau, beta_dot, prescribed, wrenches=()):
        """Mixed problem: beta' given where `prescribed` (bool per speed), tau given elsewhere; returns (beta', tau).

        M beta' + h = tau, solved densely on the free rows.
        """
        prescribed = np.asarray(prescribed, bool)
        free = ~prescribed
        M = self.mass_matrix(theta)
        h = self.inverse(theta, beta, np.zeros_like(beta), wrenches)
        acceleration = np.where(prescribed, beta_dot, 0.0)
        right = (np.asarray(tau) - h - M @ acceleration)[free]
        acceleration[free] = np.linalg.solve(M[np.ix_(free, free)], right)
        return acceleration, M @ acceleration + h

    def kinetic_energy(self, theta, beta):
        """Kinetic energy [J], rotors included."""
        return 0.5 * beta @ self.mass_matrix(theta) @ beta

    # motion of the bodies

    def body_poses(self, theta):
        """Positions (n, 3) of the body frames' origins and rotations R_WB (n, 3, 3)."""
        pin.forwardKinematics(self.model, self.data, self.pin_q(theta))
        poses = [self.data.oMi[j] * place for j, place in zip(self.joint_of, self.placement, strict=True)]
        return np.array([X.translation for X in poses]), np.array([X.rotation for X in poses])

    def jacobian(self, theta, body, point=(0.0, 0.0, 0.0)):
        """(6, nv): velocity [omega; v] of a point fixed on a body (given in the body frame), per speed beta."""
        joint = self.joint_of[body]
        pin.computeJointJacobians(self.model, self.data, self.pin_q(theta))
        J = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        arm = self.data.oMi[joint].rotation @ self.placement[body].act(np.asarray(point, float))
        linear = J[:3] - np.cross(arm, J[3:], axis=0)
        return np.vstack([J[3:], linear]) @ self.transform(theta)

    def body_velocities(self, theta, beta):
        """(n, 6): [omega; v of the body frame's origin]."""
        return self.body_motion(theta, beta, np.zeros_like(beta))[0]

    def body_motion(self, theta, beta, beta_dot):
        """Velocities and accelerations (n, 6) each; the linear part is that of the material point at the origin."""
        T = self.transform(theta)
        a = T @ beta_dot + self._transform_rate(theta, beta)
        pin.forwardKinematics(self.model, self.data, self.pin_q(theta), T @ beta, a)
        velocities, accelerations = [], []
        for joint, place in zip(self.joint_of, self.placement, strict=True):
            R = (self.data.oMi[joint] * place).rotation
            V, A = place.actInv(self.data.v[joint]), place.actInv(self.data.a[joint])
            classical = A.linear + np.cross(V.angular, V.linear)
            velocities.append(np.concatenate([R @ V.angular, R @ V.linear]))
            accelerations.append(np.concatenate([R @ A.angular, R @ classical]))
        return np.array(velocities), np.array(accelerations)

    def momentum(self, theta, beta):
        """Linear momentum, and angular momentum about the origin of W; rotors carry none."""
        return momentum(self.bodies, self.body_poses(theta), self.body_velocities(theta, beta))

    def joint_loads(self, theta, beta, beta_dot, wrenches=()):
        """(n, 6): [moment; force] from parent on body about the origin of J, by Newton-Euler, tips to root.

        A rotor's own torque does not cross the hinge: along a free axis the load is tau - rotor * beta'.
        """
        r, R = self.body_poses(theta)
        V, A = self.body_motion(theta, beta, beta_dot)
        loads = np.array([inertial_wrench(b, R[k], V[k], A[k]) for k, b in enumerate(self.bodies)])
        for k, point, wrench in wrenches:
            loads[k] -= _shift(wrench, R[k] @ point)
        # from origin to hinge, then from the tips inward
        hinge = np.array([r[k] + R[k] @ b.child_position for k, b in enumerate(self.bodies)])
        for k in range(len(self.bodies)):
            loads[k] = _shift(loads[k], r[k] - hinge[k])
        for k in reversed(range(len(self.bodies))):
            parent = self.bodies[k].parent
            if parent >= 0:
                loads[parent] += _shift(loads[k], hinge[k] - hinge[parent])
        return loads


def _shift(wrench, arm):
    """The same wrench about a point from which the old point is seen at `arm`."""
    return np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])
