"""A chain in frames of its own choosing, joint axes along z, and its dynamics on them, for numbers of any kind.

Every link gets a frame L with z along its joint and its origin on it, and the inertial parameters of a regrouped
chain: zero but for the basic ones (see `regrouped`). With F and p the fixed place of L in its parent, Rz the turn about
z, and U = e~ + w~ w~ of a link with angular velocity w and angular acceleration e,

    outward   a = Rz' F' (a_p + U_p p)      force m a + U c      torque c x a + (U Sigma), its skew part
    inward    f_p += F Rz f                 n_p += F Rz n + p x (F Rz f)      Q = n.z, or f.z for a sliding joint

Sigma is the integral of r r' dm: regrouping leaves few of its entries. Zeros and ones are plain floats, so numbers that
record or count leave them out. Composite bodies give A in the same frames, and A = L' D L from the tip, which keeps the
zeros of branches, gives accelerations. Regrouped links are not real ones, but A is that of the real chain, and so are
the pivots D.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from docksim.algebra.vec3 import add, cross, scale

Vector = tuple[Any, Any, Any]
Matrix = tuple[Vector, Vector, Vector]
Function = Callable[[Any], Any]
NONE: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Joint:
    """One joint and its link, as constants."""

    parent: int
    slides: bool
    F: Matrix  # link axes at q = 0 to the parent's
    p: Vector  # joint in the parent's frame
    mass: float
    c: Vector  # first moment
    sigma: Matrix  # integral of r r' dm


class LinkAxes:
    """The recursions for one chain, on numbers of any kind; `sin` and `cos` belong to them."""

    def __init__(self, joints: Sequence[Joint], gravity: Sequence[float], sin: Function, cos: Function) -> None:
        self.joints, self.gravity, self.sin, self.cos = joints, gravity, sin, cos

    def inverse(self, q: Sequence[Any], rates: Sequence[Any], accelerations: Sequence[Any]) -> list[Any]:
        """Forces of the links, without what the joints add."""
        turns = self._turns(q)
        forces = self._link_forces(q, rates, accelerations, turns)
        Q: list[Any] = [0.0] * len(self.joints)
        for k in range(len(self.joints) - 1, -1, -1):
            joint = self.joints[k]
            f, n = forces[k]
            Q[k] = f[2] if joint.slides else n[2]
            if joint.parent >= 0:
                f, n = self._down(joint, q[k], turns[k], f, n)
                below = forces[joint.parent]
                forces[joint.parent] = (add(below[0], f), add(below[1], n))
        return Q

    def matrix(self, q: Sequence[Any]) -> list[list[Any]]:
        """A by composite bodies: mass, first moment and second moments of all that hangs on a joint, in its frame."""
        turns, count = self._turns(q), len(self.joints)
        bodies: list[Any] = [(joint.mass, joint.c, joint.sigma) for joint in self.joints]
        for k in range(count - 1, -1, -1):
            joint = self.joints[k]
            if joint.parent >= 0:
                bodies[joint.parent] = _together(bodies[joint.parent], self._moved(joint, q[k], turns[k], bodies[k]))
        A: list[list[Any]] = [[0.0] * count for _ in range(count)]
        for j, joint in enumerate(self.joints):
            m, c, S = bodies[j]
            if joint.slides:
                f, n = (0.0, 0.0, m), (c[1], -c[0], 0.0)
            else:
                f, n = (-c[1], c[0], 0.0), (-S[0][2], -S[1][2], S[0][0] + S[1][1])
            A[j][j] = f[2] if joint.slides else n[2]
            k, i = j, joint.parent
            while i >= 0:
                f, n = self._down(self.joints[k], q[k], turns[k], f, n)
                A[i][j] = A[j][i] = f[2] if self.joints[i].slides else n[2]
                k, i = i, self.joints[i].parent
        return A

    # ------------------------------------------------------------ between links

    def _turns(self, q: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Cosine and sine of each joint's angle."""
        return [
            (1.0, 0.0) if joint.slides else (self.cos(x), self.sin(x)) for joint, x in zip(self.joints, q, strict=True)
        ]

    def _place(self, joint: Joint, q: Any) -> Vector:
        """Origin of the link in its parent's frame."""
        if not joint.slides:
            return joint.p
        x, y, z = (row[2] for row in joint.F)
        return add(joint.p, (x * q, y * q, z * q))

    def _link_forces(
        self, q: Sequence[Any], rates: Sequence[Any], accelerations: Sequence[Any], turns: Sequence[tuple[Any, Any]]
    ) -> list[tuple[Vector, Vector]]:
        """What moves each link: force, and torque about its origin."""
        x, y, z = (-float(g) for g in self.gravity)
        at_base = (NONE, NONE, (NONE, NONE, NONE), (x, y, z))
        motions: list[Any] = []
        forces = []
        for k, joint in enumerate(self.joints):
            w, e, U, a = motions[joint.parent] if joint.parent >= 0 else at_base
            if joint.parent >= 0:
                a = add(a, times(U, self._place(joint, q[k])))
            w, e, a = (up(joint.F, turns[k], part) for part in (w, e, a))
            v, dv = rates[k], accelerations[k]
            if joint.slides:
                a = (a[0] + 2.0 * (w[1] * v), a[1] - 2.0 * (w[0] * v), a[2] + dv)
            else:
                e = (e[0] + w[1] * v, e[1] - w[0] * v, e[2] + dv)
                w = (w[0], w[1], w[2] + v)
            U = _spread(w, e)
            motions.append((w, e, U, a))
            m, c, S = joint.mass, joint.c, joint.sigma
            force = add((m * a[0], m * a[1], m * a[2]), times(U, c))
            forces.append((force, add(cross(c, a), _skew(U, S))))
        return forces

    def _down(self, joint: Joint, q: Any, turn: tuple[Any, Any], f: Vector, n: Vector) -> tuple[Vector, Vector]:
        """A force and a torque about the link's origin, on the parent's axes and about its origin."""
        f, n = down(joint.F, turn, f), down(joint.F, turn, n)
        return f, add(n, cross(self._place(joint, q), f))

    def _moved(self, joint: Joint, q: Any, turn: tuple[Any, Any], body: Any) -> Any:
        """Mass, first and second moments of a body in the parent's frame."""
        m, c, S = body
        p = self._place(joint, q)
        c = down(joint.F, turn, c)
        S = _turned(joint.F, turn, S)
        # r + p: S + c p' + p c' + m p p', half of the last in each of the others
        half = add(c, scale(0.5 * m, p))
        S = symmetric(lambda i, j: S[i][j] + (half[i] * p[j] + p[i] * half[j]))
        return m, add(c, scale(m, p)), S


