"""Runs have the same bits in every way of computing them, and those that the table keeps.

Whole runs go by code of this processor's level. States inside them go on in other ways: compiled for the lower levels,
by numba's ordinary compilation, and as plain Python with libraries that may use nothing of this processor.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import docksim
from docksim.native.levels import HOST, possible
from tests.system.bits_of_runs import NAMES, ROOT, TABLE, bits_and_states, table
from tests.system.continued import Bits, continued
from tests.system.test_same_bits import RESTRICTIONS

# of dockings one of each system, and those that have something else, go on in other ways: all dockings are one code
ALIKE = ("dock_guide_", "dock_ring_", "dock_central_", "dock_roll_", "dock_nds_", "dock_astp", "dock_missed")
CONTINUED = {name for name in NAMES if not name.startswith(ALIKE) and not name.endswith("_edge")}
# as one: who obeys which was seen from each in turn
RESTRICTED = {key: value for settings, _, _ in RESTRICTIONS.values() for key, value in settings.items()}
LOWER = [level for level in possible() if level != HOST][:-1]


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("states")


@pytest.mark.parametrize("name", NAMES)
def test_run_of_the_resolved_scenario_has_the_bits_of_the_table(name: str, states: Path, tmp_path: Path) -> None:
    assert bits_and_states(name, states if name in CONTINUED else tmp_path) == table()[name]


def test_table_is_of_this_version_and_of_all_shipped_scenarios() -> None:
    content = json.loads(TABLE.read_text(encoding="utf-8"))
    assert content["docksim_version"] == docksim.__version__
    assert list(content["bits"]) == NAMES


@pytest.fixture(scope="module")
def here(states: Path) -> Bits:
    """From every state by this processor's level; needs the whole runs above."""
    for name in CONTINUED:
        if not any(states.glob(f"{name}-*.npz")):
            bits_and_states(name, states)
    return continued(states)


@pytest.fixture
def elsewhere(states: Path) -> Callable[..., Bits]:
    """The same in another process with other settings."""

    def run(**settings: str) -> Bits:
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("DOCKSIM_", "NUMBA_"))}
        cache = {key: value for key, value in os.environ.items() if key == "DOCKSIM_CACHE_DIR"}
        command = [sys.executable, "-m", "tests.system.continued", str(states)]
        done = subprocess.run(
            command, cwd=ROOT, env=clean | cache | settings, capture_output=True, text=True, timeout=900, check=False
        )
        assert done.returncode == 0, done.stderr
        found: Bits = json.loads(done.stdout)
        return found

    return run


def differences(one: Bits, two: Bits) -> list[str]:
    assert one.keys() == two.keys()
    return [f"{state} {name}" for state in one for name in one[state] if one[state][name] != two[state][name]]


def test_plain_python_and_compiled_code_go_on_alike(here: Bits, elsewhere: Callable[..., Bits]) -> None:
    assert {state.rpartition("-")[0] for state in here} == CONTINUED
    plain = elsewhere(NUMBA_DISABLE_JIT="1", **RESTRICTED)
    assert differences(plain, here) == []


@pytest.mark.parametrize("level", LOWER)
def test_levels_go_on_alike(level: str, here: Bits, elsewhere: Callable[..., Bits]) -> None:
    assert differences(elsewhere(DOCKSIM_LEVEL=level), here) == []
