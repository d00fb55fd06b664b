"""`python -m benchmarks.campaign [CASES] [--system NAME] [--trust] [--peer]`: what a case of a study costs.

Cases of the IDSS box run in turns with fixed steps and at several tolerances, each to two seconds after capture and
until settled; the best processor time of a case counts, kernel and what is around it apart. The box is that of version
0.1.0, so that figures can be compared over the years; the shipped one is beside it. `--trust` adds, in the same run,
the truth (a tolerance of 1e-12), fixed steps of an eighth beside it, and the null (the start moved by 1e-12 m and by a
micrometre), and says of every mode whether outcomes agree, how far first impacts are off, and how populations of peaks
compare: late peaks scatter by themselves, so a mode counts if it is no farther from the truth than fixed steps are.
Where loops sample, what they compute acts a step later, so steps of an eighth are another system.
`--peer` times `mujoco.rollout` on the scene of the contact benchmark.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from docksim.config import load_scenario
from docksim.simulation import run as simulation
from docksim.study.case import Row, run_case
from docksim.study.plan import Plan, load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study

ROOT = Path(__file__).resolve().parents[1]
SYSTEMS = ("nds", "ibdm", "sxds", "apas")
# the box of version 0.1.0: the state holds where the ports are 0.15 m apart, friction is that of the system's file
BOX: dict[str, Any] = {
    "set": {
        "approach.distance_m": 0.15,
        "approach.start_distance_m": 0.35,
        "solver.duration_s": 60.0,
        "outputs.every_s": 0.02,
        "outputs.joint_loads": False,
    },
    "dispersions": [
        {"type": "uniform", "key": "approach.closing_rate_m_s", "low": 0.05, "high": 0.10},
        {"type": "disc", "keys": [f"approach.lateral_offset_m.{i}" for i in (0, 1)], "radius": 0.10},
        {"type": "disc", "keys": [f"approach.lateral_rate_m_s.{i}" for i in (0, 1)], "radius": 0.04},
        {"type": "disc", "keys": ["approach.pitch_deg", "approach.yaw_deg"], "radius": 4.0},
        {"type": "uniform", "key": "approach.roll_deg", "low": -4.0, "high": 4.0},
        {"type": "disc", "keys": ["approach.pitch_rate_deg_s", "approach.yaw_rate_deg_s"], "radius": 0.2},
        {"type": "uniform", "key": "approach.roll_rate_deg_s", "low": -0.2, "high": 0.2},
    ],
    "success": [{"event": "captured"}],
    "metrics": ["dock.*", "budget.residual_of_approach", "chaser.legs.*", "events.*"],
    "seed": 1,
    "band": False,
}
DELAY = {"after": "captured", "delay_s": 2.0}
STOP = [{"stop": "captured", "outcome": "captured"}]


def settled(slower_than_m_s: float) -> dict[str, Any]:
    return {"when": [{"settled": "dock", "slower_than_m_s": slower_than_m_s}], "for_s": 0.1, "do": STOP}


ENDS: dict[str, Any] = {
    "2 s": {"when": [DELAY], "do": STOP},
    "below 20 mm/s": settled(0.02),
    "below 50 mm/s": settled(0.05),
}
FIXED, FINE = "fixed", "eighth"
# the start with fixed steps, moved by so much [m]
MOVED = {"1e-12 m": 1e-12, "1e-6 m": 1e-6}
# how far a first impact may be off, and a mean of peaks beyond that of fixed steps
FIRST_BOUND, OF_NO_MATTER = 0.015, 0.005
MODES: dict[str, dict[str, Any]] = {
    FIXED: {},
    "1e-7": {"solver.tolerance": 1e-7},
    "1e-6": {"solver.tolerance": 1e-6},
    "1e-5": {"solver.tolerance": 1e-5},
}
PEER_STEPS = 500
FIRST = "dock.first_impact.peak_compression_N"
TIMES = ("dock.first_contact_s", "dock.capture_s")
PEAKS = (
    "dock.peak_compression_N",
    "dock.peak_shear_N",
    "dock.peak_bending_Nm",
    "dock.peak_torsion_Nm",
)


def box_plan(system: str, cases: int, folder: Path, changed: dict[str, Any]) -> Plan:
    """The box of 0.1.0 on a system, with some keys changed."""
    base = f"scenarios/dock_{system}.yaml"
    content = {**BOX, "base": str(ROOT / base), "cases": cases, "set": {**BOX["set"], **changed}}
    file = folder / f"box-{len(list(folder.iterdir()))}.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_plan(file)


def run_timed(plan: Plan, case: int) -> tuple[Row, float, float]:
    """A case, the processor time of its kernel, and of all of it [s]."""
    kernel = 0.0
    inner = simulation.to_the_end

    def clocked(*args: Any, **kwargs: Any) -> bool:
        nonlocal kernel
        began = time.thread_time()
        try:
            return inner(*args, **kwargs)
        finally:
            kernel += time.thread_time() - began

    simulation.to_the_end = clocked
    try:
        began = time.thread_time()
        row = run_case(plan, case)
        whole = time.thread_time() - began
    finally:
        simulation.to_the_end = inner
    assert row is not None
    return row, kernel, whole


def costs(plans: dict[str, Plan], cases: int, repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds of a case by mode, the best of some turns for each case."""
    best = {name: np.full((cases, 2), np.inf) for name in plans}
    for _ in range(repeats):
        for case in range(1, cases + 1):
            for name, plan in plans.items():
                _, kernel, whole = run_timed(plan, case)
                best[name][case - 1] = np.minimum(best[name][case - 1], (kernel, whole - kernel))
    return {name: dict(zip(("kernel", "around"), 1e3 * times.mean(axis=0))) for name, times in best.items()}


