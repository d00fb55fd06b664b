"""A docking mechanism by itself: closure, forward and inverse dynamics, Jacobian and stiffness, without a scenario.

    mechanism = docksim.Mechanism.load("configs/mechanisms/nds_like.yaml")
    motion = mechanism.forward(mechanism.reference, joint_forces=[10.0] * 6)
    motion.ring_acceleration, motion.loads[0][2].structural_moment

Poses are (position, quaternion wxyz) of the ring in B; twists, accelerations and wrenches have six numbers, angular
part first, on the axes of B, the ring's about C's origin; SI units and radians. The base rests unless told otherwise:
only its angular velocity and its acceleration matter, and uniform gravity g is an acceleration -g of the base. Joint
forces are one number for the driven joint of each leg (stroke [N] or crank [N m]), or one array for all kept joints of
each leg. The dynamics are those of the compiled kernels that scenarios use; with `method="joints"` those of the paper,
in joint coordinates, whose matrices `joint_space` gives by their names (docksim/hardware/joint_space.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from docksim.algebra.masses import symmetric
from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.mechanism_tables import driven_joint, force_limit, leg_table, ring_table
from docksim.compiler.shafts import coupling_shafts, leg_shafts
from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.scenario import load_mechanism
from docksim.config.schema import mechanism as schema
from docksim.config.schema.fields import Attitude
from docksim.config.schema.leg_geometry import crank_reach, driven_at
from docksim.config.schema.legs import JOINTS, HuntLeg, RingPose
from docksim.hardware.branch import BasePoint
from docksim.hardware.joint_space import JointSpace, JointSpaceMotion, Ring, leg_branch
from docksim.hardware.mechanism_loads import (
    FIRST_LINK,
    Closure,
    Devices,
    JointLoad,
    Motion,
    OutOfReach,
    Singular,
    joint_loads,
)
from docksim.kernel.mechanism.leg_loads import leg_acceleration, leg_loads
from docksim.kernel.mechanism.legs import leg_motion
from docksim.kernel.mechanism.reach import close_poses
from docksim.kernel.mechanism.reduction import mechanism_reduction
from docksim.kernel.mechanism.ring_equations import inertia_entry, ring_acceleration
from docksim.model import table
from docksim.model.mechanism import LEG_FINE, LEG_UNREACHABLE, WORK_LEG, WORK_SHAFT, MechanismWork

Numbers = Sequence[float] | np.ndarray
Pose = tuple[Numbers, Numbers]
Forces = Sequence[float] | Sequence[Numbers] | np.ndarray | None
# pose and twist of the ring, joint forces, wrench on the ring, twist of the base
RingState = tuple[Pose, Numbers, Forces, Numbers, Numbers]
Method = Literal["kernel", "joints"]
REST = (0.0,) * 6
# relative to the largest singular value of the scaled Jacobian: below, inverse dynamics has no meaning
LEAST_SINGULAR_VALUE = 1e-9


class Mechanism:
    """A ring on six legs. Build it with `load`."""

    def __init__(self, config: schema.Mechanism, method: Method = "kernel") -> None:
        if method not in ("kernel", "joints"):
            raise ValueError(f"method: expected 'kernel' or 'joints', got {method!r}")
        self.config, self.method = config, method
        self.legs = config.six_legs()
        self.types = tuple(leg.type for leg in self.legs)
        self.reference: Pose = (config.reference.position_m, config.reference.attitude.quaternion_wxyz())
        self._leg = leg_table(self.legs)
        self._ring = ring_table(config)
        self.driven = tuple(driven_joint(leg) for leg in self.legs)
        self.closure(self.reference)
        self.actuators = leg_shafts(self.legs, [driven_at(leg, config.reference) for leg in self.legs])
        self.shafts = self.actuators + coupling_shafts(config.couplings, self.actuators)
        self.couplings = tuple(config.couplings)
        self.weights = np.array([c.weights for c in config.couplings.values()]).reshape(-1, len(self.legs))
        self._devices = Devices(self.shafts)
        self._coupling = self._devices.table[len(self.legs) :]
        self.force_limits = np.array([force_limit(leg) for leg in self.legs])

    @classmethod
    def load(
        cls, source: str | PathLike[str] | Mapping[str, Any] | schema.Mechanism, method: Method = "kernel"
    ) -> Mechanism:
        """The mechanism in a file or dict; a ScenarioError tells everything that is wrong with it."""
        config = load_mechanism(source)
        try:
            return cls(config, method)
        except OutOfReach as error:
            name = fspath(source) if isinstance(source, (str, PathLike)) else "<dict>"
            key, reasons = "symmetric" if config.symmetric else "legs", error.legs.values()
            raise ScenarioError(
                Problem(name, None, key, f"at the reference pose, {text}") for text in reasons
            ) from None

    # closure

    def closure(self, ring_pose: Pose, strict: bool = True) -> Closure:
        """Joint coordinates at a pose. Legs out of reach raise OutOfReach; with strict=False they are only listed."""
        r_C, R_C = _pose(ring_pose)
        coordinates, status = self.closures(r_C[None], R_C[None])
        joints = tuple(coordinates[0, k, : self._n(k)].copy() for k in range(len(self.legs)))
        actuated = np.array([p[j] for p, j in zip(joints, self.driven, strict=True)])
        bad = np.flatnonzero(status[0] != LEG_FINE)
        unreachable = {int(k) + 1: self._reason(int(k), status[0, k], r_C, ring_pose[1]) for k in bad}
        if unreachable and strict:
            raise OutOfReach(unreachable)
        return Closure(joints, actuated, unreachable, self._over_limits(actuated))

    def closures(self, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Many poses at once: positions (N, 3), rotation matrices (N, 3, 3).

        Returns coordinates (N, legs, 4), unused places zero, and status (N, legs): 0 fine, 1 out of reach, 2 singular.
        """
        r_C = np.ascontiguousarray(positions, float)
        R_C = np.ascontiguousarray(rotations, float).reshape(len(r_C), 9)
        coordinates = np.zeros((len(r_C), len(self.legs), 4))
        status = np.zeros((len(r_C), len(self.legs)), np.int64)
        close_poses(self._leg, table(WORK_LEG, len(self.legs)), r_C, R_C, coordinates, status)
        return coordinates, status

    def beyond_limits(self, actuated: np.ndarray) -> np.ndarray:
        """How far (..., legs) strokes [m] or crank angles [rad] are beyond their limits; negative inside."""
        lower = np.array([device.lower for device in self.actuators])
        upper = np.array([device.upper for device in self.actuators])
        # an angle is meant modulo a turn: the one nearest the middle of its range
        turns = np.array([device.unit == "rad" for device in self.actuators]) & np.isfinite(lower) & np.isfinite(upper)
        middle = np.where(turns, lower, 0.0) / 2.0 + np.where(turns, upper, 0.0) / 2.0
        away = np.asarray(actuated, float) - middle
        x = middle + np.where(turns, np.remainder(away + math.pi, 2.0 * math.pi) - math.pi, away)
        return np.maximum(lower - x, x - upper)

    def _over_limits(self, actuated: np.ndarray) -> dict[int, str]:
        if not hasattr(self, "actuators"):
            return {}
        beyond = {}
        for k, (x, excess) in enumerate(zip(actuated, self.beyond_limits(actuated), strict=True)):
            if excess > 1e-9:
                device = self.actuators[k]
                factor, unit = (180.0 / math.pi, "deg") if device.unit == "rad" else (1.0, "m")
                span = f"{device.lower * factor:.6g} to {device.upper * factor:.6g} {unit}"
                beyond[k + 1] = f"leg {k + 1} ({self.types[k]}): {x * factor:.6g} {unit} is beyond its limits, {span}"
        return beyond

    def _reason(self, k: int, status: int, r_C: np.ndarray, quaternion: Numbers) -> str:
        """Why a leg cannot be closed, with the values."""
        leg, who = self.legs[k], f"leg {k + 1} ({self.types[k]})"
        if status == LEG_UNREACHABLE and isinstance(leg, HuntLeg):
            (x, y, z), (q_0, q_1, q_2, q_3) = map(float, r_C), map(float, quaternion)
            pose = RingPose(position_m=(x, y, z), attitude=Attitude(quaternion=(q_0, q_1, q_2, q_3)))
            reach = crank_reach(leg, pose)
            span = f"a rod of {reach.near_m:.6g} to {reach.far_m:.6g} m"
            return f"{who}: out of reach, the pose needs {span}, and this one has {leg.rod_m:.6g} m"
        return f"{who}: singular, a link in line with a joint axis or with its crank"

    def _n(self, k: int) -> int:
        return len(JOINTS[self.types[k]])

    def points(self, ring_pose: Pose) -> np.ndarray:
        """(legs, 3, 3) points of each leg in B: base joint, origin of its second link (Hunt: the elbow), ring joint."""
        self.closure(ring_pose)
        r_C, R_C = _pose(ring_pose)
        out, zero = table(WORK_LEG, 1)[0], (0.0, 0.0, 0.0)
        points = np.zeros((len(self.legs), 3, 3))
        for k, row in enumerate(self._leg):
            leg_motion(row, out, tuple(R_C.ravel()), tuple(r_C), zero, zero, zero, (tuple(row.l_0), zero, zero))
            points[k] = row.l_0, row.l_0 + out.R_BE.reshape(3, 3) @ out.rho[1], r_C + R_C @ row.l_C
        return points

    # dynamics

    def forward(
        self,
        ring_pose: Pose,
        ring_twist: Numbers = REST,
        joint_forces: Forces = None,
        ring_wrench: Numbers = REST,
        base_twist: Numbers = REST,
        base_acceleration: Numbers = REST,
    ) -> Motion:
        """Accelerations and loads under active joint forces and a wrench on the ring about C's origin."""
        state = ring_pose, ring_twist, joint_forces, ring_wrench, base_twist
        if self.method == "joints":
            return self._forward_by_joints(state, base_acceleration)
        A_0 = _six(base_acceleration, "base_acceleration")
        work, R_C = self._reduced(*state)
        u_dot = np.zeros(6)
        ring_acceleration(work, A_0, u_dot)
        rates, accelerations, loads, at_ring = [], [], [], []
        for k, leg in enumerate(self._leg):
            out, n = work.leg[k], self._n(k)
            acceleration = np.zeros(4)
            leg_acceleration(leg, out, R_C, u_dot, acceleration)
            rates.append(out.rate[:n].copy())
            accelerations.append(acceleration[:n])
        # the legs carry what is left of the joint forces when the rotors behind the couplings are turned
        driven = np.array([a[j] for a, j in zip(accelerations, self.driven, strict=True)])
        reactions = self.weights.T @ (self._coupling["rotor"] * (self.weights @ driven))
        for k, leg in enumerate(self._leg):
            out = work.leg[k]
            out.Q[self.driven[k]] -= reactions[k]
            leg_loads(leg, out, R_C, u_dot, A_0)
            loads.append(joint_loads(self.types[k], leg.l_0, out.R_BE.reshape(3, 3), leg.R_0.reshape(3, 3)[:, 1], out))
            at_ring.append(out.load[2].copy())
        P_m, z_m = full_inertia(work.P_m), work.z_m.copy()
        legs = tuple(rates), tuple(accelerations), tuple(loads)
        return Motion(u_dot, *legs, np.array(at_ring), P_m @ A_0 + z_m, P_m, z_m)

    # the same by the paper's steps

    def joint_space(
        self,
        ring_pose: Pose,
        ring_twist: Numbers = REST,
        joint_forces: Forces = None,
        ring_wrench: Numbers = REST,
        base_twist: Numbers = REST,
        base_acceleration: Numbers = REST,
    ) -> JointSpaceMotion:
        """The paper's matrices at a state, of branches and ring: C_d, C_i, c, H, h, A, b, lambda and more."""
        closed = self.closure(ring_pose)
        r_C, R_C = _pose(ring_pose)
        A_0 = _six(base_acceleration, "base_acceleration")
        base = BasePoint(_six(base_twist, "base_twist")[:3], A_0[:3], A_0[3:])
        forces = self._all_forces(joint_forces, closed)
        u, wrench = _six(ring_twist, "ring_twist"), _six(ring_wrench, "ring_wrench")
        return self.branches().motion(closed.joints, r_C, R_C, u, forces, wrench, base)

    def branches(self) -> JointSpace:
        """The legs as chains of one-axis joints, and the ring."""
        names = [JOINTS[kind] for kind in self.types]
        first = [FIRST_LINK[kind] - 1 for kind in self.types]
        legs = [leg_branch(*of) for of in zip(names, self._leg, first, self.driven, strict=True)]
        ring = self._ring[0]
        body = Ring(float(ring.mass), ring.mass * ring.com, symmetric(ring.inertia))
        return JointSpace(legs, body, self.weights, np.array(self._coupling["rotor"]))

    def _forward_by_joints(self, state: RingState, base_acceleration: Numbers) -> Motion:
        own = self.joint_space(*state, base_acceleration)
        _, R_C = _pose(state[0])
        loads, at_ring = [], []
        for k, (branch, one) in enumerate(zip(self.branches().branches, own.branches, strict=True)):
            axes = [R @ joint.e for R, joint in zip(one.R, branch.joints, strict=True)]
            each = zip(JOINTS[self.types[k]], one.r, axes, own.wrenches[k], strict=True)
            loads.append(tuple(JointLoad(name, r, axis, load[:3], load[3:]) for name, r, axis, load in each))
            cut = own.cut_loads[k]
            moment = -cut[3] * np.cross(one.R[-1] @ branch.e_1, R_C @ branch.e_2) if len(cut) == 4 else np.zeros(3)
            at_ring.append(np.concatenate([moment, -cut[:3]]))
        # the base's wrench is linear in its acceleration
        z_m = self.joint_space(*state, REST).base_wrench
        P_m = np.array([self.joint_space(*state, A_0).base_wrench - z_m for A_0 in np.eye(6)]).T
        rates = tuple(one.p_dot for one in own.branches)
        accelerations = tuple(own.p_ddot)
        return Motion(own.u_dot, rates, accelerations, tuple(loads), np.array(at_ring), own.base_wrench, P_m, z_m)

    def inverse(
        self,
        ring_pose: Pose,
        ring_twist: Numbers = REST,
        ring_acceleration: Numbers = REST,
        ring_wrench: Numbers = REST,
        base_twist: Numbers = REST,
        base_acceleration: Numbers = REST,
        joint_forces: Forces = None,
    ) -> np.ndarray:
        """Forces (legs,) of the driven joints, beside `joint_forces`, that give the ring the wanted acceleration."""
        work, _ = self._reduced(ring_pose, ring_twist, joint_forces, ring_wrench, base_twist)
        J = self.jacobian(ring_pose)
        values = np.linalg.svd(J, compute_uv=False)
        if len(J) != 6 or values[-1] <= LEAST_SINGULAR_VALUE * values[0]:
            raise Singular(f"the Jacobian of the driven joints is singular: smallest singular value {values[-1]:.3g}")
        A_0 = _six(base_acceleration, "base_acceleration")
        wanted = full_inertia(work.A) @ _six(ring_acceleration, "ring_acceleration") + work.G.T @ A_0 - work.b
        return np.linalg.solve(J.T, wanted)

    def _reduced(
        self, ring_pose: Pose, ring_twist: Numbers, joint_forces: Forces, ring_wrench: Numbers, base_twist: Numbers
    ) -> tuple[MechanismWork, tuple[float, ...]]:
        """The kernel's work at a state, and R_C as it takes it."""
        closed = self.closure(ring_pose)
        r_C, R_C = _pose(ring_pose)
        u, w_0 = _six(ring_twist, "ring_twist"), _six(base_twist, "base_twist")[:3]
        work = new_work(len(self.legs))
        for k, forces in enumerate(self._all_forces(joint_forces, closed)):
            work.leg[k].Q[: self._n(k)] = forces
        flat = tuple(R_C.ravel())
        wrench = _six(ring_wrench, "ring_wrench")
        motion = tuple(r_C), tuple(u[:3]), tuple(u[3:]), tuple(w_0)
        mechanism_reduction(self._leg, self._ring[0], self._coupling, work, flat, *motion, wrench)
        return work, flat

    def _all_forces(self, forces: Forces, closed: Closure) -> list[np.ndarray]:
        """Forces of all kept joints from one number a leg, or one array a leg."""
        result = [np.zeros(len(p)) for p in closed.joints]
        if forces is None:
            return result
        if len(forces) != len(result):
            raise ValueError(f"joint_forces: {len(forces)} entries for {len(result)} legs")
        for k, own in enumerate(forces):
            values = np.asarray(own, float)
            if values.ndim and values.shape != result[k].shape:
                names = ", ".join(JOINTS[self.types[k]])
                raise ValueError(f"joint_forces[{k}]: {values.size} numbers; a {self.types[k]} leg has {names}")
            if not np.all(np.isfinite(values)):
                raise ValueError(f"joint_forces[{k}]: {own} is not finite")
            if values.ndim:
                result[k] = values
            else:
                result[k][self.driven[k]] = values
        return result

    # Jacobian, stiffness, inertia

    def joint_jacobians(self, ring_pose: Pose) -> tuple[np.ndarray, ...]:
        """H (n, 6) of each leg: rates of its kept joints by ring twist."""
        self.closure(ring_pose)
        r_C, R_C = _pose(ring_pose)
        work = table(WORK_LEG, len(self.legs))
        zero = (0.0, 0.0, 0.0)
        H = [np.zeros((self._n(k), 6)) for k in range(len(self.legs))]
        for i, u in enumerate(np.eye(6)):
            for k, leg in enumerate(self._leg):
                base = (tuple(leg.l_0), zero, zero)
                leg_motion(leg, work[k], tuple(R_C.ravel()), tuple(r_C), tuple(u[:3]), tuple(u[3:]), zero, base)
                H[k][:, i] = work[k].rate[: self._n(k)]
        return tuple(H)

    def jacobian(self, ring_pose: Pose) -> np.ndarray:
        """(legs, 6) rates of the driven joints by ring twist; the transpose takes their forces to a ring wrench."""
        return np.array([H[j] for H, j in zip(self.joint_jacobians(ring_pose), self.driven, strict=True)])

    def scaled_jacobian(self, ring_pose: Pose) -> np.ndarray:
        """The Jacobian without units: turns of the ring times its joints' radius, cranks times their length."""
        rows = np.array([leg.crank_m if isinstance(leg, HuntLeg) else 1.0 for leg in self.legs])
        return rows[:, None] * self.jacobian(ring_pose) / np.array([self.ring_radius] * 3 + [1.0] * 3)

    @property
    def ring_radius(self) -> float:
        """Root mean square distance of the ring joints from their middle."""
        joints = np.array([leg.ring_joint_m for leg in self.legs])
        return float(np.sqrt(np.mean(np.sum((joints - joints.mean(axis=0)) ** 2, axis=1))))

    def stiffness(self, ring_pose: Pose) -> np.ndarray:
        """(6, 6) wrench that a small displacement of the ring (turn, travel) from this pose takes up: J' k J.

        Springs only, of legs and couplings, by their slopes at this pose; base held. What the springs' forces add as
        the legs swing (the geometric stiffness) is not in it; at a pose where the springs are at ease it is zero.
        """
        J = self.shaft_jacobian(ring_pose)
        x = self.coordinates(ring_pose)
        return J.T @ np.diag([shaft.stiffness_at(float(at)) for shaft, at in zip(self.shafts, x, strict=True)]) @ J

    def damping(self, ring_pose: Pose) -> np.ndarray:
        """(6, 6) wrench by small ring twists of the dampers of legs and couplings."""
        J = self.shaft_jacobian(ring_pose)
        return J.T @ np.diag([shaft.damping_at_rest() for shaft in self.shafts]) @ J

    def coordinates(self, ring_pose: Pose) -> np.ndarray:
        """(shafts,) strokes [m] or crank angles [rad] of the legs, each angle nearest its reference, then couplings."""
        x = self.closure(ring_pose).actuated
        starts = np.array([shaft.start for shaft in self.actuators])
        turns = np.array([shaft.turns for shaft in self.actuators])
        x = x - 2.0 * math.pi * turns * np.floor((x - starts) / (2.0 * math.pi) + 0.5)
        return np.concatenate([x, self.weights @ x])

    def shaft_jacobian(self, ring_pose: Pose) -> np.ndarray:
        """(shafts, 6) rates of the driven joints and then of the couplings by ring twist."""
        J = self.jacobian(ring_pose)
        return np.vstack([J, self.weights @ J])

    def inertia(self, ring_pose: Pose) -> np.ndarray:
        """(6, 6) A*: what the ring with its legs and rotors weighs against ring accelerations, base held."""
        return full_inertia(self._reduced(ring_pose, REST, None, REST, REST)[0].A)

    def spring_forces(self, ring_pose: Pose, ring_twist: Numbers = REST) -> np.ndarray:
        """(legs,) forces of springs and dampers, those of the couplings included, on the driven joints."""
        x = self.coordinates(ring_pose)
        rates = self.shaft_jacobian(ring_pose) @ _six(ring_twist, "ring_twist")
        forces = [self.device_forces(i, [a], [v]) for i, (a, v) in enumerate(zip(x, rates, strict=True))]
        total = np.array([float(f["spring"][0] + f["damper"][0]) for f in forces])
        n = len(self.legs)
        return total[:n] + self.weights.T @ total[n:]

    def device_forces(self, shaft: int | str, x: Numbers, rate: Numbers) -> dict[str, np.ndarray]:
        """Forces of spring, damper, brake (sliding) and stop of a shaft at coordinates and rates of the same number.

        The shaft is its place in `shafts`, or its name: "legs.3", "couplings.axial".
        """
        return self._devices.forces(shaft, x, rate)

    def link_masses(self, k: int) -> float:
        """Both links of the leg at place k [kg]."""
        return float(self._leg["mass"][k].sum())

    @property
    def mass(self) -> float:
        """Ring and links [kg]."""
        return float(self.config.ring.mass_kg + self._leg["mass"].sum())


