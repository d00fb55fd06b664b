"""Gaps of guide pins in their holes.

Pin and hole are bodies of revolution whose meridians are convex, with corners that are rounded: a chain of three
lines, shrunk by the radius of the rounding, then swept by it (`profile_distance`). Of a pin: cylinder, taper, and the
ball of its nose on the axis; of a hole: bore, chamfer, face. The face is that of a round plate, with a side. The bore
has no end; how deep it is is checked when files are read. A hole may be lengthened radially: then the point of that
short line which is nearest stands for its centre.

Two rows a pin. The nose is a ball against the hole's meridian, in the half plane through the ball: exact. The flank is
the edge of the bore, a circle, against the pin's meridian. Where the normal from the edge meets the pin's axis, A, the
nearest point of the circle lies towards A, seen along the hole; this is repeated from where the axis pierces the plane
of the edge. Exact if axes are parallel; with a tilt what is left after three rounds is below a micrometre while the gap
is small.

On one side of a hole the pin bears by the nearer of the two, so that nothing counts twice while the edge passes from
the nose to the taper; on opposite sides by both, which is how a tilted pin jams. Limits: pins that face their holes by
less than 30 deg of tilt; the end of a cylinder, behind a taper, does not meet the bore's wall; a pin beside the plate
meets it with its nose only.
"""

import math

from docksim.algebra.vec3 import add, axpy, dot, load3, mat_vec, scale, sub
from docksim.kernel.contact.gaps import TOUCHING, clamped, put_row
from docksim.model.contact import F_HOLE, F_PIN
from docksim.native.decorators import kernel, pure

# rounds of the search for the nearest point of an edge
ROUNDS = 3
# cosine between the axes of a pin and of a hole beyond which they do not meet: 30 deg
FACING = -0.86
# a flank that is nearer by less leaves the contact to the nose: both are the ball on the edge [m]
NEARER = 1e-9


@pure
def profile_distance(x, y, p):
    """Signed distance of (x, y) from a convex chain, and its gradient.

    The chain: x = p.x_1 up to the corner (x_1, y_1), a line with the normal (cos, sin) to the corner (x_2, y_2), then
    y = y_2 towards smaller x.
    """
    along_x, along_y = x - p.x_1, y - p.y_1
    distance, n_x, n_y = along_x, 1.0, 0.0
    slanted = along_x * p.cos + along_y * p.sin
    if slanted > distance:
        distance, n_x, n_y = slanted, p.cos, p.sin
    if y - p.y_2 > distance:
        distance, n_x, n_y = y - p.y_2, 0.0, 1.0
    if distance > 0.0:
        # beyond a corner, between the normals of its two lines, the corner is nearest
        if along_y > 0.0 and along_y * p.cos < along_x * p.sin:
            distance = math.sqrt(along_x * along_x + along_y * along_y)
            n_x, n_y = along_x / distance, along_y / distance
        along_x, along_y = x - p.x_2, y - p.y_2
        if along_x > 0.0 and along_y * p.cos > along_x * p.sin:
            distance = math.sqrt(along_x * along_x + along_y * along_y)
            n_x, n_y = along_x / distance, along_y / distance
    return distance, n_x, n_y


@pure
def from_hole(d, axis, out, half):
    """Height over a hole's centre, way across from its centre, or from the line it is lengthened by, and direction."""
    height = dot(d, axis)
    across = axpy(-height, axis, d)
    if half > 0.0:
        across = axpy(-clamped(dot(across, out), -half, half), out, across)
    q = math.sqrt(dot(across, across))
    return height, q, scale(1.0 / q, across) if q > TOUCHING else out


@pure
def nose_gap(pin, hole, height, q, side, tip, axis):
    """The nose, a ball about `tip`, against the hole: gap, point, normal from the pin."""
    distance, n_x, n_y = profile_distance(-q, height, hole)
    beside, above = q - (hole.face - hole.radius), height - hole.y_2
    if beside > 0.0 and above > 0.0:
        # beyond the corner of face and side
        distance = math.sqrt(beside * beside + above * above)
        n_x, n_y = -beside / distance, above / distance
    elif beside > 0.0 or (distance < 0.0 and beside > distance):
        distance, n_x, n_y = beside, -1.0, 0.0
    gap = distance - hole.radius - pin.radius
    out = axpy(n_y, axis, scale(-n_x, side))
    return gap, axpy(-pin.radius - 0.5 * gap, out, tip), scale(-1.0, out)


