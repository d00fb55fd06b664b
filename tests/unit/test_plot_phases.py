"""The timeline shows every phase from its first row to the next one's, and marks show the milestones of a docking."""

from __future__ import annotations

import numpy as np
import pytest

from docksim.plots.events import MILESTONE, place
from docksim.plots.run import figures as plots
from docksim.plots.run.contact import milestones
from docksim.plots.run.phases import Span, phase_spans
from docksim.result.result import Channel, EventRecord, Result
from tests.support import samples
from tests.support.figure_boxes import mark_times
from tests.unit.test_plot_contact import result as docking

TIME = np.linspace(0.0, 10.0, 11)


def run(codes: list[int], labels: tuple[str, ...] = ("FREE", "TOUCH", "HELD")) -> Result:
    channels = [
        Channel("time_s", "s", "", "", TIME),
        Channel("phase", "", "", "", np.array(codes, np.int64), labels=labels),
    ]
    return Result(samples.scenario(), channels, "completed")


def test_phases_follow_one_another_without_gaps_and_may_come_back() -> None:
    spans = phase_spans(run([0, 0, 0, 1, 1, 0, 0, 2, 2, 2, 2]))
    assert spans == [Span("FREE", 0, 3), Span("TOUCH", 3, 5), Span("FREE", 5, 7), Span("HELD", 7, 10)]


def test_phase_that_begins_with_the_last_row_is_there() -> None:
    assert phase_spans(run([0] * 10 + [1])) == [Span("FREE", 0, 10), Span("TOUCH", 10, 10)]


def test_run_of_one_phase_has_no_timeline() -> None:
    assert phase_spans(run([0] * 11)) == []
    assert plots.all_figures(run([0] * 11), ["phases"]) == {}


def test_bars_are_the_phases() -> None:
    [axes] = plots.all_figures(run([0, 0, 0, 1, 1, 0, 0, 2, 2, 2, 2]), ["phases"])["phases"].axes
    bars = [(bar.get_y() + 0.3, bar.get_x(), bar.get_width()) for bars in axes.containers for bar in bars]
    # rows in the order of their first appearance
    assert bars == [(0, 0, 3), (0, 5, 2), (1, 3, 2), (2, 7, 3)]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["FREE", "TOUCH", "HELD"]
    assert [text.get_text() for text in axes.texts][:3] == ["5 s", "2 s", "3 s"]
    assert axes.get_xlabel() == "time [s]"


def test_milestones_are_first_contact_latches_capture_and_hard_dock() -> None:
    found = [(mark.name, mark.time_s) for mark in milestones(docking(), "dock")]
    # three latches hold at once in this made-up run: the third one is the capture
    assert found == [
        ("first contact", 4.0),
        ("capture", 4.8),
        ("latch 1", pytest.approx(4.8)),
        ("latch 2", pytest.approx(4.8)),
        ("hard dock", 4.8),
    ]


def test_run_without_capture_has_neither_capture_nor_hard_dock() -> None:
    missed = docking(captured=-1.0)
    missed.events.clear()
    assert [mark.name for mark in milestones(missed, "dock")] == ["first contact"]


def test_milestones_are_on_every_time_axis_of_a_docking() -> None:
    found = docking()
    wanted = {4.0, 4.8, 9.0}
    for figure in (
        *plots.all_figures(found, ["contact", "capture"]).values(),
        *plots.all_figures(found, ["interface"]).values(),
    ):
        for axes in figure.axes:
            low, high = axes.get_xlim()
            assert {time for time in wanted if low <= time <= high} <= mark_times(axes)


def test_milestone_names_the_mark_that_it_shares() -> None:
    latch, capture = EventRecord(5.001, "latch 1", MILESTONE), EventRecord(5.002, "capture", MILESTONE)
    records = [EventRecord(5.0, "contact"), latch, capture]
    [mark] = place(records, (0.0, 60.0), 5.0, 1.5).marks
    assert (mark.label, mark.time_s) == ("capture +2", 5.002)
