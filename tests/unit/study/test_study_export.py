"""The table of a study in files of other programs: the bits of the study's own file, names, units."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from pyarrow import parquet
from scipy.io import loadmat

from docksim.cli import main
from docksim.config.units import unit_of
from docksim.result.result import ResultError
from docksim.study.export import columns_of, export_table
from docksim.study.session import run_study
from docksim.study.table import Table, load_table
from tests.support.studies import HALF_DEG_S, brick_plan


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """A study with numbers, words and holes: an event that half of the cases have."""
    folder = tmp_path_factory.mktemp("study")
    spread = {"type": "discrete", "key": "solver.integrator", "values": ["rk4", "semi_implicit_euler"]}
    plan = brick_plan(
        folder,
        set={"solver.duration_s": 0.5, "solver.step_s": 0.01, "outputs.every_s": 0.05,
             "events.late": {"when": {"time_s": 0.2}, "do": [{"stop": "late"}]}},
        cases=6,
        dispersions=[
            {"type": "uniform", "key": "brick.rate_deg_s.0", "low": 5.0, "high": 15.0},
            spread,
            {"type": "discrete", "key": "events.late.when.time_s", "values": [0.2, 9.0]},
        ],
        limits={"brick.rate_deg_s.peak": HALF_DEG_S},
    )  # fmt: skip
    return load_table(run_study(plan, folder)[1])


def same_numbers(read: object, column: np.ndarray) -> bool:
    """Bit for bit, NaN where NaN is."""
    return np.asarray(read, float).tobytes() == np.asarray(column, float).tobytes()


def test_table_has_numbers_words_and_holes(table: Table) -> None:
    late = table.metrics["events.late.time_s"]
    assert 0 < np.isnan(late).sum() < len(late)
    assert set(table.inputs["solver.integrator"]) == {"rk4", "semi_implicit_euler"}
    assert 0 < table.success.sum() < len(table)


def test_csv_has_every_column_bit_for_bit(table: Table) -> None:
    file = export_table(table, "csv")
    assert file == table.file.with_name("table.csv")
    with file.open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    columns = columns_of(table)
    assert header == list(columns)
    assert header[:6] == ["case", "outcome", "reason", "success", "missed", "input.brick.rate_deg_s.0"]
    for cells, (name, column) in zip(zip(*rows, strict=True), columns.items(), strict=True):
        if column.dtype == object:
            assert list(cells) == list(column), name
        else:
            assert same_numbers([cell or "nan" for cell in cells], column), name
    assert [bool(int(row[3])) for row in rows] == list(table.success)


def test_mat_has_every_column_and_the_study(table: Table, tmp_path: Path) -> None:
    content = loadmat(export_table(table, "mat", tmp_path / "a.mat"), simplify_cells=True)
    words = content["docksim_columns"]
    assert list(words["name"]) == list(columns_of(table))
    for variable, name in zip(words["variable"], words["name"], strict=True):
        column = columns_of(table)[name]
        if column.dtype == object:
            assert [str(text) if len(text) else "" for text in content[variable]] == list(column), name
        else:
            assert same_numbers(content[variable], column), name
    assert words["unit"][list(words["name"]).index("input.brick.rate_deg_s.0")] == "deg/s"
    assert json.loads(content["docksim_study"]["definition"])["seed"] == table.study.seed


def test_parquet_has_every_column_with_its_unit(table: Table, tmp_path: Path) -> None:
    read = parquet.read_table(export_table(table, "parquet", tmp_path / "a.parquet"))
    assert read.column_names == list(columns_of(table))
    for name, column in columns_of(table).items():
        values = read.column(name).to_pylist()
        assert values == list(column) if column.dtype == object else same_numbers(values, column), name
    assert read.schema.field("metric.brick.rate_deg_s.peak").metadata == {b"unit": b"deg/s"}
    assert json.loads(read.schema.metadata[b"docksim_study"])["name"] == "brick"


def test_units_are_read_from_names() -> None:
    units = {
        "case": "",
        "input.approach.lateral_offset_m.0": "m",
        "input.chaser.attitude.yaw_pitch_roll_deg.1": "deg",
        "metric.dock.peak_compression_N": "N",
        "metric.dock.peak_compression_N.band_high": "N",
        "metric.chaser.ring.load_moment_Nm.peak": "N m",
        "metric.dock.peak_shear_N.of_limit": "",
        "metric.approach.redraws": "",
        "metric.momentum.angular_residual_kg_m2_s": "kg m2/s",
        "metric.budget.approach_J": "J",
        "metric.station.acceleration_m_s2.peak": "m/s2",
        "metric.chaser.legs.travel_m.largest": "m",
    }
    assert {name: unit_of(name) for name in units} == units


def test_command_exports_a_study_and_says_what_it_cannot(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(table.file.parent)
    done = CliRunner().invoke(main, ["export", folder, "--to", "csv"])
    assert done.exit_code == 0, done.output
    assert Path(done.output.strip()) == table.file.with_name("table.csv")
    for words, said in (
        (["--to", "h5"], "cannot export a study to 'h5': expected one of csv, mat, parquet"),
        (["--to", "csv", "--every", "0.1"], "is a study; --channels and --every are for results of runs"),
    ):
        done = CliRunner().invoke(main, ["export", folder, *words])
        assert done.exit_code == 1
        assert said in done.output
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ResultError, match=r"export to parquet needs pyarrow.*pip install 'docksim\[parquet\]'"):
        export_table(table, "parquet")
