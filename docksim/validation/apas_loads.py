"""Rows about the differential-coupled system: its loads, and how its motion dies out after capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from docksim.config.schema.band_ends import at_end
from docksim.config.schema.bands import ENDS
from docksim.validation.apas import BOOK, ships
from docksim.validation.bench import UNTIL_CAPTURE, Bench, Job, Told, cases_of, fixed_in
from docksim.validation.row import Finding, Row, captured

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
