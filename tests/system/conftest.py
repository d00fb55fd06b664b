"""Fixtures that several files use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from docksim.realtime import privileges
from tests.system.bridge_desk import Desk


@pytest.fixture(autouse=True)
def _memory_is_not_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of tests holds much memory that it never touches; a lock would touch it all, for seconds."""
    monkeypatch.setattr(privileges, "lock_memory_of_now", lambda: lambda: None)


@pytest.fixture
def wide_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run in an empty folder, on a terminal of 120 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def desks() -> Iterator[Callable[..., Desk]]:
    """Makes desks, and closes them when the test is over."""
    made: list[Desk] = []

    def desk(*arguments: Any, **options: Any) -> Desk:
        made.append(Desk(*arguments, **options))
        return made[-1]

    yield desk
    for one in made:
        one.close()
