"""A docking with a mechanism just before first contact, and vehicles that tumble into each other off their axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from scipy.spatial.transform import Rotation

from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.realtime import packets
from docksim.realtime.inputs import Inputs
from docksim.realtime.packets import MOTION_ENTRY, Packet
from docksim.realtime.telemetry import Telemetry, state_numbers
from docksim.simulation.run import Run
from tests.support.contact_rigs import ball, pair, port
from tests.support.rigs import Keys, lone

ROOT = Path(__file__).resolve().parents[2]


# what shakes a coupling most: the stiff end of the band
STIFF = {"stiffness_N_m": 6.5e6, "face_stiffness_N_m": 2.0e7, "damping_s_m": 6.0, "friction": 0.1}


def nds(step: float, duration: float, law: Keys = STIFF, friction: float = 30.0) -> Keys:
    """`dock_nds` from 16 ms before its first contact; the first impact is over after 25 ms. Friction: of the legs."""
    scenario = load_scenario(ROOT / "scenarios" / "dock_nds.yaml", {"approach.distance_m": 0.04})
    keys: Keys = yaml.safe_load(scenario.to_yaml())
    keys["solver"] |= {"step_s": step, "duration_s": duration}
    keys["outputs"]["every_s"] = min(step, 1e-3)
    vehicles = keys["vehicles"]
    vehicles["chaser"]["mechanism"]["symmetric"]["actuator"]["friction_N"] = friction
    for one in (vehicles["chaser"]["mechanism"]["ports"]["face"], vehicles["station"]["ports"]["dock"]):
        one["interface"]["contact"] = law
    return keys


def tumbling(seed: int, stiffness: float, friction: float, duration: float) -> Keys:
    """40 kg and 60 kg with their balls off their mass centres, both turning, meet askew at some 0.25 m/s."""
    rng = np.random.default_rng(seed)
    law = {"stiffness_N_m": stiffness, "restitution": 0.95, "impact_speed_m_s": 0.2, "friction": friction}

    def vehicle(mass: float, inertia: Any, place: np.ndarray, **keys: Any) -> Keys:
        at, turn = rng.uniform(-0.4, 0.4, 3), Rotation.from_quat(rng.normal(size=4))
        keys |= {"position_m": (place - turn.apply(at)).tolist(), "rate_deg_s": rng.uniform(-17.0, 17.0, 3).tolist()}
        keys["attitude"] = {"quaternion": np.roll(turn.as_quat(), 1).tolist()}
        return lone(mass, inertia, ports=port(ball(0.5, law), position_m=at.tolist()), **keys)

    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    speed = -0.25 * way + rng.uniform(-0.08, 0.08, 3)
    a = vehicle(40.0, [8.0, 10.0, 12.0], np.zeros(3))
    b = vehicle(60.0, [12.0, 9.0, 15.0], 1.02 * way, velocity_m_s=speed.tolist())
    return pair(a, b, duration, 1e-3)


def motions(frames: np.ndarray) -> np.ndarray:
    """(frames, 13) numbers of MOTION entries, from the frames of a state."""
    return np.hstack([frames[field] for field in ("position", "quaternion", "velocity", "rate")])


class Follower:
    """A run under the test's hand, whose motion is given."""

    def __init__(self, scenario: Keys) -> None:
        self.inputs = Inputs(compile_scenario(load_scenario(scenario)), motion=["all"])
        self.run = Run(self.inputs.compiled)
        self.telemetry = Telemetry(self.run.compiled)

    def numbers(self) -> tuple[np.ndarray, np.ndarray]:
        """Frames and contacts at the present instant, told by the model itself; goes on by a step."""
        k = int(self.run.log.rows[0])
        self.run.advance(1)
        found = state_numbers(memoryview(self.telemetry.state(self.run.log.picked(slice(k, k + 1)))))
        assert found is not None
        return found[1].copy(), found[2].copy()

    def frames(self) -> np.ndarray:
        """Their motion, as it is told."""
        return motions(self.numbers()[0])

    def take(self, entries: Any) -> str:
        payload = b"".join(MOTION_ENTRY.pack(i, *values) for i, values in entries)
        return self.inputs.take(Packet(packets.MOTION, 0, 1, 0, 0, 0.0, memoryview(payload)))
