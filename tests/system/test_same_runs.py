"""Runs have the same bits in every way of computing them.

Whole runs, by code of this processor's level, are compared with the table of bits where they are made: in the tests of
dockings, berthings and the other scenarios. Here states inside them go on as plain Python with libraries that may use
nothing of this processor. Code for lower levels is held against the table where it is shipped: make test-wheel.
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
from tests.support.shipped import NAMES as OTHERS
from tests.system.bits_of_runs import NAMES, ROOT, TABLE, keep_states
from tests.system.continued import Bits, continued
from tests.system.test_berthing import NAMES as BERTHINGS
from tests.system.test_docking import EXPECTED as DOCKINGS
from tests.system.test_same_bits import RESTRICTIONS

# of dockings one of each system, and those that have something else, go on in other ways: all dockings are one code;
# of the berthings the one with elastic booms
ALIKE = ("dock_guide_", "dock_ring_", "dock_central_", "dock_roll_", "dock_nds_", "dock_astp", "dock_missed",
         "dock_latch_failed", "dock_undock", "dock_pins_", "dock_sxds_")  # fmt: skip
CONTINUED = {name for name in NAMES if not name.startswith(ALIKE) and not name.endswith("_edge")} - {"berth_module"}


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("states")
    for name in CONTINUED:
        keep_states(name, folder)
    return folder


def test_table_is_of_this_version_and_of_all_shipped_scenarios() -> None:
    content = json.loads(TABLE.read_text(encoding="utf-8"))
    assert content["docksim_version"] == docksim.__version__
    assert list(content["bits"]) == NAMES
    # each is compared by one of the tests that run them
    assert sorted([*OTHERS, *DOCKINGS, *BERTHINGS]) == NAMES


@pytest.fixture(scope="module")
def here(states: Path) -> Bits:
    """From every state by this processor's level."""
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
    plain = elsewhere(NUMBA_DISABLE_JIT="1", **RESTRICTIONS["v2"])
    assert differences(plain, here) == []
