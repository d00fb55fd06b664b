"""Gaps in closed form: spheres, rims, capsules, faces, planes. The petal is in petal.py, rim on rim in rims.py.

A body is a skeleton (point, segment, circle, ruled patch) swept by a sphere, so a gap is the distance of two skeletons
less two radii: negative in penetration, smooth and monotone until the skeletons themselves meet. Every pair function
takes both shapes in the frame of A and returns

    gap [m],  the one shared contact point, midway between the two surfaces,  the unit normal from A's surface to B's

with the gap continuous in the pose, and the normal wherever the surfaces have one. No pair needs a memory: there is
nothing to warm-start and nothing to save. An interface's own frame has its origin in the mating plane and z out of it,
towards the mate; the circle of its rim is about z.
"""

import math

from docksim.algebra.vec3 import axpy, dot, scale, store3, sub
from docksim.native.decorators import pure

# below this the distance of two skeletons has no direction [m]
TOUCHING = 1e-12


@pure
def clamped(x, low, high):
    """x within [low, high]; low where x is not a number."""
    if not x > low:
        return low
    if x > high:
        return high
    return x


@pure
def between(x_A, r_A, x_B, r_B, instead):
    """Gap, point and normal of two swept points; `instead` is the normal where the two points coincide."""
    d = sub(x_B, x_A)
    distance = math.sqrt(dot(d, d))
    normal = instead
    if distance > TOUCHING:
        normal = scale(1.0 / distance, d)
    gap = distance - r_A - r_B
    return gap, axpy(r_A + 0.5 * gap, normal, x_A), normal


@pure
def sphere_sphere(x_A, r_A, x_B, r_B):
    return between(x_A, r_A, x_B, r_B, (0.0, 0.0, 1.0))


@pure
def sphere_plane(x_A, r_A, p_B, n_B):
    """A sphere of A against the half space of B below the plane through p_B with unit outward normal n_B."""
    gap = dot(sub(x_A, p_B), n_B) - r_A
    return gap, axpy(-(r_A + 0.5 * gap), n_B, x_A), scale(-1.0, n_B)


@pure
def circle_foot(x, radius):
    """The point of the circle about z, in the plane z = 0, that is nearest to x; on the axis, the one towards +x."""
    q = math.sqrt(x[0] * x[0] + x[1] * x[1])
    if q > TOUCHING:
        return radius * (x[0] / q), radius * (x[1] / q), 0.0
    return radius, 0.0, 0.0


@pure
def sphere_rim(x, r_sphere, radius, height, tube):
    """A sphere against a rim: circle about z at z = height, with a tube; in the rim's frame, normal from the sphere."""
    foot = circle_foot(x, radius)
    return between(x, r_sphere, (foot[0], foot[1], height), tube, (0.0, 0.0, 1.0))


@pure
def point_face(x, inner, outer, depth):
    """A point against a ring: the solid inner < q < outer, -depth < z < 0; in its frame, normal from the point.

    Above the face the gap is the height; beside it the distance to the edge or the wall; within, the shallowest depth,
    so it is continuous when a point slips over the edge.
    """
    q = math.sqrt(x[0] * x[0] + x[1] * x[1])
    ex, ey = 1.0, 0.0
    if q > TOUCHING:
        ex, ey = x[0] / q, x[1] / q
    side, beside = 1.0, q - outer
    if inner - q > beside:
        side, beside = -1.0, inner - q
    end, above = 1.0, x[2]
    if -depth - x[2] > above:
        end, above = -1.0, -depth - x[2]
    if beside > 0.0 and above > 0.0:
        gap = math.sqrt(beside * beside + above * above)
        radial, axial = side * beside / gap, end * above / gap
    elif above > beside:
        gap, radial, axial = above, 0.0, end
    else:
        gap, radial, axial = beside, side, 0.0
    normal = (-radial * ex, -radial * ey, -axial)
    return gap, axpy(0.5 * gap, normal, x), normal


@pure
def sphere_face(x, r_sphere, inner, outer, depth):
    """A sphere against such a ring; an inner radius below zero makes it a disc."""
    gap, point, normal = point_face(x, inner, outer, depth)
    return gap - r_sphere, axpy(0.5 * r_sphere, normal, point), normal


@pure
def capsule_capsule(p_A, d_A, r_A, p_B, d_B, r_B):
    """Segments p + s d, 0 <= s <= 1, with radii: gap, point, normal, and the two parameters s.

    A convex quadratic in a square: the free minimum clamped in the one, the other one for it, clamped, and back.
    Parallel segments meet in the middle of their overlap.
    """
    w = sub(p_B, p_A)
    a, b, c = dot(d_A, d_A), dot(d_A, d_B), dot(d_B, d_B)
    f, g = dot(d_A, w), dot(d_B, w)
    det = a * c - b * b
    if det > 1e-14 * a * c:
        s = clamped((f * c - g * b) / det, 0.0, 1.0)
    else:
        s = 0.5 * (clamped(f / a, 0.0, 1.0) + clamped((f + b) / a, 0.0, 1.0))
    t = clamped((b * s - g) / c, 0.0, 1.0)
    s = clamped((f + b * t) / a, 0.0, 1.0)
    gap, point, normal = between(axpy(s, d_A, p_A), r_A, axpy(t, d_B, p_B), r_B, (0.0, 0.0, 1.0))
    return gap, point, normal, s, t


@pure
def latch_offset(position, radial, x):
    """How a striker at x lies from a latch, in the frame of the latch: axially (along z), radially, tangentially."""
    d = sub(x, position)
    return d[2], d[0] * radial[0] + d[1] * radial[1], d[1] * radial[0] - d[0] * radial[1]


@pure
def put_beyond(row, margin):
    """A row whose gap is wider than the margin."""
    row.gap = math.inf
    row.room = margin
    return math.inf


@pure
def put_row(row, gap, point, normal, margin):
    """Fill a row; the gap, or inf beyond the margin."""
    if not gap <= margin:
        return put_beyond(row, margin)
    row.gap = row.room = gap
    store3(row.point, point)
    store3(row.normal, normal)
    return gap


@pure
def left_out(row, moved):
    """Has a row more room than its pair has moved since? Then it cannot touch, and has no gap."""
    if row.room > moved:
        row.gap = math.inf
        return True
    return False
