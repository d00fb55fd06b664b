"""Ports that events join, and what their hooks allow, as rows of a table."""

from __future__ import annotations

import math

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.config.schema.joining import active_and_passive, hooks_of, joinable
from docksim.config.schema.scenario import Scenario
from docksim.model import table
from docksim.model.hooks import HOOKS, HOOKS_STATE


def hooks_table(scenario: Scenario, assembly: Assembly) -> np.ndarray:
    """One row for every two ports, in the order of `joinable`."""
    markers = list(assembly.markers)
    pairs = joinable(scenario)
    rows = table(HOOKS, len(pairs))
    for row, ports in zip(rows, pairs):
        row.active, row.passive = map(markers.index, active_and_passive(scenario, ports))
        hooks = hooks_of(scenario, ports)
        if hooks is not None:
            row.given = 1
            row.reach, row.overlap, row.window = hooks.reach_m, hooks.overlap_m, hooks.window_m
            row.tilt, row.roll = math.radians(hooks.tilt_deg), math.radians(hooks.roll_deg)
            row.speed = hooks.rate_m_s
    return rows


def hooks_states(hooks: np.ndarray) -> np.ndarray:
    """No join has been tried."""
    rows = table(HOOKS_STATE, len(hooks))
    rows["tried"] = rows["joined"] = -1.0
    return rows
