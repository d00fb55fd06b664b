"""Tables of docksim chain dynamics and chain counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from docksim.chain.dynamics.counts import FORCES, KOSYNKA, MATRIX, Polynomial, fewest_from, in_words, value_at
from docksim.chain.dynamics.literal import SUMS, TOTALS, Sum, sum_of
from docksim.chain.dynamics.report import Report

MOST_COLUMNS = 8  # of a matrix that can still be read
SHORT = {"kane": "Kane", "kane_trimmed": "trimmed", "recurrent": "recurrent", "crba": "CRBA", "twists": "twists"}


def counts_tables(
    matrix: Mapping[str, Polynomial], sums: Mapping[str, Polynomial], forces: Mapping[str, Polynomial],
    lengths: Sequence[int], times_us: Mapping[str, Sequence[float]] | None,
) -> list[Table]:  # fmt: skip
    """Formulas, then numbers by length, then times."""
    made = [_formulas(matrix), _sums(sums), _forces(forces), _operations(matrix, lengths)]
    return [*made, _times(lengths, times_us)] if times_us else made


def _table(title: str, *headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=Text(title, "bold"), title_justify="left", padding=(0, 1, 0, 0))
    table.add_column(headings[0], overflow="fold")
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _formulas(matrix: Mapping[str, Polynomial]) -> Table:
    table = _table("operations for A of N turning joints", "formulation", "counted", "published", "fewest at N")
    for name, count in matrix.items():
        words, formula = MATRIX[name]
        best = fewest_from(name, dict(matrix))
        span = f"{best[0]} to {best[-1]}" if best else "-"
        table.add_row(words, in_words(count.total), in_words(formula) if formula else "-", span)
    table.add_row(KOSYNKA[0], "-", in_words(KOSYNKA[1]), "-")
    return table


def _sums(sums: Mapping[str, Polynomial]) -> Table:
    """The published table's rows, misprints corrected, beside a run that does them literally."""
    headings = ("sum", "multiplications", "published", "additions", "published")
    table = _table("the recurrent closed form, sum by sum, literally; = is the published count", *headings)
    together = Polynomial(
        sum_of(one.multiplications for one in sums.values()), sum_of(one.additions for one in sums.values())
    )
    rows: list[tuple[str, Sum, Polynomial]] = [(name, SUMS[name], count) for name, count in sums.items()]
    for name, published, count in [*rows, ("together", TOTALS, together)]:
        pairs = ((count.multiplications, published.multiplications), (count.additions, published.additions))
        cells = ((in_words(one), "=" if one == other else in_words(other)) for one, other in pairs)
        table.add_row(name, *(cell for pair in cells for cell in pair))
    return table


def _forces(forces: Mapping[str, Polynomial]) -> Table:
    table = _table("operations for b", "formulation", "counted", "at N = 7", "at N = 50")
    for name, count in forces.items():
        table.add_row(FORCES[name], in_words(count.total), f"{count.at(7):,}", f"{count.at(50):,}")
    return table


def _operations(matrix: Mapping[str, Polynomial], lengths: Sequence[int]) -> Table:
    published = {f"{SHORT[name]}*": formula for name, (_, formula) in MATRIX.items() if formula}
    published["kosynka*"] = KOSYNKA[1]
    table = _table("operations for A, counted; with * as published", "N", *(SHORT[name] for name in matrix), *published)
    for n in lengths:
        printed = (f"{value_at(formula, n):,.0f}" for formula in published.values())
        table.add_row(str(n), *(f"{count.at(n):,}" for count in matrix.values()), *printed)
    return table


def _times(lengths: Sequence[int], times_us: Mapping[str, Sequence[float]]) -> Table:
    table = _table("time for A [µs], compiled, best of many", "N", *(SHORT[name] for name in times_us), "fastest")
    for i, n in enumerate(lengths):
        row = {name: values[i] for name, values in times_us.items()}
        table.add_row(str(n), *(f"{value:.3g}" for value in row.values()), SHORT[min(row, key=lambda key: row[key])])
    return table


# ---------------------------------------------------------------- dynamics


def state_table(name: str, report: Report) -> Table:
    """One row a joint."""
    table = _table(name, "joint", "q", "q'", "q'' asked", "Q for it", "b", "drive", "q'' from it")
    for k, link in enumerate(report.names):
        sliding = bool(report.prismatic[k])
        unit, force = ("m", "N") if sliding else ("deg", "N m")
        factor = 1.0 if sliding else math.degrees(1.0)
        motions = ((report.q, ""), (report.rates, "/s"), (report.accelerations, "/s²"), (report.response, "/s²"))
        motion = [f"{_value(factor * part[k])} {unit}{per}" for part, per in motions]
        forces = [f"{_value(part[k])} {force}" for part in (report.forces, report.b, report.drives)]
        table.add_row(Text(link), *motion[:3], *forces, motion[3])
    return table


def matrix_table(report: Report) -> Table:
    """The entries of A."""
    units = "kg m², kg m, kg: as the joints turn or slide" if report.prismatic.any() else "kg m²"
    table = _table(f"A [{units}]", "", *(str(number + 1) for number in range(len(report.names))))
    for number, (link, row) in enumerate(zip(report.names, report.A, strict=True)):
        table.add_row(Text(f"{number + 1} {link}"), *(_value(entry) for entry in row))
    return table


def operations_table(name: str, counted: Mapping[str, Mapping[str, int]]) -> Table:
    """Operations for A of one chain."""
    headings = ("formulation", "multiplications", "additions", "together")
    table = _table(f"operations for A of {name}, counted", *headings)
    for key, count in counted.items():
        table.add_row(MATRIX[key][0], *(f"{value:,}" for value in (*count.values(), sum(count.values()))))
    return table


def _value(value: float) -> str:
    return f"{value:.4g}" if abs(value) > 1e-12 else "0"
