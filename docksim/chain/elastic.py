"""Elastic links as rigid finite elements: a chain with more joints, to which all formulations apply as they are.

A link that runs straight from its joint to its far end is cut into N equal pieces; the flexibility of each piece is
gathered at its middle, in up to three turning joints (twist about x, bending about y and z, in this order) of
stiffness GJ N / L or EI N / L, and its mass in the rigid elements between: half a piece on the link's own joint, N - 1
whole ones, half a piece at the far end. That end carries what else the link weighs, and the next joint. Joints with
nothing between them sit on massless elements. Small deflections of each joint, large ones of the link; no shear, no
stretch. Axes of the beam: x to the far end, y across the link's own z as far as that is possible.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra import dense
from docksim.algebra.masses import about_point
from docksim.chain.model import REVOLUTE
from docksim.config.schema.elastic import ElasticLink

ORDER = ("twist", "bend_y", "bend_z")
AXES = {flex: np.eye(3)[i] for i, flex in enumerate(ORDER)}
LIMITS = {"lower": -math.inf, "upper": math.inf, "rate_limit": math.inf, "effort_limit": math.inf}
STOPS = {"stop_stiffness": 0.0, "stop_damping": 0.0}
FREE = {"home": 0.0, **LIMITS, **STOPS, "rotor": 0.0, "rest": 0.0, "friction": 0.0, "passive": True}
Link = dict[str, Any]
Pose = tuple[np.ndarray, np.ndarray]


def with_elements(links: list[Link], elastic: list[ElasticLink | None]) -> list[Link]:
    """The links with each elastic one replaced by its elements; children hang on the last element."""
    made: list[Link] = []
    last: list[int] = []
    frames: list[Pose] = []  # of the last element in the rigid link's frame
    for link, beam in zip(links, elastic, strict=True):
        above = int(link["parent"])
        hung = dict(link)
        if above >= 0:
            hung["parent"] = last[above]
            hung["R_fix"], hung["p_fix"] = _seen_from(frames[above], link["R_fix"], link["p_fix"])
        pieces, frame = ([hung], (np.eye(3), np.zeros(3))) if beam is None else _cut(hung, beam, len(made))
        made += pieces
        last.append(len(made) - 1)
        for piece in pieces:
            piece["far"] = last[-1]
        frames.append(frame)
    return made


def _cut(link: Link, beam: ElasticLink, first: int) -> tuple[list[Link], Pose]:
    """Elements of one link, and the frame of the last one in the link's."""
    length = float(dense.length(link["p_end"]))
    axes = beam_axes(link["p_end"] / length)
    count = beam.segments
    piece = length / count
    hinges = [(i + 0.5) * piece for i in range(count)]
    root = {**link, **element(beam, axes, 0.0, hinges[0], length), "R_end": axes, "p_end": axes[:, 0] * hinges[0]}
    made = [root]
    flexes = [flex for flex in ORDER if flex in beam.flex]
    for i, hinge in enumerate(hinges):
        until = hinges[i + 1] if i + 1 < count else length
        for step, flex in enumerate(flexes):
            # the first joint of a hinge is where the one before ends, the others sit on it
            start = (made[-1]["R_end"], made[-1]["p_end"]) if step == 0 else (np.eye(3), np.zeros(3))
            massive = step == len(flexes) - 1
            body = element(beam, np.eye(3), 0.0, until - hinge, length) if massive else _nothing()
            made.append(
                {
                    "name": f"{link['name']}.{i + 1}.{flex}",
                    "parent": first + len(made) - 1,
                    "kind": REVOLUTE,
                    "axis": AXES[flex],
                    "R_fix": start[0],
                    "p_fix": start[1],
                    "R_end": np.eye(3),
                    "p_end": np.array([until - hinge if massive else 0.0, 0.0, 0.0]),
                    **body,
                    **FREE,
                    **_spring(beam, flex, piece),
                }
            )
    frame = axes, axes[:, 0] * hinges[-1]
    end = made[-1]
    end["R_end"], end["p_end"] = _seen_from(frame, link["R_end"], link["p_end"])
    for key, value in _seen_masses(frame, link).items():
        end[key] = end[key] + value
    return made, frame


def element(beam: ElasticLink, axes: np.ndarray, start: float, stop: float, length: float) -> Link:
    """Mass, first moment and inertia of a rigid piece along x of the axes, about their origin."""
    mass = beam.mass_kg * (stop - start) / length
    middle = 0.5 * (start + stop)
    # a thin tube of this diameter
    polar = mass * beam.width_m * beam.width_m / 4.0
    across = 0.5 * polar + mass * ((stop - start) * (stop - start) / 12.0 + middle * middle)
    inertia = dense.product(axes, np.diag([polar, across, across]), axes.T)
    return {"mass": mass, "moment": mass * middle * axes[:, 0], "inertia": inertia}


def beam_axes(x: np.ndarray) -> np.ndarray:
    """Columns x, y, z of the beam on link axes."""
    up = np.array([0.0, 0.0, 1.0])
    y = np.cross(up, x)
    if dense.length(y) < 1e-6:
        y = np.array([0.0, 1.0, 0.0])
    y = y / dense.length(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _spring(beam: ElasticLink, flex: str, piece: float) -> dict[str, float]:
    rigidity = {"twist": beam.GJ_Nm2, "bend_y": beam.EI_y_Nm2, "bend_z": beam.EI_z_Nm2}[flex] or 0.0
    return {"stiffness": rigidity / piece, "damping": beam.damping_s * rigidity / piece}


def _nothing() -> Link:
    return {"mass": 0.0, "moment": np.zeros(3), "inertia": np.zeros((3, 3))}


def _seen_from(frame: Pose, R: np.ndarray, p: np.ndarray) -> Pose:
    """A pose of the rigid link's frame, from a frame in it."""
    return dense.product(frame[0].T, R), dense.applied(frame[0].T, p - frame[1])


def _seen_masses(frame: Pose, link: Link) -> Link:
    """The link's own masses about the origin of a frame in it, on its axes."""
    R, p = frame
    moment, inertia = about_point(p, link["mass"], link["moment"], link["inertia"])
    return {"mass": link["mass"], "moment": dense.applied(R.T, moment), "inertia": dense.product(R.T, inertia, R)}