def metric(plan: Plan, rows: Sequence[Row], name: str) -> np.ndarray:
    i = plan.columns.index(name)
    return np.array([np.nan if row.metrics[i] is None else row.metrics[i] for row in rows], float)


def rows_of(plan: Plan, cases: int) -> list[Row]:
    rows = [run_case(plan, case) for case in range(1, cases + 1)]
    return [row for row in rows if row is not None]


def trust(system: str, cases: int, folder: Path, modes: Sequence[str]) -> dict[str, Any]:
    """How far each mode is from the truth, in first impacts case by case, and in populations of peaks."""
    end = {"events.end_of_case": ENDS["2 s"]}
    step = step_of(system)
    truth = box_plan(system, cases, folder, {**end, "solver.tolerance": 1e-12})
    fine = box_plan(system, cases, folder, {**end, "solver.step_s": step / 8.0})
    moved = {
        name: box_plan(system, cases, folder, {**end, "approach.distance_m": 0.15 + way}) for name, way in MOVED.items()
    }
    plans = {name: box_plan(system, cases, folder, {**end, **MODES[name]}) for name in modes}
    true_rows = rows_of(truth, cases)
    judged: dict[str, Any] = {}
    for name, plan in {**plans, **moved, FINE: fine}.items():
        judged[name] = beside_truth(plan, rows_of(plan, cases), truth, true_rows)
    for name in modes:
        judged[name]["counts"] = counts(judged[name], judged[FIXED], cases)
    return judged


def beside_truth(plan: Plan, rows: list[Row], truth: Plan, true_rows: list[Row]) -> dict[str, Any]:
    """One mode beside the truth."""
    pairs = {name: (metric(plan, rows, name), metric(truth, true_rows, name)) for name in (FIRST, *PEAKS, *TIMES)}
    off = pairs[FIRST][0] / pairs[FIRST][1] - 1.0
    peak, true_peak = pairs[PEAKS[0]]
    size = np.abs(off)
    return {
        "outcomes": sum(a.outcome == b.outcome for a, b in zip(rows, true_rows, strict=True)),
        "first_impact": [float(np.nanmedian(size)), float(np.nanquantile(size, 0.9)), float(np.nanmax(size))],
        "first_impact_mean": float(np.nanmean(off)),
        "peaks_apart": float(np.mean(np.abs(peak / true_peak - 1.0) > 0.01)),
        "times_s": [float(np.nanmax(np.abs(pairs[t][0] - pairs[t][1]))) for t in TIMES],
        "populations": {p: quantiles_off(*pairs[p]) for p in PEAKS},
        "means": {p: mean_off(*pairs[p]) for p in PEAKS},
    }


def mean_off(values: np.ndarray, truth: np.ndarray) -> list[float]:
    """Mean of the logarithm of value over truth, case by case, and its standard error."""
    ratio = np.log(values / truth)
    ratio = ratio[np.isfinite(ratio)]
    return [float(ratio.mean()), float(ratio.std(ddof=1) / np.sqrt(len(ratio)))] if len(ratio) > 1 else [0.0, 0.0]


def counts(mode: dict[str, Any], fixed: dict[str, Any], cases: int) -> bool:
    """Does a mode count: outcomes agree, first impacts to 1.5 %, means of peaks no farther off than of fixed steps?

    Case by case peaks scatter by themselves, by a tenth and more, so means differ by chance: by up to twice the
    standard error of both. What is less than OF_NO_MATTER is not held against a mode.
    """
    if mode["outcomes"] != cases or not mode["first_impact"][-1] <= FIRST_BOUND:
        return False
    for name in PEAKS:
        (own, scatter), (usual, usual_scatter) = mode["means"][name], fixed["means"][name]
        if abs(own) > abs(usual) + max(2.0 * float(np.hypot(scatter, usual_scatter)), OF_NO_MATTER):
            return False
    return True


def step_of(system: str) -> float:
    return load_scenario(ROOT / "scenarios" / f"dock_{system}.yaml").solver.step_s