def new_work(legs: int) -> MechanismWork:
    """Scratch of a mechanism."""
    sizes: tuple[Any, ...] = (21, (6, 6), 6, 6, 21, (6, 6), (6, 8), (6, 8), 21, 6)
    return MechanismWork(table(WORK_LEG, legs), table(WORK_SHAFT, legs), *(np.zeros(size) for size in sizes))


def full_inertia(P: np.ndarray) -> np.ndarray:
    """The 6 x 6 matrix of a spatial inertia in 21 numbers."""
    return np.array([[inertia_entry(P, i, j) for j in range(6)] for i in range(6)])


def _six(values: Numbers, name: str) -> np.ndarray:
    result = np.asarray(values, float)
    if result.shape != (6,) or not np.all(np.isfinite(result)):
        raise ValueError(f"{name}: expected 6 finite numbers, angular part first, got {values}")
    return result


def _pose(pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Position, and rotation matrix of the normalised quaternion."""
    position, quaternion = (np.asarray(numbers, float) for numbers in pose)
    if position.shape != (3,) or quaternion.shape != (4,):
        raise ValueError(f"ring_pose: expected (position of 3, quaternion wxyz of 4), got {pose}")
    size = float(np.linalg.norm(quaternion))
    if not np.all(np.isfinite(position)) or not abs(size - 1.0) < 1e-6:
        raise ValueError(f"ring_pose: expected finite numbers and a unit quaternion, got {pose}")
    w, x, y, z = (float(number) / size for number in quaternion)
    return position, rotation_matrix((w, x, y, z))
