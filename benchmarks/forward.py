"""Forward dynamics of free-flyer trees against Pinocchio's aba, in the same run on the same trees."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.loops import evaluations, passes
from benchmarks.peer import BATCH, Peer, lone_free_flyer
from benchmarks.timing import Cost, costs, spread
from benchmarks.trees import Rig, mixed_tree, revolute_tree

AGREEMENT = 1e-9  # worse would mean that they do not solve the same problem
KINDS = {"revolute": revolute_tree, "mixed": mixed_tree}


def forward(sizes: Sequence[int], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """One row per kind and size; times in microseconds, ratios of docksim over the peer."""
    overhead = call_overhead(repeats, seconds)
    rows = []
    for kind, make in KINDS.items():
        for n in sizes:
            rig = Rig(make(np.random.default_rng([n, len(kind)]), n))
            rows.append({"tree": kind, "bodies": n, **compare(rig, overhead, repeats, seconds)})
    return rows


def call_overhead(repeats: int, seconds: float) -> float:
    """What one call of aba from Python costs beside the work, in seconds; 0 where it cannot be told apart."""
    found = costs(lone_free_flyer().tasks(), repeats, seconds)
    if "batch" not in found:
        return 0.0
    single = min(cost.best for name, cost in found.items() if name != "batch")
    return max(0.0, single - found["batch"].best / BATCH)


def compare(rig: Rig, overhead: float, repeats: int, seconds: float) -> dict[str, Any]:
    """Both codes in turns; the peer's figure is that of the fastest way to call it, free of the call."""
    peer = Peer(rig)
    tasks = {
        "passes": lambda n: passes(*rig.tables, n),
        **peer.tasks(),
        "evaluate": lambda n: evaluations(*rig.tables, n),
    }
    passes(*rig.tables, 1)
    disagreement = peer.disagreement()
    if not disagreement < AGREEMENT:
        raise RuntimeError(f"the two codes disagree by {disagreement:.1e} of the largest acceleration")
    found = costs(tasks, repeats, seconds)
    return {**summary(found, overhead), "call_us": 1e6 * overhead, "disagreement": disagreement}


def summary(found: dict[str, Cost], overhead: float) -> dict[str, Any]:
    """Times in microseconds, and ratios: of the best, as called from Python, and the median over the repeats."""
    ours = found["passes"]
    singles = {name: cost for name, cost in found.items() if name.startswith("single")}
    ways = {name: cost.less(overhead) for name, cost in singles.items()}
    if "batch" in found:
        ways["batch"] = found["batch"].less(0.0, BATCH)
    way = min(ways, key=lambda name: ways[name].best)
    called = min(cost.best for cost in singles.values())
    pairs = [mine / theirs for mine, theirs in zip(ours.samples, ways[way].samples)]
    return {
        "docksim_us": 1e6 * ours.best,
        "aba_us": 1e6 * ways[way].best,
        "aba_way": way,
        "ratio": ours.best / ways[way].best,
        "ratio_median": statistics.median(pairs),
        "ratio_spread": spread(pairs),
        "aba_called_us": 1e6 * called,
        "ratio_called": ours.best / called,
        "evaluate_us": 1e6 * found["evaluate"].best,
        **{f"aba_{name.replace(', ', '_')}_us": 1e6 * cost.best for name, cost in ways.items()},
    }
