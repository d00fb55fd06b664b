"""All gaps between two docking interfaces, behind a broad phase.

Rows of `out`, in this order (n petals, f face points, m spheres; A first, B second):

    petals of A on the rim of B, petals of B on the rim of A                n_A + n_B
    right edge, then left edge, of each petal of A on its neighbour of B    2 n_A, if n_A = n_B
    rim on rim                                                              1
    face points of A on the face of B, of B on the face of A                f_A + f_B
    spheres of A on the spheres of B                                        m_A m_B
    spheres of A on the rim of B, of B on the rim of A                      m_A + m_B
    spheres of A on the petals of B, of B on the petals of A                m_A n_B + m_B n_A
    spheres of A on the face of B, of B on the face of A                    m_A + m_B

The two faces of a ring pair stand for the same solids as the two rims: a force law takes the points for a seated pair,
with the total stiffness shared among them, or the rims for a tilted or offset one, never the full stiffness of both.

Seen along the axis a turned interface keeps its sense of turning the other way round, so the right edges of A's petals
face right edges of B's, the left ones left ones. Each petal's two neighbours follow from the roll of B.
Everything is on the axes of A. A pair that is farther apart than the margin has gap = inf; its point is not set.
"""

import math

from docksim.algebra.vec3 import axpy, dot, load3, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.gaps import capsule_capsule, point_face, sphere_face, sphere_rim, sphere_sphere
from docksim.kernel.petal import petal_far, petal_on_rim, petal_on_sphere, rim_on_petal
from docksim.kernel.rims import rim_on_rim
from docksim.native.decorators import kernel, melted, pure


@pure
def _put(row, gap, point, normal, margin):
    """Fill a row; the gap, or inf beyond the margin."""
    if not gap <= margin:
        row.gap = math.inf
        return math.inf
    row.gap = gap
    store3(row.point, point)
    store3(row.normal, normal)
    return gap


@pure
def _to_A(R, r, gap, point, normal):
    """A contact found on the axes of B."""
    return gap, axpy(1.0, mat_vec(R, point), r), mat_vec(R, normal)


@pure
def _from_B(gap, point, normal):
    """A contact whose normal runs from B to A."""
    return gap, point, scale(-1.0, normal)


@pure
def hull_distance(a, b, way, height, facing, tilt):
    """A lower bound of the distance between two interfaces: of two spheres, or, facing, of B from the top of A.

    A solid lies in the hull of its discs of base_radius at z = 0 (and behind) and of tip_radius at z = top.
    way: from A's origin to B's; height: the same along A's axis; facing, tilt: cosine and sine of the
    angle between the two axes.
    """
    bound = math.sqrt(dot(way, way)) - a.reach - b.reach
    if facing >= 0.0:
        return bound
    lowest = min(-b.base_radius * tilt, facing * b.top - b.tip_radius * tilt)
    return max(bound, height + lowest - a.top)


@pure
def _disc_bottom(R, r, height, radius):
    """Least z, in A's frame, of a disc of B."""
    return r[2] + R[8] * height - radius * math.sqrt(R[2] * R[2] + R[5] * R[5])


@kernel
def _petals_on_rim(a, b, petals, R, r, margin, sweep, out, row):
    """Petals of A on the rim of B."""
    least = math.inf
    limit = margin + b.rim_tube
    skip = R[8] < 0.0 and _disc_bottom(R, r, b.rim_height, b.rim_radius) > a.top + limit
    centre = axpy(b.rim_height, (R[2], R[5], R[8]), r)
    for k in range(a.petals):
        out[row + k].gap = math.inf
        if skip:
            continue
        p = petals[a.first_petal + k]
        if petal_far(p, centre, (R[2], R[5], R[8]), b.rim_radius, limit + p.radius, sweep):
            continue
        gap, point, normal, s, tau = petal_on_rim(p, R, r, b.rim_radius, b.rim_height, b.rim_tube, margin, sweep)
        least = min(least, _put(out[row + k], gap, point, normal, margin))
    return least


