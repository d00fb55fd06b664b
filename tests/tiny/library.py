"""A library that is built in seconds, for tests of all that is done with libraries."""

from pathlib import Path

from docksim.native.kinds import floats, row, vector
from docksim.native.libraries import library
from tests.tiny.functions import POINT, Pair

_HERE = Path(__file__).resolve().parent

LIBRARY = library(
    "tiny",
    __name__,
    (_HERE / "functions.py", _HERE / "library.py"),
    {
        "tests.tiny.functions:scaled": (float, int, bool),
        "tests.tiny.functions:raised": (float, int),
        "tests.tiny.functions:turned": (vector(3), int),
        "tests.tiny.functions:is_positive": (float,),
        "tests.tiny.functions:filled": (floats(2), float),
        "tests.tiny.functions:moved": (row(POINT), float),
        "tests.tiny.functions:summed": (Pair, int),
        "tests.tiny.functions:counted": (Pair, int),
    },
)
