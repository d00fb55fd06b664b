"""Nothing is allocated in a step: such code does not compile, and the process does not grow."""

import importlib
import pkgutil
import resource
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core.errors import NumbaError

import docksim.chain
import docksim.kernel
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance
from docksim.model import RUNNING
from docksim.model.log import Log
from docksim.native.decorators import Kernel, kernel
from docksim.native.ordinary import twin
from docksim.native.twins import Twins

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
MIB = 2**20
# how numba says that it may not allocate; which one depends on where it notices
REFUSAL = "NRT required but not enabled|Only accept returning of array passed into the function as argument"


def new_array(x: np.ndarray) -> float:
    return np.zeros(3)[0] + x[0]


def array_arithmetic(x: np.ndarray) -> float:
    return (2.0 * x)[0]


def library_product(x: np.ndarray) -> float:
    return np.cross(x, x)[0]


def growing_list(x: np.ndarray) -> float:
    found = [x[0]]
    found.append(x[1])
    return found[1]


def view(x: np.ndarray) -> float:
    return x[1:][0]


@pytest.mark.parametrize("function", [new_array, array_arithmetic, library_product, growing_list])
def test_kernel_that_allocates_does_not_compile(function: Callable[[np.ndarray], float]) -> None:
    with pytest.raises(NumbaError, match=REFUSAL):
        twin(kernel(function))(np.ones(3))


def test_kernel_that_looks_at_a_part_of_an_array_compiles() -> None:
    assert twin(kernel(view))(np.arange(3.0)) == 1.0


def compiled_functions(room: ModuleType) -> Iterator[tuple[str, Any]]:
    """Every function that the modules of a room define by a decorator."""
    for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            if getattr(value, "py_func", None) is not None and value.__module__ == module.__name__:
                yield f"{info.name.rpartition('.')[2]}.{name}", value


@pytest.mark.parametrize("room", [docksim.kernel, docksim.chain], ids=lambda room: room.__name__)
def test_every_compiled_function_is_a_kernel_and_no_dispatcher_of_its_own(room: ModuleType) -> None:
    found = dict(compiled_functions(room))
    assert {"loop.advance", "step.evaluate", "tree.tree_motion", "vec3.cross"} <= set(found) or len(found) > 20
    assert {name for name, function in found.items() if not isinstance(function, Kernel)} == set()


def test_all_are_compiled_without_allocation_gil_and_fast_math() -> None:
    made: list[dict[str, Any]] = []
    Twins(lambda function, options: made.append(options)).of(advance)
    assert len(made) > 200
    for options in made:
        assert options["_nrt"] is False
        assert options["nogil"] is True
        assert options["error_model"] == "numpy"
        assert not options.get("fastmath")


def ready(name: str) -> tuple[Compiled, Log]:
    """A scenario and its log, with every page of the log in memory already."""
    compiled = compile_scenario(load_scenario(SCENARIOS / f"{name}.yaml"))
    log = compiled.new_log()
    for table in log.tables().values():
        table.view(np.uint8).fill(0)
    return compiled, log


def peak_resident() -> float:
    """Largest resident memory so far [B]; Linux counts in KiB, macOS in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024.0


@pytest.mark.parametrize("name", ["dock_and_undock", "joint_gallery", "boom_and_slosh", "wheel_hold"])
def test_memory_stays_flat_over_thousands_of_calls(name: str) -> None:
    compiled, log = ready(name)
    model, state = compiled.model, compiled.state
    work = new_work(model, state)
    for _ in range(500):
        advance(model, state, work, log, 1)
    tracemalloc.start()
    python_before, resident_before = tracemalloc.get_traced_memory()[0], peak_resident()
    for _ in range(4000):
        advance(model, state, work, log, 1)
    python_after, resident_after = tracemalloc.get_traced_memory()[0], peak_resident()
    tracemalloc.stop()
    assert state.clock[0].status == RUNNING
    # one float leaked per call would be 96 kB of Python objects; the tracer itself keeps a few kB
    assert python_after - python_before < 16384
    # one 3-vector leaked per evaluation would be a megabyte; the allocator works in pages and arenas below that
    assert resident_after - resident_before < MIB
