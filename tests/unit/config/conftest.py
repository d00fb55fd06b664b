"""A folder of its own for every test, and short ways to load a text and to collect what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from docksim.config import Scenario, ScenarioError, load_scenario

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file below a fresh current folder."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def load(write: Write) -> Callable[..., Scenario]:
    """Loads a text as the file s.yaml."""

    def load(text: str, **overrides: object) -> Scenario:
        write("s.yaml", text)
        return load_scenario("s.yaml", **overrides)

    return load


@pytest.fixture
def faults(load: Callable[..., Scenario]) -> Callable[..., list[str]]:
    """The problems of a text, as printed; empty when it loads."""

    def faults(text: str, **overrides: object) -> list[str]:
        try:
            load(text, **overrides)
        except ScenarioError as error:
            return str(error).splitlines()
        return []

    return faults
