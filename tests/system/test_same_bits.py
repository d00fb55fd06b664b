"""The tables of all shipped parts have the same bits whatever code libm, numpy and BLAS choose for the processor.

The libraries are told to leave out what this processor could do, level by level, in a process of its own. That each
obeys is seen from its own answers, or, where this processor has nothing to leave out, from what it says it has.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.system import bits_of_tables

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(bits_of_tables.__file__)
# what to set for libm, numpy and BLAS
RESTRICTIONS = {
    "v2": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Prescott",
    },
    "v3": {
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
        "OPENBLAS_CORETYPE": "Haswell",
    },
}
# whose answers change by it, and the processor's feature that it would have used
OBEYS = [("v2", "libm", "FMA3"), ("v2", "numpy", "AVX2"), ("v2", "blas", "FMA3"),
         ("v3", "numpy", "AVX512F"), ("v3", "blas", "AVX512F")]  # fmt: skip

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or platform.libc_ver()[0] != "glibc",
    reason="the switches are those of x86 and glibc",
)


@functools.cache
def answers(restriction: str = "") -> dict[str, Any]:
    """What the program finds under a restriction, or under none: then in this process, unless that has one itself."""
    switches = {key for settings in RESTRICTIONS.values() for key in settings}
    if not restriction and switches.isdisjoint(os.environ):
        return bits_of_tables.found()
    environment = {key: value for key, value in os.environ.items() if key not in switches}
    environment |= {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    environment |= RESTRICTIONS[restriction] if restriction else {}
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def processor_has(feature: str) -> bool:
    return bool(np._core._multiarray_umath.__cpu_features__[feature])


@pytest.mark.parametrize("restriction", RESTRICTIONS)
def test_tables_have_the_same_bits_whatever_the_libraries_choose(restriction: str) -> None:
    assert answers(restriction)["made"] == answers()["made"]


@pytest.mark.parametrize(("restriction", "library", "feature"), OBEYS)
def test_restricted_library_gives_other_bits_where_the_processor_has_what_it_leaves_out(
    restriction: str, library: str, feature: str
) -> None:
    changed = answers(restriction)["libraries"][library] != answers()["libraries"][library]
    assert changed == processor_has(feature)


def test_all_shipped_scenarios_and_mechanisms_are_looked_at() -> None:
    names = set(answers()["made"])
    assert {path.stem for path in (ROOT / "scenarios").glob("*.yaml")} <= names
    assert {f"mechanism {path.stem}" for path in (ROOT / "configs" / "mechanisms").glob("*.yaml")} <= names
    assert {f"study {path.stem}" for path in (ROOT / "studies").glob("*.yaml")} <= names
