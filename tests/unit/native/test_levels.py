"""Which code a processor can run."""

import platform

import pytest

from docksim.native import levels
from docksim.native.levels import HOST, NEEDS, V2, V3, V4

pytestmark = pytest.mark.usefixtures("plain_surroundings")


@pytest.fixture
def plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKSIM_LEVEL", raising=False)
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def processor(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """A processor with what these levels add."""
    flags = frozenset().union(*(NEEDS[name] for name in names))
    monkeypatch.setattr(levels, "processor_flags", lambda: flags)


def test_the_best_level_of_a_processor_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in ((V2,), (V2, V3), (V2, V3, V4)):
        processor(monkeypatch, *names)
        assert levels.possible() == (HOST, *names)
        assert levels.level() == (names[-1], "")


def test_level_counts_only_with_all_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    processor(monkeypatch, V2, V4)
    assert levels.level() == (V2, "")


def test_old_processor_and_other_machines_get_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    processor(monkeypatch, V3, V4)
    assert levels.level() == (HOST, "")
    processor(monkeypatch, V2, V3)
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert levels.level() == (HOST, "")


def test_asked_level_is_used_if_the_processor_has_it_else_a_word_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    processor(monkeypatch, V2, V3)
    for name in (HOST, V2, V3):
        monkeypatch.setenv("DOCKSIM_LEVEL", name)
        assert levels.level() == (name, "")
    for name in (V4, "x86-64-v9", "nonsense"):
        monkeypatch.setenv("DOCKSIM_LEVEL", name)
        best, word = levels.level()
        assert best == V3
        assert word == f"DOCKSIM_LEVEL={name}: this processor has host, {V2}, {V3}; {V3} is used"


def test_code_for_one_very_processor_has_another_name_on_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    names = set()
    for told in ((V2,), (V2, V3)):
        processor(monkeypatch, *told)
        levels.processor_name.cache_clear()
        names.add(levels.processor_name())
    levels.processor_name.cache_clear()
    assert len(names) == 2
    assert all(name.startswith("host-") for name in names)