@pure
def flank_gap(pin, hole, foot, along, centre, axis, out):
    """The pin against the edge of the bore: gap, point, normal from the pin, and the direction of the edge's point."""
    edge = axpy(hole.y_1, axis, centre)
    # from where the pin's axis pierces the plane of the edge
    w = dot(sub(edge, foot), axis) / dot(along, axis)
    for _ in range(ROUNDS):
        d = sub(axpy(w, along, foot), edge)
        _, q, side = from_hole(d, axis, out, hole.half)
        # on a lengthened hole the circle is about the nearest point of the line
        x = add(axpy(-q - hole.x_1, side, axpy(-dot(d, axis), axis, d)), edge)
        arm = sub(x, foot)
        height = dot(arm, along)
        away = axpy(-height, along, arm)
        q = math.sqrt(dot(away, away))
        distance, n_q, n_w = profile_distance(q, height, pin)
        # to where the normal meets the axis
        w = height - q * n_w / max(n_q, TOUCHING)
    gap = distance - pin.radius - hole.radius
    normal = axpy(n_w, along, scale(n_q / q, away)) if q > TOUCHING else along
    return gap, axpy(-hole.radius - 0.5 * gap, normal, x), normal, side


@kernel
def pin_in_hole(pin, hole, R_pin, r_pin, R_hole, r_hole, margin):
    """Gap, point and normal, from the pin, of the nose, and the same of the flank; inf for what does not bear.

    Poses of the two interfaces, and all that comes back, on one set of axes.
    """
    nothing = (0.0, 0.0, 0.0)
    none = (math.inf, nothing, nothing, math.inf, nothing, nothing)
    along, axis = (R_pin[2], R_pin[5], R_pin[8]), (R_hole[2], R_hole[5], R_hole[8])
    if dot(along, axis) > FACING:
        return none
    foot = axpy(1.0, mat_vec(R_pin, load3(pin.position)), r_pin)
    centre = axpy(1.0, mat_vec(R_hole, load3(hole.position)), r_hole)
    out = mat_vec(R_hole, load3(hole.out))
    tip = axpy(pin.y_2, along, foot)
    height, q, towards = from_hole(sub(tip, centre), axis, out, hole.half)
    # above the face, beside the plate or behind it all
    if height - pin.radius > margin or q - pin.radius - hole.face > margin or height < -hole.depth:
        return none
    gap, point, normal = nose_gap(pin, hole, height, q, towards, tip, axis)
    flank, point_f, normal_f, side = flank_gap(pin, hole, foot, along, centre, axis, out)
    if dot(side, towards) > 0.0:
        if flank < gap - NEARER:
            gap = math.inf
        else:
            flank = math.inf
    return gap, point, normal, flank, point_f, normal_f


@pure
def own_hole(pin, side, holes):
    """The hole of an interface that a pin of its mate stands in when both are mated: half a turn about y shows it."""
    least, hole = math.inf, 0
    for k in range(side.first[F_HOLE], side.first[F_HOLE] + side.count[F_HOLE]):
        x = holes[k].position[0] + pin.position[0]
        y = holes[k].position[1] - pin.position[1]
        if x * x + y * y < least:
            least, hole = x * x + y * y, k
    return hole


@kernel
def pins_in_holes(a, b, pins, holes, R_a, r_a, R_b, r_b, margin, out, row, sign):
    """Pins of interface a in holes of interface b, wherever both are; sign: of their normals from A to B."""
    least = math.inf
    for i in range(a.count[F_PIN] // 2):
        pin = pins[a.first[F_PIN] + i]
        hole = holes[own_hole(pin, b, holes)]
        nose, x, n, flank, x_f, n_f = pin_in_hole(pin, hole, R_a, r_a, R_b, r_b, margin)
        least = min(least, put_row(out[row + 2 * i], nose, x, scale(sign, n), margin))
        least = min(least, put_row(out[row + 2 * i + 1], flank, x_f, scale(sign, n_f), margin))
    return least
