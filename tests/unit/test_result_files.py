"""Saved results: bit-equal round trips, nothing half-written, damage named by file."""

import errno
import json
import math
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from docksim.result import files as result_files
from docksim.result.files import FILES, load_folder, plain, save_run
from docksim.result.result import Channel, EventRecord, Result, ResultError
from tests.support import samples


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return samples.result().save(tmp_path / "run")


def test_round_trip_is_bit_equal(tmp_path: Path) -> None:
    before = samples.result()
    after = Result.load(before.save(tmp_path / "run"))
    assert list(after.channels) == list(before.channels)
    for name, channel in before.channels.items():
        loaded = after.channels[name]
        assert loaded.data.tobytes() == channel.data.tobytes()
        assert (loaded.data.dtype, loaded.data.shape) == (channel.data.dtype, channel.data.shape)
        words = (channel.unit, channel.frame, channel.description, channel.components, channel.labels)
        assert (loaded.unit, loaded.frame, loaded.description, loaded.components, loaded.labels) == words
    assert (after.events, after.metrics, after.manifest) == (before.events, before.metrics, before.manifest)
    assert (after.outcome, after.reason, after.scenario_yaml) == (before.outcome, before.reason, before.scenario_yaml)


def test_awkward_numbers_survive(tmp_path: Path) -> None:
    odd = np.array([0.1, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan])
    channels = [Channel("time_s", "s", "", "", np.arange(7.0)), Channel("odd", "", "", "", odd)]
    metrics = {"tenth": 0.1, "tiny": 5e-324, "count": 3, "numpy": np.float64(1 / 3), "lost": math.nan}
    result = Result(samples.scenario(), channels, "diverged", "body 'a' at 3 s", metrics=metrics)
    loaded = Result.load(result.save(tmp_path / "run"))
    assert loaded["odd"].tobytes() == odd.tobytes()
    assert math.isnan(loaded.metrics.pop("lost"))
    assert loaded.metrics == {"tenth": 0.1, "tiny": 5e-324, "count": 3, "numpy": 1 / 3}
    assert (loaded.outcome, loaded.reason) == ("diverged", "body 'a' at 3 s")


def test_columns_of_a_larger_table_are_saved_as_their_values(tmp_path: Path) -> None:
    """Channels are often views into one log array, neither contiguous nor in C order."""
    log = np.random.default_rng(0).normal(size=(50, 9))
    channels = [Channel("time_s", "s", "", "", np.arange(50.0)), Channel("v", "m", "", "", log[:, 3:9:2])]
    loaded = Result.load(Result(samples.scenario(), channels, "completed").save(tmp_path / "run"))
    assert np.array_equal(loaded["v"], log[:, 3:9:2])


def test_json_files_are_strict_json(saved: Path) -> None:
    for file in saved.glob("*.json"):
        json.loads(file.read_text(), parse_constant=pytest.fail)


def test_plain_turns_what_is_not_finite_into_null() -> None:
    values = {"a": np.float64(np.inf), "b": [np.int64(2), math.nan], "c": Path("x"), "d": np.array([1.5])}
    assert plain(values) == {"a": None, "b": [2, None], "c": "x", "d": [1.5]}


def test_a_loaded_result_can_be_saved_again(saved: Path, tmp_path: Path) -> None:
    again = Result.load(saved).save(tmp_path / "again")
    for name in FILES:
        assert (again / name).read_bytes() == (saved / name).read_bytes()


