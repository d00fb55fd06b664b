"""Pinocchio on the same mechanism: loops closed by constraintDynamics or lcaba, in every form that may be the fastest.

The tree is cut at all six ring joints (ring on a free joint, 18 constraint rows) or at five of them (ring on a ball
joint at the first leg, 15 rows); two turns at one place are two one-axis joints or one universal joint.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pinocchio as pin

from benchmarks.mechanism_rig import MechanismRig, Motion
from tests.oracle.mechanism_description import Joint, Leg, chain

# of the proximal iteration; a mu of 1e-8 or 1e-10 costs the same, and lcaba loses digits with it
ACCURACY, MU, ITERATIONS = 1e-9, 1e-6, 100
SOLVERS = ("constraintDynamics", "lcaba")
W = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}
ALONG = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ, "p": pin.JointModelPX}


class MechanismPeer:
    """One form of the model at the rig's state."""

    def __init__(self, rig: MechanismRig, five_cuts: bool, universal: bool) -> None:
        self.rig, self.five_cuts, self.universal = rig, five_cuts, universal
        self.model = model = pin.Model()
        model.gravity = pin.Motion.Zero()
        self.base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        self._body(self.base, rig.base)
        legs = rig.described.legs
        self.ring = 0
        self.tips: list[int] = []
        self.chains: list[list[tuple[int, list[int]]]] = []
        for k, leg in enumerate(legs):
            self._add_leg(k, leg)
            if five_cuts and k == 0:
                self._add_ring(self.tips[0], pin.JointModelSpherical(), pin.SE3(np.eye(3), leg.tip()), -leg.l_C)
        if not five_cuts:
            self._add_ring(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), np.zeros(3))
        self.loops = pin.StdVec_RigidConstraintModel()
        for leg, tip in list(zip(legs, self.tips))[1 if five_cuts else 0 :]:
            on_leg, on_ring = pin.SE3(np.eye(3), leg.tip()), pin.SE3(np.eye(3), leg.l_C + self.offset)
            self.loops.append(
                pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, tip, on_leg, self.ring, on_ring)
            )
        self.q, self.v, self.tau = self._state(rig.motion())

    def _body(self, joint: int, link, offset: np.ndarray | None = None) -> None:
        at = pin.SE3.Identity() if offset is None else pin.SE3(np.eye(3), offset)
        self.model.appendBodyToJoint(joint, pin.Inertia(link.mass, np.array(link.com), link.inertia_about_com()), at)

    def _add_ring(self, parent: int, joint: pin.JointModel, place: pin.SE3, offset: np.ndarray) -> None:
        """`offset`: C's origin in the frame of the ring's joint."""
        self.offset = offset
        self.ring = self.model.addJoint(parent, joint, place, "ring")
        self._body(self.ring, self.rig.described.ring, offset)

    def _add_leg(self, k: int, leg: Leg) -> None:
        parent, joints, rotors = self.base, [], leg.rotor_inertias()
        for group in self._groups(chain(leg)):
            first, last = group[0][1], group[-1][1]
            letters = "".join(joint.letter for _, joint in group)
            kind = pin.JointModelUniversal(AXES["y"], AXES["z"]) if letters == "yz" else ALONG[letters]()
            place = pin.SE3(first.rotation, np.array(first.position, float))
            parent = self.model.addJoint(parent, kind, place, f"leg_{k}_{group[0][0]}")
            places = [i for i, _ in group]
            at = self.model.idx_vs[parent]
            self.model.armature[at : at + len(group)] = rotors[places]
            if last.link is not None:
                self._body(parent, last.link)
            joints.append((parent, places))
        self.chains.append(joints)
        self.tips.append(parent)

    def _groups(self, joints: list[Joint]) -> list[list[tuple[int, Joint]]]:
        """Kept joints that become one joint of the model."""
        groups: list[list[tuple[int, Joint]]] = []
        for i, joint in enumerate(joints):
            if self.universal and joint.letter == "z" and groups[-1][-1][1].letter == "y":
                groups[-1].append((i, joint))
            else:
                groups.append([(i, joint)])
        return groups

    def _state(self, motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, tau; the frame B of the base is that of W at this moment."""
        model = self.model
        q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for joints, p, p_dot, Q in zip(self.chains, motion.p, motion.p_dot, motion.Q, strict=True):
            for joint, places in joints:
                i, j, n = model.idx_qs[joint], model.idx_vs[joint], len(places)
                q[i : i + n], v[j : j + n], tau[j : j + n] = p[places], p_dot[places], Q[places]
        j = model.idx_vs[self.base]
        v[j : j + 6] = np.concatenate([motion.v0, motion.omega0])
        i, j = model.idx_qs[self.ring], model.idx_vs[self.ring]
        turn = motion.R_C.T @ (motion.omega0 + motion.u[:3])
        if self.five_cuts:
            data = model.createData()
            pin.forwardKinematics(model, data, q, v)
            tip = data.oMi[self.tips[0]].rotation
            q[i : i + 4] = pin.Quaternion(tip.T @ motion.R_C).coeffs()
            v[j : j + 3] = turn - motion.R_C.T @ pin.getVelocity(model, data, self.tips[0], W).angular
        else:
            travel = motion.v0 + np.cross(motion.omega0, motion.r_C) + motion.u[3:]
            q[i : i + 7] = pin.SE3ToXYZQUAT(pin.SE3(motion.R_C, motion.r_C))
            v[j : j + 6] = np.concatenate([motion.R_C.T @ travel, turn])
        return q, v, tau

    def solver(self, name: str) -> Callable[[int], np.ndarray]:
        """So many solutions with data of their own; the task returns the accelerations."""
        model, loops, q, v, tau = self.model, self.loops, self.q, self.v, self.tau
        data, settings = model.createData(), pin.ProximalSettings(ACCURACY, MU, ITERATIONS)
        states = pin.StdVec_RigidConstraintData()
        for loop in loops:
            states.append(loop.createData())
        if name == "lcaba":
            pin.computeJointMinimalOrdering(model, data, loops)
            solve = pin.lcaba
        else:
            pin.initConstraintDynamics(model, data, loops, states)
            solve = pin.constraintDynamics

        def task(n: int) -> np.ndarray:
            answer = self.tau
            for _ in range(n):
                answer = solve(model, data, q, v, tau, loops, states, settings)
            return answer

        return task

    def acceleration(self, a: np.ndarray) -> np.ndarray:
        """A0 of the base frame, then u' of the ring, as docksim gives them."""
        motion, data = self.rig.motion(), self.model.createData()
        pin.forwardKinematics(self.model, data, self.q, self.v, a)
        base = pin.getClassicalAcceleration(self.model, data, self.base, W)
        ring = pin.getClassicalAcceleration(self.model, data, self.ring, W)
        w, d = pin.getVelocity(self.model, data, self.ring, W).angular, motion.R_C @ self.offset
        linear = ring.linear + np.cross(ring.angular, d) + np.cross(w, np.cross(w, d))
        w_0, u = motion.omega0, motion.u
        turn = ring.angular - base.angular - np.cross(w_0, u[:3])
        carried = base.linear + np.cross(base.angular, motion.r_C) + np.cross(w_0, np.cross(w_0, motion.r_C))
        travel = linear - carried - 2.0 * np.cross(w_0, u[3:])
        return np.concatenate([base.angular, base.linear, turn, travel])


def peers(rig: MechanismRig) -> dict[str, tuple[MechanismPeer, Callable[[int], np.ndarray]]]:
    """Every solver of every form, by name."""
    found = {}
    for five, universal in product((False, True), (False, True)):
        peer = MechanismPeer(rig, five, universal)
        form = f"{5 if five else 6} cuts, {'universal' if universal else 'one-axis'} joints"
        for name in SOLVERS:
            found[f"{name}, {form}"] = peer, peer.solver(name)
    return found
