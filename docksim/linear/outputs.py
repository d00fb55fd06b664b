"""Outputs of a linear model beyond its states: how vehicles, ports and beam tips move; and the figure's skeleton."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.parts import Marker, Place
from docksim.linear.evaluation import Point
from docksim.linear.model import Skeleton

_MOTIONS = ("displacement_{}_m", "rotation_{}_rad", "velocity_{}_m_s", "angular_rate_{}_rad_s")


def frame_outputs(compiled: Compiled, point: Point, ports: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """Names and rows of [C D]: displacement and velocity on W axes, rotation and rate on the frame's own axes."""
    names: list[str] = []
    found = []
    for name, marker in _frames(compiled, ports).items():
        frame = point.frame(marker.body, marker.place.position, np.asarray(marker.place.axes, float))
        names += [f"{name}.{motion.format(axis)}" for motion in _MOTIONS for axis in "xyz"]
        found += [point.slopes(frame.origin), frame.turn(point)]
        found += [point.slopes(frame.velocity), point.slopes(frame.own_rate())]
    return names, np.vstack(found) if found else np.zeros((0, point.size))


def _frames(compiled: Compiled, ports: Sequence[str]) -> dict[str, Marker]:
    """Base bodies of the vehicles, ports, tips of beams."""
    assembly = compiled.assembly
    found = {name: Marker(assembly.body_index(name), Place()) for name in compiled.scenario.vehicles}
    found |= {port: assembly.markers[port] for port in ports}
    return found | {name: frame for name, frame in assembly.frames.items() if name.endswith(".tip")}


def skeleton(compiled: Compiled, point: Point, n: int) -> Skeleton:
    """Hinges of all bodies, their mass centres, ports and tips; lines from body to body."""
    points: list[np.ndarray] = []
    lines: list[tuple[int, int]] = []
    labels: dict[int, str] = {}
    hinge: dict[int, int] = {}
    for k in point.state.order:
        body, parent = point.work.body[k], int(point.state.link[k].parent)
        hinge[k] = len(points)
        points.append(body.r)
        if parent > 0:
            lines.append((hinge[parent], hinge[k]))
        if np.linalg.norm(point.values(body.c)) > 0.0:
            lines.append((hinge[k], len(points)))
            points.append(body.r + body.c)
    for name, marker in {**compiled.assembly.markers, **_tips(compiled)}.items():
        lines.append((hinge[marker.body], len(points)))
        points.append(point.frame(marker.body, marker.place.position, np.eye(3)).origin)
        labels[len(points) - 1] = name
    for name in compiled.scenario.vehicles:
        labels[hinge[compiled.assembly.body_index(name)]] = name
    jacobian = np.array([point.slopes(p)[:, :n] for p in points])
    return Skeleton(np.array([point.values(p) for p in points]), tuple(lines), jacobian, labels)


def _tips(compiled: Compiled) -> dict[str, Marker]:
    return {name: frame for name, frame in compiled.assembly.frames.items() if name.endswith(".tip")}