def quantiles_off(values: np.ndarray, truth: np.ndarray) -> list[float]:
    """Median and 95 % value against the truth's, less 1."""
    return [float(np.nanquantile(values, q) / np.nanquantile(truth, q) - 1.0) for q in (0.5, 0.95)]


def study_wall(system: str, cases: int, folder: Path, changed: dict[str, Any]) -> float:
    """Cases an hour of a study with two workers, rows on disk."""
    plan = box_plan(system, cases, folder, changed)
    began = time.perf_counter()
    run_study(plan, folder / f"out-{time.monotonic_ns()}", Workers(2))
    return 3600.0 * cases / (time.perf_counter() - began)


def peer() -> dict[str, float]:
    """Microseconds a step of MuJoCo on the scene of the contact benchmark, one thread of `mujoco.rollout`."""
    import mujoco
    from mujoco import rollout

    from benchmarks.contact_mujoco import COARSE, ContactPeer
    from benchmarks.contact_rig import ContactRig

    best_us = {}
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    for integrator in ("RK4", "Euler"):
        scene = ContactPeer(ContactRig(0.11, 0.001), COARSE, integrator).until_touch()
        state = np.zeros(mujoco.mj_stateSize(scene.model, full))
        mujoco.mj_getState(scene.model, scene.data, state, full)
        best = np.inf
        for _ in range(5):
            began = time.process_time()
            rollout.rollout(scene.model, mujoco.MjData(scene.model), state[None], nstep=PEER_STEPS)
            best = min(best, time.process_time() - began)
        best_us[integrator] = 1e6 * best / PEER_STEPS
    return best_us


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.campaign")
    parser.add_argument("cases", nargs="?", type=int, default=24)
    parser.add_argument("--system", choices=SYSTEMS, default="nds")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--trust", action="store_true")
    parser.add_argument("--only-trust", action="store_true", help="no costs")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--study", type=int, default=0, metavar="CASES", help="also a whole study, by the clock")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    simulation.prepare_kernel()
    with tempfile.TemporaryDirectory() as name:
        told = measured(given, Path(name))
    if given.json:
        given.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def measured(given: argparse.Namespace, folder: Path) -> dict[str, Any]:
    plans = {
        f"{mode}, {end}": box_plan(given.system, given.cases, folder, {"events.end_of_case": ENDS[end], **MODES[mode]})
        for mode in MODES
        for end in ENDS
    }
    told: dict[str, Any] = {}
    if not given.only_trust:
        told["costs"] = costs(plans, given.cases, given.repeats)
        print_costs(told["costs"])
    if given.trust or given.only_trust:
        told["trust"] = trust(given.system, given.cases, folder, list(MODES))
        print_trust(told["trust"], given.cases)
    if given.study:
        changed = {"solver.tolerance": 1e-6, "events.end_of_case": ENDS["below 20 mm/s"]}
        told["study"] = study_wall(given.system, given.study, folder, changed)
        print(f"study of {given.study} cases at 1e-6, settled, two workers: {told['study']:.0f} cases an hour")
    if given.peer:
        told["peer"] = peer()
        print("mujoco.rollout, us a step: " + ", ".join(f"{name} {us:.1f}" for name, us in told["peer"].items()))
    return told


def print_costs(told: dict[str, dict[str, float]]) -> None:
    today = sum(told[f"{FIXED}, 2 s"].values())
    for name, row in told.items():
        whole = row["kernel"] + row["around"]
        hour = 2.0 * 3.6e6 / whole
        parts = f"kernel {row['kernel']:7.1f} ms, around {row['around']:5.1f} ms"
        print(f"{name:<22}{parts}; {today / whole:5.2f} times as fast; {hour:9.0f} cases an hour on two free cores")


def print_trust(judged: dict[str, Any], cases: int) -> None:
    for name, row in judged.items():
        first = " / ".join(f"{x:.1e}" for x in row["first_impact"])
        times = " / ".join(f"{x:.1e}" for x in row["times_s"])
        first = f"{first}, mean {row['first_impact_mean']:+.1e}"
        print(f"{name:<8} outcomes {row['outcomes']}/{cases}; first impact {first}; times {times} s")
        peaks = "; ".join(f"{p.split('.')[1]} {m:+.1%} {q:+.1%}" for p, (m, q) in row["populations"].items())
        print(f"{'':<8} {peaks}; compression off by more than 1 % in {row['peaks_apart']:.0%}")
        means = "; ".join(f"{p.split('.')[1]} {m:+.1%} +- {e:.1%}" for p, (m, e) in row["means"].items())
        verdict = {True: "; it counts", False: "; IT DOES NOT COUNT", None: ""}[row.get("counts")]
        print(f"{'':<8} means: {means}{verdict}")


if __name__ == "__main__":
    main()
