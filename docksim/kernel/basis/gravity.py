"""Differential gravity of a circular orbit on one rigid thing, a body or a link of a leg.

On the axes of W, x radially out: n2 (2 x, -y, -z) at the mass centre, and 3 n2 x^ x J x^ about it. Exact for a field
that is linear in the distance from the reference point.
"""

from docksim.algebra.vec3 import ZERO, add, axpy, cross, scale, sym_vec
from docksim.kernel.basis.spatial import inertia_about_hinge
from docksim.native.decorators import pure


@pure
def gravity_on(settings, m, r, c, J):
    """Moment about the hinge point and force; r: hinge point, c: mass centre from it, J: about the mass centre."""
    n2 = settings.orbit_rate * settings.orbit_rate
    x_c = add(r, c)
    force = (2.0 * m * n2 * x_c[0], -m * n2 * x_c[1], -m * n2 * x_c[2])
    moment = cross(c, force)
    if settings.gravity_gradient:
        x = (1.0, 0.0, 0.0)
        moment = axpy(3.0 * n2, cross(x, sym_vec(J, x)), moment)
    return moment, force


@pure
def link_gravity(settings, m, mc, J, r):
    """Moment about a link's origin and force, from its first moment and inertia about the origin, which is at r."""
    if m == 0.0:
        return ZERO, ZERO
    c = scale(1.0 / m, mc)
    return gravity_on(settings, m, r, c, inertia_about_hinge(-m, c, J))
