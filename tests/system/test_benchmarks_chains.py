"""The benchmark of chains runs, and its two sides compute the same matrix. Nothing here judges a time."""

import io

from rich.console import Console

from benchmarks.chains import chain_rows, show
from docksim.chain.counts import MATRIX


def test_rows_have_every_formulation_and_the_peer() -> None:
    rows = chain_rows((2, 5), repeats=1, seconds=1e-4)
    assert [row["links"] for row in rows] == [2, 5]
    assert set(rows[0]["us"]) == {*MATRIX, "with sines", "pinocchio"}
    assert rows[1]["operations"]["crba"] == 1465
    text = io.StringIO()
    show(rows, "title", Console(width=140, file=text))
    assert "fewest operations" in text.getvalue()
