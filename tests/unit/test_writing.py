"""One writer for all files: whole or not there, never through a link, nothing left behind."""

import ast
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.figure import Figure

from docksim.cli.chain_import import import_urdf
from docksim.cli.new import new
from docksim.files import writing
from docksim.plots.files import write_figures
from docksim.report.pages import write_report
from docksim.result.arrays import write_npz
from docksim.result.result import ResultError
from docksim.study.store import save_json
from tests.support.tight import tight_disk
from tests.support.urdf_texts import random_urdf

ROOT = Path(__file__).resolve().parents[2]
WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda file: writing.write_text(file, "new"),
    "npz": lambda file: write_npz(file, {"a": [1.0]}),
    "report": lambda file: write_report("new", file),
    "json": lambda file: save_json(file, {"a": 1}),
    "figure.png": lambda file: write_figures({"figure": Figure()}, file.parent),
    "new": lambda file: CliRunner().invoke(new, ["spin", str(file), "--force"]),
    "chain": lambda file: CliRunner().invoke(import_urdf, [_urdf(file), "--out", str(file), "--force"]),
}


def _urdf(file: Path) -> str:
    """An arm beside the folder of a file."""
    urdf = file.parent.parent / "arm.urdf"
    urdf.write_text(random_urdf(np.random.default_rng(3)))
    return str(urdf)


@pytest.mark.parametrize("name", WRITERS)
def test_link_in_the_place_of_a_file_is_replaced_and_not_followed(name: str, tmp_path: Path) -> None:
    victim, file = tmp_path / "victim", tmp_path / "out" / name
    victim.write_text("precious")
    file.parent.mkdir()
    file.symlink_to(victim)
    WRITERS[name](file)
    assert victim.read_text() == "precious"
    assert not file.is_symlink()
    assert file.stat().st_size > 0
    assert os.listdir(file.parent) == [name]


@pytest.mark.parametrize("name", [name for name in WRITERS if name not in ("text", "new", "chain")])
def test_disk_without_room_is_one_line_and_leaves_what_was_there(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("old")
    with tight_disk(2), pytest.raises(ResultError, match=f"^cannot write {file}: File too large$"):
        WRITERS[name](file)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == [name]


def test_names_of_what_is_not_whole_cannot_be_foreseen(tmp_path: Path) -> None:
    names = {writing.hidden_beside(tmp_path / "file").name for _ in range(50)}
    assert len(names) == 50
    assert all(len(name) >= len(writing.HIDDEN) + 16 for name in names)


def test_name_that_somebody_took_before_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    monkeypatch.setattr(writing, "hidden_beside", lambda file: tmp_path / "taken")
    (tmp_path / "taken").symlink_to(victim)
    with pytest.raises(FileExistsError):
        writing.write_text(tmp_path / "file", "new")
    assert victim.read_text() == "precious"


def test_many_writers_of_one_file_all_succeed_and_it_is_whole(tmp_path: Path) -> None:
    file, faults = tmp_path / "file", []

    def write(letter: str) -> None:
        try:
            for _ in range(20):
                writing.write_text(file, letter * 100_000)
        except OSError as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcdefgh"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(set(file.read_text())) == 1
    assert os.listdir(tmp_path) == ["file"]


def test_pipe_is_refused_at_once_and_a_folder_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a plain file"):
        writing.write_text(tmp_path / "pipe", "new")
    with pytest.raises(IsADirectoryError):
        writing.write_text(tmp_path, "new")
    with pytest.raises(OSError):
        writing.append_line(tmp_path, "line")


def test_what_must_not_be_there_is_not_replaced_not_even_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        writing.write_text(tmp_path / "link", "new", replace=False)
    assert os.listdir(tmp_path) == ["link"]


def test_lines_are_not_added_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "lines").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError):
        writing.append_line(tmp_path / "lines", "more")
    writing.append_line(tmp_path / "own", "one")
    writing.append_line(tmp_path / "own", "two")
    assert (tmp_path / "own").read_text() == "one\ntwo"
    assert (tmp_path / "victim").read_text() == "precious"


# ---------------------------------------------------------------- nobody writes in another way

WAYS = {"write_text", "write_bytes", "savetxt", "tofile", "symlink_to", "to_csv"}
# what opens in another way, and why
MAY = {
    ("docksim/files/writing.py", "open"),
    ("docksim/result/files.py", "open"),  # the parts of an archive
    ("docksim/native/libraries.py", "open"),  # the lock of a build, in a folder that nobody else can write to
}


def ways_to_write(path: Path) -> Iterator[str]:
    """Calls that make or change a file, by name."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if any(f"{way}(" in text for way in (*WAYS, "open")) else ():
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        is_method = isinstance(node.func, ast.Attribute)
        if name in WAYS and is_method:
            yield name
        asked = [*node.args, *(key.value for key in node.keywords if key.arg == "mode")]
        # also one that is chosen: "w" if force else "x"
        parts = [part for one in asked for part in ast.walk(one) if isinstance(part, ast.Constant)]
        modes = [part.value for part in parts if isinstance(part.value, str)]
        if name == "open" and any(set(mode) <= set("rwxab+t") and set(mode) & set("wxa") for mode in modes):
            yield name


def test_every_file_is_written_by_the_one_writer() -> None:
    files = sorted((ROOT / "docksim").rglob("*.py"))
    found = {(path.relative_to(ROOT).as_posix(), way) for path in files for way in ways_to_write(path)}
    assert found - MAY == set()
