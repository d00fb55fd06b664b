"""The condition `settled`: it comes when a held pair and all that hangs on it are at rest, and not before."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import ScenarioError, load_scenario
from docksim.result.result import Result

ROOT = Path(__file__).resolve().parents[2]
SLOW = 0.02
LASTING = 0.1
DOCK: dict[str, Any] = {
    "approach.distance_m": 0.14,
    "approach.closing_rate_m_s": 0.1,
    "solver.duration_s": 12.0,
    "solver.tolerance": 1e-6,
    "outputs.every_s": 0.01,
    "outputs.joint_loads": False,
    "events.rest": {
        "when": [{"settled": "dock", "slower_than_m_s": SLOW}],
        "for_s": LASTING,
        "do": [{"phase": "REST"}],
    },
    "events.end": {"when": [{"after": "rest", "delay_s": 0.4}], "do": [{"stop": "over", "outcome": "captured"}]},
}


@cache
def run() -> Result:
    return docksim.run(ROOT / "scenarios" / "dock_nds.yaml", DOCK)


def rest() -> float:
    return next(event.time_s for event in run().events if event.name == "rest")


def lengths(name: str) -> np.ndarray:
    return np.linalg.norm(run()[name], axis=1)


def test_it_comes_once_the_ring_has_come_to_rest() -> None:
    """What is slower than 20 mm/s, from logged velocities by differences of positions, which know nothing of joints."""
    result, at = run(), rest()
    t = result["time_s"]
    assert result.metrics["dock.capture_s"] + LASTING < at
    # the way of the ring in its vehicle, in the vehicle's axes
    ring = np.array(
        [
            rotated(q, r - p)
            for q, r, p in zip(
                result["chaser.attitude"], result["chaser.ring.position_m"], result["chaser.position_m"], strict=True
            )
        ]
    )
    speed = np.linalg.norm(np.gradient(ring, t, axis=0), axis=1)
    still = (t > at - LASTING + 0.02) & (t <= at)
    # a difference over 20 ms smooths what knocks within them
    assert speed[still].max() < SLOW * 1.05
    before = (t > result.metrics["dock.capture_s"]) & (t < at - LASTING - 0.02)
    assert speed[before].max() > SLOW


def rotated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Components on the axes of a body whose attitude is q (w, x, y, z)."""
    w, u = q[0], -q[1:]
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


def test_peaks_of_the_capture_are_complete_then() -> None:
    result, at = run(), rest()
    t = result["time_s"]
    then = int(np.searchsorted(t, at))
    for name in ("compression_N", "shear_N", "bending_Nm"):
        peaks = result[f"dock.peak_{name}"].ravel()
        assert peaks[then] == peaks[-1] > 0.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"events.rest.when": [{"settled": "dok", "slower_than_m_s": 0.01}]}, "settled: no contact pair 'dok'"),
        ({"events.rest.when": [{"settled": "dock", "slower_than_m_s": 0.0}]}, "slower_than_m_s"),
        ({"events.rest.when": [{"settled": "dock"}]}, "slower_than_m_s"),
        ({"events.rest.for_s": 12.0}, "events.rest.for_s: 12.0 s is as long as the run"),
        ({"contacts.dock.failed_latches": [2]}, "when.0.settled: pair 'dock' settles when .* latch 2 fails"),
        (
            {
                "events.rest.when": [
                    {"settled": "dock", "slower_than_m_s": 0.01},
                    {"separated": "dock", "distance_above_m": 0.1},
                ]
            },
            "cannot be held and separated at once",
        ),
    ],
)
def test_what_can_never_settle_is_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=text):
        load_scenario(ROOT / "scenarios" / "dock_nds.yaml", {**DOCK, **changes})


def test_a_pair_without_latches_never_settles() -> None:
    changed = {**DOCK, "events.rest.when": [{"settled": "frames", "slower_than_m_s": 0.01}]}
    with pytest.raises(ScenarioError, match="pair 'frames' has no latches"):
        load_scenario(ROOT / "scenarios" / "dock_nds.yaml", changed)
