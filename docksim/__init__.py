"""Spacecraft docking dynamics, from a scenario file to named curves.

    import docksim
    result = docksim.run("scenarios/tumbling_brick.yaml", overrides={"brick.mass_kg": 12.0})
    result["brick.rate_deg_s"], result.metrics

The names below are looked up on first use, so that `import docksim` costs next to nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docksim.api import load, run
    from docksim.config.errors import ScenarioError
    from docksim.hardware.mechanism import Mechanism
    from docksim.result.result import Channel, ResultError
    from docksim.scripting.control import ControlError
    from docksim.scripting.result import Result
    from docksim.scripting.scenario import Scenario
    from docksim.scripting.stepping import Simulation
    from docksim.scripting.study import Study, run_study

__version__ = "0.6.0"
__all__ = [
    "Channel",
    "ControlError",
    "Mechanism",
    "Result",
    "ResultError",
    "Scenario",
    "ScenarioError",
    "Simulation",
    "Study",
    "__version__",
    "load",
    "run",
    "run_study",
]

_HOMES = {
    "run": "docksim.api",
    "load": "docksim.api",
    "Scenario": "docksim.scripting.scenario",
    "Simulation": "docksim.scripting.stepping",
    "ControlError": "docksim.scripting.control",
    **dict.fromkeys(("Study", "run_study"), "docksim.scripting.study"),
    "Result": "docksim.scripting.result",
    **dict.fromkeys(("Channel", "ResultError"), "docksim.result.result"),
    "ScenarioError": "docksim.config.errors",
    "Mechanism": "docksim.hardware.mechanism",
}


def on_first_use(module: str, homes: dict[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__`: its names are looked up in the modules that define them, and kept."""

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return look_up


__getattr__ = on_first_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
