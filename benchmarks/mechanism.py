"""A docking mechanism on a floating base: forward dynamics against Pinocchio, a step of RK4 against MuJoCo."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.forward import call_overhead
from benchmarks.loops import evaluations, leg_joint_passes, mechanism_passes
from benchmarks.mechanism_pinocchio import peers
from benchmarks.mechanism_rig import MechanismRig
from benchmarks.scaling import stepping
from benchmarks.timing import Cost, Task, costs, spread

AGREEMENT = 1e-8  # lcaba gives 1e-10 at its accuracy of 1e-9; worse would mean another problem
INTO_MOTION = 300  # steps after which the forward dynamics are compared: legs askew, springs loaded
REFINED = 4  # the reference has steps so much shorter


def mechanism_forward(kinds: Sequence[str], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """One row per leg type; times in microseconds, ratios of docksim over the fastest form of each peer."""
    overhead = call_overhead(repeats, seconds)
    return [{"legs": kind, **compare(kind, overhead, repeats, seconds)} for kind in kinds]


def compare(kind: str, overhead: float, repeats: int, seconds: float) -> dict[str, Any]:
    rig = MechanismRig(kind).run(INTO_MOTION)
    joints = np.zeros((6, 4))
    theirs = peers(rig)
    mechanism_passes(*rig.tables, 1)
    ours = rig.acceleration()
    disagreement = max(
        float(np.abs(peer.acceleration(solve(1)) - ours).max() / np.abs(ours).max()) for peer, solve in theirs.values()
    )
    if not disagreement < AGREEMENT:
        raise RuntimeError(f"the codes disagree by {disagreement:.1e} of the largest acceleration")
    tasks: dict[str, Task] = {
        "passes": lambda n: mechanism_passes(*rig.tables, n),
        "with joints": lambda n: leg_joint_passes(*rig.tables, joints, n),
        "evaluate": lambda n: evaluations(*rig.tables, n),
        **{name: solve for name, (_, solve) in theirs.items()},
    }
    found = costs(tasks, repeats, seconds)
    ways = {name: found[name].less(overhead) for name in theirs}
    best = min(ways, key=lambda name: ways[name].best)
    pairs = [mine / other for mine, other in zip(found["passes"].samples, ways[best].samples)]
    return {
        "docksim_us": 1e6 * found["passes"].best,
        "with_joints_us": 1e6 * found["with joints"].best,
        "evaluate_us": 1e6 * found["evaluate"].best,
        "constraint_dynamics_us": 1e6 * fastest(ways, "constraintDynamics"),
        "lcaba_us": 1e6 * fastest(ways, "lcaba"),
        "peer": best,
        "ratio": found["passes"].best / ways[best].best,
        "ratio_median": statistics.median(pairs),
        "ratio_spread": spread(pairs),
        "ratio_plain": found["passes"].best / fastest(ways, "lcaba, 6 cuts, one-axis"),
        "call_us": 1e6 * overhead,
        "disagreement": disagreement,
        "peers_us": {name: 1e6 * cost.best for name, cost in ways.items()},
    }


def fastest(ways: dict[str, Cost], start: str) -> float:
    return min(cost.best for name, cost in ways.items() if name.startswith(start))


def mechanism_steps(
    kinds: Sequence[str], repeats: int, seconds: float, step: float = 1e-3, duration: float = 10.0
) -> list[dict[str, Any]]:
    """Rows of docksim and, if it is installed, of MuJoCo: a step of RK4, and the error of an undamped motion."""
    rows: list[dict[str, Any]] = []
    for kind in kinds:
        rows += steps_of(kind, repeats, seconds, step, duration)
    return rows


def steps_of(kind: str, repeats: int, seconds: float, step: float, duration: float) -> list[dict[str, Any]]:
    n = round(duration / step)
    reference = MechanismRig(kind, step / REFINED, duration).run(REFINED * n).ring_position()

    def rig() -> MechanismRig:
        return MechanismRig(kind, step, duration)

    end = rig().run(n)
    errors = {"docksim": float(np.linalg.norm(end.ring_position() - reference))}
    gaps = {"docksim": end.gap()}
    tasks: dict[str, Task] = {"docksim": stepping(rig().compiled)}
    if mujoco_installed():
        from benchmarks.mechanism_mujoco import TUNING, MujocoPeer

        for tuning in TUNING:
            for cuts in (6, 5):
                name = f"MuJoCo, {tuning}, {cuts} cuts"
                peer = MujocoPeer(rig(), TUNING[tuning], cuts == 5)
                tasks[name] = peer.task
                moved = MujocoPeer(rig(), TUNING[tuning], cuts == 5)
                gaps[name] = moved.run(n)
                errors[name] = float(np.linalg.norm(moved.ring_position() - reference))
    found = costs(tasks, repeats, seconds)
    ours = found["docksim"]
    return [
        {
            "legs": kind,
            "code": name,
            "step_us": 1e6 * cost.best,
            "ratio": ours.best / cost.best,
            "ratio_median": statistics.median(mine / other for mine, other in zip(ours.samples, cost.samples)),
            "gap_m": gaps[name],
            "error_m": errors[name],
            "spread": cost.spread,
        }
        for name, cost in found.items()
    ]


def mujoco_installed() -> bool:
    return find_spec("mujoco") is not None
