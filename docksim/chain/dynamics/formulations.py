"""A(q), b(q, q'), inverse and forward dynamics of a chain, by any of four formulations:

    A(q) q'' + b(q, q') = Q

Q are the drives' forces. Wrenches from outside, (n, 6) [force; moment] at the links' origins on their own axes, go into
b. A and b hold for the links; with `joints` (the default) also for what the joints themselves add: rotors on the
diagonal of A, springs, dampers and friction in b. N. A. Yaskevich writes b on the right side.
The four agree to rounding; `crba` is the fastest for A, and RNEA for forces, at all sizes: see docs/chains.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from docksim.chain.dynamics import composite, frames, kane, recurrent, twists
from docksim.chain.model import ChainModel
from docksim.chain.work import make_work
from docksim.numbers.counting import plain

METHODS = ("kane", "recurrent", "crba", "twists")
Vector = np.ndarray | Sequence[float]


class Singular(ValueError):
    """A is not positive definite: some joint moves nothing that has inertia; `link` is the one that it belongs to."""

    def __init__(self, text: str, link: str) -> None:
        super().__init__(text)
        self.link = link


class Dynamics:
    """The dynamics of one chain; keeps scratch, so that calls allocate little. Not for several threads at once.

    With `compiled=False` the same code runs as plain Python: slow, but without seconds of compilation before the first
    answer; for a single look at a small chain.
    """

    def __init__(self, chain: ChainModel, method: str = "crba", joints: bool = True, compiled: bool = True) -> None:
        if method not in METHODS:
            raise ValueError(f"no formulation {method!r}; choose one of {', '.join(METHODS)}")
        self.chain, self.method, self.joints, self.compiled = chain, method, joints, compiled
        self.work = make_work(chain.n)

    @cached_property
    def _code(self) -> dict[str, Callable[..., Any]]:
        """The functions of the formulation, compiled or plain."""
        functions = {
            "motions": frames.joint_motions,
            "frames": twists.link_axes if self.method == "twists" else frames.base_axes,
            "forces": frames.forces,
            "matrix": {
                "kane": kane.kane_trimmed,
                "recurrent": recurrent.recurrent_matrix,
                "crba": composite.crba_matrix,
                "twists": twists.twist_matrix,
            }[self.method],
            "bias": {
                "kane": kane.kane_bias,
                "recurrent": recurrent.recurrent_bias,
                "crba": composite.rnea_forces,
                "twists": twists.twist_bias,
            }[self.method],
        }
        return functions if self.compiled else {name: plain(function) for name, function in functions.items()}

    def mass_matrix(self, q: Vector) -> np.ndarray:
        """A(q), (n, n)."""
        self._place(q)
        return self._matrix()

    def bias(self, q: Vector, rates: Vector, wrenches: np.ndarray | None = None) -> np.ndarray:
        """b(q, q'), (n,)."""
        self._place(q)
        return self._bias(self._vector(q, "q"), self._vector(rates, "rates"), wrenches)

    def matrix_and_bias(
        self, q: Vector, rates: Vector, wrenches: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """A and b of one state."""
        self._place(q)
        return self._matrix(), self._bias(self._vector(q, "q"), self._vector(rates, "rates"), wrenches)

    def inverse(self, q: Vector, rates: Vector, accelerations: Vector) -> np.ndarray:
        """The forces Q that make these accelerations."""
        acceleration = self._vector(accelerations, "accelerations")
        if self.method != "crba":
            return self.mass_matrix(q) @ acceleration + self.bias(q, rates)
        self._place(q)
        rate = self._vector(rates, "rates")
        Q = self._recursion(rate, acceleration)
        if self.joints:
            Q += self.chain.rotor * acceleration - self.chain.joint_forces(self._vector(q, "q"), rate)
        return Q

    def forward(self, q: Vector, rates: Vector, forces: Vector) -> np.ndarray:
        """The accelerations that these forces Q make. Raises Singular where A has no inverse."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        A = self.mass_matrix(q)
        try:
            factor = cho_factor(A)
        except LinAlgError:
            raise self._culprit(A) from None
        if not np.all(np.abs(np.diag(factor[0])) > 1e-9 * np.sqrt(np.abs(np.diag(A)).max())):
            raise self._culprit(A)
        return cho_solve(factor, self._vector(forces, "forces") - self.bias(q, rates))

    # ------------------------------------------------------------ inside

    def _place(self, q: Vector) -> None:
        self._code["motions"](self.chain.tables, self._vector(q, "q"), self.work)
        self._code["frames"](self.chain.tables, self.work)

    def _matrix(self) -> np.ndarray:
        A = np.empty((self.chain.n, self.chain.n))
        self._code["matrix"](self.chain.tables, self.work, A)
        if self.joints:
            A[np.diag_indices_from(A)] += self.chain.rotor
        return A

    def _bias(self, q: np.ndarray, rates: np.ndarray, wrenches: np.ndarray | None) -> np.ndarray:
        if self.method == "twists":
            b = np.empty(self.chain.n)
            self._code["bias"](self.chain.tables, rates, self.work, b)
            if wrenches is not None:
                b -= self._by_twists(wrenches)
        else:
            b = self._recursion(rates, np.zeros(self.chain.n), wrenches)
        return b - self.chain.joint_forces(q, rates) if self.joints else b

    def _by_twists(self, wrenches: np.ndarray) -> np.ndarray:
        """Sum over the links k that hang on joint i of l_k^i . F_k; T and S hold l_k^i for joints below link k."""
        inside = self.chain.inside.T[:, :, None]
        v, w = np.where(inside, self.work.T, 0.0), np.where(inside, self.work.S, 0.0)
        return np.einsum("kia,ka->i", v, wrenches[:, :3]) + np.einsum("kia,ka->i", w, wrenches[:, 3:])

    def _recursion(
        self, rates: np.ndarray, accelerations: np.ndarray, wrenches: np.ndarray | None = None
    ) -> np.ndarray:
        Q = np.empty(self.chain.n)
        self._code["forces"](self.chain.tables, rates, accelerations, self.work)
        if wrenches is not None:
            # what comes from outside need not come through the joint
            R = self.work.R.reshape(-1, 3, 3)
            self.work.force[:] -= np.einsum("kab,kb->ka", R, wrenches[:, :3])
            self.work.torque[:] -= np.einsum("kab,kb->ka", R, wrenches[:, 3:])
        self._code["bias"](self.chain.tables, self.work, Q)
        return Q

    def _vector(self, values: Vector, name: str) -> np.ndarray:
        array = np.ascontiguousarray(values, float)
        if array.shape != (self.chain.n,):
            raise ValueError(f"{name} has the shape {array.shape}; the chain has {self.chain.n} joints")
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds a number that is not finite")
        return array

    def _culprit(self, A: np.ndarray) -> Singular:
        """The joint that moves least, in words."""
        weakest = int(np.argmax(np.abs(np.linalg.eigh(A)[1][:, 0])))
        name = self.chain.names[weakest]
        text = f"A is singular: nothing with inertia moves with joint '{name}'; give its link a mass, or a rotor"
        return Singular(text, self.chain.owners[weakest])


def mass_matrix(chain: ChainModel, q: Vector, method: str = "crba", joints: bool = True) -> np.ndarray:
    """A(q), (n, n)."""
    return Dynamics(chain, method, joints).mass_matrix(q)


def bias(chain: ChainModel, q: Vector, rates: Vector, method: str = "crba", joints: bool = True) -> np.ndarray:
    """b(q, q'), (n,): all that is not A q'' or a drive's force."""
    return Dynamics(chain, method, joints).bias(q, rates)


def inverse(
    chain: ChainModel, q: Vector, rates: Vector, accelerations: Vector, method: str = "crba", joints: bool = True
) -> np.ndarray:
    """The forces that make these accelerations."""
    return Dynamics(chain, method, joints).inverse(q, rates, accelerations)


def forward(
    chain: ChainModel, q: Vector, rates: Vector, forces: Vector, method: str = "crba", joints: bool = True
) -> np.ndarray:
    """The accelerations that these forces make."""
    return Dynamics(chain, method, joints).forward(q, rates, forces)
