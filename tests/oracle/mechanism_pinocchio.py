"""A mechanism in Pinocchio: a tree of base, legs and ring, its loops closed by dense KKT equations.

Base and ring are free bodies in W, the legs serial chains on the base, massless bodies included; joints are added depth
first, as crba demands. At the cut joints, with J the constraints' Jacobian and gamma their acceleration at a = 0,

    M a + nle = tau + J^T lambda,    J a + gamma = 0

Position rows: frame Jacobians and classical accelerations of the two joint centres. Fourth row, s = e1.e2 = 0:
s' = (e1 x e2).(omega_1 - omega_2), s'' = e1''.e2 + 2 e1'.e2' + e1.e2'' with e'' = alpha x e + omega x (omega x e).
A base of prescribed motion has its rows of the first equation taken out; its wrench follows from rnea.
Conventions and results: mechanism_description.py, all on B axes whatever the pose of B in W. Rotors are armature.
"""

import numpy as np
import pinocchio as pin

from tests.oracle.mechanism_description import ACTUATED, Link, Solution, chain
from tests.oracle.rotations import hat

ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def _pin_inertia(link):
    return pin.Inertia(link.mass, np.array(link.com, float), link.inertia_about_com())


def _pin_joint(joint):
    if joint.prismatic:
        return pin.JointModelPX()
    return {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}[joint.letter]()


