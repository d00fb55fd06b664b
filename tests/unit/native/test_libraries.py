"""Code that does not fit is never used, the reason can be asked for, and something that works takes its place."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from docksim.native import levels, libraries, storage
from docksim.native.decorators import NoCompilerError
from docksim.native.levels import HOST, V2, level
from docksim.native.libraries import BuildError, file_name, is_ready, loaded, status
from docksim.native.loading import MAGIC
from tests.tiny import functions as tiny
from tests.tiny.library import LIBRARY
from tests.unit.native.conftest import forget

BEST = level()[0]
RESULT = ((2.0, 3.0, 1.0), (5, True), False)
Spoil = Callable[[bytes], bytes]


def works() -> bool:
    return tiny.turned((1.0, 2.0, 3.0), 4) == RESULT


def record_changed(code: bytes, **changes: Any) -> bytes:
    about, body = storage.unpacked_file(MAGIC, code)
    return storage.packed_file(MAGIC, about | changes, body)


# ---------------------------------------------------------------- the cache


@pytest.mark.usefixtures("kept", "no_builds")
def test_kept_code_is_used_without_a_build() -> None:
    assert is_ready(LIBRARY)
    found = loaded(LIBRARY)
    assert (found.origin, found.level) == ("cache", BEST)
    assert found.reasons == (f"no library for {BEST} came with this installation",)
    assert status(LIBRARY) is found
    assert works()


def test_absent_code_is_built_and_kept_for_the_next_start(cache: Path, builds: list[str]) -> None:
    assert not is_ready(LIBRARY)
    assert status(LIBRARY).origin == "absent"
    assert builds == []
    assert loaded(LIBRARY).origin == "built"
    assert works()
    forget()
    assert loaded(LIBRARY).origin == "cache"
    assert works()
    assert builds == [BEST]
    assert {path.name for path in cache.iterdir()} == {file_name(LIBRARY, BEST), ".tiny.lock"}


@pytest.mark.usefixtures("cache", "builds")
@pytest.mark.parametrize("progress", [None, lambda part: None])
def test_a_build_that_nobody_watches_is_announced(progress: Any, capsys: pytest.CaptureFixture[str]) -> None:
    loaded(LIBRARY, progress)
    said = "docksim: compiling the tiny, up to a minute of one core, once for these sources\n"
    assert capsys.readouterr().err == ("" if progress else said)


@pytest.mark.usefixtures("cache", "no_builds")
@pytest.mark.parametrize("way", ["auto", "build", "jit"])
def test_without_code_and_without_a_compiler_there_is_a_word(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_KERNEL", way)
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    with pytest.raises(NoCompilerError, match=r"no compiled code of the tiny fits .* `pip install numba`"):
        loaded(LIBRARY)


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "bit of the code", "bit of the record", "text"])
def test_damaged_code_is_refused_and_built_again(damage: str, kept: Path, builds: list[str]) -> None:
    content = bytearray(kept.read_bytes())
    if damage.startswith("bit"):
        content[-2000 if damage == "bit of the code" else content.index(b"tiny_functions_turned")] ^= 4
    changed = {"empty": b"", "cut": bytes(content[:-100]), "longer": bytes(content) + b"\0", "text": b"code\n"}
    kept.write_bytes(changed.get(damage, bytes(content)))
    assert status(LIBRARY).reasons[-1] == f"{kept.name}: damaged"
    found = loaded(LIBRARY)
    assert (found.origin, found.reasons[-1]) == ("built", f"{kept.name}: damaged")
    assert works()
    forget()
    assert loaded(LIBRARY).origin == "cache"
    assert builds == [BEST]


# whole files that are not what their name says
FOREIGN: dict[str, tuple[Spoil, str]] = {
    "other sources": (lambda code: record_changed(code, stamp="0" * 16), "made from other sources (stamp 0000000000"),
    "other library": (lambda code: record_changed(code, library="chains"), "made for chains"),
    "other level": (lambda code: record_changed(code, level="x86-64-v9"), "made for tiny, x86-64-v9"),
    "other layout": (lambda code: record_changed(code, entries={}), "made for tables of another layout"),
    "other code": (lambda code: record_changed(code, sha256="0"), "damaged: its content is not what its record says"),
    "no record": (lambda code: b"something else entirely", "not a file of this form"),
    "no entries": (lambda code: record_changed(code, entries=[]), "cannot be used"),
    "lost symbol": (lambda code: code.replace(b"docksim_tests_tiny_functions_turned", b"x" * 35, 1), "no function xxx"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_whole_file_that_is_not_what_its_name_says_is_refused(
    case: str, kept: Path, tiny_code: bytes, builds: list[str]
) -> None:
    spoil, why = FOREIGN[case]
    storage.write_whole(kept, spoil(tiny_code))
    assert not is_ready(LIBRARY)
    reason = status(LIBRARY).reasons[-1]
    assert reason.startswith(kept.name)
    assert why in reason
    assert loaded(LIBRARY).origin == "built"
    assert works()


@pytest.mark.usefixtures("builds")
@pytest.mark.parametrize("mode", [0o606, 0o622])
def test_file_that_others_could_have_written_is_not_used(mode: int, kept: Path) -> None:
    kept.chmod(mode)
    assert status(LIBRARY).reasons[-1] == f"{kept.name}: can be written by others"
    assert loaded(LIBRARY).origin == "built"


@pytest.mark.usefixtures("builds")
def test_link_in_the_place_of_a_file_is_not_followed(kept: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    shutil.move(kept, target)
    kept.symlink_to(target)
    before = target.read_bytes()
    assert status(LIBRARY).reasons[-1] == f"{kept.name}: a link"
    assert loaded(LIBRARY).origin == "built"
    # the link is replaced, not what it leads to
    assert not kept.is_symlink()
    assert target.read_bytes() == before


@pytest.mark.usefixtures("kept")
def test_folder_that_others_can_write_is_not_used_and_nothing_is_kept_in_it(
    cache: Path, builds: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    cache.chmod(0o777)
    before = sorted(cache.iterdir())
    assert loaded(LIBRARY).origin == "built"
    assert works()
    assert f"{cache} can be written by others" in loaded(LIBRARY).reasons
    assert f"docksim: {cache} can be written by others: compiled code is not kept" in capsys.readouterr().err
    assert sorted(cache.iterdir()) == before


def test_where_nothing_can_be_kept_it_runs_and_says_so_and_names_the_folder(
    cache: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = cache / "file"
    blocked.write_text("")
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(blocked))
    assert loaded(LIBRARY).origin == "built"
    assert works()
    said = capsys.readouterr().err
    assert f"{blocked}/kernel cannot be written" in said
    assert "compiled code is not kept, and every start will compile" in said
    assert "DOCKSIM_CACHE_DIR" in said


def test_code_that_cannot_be_written_is_used_all_the_same(
    cache: Path, builds: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "write_whole", lambda path, content: False)
    assert loaded(LIBRARY).origin == "built"
    assert works()


# ---------------------------------------------------------------- levels and ways


def test_old_processor_gets_code_made_for_it(cache: Path, tiny_code: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def build(one: libraries.Library, best: str, *rest: object) -> bytes:
        made.append(best)
        return record_changed(tiny_code, level=best)

    monkeypatch.setattr(libraries, "build", build)
    monkeypatch.setattr(levels, "processor_flags", lambda: frozenset({"sse2"}))
    found = loaded(LIBRARY)
    assert (found.origin, found.level, made) == ("built", HOST, [HOST])
    assert found.reasons == ("no library for host came with this installation",)
    assert works()
    # another processor that shares the folder does not run this code
    forget()
    monkeypatch.setattr(libraries, "processor_name", lambda: "host-another")
    assert not is_ready(LIBRARY)


@pytest.mark.usefixtures("kept", "no_builds")
def test_asking_for_a_level_that_the_processor_lacks_is_answered_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_LEVEL", "x86-64-v9")
    found = loaded(LIBRARY)
    assert (found.origin, found.level) == ("cache", BEST)
    assert found.reasons[0].startswith("DOCKSIM_LEVEL=x86-64-v9: this processor has ")
    assert works()


@pytest.mark.usefixtures("cache", "builds")
def test_unknown_way_is_answered_with_one_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKSIM_KERNEL", "nonsense")
    assert not is_ready(LIBRARY)
    assert loaded(LIBRARY).origin == "built"
    said = "docksim: DOCKSIM_KERNEL=nonsense: expected one of auto, build, jit; auto is used"
    # once, though it is asked for several times
    assert capsys.readouterr().err.splitlines().count(said) == 1


@pytest.mark.usefixtures("kept", "no_builds")
def test_ordinary_compilation_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_KERNEL", "jit")
    assert not is_ready(LIBRARY)
    assert (status(LIBRARY).origin, status(LIBRARY).reasons) == ("jit", ("DOCKSIM_KERNEL=jit",))
    assert loaded(LIBRARY).origin == "jit"
    assert works()


def test_build_that_fails_is_said_and_ordinary_compilation_gives_the_same(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*what: object) -> bytes:
        raise BuildError("numba is not as expected")

    monkeypatch.setattr(libraries, "build", fail)
    found = loaded(LIBRARY)
    assert (found.origin, found.reasons[-1]) == ("jit", "the build failed: numba is not as expected")
    assert "cannot be built as one library (numba is not as expected); ordinary compilation" in capsys.readouterr().err
    assert works()


def test_build_that_cannot_be_loaded_is_said_and_not_kept(
    cache: Path, tiny_code: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(libraries, "build", lambda *what: record_changed(tiny_code, stamp="0"))
    assert loaded(LIBRARY).origin == "jit"
    assert "what was built cannot be used" in capsys.readouterr().err
    assert works()
    assert list(cache.glob("*.o")) == []


# ---------------------------------------------------------------- a library that came with the installation


@pytest.fixture(scope="session")
def linked(tiny_code: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tiny library as a wheel has it."""
    from docksim.native.ship import link

    if shutil.which("cc") is None:
        pytest.skip("no C compiler to link with")
    about, code = storage.unpacked_file(MAGIC, tiny_code)
    source = tmp_path_factory.mktemp("shipped") / f"tiny-{BEST}.o"
    source.write_bytes(code)
    link(source, source.with_suffix(".so"))
    source.unlink()
    about["sha256"] = hashlib.sha256(source.with_suffix(".so").read_bytes()).hexdigest()
    source.with_suffix(".json").write_text(json.dumps(about))
    return source.parent


