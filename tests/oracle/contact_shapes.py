"""Distances between the skeletons of docking interfaces by brute force: dense samples, then scipy's minimisers.

Shapes are parametrised straight from a drawing, in a frame with z out of the mating plane: a petal's patch point is a
point of the base arc moved along its ruling towards the apex; a rim is a circle about z. Nothing is reduced in closed
form: the distance of two shapes is minimised over the parameters of both. Sampling finds every region where the two
come near each other, SLSQP descends in each, and a root finder on the gradient of the free parameters ends it, so
the place is as exact as the distance.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.optimize import lsq_linear, minimize, root
from scipy.spatial import cKDTree


@dataclass(frozen=True)
class Petal:
    """Metres and radians; the middle of the petal is at the azimuth."""

    azimuth: float = 0.0
    base_radius: float = 0.5974
    half_angle: float = np.radians(29.0)
    cant: float = np.radians(45.0)
    length: float = 0.21
    tip_half_width: float = 0.06
    plate_radius: float = 0.005
    below: float = 0.012

    @cached_property
    def apex(self):
        """Where the side edges meet: widths shrink in proportion to the way that is left to it."""
        half_width = self.base_radius * np.sin(self.half_angle)
        way = self.length * half_width / (half_width - self.tip_half_width)
        in_plane = np.array([self.base_radius - way * np.cos(self.cant), 0.0, way * np.sin(self.cant)])
        return _about_z(self.azimuth) @ in_plane

    @cached_property
    def _box(self):
        half_width = self.base_radius * np.sin(self.half_angle)
        high = 1.0 - self.tip_half_width / half_width
        return [(-self.below / self.apex[2], high), (-self.half_angle, self.half_angle)]

    def box(self):
        """Bounds of (t, phi): t = 0 in the mating plane, 1 at the apex."""
        return self._box

    def point(self, u):
        t, phi = u
        base, _ = self._base(phi)
        return base + t * (self.apex - base)

    def jacobian(self, u):
        t, phi = u
        base, along = self._base(phi)
        return np.stack([self.apex - base, (1.0 - t) * along], axis=1)

    def hessian(self, u):
        """(3, 2, 2)"""
        t, phi = u
        base, along = self._base(phi)
        H = np.zeros((3, 2, 2))
        H[:, 0, 1] = H[:, 1, 0] = -along
        H[:, 1, 1] = -(1.0 - t) * base
        return H

    def _base(self, phi):
        angle = self.azimuth + phi
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        return self.base_radius * out, self.base_radius * np.array([-out[1], out[0], 0.0])


@dataclass(frozen=True)
class Rim:
    radius: float = 0.610
    height: float = -0.010
    tube: float = 0.010

    def box(self):
        return [(None, None)]

    def point(self, u):
        return np.array([self.radius * np.cos(u[0]), self.radius * np.sin(u[0]), self.height])

    def jacobian(self, u):
        return self.radius * np.array([[-np.sin(u[0])], [np.cos(u[0])], [0.0]])

    def hessian(self, u):
        return -self.radius * np.array([np.cos(u[0]), np.sin(u[0]), 0.0])[:, None, None]


@dataclass(frozen=True)
class Point:
    position: tuple

    def box(self):
        return []

    def point(self, u):
        return np.asarray(self.position, float)

    def jacobian(self, u):
        return np.zeros((3, 0))

    def hessian(self, u):
        return np.zeros((3, 0, 0))


def _about_z(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def samples(shape, count):
    """Parameters and points of a shape, about `count` in each direction."""
    axes = [np.linspace(*((0.0, 2.0 * np.pi) if low is None else (low, high)), count) for low, high in shape.box()]
    grid = np.array(np.meshgrid(*axes, indexing="ij")).reshape(len(axes), -1).T if axes else np.zeros((1, 0))
    return grid, np.array([shape.point(u) for u in grid])


class Distance:
    """The least distance of shape a from shape b placed at (R, r); a's samples are kept in a tree."""

    def __init__(self, a, b, count_a=61, count_b=361):
        self.a, self.b = a, b
        self.u_a, self.x_a = samples(a, count_a)
        self.u_b, self.x_b = samples(b, count_b)
        self.tree = cKDTree(self.x_a)
        # two neighbours in a sample are no farther apart than this
        sizes = [np.ptp(x, axis=0).max() * np.pi / n for x, n in ((self.x_a, count_a), (self.x_b, count_b))]
        self.spacing = 2.0 * max(sizes)

    def at(self, R, r):
        """Distance, point of a, point of b, and how much farther the second best minimum is (inf if there is none)."""
        found = [self._descend(start, R, r) for start in self._starts(R, r)]
        found.sort(key=lambda item: item[0])
        best = found[0]
        others = [d for d, x, y in found if np.linalg.norm(x - best[1]) > 1e-4]
        return *best, (min(others) - best[0] if others else np.inf)

    def _starts(self, R, r):
        """Samples of b that are nearer to a than both their neighbours, with a's nearest sample to each."""
        d, i = self.tree.query(self.x_b @ R.T + r)
        if len(d) == 1:
            near, j = self.tree.query(self.x_b[0] @ R.T + r, k=len(self.x_a))
            keep = j[near < near[0] + 0.02][::25]
            return [np.concatenate([self.u_a[k], self.u_b[0]]) for k in keep]
        ring = d[:-1]
        lowest = (ring <= np.roll(ring, 1)) & (ring <= np.roll(ring, -1)) & (ring < ring.min() + self.spacing)
        low = np.flatnonzero(lowest)
        return [np.concatenate([self.u_a[i[k]], self.u_b[k]]) for k in low]

    def _descend(self, start, R, r):
        n = len(self.a.box())

        def both(v):
            d = self.a.point(v[:n]) - (R @ self.b.point(v[n:]) + r)
            J = np.concatenate([self.a.jacobian(v[:n]), -R @ self.b.jacobian(v[n:])], axis=1)
            return d, J

        def value(v):
            d, J = both(v)
            return 0.5 * d @ d, J.T @ d

        def curvature(v):
            d, J = both(v)
            H = J.T @ J
            H[:n, :n] += np.einsum("i,ijk->jk", d, self.a.hessian(v[:n]))
            H[n:, n:] -= np.einsum("i,ijk->jk", R.T @ d, self.b.hessian(v[n:]))
            return H

        box = self.a.box() + self.b.box()
        v = minimize(value, start, jac=True, bounds=box, method="SLSQP", options={"ftol": 1e-14}).x
        slope = value(v)[1]
        held = np.array(
            [
                low is not None and ((v[k] - low < 1e-6 and slope[k] > 0.0) or (high - v[k] < 1e-6 and slope[k] < 0.0))
                for k, (low, high) in enumerate(box)
            ]
        )
        for k in np.flatnonzero(held):
            v[k] = box[k][0] if slope[k] > 0.0 else box[k][1]
        free = np.flatnonzero(~held)
        if len(free):

            def on_free(f, x):
                full = v.copy()
                full[free] = x
                return f(full)

            end = root(
                lambda x: on_free(value, x)[1][free],
                v[free],
                jac=lambda x: on_free(curvature, x)[np.ix_(free, free)],
                options={"xtol": 1e-15},
            ).x
            ended = v.copy()
            ended[free] = end
            inside = all(low is None or low <= ended[k] <= high for k, (low, high) in enumerate(box))
            # a root elsewhere is not this minimum's
            if inside and np.abs(end - v[free]).max() < 1e-3 and value(ended)[0] <= value(v)[0] + 1e-15:
                v = ended
        x, y = self.a.point(v[:n]), R @ self.b.point(v[n:]) + r
        return np.linalg.norm(x - y), x, y


