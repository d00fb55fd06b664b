"""Scenarios on the documentation pages do what the pages say."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

import docksim
from docksim.config.outcomes import MEANINGS, SUCCESSES

ROOT = Path(__file__).resolve().parents[2]


def scenarios(page: str) -> list[str]:
    """Indented blocks that are whole scenarios."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, flags=re.MULTILINE)
    return [textwrap.dedent(block) for block in blocks if "vehicles:" in block and "solver:" in block]


@pytest.mark.parametrize(("page", "outcome"), [("docs/contact.md", "rebounded"), ("docs/first.md", "completed")])
def test_scenario_of_the_page_ends_as_it_says(page: str, outcome: str, tmp_path: Path) -> None:
    (text,) = scenarios(page)
    file = tmp_path / "page.yaml"
    file.write_text(text, encoding="utf-8")
    assert docksim.run(file).outcome == outcome


def test_every_shipped_scenario_is_in_the_table() -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
    names = [path.stem for path in (ROOT / "scenarios").glob("*.yaml") if not path.stem.endswith("_edge")]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_outcome_is_in_the_table_with_its_meaning_and_exit_code() -> None:
    text = (ROOT / "docs" / "docking.md").read_text(encoding="utf-8")
    for word, meaning in MEANINGS.items():
        code = 130 if word == "interrupted" else 0 if word in SUCCESSES else 1
        assert f"| `{word}` | {code} | {meaning} |" in text
