"""Every figure of several scenarios: what is drawn is in the result, under its unit, and no text is in the way."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from docksim.plots.kinds import RESULT_KINDS
from docksim.plots.page import raised
from docksim.plots.run.figures import all_figures
from docksim.result.result import Result
from tests.support.figure_boxes import layout_faults, mark_times, quantity
from tests.support.shipped import changed

# short versions: capture with its contact, soft capture on springs, flexible arrays, a join and a push-off
RUNS = {
    "dock_nds": {"solver__duration_s": 6.0},
    "soft_capture": {"solver__duration_s": 4.0},
    "array_slew": {"solver__duration_s": 5.0},
    "dock_and_undock": {"solver__duration_s": 8.0},
}
# drawn from several channels, or in another unit; each has a test of its own
DERIVED = {"attitude", "turn from start", "of its limit", "least gap", "budget", "leg 1", "leg 2", "leg 3", "thruster"}
DERIVED |= {"leg 4", "leg 5", "leg 6", "way from start"}


@functools.cache
def run(name: str) -> Result:
    return changed(name, **RUNS[name])


@functools.cache
def figures(name: str) -> dict[str, Figure]:
    return all_figures(run(name))


def columns(result: Result) -> dict[bytes, set[str]]:
    """Units by content, of every column of every channel, its negative, and the sizes of vectors and of their sides."""
    found: dict[bytes, set[str]] = {}
    for channel in result.channels.values():
        data = channel.data.astype(float)
        parts = [values.astype(float) for _, values in channel.columns()]
        if data.ndim == 2:
            parts += [np.linalg.norm(data, axis=1), np.linalg.norm(data[:, 1:], axis=1)]
        for values in [*parts, *(-part for part in parts)]:
            # minus zero is zero
            found.setdefault((values + 0.0).tobytes(), set()).add(raised(channel.unit or "1"))
    return found


@pytest.mark.parametrize("name", RUNS)
def test_every_line_is_a_channel_under_its_unit(name: str) -> None:
    result = run(name)
    known = columns(result)
    checked = 0
    for title, figure in figures(name).items():
        whole = not title.startswith("capture_")  # closer looks show some of the rows
        for axes in figure.axes if whole else ():
            words = re.fullmatch(r"(.+) \[(.+)\]", quantity(axes))
            if words is None or words[1] in DERIVED:
                continue
            for line in axes.lines:
                if str(line.get_label()).startswith(("_", "limit", "stop", "dynamic", "sustained", "dead")):
                    continue
                values = np.asarray(line.get_ydata(), float)
                values = values[~np.isnan(values)] if words[2] == "deg" else values
                assert words[2] in known.get((values + 0.0).tobytes(), ()), f"{title}: {words[0]}: {line.get_label()}"
                checked += 1
    assert checked > 10


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_clipped_and_no_text_lies_on_another(name: str) -> None:
    faults = {title: found for title, figure in figures(name).items() if (found := layout_faults(figure))}
    assert faults == {}


@pytest.mark.parametrize("name", RUNS)
def test_every_time_axis_shows_every_event_in_its_span(name: str) -> None:
    result = run(name)
    for title, figure in figures(name).items():
        timed = [axes for axes in figure.axes if figure.axes[-1].get_xlabel() == "time [s]"]
        for axes in timed:
            low, high = axes.get_xlim()
            lines = mark_times(axes)
            for event in result.events:
                if low <= event.time_s <= high:
                    # events closer than 0.4 % of the axis share a mark
                    assert min(abs(event.time_s - x) for x in lines) <= 0.004 * (high - low), f"{title}: {event.name}"


def test_a_docking_has_every_kind_of_figure() -> None:
    names = " ".join(figures("dock_nds"))
    # it has no joints beside its mechanism, no arm, no loop and no control, and ends before hooks close
    stems = set(RESULT_KINDS) - {"joints", "hooks", "separation", "arm", "closures", "control"}
    assert {stem for stem in stems if not re.search(rf"\b{stem}", names)} == set()
    assert {"ring_chaser", "legs_chaser", "interface_dock", "contact_dock", "capture_dock", "phases"} <= set(
        figures("dock_nds")
    )
    # ports of "frames" are those of the two vehicles, "dock" is the ring's
    assert [name for name in figures("dock_nds") if name.startswith("ports")] == [
        "ports_chaser.nose-station.dock",
        "ports_dock",
    ]
