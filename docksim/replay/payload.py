"""Scene and tracks as the page takes them: one JSON object, its arrays as little-endian bytes in base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from docksim import __version__
from docksim.compiler.parts import Marker
from docksim.drawing.interface import OPEN_DEG, hook
from docksim.drawing.meshes import Mesh, arrow
from docksim.replay.pair_tracks import Columns
from docksim.replay.panels import Panel
from docksim.replay.sights import COLOURS, Point, Scene
from docksim.replay.tracks import Tracks
from docksim.result.result import EventRecord

# arrays of a block by the type that the page reads
TYPES = {
    "time": "<f8", "anchor": "<f8", "position": "<f4", "attitude": "<f4", "points": "<f4", "latched": "<u2",
    "lost": "<u2", "touch_row": "<u4", "touch_pair": "<u4", "touch": "<f4", "pull": "<f4", "phase": "<u2",
    "curves": "<f4",
}  # fmt: skip


def as_text(values: np.ndarray, kind: str) -> str:
    """Base64 of the array."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode("ascii")


def block(tracks: Tracks, curves: np.ndarray) -> dict[str, Any]:
    """Instants that follow one another."""
    arrays = {item.name: getattr(tracks, item.name) for item in fields(tracks)}
    texts = {name: as_text(values, TYPES[name]) for name, values in arrays.items()}
    return {"rows": len(tracks.time), "curves": as_text(curves, TYPES["curves"]), **texts}


def script_text(content: Any) -> str:
    """JSON that may stand inside a <script> element: nothing in it can end the element or open a comment."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def event_list(events: Sequence[EventRecord]) -> list[dict[str, Any]]:
    return [{"time": event.time_s, "name": event.name, "text": event.text} for event in events]


def description(
    scene: Scene, panels: Sequence[Panel], columns: Columns, anchor: int, first: Sequence[tuple[Marker, bool]]
) -> dict[str, Any]:
    """Everything that stays the same; `first` should be in the first view."""
    table = _Meshes()
    return {
        "version": __version__,
        "bodies": scene.names,
        "vehicles": [
            {"name": name, "colour": COLOURS[i % len(COLOURS)], "body": scene.names.index(name)}
            for i, name in enumerate(scene.vehicles)
        ],
        "anchor": anchor,
        "parts": [
            {"body": part.body, "mesh": table.number(part.mesh), "colour": part.colour, "kind": part.kind,
             "opacity": part.opacity, "vehicle": part.vehicle}
            for part in scene.parts
        ],
        "links": [
            {"start": _point(link.start), "end": _point(link.end), "mesh": table.number(link.mesh),
             "colour": link.colour}
            for link in scene.links
        ],
        "latches": [
            {"pair": latch.pair, "number": latch.number, "body": latch.body, "position": latch.position.tolist(),
             "axes": latch.axes.T.ravel().tolist(), "failed": latch.failed}
            for latch in scene.latches
        ],
        "hook": table.number(hook()),
        "open_deg": OPEN_DEG,
        "arrow": table.number(arrow()),
        "pairs": [
            {"name": pair.name, "ports": list(pair.pair.ports), "first": _frame(a), "second": _frame(b)}
            for pair, (a, b) in zip(scene.pairs, scene.pair_markers, strict=True)
        ],
        "labels": [{"body": body, "position": list(at), "text": text} for body, at, text in scene.labels],
        "focus": _focus(scene),
        "subjects": [{**_frame(marker), "whole": whole} for marker, whole in first],
        "points": scene.moving_points,
        "panels": [
            {"title": p.title, "unit": p.unit, "series": [label for label, _, _ in p.series],
             "bands": p.bands(columns)}
            for p in panels
        ],
        "meshes": table.listed,
    }  # fmt: skip


def _focus(scene: Scene) -> dict[str, Any] | None:
    if scene.focus is None:
        return None
    active, passive = scene.focus
    vehicle = scene.vehicle_of(active.body - 1)
    return {"active": _frame(active), "passive": _frame(passive), "radius": scene.focus_radius, "vehicle": vehicle}


def _frame(marker: Marker) -> dict[str, Any]:
    axes = np.asarray(marker.place.axes).T.ravel().tolist()
    return {"body": marker.body - 1, "position": list(marker.place.position), "axes": axes}


def _point(point: Point) -> dict[str, Any]:
    return {"body": point.body, "position": list(point.position), "track": point.track}


class _Meshes:
    """Every surface once, by number."""

    def __init__(self) -> None:
        self.listed: list[dict[str, str]] = []
        self._known: dict[tuple[str, str], int] = {}

    def number(self, mesh: Mesh) -> int:
        key = as_text(mesh.vertices, "<f4"), as_text(mesh.triangles, "<u4")
        if key not in self._known:
            self._known[key] = len(self.listed)
            self.listed.append({"vertices": key[0], "triangles": key[1]})
        return self._known[key]
