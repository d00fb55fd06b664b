"""What running extremes are noted of, and how they begin: nothing has been seen."""

from __future__ import annotations

import math

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.extremes import (
    LASTING_S,
    LATCH_EXTREMES,
    LOAD_EXTREMES,
    PAIR_EXTREMES,
    PASSED_EXTREMES,
    PASSED_ON,
    SHAFT_EXTREMES,
    VEHICLE_EXTREMES,
)

# of a step under a tolerance, at most: see SHORTEST in `docksim.kernel.run.tolerant`
PIECES = 64


def extreme_indices(assembly: Assembly) -> dict[str, np.ndarray]:
    """Model tables: bodies of vehicles, bodies that hang on others, joints of ports."""
    names = [body.name for body in assembly.bodies]
    return {
        "vehicle": np.array([k for k, name in enumerate(names) if k and "." not in name], np.int64),
        "hung": np.array([k for k, name in enumerate(names) if "." in name], np.int64),
        "weld": np.array([i for i, joint in enumerate(assembly.joints) if joint.is_weld], np.int64),
    }


def passing_ports(scenario: Scenario, assembly: Assembly) -> dict[tuple[str, str], int]:
    """Pairs and their ports that sit on bodies hung on joints: the body whose joint is nearest to the vehicle.

    Rings of docking mechanisms are left out: what their legs put on the base is known as such.
    """
    above = {joint.succ: joint for joint in assembly.joints if not joint.is_weld}
    ports = {}
    for name, pair in scenario.contacts.items():
        for port in pair.ports:
            chain = [assembly.markers[port].body]
            while "." in assembly.bodies[chain[-1]].name and above[chain[-1]].mechanism < 0:
                chain.append(above[chain[-1]].pred)
            if len(chain) > 1 and "." not in assembly.bodies[chain[-1]].name:
                ports[name, port] = chain[-2]
    return ports


def passed_on(scenario: Scenario, assembly: Assembly) -> np.ndarray:
    """One row for each of them."""
    ports = passing_ports(scenario, assembly)
    rows = table(PASSED_ON, len(ports))
    above = {joint.succ: joint for joint in assembly.joints if not joint.is_weld}
    for row, ((_, port), body) in zip(rows, ports.items(), strict=True):
        marker = assembly.markers[port]
        row.body, row.parent, row.port_body = body, above[body].pred, marker.body
        row.p[:], row.axis[:] = marker.place.position, marker.place.axes[:, 0]
    return rows


def extreme_states(model: Model) -> dict[str, np.ndarray]:
    """State tables. A queue has room for all states of a window, however its steps are cut."""
    shaft = table(SHAFT_EXTREMES, len(model.shaft))
    pair = table(PAIR_EXTREMES, len(model.contact))
    latch = table(LATCH_EXTREMES, len(model.latch))
    for rows in (shaft, pair, latch):
        for field in rows.dtype.names or ():
            if field.startswith("least"):
                rows[field] = math.inf
            elif field.startswith("largest"):
                rows[field] = -math.inf
    parts = max((int(row.substeps) for row in model.contact), default=1)
    if model.settings[0].tolerance > 0.0:
        parts = max(parts, PIECES)
    steps = LASTING_S / float(model.settings[0].step)
    return {
        "extreme_vehicle": table(VEHICLE_EXTREMES, len(model.vehicle)),
        "extreme_hung": table(LOAD_EXTREMES, len(model.hung)),
        "extreme_weld": table(LOAD_EXTREMES, len(model.weld)),
        "extreme_base": table(LOAD_EXTREMES, len(model.mechanism)),
        "extreme_shaft": shaft,
        "extreme_pair": pair,
        "extreme_passed": table(PASSED_EXTREMES, len(model.passed_on)),
        "extreme_latch": latch,
        "lasting": np.zeros((len(model.contact), math.ceil(parts * steps) + 3 + parts * _most_cuts(model, steps), 2)),
    }


def _most_cuts(model: Model, steps: float) -> int:
    """How often the steps of a window may be cut, at most: see `docksim.kernel.basis.instants`."""
    cuts = len(model.condition) + len(model.latch)
    for event in range(-1, len(model.event)):
        # pulses keep their distance from one another only if they are counted from the same instant
        timed = [model.pulse[model.pulse["event"] == event], *([model.load] if event < 0 else [])]
        cuts += _most_within(np.concatenate([rows[key] for rows in timed for key in ("start", "end")]), steps)
    for profile in model.profile:
        knots = model.knot["time"][profile.first_knot : profile.first_knot + profile.n_knots]
        cuts += 1 + _most_within(knots, LASTING_S)
    return cuts


def _most_within(times: np.ndarray, length: float) -> int:
    """Most instants that any window of this length holds."""
    instants = np.sort(times[np.isfinite(times)])
    return int(np.max(np.searchsorted(instants, instants + length, "right") - np.arange(len(instants)), initial=0))
