"""Event marks: on every time axis, and no text on top of other text."""

import re

import numpy as np
import pytest

from docksim.plots import events
from docksim.plots.run import figures as plots
from docksim.result.result import EventRecord
from tests.support import samples
from tests.support.figure_boxes import layout_faults, mark_times

WIDTH, ROOM, SPAN = 5.0, 1.5, (0.0, 60.0)


def records(*items: tuple[float, str]) -> list[EventRecord]:
    return [EventRecord(time, name) for time, name in items]


def labels(found: events.Marks) -> list[str]:
    return [mark.label for mark in found.marks]


def test_distant_names_share_a_row_and_close_ones_are_stacked_earlier_above_later() -> None:
    found = events.place(records((5, "contact"), (5.5, "latched"), (40, "push_off")), SPAN, WIDTH, ROOM)
    assert [(mark.label, mark.row) for mark in found.marks] == [("contact", 1), ("latched", 0), ("push_off", 0)]
    assert (found.rows, found.key) == (2, ())


def test_events_at_one_instant_share_a_mark() -> None:
    found = events.place(records((5, "a"), (5, "b"), (5.01, "c")), SPAN, WIDTH, ROOM)
    assert labels(found) == ["a +2"]
    # and the key has their names
    assert found.key == ("a +2, 5 s: a, b, c",)


def test_key_of_many_events_at_one_instant_goes_on_in_the_next_line() -> None:
    names = [f"event_number_{i}" for i in range(12)]
    found = events.place(records(*((5, name) for name in names)), SPAN, WIDTH, ROOM)
    assert len(found.key) > 1
    assert all(events.text_width_in(line) <= WIDTH + ROOM for line in found.key)
    assert re.findall(r"event_number_\d+", " ".join(found.key).partition(":")[2]) == names


def test_events_outside_the_time_axis_are_left_out() -> None:
    assert events.place(records((-1, "a"), (61, "b"), (np.nan, "c")), SPAN, WIDTH, ROOM).marks == ()


def test_names_in_a_key_of_more_than_nine_stand_in_one_column() -> None:
    crowd = records(*((10 + i, f"a_rather_long_event_name_{i}") for i in range(12)))
    heads = {events.text_width_in(line.partition("a_")[0]) for line in events.place(crowd, SPAN, WIDTH, ROOM).key}
    assert max(heads) - min(heads) < 1e-3, heads


def test_crowded_names_become_numbers_with_a_key() -> None:
    crowd = records(*((10 + i, f"a_rather_long_event_name_{i}") for i in range(9)))
    found = events.place(crowd, SPAN, WIDTH, ROOM)
    assert labels(found) == [str(i) for i in range(1, 10)]
    assert found.key[2] == "3   a_rather_long_event_name_2, 12 s"


def test_a_name_too_long_for_the_page_is_shortened() -> None:
    [label] = labels(events.place(records((59, "x" * 100)), SPAN, WIDTH, ROOM))
    assert label.endswith("…")
    assert events.text_width_in(label) <= WIDTH / 60 + ROOM


CROWD = tuple(EventRecord(10 + 0.7 * i, f"event_number_{i}") for i in range(12))
EDGES = tuple(EventRecord(t, f"stage_{i}") for i, t in enumerate((0.0, 0.5, 30.0, 59.2, 60.0)))


@pytest.mark.parametrize("happened", [samples.EVENTS, CROWD, EDGES], ids=["usual", "crowd", "edges"])
@pytest.mark.parametrize("kind", ["motion", "joints", "loads", "energy", "momentum"])
def test_no_text_overlaps_another_or_leaves_the_page(kind: str, happened: tuple[EventRecord, ...]) -> None:
    figures = plots.all_figures(samples.result(segments=20, events=happened), [kind])
    assert figures
    assert [layout_faults(figure) for figure in figures.values()] == [[]] * len(figures)


def test_every_panel_has_a_line_for_every_event() -> None:
    figure = plots.all_figures(samples.result(), ["energy"])["energy"]
    for axes in figure.axes:
        assert mark_times(axes) == {event.time_s for event in samples.EVENTS}
    names = {text.get_text() for text in figure.axes[0].texts}
    assert names == {event.name for event in samples.EVENTS}
