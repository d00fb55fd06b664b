"""Figures of real time: the times of a paced run, and what a rig in the loop does to a contact.

Of a paced run: how long jobs took, how late sleeps ended, and when in the run the long ones were. Of a loop with a rig:
one bounce by force over penetration and over time, and the map of critical delays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.page import arranged
from docksim.realtime.hil import Course, Verdict, bounce
from docksim.realtime.hil_loop import critical_delay
from docksim.realtime.timing import job_us, overshoot_us

if TYPE_CHECKING:
    from docksim.realtime.session import Paced

HEIGHT_IN = 4.6
BINS = 80
SLICES = 400
WORDS = {"none": "rig", "lead": "rig with lead", "passivity": "rig with passivity control"}


def timing_figure(paced: Paced, title: str) -> Figure:
    """Two histograms on logarithmic scales above the course of the job time over the run."""
    timing = paced.timing
    text = f"{title}: {timing.cycles} cycles of {timing.period_us:g} us, policy {timing.policy}"
    with arranged(text, HEIGHT_IN) as figure:
        axes = figure.subplot_mosaic([["job", "sleep"], ["course", "course"]])
        _histogram(axes["job"], job_us(paced.record), timing.period_us, "job time [us]")
        _histogram(axes["sleep"], overshoot_us(paced.record), timing.period_us, "sleep overshoot [us]")
        axes["job"].set_ylabel("cycles")
        _course(axes["course"], paced)
    return figure


def _histogram(axes: Axes, values: np.ndarray, period: float, label: str) -> None:
    positive = np.maximum(values, 0.1)
    low, high = float(positive.min()), max(float(positive.max()), 1.2 * period)
    edges = np.geomspace(0.9 * low, 1.1 * high, BINS)
    median = float(np.median(values))
    axes.hist(positive, bins=list(edges), color=style.CURVES[0]["color"])
    axes.axvline(period, label="period", **style.LIMIT)
    axes.axvline(median, label=f"median {median:.3g} us", **style.CURVES[1])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel(label)
    axes.legend(**style.LEGEND_ABOVE, ncols=2)


def _course(axes: Axes, paced: Paced) -> None:
    """Median and worst job of each slice of the run."""
    jobs, period_s = job_us(paced.record), paced.timing.period_us / 1e6
    slices = np.array_split(np.arange(len(jobs)), min(SLICES, len(jobs)))
    at = [paced.start_s + period_s * float(rows.mean()) for rows in slices]
    axes.plot(at, [float(jobs[rows].max()) for rows in slices], label="worst of a slice", **style.CURVES[1])
    axes.plot(at, [float(np.median(jobs[rows])) for rows in slices], label="median of a slice", **style.CURVES[0])
    axes.axhline(paced.timing.period_us, label="period", **style.LIMIT)
    begins = np.flatnonzero(np.diff(paced.phases))
    for k in begins:
        axes.axvline(paced.start_s + period_s * (float(k) + 1.0), **style.EVENT_LINE)
    axes.set_yscale("log")
    axes.set_xlabel("simulated time [s]" + ("; thin lines: a phase begins" if len(begins) else ""))
    axes.set_ylabel("job time [us]")
    axes.legend(**style.LEGEND_ABOVE, ncols=3)


# ---------------------------------------------------------------- a rig in the loop


def hil_figure(verdict: Verdict, courses: Mapping[str, Course], speed: float) -> Figure:
    """Velocity in a bounce, the loop of force, and where the rig stands on the map."""
    _, alone = bounce(replace(verdict.loop, delay=0.0, bandwidth=np.inf), speed)
    loop, critical = verdict.loop, 1e3 * verdict.critical_delay
    border = f"critical {critical:.3g} ms" if critical >= 0.0 else "the lag alone is too much"
    contact = f"{loop.mass:g} kg on {loop.stiffness:g} N/m and {loop.damping:g} N s/m"
    with arranged(f"{contact}, delay {1e3 * loop.delay:.3g} ms, {border}", HEIGHT_IN) as figure:
        axes = figure.subplot_mosaic([["speed", "speed"], ["force", "map"]])
        shown = {"no rig": alone, **{WORDS[name]: one for name, one in courses.items()}}
        end = 1.1 * max(one.time[-1] for one in shown.values())
        for (name, one), look in zip(shown.items(), (style.CURVES[3], *style.CURVES[:3])):
            # what has left keeps its velocity
            axes["speed"].plot(1e3 * np.append(one.time, end), 1e3 * np.append(one.v, one.v[-1]), label=name, **look)
            axes["force"].plot(1e3 * one.x[one.x > -1e-9], one.force[one.x > -1e-9], label=name, **look)
        axes["speed"].axhline(-1e3 * speed, label="as fast as it came", **style.LIMIT)
        axes["speed"].set_xlabel("time [ms]")
        axes["speed"].set_ylabel("velocity [mm/s]")
        axes["speed"].legend(**style.LEGEND_ABOVE, ncols=5)
        axes["force"].set_xlabel("penetration [mm]")
        axes["force"].set_ylabel("force on the mass [N]")
        _map(axes["map"], verdict)
    return figure


def _map(axes: Axes, verdict: Verdict) -> None:
    """Critical delay over damping, without the rig's lag and with it, and where the loop stands."""
    loop = verdict.loop
    ratios = np.geomspace(1e-3, 0.99, 60)
    unit = 2.0 * np.sqrt(loop.stiffness * loop.mass)
    lines = {"critical, delay alone; above, it runs away": np.inf}
    if np.isfinite(loop.bandwidth):
        lines["critical, with the rig's bandwidth"] = loop.bandwidth
    for (name, bandwidth), look in zip(lines.items(), style.CURVES):
        delays = [1e3 * critical_delay(replace(loop, damping=r * unit, bandwidth=bandwidth)) for r in ratios]
        axes.plot(ratios, np.maximum(delays, 1e-9), label=name, **look)
    foot = 1e3 * min(max(loop.delay, 1e-6 / loop.frequency), 1e-3 / loop.frequency) / 2.0
    name = "this loop" if 1e3 * loop.delay > foot else "this loop, at the foot: no delay to speak of"
    at = max(loop.damping_ratio, 1e-3), max(1e3 * loop.delay, foot)
    axes.plot(*at, "ko", markersize=5, label=name, clip_on=False)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=foot)
    axes.set_xlabel("damping ratio of the contact")
    axes.set_ylabel("delay [ms]")
    axes.legend(**style.LEGEND_ABOVE)
