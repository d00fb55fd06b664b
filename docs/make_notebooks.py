"""The notebooks of docs/notebooks, from the pages beside them: python docs/make_notebooks.py.

A page is the one source: what is indented is a cell of code, what stands between is a cell of text. Cells have no
outputs, which differ from machine to machine.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent / "notebooks"
CODE = re.compile(r"((?:^    .*\n|^\n(?=    ))+)", re.MULTILINE)
ABOUT = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def cells(page: str) -> Iterator[tuple[str, str]]:
    """Kind and text of every cell, in order."""
    for i, part in enumerate(CODE.split(page.rstrip("\n") + "\n")):
        text = textwrap.dedent(part).strip("\n") if i % 2 else part.strip("\n")
        if text:
            yield ("code" if i % 2 else "markdown"), text


def notebook(page: str) -> dict[str, Any]:
    """The page as a notebook (nbformat 4.5)."""
    made = []
    for number, (kind, text) in enumerate(cells(page), start=1):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        cell["source"] = text.splitlines(keepends=True)
        made.append(cell | ({"execution_count": None, "outputs": []} if kind == "code" else {}))
    return {"cells": made, "metadata": ABOUT, "nbformat": 4, "nbformat_minor": 5}


def text_of(page: Path) -> str:
    """The file of a page's notebook."""
    return json.dumps(notebook(page.read_text(encoding="utf-8")), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    for page in sorted(FOLDER.glob("*.md")):
        page.with_suffix(".ipynb").write_text(text_of(page), encoding="utf-8")


if __name__ == "__main__":
    main()
