"""Exact derivatives of a chain's twists, inertias and mass matrix by its coordinates, of any order.

Model, assumptions and letters are those of A. T. Zaremba (1990): six-vectors are [v; w] there, force [force; moment].
Link k's frame is E_k; joint i moves link i by the screw f^i, constant in E_i. L_k^i takes wrenches from E_k to E_i,
its transpose takes twists from E_i to E_k:

    l_k^i = L_k^iT f^i   joint i's screw in the frame of a later link k >= i,   zero if i does not move k
    g_k^i = L_k^iT f^i   the same in the frame of an earlier link k <= i
    <a> = [[a2~, 0], [a1~, a2~]] for a = [a1; a2]

Theorem 1 (1.16): (l_k^i)^{t1...tp} = <l_k^tp>T ... <l_k^t1>T l_k^i, t1 <= ... <= tp, zero unless i < t1 and tp <= k.
Theorem 2 (1.22): (g_k^i)^{t1...tp} = (-1)^p <g_k^t1>T ... <g_k^tp>T g_k^i, zero unless k < t1 and tp <= i.
Theorem 3 (2.11): the inertia from link i on, Theta_i^{i*}, has the derivative <g_i^s> Theta_i^{s*} + its transpose by
q_s, s > i, and higher ones by the same rule applied from the largest index down (2.13).

The printed conditions k <= t1 of Theorem 2 and Theta_i^{i*} on the right of (2.11) do not hold; the ones above do.
On a branching chain "between i and k" means on the path, which is how it is written here; a derivative by joints that
do not lie on one path is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from docksim.algebra.masses import cross_matrix

NO_PARENT = -1


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of vectors (..., 3); numpy's own is slow on small arrays."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.result_type(a, b))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def turns(axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """(n, 3, 3) rotations about one axis, or about one each."""
    across = cross_matrix(axis)
    turn = angles[:, None, None]
    return np.eye(3) + np.sin(turn) * across + (1.0 - np.cos(turn)) * (across @ across)


def bracket(a: np.ndarray) -> np.ndarray:
    """<a> (1.6) of six-vectors (..., 6)."""
    out = np.zeros((*a.shape, 6), a.dtype)
    turn = cross_matrix(a[..., 3:])
    out[..., :3, :3] = turn
    out[..., 3:, 3:] = turn
    out[..., 3:, :3] = cross_matrix(a[..., :3])
    return out


def wrench_transform(C: np.ndarray, O: np.ndarray) -> np.ndarray:
    """L = [[C, 0], [O~ C, C]] from rotations (..., 3, 3) and origins (..., 3)."""
    out = np.zeros((*O.shape[:-1], 6, 6), np.result_type(C, O))
    out[..., :3, :3] = C
    out[..., 3:, 3:] = C
    out[..., 3:, :3] = cross_matrix(O) @ C
    return out


def mises_matrix(mass: np.ndarray, com: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Theta (2.1) of links (...): mass, mass centre, and inertia matrix about the frame's origin."""
    out = np.zeros((*mass.shape, 6, 6), np.result_type(mass, com, inertia))
    first = mass[..., None, None] * cross_matrix(com)
    out[..., :3, :3] = mass[..., None, None] * np.eye(3)
    out[..., 3:, :3] = first
    out[..., :3, 3:] = np.swapaxes(first, -1, -2)
    out[..., 3:, 3:] = inertia
    return out


