"""The sources are the only truth: whatever is edited shows in the results, and only what must be is compiled again.

A copy of tests/scratch_room is edited between starts that share a cache.
"""

import shutil
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.system.edited_room import Start, start

ROOM = Path(__file__).resolve().parents[1] / "scratch_room"
# 1.5 tripled and a quarter; twice one more; the whole part's half
OUTER = (4.75, 5.0, 0.5)
ALL = ["grown", "halved", "last", "middle", "outer", "whole", "with_melted"]


@pytest.fixture(scope="module")
def starter() -> Iterator[ProcessPoolExecutor]:
    """Makes processes that have imported the compiler and nothing else."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["docksim.native.builder.library"])
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as pool:
        yield pool


class Room:
    """A copy of the room, and its cache."""

    def __init__(self, folder: Path, pool: ProcessPoolExecutor) -> None:
        self.path, self.cache, self._pool = folder / "scratch_room", folder / "cache", pool
        shutil.copytree(ROOM, self.path, ignore=shutil.ignore_patterns("__pycache__"))
        self.cache.mkdir(mode=0o700)

    def start(self) -> Start:
        return self._pool.submit(start, str(self.path.parent), str(self.cache)).result(timeout=120)

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.path / f"{file}.py"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, starter: ProcessPoolExecutor) -> tuple[Room, Start]:
    """A room as it is, started once."""
    room = Room(tmp_path_factory.mktemp("room"), starter)
    return room, room.start()


@pytest.fixture
def room(first: tuple[Room, Start], tmp_path: Path, starter: ProcessPoolExecutor) -> Room:
    """A room to be edited, with the cache of the first start."""
    made = Room(tmp_path, starter)
    shutil.copytree(first[0].cache, made.cache, dirs_exist_ok=True)
    return made


def test_first_start_compiles_all_and_the_next_one_nothing(first: tuple[Room, Start], room: Room) -> None:
    _, fresh = first
    assert (fresh.origin, fresh.compiled, fresh.optimised) == ("built", ALL, True)
    assert (fresh.outer, fresh.last) == (OUTER, 24.0)
    assert room.start() == fresh._replace(origin="cache", compiled=[], optimised=False)


def test_edit_of_a_helper_changes_the_result_and_reverting_restores_it(first: tuple[Room, Start], room: Room) -> None:
    room.edit("helpers", "FACTOR * x", "FACTOR * x + 1.0")
    edited = room.start()
    assert edited.outer == (5.75, 5.0, 0.5)
    assert edited.stamp != first[1].stamp
    # its callers call it, they need not be lowered again
    assert edited.compiled == ["grown"]
    room.edit("helpers", "FACTOR * x + 1.0", "FACTOR * x")
    assert room.start() == first[1]._replace(origin="cache", compiled=[], optimised=False)


def test_comment_gives_another_stamp_and_costs_nothing_else(first: tuple[Room, Start], room: Room) -> None:
    room.edit("helpers", '"""Three times x."""', '"""So many times x."""\n    # see FACTOR')
    room.edit("functions", "@kernel\ndef outer", "# a word\n\n\n@kernel\ndef outer")
    edited = room.start()
    assert edited.stamp != first[1].stamp
    assert edited == first[1]._replace(stamp=edited.stamp, compiled=[], optimised=False)


def test_constant_of_another_file_counts(room: Room) -> None:
    room.edit("tables", "FACTOR = 3.0", "FACTOR = 5.0")
    edited = room.start()
    assert (edited.outer, edited.compiled) == ((7.75, 5.0, 0.5), ["grown"])


def test_edit_of_a_melted_helper_compiles_its_caller(room: Room) -> None:
    room.edit("helpers", "y = x + 1.0", "y = x + 2.0")
    edited = room.start()
    assert (edited.outer, edited.compiled) == ((4.75, 7.0, 0.5), ["with_melted"])


def test_another_result_type_compiles_the_caller_and_stops_where_types_are_as_they_were(room: Room) -> None:
    # a float becomes an integer, and its half is a float again
    room.edit("helpers", "return float(int(x))", "return int(x)")
    edited = room.start()
    assert (edited.outer, edited.compiled) == (OUTER, ["halved", "whole"])


def test_another_field_in_a_table_gives_another_stamp_and_is_read_right(first: tuple[Room, Start], room: Room) -> None:
    room.edit("tables", '[("x", np.float64), ', '[("more", np.int64), ("x", np.float64), ')
    edited = room.start()
    assert edited.stamp != first[1].stamp
    assert (edited.last, edited.compiled) == (24.0, ["last"])


def test_another_array_in_a_bundle_gives_another_stamp_and_is_read_right(first: tuple[Room, Start], room: Room) -> None:
    room.edit("tables", "class Points(NamedTuple):\n", "class Points(NamedTuple):\n    # more\n")
    path = room.path / "tables.py"
    path.write_text(path.read_text() + "    more: Annotated[np.ndarray, np.float64]\n")
    edited = room.start()
    assert edited.stamp != first[1].stamp
    assert (edited.last, edited.compiled) == (24.0, ["last"])


@pytest.mark.parametrize("damage", ["cut", "bit"])
def test_damaged_work_of_earlier_builds_is_done_again(damage: str, first: tuple[Room, Start], room: Room) -> None:
    file = room.cache / "functions"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    changed = {"cut": bytes(content[: len(content) // 2]), "bit": bytes(content)}
    file.write_bytes(changed[damage])
    for kept in room.cache.glob("*.o"):
        kept.unlink()
    again = room.start()
    assert again == first[1]
    # and it is whole again
    for kept in room.cache.glob("*.o"):
        kept.unlink()
    assert room.start() == first[1]._replace(compiled=[])