class PinocchioMechanism:
    """Pinocchio's model of a Mechanism on a base (a Link with frame B, or None for a massless one of given motion)."""

    def __init__(self, mechanism, base: Link | None = None):
        self.mechanism, self.base = mechanism, base
        model = self.model = pin.Model()
        self.base_joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        if base is not None:
            model.appendBodyToJoint(self.base_joint, _pin_inertia(base), pin.SE3.Identity())
        self.leg_joints, self.tip_frames, self.ring_frames = [], [], []
        for k, leg in enumerate(mechanism.legs):
            self._add_leg(k, leg)
        self.ring_joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "ring")
        model.appendBodyToJoint(self.ring_joint, _pin_inertia(mechanism.ring), pin.SE3.Identity())
        for k, leg in enumerate(mechanism.legs):
            place = pin.SE3(leg.R_CJ, np.array(leg.l_C, float))
            self.ring_frames.append(self._add_frame(f"ring_{k}", self.ring_joint, place))
        self.data = model.createData()
        self.base_rows, self.ring_rows = (self._rows(j) for j in (self.base_joint, self.ring_joint))
        self.leg_rows = [[model.idx_vs[j] for j in joints] for joints in self.leg_joints]

    def _add_leg(self, k, leg):
        parent, joints = self.base_joint, []
        for j, joint in enumerate(chain(leg)):
            place = pin.SE3(joint.rotation, np.array(joint.position, float))
            parent = self.model.addJoint(parent, _pin_joint(joint), place, f"leg_{k}_{j}")
            self.model.armature[self.model.idx_vs[parent]] = leg.rotor_inertias()[j]
            if joint.link is not None:
                self.model.appendBodyToJoint(parent, _pin_inertia(joint.link), pin.SE3.Identity())
            joints.append(parent)
        self.leg_joints.append(joints)
        self.tip_frames.append(self._add_frame(f"tip_{k}", parent, pin.SE3(np.eye(3), leg.tip())))

    def _add_frame(self, name, joint, place):
        return self.model.addFrame(pin.Frame(name, joint, 0, place, pin.FrameType.OP_FRAME))

    def _rows(self, joint):
        start = self.model.idx_vs[joint]
        return list(range(start, start + self.model.nvs[joint]))

    # coordinates and speeds

    def configuration(self, state, p, pose_WB):
        """Pinocchio's q for joint coordinates p (one array per leg) and the pose (r, R) of B in W."""
        r_WB, R_WB = pose_WB
        q = pin.neutral(self.model)
        for joint, r, R in (
            (self.base_joint, r_WB, R_WB),
            (self.ring_joint, r_WB + R_WB @ state.r_C, R_WB @ state.R_C),
        ):
            i = self.model.idx_qs[joint]
            q[i : i + 7] = pin.SE3ToXYZQUAT(pin.SE3(R, r))
        for joints, own in zip(self.leg_joints, p, strict=True):
            q[[self.model.idx_qs[j] for j in joints]] = own
        return q

    def _speeds(self, q, state, v0):
        """v: base and ring as given, joint rates from J v = 0. v0: velocity of B's origin, B axes."""
        v = np.zeros(self.model.nv)
        v[self.base_rows] = np.concatenate([v0, state.omega0])
        omega = state.omega0 + state.u[:3]
        linear = v0 + np.cross(state.omega0, state.r_C) + state.u[3:]
        v[self.ring_rows] = np.concatenate([state.R_C.T @ linear, state.R_C.T @ omega])
        J = self.constraint_jacobian(q)
        legs = [i for rows in self.leg_rows for i in rows]
        v[legs] = -np.linalg.solve(J[:, legs], J @ v)
        return v

    # constraints

    def _row_frames(self):
        return zip(self.mechanism.legs, self.tip_frames, self.ring_frames, strict=True)

    def _spin_axes(self, tip, ring):
        return self.data.oMf[tip].rotation[:, 1], self.data.oMf[ring].rotation[:, 2]

    def constraint_residual(self, q):
        """Gaps of all cut joints: position rows [m] on world axes, e1.e2 where there are four rows."""
        pin.framesForwardKinematics(self.model, self.data, q)
        rows = []
        for leg, tip, ring in self._row_frames():
            rows.append(self.data.oMf[tip].translation - self.data.oMf[ring].translation)
            if leg.n == 4:
                rows.append([np.dot(*self._spin_axes(tip, ring))])
        return np.concatenate(rows)

    def constraint_jacobian(self, q):
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        rows = []
        for leg, tip, ring in self._row_frames():
            J_tip, J_ring = (pin.getFrameJacobian(self.model, self.data, f, ALIGNED) for f in (tip, ring))
            rows.append(J_tip[:3] - J_ring[:3])
            if leg.n == 4:
                rows.append([np.cross(*self._spin_axes(tip, ring)) @ (J_tip[3:] - J_ring[3:])])
        return np.vstack(rows)

    def constraint_drift(self, q, v):
        """gamma: second derivatives of the constraints at a = 0."""
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        rows = []
        for leg, tip, ring in self._row_frames():
            at = [pin.getFrameClassicalAcceleration(self.model, self.data, f, ALIGNED) for f in (tip, ring)]
            rows.append(at[0].linear - at[1].linear)
            if leg.n == 4:
                e = self._spin_axes(tip, ring)
                spin = [hat(pin.getFrameVelocity(self.model, self.data, f, ALIGNED).angular) for f in (tip, ring)]
                second = [(hat(a.angular) + w @ w) @ x for a, w, x in zip(at, spin, e)]
                rows.append([second[0] @ e[1] + 2.0 * (spin[0] @ e[0]) @ (spin[1] @ e[1]) + e[0] @ second[1]])
        return np.concatenate(rows)

    # dynamics

    def prescribed(self, state, p, pose_WB=None, v0=None):
        """Base moving as state.omega0 and state.A0 say. pose_WB and v0 must not matter."""
        return self._solve(state, p, pose_WB, v0, None)

    def floating(self, state, p, W_B=None, pose_WB=None, v0=None):
        """Base free under the wrench W_B about B's origin; state.A0 is not used."""
        if self.base is None:
            raise ValueError("a floating base needs a mass")
        return self._solve(state, p, pose_WB, v0, np.zeros(6) if W_B is None else W_B)

    def _solve(self, state, p, pose_WB, v0, W_B):
        pose_WB = (np.zeros(3), np.eye(3)) if pose_WB is None else pose_WB
        v0 = np.zeros(3) if v0 is None else np.asarray(v0)
        model, data, omega0 = self.model, self.data, state.omega0
        model.gravity.linear = pose_WB[1] @ state.gravity
        q = self.configuration(state, p, pose_WB)
        v = self._speeds(q, state, v0)
        J, gamma = self.constraint_jacobian(q), self.constraint_drift(q, v)

        # generalised forces; free flyers are linear first, on body axes
        tau = np.zeros(model.nv)
        for rows, Q in zip(self.leg_rows, state.Q, strict=True):
            tau[rows] = Q
        tau[self.ring_rows] = np.concatenate([state.R_C.T @ state.W_C[3:], state.R_C.T @ state.W_C[:3]])
        a = np.zeros(model.nv)
        if W_B is None:
            a[self.base_rows] = np.concatenate([state.A0[3:] - np.cross(omega0, v0), state.A0[:3]])
            free = [i for i in range(model.nv) if i not in self.base_rows]
        else:
            tau[self.base_rows] = np.concatenate([W_B[3:], W_B[:3]])
            free = list(range(model.nv))

        # KKT on the free rows
        M = self._mass_matrix(q)
        nle = pin.rnea(model, data, q, v, np.zeros(model.nv))
        K = np.block([[M[np.ix_(free, free)], -J[:, free].T], [J[:, free], np.zeros((len(J), len(J)))]])
        right = np.concatenate([(tau - nle - M @ a)[free], -gamma - J @ a])
        x = np.linalg.solve(K, right)
        a[free], cut = x[: len(free)], x[len(free) :]
        return self._results(state, pose_WB, v0, q, v, a, cut)

    def _mass_matrix(self, q):
        """With the rotors behind the couplings on the driven joints."""
        upper = np.triu(pin.crba(self.model, self.data, q))
        M = upper + np.triu(upper, 1).T
        if len(self.mechanism.weights):
            legs = zip(self.leg_rows, self.mechanism.legs, strict=True)
            driven = [rows[ACTUATED[leg.type]] for rows, leg in legs]
            M[np.ix_(driven, driven)] += self.mechanism.coupled_inertia()
        return M

    def _results(self, state, pose_WB, v0, q, v, a, cut):
        R_BW, omega0, u = pose_WB[1].T, state.omega0, state.u
        base, ring = a[self.base_rows], a[self.ring_rows]
        A0 = np.concatenate([base[3:], base[:3] + np.cross(omega0, v0)])

        # ring: absolute acceleration, less that of the base frame
        local = v[self.ring_rows]
        angular = state.R_C @ ring[3:]
        linear = state.R_C @ (ring[:3] + np.cross(local[3:], local[:3]))
        moving = A0[3:] + np.cross(A0[:3], state.r_C) + np.cross(omega0, np.cross(omega0, state.r_C))
        u_dot = np.concatenate(
            [angular - A0[:3] - np.cross(omega0, u[:3]), linear - moving - 2.0 * np.cross(omega0, u[3:])]
        )

        # loads: rnea under the cut forces, whose force rows are on world axes
        forces, cut_B, start = [pin.Force.Zero() for _ in range(self.model.njoints)], [], 0
        for leg, joints, tip, ring_frame in zip(
            self.mechanism.legs, self.leg_joints, self.tip_frames, self.ring_frames, strict=True
        ):
            own = cut[start : start + leg.n]
            start += leg.n
            moment = own[3] * np.cross(*self._spin_axes(tip, ring_frame)) if leg.n == 4 else np.zeros(3)
            oMi = self.data.oMi[joints[-1]]
            at_tip = pin.SE3(oMi.rotation.T, leg.tip())
            forces[joints[-1]] = at_tip.act(pin.Force(own[:3], moment))
            cut_B.append(np.concatenate([R_BW @ own[:3], own[3:]]))
        vector = pin.StdVec_Force()
        vector.extend(forces)
        pin.rnea(self.model, self.data, q, v, a, vector)
        wrenches = [np.array([self._load(j, R_BW) for j in joints]) for joints in self.leg_joints]
        # what the first joints pass on, about B's origin
        first = sum((self._at_base(joints[0]) for joints in self.leg_joints), pin.Force.Zero())
        base_wrench = np.concatenate([first.angular, first.linear])
        p_dot, p_ddot = ([x[rows] for rows in self.leg_rows] for x in (v, a))
        return Solution(u_dot, A0, p_dot, p_ddot, cut_B, wrenches, base_wrench)

    def _load(self, joint, R_BW):
        R, f = R_BW @ self.data.oMi[joint].rotation, self.data.f[joint]
        return np.concatenate([R @ f.angular, R @ f.linear])

    def _at_base(self, joint):
        return self.data.liMi[joint].act(self.data.f[joint])

    def kinetic_energy(self, state, p, v0=None):
        """Kinetic energy [J], rotors and a base with mass included."""
        q = self.configuration(state, p, (np.zeros(3), np.eye(3)))
        v = self._speeds(q, state, np.zeros(3) if v0 is None else v0)
        return 0.5 * v @ self._mass_matrix(q) @ v
