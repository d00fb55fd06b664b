"""Loads in sections along a link of a chain or a beam of a run: over time, at their worst, and against what is allowed.

A section's axes are x along the link, outward, and y, z across it. Its loads are those of the outer piece on the inner
one, so that a pull is positive and a moment bends as EI times the curvature has it:

    axial    N along x          shear     Vy, Vz, and their size together
    torsion  T about x          bending   My, Mz, and their size together

margin = allowable / (factor of safety * load) - 1: negative is broken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

COMPONENTS = ("axial_N", "shear_y_N", "shear_z_N", "torsion_Nm", "bending_y_Nm", "bending_z_Nm")
# kinds of load that are judged, with the components that make them up
KINDS = {"axial": (0,), "shear": (1, 2), "torsion": (3,), "bending": (4, 5)}
UNITS = {"axial": "N", "shear": "N", "torsion": "Nm", "bending": "Nm"}


@dataclass(frozen=True, eq=False)
class Worst:
    """Where and when a kind of load is largest."""

    size: float
    row: int
    section: int


@dataclass(frozen=True, eq=False)
class LineLoads:
    """T instants of S sections along one link or beam; SI."""

    name: str
    time_s: np.ndarray  # (T,)
    distance_m: np.ndarray  # (S,) from the root; a place with a jump is there twice, its inner side first
    loads: np.ndarray  # (T, S, 6) as COMPONENTS
    position_m: np.ndarray  # (T, S, 3) in the world, as the next two
    velocity_m_s: np.ndarray
    acceleration_m_s2: np.ndarray
    named: Mapping[str, int] = field(default_factory=dict)  # sections with names of their own
    allowable: Mapping[str, float] = field(default_factory=dict)  # by kind
    factor: float = 1.0  # of safety

    def sizes(self, kind: str) -> np.ndarray:
        """(T, S) sizes of one kind of load."""
        return np.linalg.norm(self.loads[:, :, KINDS[kind]], axis=2)

    def worst(self, kind: str) -> Worst:
        """The largest over time and length."""
        sizes = self.sizes(kind)
        row, section = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
        return Worst(float(sizes[row, section]), int(row), int(section))

    def margins(self) -> dict[str, float]:
        """The least margin of each kind that is judged; infinite where there is no load."""
        margins = {}
        for kind, most in self.allowable.items():
            size = self.factor * self.worst(kind).size
            margins[kind] = most / size - 1.0 if size > 0.0 else float("inf")
        return margins

    def worst_row(self) -> int:
        """The instant of the least margin; of the largest bending moment, or force, where nothing is judged."""
        margins = self.margins()
        if margins and np.isfinite(min(margins.values())):
            return self.worst(min(margins, key=lambda kind: margins[kind])).row
        kind = next((kind for kind in ("bending", "axial", "shear") if self.worst(kind).size > 0.0), "torsion")
        return self.worst(kind).row

    def columns(self) -> dict[str, np.ndarray]:
        """Over time: loads and motion of the root, and of sections with names."""
        columns: dict[str, np.ndarray] = {}
        for label, i in {"root": 0, **self.named}.items():
            for k, component in enumerate(COMPONENTS):
                columns[f"{self.name}.{label}.{component}"] = self.loads[:, i, k]
            for word in ("position_m", "velocity_m_s", "acceleration_m_s2"):
                stem, _, unit = word.partition("_")
                for k, axis in enumerate("xyz"):
                    columns[f"{self.name}.{label}.{stem}.{axis}_{unit}"] = getattr(self, word)[:, i, k]
        return columns


def diagram_columns(lines: Sequence[LineLoads]) -> dict[str, np.ndarray]:
    """Along the lines: loads at each line's worst instant, and the least and largest over time."""
    columns: dict[str, list[np.ndarray]] = {"line": [], "time_s": [], "distance_m": []}
    for line in lines:
        row, count = line.worst_row(), len(line.distance_m)
        columns["line"].append(np.full(count, line.name))
        columns["time_s"].append(np.full(count, line.time_s[row]))
        columns["distance_m"].append(line.distance_m)
        for k, component in enumerate(COMPONENTS):
            values = line.loads[:, :, k]
            for word, curve in (("", values[row]), (".least", values.min(axis=0)), (".largest", values.max(axis=0))):
                columns.setdefault(component + word, []).append(curve)
    return {name: np.concatenate(pieces) for name, pieces in columns.items()}


def summary(lines: Sequence[LineLoads]) -> list[dict[str, object]]:
    """Largest loads with place and time, and margins, of every line."""
    made: list[dict[str, object]] = []
    for line in lines:
        largest = {}
        for kind, unit in UNITS.items():
            worst = line.worst(kind)
            largest[f"{kind}_{unit}"] = {
                "size": worst.size,
                "time_s": float(line.time_s[worst.row]),
                "distance_m": float(line.distance_m[worst.section]),
            }
        margins = {kind: value if np.isfinite(value) else None for kind, value in line.margins().items()}
        made.append({"line": line.name, "largest": largest, "margins": margins, "factor_of_safety": line.factor})
    return made
