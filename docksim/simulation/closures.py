"""What closures came to: why one ended a run, which of their rows say nothing new, and the most that they carried."""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.compiler import Compiled
from docksim.config.errors import one_of
from docksim.model.closures import (
    APART,
    CONTRADICTED,
    DEPENDENT,
    DRIFTED,
    MOVING,
    NEARLY_DEPENDENT,
    NO_LENGTH,
    NOTHING_MOVES,
    ROD,
)

SOFTER = "release a joint, or use a bushing"
TEXTS = {
    APART: "its ends are {0:.3g} m (or rad) from where both are given, more than reach_m; move them together, or leave "
    "other_point_m, other_axis and length_m out",
    NO_LENGTH: "its ends are in one place, and a rod has no direction there; give two points, or use a ball",
    NOTHING_MOVES: f"no joint between its ends is free to move, so what it carries cannot be known; {SOFTER}",
    NEARLY_DEPENDENT: "it nearly follows from the other closures and joints (pivot {0:.1e}), so nobody can say whether "
    f"it does; line up its axes, or {SOFTER}",
    CONTRADICTED: f"its ends are driven apart by prescribed motions, at {{0:.3g}} m/s (or rad/s); {SOFTER}",
    MOVING: "its ends move against each other at {0:.3g} m/s (or rad/s) as the run begins; give speeds that fit, or "
    "let an event close it, which books the impulse",
    DRIFTED: "it cannot hold beside the other closures: {0:.3g} m (or rad) are left that they do not allow; line up "
    f"its points and axes, or {SOFTER}",
    DEPENDENT: f"it has become dependent on the other closures in this pose; {SOFTER}",
}
DIRECTIONS = ("turn about x", "turn about y", "turn about z", "travel along x", "travel along y", "travel along z")


def names_of(compiled: Compiled) -> list[str]:
    """Of all closures, as messages have them: by their key, or by the ports that are joined."""
    joints = compiled.assembly.joints
    named = [f"closures.{key}" for key in compiled.scenario.closures]
    return [*named, *(f"join of {joints[row.weld].name}" for row in compiled.model.closure if row.weld >= 0)]


def closed_loops(compiled: Compiled) -> list[str]:
    """Closures with rows that are on."""
    rows = zip(names_of(compiled), compiled.model.closure, compiled.state.closure, strict=True)
    return [name for name, row, own in rows if own.on and row.n_rows]


def closure_text(compiled: Compiled, event: str) -> str:
    """Which closure ended the run, when, why, and what to do; with the event that did it, if one did."""
    at = f"at t = {compiled.state.clock[0].t:.6g} s"
    for name, own in zip(names_of(compiled), compiled.state.closure, strict=True):
        if own.fault:
            who = f"event '{event}' {at}: {name}" if event else f"{name} {at}"
            return f"{who}: {TEXTS[int(own.fault)].format(float(own.amount))}"
    raise AssertionError("no closure is at fault")


def at_fault(compiled: Compiled) -> list[tuple[tuple[str, str], str]]:
    """Closures of the scenario that cannot hold, each with its place there, why, and what to do."""
    rows = zip(compiled.scenario.closures, compiled.state.closure, strict=False)
    return [(("closures", key), TEXTS[int(own.fault)].format(float(own.amount))) for key, own in rows if own.fault]


def redundant(compiled: Compiled) -> Iterator[str]:
    """Closures that say more than the others leave open, in words."""
    for name, row, own in zip(names_of(compiled), compiled.model.closure, compiled.state.closure, strict=True):
        left_out = [i for i in range(row.n_rows) if own.left_out >> i & 1]
        if not left_out:
            continue
        tied = [text for text, tied in zip(DIRECTIONS, row.mask, strict=True) if tied]
        words = ["length"] if row.kind == ROD else [tied[i] for i in left_out]
        text = f"{len(words)} of its {row.n_rows} directions follow from the rest or cannot move ({one_of(words)})"
        yield f"{name}: {text}: what they carry is not known and is told as 0; a bushing would know"


def closure_figures(compiled: Compiled) -> dict[str, float]:
    """The most that each closure of the scenario carried at any step, and the most that it was off."""
    figures = {}
    for key, own in zip(compiled.scenario.closures, compiled.state.closure, strict=False):
        figures[f"closures.{key}.largest_force_N"] = float(own.largest_force)
        figures[f"closures.{key}.largest_moment_Nm"] = float(own.largest_moment)
        figures[f"closures.{key}.largest_gap_m"] = float(own.largest_gap)
        figures[f"closures.{key}.largest_turn_deg"] = math.degrees(float(own.largest_turn))
    return figures