def lower_factor(A: Sequence[Sequence[Any]], parent: Sequence[int]) -> tuple[list[list[Any]], list[Any]]:
    """L with ones on its diagonal, and 1 / D, of A = L' D L: from the tip, so that branches stay apart."""
    n = len(parent)
    rest = [list(row) for row in A]
    L: list[list[Any]] = [[0.0] * n for _ in range(n)]
    one_by_D: list[Any] = [0.0] * n
    for k in range(n - 1, -1, -1):
        one_by_D[k] = 1.0 / rest[k][k]
        above = _above(k, parent)
        for i in above:
            L[k][i] = rest[k][i] * one_by_D[k]
        for place, i in enumerate(above):
            for j in above[place:]:
                rest[i][j] = rest[j][i] = rest[i][j] - L[k][i] * rest[k][j]
    return L, one_by_D


def solved(A: Sequence[Sequence[Any]], y: Sequence[Any], parent: Sequence[int]) -> list[Any]:
    """x with A x = y, for A of a tree."""
    L, one_by_D = lower_factor(A, parent)
    x = list(y)
    for k in range(len(x) - 1, -1, -1):
        for i in _above(k, parent):
            x[i] = x[i] - L[k][i] * x[k]
    for k in range(len(x)):
        x[k] = x[k] * one_by_D[k]
        for i in _above(k, parent):
            x[k] = x[k] - L[k][i] * x[i]
    return x


def _above(k: int, parent: Sequence[int]) -> list[int]:
    """The joints that carry joint k, nearest first."""
    chosen = []
    while (k := int(parent[k])) >= 0:
        chosen.append(k)
    return chosen


# ---------------------------------------------------------------- small algebra; zeros and ones are floats


def times(M: Matrix, a: Vector) -> Vector:
    x, y, z = (row[0] * a[0] + row[1] * a[1] + row[2] * a[2] for row in M)
    return x, y, z


def transposed(M: Matrix) -> Matrix:
    x, y, z = zip(*M, strict=True)
    return x, y, z


def symmetric(entry: Callable[[int, int], Any]) -> Matrix:
    xx, yy, zz, xy, xz, yz = (entry(i, j) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def up(F: Matrix, turn: tuple[Any, Any], a: Vector) -> Vector:
    """Rz' F' a: from the parent's axes to the link's."""
    x, y, z = times(transposed(F), a)
    c, s = turn
    return c * x + s * y, c * y - s * x, z


def down(F: Matrix, turn: tuple[Any, Any], a: Vector) -> Vector:
    """F Rz a: from the link's axes to the parent's."""
    x, y, z = a
    c, s = turn
    return times(F, (c * x - s * y, s * x + c * y, z))


def _spread(w: Vector, e: Vector) -> Matrix:
    """U = e~ + w~ w~: acceleration of a point of the link by its place."""
    x, y, z = w
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (-(yy + zz), xy - e[2], xz + e[1]),
        (xy + e[2], -(xx + zz), yz - e[0]),
        (xz - e[1], yz + e[0], -(xx + yy)),
    )


def _skew(U: Matrix, S: Matrix) -> Vector:
    """The vector of U S - (U S)': the integral of r x U r dm."""

    def entry(i: int, j: int) -> Any:
        return U[i][0] * S[0][j] + U[i][1] * S[1][j] + U[i][2] * S[2][j]

    return entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)


def _turned(F: Matrix, turn: tuple[Any, Any], S: Matrix) -> Matrix:
    """F Rz S Rz' F'."""
    c, s = turn
    # the plane across z by c c, s s, s c; then the two entries with z
    xx, yy, xy = S[0][0], S[1][1], S[0][1]
    swing = (s * s) * (yy - xx) - (s * c) * (2.0 * xy)
    x, y = c * S[0][2] - s * S[1][2], s * S[0][2] + c * S[1][2]
    across = (s * c) * (xx - yy) + (c * c - s * s) * xy
    mid = ((xx + swing, across, x), (across, yy - swing, y), (x, y, S[2][2]))
    if all(entry in (0.0, 1.0, -1.0) for row in F for entry in row):
        return _permuted(F, mid)
    first = [times(mid, row) for row in F]
    return symmetric(lambda i, j: F[i][0] * first[j][0] + F[i][1] * first[j][1] + F[i][2] * first[j][2])


def _permuted(F: Matrix, S: Matrix) -> Matrix:
    """F S F' of axes that change places."""
    where = [next(j for j in range(3) if row[j]) for row in F]
    return symmetric(lambda i, j: F[i][where[i]] * F[j][where[j]] * S[where[i]][where[j]])


def _together(a: Any, b: Any) -> Any:
    return a[0] + b[0], add(a[1], b[1]), symmetric(lambda i, j: a[2][i][j] + b[2][i][j])
