"""The shipped scenarios, run once per process however many tests look at them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

import docksim
from docksim.config import load_scenario
from docksim.result.result import Result

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios"
# dockings, which the tests of docking look at, have a pair of interfaces
NAMES = sorted(path.stem for path in SCENARIOS.glob("*.yaml") if not load_scenario(path).contacts)


@functools.cache
def shipped(name: str) -> Result:
    """A scenario as it is shipped."""
    return changed(name)


def changed(name: str, **overrides: Any) -> Result:
    """A scenario with changes; a key's dots are written as double underscores."""
    keys = {key.replace("__", "."): value for key, value in overrides.items()}
    return docksim.run(SCENARIOS / f"{name}.yaml", keys)


def content(name: str) -> dict[str, Any]:
    """The resolved content of a scenario, to be edited and run."""
    return load_scenario(SCENARIOS / f"{name}.yaml").model_dump(exclude_none=True)


def at(result: Result, time: float) -> int:
    """The row of the given time."""
    row = int(np.argmin(np.abs(result.time_s - time)))
    assert abs(result.time_s[row] - time) < 1e-6, f"no row at {time} s"
    return row


def matrices(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotation matrices of unit quaternions (w, x, y, z), by scipy."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(quaternions, -1, axis=-1)).as_matrix()


def on_world_axes(result: Result, body: str, vectors: np.ndarray) -> np.ndarray:
    """Rows of body components, or one constant vector, turned to W."""
    rows = np.broadcast_to(vectors, (len(result.time_s), 3))
    return np.einsum("nij,nj->ni", matrices(result[f"{body}.attitude"]), rows)