@kernel
def _rim_on_petals(a, b, petals, R, r, margin, sweep, out, row):
    """The rim of A on petals of B."""
    least = math.inf
    limit = margin + a.rim_tube
    # the same test from B's frame
    centre = mat_t_vec(R, sub((0.0, 0.0, a.rim_height), r))
    bottom = centre[2] - a.rim_radius * math.sqrt(R[6] * R[6] + R[7] * R[7])
    skip = R[8] < 0.0 and bottom > b.top + limit
    for k in range(b.petals):
        out[row + k].gap = math.inf
        if skip:
            continue
        p = petals[b.first_petal + k]
        if petal_far(p, centre, (R[6], R[7], R[8]), a.rim_radius, limit + p.radius, sweep):
            continue
        gap, point, normal, s, tau = rim_on_petal(a.rim_radius, a.rim_height, a.rim_tube, p, R, r, margin, sweep)
        least = min(least, _put(out[row + k], gap, point, normal, margin))
    return least


@pure
def _neighbour(a, b, petals, R):
    """Which petal of B follows the first petal of A, counter-clockwise."""
    p = petals[a.first_petal]
    towards = axpy(a.half_pitch_cos, load3(p.e1), scale(a.half_pitch_sin, load3(p.e2)))
    best, j = -math.inf, 0
    for k in range(b.petals):
        along = dot(towards, mat_vec(R, load3(petals[b.first_petal + k].e1)))
        if along > best:
            best, j = along, k
    return j


@kernel
def _edges(a, b, petals, R, r, margin, out, row):
    """Side edges of neighbours; going around A forwards is going around B backwards."""
    least = math.inf
    n = a.petals
    j = _neighbour(a, b, petals, R)
    for k in range(n):
        p = petals[a.first_petal + k]
        q = petals[b.first_petal + (j - k + n) % n]
        at, along = axpy(1.0, mat_vec(R, load3(q.right_from)), r), mat_vec(R, load3(q.right_along))
        gap, point, normal, s, t = capsule_capsule(
            load3(p.right_from), load3(p.right_along), p.radius, at, along, q.radius
        )
        least = min(least, _put(out[row + 2 * k], gap, point, normal, margin))
        q = petals[b.first_petal + (j - k + n + 1) % n]
        at, along = axpy(1.0, mat_vec(R, load3(q.left_from)), r), mat_vec(R, load3(q.left_along))
        gap, point, normal, s, t = capsule_capsule(
            load3(p.left_from), load3(p.left_along), p.radius, at, along, q.radius
        )
        least = min(least, _put(out[row + 2 * k + 1], gap, point, normal, margin))
    return least


@kernel
def _rings(a, b, face_points, R, r, margin, sweep, out, row, rims):
    """Rim on rim, and points on faces both ways."""
    least = math.inf
    count = 1 + a.face_points + b.face_points
    bottom = _disc_bottom(R, r, b.rim_height, b.rim_radius) - b.rim_tube
    bottom = min(bottom, _disc_bottom(R, r, 0.0, b.face_outer))
    if R[8] < 0.0 and bottom > max(a.rim_height + a.rim_tube, 0.0) + margin:
        for k in range(count):
            out[row + k].gap = math.inf
        return least
    if rims and a.rim_radius > 0.0 and b.rim_radius > 0.0:
        gap, point, normal = rim_on_rim(a, b, R, r, sweep)
        least = _put(out[row], gap, point, normal, margin)
    else:
        out[row].gap = math.inf
    row += 1
    for k in range(a.face_points):
        x = mat_t_vec(R, sub(load3(face_points[a.first_face_point + k].position), r))
        gap, point, normal = point_face(x, b.face_inner, b.face_outer, b.face_depth)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, _put(out[row + k], gap, point, normal, margin))
    row += a.face_points
    for k in range(b.face_points):
        x = axpy(1.0, mat_vec(R, load3(face_points[b.first_face_point + k].position)), r)
        gap, point, normal = point_face(x, a.face_inner, a.face_outer, a.face_depth)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, _put(out[row + k], gap, point, normal, margin))
    return least


