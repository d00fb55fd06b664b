"""Scenario files: the schema, the loader with its file:line errors, and the checks."""

from docksim.config.editor import scenario_json_schema
from docksim.config.errors import Problem, ScenarioError
from docksim.config.files import data_root
from docksim.config.loader import load_interface, load_mechanism, load_scenario
from docksim.config.overrides import parse_override
from docksim.config.schema import Scenario

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
