"""All gaps between two docking interfaces, behind a broad phase.

Rows of `out` are those of FEATURE_PAIRS in docksim/model/contact.py, in its order: for each pair of kinds one row for
each feature of A and each of B, filled by the pair's function here.

The two faces of a ring pair stand for the same solids as the two rims: the points bear a seated pair, with the total
stiffness shared among them, the rims a tilted or offset one, as far as the points may miss it (`rims`).

Seen along the axis a turned interface keeps its sense of turning the other way round, so the right edges of A's petals
face right edges of B's, the left ones left ones. Each petal's two neighbours follow from the roll of B.
Everything is on the axes of A. A pair that is farther apart than the margin has gap = inf; its point is not set.
"""

import math

from docksim.algebra.vec3 import IDENTITY, ZERO, add, axpy, cross, dot, load3, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.contact.gaps import (
    capsule_capsule,
    left_out,
    point_face,
    put_beyond,
    put_row,
    sphere_face,
    sphere_rim,
    sphere_sphere,
)
from docksim.kernel.contact.petal import petal_far, petal_on_rim, petal_on_sphere, rim_on_petal
from docksim.kernel.contact.pins import pins_in_holes
from docksim.kernel.contact.rims import crossing_gap, crossing_share, faces_suffice, rim_centre, rim_crossings
from docksim.model.contact import (
    CAPSULES_ON_CAPSULES,
    EDGES_ON_EDGES,
    F_CAPSULE,
    F_PETAL,
    F_POINT,
    F_SPHERE,
    FACE_ON_POINTS,
    FACE_ON_SPHERES,
    FEATURE_PAIRS,
    HOLES_ON_PINS,
    PETALS_ON_RIM,
    PETALS_ON_SPHERES,
    PINS_IN_HOLES,
    POINTS_ON_FACE,
    RIM_ON_PETALS,
    RIM_ON_RIM,
    RIM_ON_SPHERES,
    SPHERES_ON_FACE,
    SPHERES_ON_PETALS,
    SPHERES_ON_RIM,
    SPHERES_ON_SPHERES,
)
from docksim.native.decorators import kernel, melted, pure

# columns of FEATURE_PAIRS
KIND_A = tuple(pair.kind_A for pair in FEATURE_PAIRS)
KIND_B = tuple(pair.kind_B for pair in FEATURE_PAIRS)
MATCHED = tuple(pair.matched for pair in FEATURE_PAIRS)
OWN = tuple(pair.own for pair in FEATURE_PAIRS)
PER_PAIR = tuple(max(pair.crossings, 1) for pair in FEATURE_PAIRS)
GAP_FUNCTION = tuple(pair.gap_function for pair in FEATURE_PAIRS)


@pure
def rows_of(pair, a, b):
    """How many rows interfaces a and b have of a pair of FEATURE_PAIRS."""
    count_A, count_B = a.count[KIND_A[pair]], b.count[KIND_B[pair]]
    if MATCHED[pair]:
        return count_A if count_A == count_B else 0
    if OWN[pair] != 0:
        return 0 if count_A * count_B == 0 else count_A if OWN[pair] == 1 else count_B
    return count_A * count_B * PER_PAIR[pair]


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
def _petals_on_rim(a, b, petals, R, r, margin, sweep, out, row, moved):
    """Petals of A on the rim of B."""
    least = math.inf
    limit = margin + b.rim_tube
    skip = R[8] < 0.0 and _disc_bottom(R, r, b.rim_height, b.rim_radius) > a.top + limit
    centre = axpy(b.rim_height, (R[2], R[5], R[8]), r)
    for k in range(a.count[F_PETAL]):
        if left_out(out[row + k], moved):
            continue
        put_beyond(out[row + k], margin)
        if skip:
            continue
        p = petals[a.first[F_PETAL] + k]
        if petal_far(p, centre, (R[2], R[5], R[8]), b.rim_radius, limit + p.radius, sweep):
            continue
        gap, point, normal, s, tau = petal_on_rim(p, R, r, b.rim_radius, b.rim_height, b.rim_tube, margin, sweep)
        least = min(least, put_row(out[row + k], gap, point, normal, margin))
    return least


@kernel
def _rim_on_petals(a, b, petals, R, r, margin, sweep, out, row, moved):
    """The rim of A on petals of B."""
    least = math.inf
    limit = margin + a.rim_tube
    # the same test from B's frame
    centre = mat_t_vec(R, sub((0.0, 0.0, a.rim_height), r))
    bottom = centre[2] - a.rim_radius * math.sqrt(R[6] * R[6] + R[7] * R[7])
    skip = R[8] < 0.0 and bottom > b.top + limit
    for k in range(b.count[F_PETAL]):
        if left_out(out[row + k], moved):
            continue
        put_beyond(out[row + k], margin)
        if skip:
            continue
        p = petals[b.first[F_PETAL] + k]
        if petal_far(p, centre, (R[6], R[7], R[8]), a.rim_radius, limit + p.radius, sweep):
            continue
        gap, point, normal, s, tau = rim_on_petal(a.rim_radius, a.rim_height, a.rim_tube, p, R, r, margin, sweep)
        least = min(least, put_row(out[row + k], gap, point, normal, margin))
    return least


