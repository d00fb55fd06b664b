"""The balance of a joint: gap and tilts at which hooks, faces, seal and rods carry what pulls the faces apart.

The springs are those of `joined`, each of which only pulls or only pushes. Their energy is convex, so
Newton's method with a halved step finds the one balance there is, from the one before.
"""

from docksim.algebra.elementary import exp, log
from docksim.algebra.vec3 import axpy, dot, load3, scale, store3, sub, sym_vec
from docksim.kernel.basis.spatial import sym_inverse
from docksim.native.decorators import kernel, pure

# what is left of a balance, of the sizes in it; a hook's is that of gap and cam, whose difference its force is
CLOSE = 1e-14
# forces that count as none, of what all hooks would pull with if stretched by their reach
NOTHING = 1e-12
# most that the gap may change in one go [m], and evaluations until there is no balance to be found
LONGEST = 0.005
MOST = 400
# stiffness of what nothing holds, of all springs together
SLACK = 1e-9


@pure
def with_spring(H, k, y, z):
    """Stiffness with one more spring in it."""
    return (H[0] + k, H[1] + k * y * y, H[2] + k * z * z, H[3] + k * y, H[4] + k * z, H[5] + k * y * z)


@pure
def seal_push(row, depth):
    """Force of one point of the seal, compressed by so much."""
    return row.seal_share * exp(row.exponent * log(depth / row.seal_depth)) if depth > 0.0 else 0.0


@kernel
def springs(model, state, row, x):
    """What hooks, faces, seal and rods pull along x, their stiffness, the sum of their sizes, and what they store."""
    force = (0.0, 0.0, 0.0)
    H = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    size = 0.0
    stored = 0.0
    for k in range(row.first_hook, row.first_hook + row.hooks):
        at = model.hook[k]
        gap = x[0] + x[1] * at.y + x[2] * at.z
        stretch = gap + state.hook[k].cam
        f = 0.0
        if state.hook[k].engaged != 0 and stretch > 0.0:
            f = row.stiffness * stretch
            size += row.stiffness * (abs(gap) + abs(state.hook[k].cam))
            stored += 0.5 * f * stretch
            H = with_spring(H, row.stiffness, at.y, at.z)
        if gap < 0.0:
            push = -row.face * gap
            stored -= 0.5 * push * gap
            f -= push
            size += push
            H = with_spring(H, row.face, at.y, at.z)
        force = axpy(f, (1.0, at.y, at.z), force)
    height, exponent = row.seal_height, row.exponent
    for k in range(row.first_point, row.first_point + row.points):
        y, z = model.seal_point[k].y, model.seal_point[k].z
        depth = height - (x[0] + x[1] * y + x[2] * z)
        push = seal_push(row, depth)
        if push > 0.0:
            stored += push * depth / (exponent + 1.0)
            H = with_spring(H, exponent * push / depth, y, z)
        size += push
        force = axpy(-push, (1.0, y, z), force)
    for k in range(row.first_rod, row.first_rod + row.rods):
        rod = model.rod[k]
        gap = x[0] + x[1] * rod.y + x[2] * rod.z
        if gap < rod.stroke:
            push = rod.force - rod.stiffness * gap
            last = rod.force - rod.stiffness * rod.stroke
            stored += 0.5 * (push + last) * (rod.stroke - gap)
            H = with_spring(H, rod.stiffness, rod.y, rod.z)
            size += push
            force = axpy(-push, (1.0, rod.y, rod.z), force)
    return force, H, size, stored


@kernel
def find_balance(model, state, row, own):
    """Where springs balance own.pull, from where they last did; False if nowhere. Writes own x stored."""
    x = load3(own.x)
    pull = load3(own.pull)
    way = (0.0, 0.0, 0.0)
    part = 0.0
    slope = 0.0
    R = row.radius
    slack = SLACK * row.hooks * (row.stiffness + row.face)
    loads = max(abs(pull[0]), max(abs(pull[1]), abs(pull[2])) / R)
    none = NOTHING * row.hooks * row.stiffness * row.reach
    for _ in range(MOST):
        there = axpy(part, way, x)
        force, H, size, stored = springs(model, state, row, there)
        left = sub(force, pull)
        if part > 0.0 and dot(left, way) > -0.5 * slope:
            # beyond the lowest point on this way
            part *= 0.5
            continue
        x = there
        # a seal that nothing holds comes to rest where it just touches, or hooks are loose and nothing acts
        at_rest = size + loads <= none
        if at_rest or max(abs(left[0]), max(abs(left[1]), abs(left[2])) / R) <= CLOSE * (size + loads):
            store3(own.x, x)
            own.stored = stored
            return True
        stiff = (H[0] + slack, H[1] + slack * R * R, H[2] + slack * R * R, H[3], H[4], H[5])
        way = scale(-1.0, sym_vec(sym_inverse(stiff), left))
        far = abs(way[0]) + R * (abs(way[1]) + abs(way[2]))
        if far > LONGEST:
            way = scale(LONGEST / far, way)
        slope = dot(left, way)
        part = 1.0
    return False
