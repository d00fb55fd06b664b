"""Rows about the differential-coupled system: what thrust and speed its capture takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from docksim.config import load_scenario
from docksim.config.schema.scenario import Scenario
from docksim.validation.bench import Bench, Job, Told, path_of
from docksim.validation.row import Finding, Row

BOOK = "Syromyatnikov, Spacecraft Docking Devices"
# the two ships of the Apollo-Soyuz flight, whose masses are given: Soyuz, a uniform cylinder of 7.48 m, and Apollo with
# its docking module, whose port is 8.3 m from the mass centre; inertias are estimates
ACTIVE_KG, PASSIVE_KG = 6680.0, 16800.0
ACTIVE_KG_M2, PASSIVE_KG_M2 = (6180.0, 34240.0, 34240.0), (38000.0, 143000.0, 143000.0)
ACTIVE_PORT_M, PASSIVE_PORT_M = 3.74, 8.3
TILT_DEG, LATERAL_M, ROLL_DEG = 7.0, 0.16, 7.0
SLOW_M_S, SOON_S = 0.05, 3.0
TUNED = ("configs/mechanisms/apas_like.yaml: stiffness_N_m and friction_N of the five soft couplings",)


def ships(
    speed: float,
    tilt: float = 0.0,
    lateral: float = 0.0,
    roll: float = 0.0,
    thrust: float = 0.0,
    side_deg: float = 0.0,
    held: float = 1.0,
    duration: float = 20.0,
    changes: dict[str, Any] | None = None,
) -> Scenario:
    """The two ships before contact with one error; `held` multiplies their inertias, so that they hardly turn."""
    c, s = math.cos(math.radians(side_deg)), math.sin(math.radians(side_deg))
    content = {
        "name": "apas_ships",
        "use": path_of("configs/systems", "apas_like"),
        "vehicles": {
            "chaser": {
                "mass_kg": ACTIVE_KG, "inertia_kg_m2": [held * figure for figure in ACTIVE_KG_M2],
                "ports": {"nose": {"position_m": [ACTIVE_PORT_M, 0.0, 0.0]}},
                "thrusters": {"push": {"direction": [1.0, 0.0, 0.0], "force_N": max(thrust, 1e-6)}},
                "mechanism": {"position_m": [ACTIVE_PORT_M - 0.15, 0.0, 0.0]},
            },
            "station": {
                "mass_kg": PASSIVE_KG, "inertia_kg_m2": [held * figure for figure in PASSIVE_KG_M2],
                "ports": {
                    "dock": {
                        "position_m": [PASSIVE_PORT_M, 0.0, 0.0],
                        "interface": {"use": path_of("configs/interfaces", "apas_port")},
                    }
                },
            },
        },
        "approach": {
            "active": "chaser.ring.face", "passive": "station.dock", "distance_m": 0.3, "closing_rate_m_s": speed,
            "pitch_deg": tilt * c, "yaw_deg": tilt * s, "roll_deg": roll,
            "lateral_offset_m": [lateral * c, lateral * s],
        },
        # thrust lasts until capture, where the run ends
        "events": {
            "thrust": {"when": {"after": "contact"}, "do": [{"fire": {"thruster": "chaser.push", "duration_s": 60.0}}]},
            "end_of_case": {"when": [{"after": "captured"}], "do": [{"stop": "captured", "outcome": "captured"}]},
        },
        "solver": {"duration_s": 0.3 / speed + duration},
        "outputs": {"joint_loads": False, "every_s": 0.02},
    }  # fmt: skip
    return load_scenario(content, changes)


def took(told: Told) -> float:
    """From first contact to capture [s]; infinite without capture."""
    seconds = told.number("dock.capture_s") - told.number("dock.first_contact_s")
    return float(seconds) if told.outcome == "captured" else math.inf


def shown(seconds: float) -> str:
    return f"{seconds:.1f} s" if math.isfinite(seconds) else "none"


def bisected(holds: Callable[[float], bool], low: float, high: float, steps: int) -> tuple[float, float]:
    """Halve, by ratio, the interval from where a condition does not hold to where it does."""
    for _ in range(steps):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return low, high


def thrust(bench: Bench, size: int) -> Finding:
    """A slow approach, 7 deg askew, with less and more thrust."""
    thrusts = (0.0, 300.0, 600.0, 1000.0, 1500.0)
    runs = bench.runs([Job(ships(SLOW_M_S, tilt=TILT_DEG, thrust=force)) for force in thrusts])
    times = [took(told) for told in runs]
    free, weak, strong = times[0], times[2], times[4]
    words = f"0 N {shown(free)}, 600 N {shown(weak)}, 1500 N {shown(strong)}"
    figures = {f"capture_s_{force:.0f}_N": seconds for force, seconds in zip(thrusts, times, strict=True)}
    passes = math.isinf(free) and weak > SOON_S and strong < 1.5
    return Finding(words, passes, figures, {"thrust_N": list(thrusts), "capture_s": times})


def tilting_force(scenario: Scenario) -> float:
    """Static force at the ring's edge that tilts it by 7 deg with its mean length held [N].

    F = 1.5 c (1.5 c K r theta + Fc) for legs at a cosine c to the axis: the three pairs share it as (1, -1/2, -1/2).
    """
    mechanism = scenario.vehicles["chaser"].mechanism
    assert mechanism is not None
    leg = mechanism.six_legs()[0]
    height = mechanism.reference.position_m[0]
    ring, base = np.array(leg.ring_joint_m), np.array(leg.base_joint_m)
    along = ring + [height, 0.0, 0.0] - base
    c = along[0] / float(np.linalg.norm(along))
    r = float(np.hypot(*ring[1:]))
    device = mechanism.couplings["pair_1"].linear
    assert device is not None
    return float(1.5 * c * (1.5 * c * device.stiffness_N_m * r * math.radians(TILT_DEG) + device.friction_N))


def threshold(bench: Bench, size: int) -> Finding:
    """With ships that hardly turn, the thrust from which a slow approach is captured soon."""

    def soon(force: float) -> bool:
        (told,) = bench.runs([Job(ships(SLOW_M_S, tilt=TILT_DEG, thrust=force, held=100.0, duration=8.0))])
        return took(told) < SOON_S

    equivalent = PASSIVE_KG / (ACTIVE_KG + PASSIVE_KG)
    force = tilting_force(ships(SLOW_M_S))
    low, high = (equivalent * bound for bound in bisected(soon, 400.0, 3200.0, 5))
    share = math.sqrt(low * high) / force
    words = f"{low:.0f} to {high:.0f} N, {share:.2f} of the {force:.0f} N that tilt the ring"
    figures = {"low_N": low, "high_N": high, "tilting_N": force, "part": share}
    return Finding(words, 0.7 <= low / force and high / force <= 1.1, figures)


def slowest(bench: Bench, size: int) -> Finding:
    """The slowest approach, 7 deg askew, that is captured without thrust."""

    def caught(speed: float) -> bool:
        (told,) = bench.runs([Job(ships(speed, tilt=TILT_DEG))])
        return told.outcome == "captured"

    low, high = bisected(caught, 0.02, 0.32, 6)
    return Finding(f"{low:.3f} to {high:.3f} m/s", 0.10 <= low and high <= 0.18, {"low_m_s": low, "high_m_s": high})


def angle_first(bench: Bench, size: int) -> Finding:
    """The largest share of each error, in the worst of two directions, that is captured soon at 0.05 m/s with 600 N."""
    kinds = {"tilt": TILT_DEG, "lateral": LATERAL_M, "roll": ROLL_DEG}
    sides = {"tilt": (0.0, 90.0), "lateral": (0.0, 90.0), "roll": (0.0,)}
    shares = [k / size for k in range(1, size + 1)]

    def tried(kind: str, side: float, share: float) -> Job:
        error: dict[str, Any] = {kind: share * kinds[kind]}
        return Job(ships(SLOW_M_S, thrust=600.0, side_deg=side, duration=8.0, **error))

    grid = [(kind, side, share) for kind in kinds for side in sides[kind] for share in shares]
    caught = dict(zip(grid, (took(told) < SOON_S for told in bench.runs([tried(*one) for one in grid])), strict=True))

    def largest(kind: str, side: float) -> float:
        """Up to the first share that is missed."""
        missed = [share for share in shares if not caught[kind, side, share]]
        return max((share for share in shares if not missed or share < missed[0]), default=0.0)

    kept = {kind: min(largest(kind, side) for side in sides[kind]) for kind in kinds}
    words = ", ".join(f"{kind} {share:.2f}" for kind, share in kept.items())
    return Finding(
        words,
        kept["tilt"] < 0.75 and kept["lateral"] == 1.0,
        kept,
        {"parts": kept, "whole": {"tilt": "7 deg", "lateral": "0.16 m", "roll": "7 deg"}},
    )


ROWS = (
    Row(
        name="apas_thrust",
        published="capture at any speed once the force that tilts the ring is below the equivalent thrust, with "
        "1.5 kN (Soyuz)",
        source=f"{BOOK}, p. 234-235",
        band="0.05 m/s, 7 deg: no capture at 0 N, later than 3 s at 600 N, within 1.5 s at 1500 N",
        reason="equivalent thrust T m2/(m1 + m2): 600 N are below what tilts the ring, 1500 N above; slower than "
        "3 s is the ships turning, not the ring",
        experiment=thrust, short=5, full=5, tuned=TUNED,
    ),
    Row(
        name="apas_threshold",
        published="the criterion itself: capture begins where the equivalent thrust passes the force that tilts "
        "the ring",
        source=f"{BOOK}, p. 234-235",
        band="between 0.7 and 1.1 of the static force at the ring's edge, ships held (inertia times 100)",
        reason="the force acts at a guide, somewhat outside the ring joints, and 0.05 m/s bring some momentum",
        experiment=threshold, short=5, full=5,
    ),
    Row(
        name="apas_slowest",
        published="the approach had to have 0.14 m/s before the change, with little thrust",
        source=f"{BOOK}, p. 234-235",
        band="slowest capture at 7 deg without thrust between 0.10 and 0.18 m/s",
        reason="a quarter to either side: the thrust of that figure and the error it holds for are not given",
        experiment=slowest, short=6, full=6, tuned=TUNED,
    ),
    Row(
        name="apas_angle_first",
        published="capture is most sensitive to angular misalignment, least to lateral",
        source="Schliesing, 7th AMS 1972, NTRS 19730010144, abstract",
        band="0.05 m/s, 600 N, within 3 s: less than 0.75 of 7 deg of tilt, all of 0.16 m",
        reason="the order is published, not its size: a quarter of the limit apart is an order",
        experiment=angle_first, short=4, full=8, unit="parts of each error",
    ),
)  # fmt: skip
