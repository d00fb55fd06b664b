"""Figure of a paced run: how long jobs took, how late sleeps ended, and when in the run the long ones were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.realtime.timing import job_us, overshoot_us

if TYPE_CHECKING:
    from docksim.realtime.session import Paced

HEIGHT_IN = 4.6
BINS = 80
SLICES = 400


def timing_figure(paced: Paced, title: str) -> Figure:
    """Two histograms on logarithmic scales above the course of the job time over the run."""
    timing = paced.timing
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplot_mosaic([["job", "sleep"], ["course", "course"]])
        text = f"{title}: {timing.cycles} cycles of {timing.period_us:g} us, policy {timing.policy}"
        figure.suptitle(text, x=0.01, ha="left", weight="bold", fontsize=style.FONT_PT, parse_math=False)
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
    parts = np.array_split(np.arange(len(jobs)), min(SLICES, len(jobs)))
    at = [paced.start_s + period_s * float(part.mean()) for part in parts]
    axes.plot(at, [float(jobs[part].max()) for part in parts], label="worst of a slice", **style.CURVES[1])
    axes.plot(at, [float(np.median(jobs[part])) for part in parts], label="median of a slice", **style.CURVES[0])
    axes.axhline(paced.timing.period_us, label="period", **style.LIMIT)
    begins = np.flatnonzero(np.diff(paced.phases))
    for k in begins:
        axes.axvline(paced.start_s + period_s * (float(k) + 1.0), **style.EVENT_LINE)
    axes.set_yscale("log")
    axes.set_xlabel("simulated time [s]" + ("; thin lines: a phase begins" if len(begins) else ""))
    axes.set_ylabel("job time [us]")
    axes.legend(**style.LEGEND_ABOVE, ncols=3)
