"""MuJoCo on the same chaser and mechanism: a model in MJCF, loops closed by `connect`, RK4."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.mechanism_rig import MechanismRig, Motion
from tests.oracle.mechanism_description import ACTUATED, Leg, Link, chain

# how stiff the loops are: MuJoCo's own values; and the shortest time constant that it takes at 1 ms (two steps)
TUNING = {"default": "", "tuned": 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'}
# nothing that the model has no use for
OFF = ("contact", "island", "sensor", "actuation", "limit", "frictionloss", "damper", "warmstart")
FLAGS = " ".join(f'{name}="disable"' for name in OFF)


def numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(x)) for x in values)


def placed(position: np.ndarray, rotation: np.ndarray) -> str:
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return f'pos="{numbers(position)}" quat="{numbers((w, x, y, z))}"'


def inertial(link: Link) -> str:
    J = link.inertia_about_com()
    six = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
    return f'<inertial pos="{numbers(link.com)}" mass="{link.mass!r}" fullinertia="{numbers(six)}"/>'


class MujocoPeer:
    """The rig's model at the rig's present state. five_cuts: the ring on a ball joint at the first leg."""

    def __init__(self, rig: MechanismRig, tuning: str, five_cuts: bool = False) -> None:
        self.rig, self.five_cuts = rig, five_cuts
        self.model = mujoco.MjModel.from_xml_string(self._xml(tuning))
        self.data = mujoco.MjData(self.model)
        self._set(rig.motion())
        mujoco.mj_forward(self.model, self.data)

    # model

    def _xml(self, tuning: str) -> str:
        legs = self.rig.described.legs
        bodies = "".join(self._leg(k, leg) for k, leg in enumerate(legs))
        base = f'<freejoint name="base"/>{inertial(self.rig.base)}'
        free = "" if self.five_cuts else f'<body name="ring"><freejoint name="ring"/>{self._ring_body()}</body>'
        cut = range(1 if self.five_cuts else 0, len(legs))
        loops = "".join(f'<connect site1="tip_{k}" site2="ring_{k}" {tuning}/>' for k in cut)
        option = f'timestep="{self.rig.step!r}" integrator="RK4" gravity="0 0 0"'
        return f"""<mujoco><compiler angle="radian" autolimits="false"/><option {option}><flag {FLAGS}/></option>
            <worldbody><body name="base">{base}{bodies}</body>{free}</worldbody>
            <equality>{loops}</equality></mujoco>"""

    def _ring_body(self) -> str:
        sites = "".join(
            f'<site name="ring_{k}" pos="{numbers(leg.l_C)}"/>' for k, leg in enumerate(self.rig.described.legs)
        )
        return inertial(self.rig.described.ring) + sites

    def _leg(self, k: int, leg: Leg) -> str:
        """Nested bodies; turns at one place are joints of one body, as MuJoCo has it."""
        opened, text, joints = 0, "", ""
        rotors, place = leg.rotor_inertias(), ""
        for j, joint in enumerate(chain(leg)):
            if not joints:
                place = placed(joint.position, joint.rotation)
            axis = numbers(np.eye(3)[joint.axis])
            spring = ""
            if j == ACTUATED[leg.type]:
                device = self.rig.mechanism.actuators[k]
                spring = f'stiffness="{float(device.stiffness)!r}" springref="{float(device.rest)!r}"'
            kind = "slide" if joint.prismatic else "hinge"
            joints += (
                f'<joint name="leg_{k}_{j}" type="{kind}" axis="{axis}" armature="{float(rotors[j])!r}" {spring}/>'
            )
            if joint.link is not None:
                text += f"<body {place}>{joints}{inertial(joint.link)}"
                opened, joints = opened + 1, ""
        text += f'<site name="tip_{k}" pos="{numbers(leg.tip())}"/>'
        if self.five_cuts and k == 0:
            ball = f'<joint name="ring" type="ball" pos="{numbers(leg.l_C)}"/>'
            text += f'<body name="ring" pos="{numbers(leg.tip() - leg.l_C)}">{ball}{self._ring_body()}</body>'
        return text + "</body>" * opened

    # state

    def _set(self, motion: Motion) -> None:
        model, data = self.model, self.data
        for k, (p, p_dot) in enumerate(zip(motion.p, motion.p_dot, strict=True)):
            for j in range(len(p)):
                joint = model.joint(f"leg_{k}_{j}")
                data.qpos[joint.qposadr[0]], data.qvel[joint.dofadr[0]] = p[j], p_dot[j]
        base, ring = model.joint("base"), model.joint("ring")
        # W is B at this moment; a free joint's velocity is on W axes, its turn on body axes
        data.qpos[base.qposadr[0] : base.qposadr[0] + 7] = (0, 0, 0, 1, 0, 0, 0)
        data.qvel[base.dofadr[0] : base.dofadr[0] + 6] = np.concatenate([motion.v0, motion.omega0])
        turn = motion.R_C.T @ (motion.omega0 + motion.u[:3])
        i, j = ring.qposadr[0], ring.dofadr[0]
        if self.five_cuts:
            mujoco.mj_forward(model, data)
            tip = int(model.body_parentid[model.body("ring").id])
            R, speed = data.xmat[tip].reshape(3, 3), np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, tip, speed, 0)
            data.qpos[i : i + 4] = _wxyz(R.T @ motion.R_C)
            data.qvel[j : j + 3] = turn - motion.R_C.T @ speed[:3]
        else:
            travel = motion.v0 + np.cross(motion.omega0, motion.r_C) + motion.u[3:]
            data.qpos[i : i + 7] = np.concatenate([motion.r_C, _wxyz(motion.R_C)])
            data.qvel[j : j + 6] = np.concatenate([travel, turn])

    def ring_position(self) -> np.ndarray:
        """C's origin in B."""
        self._update()
        base, ring = self.data.body("base"), self.data.body("ring")
        return base.xmat.reshape(3, 3).T @ (ring.xpos - base.xpos)

    def gap(self) -> float:
        """Largest distance between the two sides of a ring joint [m]."""
        self._update()
        both = [(self.data.site(f"tip_{k}").xpos, self.data.site(f"ring_{k}").xpos) for k in range(6)]
        return float(max(np.linalg.norm(a - b) for a, b in both))

    def _update(self) -> None:
        mujoco.mj_kinematics(self.model, self.data)

    # motion

    def run(self, steps: int) -> float:
        """So many steps; the largest gap found on the way, looked at every ten steps."""
        worst = self.gap()
        for _ in range(steps // 10):
            mujoco.mj_step(self.model, self.data, nstep=10)
            worst = max(worst, self.gap())
        return worst

    def task(self, n: int) -> None:
        """Steps in one call, the loop in C."""
        mujoco.mj_step(self.model, self.data, nstep=n)


def _wxyz(R: np.ndarray) -> Any:
    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return np.array([w, x, y, z])
