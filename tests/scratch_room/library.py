from pathlib import Path

from docksim.native.libraries import library
from docksim.scratch_room.tables import Points

LIBRARY = library(
    "scratch",
    __name__,
    tuple(sorted(Path(__file__).resolve().parent.glob("*.py"))),
    {"docksim.scratch_room.functions:outer": (float,), "docksim.scratch_room.functions:last": (Points,)},
)
