"""A mistake is reported where it was made, not where the text stops making sense."""

from pathlib import Path

from tests.fuzz.mistakes import judged


def test_mistakes_in_shipped_scenarios_are_reported_on_their_lines(tmp_path: Path) -> None:
    refused, right, others = judged(200, 7, tmp_path)
    # `python -m tests.fuzz.mistakes` judges 1,500
    assert sum(right.values()) >= 196, others
    for kind in ("quote", "bracket"):
        assert right[kind] == refused[kind] > 5, others
