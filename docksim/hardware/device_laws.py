"""Laws of a mechanism's devices outside a run, by the kernels that simulations use."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.compiler.shaft_tables import lone_shafts
from docksim.compiler.shafts import Shaft
from docksim.kernel.shafts import damper_force, spring_force, stop_force


class Devices:
    """What acts on the shafts: the legs' strokes or cranks, then the couplings."""

    def __init__(self, shafts: Sequence[Shaft]) -> None:
        self.shafts = tuple(shafts)
        self.table, self._state, self._knot = lone_shafts(self.shafts)

    def place(self, shaft: int | str) -> int:
        """Place of a shaft by its name, such as "legs.3" or "couplings.axial"."""
        names = [own.name for own in self.shafts]
        if isinstance(shaft, str) and shaft not in names:
            raise ValueError(f"no shaft '{shaft}'; there are {', '.join(names)}")
        return names.index(shaft) if isinstance(shaft, str) else shaft

    def forces(
        self, shaft: int | str, x: Sequence[float] | np.ndarray, rate: Sequence[float] | np.ndarray
    ) -> dict[str, np.ndarray]:
        """Forces of spring, damper, brake (sliding) and stop at coordinates and rates of the same number."""
        i = self.place(shaft)
        row, own = self.table[i], self._state[i]
        at = [(float(a), float(v)) for a, v in zip(x, rate, strict=True)]
        return {
            "spring": np.array([spring_force(row, self._knot, a) for a, _ in at]),
            "damper": np.array([damper_force(row, own, self._knot, v) for _, v in at]),
            "brake": np.array([-float(own.friction) * np.sign(v) for _, v in at]),
            "stop": np.array([stop_force(row, a, v)[0] for a, v in at]),
        }
