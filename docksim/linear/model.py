"""A linear model about an operating point: dx/dt = A x + B u, y = C x + D u, x the deviation from the point.

SI and radians; the unit is the end of every name (`shoulder.angle_rad`, `shoulder.torque_Nm`). Where the model comes
from second-order equations  M z'' + Dz z' + Kz z = F u  these matrices are kept too; `second_order` builds the state
space from them, with x = [z; z'].

Modes are the eigenvalues of A, a conjugate pair counted once. A frequency that cannot be told from zero in double
precision (a double zero is found only to the root of the rounding error) is called a free motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from docksim.result.arrays import write_mat, write_npz

_ZERO = 20.0 * float(np.sqrt(np.finfo(float).eps))  # of the largest eigenvalue: what counts as a free motion

_UNDAMPED = 1e-12  # a damping ratio that is rounding


@dataclass(frozen=True)
class Skeleton:
    """What a mode-shape figure draws: points, the lines between them, and how each point follows the coordinates."""

    points: np.ndarray  # (P, 3) at the operating point [m]
    lines: tuple[tuple[int, int], ...]  # pairs of points that a line joins
    jacobian: np.ndarray  # (P, 3, N) displacement of each point by each coordinate z
    labels: Mapping[int, str] = field(default_factory=dict)  # words beside some of the points


@dataclass(frozen=True)
class Mode:
    """One eigenvalue, or one conjugate pair (the member with the positive imaginary part)."""

    eigenvalue: complex  # [1/s]
    shape: np.ndarray  # (N,) complex, of the coordinates z, largest entry 1
    vector: np.ndarray  # (n,) complex eigenvector of A, scaled alike
    free: bool  # cannot be told from zero

    @property
    def frequency_Hz(self) -> float:
        """Of the damped oscillation; zero for a mode that only decays or grows."""
        return abs(self.eigenvalue.imag) / (2 * np.pi)

    @property
    def natural_Hz(self) -> float:
        return abs(self.eigenvalue) / (2 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """-Re / |.|: 1 a pure decay, 0 an undamped oscillation, negative unstable; nan for a free motion."""
        ratio = float("nan") if self.free else -self.eigenvalue.real / abs(self.eigenvalue)
        return 0.0 if abs(ratio) < _UNDAMPED else ratio

    @property
    def kind(self) -> str:
        if self.free:
            return "free"
        turns = abs(self.eigenvalue.imag) > _ZERO * abs(self.eigenvalue)
        if self.eigenvalue.real > _ZERO * abs(self.eigenvalue):
            return "growing oscillation" if turns else "divergence"
        return "oscillation" if turns else "decay"


@dataclass(frozen=True)
class LinearModel:
    """A state space with names, its second-order form where there is one, and the operating point."""

    name: str
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    coordinates: tuple[str, ...] = ()  # names of z: the first states, if there is a second-order form
    M: np.ndarray | None = None  # mass matrix
    damping: np.ndarray | None = None  # factor of z'
    K: np.ndarray | None = None  # factor of z
    F: np.ndarray | None = None  # factor of u
    operating_point: Mapping[str, float] = field(default_factory=dict)  # names with units, SI and radians
    time_s: float | None = None  # when, along a program or a run
    notes: tuple[str, ...] = ()  # what a reader must know: what was left out, what was held fixed
    skeleton: Skeleton | None = None

    def __post_init__(self) -> None:
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        wanted = {"A": (n, n), "B": (n, m), "C": (p, n), "D": (p, m)}
        for key, shape in wanted.items():
            if getattr(self, key).shape != shape:
                raise ValueError(f"{key} has shape {getattr(self, key).shape}, expected {shape}")

    def modes(self) -> list[Mode]:
        """Free motions first, then by natural frequency, growing before decaying at equal frequency."""
        if not self.states:
            return []
        values, vectors = np.linalg.eig(without_noise(self.A))
        largest = float(np.abs(values).max(initial=0.0))
        count = len(self.coordinates) or len(self.states)
        modes = []
        for value, vector in zip(values, vectors.T, strict=True):
            free = abs(value) <= _ZERO * largest or largest == 0.0
            if value.imag < 0.0 and not free:
                continue
            shape = vector[:count] if np.abs(vector[:count]).max() > 0.0 else vector[-count:]
            scale = shape[np.argmax(np.abs(shape))]
            modes.append(Mode(complex(value), shape / scale, vector / scale, bool(free)))
        return sorted(modes, key=lambda mode: (not mode.free, abs(mode.eigenvalue), -mode.eigenvalue.real))

    def arrays(self) -> dict[str, Any]:
        """Everything as arrays of numbers and of text, the content of an exported file."""
        content: dict[str, Any] = {"A": self.A, "B": self.B, "C": self.C, "D": self.D}
        second = {"M": self.M, "Dz": self.damping, "Kz": self.K, "F": self.F}
        content.update({key: value for key, value in second.items() if value is not None})
        modes = self.modes()
        content["eigenvalues"] = np.array([mode.eigenvalue for mode in modes], dtype=complex)
        content["frequency_Hz"] = np.array([mode.frequency_Hz for mode in modes])
        content["damping_ratio"] = np.array([mode.damping_ratio for mode in modes])
        content["operating_point"] = np.array(list(self.operating_point.values()), dtype=float)
        if self.time_s is not None:
            content["time_s"] = np.array([self.time_s])
        return content | self.names()

    def names(self) -> dict[str, Any]:
        """Of states, inputs, outputs, coordinates and the operating point, and of the model itself."""
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs, "coordinates": self.coordinates}
        names["operating_point_names"] = tuple(self.operating_point)
        return {key: np.array(words, dtype=str) for key, words in names.items()} | {"name": self.name}

    def to_npz(self, file: str | Path) -> Path:
        """numpy archive; without pickled objects, so it loads with allow_pickle=False."""
        return write_npz(Path(file), self.arrays())

    def to_mat(self, file: str | Path) -> Path:
        """MATLAB 5 file: sys = ss(A, B, C, D) after load."""
        return write_mat(Path(file), self.arrays())

    def to_control(self) -> Any:
        """The model as a python-control StateSpace with its names; needs the package control."""
        control = import_module("control")
        words = [[name.replace(".", "_") for name in names] for names in (self.states, self.inputs, self.outputs)]
        return control.ss(self.A, self.B, self.C, self.D, states=words[0], inputs=words[1], outputs=words[2])


def without_noise(A: np.ndarray) -> np.ndarray:
    """A with entries that are rounding of others set to zero: in a decoupled block they would spoil eigenvectors."""
    size = np.abs(A)
    least = 8.0 * float(np.finfo(float).eps) * np.minimum(size.max(axis=1)[:, None], size.max(axis=0)[None, :])
    return np.where(size > least, A, 0.0)


def second_order(
    name: str,
    coordinates: Sequence[str],
    rates: Sequence[str],
    inputs: Sequence[str],
    M: np.ndarray,
    damping: np.ndarray,
    K: np.ndarray,
    F: np.ndarray,
    **more: Any,
) -> LinearModel:
    """The state space of M z'' + damping z' + K z = F u, with x = [z; z'] and all states as outputs."""
    n = len(coordinates)
    zero, one = np.zeros((n, n)), np.eye(n)
    lower = np.linalg.solve(M, np.hstack([-K, -damping, F])) if n else np.zeros((0, 2 * n + len(inputs)))
    A = np.block([[zero, one], [lower[:, : 2 * n]]])
    B = np.vstack([np.zeros((n, len(inputs))), lower[:, 2 * n :]])
    states = (*coordinates, *rates)
    C, D = np.eye(2 * n), np.zeros((2 * n, len(inputs)))
    return LinearModel(name, states, tuple(inputs), states, A, B, C, D, tuple(coordinates), M, damping, K, F, **more)


def series_arrays(models: Sequence[LinearModel]) -> dict[str, Any]:
    """Many linear models along a motion as arrays with time as the first axis.

    A, B, C, D and the second-order matrices (T, ., .), times, operating points (T, .) and the names.
    """
    first = models[0]
    content: dict[str, Any] = {"time_s": np.array([model.time_s for model in models], float)}
    for key in ("A", "B", "C", "D", "M", "Dz", "Kz", "F"):
        name = {"Dz": "damping", "Kz": "K"}.get(key, key)
        if getattr(first, name) is not None:
            content[key] = np.stack([getattr(model, name) for model in models])
    content["eigenvalues"] = np.stack([np.linalg.eigvals(model.A) for model in models])
    content["operating_point"] = np.array([list(model.operating_point.values()) for model in models])
    return content | first.names()
