"""From a chain file to the arrays of a ChainModel."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from docksim.algebra.dense import applied, length, product
from docksim.algebra.elementary import cos, sin
from docksim.algebra.masses import point_inertia
from docksim.algebra.rotations import rotation_matrix
from docksim.chain.elastic import with_elements
from docksim.chain.model import PRISMATIC, REVOLUTE, ChainModel
from docksim.config.checks.chain import BASE
from docksim.config.loading.chain import ChainSource, read_chain
from docksim.config.schema.chain import Chain, ChainBody, Frame, LinkMass, PrismaticRow, RevoluteRow, Slide, Turn
from docksim.config.schema.fields import Attitude

Z = np.array([0.0, 0.0, 1.0])
Pose = tuple[np.ndarray, np.ndarray]
NO_TURN: Pose = (np.eye(3), np.zeros(3))


def load_chain(source: ChainSource) -> ChainModel:
    """The chain in a file, such as configs/chains/puma560.yaml, or the same content as a dict.

    Raises docksim.config.ScenarioError with every problem: file, line, key, what to do.
    """
    return build_chain(read_chain(source))


def build_chain(chain: Chain) -> ChainModel:
    """The arrays of a checked chain."""
    links = _from_rows(chain) if chain.denavit_hartenberg else _from_bodies(chain)
    links = with_elements(links, [link.pop("elastic") for link in links])
    columns: dict[str, Any] = {key: np.array([link[key] for link in links]) for key in links[0] if key != "name"}
    return ChainModel(
        names=tuple(link["name"] for link in links),
        gravity=np.array(chain.gravity_m_s2),
        by_rows=bool(chain.denavit_hartenberg),
        **columns,
    )


# ---------------------------------------------------------------- Denavit-Hartenberg rows


def _from_rows(chain: Chain) -> list[dict[str, Any]]:
    links = []
    before = pose_of(chain.base)
    for k, row in enumerate(chain.denavit_hartenberg or []):
        turning = isinstance(row, Turn)
        # a constant theta or d comes before the joint's own motion, so that q = 0 needs nothing
        start = (_about_z(math.radians(row.theta_deg)), np.zeros(3))
        end = row_end(row)
        R_fix, p_fix = after(before, start)
        links.append(
            {
                "name": row.name or f"link{k + 1}",
                "parent": k - 1,
                "kind": REVOLUTE if turning else PRISMATIC,
                "axis": Z,
                "R_fix": R_fix,
                "p_fix": p_fix,
                "R_end": end[0],
                "p_end": end[1],
                "elastic": row.elastic,
                **masses(row, end),
                **devices(row),
            }
        )
        before = end
    return links


def row_end(row: RevoluteRow | PrismaticRow) -> Pose:
    """Frame k of a row in the frame of its link: d along z, a along x, alpha about x."""
    c, s = _cosine_and_sine(math.radians(row.alpha_deg))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]), np.array([row.a_m, 0.0, row.d_m])


def _about_z(angle: float) -> np.ndarray:
    c, s = _cosine_and_sine(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _cosine_and_sine(angle: float) -> tuple[float, float]:
    """Quarter turns are meant exactly."""
    c, s = (float(round(v)) if abs(v - round(v)) < 1e-15 else v for v in (cos(angle), sin(angle)))
    return c, s


# ---------------------------------------------------------------- bodies and joints


def _from_bodies(chain: Chain) -> list[dict[str, Any]]:
    bodies = chain.bodies or {}
    order = list(parents_first({name: body.parent for name, body in bodies.items()}))
    links = []
    for name in order:
        body = bodies[name]
        place = pose_of(body.joint)
        if body.parent == BASE:
            place = after(pose_of(chain.base), place)
        axis = np.array(body.joint.axis)
        end = pose_of(body.end)
        links.append(
            {
                "name": name,
                "parent": -1 if body.parent == BASE else order.index(body.parent),
                "kind": REVOLUTE if isinstance(body.joint, Turn) else PRISMATIC,
                "axis": axis / length(axis),
                "R_fix": place[0],
                "p_fix": place[1],
                "R_end": end[0],
                "p_end": end[1],
                "elastic": body.elastic,
                **masses(body, NO_TURN),
                **devices(body.joint),
            }
        )
    return links


def parents_first(parents: dict[str, str]) -> Iterable[str]:
    """Names in the order given, but children after their parents, branch by branch."""
    children: dict[str, list[str]] = {}
    for name, parent in parents.items():
        children.setdefault(parent, []).append(name)
    waiting = children.get(BASE, [])[::-1]
    while waiting:
        name = waiting.pop()
        yield name
        waiting += children.get(name, [])[::-1]


# ---------------------------------------------------------------- what both have


def masses(link: LinkMass | ChainBody, frame: Pose) -> dict[str, Any]:
    """Mass, first moment and inertia about the origin of the link, from figures given in a frame of it."""
    R, p = frame
    centre = p + applied(R, link.center_of_mass_m)
    central = np.array(link.inertia_kg_m2.matrix()) if link.inertia_kg_m2 else np.zeros((3, 3))
    inertia = product(R, central, R.T) + link.mass_kg * point_inertia(centre)
    return {"mass": link.mass_kg, "moment": link.mass_kg * centre, "inertia": 0.5 * (inertia + inertia.T)}


def devices(axis: Turn | Slide) -> dict[str, Any]:
    """Default state, limits, and what the joint adds by itself."""
    same = ("stiffness", "rest", "damping", "friction", "stop_stiffness", "stop_damping", "passive")
    return {
        "home": axis.si(axis.START),
        "lower": _or(axis.si("lower"), -math.inf),
        "upper": _or(axis.si("upper"), math.inf),
        "rate_limit": _or(axis.si("rate_limit"), math.inf),
        "effort_limit": _or(axis.si("force_limit"), math.inf),
        "rotor": axis.si("rotor_mass"),
        **{stem: axis.si(stem) for stem in same},
    }


def _or(value: float | None, other: float) -> float:
    return other if value is None else value


def pose_of(place: Frame | Any) -> Pose:
    return rotation(place.attitude), np.array(place.position_m)


def rotation(attitude: Attitude) -> np.ndarray:
    """Inner components to outer ones."""
    return rotation_matrix(attitude.quaternion_wxyz())


def after(outer: Pose, inner: Pose) -> Pose:
    """A frame given in another one."""
    return product(outer[0], inner[0]), outer[1] + applied(outer[0], inner[1])
