"""Calls of compiled functions give what the Python source gives, whatever the arguments."""

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.native import ordinary
from docksim.native.calls import Entry
from docksim.native.decorators import CALLED, MELTED, PURE, Kernel, bound
from docksim.native.kinds import Mismatch
from docksim.native.libraries import entries_of
from tests.tiny import functions as tiny
from tests.tiny.functions import POINT, Pair

ROOT = Path(__file__).resolve().parents[3]


def pair(seed: int, n: int = 50) -> Pair:
    source = np.random.default_rng(seed)
    points = np.zeros(n, POINT).view(np.recarray)
    points.x = source.normal(size=n)
    return Pair(points, source.normal(size=(n, 7)))


def entry(kernel: Any) -> Entry:
    return next(entries_of(kernel))


def test_decorated_functions_are_kernels_that_keep_their_source_and_name() -> None:
    assert isinstance(tiny.scaled, Kernel)
    assert tiny.scaled.py_func.__code__.co_name == tiny.scaled.__name__ == "scaled"
    assert tiny.scaled.name == "tests.tiny.functions:scaled"
    assert repr(tiny.scaled) == "<kernel tests.tiny.functions:scaled>"
    assert (tiny.scaled.inlining, tiny.twice.inlining, tiny.shifted.inlining) == (CALLED, PURE, MELTED)


def test_numbers_truth_values_and_nested_results_come_through() -> None:
    assert tiny.scaled(1.5, 3, True) == 12.0
    assert tiny.scaled(1.5, np.int64(3), np.False_) == -12.0
    assert tiny.turned((1.0, 2.0, 3.0), 4) == ((2.0, 3.0, 1.0), (5, True), False)
    assert repr(tiny.turned((1, 2, 3), 0)) == "((2.0, 3.0, 1.0), (1, False), True)"
    assert tiny.is_positive(1.0) is True
    assert tiny.is_positive(float("nan")) is False


def test_arguments_that_are_left_out_have_their_defaults() -> None:
    assert tiny.raised(3.0) == 9.0
    assert tiny.raised(3.0, 3) == 27.0


def test_arrays_and_rows_are_written_in_place() -> None:
    grid = np.zeros((2, 3))
    assert tiny.filled(grid, 1.0) is None
    assert grid.tolist() == [[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]]
    points = np.zeros(3, POINT).view(np.recarray)
    points.v[:] = 1.0
    assert tiny.moved(points[1], 2.5) == 2.5
    assert (points.x.tolist(), points.n.tolist(), points.v[1].tolist()) == ([0.0, 2.5, 0.0], [0, 1, 0], [2.0] * 3)


def test_empty_tables_are_tables() -> None:
    assert tiny.summed(Pair(np.zeros(0, POINT), np.zeros((0, 4))), 3) == 0.0


def test_another_bundle_in_the_same_place_is_the_one_that_is_read() -> None:
    first, second = pair(1), pair(2)
    expected = [tiny.summed.py_func(own, 1) for own in (first, second)]
    assert expected[0] != expected[1]
    for own, value in zip((first, second, first), (*expected, expected[0])):
        assert tiny.summed(own, 1) == value


def test_contents_of_a_bundle_may_change_between_calls() -> None:
    own = pair(3)
    before = tiny.summed(own, 1)
    own.points.x[0] += 1.0
    assert tiny.summed(own, 1) == tiny.summed.py_func(own, 1) != before


def test_what_does_not_fit_is_refused_by_the_library_and_compiled_in_the_ordinary_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def twin(kernel: Kernel) -> Any:
        asked.append(kernel.__name__)
        return kernel.py_func

    monkeypatch.setattr(ordinary, "twin", twin)
    grid = np.zeros((3, 2)).T
    tiny.filled(grid, 1.0)
    assert grid.tolist() == [[1.0, 2.0, 3.0], [11.0, 12.0, 13.0]]
    assert tiny.turned((1.0, 2.0, 3.0), 4.5) == ((2.0, 3.0, 1.0), (5.5, True), False)
    single = np.zeros((2, 2), np.float32)
    tiny.filled(single, 1.0)
    assert single.tolist() == [[1.0, 2.0], [11.0, 12.0]]
    assert asked == ["filled", "turned", "filled"]


def test_entry_refuses_too_few_and_too_many_arguments() -> None:
    for arguments in ((1.0, 3), (1.0, 3, True, 4)):
        with pytest.raises(Mismatch, match=f"takes 3 arguments, not {len(arguments)}"):
            entry(tiny.scaled).packed(arguments)


def test_bound_function_goes_on_with_the_tables_it_was_bound_to() -> None:
    own, other = pair(4), pair(5)
    go_on = bound(tiny.counted, own)
    assert (go_on(3), go_on(4)) == (3, 7)
    assert tiny.counted(other, 1) == 1
    assert go_on(0) == 7
    assert set(own.points.n.tolist()) == {7}


def test_bound_function_of_plain_python_is_the_same() -> None:
    own = pair(4)
    go_on = bound(tiny.counted.py_func, own)
    assert (go_on(3), go_on(4)) == (3, 7)


def test_tables_that_do_not_fit_are_refused_by_what_they_cannot_be_bound_to() -> None:
    own = pair(6)
    with pytest.raises(Mismatch, match=r"Pair\.grid: an array that is not contiguous"):
        bound(tiny.counted, own._replace(grid=own.grid.T))


def test_tables_stay_alive_as_long_as_what_is_bound_to_them() -> None:
    own = pair(7, n=500)
    go_on, counts = bound(tiny.counted, own), own.points.n
    # another bundle takes the place of the first in the entry
    tiny.counted(pair(8), 1)
    del own
    gc.collect()
    filled = [np.full(500 * POINT.itemsize // 8, -1, np.int64) for _ in range(200)]
    assert go_on(2) == 2
    assert set(counts.tolist()) == {2}
    assert all((array == -1).all() for array in filled)


def test_threads_with_bound_tables_of_their_own_keep_apart() -> None:
    pairs = [pair(seed) for seed in range(8)]
    ways = [bound(tiny.counted, own) for own in pairs]
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(lambda go_on: [go_on(1) for _ in range(500)], way) for way in ways]
        assert all(job.result() == list(range(1, 501)) for job in jobs)
    assert all(set(own.points.n.tolist()) == {500} for own in pairs)


def test_without_compilation_decorated_functions_are_the_functions_and_numba_stays_away() -> None:
    code = """\
import sys
from tests.tiny import functions as tiny
from tests.tiny.library import LIBRARY
from docksim.native.libraries import status
from docksim.native.decorators import bound
assert type(tiny.scaled).__name__ == "function"
assert tiny.scaled(1.5, 3, True) == 12.0 and bound(tiny.raised, 3.0)(3) == 27.0
assert status(LIBRARY).origin == "python"
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
"""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
