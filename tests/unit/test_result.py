"""Channels and results in memory."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from docksim.result.result import Channel, EventRecord, Result, ResultError
from tests.support import samples

TIME = Channel("time_s", "s", "", "time", np.arange(3.0))


def test_indexing_gives_the_array_and_channel_gives_its_words() -> None:
    result = samples.result()
    assert result["chaser.position_m"] is result.channels["chaser.position_m"].data
    channel = result.channel("chaser.position_m")
    assert (channel.unit, channel.frame, channel.components) == ("m", "W", ("x", "y", "z"))
    assert "chaser.position_m" in result
    assert next(iter(result)) == "time_s"


def test_unknown_channel_suggests_the_close_ones() -> None:
    with pytest.raises(KeyError, match=r"no channel 'chaser.positon_m'; did you mean 'chaser.position_m'"):
        samples.result()["chaser.positon_m"]


def test_quaternions_get_scalar_first_component_names() -> None:
    assert Channel("a.attitude", "", "W", "", np.zeros((3, 4))).components == ("w", "x", "y", "z")


def test_columns_of_a_vector_carry_their_component() -> None:
    channel = Channel("a.position_m", "m", "W", "", np.arange(6.0).reshape(2, 3))
    assert [name for name, _ in channel.columns()] == ["a.position_m[x]", "a.position_m[y]", "a.position_m[z]"]
    assert [list(values) for _, values in channel.columns()] == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("data", [np.array(["a"]), np.zeros((2, 2, 2)), np.array(1.0), np.array([object()])])
def test_channel_refuses_what_is_not_a_table_of_numbers(data: np.ndarray) -> None:
    with pytest.raises(ValueError, match="channel 'bad'"):
        Channel("bad", "", "", "", data)


def test_channel_refuses_a_wrong_number_of_component_names() -> None:
    with pytest.raises(ValueError, match="2 component names for 3 columns"):
        Channel("bad", "", "", "", np.zeros((2, 3)), ("x", "y"))


@pytest.mark.parametrize(
    ("channels", "message"),
    [
        ([], "needs the channel 'time_s'"),
        ([TIME, TIME], "'time_s' is given twice"),
        ([TIME, Channel("a", "", "", "", np.zeros(2))], "'a' has 2 rows, 'time_s' has 3"),
    ],
)
def test_result_refuses_inconsistent_channels(channels: list[Channel], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Result(samples.scenario(), channels, "completed")


def test_result_refuses_an_unknown_outcome() -> None:
    with pytest.raises(ValueError, match="outcome 'fine': expected one of completed, stopped"):
        Result(samples.scenario(), [TIME], "fine")


def test_result_without_rows_is_allowed_and_spans_no_time() -> None:
    empty = Channel("time_s", "s", "", "time", np.zeros(0))
    assert Result(samples.scenario(), [empty], "interrupted").simulated_s == 0.0


def test_events_may_be_given_as_plain_tuples() -> None:
    result = Result(samples.scenario(), [TIME], "completed", events=[(1.0, "latch", "locked", 2.0)])
    assert result.events == [EventRecord(1.0, "latch", "locked", 2.0)]


def test_dataframe_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ResultError, match="needs pandas, which is not installed"):
        samples.result().to_dataframe()


def test_dataframe_has_a_column_per_component_over_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against a stand-in that keeps what it is given, so the test needs no pandas."""
    pandas = ModuleType("pandas")
    pandas.__dict__["Index"] = lambda values, name: (name, values)
    pandas.__dict__["DataFrame"] = lambda columns, index: SimpleNamespace(columns=columns, index=index, attrs={})
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    result = samples.result(rows=5)
    frame = result.to_dataframe()
    assert frame.index[0] == "time_s"
    assert frame.index[1] is result.time_s
    assert "time_s" not in frame.columns
    assert np.array_equal(frame.columns["chaser.position_m[y]"], result["chaser.position_m"][:, 1])
    assert frame.attrs["units"]["chaser.position_m[y]"] == "m"
