"""What all tests share."""

import gc
import os

# before numpy is loaded: on the small matrices here a second thread of BLAS only waits, at the cost of a core
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from docksim.native.libraries import register
from tests.support.kernels import LIBRARY

register(LIBRARY)

# files that take longest, so that no process is left alone with one of them at the end
LONGEST = (
    "test_docking_population", "test_docs_site", "test_docking", "test_studies", "test_signals", "test_same_bits",
    "test_kernel_python", "test_same_runs", "test_full_disks", "test_cluster", "test_cli_mechanism", "test_cli_process",
    "test_shipped_studies", "test_targets", "test_rare", "test_ring_coupling", "test_determinism", "test_coupling",
    "test_berthing", "test_judge", "test_kernel_starts", "test_cli_pictures", "test_figures", "test_adaptive",
    "test_many_runs", "test_program", "test_inspect_mechanism", "test_still", "test_round_trip", "test_journal",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longest files first; the others as they come."""
    ranks = {name: rank for rank, name in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.stem, len(LONGEST)))


def pytest_collection_finish() -> None:
    """What is imported by now stays to the end: no search for garbage goes through it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
