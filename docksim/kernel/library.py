"""The kernel's library: what Python calls of it, and with which arguments."""

from pathlib import Path

from docksim.model import Model, State, Work
from docksim.model.contact import GAP, SWEEP, ContactTables
from docksim.model.log import Log
from docksim.model.mechanism import LEG, RING, SHAFT, SHAFT_STATE, WORK_LEG, MechanismWork
from docksim.model.tree import KNOT
from docksim.native.kinds import Items, floats, ints, row, rows, vector
from docksim.native.libraries import library

_HERE = Path(__file__).resolve().parent
SOURCES = (
    *sorted(_HERE.rglob("*.py")),
    *(_HERE.parent / "algebra" / name for name in ("elementary.py", "quarters.py", "vec3.py", "quat.py", "joints.py")),
    *sorted((_HERE.parent / "model").glob("*.py")),
)

_V3, _R9 = vector(3), vector(9)

LIBRARY = library(
    "kernel",
    __name__,
    SOURCES,
    {
        # a run
        "docksim.kernel.loop:advance": (Model, State, Work, Log, int),
        # a mechanism by itself
        "docksim.kernel.mechanism.reach:close_poses": (
            rows(LEG),
            rows(WORK_LEG),
            floats(2),
            floats(2),
            floats(3),
            ints(2),
        ),
        "docksim.kernel.mechanism.legs:leg_motion": (
            row(LEG),
            row(WORK_LEG),
            _R9,
            _V3,
            _V3,
            _V3,
            _V3,
            Items((_V3, _V3, _V3)),
        ),
        "docksim.kernel.mechanism.leg_loads:leg_acceleration": (row(LEG), row(WORK_LEG), _R9, floats(), floats()),
        "docksim.kernel.mechanism.leg_loads:leg_loads": (row(LEG), row(WORK_LEG), _R9, floats(), floats()),
        "docksim.kernel.mechanism.reduction:mechanism_reduction": (
            *(rows(LEG), row(RING), rows(SHAFT), MechanismWork),
            *(_R9, _V3, _V3, _V3, _V3, floats()),
        ),
        "docksim.kernel.mechanism.ring_equations:ring_acceleration": (MechanismWork, floats(), floats()),
        "docksim.kernel.mechanism.ring_equations:inertia_entry": (floats(), int, int),
        # laws of its devices
        "docksim.kernel.mechanism.shafts:spring_force": (row(SHAFT), rows(KNOT), float),
        "docksim.kernel.mechanism.shafts:damper_force": (row(SHAFT), row(SHAFT_STATE), rows(KNOT), float),
        "docksim.kernel.mechanism.shafts:stop_force": (row(SHAFT), float, float),
        # two interfaces by themselves
        "docksim.kernel.contact.interface_gaps:interface_gaps": (
            *(ContactTables, int, int, _R9, _V3, float, row(SWEEP), rows(GAP), bool, float),
        ),
    },
)
