from typing import Annotated, NamedTuple

import numpy as np

FACTOR = 3.0
POINT = np.dtype([("x", np.float64), ("y", np.float64)], align=True)


class Points(NamedTuple):
    points: Annotated[np.ndarray, POINT]