@pure
def _neighbour(a, b, petals, R):
    """Which petal of B follows the first petal of A, counter-clockwise."""
    p = petals[a.first[F_PETAL]]
    towards = axpy(a.half_pitch_cos, load3(p.e1), scale(a.half_pitch_sin, load3(p.e2)))
    best, j = -math.inf, 0
    for k in range(b.count[F_PETAL]):
        along = dot(towards, mat_vec(R, load3(petals[b.first[F_PETAL] + k].e1)))
        if along > best:
            best, j = along, k
    return j


@pure
def _right_edges(p, q):
    """Low ends of the right edges of two petals, and the ways to their tips."""
    return load3(p.right_from), load3(p.right_along), load3(q.right_from), load3(q.right_along)


@pure
def _left_edges(p, q):
    return load3(p.left_from), load3(p.left_along), load3(q.left_from), load3(q.left_along)


@kernel
def _edges_on_edges(a, b, petals, R, r, margin, out, row, moved):
    """Side edges of neighbours; going around A forwards is going around B backwards."""
    least = math.inf
    n = a.count[F_PETAL]
    j = _neighbour(a, b, petals, R)
    for k in range(n):
        p = petals[a.first[F_PETAL] + k]
        for side in range(2):
            m = (j - k + n + side) % n
            own = out[row + 2 * k + side]
            if own.mate == m and left_out(own, moved):
                continue
            own.mate = m
            q = petals[b.first[F_PETAL] + m]
            x, d, y, e = _right_edges(p, q) if side == 0 else _left_edges(p, q)
            at, along = axpy(1.0, mat_vec(R, y), r), mat_vec(R, e)
            gap, point, normal, s, t = capsule_capsule(x, d, p.radius, at, along, q.radius)
            least = min(least, put_row(own, gap, point, normal, margin))
    return least


@pure
def _rings_apart(a, b, R, r, margin):
    """Is the ring of B, facing, above all of A's by more than the margin?"""
    bottom = _disc_bottom(R, r, b.rim_height, b.rim_radius) - b.rim_tube
    bottom = min(bottom, _disc_bottom(R, r, 0.0, b.face_outer))
    return R[8] < 0.0 and bottom > max(a.rim_height + a.rim_tube, 0.0) + margin


@pure
def _put_crossing(a, b, R, C, X, margin, sweep, out, row, taken, bearing):
    """One crossing in the row of its sense, or in the one that is left; the gap, and which row."""
    share, f, m, sense = crossing_share(a, b, (R[2], R[5], R[8]), C, X)
    k = 0 if sense >= 0.0 else 1
    if k == taken:
        k = 1 - k
    if bearing and share == 0.0:
        return math.inf, k
    gap, point, normal = crossing_gap(a, b, X)
    sweep.share[k] = share
    store3(sweep.share_force[k], f)
    store3(sweep.share_moment[k], add(m, cross((X[0], X[1], X[2] + a.rim_height), f)))
    return put_row(out[row + k], gap, point, normal, margin), k


@kernel
def _rim_on_rim(a, b, R, r, margin, sweep, out, row, bearing):
    """The rim of A on that of B where they cross; of `bearing` ones, where they have a share of the contact."""
    out[row].gap = out[row + 1].gap = math.inf
    if _rings_apart(a, b, R, r, margin) or not (a.rim_radius > 0.0 and b.rim_radius > 0.0):
        return math.inf
    C = rim_centre(a, b, R, r)
    if bearing and faces_suffice(a, b, R, C):
        return math.inf
    E_1, X_1, E_2, X_2 = rim_crossings(a, b, R, C, a.rim_tube + b.rim_tube + margin, sweep)
    least, taken = math.inf, -1
    if E_1 < math.inf:
        least, taken = _put_crossing(a, b, R, C, X_1, margin, sweep, out, row, taken, bearing)
    if E_2 < math.inf:
        second, _ = _put_crossing(a, b, R, C, X_2, margin, sweep, out, row, taken, bearing)
        least = min(least, second)
    return least


