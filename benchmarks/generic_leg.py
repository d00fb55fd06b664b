"""A leg by the general matrix method, for counting its operations: one code for all five types.

Golubev & Yaskevich, sections 3-5, with the corrections of docs/mechanism.md: analytic closure, recursion of partial
velocities over one-axis joints, closure matrices C_d, C_i and c, H = C_d^-1 C_i by an LU decomposition, branch matrices
A, G and n as sums over the two links, and what H' A H and the like add to the ring's equations. It is general, not
wasteful: closure by sines and cosines, cross products rather than skew matrices, massless bodies left out. But matrices
are dense, and neither their zeros and ones nor their symmetry is used. Lists of lists are matrices.
"""

from __future__ import annotations

from typing import Any

from docksim.numbers.counting import Counted, Tally, counting_math
from tests.oracle.mechanism_description import STEWART, Leg, Link, chain

Vector = list[Any]
Matrix = list[list[Any]]
X, Y, Z = range(3)


def product(A: Matrix, B: Matrix) -> Matrix:
    columns = list(zip(*B))
    return [[dot(row, column) for column in columns] for row in A]


def dot(a: Any, b: Any) -> Any:
    total = a[0] * b[0]
    for x, y in zip(a[1:], b[1:]):
        total = total + x * y
    return total


def apply(A: Matrix, x: Vector) -> Vector:
    return [dot(row, x) for row in A]


def transpose(A: Matrix) -> Matrix:
    return [list(column) for column in zip(*A)]


def add(a: Vector, *others: Vector) -> Vector:
    for b in others:
        a = [x + y for x, y in zip(a, b)]
    return a


def sub(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b)]


def scale(s: Any, a: Vector) -> Vector:
    return [s * x for x in a]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def plus(A: Matrix, B: Matrix) -> Matrix:
    return [add(a, b) for a, b in zip(A, B)]


def column(A: Matrix, j: int) -> Vector:
    return [row[j] for row in A]


def factorise(A: Matrix) -> Matrix:
    """L and U in one, the pivots inverted; no pivoting, so that the count cannot depend on the numbers."""
    rows = [list(row) for row in A]
    for k, pivot in enumerate(rows):
        pivot[k] = 1.0 / pivot[k]
        for row in rows[k + 1 :]:
            row[k] = row[k] * pivot[k]
            row[k + 1 :] = [x - row[k] * y for x, y in zip(row[k + 1 :], pivot[k + 1 :])]
    return rows


def solve(LU: Matrix, b: Vector) -> Vector:
    x = list(b)
    for i, row in enumerate(LU):
        for k in range(i):
            x[i] = x[i] - row[k] * x[k]
    for i in reversed(range(len(x))):
        for k in range(i + 1, len(x)):
            x[i] = x[i] - LU[i][k] * x[k]
        x[i] = x[i] * LU[i][i]
    return x


