"""Small scenes for the tests of contact: balls and planes, a pair of docking interfaces, and states set by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance
from docksim.model import State
from docksim.model.log import Log
from tests.support.rigs import Keys, lone

IDSS = Path(__file__).resolve().parents[2] / "configs" / "interfaces" / "idss_like.yaml"
# where the ports of `docking_pair` are
AT_A, AT_B = (1.5, 0.02, -0.03), (2.0, -0.05, 0.04)
# port frame of B when it faces A: half a turn about z
FACING = Rotation.from_euler("z", 180.0, degrees=True)


def port(interface: Keys | str, **place: Any) -> Keys:
    keys = {"use": interface} if isinstance(interface, str) else interface
    return {"dock": {"position_m": [0.0, 0.0, 0.0], **place, "interface": keys}}


def ball(radius: float = 1.0, contact: Keys | None = None, centre: Any = (0.0, 0.0, 0.0)) -> Keys:
    """An interface of one sphere."""
    return {"spheres": [{"center_m": list(centre), "radius_m": radius}], "contact": contact or {}}


def plane(radius: float = 5.0, contact: Keys | None = None) -> Keys:
    """An interface of one disc, facing +x."""
    return {"face": {"inner_m": 0.0, "outer_m": radius, "depth_m": 1.0, "points": 0}, "contact": contact or {}}


def pair(a: Keys, b: Keys, duration: float, step: float, every: float | None = None, **sections: Any) -> Keys:
    """Two vehicles a and b, whose ports `dock` may touch."""
    contact = {"ports": ["a.dock", "b.dock"], **sections.pop("pair", {})}
    solver = {"duration_s": duration, "step_s": step, "integrator": sections.pop("integrator", "rk4")}
    outputs = {"every_s": every or step, **sections.pop("outputs", {})}
    vehicles = {"a": a, "b": b}
    return {"vehicles": vehicles, "contacts": {"hit": contact}, "solver": solver, "outputs": outputs, **sections}


def docking_pair(
    duration: float, step: float, interface: Keys | None = None, scale: float = 1.0, **sections: Any
) -> Compiled:
    """Two vehicles of 3 t and 5 t, scaled, with IDSS-like interfaces, for `place`; frames at the mass centres."""
    idss = {"use": str(IDSS), **(interface or {})}
    J_A, J_B = np.array([2000.0, 2500.0, 2600.0]), np.array([4000.0, 4500.0, 4600.0])
    a = lone(3000.0 * scale, scale * J_A, ports=port(idss, position_m=list(AT_A)))
    b = lone(5000.0 * scale, scale * J_B, ports=port(idss, position_m=list(AT_B)))
    b["position_m"] = [9.0, 0.0, 0.0]
    return compile_scenario(load_scenario(pair(a, b, duration, step, **sections)))


def place(state: State, body: int, at: Any, x: Any, attitude: Rotation, v: Any, w: Any) -> None:
    """The port at `at` of body k, which is a vehicle, comes to x; v: of the mass centre, W axes, w: on body axes."""
    quaternion = np.roll(attitude.as_quat(), 1)
    state.q[7 * body : 7 * body + 3] = np.asarray(x) - attitude.apply(at)
    state.q[7 * body + 3 : 7 * body + 7] = quaternion
    state.beta[6 * body : 6 * body + 3], state.beta[6 * body + 3 : 6 * body + 6] = w, v


def fresh(compiled: Compiled) -> State:
    """A copy of the initial state."""
    return State(*(np.copy(table).view(type(table)) for table in compiled.state))


def run(compiled: Compiled, state: State, chunks: tuple[int, ...] = ()) -> Log:
    """To the end, in chunks if told; the rows of the log."""
    log, work = compiled.new_log(), new_work(compiled.model, state)
    for n in (*chunks, int(compiled.model.settings[0].n_steps) + 1):
        advance(compiled.model, state, work, log, n)
    return log.filled()


def energies(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic and potential energy together, and the sum of all works done."""
    return log.head["kinetic"] + log.head["potential"], log.head["work"].sum(axis=1)


def momenta(log: Log) -> tuple[np.ndarray, np.ndarray]:
    """Angular and linear momentum of everything, row by row."""
    return log.head["angular_momentum"], log.head["linear_momentum"]


def approach(rng: np.random.Generator, speed: float, lateral: float = 0.08, tilt_deg: float = 4.0) -> Keys:
    """Arguments of `place` for B coming to A at the origin: offset and tilt over discs, any roll, some rates."""
    a, b = rng.uniform(0.0, 2.0 * math.pi, 2)
    u, v = np.sqrt(rng.random(2))
    tilt = Rotation.from_rotvec(np.radians(tilt_deg) * u * np.array([0.0, math.cos(a), math.sin(a)]))
    roll = Rotation.from_rotvec([rng.uniform(0.0, 2.0 * math.pi), 0.0, 0.0])
    x = np.array([0.38, lateral * v * math.cos(b), lateral * v * math.sin(b)])
    return {
        "x": x,
        "attitude": tilt * roll * FACING,
        "v": np.array([-speed, *rng.uniform(-0.3, 0.3, 2) * speed]),
        "w": rng.uniform(-0.02, 0.02, 3),
    }
