"""From a plan to the arm's program: a partial scenario with initial angles and events, and what it demands of the arm.

Joints are driven, so the hand moves against the vehicle as planned, whatever the free-floating vehicle does in turn;
no model of its reaction is needed. The set-points of joints that have a servo go along the plan; other joints are
prescribed. Just before the berth the joints are released and push with constant torques, the transposed Jacobian times
the push: contact takes over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from docksim.algebra.dense import applied, length, product
from docksim.algebra.rotations import pose, rotation_matrix
from docksim.berthing.arm import Arm, OutOfReach, find_arm, inverse, placed
from docksim.berthing.path import FACING, Scene, carry, reach
from docksim.compiler.approach import starts
from docksim.compiler.assembly import Assembly
from docksim.config import Problem, Scenario, ScenarioError
from docksim.config.schema.berthing import BerthingPlan
from docksim.config.schema.names import devices


@dataclass(frozen=True)
class Table:
    """Angles of all joints against time; [s], [rad]."""

    time: np.ndarray
    angle: np.ndarray  # (rows, joints)

    def rates(self) -> np.ndarray:
        """(times, joints) of the spline that the simulation follows, on a finer grid."""
        fine = np.linspace(0.0, self.time[-1], 10 * len(self.time))
        return np.asarray(CubicSpline(self.time, self.angle, bc_type="clamped")(fine, 1))


@dataclass(frozen=True)
class Program:
    """What `docksim berth plan` found."""

    plan: BerthingPlan
    arm: Arm
    scene: Scene
    reach: Table
    carry: Table
    unit_push: np.ndarray  # torques of the released joints that push with one newton [N m/N]
    largest_path_error_m: float  # of the splines between their knots
    worst_condition: float  # of the hand's Jacobian along the way, lengths in metres
    by_servo: frozenset[str]  # joints that have one

    @property
    def largest_rate_deg_s(self) -> float:
        return float(np.degrees(max(np.abs(table.rates()).max() for table in (self.reach, self.carry))))

    def port_at(self, q: np.ndarray) -> np.ndarray:
        """Where the carried port is, in the frame of the arm's vehicle."""
        hand = self.arm.frames(q)[-1]
        return np.asarray(product(hand, FACING, inverse(self.scene.grapple), self.scene.port)[:3, 3])

    def released_row(self) -> int:
        """Row of the table at which the port is as near as the joints are released."""
        away = [length(self.port_at(q) - self.scene.berth[:3, 3]) for q in self.carry.angle]
        return int(np.argmax(np.array(away) < self.plan.insertion.release_distance_m))

    def joint_rows(self) -> list[tuple[str, ...]]:
        """Table of the joints: angles at first, at the grapple and at the release, largest rate, push."""
        rates = [np.abs(table.rates()).max(axis=0) for table in (self.reach, self.carry)]
        angles = (self.reach.angle[0], self.reach.angle[-1], self.carry.angle[self.released_row()])
        rows = []
        for i, joint in enumerate(self.plan.arm.joints):
            seen = [f"{np.degrees(q[i]):.2f} deg" for q in angles]
            seen.append(f"{np.degrees(max(r[i] for r in rates)):.2f} deg/s")
            rows.append((joint, *seen, f"{self.plan.insertion.seat_N * self.unit_push[i]:.1f} N m"))
        return rows

    def content(self) -> dict[str, Any]:
        """The partial scenario."""
        plan, joints = self.plan, self.plan.arm.joints
        vehicle = joints[0].partition(".")[0]
        bodies = {
            joint.partition(".")[2]: {"joint": {"angle_deg": _round(np.degrees(angle))}}
            for joint, angle in zip(joints, self.reach.angle[0], strict=True)
        }
        limp = [{"phase": "LIMP"}, *map(self._released, joints), *self._torques(plan.insertion.push_N)]
        near = {"distance": [plan.arm.hand, plan.cargo.grapple], "below_m": plan.reach.capture_distance_m}
        close = {"distance": [plan.cargo.port, plan.berth], "below_m": plan.insertion.release_distance_m}
        events = {
            "reach": {"when": {"time_s": plan.reach.start_s}, "do": [{"phase": "REACH"}, *self._drives(self.reach)]},
            "grapple": {
                "when": [{"after": "reach", "delay_s": plan.reach.duration_s}, near],
                "do": [{"phase": "GRAPPLED"}, {"join": [plan.arm.hand, plan.cargo.grapple]}],
            },
            "carry": {
                "when": {"after": "grapple", "delay_s": plan.rest_s},
                "do": [{"phase": "CARRY"}, *self._drives(self.carry)],
            },
            "limp": {"when": [{"after": "carry"}, close], "do": limp},
            "seat": {
                "when": {"after": "limp", "delay_s": plan.insertion.seat_after_s},
                "do": self._torques(plan.insertion.seat_N),
            },
        }
        return {"vehicles": {vehicle: {"bodies": bodies}}, "events": events}

    def _torques(self, force: float) -> list[dict[str, Any]]:
        joints = zip(self.plan.arm.joints, self.unit_push, strict=True)
        return [{"torque": {"joint": joint, "torque_Nm": _round(force * arm)}} for joint, arm in joints]

    def _drives(self, table: Table) -> list[dict[str, Any]]:
        times = [_round(t) for t in table.time]
        moved = np.degrees(table.angle - table.angle[0])
        commands = []
        for i, joint in enumerate(self.plan.arm.joints):
            way = {"kind": "table", "time_s": times, "displacement_deg": [_round(x) for x in moved[:, i]]}
            if joint in self.by_servo:
                commands.append({"set": {"device": joint, "servo": {"path": way}}})
            else:
                commands.append({"drive": {"joint": joint, "profile": way}})
        return commands

    def _released(self, joint: str) -> dict[str, Any]:
        if joint in self.by_servo:
            return {"set": {"device": joint, "servo": {"enabled": False}}}
        return {"release": joint}