def turn(axis: int, s: Any, c: Any) -> Matrix:
    """Rotation about a coordinate axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R: Matrix = [[0.0] * 3 for _ in range(3)]
    R[axis][axis] = 1.0
    R[i][i] = R[j][j] = c
    R[i][j], R[j][i] = -s, s
    return R


def universal(n: Vector) -> list[tuple[Any, Any]]:
    """(sine, cosine) of the turns about y and z that point x along n."""
    c_z = counting_math.sqrt(n[0] * n[0] + n[2] * n[2])
    return [(-n[2] / c_z, n[0] / c_z), (n[1], c_z)]


class GenericLeg:
    """A leg whose constants are data of a tally."""

    def __init__(self, leg: Leg, tally: Tally) -> None:
        self.leg, self.tally = leg, tally
        lift = self.lift
        self.R_0, self.l_0, self.l_C = lift(leg.R_0), lift(leg.l_0), lift(leg.l_C)
        self.R_k, self.e_2 = lift(leg.R_k), lift(leg.R_CJ[:, 2])
        self.a, self.b, self.l12, self.l23 = lift([leg.a, leg.b, leg.l12, leg.l23])
        self.elbow, self.spin = lift([leg.sigma_e, leg.sigma])
        self.rotor = lift(leg.rotor_inertias())
        self.links = [(j, self._link(joint.link)) for j, joint in enumerate(chain(leg)) if joint.link is not None]

    def lift(self, values: Any) -> Any:
        """An array as nested lists of data."""
        return self.tally.cells(values).tolist()

    def keep(self, A: Matrix) -> Matrix:
        """A matrix as it lies in memory: its zeros and ones are data, unless the tally drops them."""
        if self.tally.drop:
            return A
        return [[x if isinstance(x, Counted) else self.tally.number(x) for x in row] for row in A]

    def turn(self, axis: int, angle: tuple[Any, Any]) -> Matrix:
        return self.keep(turn(axis, *angle))

    def _link(self, link: Link) -> tuple[Any, Vector, Matrix]:
        (mass,) = self.lift([link.mass])
        return mass, self.lift(link.com), self.lift(link.inertia)

    # closure in position

    def close(self, d: Vector, R_C: Matrix) -> tuple[list[tuple[Any, Any]], Any]:
        """(sine, cosine) of the turns in order, and the stroke."""
        d_0 = apply(transpose(self.R_0), d)
        stroke, R = None, self.R_0
        if self.leg.type in STEWART:
            length = counting_math.sqrt(dot(d, d))
            stroke = length - (self.a + self.b)
            turns = universal([x / length for x in d_0])
        else:
            crank = self._crank(d_0)
            R_y = self.turn(Y, crank)
            rod = sub(apply(transpose(R_y), d_0), [self.l12, 0.0, 0.0])
            turns = [crank, *universal([x / self.l23 for x in apply(transpose(self.R_k), rod)])]
            R = product(product(R, R_y), self.R_k)
        if self.leg.n == 4:
            R = product(product(R, self.turn(Y, turns[-2])), self.turn(Z, turns[-1]))
            _, b, c = apply(transpose(R), apply(R_C, self.e_2))
            size = counting_math.sqrt(b * b + c * c)
            turns.append((-self.spin * b / size, self.spin * c / size))
        return turns, stroke

    def _crank(self, d: Vector) -> tuple[Any, Any]:
        rho2 = d[0] * d[0] + d[2] * d[2]
        rho = counting_math.sqrt(rho2)
        c_b = (self.l12 * self.l12 + rho2 - self.l23 * self.l23 + d[1] * d[1]) / (2.0 * self.l12 * rho)
        s_b = self.elbow * counting_math.sqrt(1.0 - c_b * c_b)
        c_g, s_g = d[0] / rho, -d[2] / rho
        return s_g * c_b + c_g * s_b, c_g * c_b - s_g * s_b

    # closure in velocity and acceleration

    def places(self, turns: list[tuple[Any, Any]], stroke: Any) -> tuple[list[Any], ...]:
        """Axes and origins of the bodies, joint axes and offsets, base to ring."""
        R, r = self.R_0, self.l_0
        frames, origins, axes, offsets = [], [], [], []
        left = iter(turns)
        for j, joint in enumerate(chain(self.leg)):
            offset: Vector = [0.0] * 3
            if joint.prismatic:
                axis = column(R, X)
                offset = scale(self.a + stroke, axis)
            else:
                if self.leg.type not in STEWART and j == 1:
                    offset = scale(self.l12, column(R, X))
                    R = product(R, self.R_k)
                axis = column(R, joint.axis)
                R = product(R, self.turn(joint.axis, next(left)))
            r = add(r, offset)
            for store, value in zip((frames, origins, axes, offsets), (R, r, axis, offset)):
                store.append(value)
        return frames, origins, axes, offsets

    def partial_velocities(self, axes: list[Vector], offsets: list[Vector]) -> list[tuple[Matrix, Matrix]]:
        """(J_R, J_T) of each body, as lists of columns."""
        n = self.leg.n
        J_R: Matrix = [[0.0] * 3 for _ in range(n)]
        J_T: Matrix = [[0.0] * 3 for _ in range(n)]
        found = []
        for j, joint in enumerate(chain(self.leg)):
            J_T = [add(J_T[i], cross(J_R[i], offsets[j])) for i in range(j)] + J_T[j:]
            J_R = list(J_R)
            (J_T if joint.prismatic else J_R)[j] = axes[j]
            found.append((J_R, J_T))
        return found

    def velocities(self, axes: list[Vector], offsets: list[Vector], rates: Vector) -> list[tuple[Vector, ...]]:
        """(omega, v, eps, w) of each body."""
        omega: Vector = [0.0] * 3
        v, eps, w = omega, omega, omega
        found = []
        for j, joint in enumerate(chain(self.leg)):
            d, rate = offsets[j], scale(rates[j], axes[j])
            swept = cross(omega, d)
            w = add(w, cross(eps, d), cross(omega, swept))
            v = add(v, swept)
            if joint.prismatic:
                w = add(w, scale(2.0, cross(omega, rate)))
                v = add(v, rate)
            else:
                eps = add(eps, cross(omega, rate))
                omega = add(omega, rate)
            found.append((omega, v, eps, w))
        return found

    def share(self, R_C: Matrix, r_C: Vector, u: Vector, omega0: Vector, Q: Vector) -> tuple[Any, ...]:
        """What the leg adds to A*, b*, G*, n0*, I*."""
        n = self.leg.n
        d_C = apply(R_C, self.l_C)
        turns, stroke = self.close(sub(add(r_C, d_C), self.l_0), R_C)
        frames, origins, axes, offsets = self.places(turns, stroke)
        J = self.partial_velocities(axes, offsets)

        # closure matrices
        J_R, J_T = J[-1]
        d_L = scale(self.b if self.leg.type in STEWART else self.l23, column(frames[-1], X))
        C_d = transpose([add(J_T[i], cross(J_R[i], d_L)) for i in range(n)])
        x, y, z = d_C
        C_i = [[0.0, z, -y, 1.0, 0.0, 0.0], [-z, 0.0, x, 0.0, 1.0, 0.0], [y, -x, 0.0, 0.0, 0.0, 1.0]]
        e_1, e_2 = column(frames[-1], Y), apply(R_C, self.e_2)
        if n == 4:
            n_R = cross(e_1, e_2)
            C_d.append([dot(n_R, J_R[i]) for i in range(n)])
            C_i.append([*n_R, 0.0, 0.0, 0.0])
        # the turn about the link, which does not move the ring joint, is eliminated last
        order = sorted(range(n), key=lambda j: chain(self.leg)[j].letter == "x")
        places = [order.index(j) for j in range(n)]
        LU = factorise([[row[j] for j in order] for row in C_d])
        solved = [solve(LU, row) for row in transpose(self.keep(C_i))]
        H = transpose([[x[i] for i in places] for x in solved])

        # rates, then velocity-dependent accelerations
        motion = self.velocities(axes, offsets, apply(H, u))
        omega, _, eps, w = motion[-1]
        omega_C = u[:3]
        tip = add(w, cross(eps, d_L), cross(omega, cross(omega, d_L)))
        c = sub(cross(omega_C, cross(omega_C, d_C)), tip)
        if n == 4:
            n_dot = add(cross(cross(omega, e_1), e_2), cross(e_1, cross(omega_C, e_2)))
            c.append(-dot(n_R, eps) - dot(n_dot, sub(omega, omega_C)))
        solved_c = solve(LU, c)
        h = [solved_c[i] for i in places]

        A, G, bias, n0, inertia = self.branch(frames, origins, J, motion, omega0)
        Ht = transpose(H)
        A_star = product(Ht, product(A, H))
        b_star = apply(Ht, sub(sub(Q, bias), apply(A, h)))
        return A_star, b_star, product(G, H), add(n0, apply(G, h)), inertia

    # branch dynamics

    def branch(self, frames: Any, origins: Any, J: Any, motion: Any, omega0: Vector) -> tuple[Any, ...]:
        """A, G, n, n0 and the sum of Phi' M Phi."""
        sums: list[Any] = []
        for j, (mass, com, inertia) in self.links:
            R, r = frames[j], origins[j]
            c = apply(R, com)
            I_j = product(product(R, inertia), transpose(R))
            M = self.keep(spatial(mass, c, I_j))
            F = self.bias(mass, c, I_j, M, r, motion[j], omega0)
            J_j = self.keep(transpose([[*turning, *travel] for turning, travel in zip(*J[j])]))
            Phi = self.keep(shift(r))
            Jt, Phit, MJ = transpose(J_j), transpose(Phi), product(M, J_j)
            terms = [product(Jt, MJ), product(Phit, MJ), apply(Jt, F), apply(Phit, F), product(Phit, product(M, Phi))]
            sums = terms if not sums else [a_plus_b(a, b) for a, b in zip(sums, terms)]
        for i in range(self.leg.n):
            sums[0][i][i] = sums[0][i][i] + self.rotor[i]
        return tuple(sums)

    def bias(self, mass: Any, c: Vector, I_j: Matrix, M: Matrix, r: Vector, motion: Any, omega0: Vector) -> Vector:
        """F: wrench that the velocities alone demand of a link."""
        omega, v, eps, w = motion
        turning = add(eps, cross(omega0, omega))
        travel = add(w, cross(omega0, cross(omega0, r)), scale(2.0, cross(omega0, v)))
        Omega = add(omega0, omega)
        moment = cross(Omega, apply(I_j, Omega))
        force = scale(mass, cross(Omega, cross(Omega, c)))
        return add(apply(M, [*turning, *travel]), [*moment, *force])


def a_plus_b(a: Any, b: Any) -> Any:
    return plus(a, b) if isinstance(a[0], list) else add(a, b)


def spatial(mass: Any, c: Vector, I_j: Matrix) -> Matrix:
    """M = [[I, m c~], [-m c~, m 1]]."""
    x, y, z = scale(mass, c)
    skew = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    upper = [[*I_j[i], *skew[i]] for i in range(3)]
    lower = [[*(-value for value in skew[i]), *(mass if i == k else 0.0 for k in range(3))] for i in range(3)]
    return upper + lower


def shift(r: Vector) -> Matrix:
    """Phi(r) = [[1, 0], [-r~, 1]]."""
    x, y, z = r
    upper = [[1.0 if i == k else 0.0 for k in range(6)] for i in range(3)]
    skew = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return upper + [[*skew[i], *(1.0 if i == k else 0.0 for k in range(3))] for i in range(3)]