class Screws:
    """All screws and inertias of a chain at one configuration.

    parent (N,) parents before children, -1 the base; C (N, 3, 3), O (N, 3) pose of each link in its parent's frame;
    f (N, 6) the joints' screws in their links' frames; Theta (N, 6, 6) the links' inertias in their own frames.
    """

    def __init__(self, parent: np.ndarray, C: np.ndarray, O: np.ndarray, f: np.ndarray, Theta: np.ndarray) -> None:
        self.n = len(parent)
        self.parent, self.f, self.Theta = parent, f, Theta
        self.step = wrench_transform(C, O)  # L of link k in its parent
        self.C, self.O = C, O

    @cached_property
    def moves(self) -> np.ndarray:
        """moves[k, i]: joint i moves link k."""
        out = np.zeros((self.n, self.n), bool)
        for k in range(self.n):
            if self.parent[k] != NO_PARENT:
                out[k] = out[self.parent[k]]
            out[k, k] = True
        return out

    @cached_property
    def L(self) -> np.ndarray:
        """L[i, k] = L_k^i for links k that joint i moves, zero elsewhere."""
        out = np.zeros((self.n, self.n, 6, 6), self.step.dtype)
        for k in range(self.n):
            if self.parent[k] != NO_PARENT:
                out[:, k] = out[:, self.parent[k]] @ self.step[k]
            out[k, k] = np.eye(6)
        return out

    @cached_property
    def twist(self) -> np.ndarray:
        """twist[k, i] = l_k^i."""
        return np.einsum("ikba,ib->kia", self.L, self.f)

    @cached_property
    def back(self) -> np.ndarray:
        """back[k, i] = g_k^i = L_k^iT f^i, the inverse of L_i^k T applied to f^i."""
        out = np.zeros((self.n, self.n, 6), self.step.dtype)
        for i in range(self.n):
            for k in np.flatnonzero(self.moves[i]):
                out[k, i] = np.linalg.solve(self.L[k, i].T, self.f[i])
        return out

    @cached_property
    def Theta_star(self) -> np.ndarray:
        """Theta_star[i, s] = Theta_i^{s*} (2.12): links from s on, in E_i, for s that i carries."""
        own = self.Theta.astype(self.step.dtype)
        for k in range(self.n - 1, -1, -1):
            p = self.parent[k]
            if p != NO_PARENT:
                own[p] = own[p] + self.step[k] @ own[k] @ self.step[k].T
        return np.einsum("isab,sbc,isdc->isad", self.L, own, self.L)

    # ------------------------------------------------------------ the three theorems

    def twist_derivative(self, k: int, i: int, ts: Sequence[int]) -> np.ndarray:
        """(l_k^i)^{ts}, Theorem 1; ts in any order."""
        out = self.twist[k, i]
        for t in sorted(ts):
            if not (self.moves[k, t] and self.moves[t, i] and t != i):
                return np.zeros_like(out)
            out = bracket(self.twist[k, t]).T @ out
        return out

    def back_twist_derivative(self, k: int, i: int, ts: Sequence[int]) -> np.ndarray:
        """(g_k^i)^{ts}, Theorem 2; ts in any order."""
        out = self.back[k, i]
        for t in sorted(ts, reverse=True):
            if not (self.moves[i, t] and self.moves[t, k] and t != k):
                return np.zeros_like(out)
            out = -bracket(self.back[k, t]).T @ out
        return out

    def inertia_derivative(self, i: int, ts: Sequence[int]) -> np.ndarray:
        """(Theta_i^{i*})^{ts}, Theorem 3 with (2.13); ts in any order."""
        order = sorted(ts, reverse=True)
        out = self.Theta_star[i, order[0] if order else i]
        last = order[0] if order else i
        for t in order:
            if not (self.moves[last, t] and self.moves[t, i] and t != i):
                return np.zeros_like(out)
            half = bracket(self.back[i, t]) @ out
            out, last = half + half.T, t
        return out

    # ------------------------------------------------------------ the mass matrix

    def mass_derivative(self, ts: Sequence[int] = ()) -> np.ndarray:
        """A(q) (2.9), or its derivative by the coordinates ts, of any order.

        a_ij = f^iT Theta_i^{i*} l_i^j for i >= j: later joints act on the inertia alone, those between j and i on the
        twist alone, so that the product rule leaves one term.
        """
        out = np.zeros((self.n, self.n), self.step.dtype)
        for i in range(self.n):
            later = [t for t in ts if t > i]
            between = sorted(t for t in ts if t <= i)
            if not all(self.moves[i, t] for t in between):
                continue
            force = self.inertia_derivative(i, later) @ self.f[i]
            for t in reversed(between):
                force = bracket(self.twist[i, t]) @ force
            first = between[0] if between else (i + 1)
            reached = self.moves[i] & (np.arange(self.n) < first)
            out[i, reached] = self.twist[i, reached] @ force
        return out + np.tril(out, -1).T

    def gradient(self) -> np.ndarray:
        """dA[s, i, j] = d a_ij / d q_s."""
        return np.stack([self.mass_derivative((s,)) for s in range(self.n)])


def christoffel(dA: np.ndarray) -> np.ndarray:
    """d[i, s, j] = (d_s a_ij + d_j a_is - d_i a_sj) / 2 from dA[s, i, j]; the bias is d[i, s, j] q_s' q_j'."""
    by_s = np.transpose(dA, (1, 0, 2))
    by_j = np.transpose(dA, (1, 2, 0))
    return 0.5 * (by_s + by_j - dA)