@kernel
def _spheres(a, b, petals, spheres, R, r, margin, sweep, out, row):
    """Spheres on spheres, on rims, on petals and on faces, both ways."""
    least = math.inf
    faces = row + a.spheres * (b.spheres + 1 + b.petals) + b.spheres * (1 + a.petals)
    for i in range(a.spheres):
        ball = spheres[a.first_sphere + i]
        x = load3(ball.centre)
        y = mat_t_vec(R, sub(x, r))
        for k in range(b.spheres):
            other = spheres[b.first_sphere + k]
            at = axpy(1.0, mat_vec(R, load3(other.centre)), r)
            gap, point, normal = sphere_sphere(x, ball.radius, at, other.radius)
            least = min(least, _put(out[row + i * b.spheres + k], gap, point, normal, margin))
        here = row + a.spheres * b.spheres + i
        gap, point, normal = sphere_rim(y, ball.radius, b.rim_radius, b.rim_height, b.rim_tube)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, _put(out[here], gap, point, normal, margin))
        here = row + a.spheres * b.spheres + a.spheres + b.spheres + i * b.petals
        for k in range(b.petals):
            p = petals[b.first_petal + k]
            gap, point, normal, s, tau = petal_on_sphere(p, y, ball.radius, margin, sweep)
            gap, point, normal = _to_A(R, r, gap, point, scale(-1.0, normal))
            least = min(least, _put(out[here + k], gap, point, normal, margin))
        gap, point, normal = sphere_face(y, ball.radius, b.face_inner, b.face_outer, b.face_depth)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, _put(out[faces + i], gap, point, normal, margin))
    for i in range(b.spheres):
        ball = spheres[b.first_sphere + i]
        x = axpy(1.0, mat_vec(R, load3(ball.centre)), r)
        here = row + a.spheres * b.spheres + a.spheres + i
        gap, point, normal = sphere_rim(x, ball.radius, a.rim_radius, a.rim_height, a.rim_tube)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, _put(out[here], gap, point, normal, margin))
        here = row + a.spheres * b.spheres + a.spheres + b.spheres + a.spheres * b.petals + i * a.petals
        for k in range(a.petals):
            gap, point, normal, s, tau = petal_on_sphere(petals[a.first_petal + k], x, ball.radius, margin, sweep)
            least = min(least, _put(out[here + k], gap, point, normal, margin))
        gap, point, normal = sphere_face(x, ball.radius, a.face_inner, a.face_outer, a.face_depth)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, _put(out[faces + a.spheres + i], gap, point, normal, margin))
    return least


@melted
def interface_gaps(tables, i, j, R, r, margin, sweep, out, rims=True):
    """Gaps between interface i (A) and interface j (B), whose frame has pose (R, r) in A's; the least, or inf.

    `tables` has the tables interface, petal, face_point and sphere. Without `rims`, rim on rim is left out, as the
    faces stand for it. If even the broad phase says that nothing is within the margin, inf comes back and `out` is
    left alone.
    """
    a, b = tables.interface[i], tables.interface[j]
    if hull_distance(a, b, r, r[2], R[8], math.sqrt(R[2] * R[2] + R[5] * R[5])) > margin:
        return math.inf
    petals = tables.petal
    least = _petals_on_rim(a, b, petals, R, r, margin, sweep, out, 0)
    least = min(least, _rim_on_petals(a, b, petals, R, r, margin, sweep, out, a.petals))
    row = a.petals + b.petals
    if a.petals == b.petals and a.petals > 0:
        least = min(least, _edges(a, b, petals, R, r, margin, out, row))
        row += 2 * a.petals
    least = min(least, _rings(a, b, tables.face_point, R, r, margin, sweep, out, row, rims))
    row += 1 + a.face_points + b.face_points
    if a.spheres + b.spheres > 0:
        least = min(least, _spheres(a, b, petals, tables.sphere, R, r, margin, sweep, out, row))
    return least
