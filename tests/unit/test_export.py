"""Exports read back bit for bit, with units and names."""

import csv
import json
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.io import loadmat

from docksim.result.export import export, matlab_names
from docksim.result.result import Channel, Result, ResultError
from tests.support import samples

ODD = np.array([0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, np.inf, np.nan])


def odd_result() -> Result:
    channels = [
        Channel("time_s", "s", "", "time", np.arange(7) * 0.1),
        Channel("a.odd_m", "m", "W", "awkward numbers", np.column_stack([ODD, -ODD, ODD[::-1]])),
        Channel("phase", "", "", "codes", np.array([0, 0, 1, 1, 2, 2, 2]), labels=("A", "B", "C")),
    ]
    return Result(samples.scenario(), channels, "completed", metrics={"peak_N": 0.1})


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return np.ascontiguousarray(a, dtype=float).tobytes() == np.ascontiguousarray(b, dtype=float).tobytes()


def test_csv_reads_back_bit_for_bit_with_units_in_the_header(tmp_path: Path) -> None:
    result = odd_result()
    with export(result, "csv", tmp_path / "a.csv").open(newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    assert header == ["time_s [s]", "a.odd_m[x] [m]", "a.odd_m[y] [m]", "a.odd_m[z] [m]", "phase []"]
    table = np.array([[float(cell) for cell in row] for row in rows])
    assert same_bits(table[:, 0], result.time_s)
    finite = np.isfinite(result["a.odd_m"])
    assert same_bits(table[:, 1:4][finite], result["a.odd_m"][finite])
    assert np.array_equal(table[:, 1:4], result["a.odd_m"], equal_nan=True)
    assert [row[-1] for row in rows] == ["0", "0", "1", "1", "2", "2", "2"]


def test_csv_of_many_rows_is_complete(tmp_path: Path) -> None:
    result = samples.result(rows=10_001, segments=1)
    table = np.genfromtxt(export(result, "csv", tmp_path / "a.csv"), delimiter=",", skip_header=1)
    assert same_bits(table[:, 0], result.time_s)
    assert same_bits(table[:, 1:4], result["chaser.position_m"])


def test_mat_reads_back_bit_for_bit_with_its_words(tmp_path: Path) -> None:
    result = odd_result()
    content = loadmat(export(result, "mat", tmp_path / "a.mat"), simplify_cells=True)
    assert same_bits(content["a_odd_m"], result["a.odd_m"])
    assert same_bits(content["time_s"], result.time_s)
    assert np.array_equal(content["phase"], result["phase"])
    words = content["docksim_channels"]
    assert list(words["variable"]) == ["time_s", "a_odd_m", "phase"]
    assert list(words["name"]) == ["time_s", "a.odd_m", "phase"]
    assert words["unit"][1] == "m"
    assert words["components"][1] == "x y z"
    assert content["docksim_run"]["outcome"] == "completed"


def test_matlab_names_are_valid_unique_and_short() -> None:
    long = "v." + "x" * 80
    names = matlab_names(
        ["a.b_m", "a_b.m", "a_b_m", "_hidden.x", "1.x", long + "1", long + "2", "docksim_run", "über.x"]
    )
    assert len(set(names.values())) == len(names)
    for name in names.values():
        assert name.isascii()
        assert name.isidentifier()
        assert name[0].isalpha()
        assert len(name) <= 63
    assert names["a.b_m"] == "a_b_m"
    assert names["docksim_run"] != "docksim_run"


def test_h5_reads_back_bit_for_bit_with_its_words(tmp_path: Path) -> None:
    result = odd_result()
    with h5py.File(export(result, "h5", tmp_path / "a.h5")) as store:
        assert same_bits(store["a.odd_m"][:], result["a.odd_m"])
        assert store["phase"].dtype == result["phase"].dtype
        words = dict(store["a.odd_m"].attrs)
        assert (words["unit"], words["frame"], words["description"]) == ("m", "W", "awkward numbers")
        assert json.loads(words["components"]) == ["x", "y", "z"]
        assert json.loads(store["phase"].attrs["labels"]) == ["A", "B", "C"]
        assert store.attrs["outcome"] == "completed"
        assert store["docksim/scenario_yaml"][()].decode() == result.scenario_yaml
        assert json.loads(store["docksim/metrics_json"][()]) == {"peak_N": 0.1}


@pytest.mark.parametrize("kind", ["csv", "mat", "h5"])
def test_every_channel_of_a_full_result_is_exported_beside_it(tmp_path: Path, kind: str) -> None:
    result = samples.result()
    folder = result.save(tmp_path / "run")
    file = export(Result.load(folder), kind)
    assert file == folder / f"data.{kind}"
    assert file.stat().st_size > 10_000
    assert not list(folder.glob(".*"))


def test_h5_without_h5py_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ResultError, match="needs h5py, which is not installed"):
        export(samples.result(), "h5", tmp_path / "a.h5")
    assert list(tmp_path.iterdir()) == []


def test_failed_export_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.csv"
    file.write_text("old")

    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setitem(sys.modules["docksim.result.export"].WRITERS, "csv", full)
    with pytest.raises(ResultError, match=r"cannot write .*a\.csv: No space left on device"):
        export(samples.result(), "csv", file)
    assert file.read_text() == "old"


def test_unsaved_result_needs_a_file_and_kind_must_be_known() -> None:
    with pytest.raises(ResultError, match="not saved"):
        export(samples.result(), "csv")
    with pytest.raises(ResultError, match="cannot export to 'xls': expected one of csv, mat, h5"):
        export(samples.result(), "xls")
