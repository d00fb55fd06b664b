"""Many linear models along a motion as arrays with time as the first axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docksim.linear.model import LinearModel


def series_arrays(models: Sequence[LinearModel]) -> dict[str, Any]:
    """A, B, C, D and the second-order matrices (T, ., .), times, operating points (T, .) and the names."""
    first = models[0]
    content: dict[str, Any] = {"time_s": np.array([model.time_s for model in models], float)}
    for key in ("A", "B", "C", "D", "M", "Dz", "Kz", "F"):
        name = {"Dz": "damping", "Kz": "K"}.get(key, key)
        if getattr(first, name) is not None:
            content[key] = np.stack([getattr(model, name) for model in models])
    content["eigenvalues"] = np.stack([np.linalg.eigvals(model.A) for model in models])
    content["operating_point"] = np.array([list(model.operating_point.values()) for model in models])
    return content | first.names()
