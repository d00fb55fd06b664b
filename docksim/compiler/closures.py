"""Closures to their table: those of the scenario, then one for every two ports that events join."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.compiler.parts import Marker, Place, within
from docksim.config.schema.closures import Closure
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.closures import (
    AXES,
    BUSHING,
    CLOSING,
    CLOSURE,
    CLOSURE_STATE,
    FRAMES,
    LENGTH,
    POINT,
    ROD,
    ROW_OF_CLOSURE,
    WORK_CLOSING,
    WORK_CLOSURE_ROW,
)

# directions that are tied: turns about x y z of the first frame, travels along them; a hinge's axis is z
MASKS = {
    "weld": (1, 1, 1, 1, 1, 1),
    "hinge": (1, 1, 0, 1, 1, 1),
    "ball": (0, 0, 0, 1, 1, 1),
    "point_on_line": (0, 0, 0, 1, 1, 0),
    "planar": (1, 1, 0, 0, 0, 1),
    "rod": (0, 0, 0, 0, 0, 0),
    "bushing": (0, 0, 0, 0, 0, 0),
}
ROWS = {kind: sum(mask) for kind, mask in MASKS.items()} | {"rod": 1}


def closure_table(scenario: Scenario, assembly: Assembly) -> np.ndarray:
    welds = [(i, joint) for i, joint in enumerate(assembly.joints) if joint.is_weld]
    rows = table(CLOSURE, len(scenario.closures) + len(welds))
    rows["weld"] = -1
    ends = {**assembly.frames, **assembly.markers}
    for row, closure in zip(rows, scenario.closures.values(), strict=False):
        _fill(row, closure, *(ends[end] for end in closure.between))
    for row, (i, joint) in zip(rows[len(scenario.closures) :], welds, strict=True):
        row.kind, row.weld = FRAMES, i
        _ends(row, Marker(joint.pred, joint.F), Marker(joint.succ, joint.M))
        row.mask[:], row.n_rows = MASKS["weld"], ROWS["weld"]
    rows["first_row"] = np.cumsum(rows["n_rows"]) - rows["n_rows"]
    return rows


def _fill(row: Any, closure: Closure, first: Marker, second: Marker) -> None:
    axes = frame_of_axis(closure.axis)
    point = closure.other_point_m
    a = Marker(first.body, within(first.place, Place(closure.point_m, axes)))
    b = Place(point or (0.0, 0.0, 0.0), axes if closure.other_axis is None else frame_of_axis(closure.other_axis))
    _ends(row, a, Marker(second.body, within(second.place, b)))
    row.kind = {"rod": ROD, "bushing": BUSHING}.get(closure.kind, FRAMES)
    if closure.kind == "rod":
        row.given = 0 if closure.length_m is None else LENGTH
    else:
        row.given = (0 if point is None else POINT) + (0 if closure.other_axis is None else AXES)
    row.length, row.fit = closure.length_m or 0.0, closure.reach_m
    row.mask[:], row.n_rows = MASKS[closure.kind], ROWS[closure.kind]
    row.stiffness[:] = (*closure.stiffness_Nm_rad, *closure.stiffness_N_m)
    row.damping[:] = (*closure.damping_Nms_rad, *closure.damping_Ns_m)
    row.starts_on = closure.on


def _ends(row: Any, a: Marker, b: Marker) -> None:
    row.a, row.b = a.body, b.body
    row.p_aA[:], row.R_aA[:] = a.place.position, a.place.axes.ravel()
    row.p_bB[:], row.R_bB[:] = b.place.position, b.place.axes.ravel()


def frame_of_axis(axis: tuple[float, float, float] | None) -> np.ndarray:
    """Axes whose z is the given one; x is at right angles to it and to the axis that is furthest from it."""
    if axis is None:
        return np.eye(3)
    z = np.array(axis) / np.sqrt(sum(c * c for c in axis))
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x = x / np.sqrt(sum(c * c for c in x))
    return np.array([x, np.cross(z, x), z]).T


def closure_states(model: Model) -> dict[str, np.ndarray]:
    closing = table(CLOSING, 1)
    closing["waiting"] = int(model.closure["starts_on"].sum())
    rows = int(model.closure["n_rows"].sum())
    return {
        "closing": closing,
        "closure": table(CLOSURE_STATE, len(model.closure)),
        "closure_row": table(ROW_OF_CLOSURE, rows),
    }


def closure_work(model: Model) -> dict[str, np.ndarray]:
    """Scratch of the closures; in a scenario that has none and joins nothing there are no rows."""
    bodies, rows = len(model.body), int(model.closure["n_rows"].sum())
    return {
        "closing": table(WORK_CLOSING, 1),
        "closure_row": table(WORK_CLOSURE_ROW, rows),
        "in_use": np.zeros(rows, np.int64),
        "path": np.zeros(bodies, np.int64),
        "marked": np.zeros(bodies, np.int64),
        "column": np.zeros((bodies, 6, rows)),
        "share": np.zeros(max(rows, 1)),
        "ring_share": np.zeros((6, max(rows, 1))),
        "response": np.zeros((rows, rows)),
        "factor": np.zeros((rows, rows)),
        "pull": np.zeros((bodies, 6, 1)),
        "group": np.zeros((bodies, 33)),
    }
