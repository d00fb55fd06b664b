"""A ring on six legs on a free-floating chaser, the same numbers for docksim and for its peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.hardware.mechanism import Mechanism
from docksim.kernel.loop import advance
from docksim.kernel.mechanism.ring import leg_details
from docksim.kernel.step import evaluate
from docksim.model import Work
from tests.oracle.mechanism_description import Leg, Link, chain
from tests.oracle.mechanism_description import Mechanism as Described
from tests.support.mechanisms import to_oracle

BASE_MASS, BASE_INERTIA = 12000.0, (24000.0, 37000.0, 37000.0)  # cylinder of 4 m by 5 m
MOUNT = (2.5, 0.0, 0.0)
# motion at the start: base rate, ring rate on ring axes, ring velocity on base axes
BASE_RATE, RING_RATE, RING_VELOCITY = (0.02, -0.03, 0.01), (0.15, -0.1, 0.2), (0.12, 0.08, -0.1)
LOWER = {"mass_kg": 4.0, "center_of_mass_m": [0.15, 0.0, 0.0], "inertia_kg_m2": [0.008, 0.04, 0.04]}
UPPER = {"mass_kg": 2.0, "center_of_mass_m": [0.14, 0.0, 0.0], "inertia_kg_m2": [0.002, 0.015, 0.015]}
PLACES = {"base_radius_m": 0.62, "ring_radius_m": 0.60}
LEGS: dict[str, dict[str, Any]] = {
    "UPS": {
        **PLACES,
        "base_half_angle_deg": 8.0,
        "ring_half_angle_deg": 8.0,
        "upper_arm_m": 0.28,
        "lower": LOWER,
        "upper": UPPER,
        "actuator": {"stiffness_N_m": 1000.0, "rotor_mass_kg": 5.0},
    },
    "RUS": {
        **PLACES,
        "base_half_angle_deg": 16.5,
        "ring_half_angle_deg": 16.5,
        "crank_m": 0.25,
        "rod_m": 0.48,
        "elbow": "outward",
        "crank": LOWER,
        "rod": UPPER,
        "actuator": {"stiffness_Nm_rad": 40.0, "rotor_inertia_kg_m2": 0.02},
    },
}


def mechanism_keys(kind: str) -> dict[str, Any]:
    """Six legs of a type, undamped on springs at ease in the reference pose; no stops."""
    return {
        "ring": {"mass_kg": 40.0, "inertia_kg_m2": [14.4, 7.3, 7.3]},
        "reference": {"position_m": [0.40, 0.0, 0.0]},
        "symmetric": {"type": kind, **LEGS[kind]},
    }


@dataclass(frozen=True)
class Motion:
    """Where base (frame B) and ring are and how they move, W on the axes of B; joints of each leg."""

    r_C: np.ndarray  # ring in B
    R_C: np.ndarray
    omega0: np.ndarray  # base
    v0: np.ndarray
    u: np.ndarray  # ring against B, angular first
    p: list[np.ndarray]
    p_dot: list[np.ndarray]
    Q: list[np.ndarray]


class MechanismRig:
    """Chaser and mechanism, compiled, some way into their undamped motion."""

    def __init__(self, kind: str, step: float = 1e-3, duration: float = 10.0) -> None:
        self.kind, self.step, self.duration = kind, step, duration
        keys = mechanism_keys(kind)
        self.mechanism = Mechanism.load(keys)
        self.described: Described = to_oracle(self.mechanism)
        com = -np.array(MOUNT)
        about = BASE_MASS * (com @ com * np.eye(3) - np.outer(com, com))
        self.base = Link(BASE_MASS, com, np.diag(BASE_INERTIA) + about)
        vehicle = {
            "mass_kg": BASE_MASS,
            "inertia_kg_m2": list(BASE_INERTIA),
            "rate_deg_s": [float(x) for x in np.degrees(BASE_RATE)],
            "mechanism": {**keys, "position_m": list(MOUNT)},
        }
        solver = {"integrator": "rk4", "step_s": step, "duration_s": duration}
        scenario = {"vehicles": {"v": vehicle}, "solver": solver, "outputs": {"every_s": duration / 10.0}}
        self.compiled: Compiled = compile_scenario(load_scenario(scenario))
        v = int(self.compiled.model.joint[int(self.compiled.model.mechanism[0].joint)].v)
        self.compiled.state.beta[v : v + 6] = RING_RATE + RING_VELOCITY
        self.work: Work = new_work(self.compiled.model, self.compiled.state)
        evaluate(*self.tables)

    @property
    def tables(self) -> tuple[Any, Any, Any]:
        return self.compiled.model, self.compiled.state, self.work

    def run(self, steps: int) -> MechanismRig:
        """So many steps further, in the simulation's loop."""
        log = self.compiled.new_log()
        done = advance(*self.tables, log, steps)
        if int(self.compiled.state.clock[0].step) < min(steps, round(self.duration / self.step)):
            raise RuntimeError(f"the run stopped early, status {done}")
        evaluate(*self.tables)
        return self

    def ring_position(self) -> np.ndarray:
        """C's origin in B."""
        return np.array(self.work.mechanism[0].p_BC)

    def gap(self) -> float:
        """Largest distance between the two sides of a ring joint [m]: chains laid out from the joint coordinates."""
        motion, legs = self.motion(), self.described.legs
        tips = [tip_position(leg, p) for leg, p in zip(legs, motion.p, strict=True)]
        return float(max(np.linalg.norm(t - motion.r_C - motion.R_C @ leg.l_C) for t, leg in zip(tips, legs)))

    def motion(self) -> Motion:
        leg_details(*self.tables)
        own, legs = self.work.mechanism[0], self.work.leg
        base = self.work.body[self.compiled.model.joint[int(self.compiled.model.mechanism[0].joint)].pred]
        R_B = np.array(own.R_WB).reshape(3, 3)
        omega0 = R_B.T @ base.w_WB
        r_C, R_C = np.array(own.p_BC), np.array(own.R_BC).reshape(3, 3)
        v = int(self.compiled.model.joint[int(self.compiled.model.mechanism[0].joint)].v)
        beta = self.compiled.state.beta[v : v + 6]
        p, status = self.mechanism.closures(r_C[None], R_C[None])
        if status.any():
            raise RuntimeError("a leg is out of reach")
        n = [leg.n for leg in self.described.legs]
        return Motion(
            r_C,
            R_C,
            omega0,
            R_B.T @ (np.array(base.v_WH) + np.cross(base.w_WB, own.p_HB)),
            np.concatenate([R_C @ beta[:3], beta[3:]]),
            [p[0, k, : n[k]].copy() for k in range(6)],
            [np.array(legs[k].rate[: n[k]]) for k in range(6)],
            [np.array(legs[k].Q[: n[k]]) for k in range(6)],
        )

    def acceleration(self) -> np.ndarray:
        """A0 of the base frame, then u' of the ring, on B axes."""
        own = self.work.mechanism[0]
        return np.concatenate([own.A_0, own.u_dot])


def tip_position(leg: Leg, p: np.ndarray) -> np.ndarray:
    """The cut joint in B, from the joint coordinates."""
    r, R = np.zeros(3), np.eye(3)
    for joint, x in zip(chain(leg), p, strict=True):
        r, R = r + R @ joint.position, R @ joint.rotation
        along = np.eye(3)[joint.axis]
        if joint.prismatic:
            r = r + R @ (x * along)
        else:
            R = R @ Rotation.from_rotvec(x * along).as_matrix()
    return r + R @ leg.tip()
