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
