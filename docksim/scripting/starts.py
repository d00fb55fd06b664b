"""Starts of one's own: the commented files of `docksim new`, as data."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from docksim.config.errors import Problem, ScenarioError, unknown
from docksim.config.loading.includes import content_of

KINDS = ("docking", "spin", "two_vehicles")


def start_of(kind: str) -> dict[str, Any]:
    """The content of a start, named after its kind."""
    if kind not in KINDS:
        raise ScenarioError([Problem("Scenario.new", None, "", unknown("start", kind, KINDS))])
    text = files("docksim").joinpath("cli", "templates", f"{kind}.yaml").read_text(encoding="utf-8")
    return content_of(text.replace("@NAME@", kind), kind)
