"""Whoever can write to the cache can make a user run code: which folders and files are trusted, and what is said."""

import os
import tempfile
import time
from pathlib import Path

import pytest

from docksim.native import storage

DAY = 86400.0
CONTENT = bytes(range(256)) * 5


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DOCKSIM_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


# ---------------------------------------------------------------- which folder


def test_code_is_kept_in_the_users_cache_folder(home: Path) -> None:
    assert storage.cache_folder() == (home / ".cache" / "docksim" / "kernel", "")


def test_the_systems_name_for_the_cache_folder_counts(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert storage.cache_folder() == (tmp_path / "elsewhere" / "docksim" / "kernel", "")


def test_told_folder_is_the_only_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path / "told"))
    assert storage.cache_folder() == (tmp_path / "told" / "kernel", "")
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path / "file"))
    folder, why = storage.cache_folder()
    assert folder is None
    assert str(tmp_path / "file") in why


@pytest.mark.parametrize("umask", [0o002, 0o000])
def test_new_folders_are_closed_to_all_others_whatever_the_users_habit(home: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        folder, why = storage.cache_folder()
    finally:
        os.umask(before)
    assert (folder, why) == (home / ".cache" / "docksim" / "kernel", "")
    for place in (home / ".cache", home / ".cache" / "docksim", home / ".cache" / "docksim" / "kernel"):
        assert place.stat().st_mode & 0o777 == 0o700


def test_home_that_cannot_be_written_leads_to_the_temporary_folder(home: Path, temporary: Path) -> None:
    # a file where the folder should be stops even the superuser
    (home / ".cache").write_text("")
    folder, why = storage.cache_folder()
    assert folder == temporary / f"docksim-{os.getuid()}" / "kernel"
    assert why.startswith(f"{home / '.cache' / 'docksim' / 'kernel'} cannot be written")


def test_where_nothing_can_be_written_there_is_no_folder_and_both_are_named(
    home: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cache").write_text("")
    (temporary / f"docksim-{os.getuid()}").write_text("")
    folder, why = storage.cache_folder()
    assert folder is None
    assert str(home) in why
    assert str(temporary) in why

    # no temporary folder at all
    def nowhere() -> str:
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert storage.cache_folder()[0] is None


def test_user_without_home_and_account_gets_no_folder_named_tilde(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    folder, why = storage.cache_folder()
    assert folder == temporary / f"docksim-{os.getuid()}" / "kernel"
    assert "~/.cache/docksim/kernel is not an absolute path" in why
    assert not (tmp_path / "~").exists()


# ---------------------------------------------------------------- trust in folders


def test_folder_of_somebody_else_is_not_trusted(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, _ = storage.cache_folder()
    assert folder is not None
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert storage.distrust(folder) == f"{folder} belongs to another user"


def test_folder_in_the_temporary_folder_that_somebody_else_made_is_not_taken(
    home: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cache").write_text("")
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    trap = temporary / f"docksim-{owner + 1}"
    (trap / "kernel").mkdir(parents=True)
    trap.chmod(0o777)
    folder, why = storage.cache_folder()
    assert folder is None
    assert f"{trap / 'kernel'} belongs to another user" in why


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
@pytest.mark.parametrize("place", ["kernel", ".", ".."])
def test_folder_that_others_can_change_or_swap_is_not_trusted(
    home: Path, mode: int, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "_own_group", lambda gid: False)
    folder, _ = storage.cache_folder()
    assert folder is not None
    opened = {"kernel": folder, ".": folder.parent, "..": folder.parent.parent}[place]
    opened.chmod(mode)
    assert storage.distrust(folder) == f"{opened} can be written by others"
    assert storage.cache_folder()[0] != folder


def test_group_of_the_users_own_is_nobody_else(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import grp
    import pwd

    folder, _ = storage.cache_folder()
    assert folder is not None
    folder.chmod(0o770)
    me = pwd.struct_passwd(("me", "x", os.getuid(), folder.stat().st_gid, "", "/", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: me)

    def with_group(name: str, members: list[str]) -> str:
        monkeypatch.setattr(grp, "getgrgid", lambda gid: grp.struct_group((name, "x", gid, members)))
        return storage.distrust(folder)

    assert with_group("me", []) == with_group("me", ["me"]) == ""
    opened = f"{folder} can be written by others"
    assert with_group("me", ["me", "you"]) == with_group("staff", []) == opened
    folder.chmod(0o777)
    assert with_group("me", []) == opened


def test_sticky_folder_above_is_trusted_and_a_sticky_cache_folder_is_not(home: Path) -> None:
    folder, _ = storage.cache_folder()
    assert folder is not None
    folder.parent.chmod(0o1777)
    assert storage.distrust(folder) == ""
    folder.chmod(0o1777)
    assert storage.distrust(folder) == f"{folder} can be written by others"


def test_link_to_a_folder_is_judged_by_where_it_leads_and_not_followed_again(home: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir(mode=0o700)
    (home / ".cache").symlink_to(there)
    # whoever owns the link may lead it elsewhere later
    assert storage.cache_folder() == (there / "docksim" / "kernel", "")
    assert storage.distrust(home / ".cache" / "docksim" / "kernel") == f"{home / '.cache'} is a link"
    there.chmod(0o777)
    folder, why = storage.cache_folder()
    assert folder is None or not folder.is_relative_to(there)
    assert f"{there} can be written by others" in why


def test_folder_that_is_not_there_is_not_trusted(tmp_path: Path) -> None:
    assert "cannot be looked at" in storage.distrust(tmp_path / "absent")


# ---------------------------------------------------------------- files


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.o"
    assert storage.write_whole(path, CONTENT)
    return path


def test_file_comes_back_as_it_was_written_and_is_the_users_alone(file: Path) -> None:
    assert storage.examined(file) == (CONTENT, "")
    assert storage.read_own(file) == CONTENT
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["file.o"]


def test_missing_file_is_nothing_to_speak_of(tmp_path: Path) -> None:
    assert storage.examined(tmp_path / "absent") == (None, "")


def test_file_of_somebody_else_is_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert storage.examined(file) == (None, "belongs to another user")


@pytest.mark.parametrize("mode", [0o602, 0o622])
def test_file_that_others_can_write_is_not_read(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert storage.examined(file) == (None, "can be written by others")


def test_links_folders_and_pipes_are_not_read(file: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(file)
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert storage.examined(tmp_path / "link") == (None, "a link")
    assert storage.examined(tmp_path / "dangling") == (None, "a link")
    assert storage.read_own(tmp_path / "folder") is None
    assert storage.examined(tmp_path / "pipe") == (None, "not a plain file")


@pytest.mark.parametrize("place", [0, 100, 1279, 1280, -1])
def test_one_wrong_bit_is_noticed_wherever_it_is(file: Path, place: int) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    assert storage.examined(file) == (None, "damaged")


@pytest.mark.parametrize("size", [0, 1, 31, 32, 700, 1311])
def test_file_that_was_cut_short_is_noticed(file: Path, size: int) -> None:
    os.truncate(file, size)
    assert storage.examined(file) == (None, "damaged")


def test_write_that_fails_leaves_what_was_there_and_nothing_partial(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not storage.write_whole(file.parent / "absent" / "file.o", b"")

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert not storage.write_whole(file, b"other")
    assert storage.read_own(file) == CONTENT
    assert [path.name for path in file.parent.iterdir()] == ["file.o"]


def test_reading_makes_a_file_young_and_what_nobody_reads_for_a_month_is_removed(tmp_path: Path) -> None:
    now = time.time()
    for name, days in (("old", 31), ("recent", 29), ("read", 400), (".partial-0", 31)):
        storage.write_whole(tmp_path / name, CONTENT)
        os.utime(tmp_path / name, (now - days * DAY, now - days * DAY))
    (tmp_path / "dangling").symlink_to(tmp_path / "absent")
    (tmp_path / "folder").mkdir()
    assert storage.read_own(tmp_path / "read") == CONTENT
    storage.forget_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"recent", "read", "dangling", "folder"}
    # whatever else happens to the folder, a start does not fail
    storage.forget_old(tmp_path / "absent")


def test_files_that_vanish_while_old_ones_are_removed_stop_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = time.time() - 31 * DAY
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (past, past))
    plain_unlink = Path.unlink

    def somebody_was_faster(self: Path, missing_ok: bool = False) -> None:
        plain_unlink(self)
        if self.name == "b":
            raise FileNotFoundError(self)

    monkeypatch.setattr(Path, "unlink", somebody_was_faster)
    storage.forget_old(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_record_and_bytes_come_back_and_other_files_are_refused() -> None:
    packed = storage.packed_file(b"magic\n", {"a": [1, "b"]}, b"bytes")
    assert storage.unpacked_file(b"magic\n", packed) == ({"a": [1, "b"]}, b"bytes")
    for wrong in (b"", b"magic", b"other\n" + packed, packed[:12], b"magic\n" + bytes(8) + b"[]"):
        with pytest.raises(ValueError):
            storage.unpacked_file(b"magic\n", wrong)