def _round(x: float) -> float:
    """Enough digits for micrometres at the hand."""
    return float(np.round(x, 7)) + 0.0


def plan_berthing(plan: BerthingPlan, setup: Scenario, name: str = "plan") -> Program:
    """Angles along the way. Raises ScenarioError where the arm does not reach, or would be beyond its stops."""
    if setup.approach is not None and setup.approach.holds_at == "contact":
        text = "approach.holds_at: an arm begins at a distance; give 'holds_at: distance' and distance_m"
        raise ScenarioError([Problem(name, None, "setup", text)])
    try:
        arm, assembly = find_arm(setup, plan.arm.joints, plan.arm.hand)
    except OutOfReach as error:
        raise ScenarioError([Problem(name, None, "arm", str(error))]) from None
    scene = scene_of(plan, setup, assembly)
    near = np.radians(plan.arm.posture_deg)
    first = _follow(arm, list(reach(plan, scene)), near, "reach", name, plan.arm.joints)
    hand = [(t, scene.hand(port)) for t, port in carry(plan, scene)]
    second = _follow(arm, hand, first.angle[-1], "carry", name, plan.arm.joints)
    return Program(
        plan, arm, scene, first, second, _unit_push(arm, scene, second), _path_error(arm, scene, plan, second),
        max(float(np.linalg.cond(arm.jacobian(q))) for q in second.angle), _by_servo(plan, setup),
    )  # fmt: skip


def _by_servo(plan: BerthingPlan, setup: Scenario) -> frozenset[str]:
    by_name = devices(setup)
    actuators = {joint: by_name[joint].actuators[0] for joint in plan.arm.joints if joint in by_name}
    return frozenset(joint for joint, one in actuators.items() if getattr(one, "servo", None) is not None)


def scene_of(plan: BerthingPlan, setup: Scenario, assembly: Assembly) -> Scene:
    """The frames at the start of the setup."""
    own, other = (port.partition(".")[0] for port in (plan.berth, plan.cargo.port))
    bases, begun = {}, starts(setup)
    for vehicle in (own, other):
        position, quaternion = begun[vehicle].base
        bases[vehicle] = pose(rotation_matrix(quaternion), position)
    port = placed(assembly.markers[plan.cargo.port].place)
    start = product(inverse(bases[own]), bases[other], port)
    grapple = placed(assembly.markers[plan.cargo.grapple].place)
    return Scene(placed(assembly.markers[plan.berth].place), port, grapple, start)


def _follow(
    arm: Arm, way: list[tuple[float, np.ndarray]], near: np.ndarray, what: str, name: str, joints: list[str]
) -> Table:
    """Angles that follow a way of the hand."""
    angles: list[np.ndarray] = []
    for t, target in way:
        try:
            q = arm.angles(target, angles[-1] if angles else near)
        except OutOfReach as error:
            x, y, z = target[:3, 3]
            text = f"at {t:.4g} s the hand should be at [{x:.3f}, {y:.3f}, {z:.3f}] m of its vehicle, but {error}"
            raise ScenarioError([Problem(name, None, what, text)]) from None
        beyond = arm.beyond_stops(q)
        if beyond:
            i = beyond[0]
            low, high = np.degrees([arm.lower[i], arm.upper[i]])
            text = f"at {t:.4g} s '{joints[i]}' would be at {np.degrees(q[i]):.4g} deg"
            text += f", beyond its stops at {low:g} and {high:g} deg"
            raise ScenarioError([Problem(name, None, what, text)])
        angles.append(q)
    return Table(np.array([t for t, _ in way]), np.array(angles))


def _unit_push(arm: Arm, scene: Scene, table: Table) -> np.ndarray:
    """Torques that push the port along the axis of the berth with one newton, at its origin, in the mated posture."""
    mated = product(scene.berth, FACING)
    hand = scene.hand(mated)
    gaps = [length(arm.frames(q)[-1][:3, 3] - hand[:3, 3]) for q in table.angle]
    q = arm.angles(hand, table.angle[int(np.argmin(gaps))])
    return applied(arm.jacobian(q, mated[:3, 3])[3:].T, mated[:3, 0])


def _path_error(arm: Arm, scene: Scene, plan: BerthingPlan, table: Table) -> float:
    """How far the spline's hand is from the planned one between the knots, at their middles."""
    spline = CubicSpline(table.time, table.angle, bc_type="clamped")
    half = plan.model_copy(update={"knot_s": 0.5 * plan.knot_s})
    worst = 0.0
    for t, port in carry(half, scene):
        worst = max(worst, float(length(arm.frames(spline(t))[-1][:3, 3] - scene.hand(port)[:3, 3])))
    return worst
