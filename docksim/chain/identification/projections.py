"""The energy of a chain on a basis of functions of its coordinates, exactly: what the links' parameters do to it.

Kinetic and potential energy are linear in the 10 parameters of each link. The influence of each parameter is a sum of
products of the joints' functions 1, cos, sin, cos^2, sin cos (turning) or 1, q, q^2 (sliding), times products of
rates; one row of Z for each product, one column for each parameter, as in the method of projections. Nothing is
sampled: a joint's motion is X = X_1 + X_c cos q + X_s sin q with constant 4 x 4 matrices, and

    kinetic     W = (dT/dq_j)' (dT/dq_i)  grows link by link as X' W X, and enters by trace(W H_k)
    potential   v = g' T                  grows as v X, and enters by v H_k e_4

Only the span of the rows matters, and both steps are linear in W: so rows of all j, i and all products go through one
sweep over the joints, as rows [columns of links done | W of links still needed]. A step makes five rows of one: only
the one times 1 keeps its columns, since links done know nothing of the joint; the others begin with W alone, and as W
is symmetric there at most 10 of them are independent. After each step the rows are turned (by an orthogonal matrix)
until all but 10 of them carry no W: those are done. So the cost is a polynomial of the number of joints, not five to
its power, and branches need nothing else than several W.

W is taken in the frame of the joint j of the first derivative, where the base side drops out: rotations do not change
it. The constant of the potential energy, the product of all ones, moves nothing and is left out.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.masses import cross_matrix
from docksim.algebra.rotations import pose
from docksim.chain.model import ChainModel

PARAMETERS = ("xx", "yy", "zz", "xy", "xz", "yz", "Sx", "Sy", "Sz", "m")
ZERO = 1e-12  # of the largest, or of 1: lengths are in units of the chain's own, rows are scaled to ones
# takes a 4 x 4 matrix as a row to its symmetric part, all that a trace with H sees
SYMMETRIC = 0.5 * (np.eye(16) + np.eye(16)[[4 * (i % 4) + i // 4 for i in range(16)]])


def energy_rows(chain: ChainModel, length: float) -> np.ndarray:
    """Rows of unit length with the span of Z, (rows, 10 n), for lengths in units of `length`.

    Columns link by link in the order of PARAMETERS.
    Parameters are the entries of the 4 x 4 pseudo-inertia H in the chain's parameter frames: xx is the integral of
    x^2 dm, xy that of x y dm, S the first moment.
    """
    joints = [JointMatrices(chain, k, length) for k in range(chain.n)]
    rows = [_kinetic(chain, joints)]
    size = float(np.linalg.norm(chain.gravity))
    if size > 0.0:
        rows.append(_potential(chain, joints, chain.gravity / size))
    Z = np.concatenate(rows)
    sizes = np.linalg.norm(Z, axis=1)
    return Z[sizes > ZERO] / sizes[sizes > ZERO, None]


class JointMatrices:
    """Constant matrices of one joint: parts of its motion, its derivative, and the frame of its link's parameters."""

    def __init__(self, chain: ChainModel, k: int, length: float) -> None:
        # where the base is makes no difference
        fixed = pose(chain.R_fix[k], chain.p_fix[k] / length if chain.parent[k] >= 0 else np.zeros(3))
        R, p = (part[k] for part in chain.parameter_frame())
        self.end = pose(R, p / length)
        axis = chain.axis[k]
        self.rate = np.zeros((4, 4))
        if chain.prismatic[k]:
            self.rate[:3, 3] = axis
            self.parts = [fixed, fixed @ self.rate]
        else:
            self.rate[:3, :3] = cross_matrix(axis)
            along = np.zeros((4, 4))
            along[:3, :3] = np.outer(axis, axis)
            along[3, 3] = 1.0
            self.parts = [fixed @ along, fixed @ (np.eye(4) - along), fixed @ self.rate]

    def squares(self) -> list[np.ndarray]:
        """(16, 16) matrices that take W as a row to the parts of X' W X."""
        if len(self.parts) == 2:
            one, q = self.parts
            return [_both(one, one), _both(one, q) + _both(q, one), _both(q, q)]
        one, c, s = self.parts
        return [
            _both(one, one) + _both(s, s),
            _both(one, c) + _both(c, one),
            _both(one, s) + _both(s, one),
            _both(c, c) - _both(s, s),
            _both(c, s) + _both(s, c),
        ]

    def kinetic_columns(self) -> np.ndarray:
        """(16, 10): what W as a row gives for each parameter."""
        entries = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3), (3, 3)]
        pick = np.zeros((16, 10))
        for column, (i, j) in enumerate(entries):
            pick[4 * i + j, column] = 1.0
            pick[4 * j + i, column] = 1.0
        return _both(self.end, self.end) @ pick

    def potential_columns(self) -> np.ndarray:
        """(4, 10): what v gives for each parameter."""
        columns = np.zeros((4, 10))
        columns[:, 6:] = self.end
        return columns