@pytest.fixture
def wheel(linked: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The shared library of an installation, which may be damaged."""
    shutil.copytree(linked, tmp_path / "shipped")
    monkeypatch.setattr(libraries, "SHIPPED", tmp_path / "shipped")
    return tmp_path / "shipped" / f"tiny-{BEST}.so"


@pytest.mark.usefixtures("wheel", "kept", "no_builds")
def test_library_of_the_installation_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    found = loaded(LIBRARY)
    assert (found.origin, found.reasons) == ("shipped", ())
    assert works()
    forget()
    monkeypatch.setenv("DOCKSIM_KERNEL", "build")
    assert loaded(LIBRARY).origin == "cache"


@pytest.mark.usefixtures("wheel", "no_builds")
def test_library_of_the_installation_says_that_another_level_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_LEVEL", "x86-64-v9")
    found = loaded(LIBRARY)
    assert found.origin == "shipped"
    assert "DOCKSIM_LEVEL=x86-64-v9" in found.reasons[0]


@pytest.mark.usefixtures("kept", "no_builds")
@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ("cut", "damaged: its content is not what its record says"),
        ("bit", "damaged: its content is not what its record says"),
        ("garbage with a record", "cannot be used"),
        ("stamp", "made from other sources (stamp 0000"),
        ("level", f"made for tiny, {V2}x"),
        ("no record", "cannot be used"),
        ("half a record", "cannot be used"),
        ("a list as a record", "cannot be used"),
        ("symbol", "cannot be used"),
    ],
)
def test_damaged_library_of_the_installation_gives_way_to_the_cache(damage: str, why: str, wheel: Path) -> None:
    record = wheel.with_suffix(".json")
    about, content = json.loads(record.read_text()), wheel.read_bytes()
    if damage == "cut":
        wheel.write_bytes(content[: len(content) // 2])
    elif damage == "bit":
        wheel.write_bytes(content[:500] + bytes([content[500] ^ 1]) + content[501:])
    elif damage == "garbage with a record":
        wheel.write_bytes(b"garbage")
        record.write_text(json.dumps(about | {"sha256": hashlib.sha256(b"garbage").hexdigest()}))
    elif damage == "no record":
        record.unlink()
    elif damage == "half a record":
        record.write_text(record.read_text()[:100])
    elif damage == "a list as a record":
        record.write_text("[1, 2]")
    elif damage == "symbol":
        record.write_text(record.read_text().replace("docksim_tests_tiny_functions_turned", "nothing"))
    else:
        record.write_text(json.dumps(about | {"stamp": "0" * 16} if damage == "stamp" else about | {"level": f"{V2}x"}))
    found = loaded(LIBRARY)
    assert found.origin == "cache"
    assert found.reasons[0].startswith(wheel.name)
    assert why in found.reasons[0]
    assert works()


# ---------------------------------------------------------------- stamps


def test_stamp_changes_with_every_source_every_kind_and_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = tuple(Path(shutil.copy(path, tmp_path)) for path in LIBRARY.sources)
    recipe = tuple(Path(shutil.copy(path, tmp_path)) for path in libraries.RECIPE[:2])
    monkeypatch.setattr(libraries, "RECIPE", recipe)
    base = replace(LIBRARY, sources=copies)
    stamps = [base.stamp, replace(base, entries={**base.entries, "tests.tiny.functions:is_positive": ()}).stamp]
    for path in (*copies, *recipe):
        path.write_text(path.read_text() + "\n# edited\n")
        stamps.append(replace(base).stamp)
    assert len(set(stamps)) == len(stamps) == 6


def test_stamp_of_the_same_sources_is_the_same_wherever_they_lie(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / LIBRARY.sources[0].parent.name
    folder.mkdir(parents=True)
    copies = tuple(Path(shutil.copy(path, folder)) for path in LIBRARY.sources)
    assert replace(LIBRARY, sources=copies).stamp == LIBRARY.stamp


def test_room_without_a_library_has_none() -> None:
    assert libraries.of_room("tests.tiny.functions") is LIBRARY
    assert libraries.of_room("docksim.config.loading.scenario") is None
    assert libraries.of_room("nowhere.at.all") is None
