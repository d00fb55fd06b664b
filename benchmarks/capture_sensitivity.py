"""Which error costs most: the slowest approach that still captures, with one error at a time at the edge of the box.

    python -m benchmarks.capture_sensitivity sxds [--thrust 150]

Lateral offset and tilt are taken in four directions, roll in two; the worst counts. The slowest capture is found by
halving an interval, on the assumption that what captures at a speed captures at a higher one.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.capture_statistics import BOXES, SYSTEMS, approach, run_cases, turned

SLOWEST, FASTEST, HALVINGS = 0.012, 0.10, 5
NONE = np.zeros(2)


def errors(part: float = 1.0) -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
    """Lateral offset [m] and turn (roll, pitch, yaw) [deg], by kind of error."""
    box = BOXES["idss"]
    sides = [0.5 * np.pi * k for k in range(4)]
    tilts = [np.array([0.0, *turned(part * box.tilt_deg, side)]) for side in sides]
    return {
        "none": [(NONE, np.zeros(3))],
        "lateral": [(turned(part * box.offset_m, side), np.zeros(3)) for side in sides],
        "tilt": [(NONE, tilt) for tilt in tilts],
        "roll": [(NONE, np.array([sign * part * box.roll_deg, 0.0, 0.0])) for sign in (1.0, -1.0)],
    }


def slowest_capture(system: str, offset: np.ndarray, turn: np.ndarray, thrust: float | None) -> float:
    """Closing rate above which the approach is captured [m/s]; infinite if it is not at FASTEST."""
    low, high = SLOWEST, FASTEST
    for k in range(HALVINGS + 1):
        speed = high if k == 0 else float(np.sqrt(low * high))
        run = run_cases(system, [approach(speed, offset, NONE, turn, np.zeros(3))], thrust=thrust)[0]
        if k == 0 and run.outcome != "captured":
            return float("inf")
        if run.outcome == "captured":
            high = speed
        else:
            low = speed
    return high


def main() -> None:
    parser = argparse.ArgumentParser(description="The slowest approach that captures, one error at a time.")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--thrust", type=float, help="post-contact thrust [N]")
    args = parser.parse_args()
    for kind, cases in errors().items():
        speeds = [slowest_capture(args.system, offset, turn, args.thrust) for offset, turn in cases]
        print(f"{kind}: worst {max(speeds):.4f} m/s; " + ", ".join(f"{speed:.4f}" for speed in speeds), flush=True)


if __name__ == "__main__":
    main()
