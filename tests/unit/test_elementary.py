"""The own elementary functions against decimal arithmetic, at special values, and compiled against plain."""

import math
import random
import struct
from collections.abc import Callable, Iterator
from decimal import Context, localcontext
from types import FunctionType
from typing import Any

import pytest

from docksim.algebra import elementary
from tests.oracle import elementary as exact

Draw = Callable[[random.Random], float]
LARGEST = 1.7976931348623157e308
SPECIAL = (0.0, 1.0, 0.5, math.pi, 5e-324, 2.0**-1022, 1e300, 2.0**1023, LARGEST, math.inf, math.nan)


def between(low: float, high: float) -> Draw:
    return lambda rng: rng.uniform(low, high)


def powers(low: float, high: float) -> Draw:
    """Of ten, with either sign."""
    return lambda rng: rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(low, high)


def positive(low: float, high: float) -> Draw:
    return lambda rng: 10.0 ** rng.uniform(low, high)


def multiples(most: int) -> Draw:
    """Doubles nearest to multiples of a quarter turn, where nearly all digits of a reduction cancel."""
    return lambda rng: rng.randrange(1, most) * math.pi / 2.0


ANGLES = (
    *(between(-0.8, 0.8), between(-7.0, 7.0), between(-1e4, 1e4), between(-2e6, 2e6)),
    *(powers(6.0, 308.2), powers(-307.0, 0.0), multiples(10**6), multiples(10**9)),
)
ARCS = (between(-1.0, 1.0), powers(-307.0, -0.1), lambda rng: 1.0 - 10.0 ** rng.uniform(-16.0, 0.0))
RANGES: dict[str, tuple[Draw, ...]] = {
    "sin": ANGLES,
    "cos": ANGLES,
    "tan": ANGLES,
    "atan": (between(-3.0, 3.0), powers(-2.0, 2.0), powers(-307.0, 308.0)),
    "asin": ARCS,
    "acos": ARCS,
    "exp": (between(-1.0, 1.0), between(-50.0, 50.0), between(-708.0, 709.78), between(-745.1, -708.0)),
    "log": (between(0.5, 2.0), positive(-307.0, 308.0), positive(-323.0, -308.0)),
    "log1p": (between(-1.0, 1.0), powers(-300.0, -0.1), positive(0.0, 308.0)),
}
PAIRS = (between(-1.0, 1.0), powers(-3.0, 3.0), powers(-20.0, 20.0), powers(-307.0, -300.0), powers(300.0, 307.9))


def bits(x: float) -> bytes:
    """All that is not a number is one."""
    return struct.pack("<d", x) if x == x else b"nan"


def units_off(found: float, wanted: Any) -> float:
    """From the correctly rounded value, in its last place."""
    nearest = float(wanted)
    return abs(found - nearest) / math.ulp(nearest)


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with localcontext(Context(prec=exact.DIGITS + 20, Emin=-99999, Emax=99999)):
        yield


@pytest.mark.parametrize("name", RANGES)
def test_functions_of_one_number_are_within_a_unit_of_the_rounded_value(name: str) -> None:
    rng = random.Random(name)
    own, true = getattr(elementary, name), getattr(exact, name)
    for draw in RANGES[name]:
        for x in (draw(rng) for _ in range(100)):
            assert units_off(own(x), true(x)) <= 1.0, x


@pytest.mark.parametrize("name", ["atan2", "hypot"])
def test_functions_of_two_numbers_are_within_a_unit_of_the_rounded_value(name: str) -> None:
    rng = random.Random(name)
    own, true = getattr(elementary, name), getattr(exact, name)
    for draw in PAIRS:
        for a, b in ((draw(rng), draw(rng)) for _ in range(100)):
            assert units_off(own(a, b), true(a, b)) <= 1.0, (a, b)


def test_angle_nearest_to_a_multiple_of_a_quarter_turn_keeps_its_digits() -> None:
    # the double whose rest after whole quarter turns is smallest, 4.7e-19 (Kahan, Muller)
    x = 6381956970095103.0 * 2.0**797
    assert units_off(elementary.cos(x), exact.cos(x)) <= 1.0
    assert abs(elementary.cos(x)) < 5e-19
    assert units_off(elementary.tan(x), exact.tan(x)) <= 1.0


def test_long_vectors_are_as_long_as_in_decimals() -> None:
    rng = random.Random(4)
    for n in (1, 3, 4, 20):
        values = [rng.uniform(-1.0, 1.0) for _ in range(n)]
        assert units_off(elementary.hypot(*values), exact.hypot(*values)) <= 1.0
    assert elementary.hypot() == 0.0


@pytest.mark.parametrize("name", [*RANGES, "atan2", "hypot"])
def test_special_values_are_those_of_the_standard(name: str) -> None:
    """Python's own functions raise where C gives infinities and what is not a number."""
    values = [s * x for x in SPECIAL for s in (1.0, -1.0)]
    cases = [(x,) for x in values] if name in RANGES else [(a, b) for a in values for b in values]
    for case in cases:
        found = getattr(elementary, name)(*case)
        try:
            wanted = getattr(math, name)(*case)
        except OverflowError:
            wanted = math.inf
        except ValueError:
            pole = (name == "log" and case[0] == 0.0) or (name == "log1p" and case[0] == -1.0)
            wanted = -math.inf if pole else math.nan
        # away from zeros, infinities and the rest a unit is allowed
        exactly = wanted in (0.0, math.inf, -math.inf) or wanted != wanted
        same = bits(found) == bits(wanted) if exactly else abs(found - wanted) <= math.ulp(wanted)
        assert same, (case, found, wanted)


def compiled(function: FunctionType, made: dict[FunctionType, Any]) -> Any:
    """By numba without its runtime, with all that it calls."""
    numba = pytest.importorskip("numba")
    if function not in made:
        scope = dict(function.__globals__)
        for name in function.__code__.co_names:
            called = scope.get(name)
            if isinstance(called, FunctionType) and called.__module__.startswith("docksim.algebra"):
                scope[name] = compiled(called, made)
        twin = FunctionType(function.__code__, scope, function.__name__)
        made[function] = numba.njit(twin, error_model="numpy", _nrt=False)
    return made[function]


def test_compiled_functions_have_the_bits_of_plain_ones() -> None:
    rng = random.Random(5)
    made: dict[FunctionType, Any] = {}
    special = [s * x for x in SPECIAL for s in (1.0, -1.0)]
    for name, draws in RANGES.items():
        plain, fast = getattr(elementary, name), compiled(getattr(elementary, name), made)
        for x in special + [draw(rng) for draw in (*draws, powers(-320.0, 308.0)) for _ in range(150)]:
            assert bits(fast(x)) == bits(plain(x)), (name, x)
    for name in ("atan2", "hypot"):
        plain, fast = getattr(elementary, name), compiled(getattr(elementary, name), made)
        drawn = [(draw(rng), draw(rng)) for draw in PAIRS for _ in range(150)]
        for a, b in [(a, b) for a in special for b in special] + drawn:
            assert bits(fast(a, b)) == bits(plain(a, b)), (name, a, b)
