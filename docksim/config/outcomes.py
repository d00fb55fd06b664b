"""The words for how a run ended: one list for schema, results, batches and studies."""

from typing import Literal, get_args

# how a docking ended, which a scenario's `stop` may also say; see docking.py
DockingOutcome = Literal["hard-docked", "captured", "undocked", "rebounded", "timed out", "aborted"]
DOCKING_OUTCOMES: tuple[str, ...] = get_args(DockingOutcome)
OUTCOMES = ("completed", "stopped", "failed", "diverged", "over-stroke", "misaligned", "interrupted", *DOCKING_OUTCOMES)
# what a command may end with and exit 0
SUCCESSES = ("completed", "stopped", "hard-docked", "captured", "undocked")
# of a study's case: an interrupted one has no row; one that cannot be built, or takes too long by the clock, has
CASE_OUTCOMES = (*(word for word in OUTCOMES if word != "interrupted"), "invalid", "too slow")
