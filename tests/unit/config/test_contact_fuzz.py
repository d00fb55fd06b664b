"""Whatever is written into an interface, a pair, an approach or a phase, it is compiled, or refused with a message."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from hypothesis import HealthCheck, given, settings

from docksim.compiler import compile_scenario
from docksim.config import ScenarioError, load_scenario
from docksim.simulation.mating import overlaps
from tests.support.docks import DOCK, dock
from tests.unit.config.fuzzing import Place, change, changes_of, places

IDSS = Path(__file__).resolve().parents[3] / "configs" / "interfaces" / "idss_like.yaml"


def whole() -> dict[str, Any]:
    """Everything that contact has, written out."""
    interface = yaml.safe_load(re.sub(r"(\d)e(\d)", r"\1e+\2", IDSS.read_text(encoding="utf-8")))
    interface["spheres"] = [{"center_m": [0.0, 0.3, 0.0], "radius_m": 0.01}]
    interface["capsules"] = [{"start_m": [0.0, 0.2, 0.0], "end_m": [0.0, 0.2, 0.1], "radius_m": 0.01}]
    law = {"law": "kelvin_voigt", "stiffness_N_m": 1e6, "damping_Ns_m": 100.0, "friction": 0.2, "adhesive": True}
    off = [{"latch": 2, "delay_s": 0.1, "spring_factor": 1.1, "friction": 0.1, "height_m": 0.0005}]
    pair = {"margin_m": 0.02, "substeps": 3, "failed_latches": [1], "latch_errors": off}
    angles = {"roll_deg": 1.0, "pitch_deg": 1.0, "yaw_deg": 1.0, "yaw_rate_deg_s": 0.1}
    return dock(
        vehicles__chaser__ports__nose__interface=interface,
        contacts__dock={"ports": DOCK["contacts"]["dock"]["ports"], "contact": law, **pair},
        approach={**DOCK["approach"], **angles, "lateral_offset_m": [0.01, 0.02], "lateral_rate_m_s": [0.0, 0.01]},
        sequence=[
            {"phase": "TOUCH", "when": [{"contact": "dock", "force_above_N": 1.0}], "timeout_s": 9.0, "persistence": 2},
            {"phase": "HELD", "when": {"latched": "dock", "count": 2}, "timeout_s": 5.0,
             "on_timeout": [{"arm_latches": "dock"}, {"stop": "no", "outcome": "aborted"}]},
            {"phase": "AWAY", "when": [{"separated": "dock", "distance_above_m": 0.5}, {"not_fired": "held_timeout"}],
             "do": {"open_latches": "dock"}},
        ],
    )  # fmt: skip


OWN = ("contacts", "approach", "sequence")
PLACES = [place for place in places(whole()) if "interface" in place or place[0] in OWN]


def test_whole_scenario_is_compiled_and_begins_apart() -> None:
    scenario = load_scenario(whole())
    compile_scenario(scenario)
    assert overlaps(scenario) == {}


@given(changes=changes_of(PLACES))
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_any_place(changes: list[tuple[Place, Any]]) -> None:
    content = deepcopy(whole())
    change(content, changes)
    with suppress(ScenarioError), warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = compile_scenario(load_scenario(content))
        for name, table in compiled.model._asdict().items():
            assert all(np.isfinite(table[field]).all() for field in _numbers(table) if name in CONTACT_TABLES), name
        assert np.isfinite(compiled.state.q).all()


CONTACT_TABLES = (
    "contact",
    "contact_row",
    "interface",
    "petal",
    "face_point",
    "sphere",
    "capsule",
    "latch",
    "striker",
    "pawl",
)
NEVER = ("latch_holds", "latch_aside")  # bounds that may be infinite


def _numbers(table: np.ndarray) -> list[str]:
    names = [name for name in table.dtype.names or () if name not in NEVER]
    return [name for name in names if table.dtype[name].base.kind == "f"]
