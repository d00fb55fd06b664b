"""The paper's path and docksim's, recorded: the same share, fewer operations, and the table of the docs."""

from pathlib import Path

from benchmarks.recorded_legs import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mechanism.md"


def test_the_table_is_the_one_in_the_docs_and_inputs_take_fewer_operations() -> None:
    text = table()
    paper, own = ([int(cell) for cell in row.split("|")[2:-1]] for row in text.splitlines()[2:])
    assert all(a > b for a, b in zip(paper, own, strict=True))
    page = PAGE.read_text(encoding="utf-8")
    assert text in page, "docs/mechanism.md is out of date: put in what `python -m benchmarks.recorded_legs` prints"