@kernel
def _points_on_face(a, b, points, R, r, margin, out, row, moved):
    """Face points of A on the face of B."""
    least = math.inf
    apart = _rings_apart(a, b, R, r, margin)
    for k in range(a.count[F_POINT]):
        if left_out(out[row + k], moved):
            continue
        if apart:
            put_beyond(out[row + k], margin)
            continue
        x = mat_t_vec(R, sub(load3(points[a.first[F_POINT] + k].position), r))
        gap, point, normal = point_face(x, b.face_inner, b.face_outer, b.face_depth)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, put_row(out[row + k], gap, point, normal, margin))
    return least


@kernel
def _face_on_points(a, b, points, R, r, margin, out, row, moved):
    """The face of A on face points of B."""
    least = math.inf
    apart = _rings_apart(a, b, R, r, margin)
    for k in range(b.count[F_POINT]):
        if left_out(out[row + k], moved):
            continue
        if apart:
            put_beyond(out[row + k], margin)
            continue
        x = axpy(1.0, mat_vec(R, load3(points[b.first[F_POINT] + k].position)), r)
        gap, point, normal = point_face(x, a.face_inner, a.face_outer, a.face_depth)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, put_row(out[row + k], gap, point, normal, margin))
    return least


@kernel
def _spheres_on_spheres(a, b, spheres, R, r, margin, out, row):
    """Spheres of A on spheres of B."""
    least = math.inf
    for i in range(a.count[F_SPHERE]):
        ball = spheres[a.first[F_SPHERE] + i]
        for k in range(b.count[F_SPHERE]):
            other = spheres[b.first[F_SPHERE] + k]
            at = axpy(1.0, mat_vec(R, load3(other.centre)), r)
            gap, point, normal = sphere_sphere(load3(ball.centre), ball.radius, at, other.radius)
            least = min(least, put_row(out[row], gap, point, normal, margin))
            row += 1
    return least


@kernel
def _spheres_on_rim(a, b, spheres, R, r, margin, out, row):
    """Spheres of A on the rim of B."""
    least = math.inf
    for i in range(a.count[F_SPHERE]):
        ball = spheres[a.first[F_SPHERE] + i]
        x = mat_t_vec(R, sub(load3(ball.centre), r))
        gap, point, normal = sphere_rim(x, ball.radius, b.rim_radius, b.rim_height, b.rim_tube)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, put_row(out[row + i], gap, point, normal, margin))
    return least


@kernel
def _rim_on_spheres(a, b, spheres, R, r, margin, out, row):
    """The rim of A on spheres of B."""
    least = math.inf
    for i in range(b.count[F_SPHERE]):
        ball = spheres[b.first[F_SPHERE] + i]
        x = axpy(1.0, mat_vec(R, load3(ball.centre)), r)
        gap, point, normal = sphere_rim(x, ball.radius, a.rim_radius, a.rim_height, a.rim_tube)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, put_row(out[row + i], gap, point, normal, margin))
    return least


@kernel
def _spheres_on_petals(a, b, petals, spheres, R, r, margin, sweep, out, row):
    """Spheres of A on petals of B."""
    least = math.inf
    for i in range(a.count[F_SPHERE]):
        ball = spheres[a.first[F_SPHERE] + i]
        x = mat_t_vec(R, sub(load3(ball.centre), r))
        for k in range(b.count[F_PETAL]):
            p = petals[b.first[F_PETAL] + k]
            gap, point, normal, s, tau = petal_on_sphere(p, x, ball.radius, margin, sweep)
            gap, point, normal = _to_A(R, r, gap, point, scale(-1.0, normal))
            least = min(least, put_row(out[row], gap, point, normal, margin))
            row += 1
    return least


@kernel
def _petals_on_spheres(a, b, petals, spheres, R, r, margin, sweep, out, row):
    """Petals of A on spheres of B, sphere by sphere."""
    least = math.inf
    for i in range(b.count[F_SPHERE]):
        ball = spheres[b.first[F_SPHERE] + i]
        x = axpy(1.0, mat_vec(R, load3(ball.centre)), r)
        for k in range(a.count[F_PETAL]):
            p = petals[a.first[F_PETAL] + k]
            gap, point, normal, s, tau = petal_on_sphere(p, x, ball.radius, margin, sweep)
            least = min(least, put_row(out[row], gap, point, normal, margin))
            row += 1
    return least


@kernel
def _spheres_on_face(a, b, spheres, R, r, margin, out, row):
    """Spheres of A on the face of B."""
    least = math.inf
    for i in range(a.count[F_SPHERE]):
        ball = spheres[a.first[F_SPHERE] + i]
        x = mat_t_vec(R, sub(load3(ball.centre), r))
        gap, point, normal = sphere_face(x, ball.radius, b.face_inner, b.face_outer, b.face_depth)
        gap, point, normal = _to_A(R, r, gap, point, normal)
        least = min(least, put_row(out[row + i], gap, point, normal, margin))
    return least


