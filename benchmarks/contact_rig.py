"""Chaser, six-legged mechanism and station whose docking interfaces meet, for docksim and, of capsules, for MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.mechanism_rig import BASE_INERTIA, BASE_MASS, MOUNT, MechanismRig, mechanism_keys
from benchmarks.timing import Task
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.hardware.mechanism import Mechanism
from docksim.kernel.loop import advance
from docksim.kernel.step import evaluate
from docksim.model import Work
from tests.oracle.mechanism_description import Link
from tests.support.mechanisms import to_oracle

INTERFACE = Path(__file__).resolve().parent.parent / "configs" / "interfaces" / "idss_like.yaml"
STATION_MASS, STATION_INERTIA = 400000.0, (1.2e8, 1.0e8, 2.0e8)
STATION_PORT = (-9.0, 0.5, -0.5)  # on the station, which has the axes of the chaser
REACH = 0.40  # from the mechanism's base to the ring's face
# so soft that one impact of the ring lasts for hundreds of steps: nothing in the cost of a step depends on it
STIFFNESS, FACES, DAMPING, FRICTION = 1.0e5, 2.0e7, 6.0, 0.1
OFFSET, TILT = (0.03, -0.04), (0.0, 1.0, 1.5)  # of the station's port: lateral [m], rotation vector [deg]
CLOSING = 0.05


def station_pose(distance: float) -> tuple[np.ndarray, Rotation]:
    """Position of the station and its attitude, in the chaser's frame."""
    turn = Rotation.from_rotvec(TILT, degrees=True)
    port = np.array([MOUNT[0] + REACH + distance, *OFFSET])
    return port - turn.apply(STATION_PORT), turn


class ContactRig(MechanismRig):
    """The scene, compiled, at its start: the station comes. Without `touch`, the same without interfaces.

    Keys of the interface can be changed.
    """

    def __init__(
        self, distance: float, step: float = 2e-4, touch: bool = True, duration: float = 4.0, **interface: Any
    ) -> None:
        self.kind, self.step, self.duration, self.distance = "UPS", step, duration, distance
        self.interface = interface
        keys = mechanism_keys("UPS")
        self.mechanism = Mechanism.load(keys)
        self.described = to_oracle(self.mechanism)
        com = -np.array(MOUNT)
        about = BASE_MASS * (com @ com * np.eye(3) - np.outer(com, com))
        self.base = Link(BASE_MASS, com, np.diag(BASE_INERTIA) + about)
        scenario = self.scenario(keys, touch)
        self.compiled: Compiled = compile_scenario(load_scenario(scenario))
        self.work: Work = new_work(self.compiled.model, self.compiled.state)
        evaluate(*self.tables)

    def scenario(self, keys: dict[str, Any], touch: bool) -> dict[str, Any]:
        position, turn = station_pose(self.distance)
        law = {"band": {"petals": STIFFNESS, "faces": FACES}, "damping_s_m": DAMPING, "friction": FRICTION}
        face = {"interface": {"use": str(INTERFACE), "contact": law, **self.interface}} if touch else {}
        # frame of a port: x outward; the station's looks back at the chaser
        back = {"position_m": list(STATION_PORT), "attitude": {"quaternion": [0.0, 0.0, 0.0, 1.0]}}
        chaser = {
            "mass_kg": BASE_MASS,
            "inertia_kg_m2": list(BASE_INERTIA),
            "mechanism": {**keys, "position_m": list(MOUNT), "ports": {"face": face}},
        }
        station = {
            "mass_kg": STATION_MASS,
            "inertia_kg_m2": list(STATION_INERTIA),
            "position_m": position.tolist(),
            "attitude": {"quaternion": np.roll(turn.as_quat(), 1).tolist()},
            "velocity_m_s": [-CLOSING, 0.0, 0.0],
            "ports": {"dock": {**back, **face}},
        }
        pair = {"contacts": {"dock": {"ports": ["chaser.ring.face", "station.dock"]}}} if touch else {}
        solver = {"integrator": "rk4", "step_s": self.step, "duration_s": self.duration}
        outputs = {"every_s": self.duration}
        return {"vehicles": {"chaser": chaser, "station": station}, "solver": solver, "outputs": outputs, **pair}

    @property
    def time(self) -> float:
        return int(self.compiled.state.clock[0].step) * self.step

    def until_touch(self) -> ContactRig:
        """On to the first step with contact."""
        log = self.compiled.new_log()
        while not self.compiled.state.contact[0].touching:
            if self.time > 0.9 * self.duration:
                raise RuntimeError("nothing touches")
            advance(*self.tables, log, 1)
        return self

    def window(self) -> int:
        """How many steps the contact that is there now lasts; the state is as before."""
        state, log, steps = self.compiled.state, self.compiled.new_log(), 0
        start = [table.copy() for table in state]
        while state.contact[0].touching and steps < 1000:
            advance(*self.tables, log, 1)
            steps += 1
        for table, first in zip(state, start):
            table[...] = first
        evaluate(*self.tables)
        return steps

    def contacts(self) -> int:
        """How many gaps are shut now."""
        return int((self.work.contact_row["gap"] < 0.0).sum())

    def task(self, window: int) -> Task:
        """Steps from the present state on, begun anew after every window."""
        model, state, work = self.tables
        log = self.compiled.new_log()
        start = [table.copy() for table in state]

        def steps(n: int) -> None:
            while n > 0:
                for table, first in zip(state, start):
                    table[...] = first
                log.rows[0] = 0
                advance(model, state, work, log, min(n, window))
                n -= window

        return steps
