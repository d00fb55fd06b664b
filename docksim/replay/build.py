"""A saved or fresh result to its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from docksim.config.schema.legs import HuntLeg
from docksim.config.schema.scenario import Scenario
from docksim.replay.page import page
from docksim.replay.pair_tracks import Columns
from docksim.replay.panels import panels_of, values
from docksim.replay.payload import block, description, event_list
from docksim.replay.scene import build_scene
from docksim.replay.sights import Scene
from docksim.replay.subjects import subjects
from docksim.replay.tracks import Tracker, contact_force, row_limit, rows_to_keep, stride_of
from docksim.result.arrays import write_text
from docksim.result.result import Result, ResultError


def replay_page(result: Result) -> str:
    """The page of a whole result."""
    if not len(result.time_s):
        raise ResultError(f"the result '{result.scenario_name}' has no rows; there is nothing to replay")
    scenario = result.scenario
    scene = build_scene(scenario)
    columns = {name: channel.data for name, channel in result.channels.items()}
    refuse_gaps(scene, result)
    force = contact_force(scene, columns, len(result.time_s))
    rows = rows_to_keep(result.time_s, result.events, force, row_limit(scene))
    rows = np.intersect1d(rows, finite_rows(scene, columns))
    tracker = Tracker(scene)
    panels = panels_of(scene, columns, joined_pairs(columns))
    tracks = tracker.tracks(columns, rows)
    first = subjects(scene, scenario, (event.name for event in result.events))
    payload = {
        **description(scene, panels, columns, tracker.anchor, first),
        "live": False,
        "events": event_list(result.events),
        "phases": list(result.channels["phase"].labels) if "phase" in result.channels else [],
        "block": block(tracks, values(panels, columns, rows)),
    }
    how = rule(len(result.time_s), len(rows), stride_of(len(result.time_s), row_limit(scene)))
    return page(payload, words(scene, scenario, result.scenario_name, result.outcome, result.reason, how))


def finite_rows(scene: Scene, columns: Columns) -> np.ndarray:
    """Without the last rows of a run that diverged: a body that is nowhere cannot be shown."""
    poses = [columns[f"{name}.{key}"] for name in scene.names for key in ("position_m", "attitude")]
    rows = np.flatnonzero(np.all([np.isfinite(pose).all(axis=1) for pose in poses], axis=0))
    if not len(rows):
        raise ResultError("no instant of this result has finite positions; there is nothing to replay")
    return rows


def write_replay(result: Result, file: Path) -> Path:
    """Write the page; a file that is there is replaced."""
    return write_text(file, replay_page(result))


def words(scene: Scene, scenario: Scenario, name: str, outcome: str, reason: str, how: str) -> dict[str, Any]:
    """What is shown as text."""
    return {
        "name": name,
        "outcome": outcome,
        "reason": reason,
        "about": reason or scenario.description,
        "vehicles": scene.vehicles,
        "latches": bool(scene.latches),
        "failed": any(latch.failed for latch in scene.latches),
        "touches": bool(scene.pairs),
        "second": scene.pairs[0].pair.ports[1] if scene.pairs else "",
        "rule": how,
    }


def rule(total: int, kept: int, stride: int) -> str:
    """How the instants were chosen, in words."""
    if kept == total:
        return f"All {total} logged instants are stored; between them the motion is interpolated."
    which = f"one in {stride}, both sides of every event, and the largest contact force of every stretch"
    return f"{kept} of {total} logged instants are stored: {which}; between them the motion is interpolated."


def joined_pairs(columns: Columns) -> list[str]:
    """Pairs of ports whose relative motion is logged."""
    return [name.removesuffix(".misalignment_deg") for name in columns if name.endswith(".misalignment_deg")]


def refuse_gaps(scene: Scene, result: Result) -> None:
    """A replay needs the pose of every body and the angle of every crank; results of other versions may lack them."""
    needed = {f"{name}.{key}": f"body '{name}'" for name in scene.names for key in ("position_m", "attitude")}
    for legs in scene.legs:
        for k, leg in enumerate(legs.part.legs, start=1):
            if isinstance(leg, HuntLeg):
                needed[f"{legs.part.vehicle}.legs.{k}.angle_deg"] = f"leg {k} of '{legs.part.vehicle}'"
    for channel, what in needed.items():
        if channel not in result.channels:
            place = result.folder or f"the result '{result.scenario_name}'"
            raise ResultError(f"{place}: no channel '{channel}', so {what} cannot be shown; run the scenario again")