@kernel
def _face_on_spheres(a, b, spheres, R, r, margin, out, row):
    """The face of A on spheres of B."""
    least = math.inf
    for i in range(b.count[F_SPHERE]):
        ball = spheres[b.first[F_SPHERE] + i]
        x = axpy(1.0, mat_vec(R, load3(ball.centre)), r)
        gap, point, normal = sphere_face(x, ball.radius, a.face_inner, a.face_outer, a.face_depth)
        gap, point, normal = _from_B(gap, point, normal)
        least = min(least, put_row(out[row + i], gap, point, normal, margin))
    return least


@kernel
def _capsules_on_capsules(a, b, capsules, R, r, margin, out, row):
    """Capsules of A on capsules of B."""
    least = math.inf
    for i in range(a.count[F_CAPSULE]):
        p = capsules[a.first[F_CAPSULE] + i]
        for k in range(b.count[F_CAPSULE]):
            q = capsules[b.first[F_CAPSULE] + k]
            at, along = axpy(1.0, mat_vec(R, load3(q.start)), r), mat_vec(R, load3(q.along))
            gap, point, normal, s, t = capsule_capsule(load3(p.start), load3(p.along), p.radius, at, along, q.radius)
            least = min(least, put_row(out[row], gap, point, normal, margin))
            row += 1
    return least


@melted
def interface_gaps(tables, i, j, R, r, margin, sweep, out, bearing=False, moved=math.inf):
    """Gaps between interface i (A) and interface j (B), whose frame has pose (R, r) in A's; the least, or inf.

    `tables` has those of ContactTables. With `bearing`, rims are left out where the faces stand for them; the others
    leave their share in `sweep`. If even the broad phase says that nothing is within the margin, inf comes back and
    `out` is left alone. `moved` bounds how far any point of B has come since `out` was filled: petals, edges and faces
    that had more room then are left out.
    """
    a, b = tables.interface[i], tables.interface[j]
    if hull_distance(a, b, r, r[2], R[8], math.sqrt(R[2] * R[2] + R[5] * R[5])) > margin:
        return math.inf
    petals, points, spheres = tables.petal, tables.face_point, tables.sphere
    least = math.inf
    row = 0
    for pair in range(len(GAP_FUNCTION)):
        count = rows_of(pair, a, b)
        if count == 0:
            continue
        gaps = GAP_FUNCTION[pair]
        gap = math.inf
        if gaps == PETALS_ON_RIM:
            gap = _petals_on_rim(a, b, petals, R, r, margin, sweep, out, row, moved)
        elif gaps == RIM_ON_PETALS:
            gap = _rim_on_petals(a, b, petals, R, r, margin, sweep, out, row, moved)
        elif gaps == EDGES_ON_EDGES:
            gap = _edges_on_edges(a, b, petals, R, r, margin, out, row, moved)
        elif gaps == RIM_ON_RIM:
            gap = _rim_on_rim(a, b, R, r, margin, sweep, out, row, bearing)
        elif gaps == POINTS_ON_FACE:
            gap = _points_on_face(a, b, points, R, r, margin, out, row, moved)
        elif gaps == FACE_ON_POINTS:
            gap = _face_on_points(a, b, points, R, r, margin, out, row, moved)
        elif gaps == SPHERES_ON_SPHERES:
            gap = _spheres_on_spheres(a, b, spheres, R, r, margin, out, row)
        elif gaps == SPHERES_ON_RIM:
            gap = _spheres_on_rim(a, b, spheres, R, r, margin, out, row)
        elif gaps == RIM_ON_SPHERES:
            gap = _rim_on_spheres(a, b, spheres, R, r, margin, out, row)
        elif gaps == SPHERES_ON_PETALS:
            gap = _spheres_on_petals(a, b, petals, spheres, R, r, margin, sweep, out, row)
        elif gaps == PETALS_ON_SPHERES:
            gap = _petals_on_spheres(a, b, petals, spheres, R, r, margin, sweep, out, row)
        elif gaps == SPHERES_ON_FACE:
            gap = _spheres_on_face(a, b, spheres, R, r, margin, out, row)
        elif gaps == FACE_ON_SPHERES:
            gap = _face_on_spheres(a, b, spheres, R, r, margin, out, row)
        elif gaps == CAPSULES_ON_CAPSULES:
            gap = _capsules_on_capsules(a, b, tables.capsule, R, r, margin, out, row)
        elif gaps == PINS_IN_HOLES:
            gap = pins_in_holes(a, b, tables.pin, tables.hole, IDENTITY, ZERO, R, r, margin, out, row, 1.0)
        elif gaps == HOLES_ON_PINS:
            gap = pins_in_holes(b, a, tables.pin, tables.hole, R, r, IDENTITY, ZERO, margin, out, row, -1.0)
        least = min(least, gap)
        row += count
    return least
