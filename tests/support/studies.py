"""Small studies for tests: a spinning brick, half a second of it, a few milliseconds a case."""

from __future__ import annotations

from pathlib import Path

import yaml

from docksim.study.plan import Plan, load_plan
from docksim.study.store import Store

ROOT = Path(__file__).resolve().parents[2]

# rates of (10 +- 5, 20, 30) deg/s: the largest rate of a case is near 37.4 deg/s, above in half of the cases
HALF_DEG_S = 37.4

BRICK = {
    "base": "scenarios/tumbling_brick.yaml",
    "set": {"solver.duration_s": 0.5, "solver.step_s": 0.01, "outputs.every_s": 0.05},
    "seed": 3,
    "cases": 24,
    "dispersions": [
        {"type": "normal", "key": "brick.mass_kg", "sigma": 0.1},
        {"type": "uniform", "key": "brick.rate_deg_s.0", "low": 5.0, "high": 15.0},
        {"type": "disc", "keys": ["brick.velocity_m_s.1", "brick.velocity_m_s.2"], "radius": 0.1},
    ],
}


def study_file(folder: Path, name: str = "brick", **changes: object) -> Path:
    """A study file with keys changed; None removes one."""
    content = {key: value for key, value in {**BRICK, **changes}.items() if value is not None}
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def brick_plan(folder: Path, **changes: object) -> Plan:
    return load_plan(study_file(folder, **changes))


def digest(file: Path) -> str:
    """Of all rows of a study's table."""
    store = Store.open(file)
    try:
        return store.digest()
    finally:
        store.connection.close()
