"""Structures of a chain's links: how long links are, and whether what is said about their masses can be.

A link runs straight from its joint to its far end: frame k of a row, `end` of a body, or, if the body has none, the one
joint that it carries. A link without length has a single section, at its joint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.algebra.elementary import cos, hypot, sin
from docksim.algebra.vec3 import Vec3, cross, dot
from docksim.config.schema.chain import Chain, ChainBody, PrismaticRow, RevoluteRow
from docksim.config.schema.fields import ZERO3
from docksim.config.schema.structure import LinkStructure
from docksim.config.tree import Keys

Link = RevoluteRow | PrismaticRow | ChainBody
CLOSE = 1e-6  # of the length, or of an inertia: as it should be


def links_of(chain: Chain) -> dict[str, tuple[Keys, Link]]:
    """Name of each link, where it is in the file, and what is said there."""
    if chain.denavit_hartenberg is not None:
        rows = enumerate(chain.denavit_hartenberg)
        return {row.name or f"link{k + 1}": (("denavit_hartenberg", k), row) for k, row in rows}
    return {name: (("bodies", name), body) for name, body in (chain.bodies or {}).items()}


def link_axis(chain: Chain, name: str) -> Vec3:
    """From the joint of a link to its far end, on the axes on which the file gives masses."""
    link = links_of(chain)[name][1]
    if not isinstance(link, ChainBody):
        turn = math.radians(link.alpha_deg)
        return (link.a_m, sin(turn) * link.d_m, cos(turn) * link.d_m)
    if any(link.end.position_m):
        return link.end.position_m
    carried = [body.joint.position_m for body in (chain.bodies or {}).values() if body.parent == name]
    return carried[0] if len(carried) == 1 else ZERO3


def structure_faults(chain: Chain) -> Iterator[tuple[Keys, str]]:
    """Sections beyond a link, and masses that are not where `mass_along` has them."""
    for name, (path, link) in links_of(chain).items():
        if link.structure is None:
            continue
        path = (*path, "structure")
        axis = link_axis(chain, name)
        for key, text in link.structure.faults(hypot(*axis)):
            yield (*path, *key), text
        if link.structure.mass_along != "lumped":
            yield from (((*path, "mass_along"), text) for text in _mass_faults(link, link.structure, axis))


def _mass_faults(link: Link, structure: LinkStructure, axis: Vec3) -> Iterator[str]:
    length = hypot(*axis)
    if link.elastic is not None:
        yield "an elastic link's own mass is spread evenly, and its mass_kg rides on its far end; leave this out"
        return
    if length == 0.0:
        yield "the link has no length that its mass could be spread along"
        return
    start = ZERO3 if isinstance(link, ChainBody) else axis
    centre = tuple(a + b for a, b in zip(start, link.center_of_mass_m, strict=True))
    part = 0.5 if structure.mass_along == "uniform" else dot(centre, axis) / (length * length)
    off = hypot(*(a - part * b for a, b in zip(centre, axis, strict=True)))
    if off > CLOSE * length or not 0.0 <= part <= 1.0:
        where = (
            "half-way between joint and far end" if structure.mass_along == "uniform" else "on the line between them"
        )
        yield f"the mass centre of such a link is {where}; center_of_mass_m has it {off:.3g} m off, or beyond"
        return
    shape = 1.0 / 12.0 if structure.mass_along == "uniform" else part * (1.0 - part)
    least = link.mass_kg * shape * length * length
    if (across := _least_across(link, axis)) < least * (1.0 - CLOSE):
        yield f"such a link has at least {least:.6g} kg m² across its axis; inertia_kg_m2 gives {across:.6g}"


def _least_across(link: Link, axis: Vec3) -> float:
    """The smallest inertia about an axis across the link, through the mass centre."""
    if link.inertia_kg_m2 is None:
        return 0.0
    J = link.inertia_kg_m2.matrix()
    u = cross(axis, min(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), key=lambda e: abs(dot(e, axis))))
    v = cross(axis, u)
    sizes = (hypot(*u), hypot(*v))
    along = [
        [dot(a, tuple(dot(row, b) for row in J)) / (m * n) for b, n in zip((u, v), sizes)]
        for a, m in zip((u, v), sizes)
    ]
    return 0.5 * (along[0][0] + along[1][1]) - hypot(0.5 * (along[0][0] - along[1][1]), along[0][1])
