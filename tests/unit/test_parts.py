"""Part of a result: rows and channels of it and nothing else, peaks kept, the same through export and plot."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.plots.run.figures import all_figures
from docksim.result.parts import part_of, rows_between
from docksim.result.result import Channel, Result, ResultError
from tests.support import samples

RNG = np.random.default_rng(4)
ROWS = 1001


def rattling() -> Result:
    """Rows of 10 ms, denser about 3 s, with extremes between them."""
    time = np.sort(np.append(np.arange(ROWS - 100) * 0.01, 3.0 + np.arange(1, 101) * 0.00093))
    force = RNG.normal(size=ROWS)
    channels = [
        Channel("time_s", "s", "", "time", time),
        Channel("dock.force_N", "N", "", "force", force),
        Channel("dock.force_N.least", "N", "", "least", force - RNG.random(ROWS)),
        Channel("dock.force_N.largest", "N", "", "largest", force + RNG.random(ROWS)),
        Channel("chaser.position_m", "m", "W", "position", RNG.normal(size=(ROWS, 3))),
        Channel("phase", "", "", "codes", np.arange(ROWS) // 400, labels=("A", "B", "C")),
    ]
    return Result(samples.scenario(), channels, "completed", metrics={"dock.peak_N": 5.0})


def test_rows_that_are_left_are_those_of_the_result_at_the_times_asked_for() -> None:
    whole = rattling()
    part = part_of(whole, every_s=0.1)
    # rows at every multiple, which are there to rounding, and the last one
    assert np.allclose(part.time_s, [*np.arange(0.0, 9.0, 0.1), 9.0], atol=1e-9)
    rows = np.searchsorted(whole.time_s, part.time_s)
    for name in ("time_s", "dock.force_N", "chaser.position_m", "phase"):
        assert part[name].tobytes() == whole[name][rows].tobytes()
    assert (part.outcome, part.metrics, part.events) == (whole.outcome, whole.metrics, whole.events)
    assert len(whole.time_s) == ROWS
    assert np.array_equal(part_of(whole, every_s=1e-6).time_s, whole.time_s)


def test_no_peak_is_lost_between_rows() -> None:
    whole = rattling()
    for every_s in (0.03, 0.1, 0.77, 100.0):
        part = part_of(whole, every_s=every_s)
        assert part["dock.force_N.largest"].max() == whole["dock.force_N.largest"].max()
        for before, row in zip(part.time_s[:-1], range(1, len(part.time_s)), strict=True):
            since = (whole.time_s > before) & (whole.time_s <= part.time_s[row])
            assert part["dock.force_N.largest"][row] == whole["dock.force_N.largest"][since].max()
            assert part["dock.force_N.least"][row] == whole["dock.force_N.least"][since].min()


def test_channels_go_by_patterns_and_time_is_always_there() -> None:
    whole = rattling()
    assert part_of(whole, ["dock.*"]).keys() == ["time_s", *(name for name in whole if name.startswith("dock."))]
    assert part_of(whole, ["phase", "chaser.position_m"]).keys() == ["time_s", "chaser.position_m", "phase"]
    with pytest.raises(ResultError, match=r"no channel 'chaser.positon_m'.*did you mean 'chaser.position_m'\?"):
        part_of(whole, ["dock.*", "chaser.positon_m"])


def test_a_stretch_of_time_has_both_its_ends() -> None:
    whole = rattling()
    part = part_of(whole, from_s=2.0, to_s=2.5)
    assert (part.time_s[0], part.time_s[-1], len(part.time_s)) == (2.0, 2.5, 51)
    assert rows_between(whole, None, None) == slice(None)
    with pytest.raises(ResultError, match="no rows from 20 s: rows go from 0 to 9 s"):
        rows_between(whole, 20.0, None)
    with pytest.raises(ResultError, match="no rows from 3 s to 2 s"):
        part_of(whole, from_s=3.0, to_s=2.0)
    for every_s in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(ResultError, match="expected a finite time greater than 0 s"):
            part_of(whole, every_s=every_s)


def test_channels_are_drawn_with_their_bands_over_the_stretch() -> None:
    whole = rattling()
    figure = all_figures(whole, ["dock.*"], rows_between(whole, 2.0, 4.0))["dock.all"]
    (axes,) = figure.axes
    assert axes.get_xlim() == (2.0, 4.0)
    assert axes.get_ylabel() == "force [N]"
    (band,) = axes.collections
    rows = rows_between(whole, 2.0, 4.0)
    assert band.get_paths()[0].vertices[:, 1].max() == whole["dock.force_N.largest"][rows].max()
    (line,) = (line for line in axes.lines if line.get_label() == "dock")
    assert np.array_equal(line.get_ydata(), whole["dock.force_N"][rows])
    (vector,) = all_figures(whole, ["chaser.position_m"])["chaser.position_m"].axes
    assert vector.get_legend().get_title().get_text() == "chaser, W"
    with pytest.raises(ResultError, match=r"no channel 'dock\.nothing_N'"):
        all_figures(whole, ["dock.nothing_N"])


def test_kinds_are_drawn_over_the_stretch_as_they_are_over_the_whole() -> None:
    whole = samples.result()
    rows = slice(20, 60)
    every = all_figures(whole, ["motion", "energy"])
    for name, figure in all_figures(whole, ["motion", "energy"], rows).items():
        for axes, of_all in zip(figure.axes, every[name].axes, strict=True):
            assert axes.get_xlim() == (whole.time_s[20], whole.time_s[59])
            assert axes.get_ylabel() == of_all.get_ylabel()
            if axes.get_ylabel() == "position [m]":
                assert np.array_equal(axes.lines[0].get_ydata(), of_all.lines[0].get_ydata()[rows])


def test_commands_take_channels_and_stretches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = rattling()
    whole.save(Path("results/knock/one"))
    words = ["export", "results/knock", "--to", "csv", "--channels", "dock.*,phase", "--every", "0.1", "--out", "a.csv"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    with Path("a.csv").open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["time_s [s]", *(f"dock.force_N{end} [N]" for end in ("", ".least", ".largest")), "phase []"]
    assert len(rows) == 91
    words = ["plot", "results/knock", "--what", "dock.force_N,chaser.*", "--from", "2", "--to", "3", "--out", "f"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert {file.name for file in Path("f").iterdir()} == {"dock.force_N.png", "chaser.all.png"}
    for words, said in (
        (["plot", "results/knock", "--what", "prots"], "'prots' is no kind of figure"),
        (["plot", "results/knock", "--what", "dock.forc_N"], "did you mean 'dock.force_N'?"),
        (["plot", "results/knock", "--from", "20"], "no rows from 20 s"),
        (["plot", "results/knock", "results/knock", "--overlay", "--from", "2"], "leave out --from and --to"),
        (["export", "results/knock", "--to", "csv", "--every", "0"], "0.0 is not in the range"),
        (["export", "results/knock", "--to", "parquet"], "cannot export to 'parquet'"),
    ):
        done = CliRunner().invoke(main, words)
        assert done.exit_code != 0, words
        assert said in " ".join(done.output.split()), done.output


def test_python_takes_parts_and_draws_channels() -> None:
    whole = docksim.Result.of(rattling())
    part = whole.part("dock.*", every_s=0.5, to_s=4.0)
    assert isinstance(part, docksim.Result)
    assert len(part.to_dataframe()) == 9
    (axes,) = whole.plot("dock.force_N", from_s=1.0, to_s=2.0)["dock.force_N"].axes
    assert axes.get_xlim() == (1.0, 2.0)
    with pytest.raises(ResultError, match=r"no figure of the kind 'forces'.*and channels by their names"):
        whole.plot("forces")
