"""Rows about the motor-driven system, single cases of its tests and its requirement over its box; and about the passive
ring on sprung arms."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.config import load_scenario
from docksim.validation.bench import UNTIL_CAPTURE, Bench, Told, fixed_in, path_of, shipped
from docksim.validation.row import Finding, Row, captured, share

PAPER = "McFatter, Keiser, Rupp, 44th AMS, NASA/CP-2018-219887"
PASSIVE_PAPER, PASSIVE_M_S = "Matthews et al., 45th AMS, 2020, p. 483-494", 0.08
LATCHES = tuple(f"dock.latch_{k}_force_N" for k in (1, 2, 3))
LEGS = tuple(f"chaser.legs.{k}.travel_m" for k in range(1, 7))
LEG_FRICTION_N = 30.0
# what a rig follows, and rows of the log within it
RIG_S, RIG_ROWS = 0.1, 100
# chasers of the published tests: uniform cylinders of 8.1 m and 2 m radius, estimates
CYLINDERS = {10: (10000.0, [20000.0, 64675.0, 64675.0]), 18: (18000.0, [36000.0, 116415.0, 116415.0])}


def yaw(bench: Bench, size: int) -> Finding:
    """Four statements about one docking; each is true or not."""
    told = bench.run("dock_nds_yaw", channels=[*LATCHES, *LEGS, "dock.peak_compression_N", "dock.load_force_N"])
    load = _one_load_event(told)
    first, second, _ = sorted(_first_touches(told))
    back, others = _struts(told)
    lunged, attenuating = (
        np.array([told.channel(name)[np.searchsorted(told.time, told.event(event))] for name in LEGS])
        for event in ("lunge", "attenuate")
    )
    change = attenuating - lunged
    true = {
        # a pawl on its striker before any surfaces, and long before the others
        "one latch first": first < told.number("dock.first_contact_s") and second > first + 0.2,
        "its struts back": bool(lunged[back].max() < min(-0.02, lunged[others].min() - 0.02)),
        "others extend": bool(change[others].min() > 0.0 > change[back].max()),
        "one load event": 0.0 < load["peak_after_s"] < 0.3 and max(load["before"], load["later"]) < 0.6,
    }
    words = ", ".join(f"{name}: {'yes' if held else 'no'}" for name, held in true.items())
    words += f" ({load['peak_N']:.0f} N, before {load['before']:.2f} and later {load['later']:.2f} of it)"
    curves: dict[str, Any] = {"time_s": told.time.tolist(), "legs_m": [told.channel(name).tolist() for name in LEGS]}
    curves |= {"met_first": back, "lunge_s": told.event("lunge"), "attenuate_s": told.event("attenuate")}
    return Finding(f"{words}; {told.outcome}", all(true.values()) and told.outcome == "captured", load, curves)


def _first_touches(told: Told) -> list[float]:
    """When each pawl first feels its striker [s]."""
    rows = [np.flatnonzero(told.channel(name)) for name in LATCHES]
    return [float(told.time[row[0]]) if len(row) else np.inf for row in rows]


def _struts(told: Told) -> tuple[list[int], list[int]]:
    """The two legs whose ring joints are nearest the petal that is touched first; the four others."""
    azimuth = np.radians(120.0 * int(np.argmin(_first_touches(told))))
    mechanism = load_scenario(path_of("scenarios", "dock_nds_yaw")).vehicles["chaser"].mechanism
    assert mechanism is not None
    towards = np.array([0.0, np.cos(azimuth), np.sin(azimuth)])
    order = np.argsort([-float(towards @ np.array(leg.ring_joint_m)) for leg in mechanism.six_legs()]).tolist()
    return order[:2], order[2:]


def _one_load_event(told: Told) -> dict[str, float]:
    """When the largest compression comes after attenuation begins [s], and what is largest before and later, by it."""
    start, time = told.event("attenuate"), told.time
    # the largest until the ring is aligned, and when it was reached
    until = ~(time >= told.event("align"))
    peaks = told.channel("dock.peak_compression_N")[until]
    peak, at = float(peaks[-1]), float(time[np.flatnonzero(peaks == peaks[-1])[0]])
    before = told.channel("dock.peak_compression_N")[time < start][-1]
    settled = (time > start + 0.5) & until
    later = np.linalg.norm(told.channel("dock.load_force_N")[settled], axis=1).max()
    return {"peak_N": peak, "peak_after_s": at - start, "before": float(before / peak), "later": float(later / peak)}


def roll(bench: Bench, size: int) -> Finding:
    """As shipped, and without dry friction in the legs."""
    free = {"chaser.mechanism.symmetric.actuator.friction_N": 0.0}
    (force, after, told), (_, sooner, _) = (_over_rig(bench, change) for change in ({}, free))
    peak = told.number("dock.peak_compression_N")
    words = f"{force:.0f} N, {after:+.2f} s from capture, without friction {sooner:+.2f} s (knocks: {peak:.0f} N)"
    figures = {"force_N": force, "after_capture_s": after, "without_friction_s": sooner, "peak_N": peak}
    return Finding(f"{words}; {told.outcome}", told.outcome == "captured" and -0.05 < after < 0.3, figures)


def _over_rig(bench: Bench, changes: dict[str, Any]) -> tuple[float, float, Told]:
    """The largest axial force as a rig of some 10 Hz would follow it [N], and when after capture it comes [s]."""
    every = {"outputs.every_s": RIG_S / RIG_ROWS}
    told = bench.run("dock_nds_roll", {**every, **changes}, ["dock.load_force_N"])
    before = ~(told.time >= told.event("align"))
    axial = np.convolve(told.channel("dock.load_force_N")[before, 0], np.full(RIG_ROWS, 1.0 / RIG_ROWS), "valid")
    largest = int(np.argmax(axial))
    # in the middle of what is averaged
    after = float(told.time[largest]) + 0.5 * RIG_S - told.number("dock.capture_s")
    return float(axial[largest]), after, told


def light_pair(bench: Bench, size: int) -> Finding:
    """0.11 m aside, and 5 deg askew instead; the paper had each by itself."""
    tilted = {"approach.lateral_offset_m": [0.0, 0.0], "approach.yaw_deg": 5.0}
    runs = bench.runs([shipped("dock_light_pair"), shipped("dock_light_pair", tilted)])
    words = f"0.11 m {runs[0].outcome}, 5 deg {runs[1].outcome}"
    return Finding(words, all(told.outcome == "captured" for told in runs))


def box(tonnes: int) -> dict[str, Any]:
    """The study of the published box, with dry friction in every leg."""
    mass, inertia = CYLINDERS[tonnes]
    return {
        "use": [path_of("configs/boxes", "capture"), path_of("configs/boxes", "nds")],
        "base": path_of("scenarios", "dock_nds"),
        "set": {
            "chaser.mass_kg": mass,
            "chaser.inertia_kg_m2": inertia,
            "chaser.mechanism.symmetric.actuator.friction_N": LEG_FRICTION_N,
            **UNTIL_CAPTURE,
        },
        "seed": 1,
        "cases": 1,
    }


def missed(bench: Bench, size: int) -> Finding:
    """Half of the cases with either chaser."""
    runs = [told for tonnes in CYLINDERS for told in bench.study(box(tonnes), size // len(CYLINDERS))]
    return share(captured(runs), len(runs), 0.99)


def contact_speed(bench: Bench, size: int) -> Finding:
    """The box of the standard at the published speed, friction and latch tolerances scattered."""
    content = fixed_in("latch_tolerances", {"approach.closing_rate_m_s": PASSIVE_M_S, **UNTIL_CAPTURE})
    runs = bench.study(content, size)
    return share(captured(runs), len(runs), 0.99)


ROWS = (
    Row(
        name="nds_yaw",
        published="18 t, 4.5 cm/s, yaw -5 deg: one latch meets its striker first; the struts there are driven "
        "back, the others extend in the lunge; one load event at the start of attenuation",
        source=f"{PAPER}, p. 471-484",
        band="all four, and captured",
        reason="statements in words; back: by 20 mm more than the others; one event: within 0.3 s, 1.6 times all else",
        experiment=yaw, short=1, full=1,
    ),
    Row(
        name="nds_roll",
        published="18 t, 4.5 cm/s, roll 5 deg: the axial force is largest at capture",
        source=f"{PAPER}, fig. 15 (its values are not readable)",
        band="averaged over 0.1 s, largest from 0.05 s before to 0.3 s after the last latch closes",
        reason="a test rig follows some 10 Hz, and knocks of milliseconds hang on a contact stiffness that is unknown; "
        "the load event of the yaw case lasts so long, too; what alignment adds later is not meant",
        experiment=roll, short=2, full=2,
        lacks="a figure for the dry friction of the legs: the 30 N of the model, an estimate, carry a part of the load "
        "at first and delay it by 0.3 s; without them it is largest 0.1 s after capture",
    ),
    Row(
        name="nds_light_pair",
        published="15 t to 5 t captured at 11 cm, and at 5 deg, with retuned gains",
        source=PAPER,
        band="both captured, with half the gains",
        reason="the new gains are not published",
        experiment=light_pair, short=2, full=2,
    ),
    Row(
        name="nds_missed",
        published="at most 1 % missed captures over the box, 10 t and 18 t; none in 216 cycles of qualification",
        source=f"{PAPER}, table 1 (box)",
        band="at least 99 % captured, with 30 N of dry friction in each leg",
        reason="the published requirement; friction is what the frictionless legs of a model would flatter",
        experiment=missed, short=4, full=600, unit="cases", seed=1,
        tuned=("configs/interfaces/idss_like.yaml: friction of the pawls (20 N to get over; 27 N miss slow ones)",),
    ),
    Row(
        name="sxds_contact_speed",
        published="a passive ring captures at its contact speed of 8 cm/s, tolerances of latches and strikers and all",
        source=f"{PASSIVE_PAPER} (speed; more than 450 captures on a test rig)",
        band="at least 99 % captured over the IDSS box at 0.08 m/s",
        reason="no rate is published: that of the standard's active system is asked for",
        experiment=contact_speed, short=4, full=300, unit="cases", seed=1,
    ),
)  # fmt: skip
