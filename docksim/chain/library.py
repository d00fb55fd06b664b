"""The library of chains: what Python calls of it, and with which arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docksim.chain.model import ChainTables
from docksim.chain.work import Work
from docksim.native.kinds import floats
from docksim.native.libraries import library

_HERE = Path(__file__).resolve().parent
# what is compiled, and the tables
DYNAMICS = ("frames", "kane", "recurrent", "composite", "twists", "repeats")
SOURCES = (
    *(_HERE / f"{name}.py" for name in ("model", "work", "library", "kinematics/points")),
    *(_HERE / "dynamics" / f"{name}.py" for name in DYNAMICS),
    *(_HERE.parent / "algebra" / name for name in ("elementary.py", "quarters.py", "vec3.py", "quat.py")),
)
_PLACED: tuple[Any, ...] = (ChainTables, Work)
_MATRIX = (*_PLACED, floats(2))
_FORCES = (*_PLACED, floats())

LIBRARY = library(
    "chains",
    __name__,
    SOURCES,
    {
        "docksim.chain.dynamics.frames:joint_motions": (ChainTables, floats(), Work),
        "docksim.chain.dynamics.frames:base_axes": _PLACED,
        "docksim.chain.dynamics.frames:forces": (ChainTables, floats(), floats(), Work),
        "docksim.chain.dynamics.kane:kane_trimmed": _MATRIX,
        "docksim.chain.dynamics.kane:kane_bias": _FORCES,
        "docksim.chain.dynamics.recurrent:recurrent_matrix": _MATRIX,
        "docksim.chain.dynamics.recurrent:recurrent_bias": _FORCES,
        "docksim.chain.dynamics.composite:crba_matrix": _MATRIX,
        "docksim.chain.dynamics.composite:rnea_forces": _FORCES,
        "docksim.chain.dynamics.twists:link_axes": _PLACED,
        "docksim.chain.dynamics.twists:twist_matrix": _MATRIX,
        "docksim.chain.dynamics.twists:twist_bias": (ChainTables, floats(), Work, floats()),
        "docksim.chain.kinematics.points:world_links": (ChainTables, floats(), floats(2), floats(2), floats(2)),
        "docksim.chain.kinematics.points:point_twist": (
            *(ChainTables, floats(2), floats(2), floats(), int, floats(), floats(2), floats()),
        ),
        "docksim.chain.dynamics.repeats:repeat": (int, *_MATRIX, int),
        "docksim.chain.dynamics.repeats:repeat_from_coordinates": (int, ChainTables, floats(), Work, floats(2)),
    },
)
