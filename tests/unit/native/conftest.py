"""The tiny library as nobody has used it, and its file as it is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from docksim.native import libraries, ordinary, storage
from docksim.native.decorators import Kernel
from docksim.native.levels import level
from tests.tiny import functions
from tests.tiny.library import LIBRARY


def forget() -> None:
    """As if nothing had been loaded."""
    libraries._LOADED.pop(LIBRARY.name, None)
    for value in vars(functions).values():
        if isinstance(value, Kernel):
            value._calls = ()


@pytest.fixture(scope="session")
def tiny_code() -> bytes:
    """The tiny library's file, without its last bytes, which storage adds."""
    found = libraries.loaded(LIBRARY)
    assert found.origin in ("cache", "built")
    folder, _ = storage.cache_folder()
    kept = storage.read_own(folder / libraries.file_name(LIBRARY, found.level)) if folder is not None else None
    return kept or libraries.build(LIBRARY, found.level, None)


@pytest.fixture
def cache(tiny_code: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder of this test's own, and a tiny library that nobody has loaded."""
    # what is compiled in the ordinary way is kept where it always is
    ordinary.twins()
    for name in ("DOCKSIM_KERNEL", "DOCKSIM_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path / "cache"))
    folder, why = storage.cache_folder()
    assert folder is not None, why
    forget()
    yield folder
    forget()


@pytest.fixture
def kept(cache: Path, tiny_code: bytes) -> Path:
    """The tiny library's file in the cache folder."""
    path = cache / libraries.file_name(LIBRARY, level()[0])
    assert storage.write_whole(path, tiny_code)
    return path


@pytest.fixture
def no_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*what: object) -> bytes:
        raise AssertionError("nothing is to be built here")

    monkeypatch.setattr(libraries, "build", refuse)


@pytest.fixture
def builds(tiny_code: bytes, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Builds that cost nothing; the levels they were made for."""
    made: list[str] = []

    def build(one: libraries.Library, best: str, *rest: object) -> bytes:
        made.append(best)
        return tiny_code

    monkeypatch.setattr(libraries, "build", build)
    return made
