"""Friction between two surfaces: an elastic bristle that slips at mu N.

It gives back no more than it took, whatever the normal force does, and rests without creeping. As contact moves over a
curved surface the bristle turns along with the normal. While it slips it turns towards the motion, by the exact law for
a straight way: with radial return alone, the direction of friction would be right to first order in the step only.
"""

import math

from docksim.algebra.elementary import exp
from docksim.algebra.vec3 import add, axpy, dot, scale
from docksim.model.contact import HUNT_CROSSLEY
from docksim.native.decorators import pure


@pure
def norm(a):
    return math.sqrt(dot(a, a))


@pure
def clipped3(a, limit):
    length = norm(a)
    return scale(limit / length, a) if length > limit else a


@pure
def turned_along(s, n):
    """A bristle in the tangent plane of another normal, as long as it was."""
    before = dot(s, s)
    s = axpy(-dot(s, n), n, s)
    after = dot(s, s)
    return scale(math.sqrt(before / after), s) if after > 0.0 else s


@pure
def to_limit(s, way, limit):
    """A bristle that follows its root up to the limit, what is left of the way, and its mean length on it.

    One that is longer already, as the limit has shrunk, keeps its direction; its mean length is the geometric one.
    """
    mean = limit
    length = norm(s)
    if length > limit:
        s = scale(limit / length, s)
        mean = math.sqrt(length * limit)
    a = dot(way, way)
    b = dot(s, way)
    slack = max(limit * limit - dot(s, s), 0.0)
    part = min((math.sqrt(b * b + a * slack) - b) / a, 1.0) if a > 0.0 else 1.0
    return axpy(part, way, s), scale(1.0 - part, way), mean


@pure
def dragged(s, way, limit):
    """Stretch of a bristle after its root has gone a way: it follows up to the limit, then slips and turns.

    The angle to the way shrinks by sin(angle) / length a unit of way, so tan(angle / 2) decays exponentially.
    """
    end = add(s, way)
    if norm(end) <= limit or limit <= 0.0:
        return clipped3(end, limit)
    s, way, length = to_limit(s, way, limit)
    rest = norm(way)
    if rest == 0.0:
        return s
    u = scale(1.0 / rest, way)
    along = dot(s, u)
    across = axpy(-along, u, s)
    # tan(angle / 2), before and after
    half = norm(across) / (limit + along)
    later = half * exp(-rest / length)
    # the part across goes with sin(angle) = 2 tan / (1 + tan^2)
    shrink = later / half * (1.0 + half * half) / (1.0 + later * later) if half > 0.0 else 0.0
    return axpy(limit * (1.0 - later * later) / (1.0 + later * later), u, scale(shrink, across))


@pure
def rubbing(pair, row, s_0, moved, n, v, depth, force):
    """Friction on B, its power, and the stretch of the bristle; v is the velocity of B against A at the point."""
    k = pair.tangential * row.stiffness
    limit = pair.friction * max(force, 0.0)
    s = dragged(turned_along(s_0, n), axpy(-dot(moved, n), n, moved), limit / k)
    v_t = axpy(-dot(v, n), n, v)
    c = pair.damping * (k * depth if pair.law == HUNT_CROSSLEY else pair.tangential * row.share)
    pull = clipped3(axpy(k, s, scale(c, v_t)), limit)
    return scale(-1.0, pull), -dot(pull, v_t), s
