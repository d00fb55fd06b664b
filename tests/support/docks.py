"""A small docking scenario to be broken by tests, and short ways to change it and to collect its faults."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from docksim.config import ScenarioError, load_scenario

BODY = {"mass_kg": 1000.0, "inertia_kg_m2": [400.0, 500.0, 600.0]}
IDSS = {"use": "configs/interfaces/idss_like.yaml"}
PROBE = {"use": "configs/interfaces/spheres_probe.yaml"}
DOCK: dict[str, Any] = {
    "vehicles": {
        "chaser": {
            **BODY,
            "ports": {
                "nose": {"position_m": [1.0, 0.0, 0.0], "interface": IDSS},
                "probe": {"position_m": [1.0, 0.0, 0.0], "interface": PROBE},
                "bare": {},
            },
        },
        "station": {
            **BODY,
            "position_m": [5.0, 0.0, 0.0],
            "ports": {"dock": {"position_m": [-1.0, 0.0, 0.0], "attitude": {"rotation_vector_deg": [0, 0, 180]},
                               "interface": IDSS}},
        },
    },
    "contacts": {"dock": {"ports": ["chaser.nose", "station.dock"]}},
    "approach": {"active": "chaser.nose", "passive": "station.dock", "distance_m": 0.3, "closing_rate_m_s": 0.05},
    "sequence": [
        {"phase": "TOUCH", "when": {"contact": "dock"}, "timeout_s": 20.0},
        {"phase": "HELD", "when": {"latched": "dock"}, "do": {"join": ["chaser.nose", "station.dock"]}},
        {"phase": "DONE", "do": {"stop": "all is done", "outcome": "hard-docked"}},
    ],
    "solver": {"duration_s": 1.0},
}  # fmt: skip


def dock(**changes: Any) -> dict[str, Any]:
    """The scenario with values changed by path, dots written as double underscores; None removes."""
    data = deepcopy(DOCK)
    for path, value in changes.items():
        *above, key = path.split("__")
        part: Any = data
        for name in above:
            part = part[int(name)] if isinstance(part, list) else part.setdefault(name, {})
        if value is None:
            part.pop(key)
        elif isinstance(part, list):
            part[int(key)] = value
        else:
            part[key] = value
    return data


def faults(data: dict[str, Any]) -> list[str]:
    """What is wrong with a scenario, as 'key: message'."""
    try:
        load_scenario(data)
    except ScenarioError as error:
        return [f"{problem.key}: {problem.message}" for problem in error.problems]
    return []
