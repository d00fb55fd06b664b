"""The notebooks say what their pages say, and run cell by cell, each shown as a notebook shows it."""

from __future__ import annotations

import ast
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "notebooks"
PAGES = sorted(FOLDER.glob("*.md"))


def run_cells(notebook: dict[str, Any]) -> list[str]:
    """Run the cells of code in one namespace, as a kernel does; what their last expressions show."""
    space: dict[str, Any] = {}
    shown = []
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None  # type: ignore[attr-defined]
        exec(compile(tree, f"cell {number}", "exec"), space)
        value = None if last is None else eval(compile(last, f"cell {number}", "eval"), space)
        if value is not None:
            page = getattr(value, "_repr_html_", None)
            shown.append(repr(value) if page is None else page())
    return shown


def test_there_are_two_and_each_is_made_of_its_page() -> None:
    make = runpy.run_path(str(ROOT / "docs" / "make_notebooks.py"))
    assert [page.stem for page in PAGES] == ["first_docking", "study"]
    for page in PAGES:
        file = page.with_suffix(".ipynb")
        assert file.read_text(encoding="utf-8") == make["text_of"](page), "python docs/make_notebooks.py makes it anew"
        told = json.loads(file.read_text(encoding="utf-8"))
        assert (told["nbformat"], told["nbformat_minor"]) == (4, 5)
        assert all(set(cell) >= {"cell_type", "id", "metadata", "source"} for cell in told["cells"])
        text = page.read_text(encoding="utf-8")
        for cell in told["cells"]:
            lines = "".join(cell["source"]).splitlines()
            indent = "    " if cell["cell_type"] == "code" else ""
            assert all((f"{indent}{line}" if line else "") in text.splitlines() for line in lines)


@pytest.mark.parametrize(("name", "words"), [
    ("first_docking", ("<Scenario 'dock_nds'", "closing_rate_m_s", "captured", "<svg")),
    ("study", ("slow_box", "of 4", "approach.closing_rate_m_s", "dock.peak_compression_N")),
])  # fmt: skip
def test_notebook_runs_from_top_to_bottom(
    name: str, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    shown = run_cells(notebook)
    told = "\n".join(shown) + capsys.readouterr().out
    assert [word for word in words if word not in told] == []
    # nothing is left behind
    assert list(tmp_path.iterdir()) == []
