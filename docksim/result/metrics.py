"""Numbers that sum a run up: of a docking first, then of every run.

Whatever is largest or least is `measured`: noted while the run went, at every sub-step, whether it was logged or not.
The rest is of the last row, or of the scenario.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from docksim.result.docking_metrics import docking_metrics
from docksim.result.result import Channel

if TYPE_CHECKING:
    from docksim.config.schema import Scenario

# largest rates and loads, of runs without contact too
OF_JOINTS = ".joint."
OF_EVERY_RUN = (".rate_deg_s.peak", ".load_force_N.peak", ".load_moment_Nm.peak")


def metrics_of(
    channels: Mapping[str, Channel],
    scenario: Scenario | None = None,
    wanted: Container[str] | None = None,
    measured: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, float]:
    """Figures of the docking, what was measured at every step, and the largest rates and loads.

    With `wanted` the largest rates and loads are only those named there. `measured` are figures that the solver's state
    has, by name; those of hooks come first, and without contact pairs there are only rates and loads.
    """
    docking = docking_metrics(channels, scenario, measured) if scenario is not None else {}
    ends = {name: value for name, value in measured.items() if name.endswith(OF_EVERY_RUN) or OF_JOINTS in name}
    others = {name: value for name, value in measured.items() if name not in docking and name not in ends}
    found = others | docking if docking else {}
    return found | {name: value for name, value in ends.items() if wanted is None or name in wanted}
