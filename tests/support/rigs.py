"""Small scenarios for the physics tests: a body on a joint of an anchored rig, a lone body, and their run."""

from __future__ import annotations

from typing import Any

import numpy as np

import docksim
from docksim.compiler import Compiled, compile_scenario
from docksim.config import load_scenario
from docksim.result.result import Result
from docksim.simulation.run import run_kernel

Keys = dict[str, Any]


def body(mass: float, inertia: Any, joint: Keys, com: Any = (0.0, 0.0, 0.0), parent: str = "base") -> Keys:
    """A body on a joint."""
    keys = lone(mass, inertia, center_of_mass_m=[float(x) for x in com])
    return {**keys, "parent": parent, "joint": joint}


def lone(mass: float, inertia: Any, **keys: Any) -> Keys:
    """A vehicle of one body; inertia as a number (isotropic), three moments or a matrix."""
    inertia = np.asarray(inertia, float)
    return {"mass_kg": mass, "inertia_kg_m2": (inertia * np.ones(3) if inertia.ndim == 0 else inertia).tolist(), **keys}


def rig(bodies: Keys, **keys: Any) -> dict[str, Keys]:
    """One vehicle `rig`, held fixed in W, that carries the bodies."""
    return {"rig": lone(1.0, 1.0, anchored=True, bodies=bodies, **keys)}


def worst(actual: Any, expected: Any) -> float:
    """Largest absolute difference."""
    return float(np.max(np.abs(np.asarray(actual) - np.asarray(expected))))


def scenario(vehicles: Keys, duration: float, step: float = 1e-3, every: float | None = None, **sections: Any) -> Keys:
    """Vehicles and times to a scenario; logs every step unless told otherwise."""
    integrator = sections.pop("integrator", "rk4")
    solver = {"duration_s": duration, "step_s": step, "integrator": integrator}
    return {"vehicles": vehicles, "solver": solver, "outputs": {"every_s": every or step}, **sections}


def simulate(vehicles: Keys, duration: float, step: float = 1e-3, *args: Any, **sections: Any) -> Result:
    """Run to the end. `coarse`: the step is too long for an accurate run, and meant to be."""
    wanted = ("completed", "inaccurate") if sections.pop("coarse", False) else ("completed",)
    result = docksim.run(scenario(vehicles, duration, step, *args, **sections))
    assert result.outcome in wanted, result.reason
    return result


def final(keys: Keys) -> Compiled:
    """The compiled scenario after its run: raw coordinates, rates and accumulators in its state."""
    compiled = compile_scenario(load_scenario(keys))
    run_kernel(compiled, compiled.new_log())
    return compiled


def holding_arm() -> Keys:
    """A vehicle's limp arm holds a module; the module's other port is joined to the vehicle, then the hand lets go."""

    def link(parent: str, at: list[float], axis: list[float], angle: float, **keys: object) -> Keys:
        joint = {"type": "revolute", "position_m": at, "axis": axis, "angle_deg": angle, "damping_Nms_rad": 2.0, **keys}
        return body(15.0, [0.3, 1.5, 1.5], joint, (0.5, 0.0, 0.0), parent)

    bodies = {
        "upper": link("base", [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], 40.0, rate_deg_s=2.0),
        "fore": link("upper", [1.0, 0.0, 0.0], [0.0, 1.0, 0.2], 30.0, rate_deg_s=-3.0),
        "wrist": link("fore", [1.0, 0.0, 0.0], [1.0, 0.3, 0.0], 10.0),
        "hand": link("wrist", [1.0, 0.0, 0.0], [0.2, 0.0, 1.0], -20.0),
    }
    bodies["hand"]["ports"] = {"grip": {"position_m": [0.6, 0.0, 0.0]}}
    at = {"position_m": [3.0, 3.0, 0.5]}
    module = lone(200.0, [60.0, 80.0, 70.0], **at, ports={"fixture": {}, "berth": {"position_m": [-0.5, 0.2, 0.0]}})
    do = {
        "grapple": (0.0, [{"join": ["carrier.hand.grip", "module.fixture"]}]),
        "berth": (0.2, [{"join": ["carrier.dock", "module.berth"]}]),
        "let_go": (0.4, [{"separate": {"ports": ["carrier.hand.grip", "module.fixture"]}}]),
    }
    events = {name: {"when": {"time_s": time}, "do": what} for name, (time, what) in do.items()}
    carrier = lone(800.0, [300.0, 400.0, 350.0], bodies=bodies, ports={"dock": {"position_m": [1.0, 0.0, 0.0]}})
    return {"vehicles": {"carrier": carrier, "module": module}, "events": events}
