"""The kernel is plain Python that happens to be compiled: with NUMBA_DISABLE_JIT=1 it gives the same bits."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import docksim.kernel
from docksim.model import BAD_CLOSURE, DONE, NON_FINITE, STOPPED
from docksim.model.log import Log
from tests.support import short_runs

ROOT = Path(__file__).resolve().parents[2]
KERNEL = Path(docksim.kernel.__file__).parent

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory: pytest.TempPathFactory) -> Arrays:
    """The short runs in a process without compilation."""
    file = tmp_path_factory.mktemp("python") / "runs.npz"
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.short_runs", str(file)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as arrays:
        return dict(arrays)


def compiled_functions() -> set[str]:
    """Names of all decorated functions in the kernel's sources."""
    found = set()
    for path in KERNEL.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                found.add(f"{path.stem}.{node.name}")
    return found


def test_short_runs_enter_every_function_of_the_kernel(interpreted: Arrays) -> None:
    # compiled functions would not be seen at all, so this also says that nothing was compiled
    expected = compiled_functions()
    assert len(expected) > 100
    assert expected - set(interpreted["called"].tolist()) == set()


@pytest.mark.parametrize("case", short_runs.CASES)
def test_python_and_compiled_code_have_the_same_bits(case: str, interpreted: Arrays) -> None:
    for key, compiled in short_runs.run(case).items():
        # what diverges passes through infinity, and a NaN has a sign that processors choose
        same = np.testing.assert_array_equal if case == "diverging" else _assert_same_bits
        same(interpreted[f"{case}/{key}"], compiled, key)


@pytest.mark.parametrize("what", ["mechanism", "gaps", "laws"])
def test_parts_by_themselves_have_the_same_bits(what: str, interpreted: Arrays) -> None:
    alone = {"mechanism": short_runs.mechanism_alone, "gaps": short_runs.gaps_alone, "laws": short_runs.laws_alone}
    for key, compiled in alone[what]().items():
        _assert_same_bits(interpreted[f"{what}/{key}"], compiled, key)


def test_ordinary_compilation_has_the_same_bits(tmp_path: Path) -> None:
    # of the loop it takes minutes, so here are laws of devices; python -m tests.system.bits_of_runs does the rest
    code = (
        "import numpy, sys; from docksim.kernel.library import LIBRARY; from docksim.native.libraries import loaded;"
        "from tests.support.short_runs import laws_alone; numpy.savez(sys.argv[1], **laws_alone());"
        "assert loaded(LIBRARY).origin == 'jit'"
    )
    file = tmp_path / "laws.npz"
    environment = {**os.environ, "DOCKSIM_KERNEL": "jit"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as ordinary:
        for key, compiled in short_runs.laws_alone().items():
            _assert_same_bits(ordinary[key], compiled, key)


def _assert_same_bits(python: np.ndarray, compiled: np.ndarray, key: str) -> None:
    assert (python.dtype, python.shape) == (compiled.dtype, compiled.shape), key
    assert python.tobytes() == compiled.tobytes(), key


def test_short_runs_log_finite_numbers_fire_their_events_and_end_as_meant(interpreted: Arrays) -> None:
    fired = {case: len(interpreted[f"{case}/events"]) for case in short_runs.CASES}
    assert {case: n for case, n in fired.items() if n} == {
        **{f"joints_{name}": 1 for name in short_runs.INTEGRATORS},
        **{f"arm_{name}": 2 for name in short_runs.INTEGRATORS},
        "latches": 7,
        "docking": 4,
        "jettison": 1,
        "thrusters": 2,
        "capture": 2,
        "legs": 1,
        "differentials": 3,
        "servos": 4,
        "admittance": 3,
        "retraction": 3,
        **{f"drive_{name}": 4 for name in short_runs.INTEGRATORS},
        "joints": 2,
        "joints_orbit": 1,
        "inertial": 1,
        "contact": 3,
        "tolerant": 4,
        "tolerant_ring": 1,
        "contact_aside": 1,
        "contact_damped": 3,
        "contact_hysteresis": 3,
        "orbit_legs": 1,
        "hooked": 4,
        "closed": 1,
        "contradicted": 1,
        "caught": 1,
        "held": 3,
        "folded": 2,
        "led": 3,
        "led_in_a_loop": 2,
        "learning": 1,
        **{f"berth_{name}": 1 for name in short_runs.INTEGRATORS},
    }
    endings = {case: interpreted[f"{case}/ending"][3] for case in short_runs.CASES}
    assert endings == dict.fromkeys(short_runs.CASES, DONE) | {
        "docking": STOPPED,
        "diverging": NON_FINITE,
        "contradicted": BAD_CLOSURE,
    }
    for case in short_runs.CASES:
        tables = [array for name, array in interpreted.items() if name.startswith(f"{case}/log.")]
        assert len(tables) == len(Log._fields) - 1  # its number of rows is no table
        assert all(np.isfinite(table).all() for table in tables)