def _both(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The matrix that takes W, row by row, to left' W right."""
    return np.kron(left, right)


# ---------------------------------------------------------------- the sweep


def _kinetic(chain: ChainModel, joints: list[JointMatrices]) -> np.ndarray:
    done = []
    active = _Rows(chain.n, 16)
    single = _Rows(chain.n, 16)  # only the first of the two derivatives is taken
    for k, joint in enumerate(joints):
        p = int(chain.parent[k])
        squares = joint.squares()
        # rows that begin here: both derivatives by this joint, or the second of them, or a new product
        once = [joint.rate.T.reshape(1, 16)]
        twice = [(joint.rate.T @ joint.rate).reshape(1, 16)]
        if p >= 0:
            twice += [single.carry[p] @ part @ _both(np.eye(4), joint.rate) for part in squares]
            twice += active.step(p, k, squares)
            once += single.step(p, k, squares)
        active.join(k, np.concatenate(twice) @ SYMMETRIC)
        single.join(k, np.concatenate(once))
        active.enter(k, joint.kinetic_columns())
        _close(chain, k, active, single)
        done.append(active.settle())
        single.settle()
    return np.concatenate(done)


def _potential(chain: ChainModel, joints: list[JointMatrices], down: np.ndarray) -> np.ndarray:
    done = []
    constant = {-1: np.append(down, 0.0)[None]}
    active = _Rows(chain.n, 4)
    for k, joint in enumerate(joints):
        p = int(chain.parent[k])
        fresh = [constant[p] @ part for part in joint.parts[1:]]
        if p >= 0:
            fresh += active.step(p, k, joint.parts)
        active.join(k, np.concatenate(fresh))
        constant[k] = constant[p] @ joint.parts[0]
        active.enter(k, joint.potential_columns())
        _close(chain, k, active)
        done.append(active.settle())
    return np.concatenate(done)


def _close(chain: ChainModel, k: int, *rows: _Rows) -> None:
    """Forget what no later joint hangs on."""
    for u in range(k + 1):
        if not np.any(chain.parent[k + 1 :] == u):
            for one in rows:
                one.forget(u)


class _Rows:
    """Rows of Z in the making: columns of the links done, and what each link still carries on."""

    def __init__(self, n: int, width: int) -> None:
        self.width = width
        self.columns = np.zeros((0, 10 * n))
        self.carry: dict[int, np.ndarray] = {}

    def step(self, u: int, k: int, parts: list[np.ndarray]) -> list[np.ndarray]:
        """Through joint k on link u: the part times one keeps the row; returns what the others begin."""
        before = self.carry[u]
        self.carry[k] = before @ parts[0]
        return [before @ part for part in parts[1:]]

    def join(self, k: int, rows: np.ndarray) -> None:
        """New rows, which only link k carries: as many as are independent."""
        rows = independent(rows)
        old, new = len(self.columns), len(rows)
        self.columns = np.concatenate([self.columns, np.zeros((new, self.columns.shape[1]))])
        self.carry.setdefault(k, np.zeros((old, self.width)))
        for u, held in self.carry.items():
            self.carry[u] = np.concatenate([held, rows if u == k else np.zeros((new, self.width))])

    def enter(self, k: int, to_columns: np.ndarray) -> None:
        """The columns of link k."""
        self.columns[:, 10 * k : 10 * k + 10] = self.carry[k] @ to_columns

    def forget(self, u: int) -> None:
        self.carry.pop(u, None)

    def settle(self) -> np.ndarray:
        """Take out, and return, the columns of all combinations of rows that carry nothing on."""
        carry = np.concatenate([np.zeros((len(self.columns), 0)), *self.carry.values()], axis=1)
        turn, sizes, _ = np.linalg.svd(carry)
        rank = int(np.sum(sizes > ZERO * sizes.max(initial=1.0)))
        columns = turn.T @ self.columns
        # what goes on is scaled to ones, so that it neither grows nor fades along the chain
        scaled = turn.T[:rank] / sizes[:rank, None]
        self.columns = scaled @ self.columns
        self.carry = {u: scaled @ held for u, held in self.carry.items()}
        return columns[rank:]


def independent(rows: np.ndarray) -> np.ndarray:
    """Orthonormal rows of the same span."""
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    return directions[sizes > ZERO * sizes.max(initial=1.0)]