def test_an_existing_result_is_never_overwritten(saved: Path) -> None:
    with pytest.raises(ResultError, match="already exists"):
        samples.result(rows=3).save(saved)
    assert len(Result.load(saved).time_s) == 601
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_runs_go_to_scenario_and_time_and_never_collide(tmp_path: Path) -> None:
    results = [samples.result(rows=3) for _ in range(8)]
    threads = [threading.Thread(target=save_run, args=(result, tmp_path)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    folders = sorted(path.name for path in (tmp_path / "sample").iterdir())
    assert len(folders) == 8
    assert sorted(result.folder.name for result in results if result.folder) == folders
    assert not [name for name in folders if name.startswith(".")]


def test_a_taken_time_gets_a_counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Noon:
        @staticmethod
        def now(zone: object) -> "Noon":
            return Noon()

        @staticmethod
        def strftime(form: str) -> str:
            return "2030-01-01T12-00-00Z"

    monkeypatch.setattr(result_files, "datetime", Noon)
    names = [save_run(samples.result(rows=3), tmp_path).name for _ in range(3)]
    assert names == ["2030-01-01T12-00-00Z", "2030-01-01T12-00-00Z-2", "2030-01-01T12-00-00Z-3"]


def test_a_name_that_leaves_the_results_folder_is_refused(tmp_path: Path) -> None:
    result = samples.result(rows=3)
    result.manifest["scenario"] = "../elsewhere"
    with pytest.raises(ResultError, match="cannot be used as the name of a folder"):
        save_run(result, tmp_path / "results")


def test_a_full_disk_is_one_clear_line_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(result_files.np.lib.format, "write_array", full)
    with pytest.raises(ResultError, match=r"cannot write the result to .*sample: No space left on device"):
        save_run(samples.result(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("")
    with pytest.raises(ResultError, match="cannot write the result to"):
        save_run(samples.result(), tmp_path / "results")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(saved: Path, name: str) -> None:
    (saved / name).unlink()
    with pytest.raises(ResultError, match=f"{name}: missing; the result is incomplete"):
        load_folder(saved)


@pytest.mark.parametrize("name", [name for name in FILES if name != "scenario.yaml"])
@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00junk", b"[[[", b"null", b"17", b'{"a": 1}', b"[1, 2]"])
def test_a_damaged_file_is_named(saved: Path, name: str, damage: bytes) -> None:
    if name == "metrics.json" and damage == b'{"a": 1}':
        damage = b"[]"
    (saved / name).write_bytes(damage)
    with pytest.raises(ResultError, match=name):
        load_folder(saved)


def test_truncated_and_flipped_data_are_noticed(saved: Path) -> None:
    file = saved / "data.npz"
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damaged in (whole[: len(whole) // 2], whole[:-10], bytes(flipped)):
        file.write_bytes(damaged)
        with pytest.raises(ResultError, match=r"data\.npz: damaged"):
            load_folder(saved)


def test_arrays_that_this_machine_cannot_hold_are_not_asked_for(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a file that is mostly holes is as long as it likes
    monkeypatch.setattr("docksim.result.reading._memory", lambda: 1000)
    with pytest.raises(ResultError, match=r"data\.npz: damaged: \d+ bytes, at most 1000 are read"):
        load_folder(saved)


def test_pickled_data_are_refused(saved: Path) -> None:
    np.savez(saved / "data.npz", time_s=np.array([{}], dtype=object))
    with pytest.raises(ResultError, match=r"data\.npz: damaged"):
        load_folder(saved)


def _drop(items: list[dict]) -> None:
    del items[1]


def _rename(items: list[dict]) -> None:
    items[1]["name"] = "other"


def _no_unit(items: list[dict]) -> None:
    del items[1]["unit"]


def _one_component(items: list[dict]) -> None:
    items[1]["components"] = ["x"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_drop, "does not describe the array 'chaser.position_m'"),
        (_rename, "describes 'other', which is not in data.npz"),
        (_no_unit, "'unit' is missing"),
        (_one_component, "1 component names for 3 columns"),
    ],
)
def test_descriptions_must_fit_the_data(saved: Path, change: Callable[[list], None], message: str) -> None:
    file = saved / "channels.json"
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    with pytest.raises(ResultError, match=rf"channels\.json: damaged: .*{message}"):
        load_folder(saved)


def test_a_later_format_is_refused(saved: Path) -> None:
    file = saved / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 99}))
    with pytest.raises(
        ResultError, match=r"manifest\.json: .*result format 99, this version of docksim reads format 1"
    ):
        load_folder(saved)


def test_an_event_without_a_finite_loss_reads_as_nan(tmp_path: Path) -> None:
    result = samples.result(events=[EventRecord(1.0, "a", "", math.inf)])
    assert math.isnan(Result.load(result.save(tmp_path / "run")).events[0].energy_loss_J)


def test_a_folder_far_above_is_not_searched(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c" / "manifest.json").write_text("{}")
    with pytest.raises(ResultError, match=r"not a result folder; did you mean .*c"):
        Result.load(tmp_path / "a")
    with pytest.raises(ResultError, match=r"not a result folder$"):
        Result.load(tmp_path)


def test_a_folder_above_results_points_at_the_newest(saved: Path) -> None:
    with pytest.raises(ResultError, match=f"not a result folder; did you mean {saved}"):
        load_folder(saved.parent)
    shutil.rmtree(saved)
    with pytest.raises(ResultError, match=r"not a result folder$"):
        load_folder(saved.parent)
    with pytest.raises(ResultError, match="no such result folder"):
        load_folder(saved)
