"""Scenario files: the schema, the loader with its file:line errors, and the checks.

Names are looked up on first use: who reads a result needs the words for outcomes, not the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from docksim import on_first_use

if TYPE_CHECKING:
    from docksim.config.errors import Problem, ScenarioError
    from docksim.config.loading.files import data_root
    from docksim.config.loading.overrides import parse_override
    from docksim.config.loading.scenario import load_interface, load_mechanism, load_scenario
    from docksim.config.schema.editor import scenario_json_schema
    from docksim.config.schema.scenario import Scenario

__all__ = [
    "Problem",
    "Scenario",
    "ScenarioError",
    "data_root",
    "load_interface",
    "load_mechanism",
    "load_scenario",
    "parse_override",
    "scenario_json_schema",
]

_HOMES = {
    "scenario_json_schema": "docksim.config.schema.editor",
    **dict.fromkeys(("Problem", "ScenarioError"), "docksim.config.errors"),
    "data_root": "docksim.config.loading.files",
    **dict.fromkeys(("load_interface", "load_mechanism", "load_scenario"), "docksim.config.loading.scenario"),
    "parse_override": "docksim.config.loading.overrides",
    "Scenario": "docksim.config.schema.scenario",
}
__getattr__ = on_first_use(__name__, _HOMES)
