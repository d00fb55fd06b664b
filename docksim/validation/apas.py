"""Rows about the differential-coupled system: what thrust and speed it takes, and how its motion dies out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from docksim.config import load_scenario
from docksim.config.schema.band_ends import at_end
from docksim.config.schema.bands import ENDS
from docksim.config.schema.scenario import Scenario
from docksim.validation.bench import UNTIL_CAPTURE, Bench, Job, Told, cases_of, fixed_in, path_of
from docksim.validation.row import Finding, Row, captured

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


IMPACT_M_S = 0.15
# an electromagnetic brake on the elevation of each pair, as strong as the others after capture; springs twice as stiff
OWN_BRAKE = {"eddy_current": {"peak_force_N": 120.0, "at_rate_m_s": 0.08}}
DAMPINGS_NS_M = (5e3, 1e4, 2e4, 3e4, 4e4)


def softened(bench: Bench, size: int) -> Finding:
    """A central impact with and without dampers on the elevation of the three pairs, and how strong they had to be."""
    couplings = "chaser.mechanism.couplings"
    pairs = ([0.5, 0.5, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.5, 0.5])
    ending = {"when": [{"after": "captured", "delay_s": 2.0}], "do": [{"stop": "captured", "outcome": "captured"}]}

    def impact(damper: dict[str, Any] | None, **springs: float) -> Job:
        dampers = {
            f"{couplings}.elevation_{k + 1}": {"weights": pair, "linear": damper} for k, pair in enumerate(pairs)
        }
        axial = {f"{couplings}.axial.linear.{key}": value for key, value in springs.items()}
        changes = {"events.end_of_case": ending, **(dampers if damper else {}), **axial}
        return Job(ships(IMPACT_M_S, changes=changes))

    own = impact(OWN_BRAKE, preload_N=1600.0, stiffness_N_m=4000.0)
    jobs = [impact(None), own, *(impact({"damping_Ns_m": damping}) for damping in DAMPINGS_NS_M)]
    after, before, *stronger = (told.number("dock.peak_compression_N") for told in bench.runs(jobs))
    cut = [1.0 - after / force for force in (before, *stronger)]
    needed = float(np.interp(0.4, cut[1:], DAMPINGS_NS_M))
    words = f"{before:.0f} to {after:.0f} N: {100 * cut[0]:.0f} %; 40 % takes {1e-3 * needed:.0f} kN s/m in each pair"
    figures = {"before_N": before, "after_N": after, "cut": cut[0], "needed_Ns_m": needed}
    return Finding(words, 0.3 <= cut[0] <= 0.5, figures)


QUIET_S = 40.0


def second_docking(bench: Bench, size: int) -> Finding:
    """How fast Soyuz, the chaser, is turned after capture, and what is left of the two turning against each other."""
    told = bench.run("dock_astp_second", channels=["chaser.rate_deg_s", "station.rate_deg_s"])
    time = told.time - told.number("dock.capture_s")
    rates = told.channel("chaser.rate_deg_s")
    soyuz = np.linalg.norm(rates, axis=1)
    # the ports face each other, so rates about their x axes count against each other
    relative = np.abs(rates[:, 0] + told.channel("station.rate_deg_s")[:, 0])
    fastest, most = float(soyuz[time >= 0.0].max()), float(relative[time >= 0.0].max())
    # docked before, they turn as one
    left = float(np.interp(QUIET_S, time, relative, right=0.0)) / most
    words = (
        f"{fastest:.1f} deg/s; {100 * left:.0f} % of {most:.1f} deg/s of relative roll left after 40 s; {told.outcome}"
    )
    curves = {"time_s": time.tolist(), "soyuz_deg_s": soyuz.tolist(), "relative_deg_s": relative.tolist()}
    passes = 2.5 <= fastest <= 3.5 and left < 0.25
    return Finding(words, passes, {"fastest_deg_s": fastest, "left": left}, curves)


LIMIT_N = 20000.0


def axial_force(bench: Bench, size: int) -> Finding:
    """The box that goes with the published limit, the same draws with soft, middle and hard contact."""
    cases = cases_of(fixed_in("sast_apas", UNTIL_CAPTURE), size)
    runs = {end: bench.runs([replace(case, scenario=at_end(case.scenario, end)) for case in cases]) for end in ENDS}
    peaks = {end: sorted(told.number("dock.peak_compression_N") for told in batch) for end, batch in runs.items()}
    largest = {end: values[-1] for end, values in peaks.items()}
    caught = sum(captured(batch) for batch in runs.values())
    words = f"largest {', '.join(f'{1e-3 * load:.1f}' for load in largest.values())} kN (low, middle, high); "
    words += f"{caught} of {3 * size} captured"
    return Finding(
        words,
        largest["high"] <= LIMIT_N,
        {f"largest_{end}_N": load for end, load in largest.items()},
        {"peaks_N": peaks, "limit_N": LIMIT_N},
    )


ALONG, ACROSS = ("axial",), ("pair_1", "pair_2", "turn_1", "turn_2")
# the one brake along the axis, and eddy currents and friction in the differentials
TAKEN = {"axial": ["chaser.couplings.axial.brake_work_J"]} | {
    name: [f"chaser.couplings.{name}.{kind}_work_J" for kind in ("brake", "damper")] for name in ACROSS
}


def time_scales(bench: Bench, size: int) -> Finding:
    """A nominal docking and one at the edge of the box."""
    channels = [*(key for keys in TAKEN.values() for key in keys), "chaser.rate_deg_s"]
    scenarios = ("dock_apas", "dock_apas_edge")
    runs = [bench.run(name, channels=channels) for name in scenarios]
    held = all(told.outcome in ("captured", "hard-docked") for told in runs)
    if not held:
        return Finding(", ".join(f"{name} {told.outcome}" for name, told in zip(scenarios, runs, strict=True)), False)
    along, across, angles = zip(*((_taken(told, ALONG), _taken(told, ACROSS), _turning(told)) for told in runs))
    words = f"{_range(along, 2)}, {_range(across, 1)}, {_range(angles, 0)} s (nominal and edge)"
    figures = {
        f"{kind}_{k}_s": times[k]
        for k in (0, 1)
        for kind, times in (("along", along), ("across", across), ("angles", angles))
    }
    decades = ((along, 0.1, 1.0), (across, 1.0, 10.0), (angles, 10.0, 100.0))
    return Finding(words, all(low < time < high for times, low, high in decades for time in times), figures)


def _range(times: Sequence[float], digits: int) -> str:
    return " and ".join(f"{time:.{digits}f}" for time in times)


def _taken(told: Told, names: Sequence[str], share: float = 0.95) -> float:
    """How long after capture brakes and dampers have taken most of what they take until the ring is aligned [s]."""
    work = -np.sum([told.channel(key) for name in names for key in TAKEN[name]], axis=0)
    captured = told.number("dock.capture_s")
    rows = np.flatnonzero((told.time >= captured) & ~(told.time >= told.event("align")))
    taken = work[rows] - work[rows[0]]
    return float(told.time[rows][np.flatnonzero(taken < share * taken[-1])[-1]] - captured)


def _turning(told: Told, share: float = 0.2) -> float:
    """How long after capture the chaser's rate last exceeds a share of its peak [s]."""
    after = told.time >= told.number("dock.capture_s")
    rate = np.linalg.norm(told.channel("chaser.rate_deg_s")[after], axis=1)
    return float(told.time[after][np.flatnonzero(rate > share * rate.max())[-1]] - told.number("dock.capture_s"))


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
    Row(
        name="apas_softened",
        published="without dampers on the elevation and with softer springs the longitudinal force of a central impact "
        "fell by about 40 %",
        source=f"{BOOK}, p. 234-235 (brakes on the three pairs of nuts removed: p. 64-65)",
        band="30 to 50 % less, the dampers being as strong as the model's others, springs half as stiff",
        reason="neither dampers nor springs are given in figures: those of the model's other coordinates are taken",
        experiment=softened, short=7, full=7,
        lacks="figures of the old dampers: as strong as the model's other brakes they hardly count beside the brake "
        "along the axis, which slips at 4 kN from the start and sets the force of a central impact; the experiment "
        "tells how strong they would have to be, which would be tuning",
    ),
    Row(
        name="astp_second",
        published="second Apollo-Soyuz docking: 1 deg/s of relative roll at capture, Soyuz turned at about 3 deg/s, "
        "all motion damped after about 40 s",
        source="press briefing, Moscow, 20 July 1975",
        band="Soyuz at 2.5 to 3.5 deg/s; less than a quarter of the relative roll left after 40 s",
        reason="'about': half a degree a second; damped: what is left cannot be told from play in the latches"
        "; the roll that the two have together is kept, since no control acts here, and is not judged",
        experiment=second_docking, short=1, full=1,
        tuned=("scenarios/dock_astp_second.yaml: how long Apollo's roll jets fire (the 3 deg/s, not the 40 s)",),
    ),
    Row(
        name="sast_axial_force",
        published="axial contact force of at most 20 kN over the unit's box of initial conditions",
        source="SAST product page 59 (force and box)",
        band="largest compression of the population at most 20 kN with the hardest contact",
        reason="contact stiffness is unknown: a limit that holds must hold for all of its band",
        experiment=axial_force, short=2, full=100, unit="cases", seed=1,
    ),
    Row(
        name="apas_time_scales",
        published="after linkage the motion along the axis stops in tenths of a second, across in seconds, in "
        "angle in tens of seconds",
        source=f"{BOOK}, p. 185",
        band="0.1 to 1 s, 1 to 10 s, 10 to 100 s: absorbers have taken 95 %, rates of the ship stay below a fifth of "
        "their peak",
        reason="the words, as decades",
        experiment=time_scales, short=2, full=2,
    ),
)  # fmt: skip
