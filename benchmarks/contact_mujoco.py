"""MuJoCo on the scene of `contact_rig`: loops closed by `connect`, interfaces of capsules.

A ring is a polygon of capsules, a petal a fan of them along rulings with arcs along its tip. Everything of one side may
touch everything of the other. Contacts have friction in a pyramid, MuJoCo's default and the cheaper cone.
"""

from __future__ import annotations

from itertools import pairwise

import mujoco
import numpy as np

from benchmarks.contact_rig import (
    CLOSING,
    FRICTION,
    STATION_INERTIA,
    STATION_MASS,
    STATION_PORT,
    STIFFNESS,
    ContactRig,
    station_pose,
)
from benchmarks.mechanism_mujoco import TUNING, MujocoPeer, inertial, numbers
from benchmarks.mechanism_rig import MOUNT
from benchmarks.timing import Task
from tests.oracle.contact_shapes import Petal, Rim

# what the scene has no use for; contact it has
OFF = ("island", "sensor", "actuation", "limit", "frictionloss", "damper", "warmstart")
FLAGS = " ".join(f'{name}="disable"' for name in OFF)
RING_MASS = 40.0
# interface axes, z out of the mating plane, to port axes, x out of it; and the station's port, which looks back
TO_PORT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
BACK = np.diag([-1.0, -1.0, 1.0])
# segments of the ring, rulings of a petal
COARSE, FINE = (36, 4), (72, 9)


class ContactPeer(MujocoPeer):
    """The rig's model at the rig's start."""

    def __init__(self, rig: ContactRig, fine: tuple[int, int], integrator: str) -> None:
        self.fine, self.integrator, self.distance = fine, integrator, rig.distance
        super().__init__(rig, TUNING["tuned"])
        position, turn = station_pose(self.distance)
        joint = self.model.joint("station")
        i, j = joint.qposadr[0], joint.dofadr[0]
        # the base frame of the mechanism is the origin here
        self.data.qpos[i : i + 3] = position - np.array(MOUNT)
        self.data.qpos[i + 3 : i + 7] = np.roll(turn.as_quat(), 1)
        self.data.qvel[j : j + 3] = (-CLOSING, 0.0, 0.0)
        mujoco.mj_forward(self.model, self.data)

    def _xml(self, tuning: str) -> str:
        legs = self.rig.described.legs
        bodies = "".join(self._leg(k, leg) for k, leg in enumerate(legs))
        base = f'<freejoint name="base"/>{inertial(self.rig.base)}'
        ring = f'<body name="ring"><freejoint name="ring"/>{self._ring_body()}{self._interface("ring")}</body>'
        mass = f'<inertial pos="0 0 0" mass="{STATION_MASS!r}" diaginertia="{numbers(STATION_INERTIA)}"/>'
        station = f'<body name="station"><freejoint name="station"/>{mass}{self._interface("station")}</body>'
        loops = "".join(f'<connect site1="tip_{k}" site2="ring_{k}" {tuning}/>' for k in range(len(legs)))
        option = f'timestep="{self.rig.step!r}" integrator="{self.integrator}" gravity="0 0 0"'
        return f"""<mujoco><compiler angle="radian" autolimits="false"/><option {option}><flag {FLAGS}/></option>
            <worldbody><body name="base">{base}{bodies}</body>{ring}{station}</worldbody>
            <equality>{loops}</equality></mujoco>"""

    def _interface(self, side: str) -> str:
        """Capsules of one side; it touches the other side only. Stiffness as of the ring's mass alone."""
        masks = 'contype="1" conaffinity="0"' if side == "ring" else 'contype="0" conaffinity="1"'
        law = f'solref="{-STIFFNESS / RING_MASS!r} -10.0" friction="{FRICTION!r} 0 0" mass="0"'
        turn, at = (TO_PORT, np.zeros(3)) if side == "ring" else (BACK @ TO_PORT, np.array(STATION_PORT))
        text = ""
        for a, b, radius in pieces(*self.fine):
            ends = numbers([*(turn @ a + at), *(turn @ b + at)])
            text += f'<geom type="capsule" fromto="{ends}" size="{radius!r}" {masks} {law}/>'
        return text

    def until_touch(self) -> ContactPeer:
        """On to the first step with contact."""
        while self.data.ncon == 0:
            if self.data.time > 0.9 * self.rig.duration:
                raise RuntimeError("nothing touches")
            mujoco.mj_step(self.model, self.data)
        return self

    def window(self) -> tuple[int, float]:
        """How many steps the contact that is there now lasts, and the mean number of contacts in them."""
        start = self._state()
        counts: list[int] = []
        while self.data.ncon > 0 and len(counts) < 1000:
            counts.append(int(self.data.ncon))
            mujoco.mj_step(self.model, self.data)
        self._reset(start)
        return len(counts), float(np.mean(counts))

    def stepping(self, window: int) -> Task:
        """Steps from the present state on, begun anew after every window; the loop is in C."""
        start = self._state()

        def steps(n: int) -> None:
            while n > 0:
                self._reset(start)
                mujoco.mj_step(self.model, self.data, nstep=min(n, window))
                n -= window

        return steps

    def _state(self) -> np.ndarray:
        kind = mujoco.mjtState.mjSTATE_INTEGRATION
        state = np.zeros(mujoco.mj_stateSize(self.model, kind))
        mujoco.mj_getState(self.model, self.data, state, kind)
        return state

    def _reset(self, state: np.ndarray) -> None:
        mujoco.mj_setState(self.model, self.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)


def pieces(segments: int, rulings: int) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Ends and radii of the capsules of an interface, on its axes."""
    rim, found = Rim(), []
    for a, b in pairwise(np.linspace(0.0, 2.0 * np.pi, segments + 1)):
        found.append((rim.point([a]), rim.point([b]), rim.tube))
    for azimuth in np.radians([0.0, 120.0, 240.0]):
        petal = Petal(azimuth)
        (low, high), (left, right) = petal.box()
        angles = np.linspace(left, right, rulings)
        found += [(petal.point((low, phi)), petal.point((high, phi)), petal.plate_radius) for phi in angles]
        tips = [petal.point((high, phi)) for phi in angles]
        found += [(a, b, petal.plate_radius) for a, b in pairwise(tips)]
    return found
