"""The benchmark of chains runs, and its two sides compute the same matrix. Nothing here judges a time."""

import io

import pytest
from rich.console import Console

from benchmarks import generated, parallel
from benchmarks.chains import chain_rows, show
from docksim.chain.dynamics.counts import MATRIX
from docksim.numbers.counting import plain


def test_rows_have_every_formulation_and_the_peer() -> None:
    rows = chain_rows((2, 5), repeats=1, seconds=1e-4)
    assert [row["links"] for row in rows] == [2, 5]
    assert set(rows[0]["us"]) == {*MATRIX, "with sines", "pinocchio"}
    assert rows[1]["operations"]["crba"] == 1465
    text = io.StringIO()
    show(rows, "title", Console(width=140, file=text))
    assert "fewest operations" in text.getvalue()


def test_rows_in_parallel_give_the_matrix_that_they_give_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark compares them before it takes any time. As plain Python: compiling the loops takes ten seconds."""
    monkeypatch.setattr(parallel, "twin", plain)
    monkeypatch.setattr(parallel.numba, "njit", lambda **_: lambda loop: loop)
    monkeypatch.setattr(parallel, "compiled", parallel.compiled.__wrapped__)
    rows = parallel.parallel_rows((5,), repeats=1)
    assert set(rows[0]["us"]) == {"parallel", "serial", "composite"}
    text = io.StringIO()
    parallel.show(rows, Console(width=140, file=text))
    assert "rows in parallel" in text.getvalue()


def test_generated_code_stands_beside_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    # the kernel's loops as plain Python: compiling them takes seconds
    for name in ("kernel_inverse", "kernel_mass"):
        monkeypatch.setattr(generated, name, plain(getattr(generated, name)))
    rows = generated.generated_rows(("planar_2r",), repeats=1, seconds=1e-4)
    assert [row["what"] for row in rows] == ["inverse", "mass"]
    assert rows[0]["kernel_operations"] == 643
    text = io.StringIO()
    generated.show(rows, Console(width=140, file=text))
    assert "times as fast" in text.getvalue()
