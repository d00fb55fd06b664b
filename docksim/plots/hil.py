"""Figure of a loop with a rig: one bounce by force over penetration and over time, and the map of critical delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.realtime.hil import Course, Verdict, bounce
from docksim.realtime.hil_loop import critical_delay

HEIGHT_IN = 4.6
WORDS = {"none": "rig", "lead": "rig with lead", "passivity": "rig with passivity control"}


def hil_figure(verdict: Verdict, courses: Mapping[str, Course], speed: float) -> Figure:
    """Velocity in a bounce, the loop of force, and where the rig stands on the map."""
    _, alone = bounce(replace(verdict.loop, delay=0.0, bandwidth=np.inf), speed)
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplot_mosaic([["speed", "speed"], ["force", "map"]])
        loop = verdict.loop
        critical = 1e3 * verdict.critical_delay
        border = f"critical {critical:.3g} ms" if critical >= 0.0 else "the lag alone is too much"
        text = (f"{loop.mass:g} kg on {loop.stiffness:g} N/m and {loop.damping:g} N s/m, "
                f"delay {1e3 * loop.delay:.3g} ms, {border}")  # fmt: skip
        figure.suptitle(text, x=0.01, ha="left", weight="bold", fontsize=style.FONT_PT, parse_math=False)
        found = {"no rig": alone, **{WORDS[name]: one for name, one in courses.items()}}
        end = 1.1 * max(one.time[-1] for one in found.values())
        for (name, one), look in zip(found.items(), (style.CURVES[3], *style.CURVES[:3])):
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