def segments(p_a, d_a, p_b, d_b):
    """Least distance of two segments p + s d, 0 <= s <= 1, and the two points: bounded linear least squares."""
    A = np.stack([d_a, -d_b], axis=1)
    s, t = lsq_linear(A, p_b - p_a, bounds=(0.0, 1.0), method="bvls", tol=1e-15).x
    x, y = p_a + s * d_a, p_b + t * d_b
    return np.linalg.norm(x - y), x, y


def ring_solid(x, inner, outer, depth):
    """Signed distance of x from the solid inner < q < outer, -depth < z < 0, and the nearest point of its surface.

    In the half plane through x the surface is a rectangle of four straight lines.
    """
    q, z = np.hypot(x[0], x[1]), x[2]
    corners = [np.array(c) for c in ((inner, -depth), (inner, 0.0), (outer, 0.0), (outer, -depth), (inner, -depth))]
    feet = []
    for a, b in pairwise(corners):
        u = np.clip((np.array([q, z]) - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
        feet.append(a + u * (b - a))
    distance = [np.hypot(q - f[0], z - f[1]) for f in feet]
    foot = feet[int(np.argmin(distance))]
    sign = -1.0 if inner < q < outer and -depth < z < 0.0 else 1.0
    return sign * min(distance), np.array([foot[0] * x[0] / q, foot[0] * x[1] / q, foot[1]])
