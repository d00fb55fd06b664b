"""The compiled loops of the benchmarks, with all that they call."""

from pathlib import Path

from docksim.kernel.library import SOURCES as KERNEL_SOURCES
from docksim.model import Model, State, Work
from docksim.model.contact import GAP, SWEEP, ContactTables
from docksim.native.kinds import floats, rows
from docksim.native.libraries import library

_HERE = Path(__file__).resolve().parent
_TREE = (Model, State, Work)
_PAIR = (ContactTables, floats(2), floats(2), rows(SWEEP), int)
_PAIRS = (
    *("_petal_on_rim", "_rim_on_petal", "_petal_on_sphere", "_rim_on_rim", "_edge_on_edge"),
    *("_sphere_on_rim", "_sphere_on_sphere", "_sphere_on_plane", "_point_on_face"),
)
SOURCES = tuple(_HERE / f"{name}.py" for name in ("library", "loops", "contact_gaps"))

LIBRARY = library(
    "benchmarks",
    __name__,
    (*KERNEL_SOURCES, *SOURCES),
    {
        "benchmarks.loops:passes": (*_TREE, int),
        "benchmarks.loops:evaluations": (*_TREE, int),
        "benchmarks.loops:mechanism_passes": (*_TREE, int),
        "benchmarks.loops:leg_joint_passes": (*_TREE, floats(2), int),
        **{f"benchmarks.contact_gaps:{name}": _PAIR for name in _PAIRS},
        "benchmarks.contact_gaps:_whole": (*(ContactTables, floats(2), floats(2), float, rows(SWEEP), rows(GAP), int),),
    },
)
