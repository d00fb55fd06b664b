"""Spacecraft docking dynamics, from a scenario file to named curves.

    import docksim
    result = docksim.run("scenarios/tumbling_brick.yaml", overrides={"brick.mass_kg": 12.0})
    result["brick.rate_deg_s"], result.metrics

The names below are looked up on first use, so that `import docksim` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docksim.api import load, run
    from docksim.hardware.mechanism import Mechanism
    from docksim.result.result import Result

__version__ = "0.6.0"
__all__ = ["Mechanism", "Result", "__version__", "load", "run"]

_HOMES = {
    "run": "docksim.api",
    "load": "docksim.api",
    "Result": "docksim.result.result",
    "Mechanism": "docksim.hardware.mechanism",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'docksim' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
