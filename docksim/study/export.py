"""The table of a study for other people's tools: CSV, MATLAB, Parquet; one row a case, in the order of cases.

Columns have the names of the study's file, `case` for its `n`: outcome, reason, success, missed, input.<key>,
metric.<name>. A metric that a case does not have is NaN, in CSV an empty cell. Numbers read back bit for bit.
csv: one header line of names; units are the ends of names.
mat: one variable a column, dots become underscores; `docksim_columns` has names and units, `docksim_study` the study.
parquet: the units of columns as their metadata, the study as that of the table. Needs pyarrow.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from docksim.config.units import unit_of
from docksim.result.arrays import cells, save_mat, whole
from docksim.result.export import matlab_names, write_rows
from docksim.result.result import ResultError, optional
from docksim.study.store import BETWEEN
from docksim.study.table import Table

INPUT, METRIC = "input.", "metric."


def export_table(table: Table, kind: str, file: Path | None = None) -> Path:
    """Write the table as `kind` (csv, mat, parquet); the default file is table.<kind> beside the study."""
    if kind not in TABLE_WRITERS:
        raise ResultError(f"cannot export a study to '{kind}': expected one of {', '.join(TABLE_WRITERS)}")
    return whole(file or table.file.with_name(f"table.{kind}"), partial(TABLE_WRITERS[kind], table))


def columns_of(table: Table) -> dict[str, np.ndarray]:
    """Every column by name, one entry a case."""
    return {
        "case": table.case,
        "outcome": table.outcome,
        "reason": table.reason,
        "success": table.success,
        "missed": np.array([BETWEEN.join(missed) for missed in table.missed], object),
        **{INPUT + key: column for key, column in table.inputs.items()},
        **{METRIC + name: column for name, column in table.metrics.items()},
    }


def write_csv(table: Table, stream: BinaryIO) -> None:
    columns = columns_of(table)
    write_rows(stream, columns, [_plain(values) for values in columns.values()])


def _plain(values: np.ndarray) -> np.ndarray:
    """Numbers as they are, 1 and 0 for true and false, nothing for NaN."""
    if values.dtype.kind == "b":
        return values.astype(int)
    texts = values.astype(object)
    texts[values != values] = ""
    return texts


def write_mat(table: Table, stream: BinaryIO) -> None:
    columns = columns_of(table)
    names = matlab_names(list(columns))
    content: dict[str, Any] = {
        names[name]: cells([str(value) for value in values]) if values.dtype == object else values
        for name, values in columns.items()
    }
    words = {"variable": list(names.values()), "name": list(names), "unit": [unit_of(name) for name in names]}
    content["docksim_columns"] = {key: cells(texts) for key, texts in words.items()}
    content["docksim_study"] = {"name": table.study.name, "planned": table.planned, "definition": _definition(table)}
    save_mat(stream, content)


def write_parquet(table: Table, stream: BinaryIO) -> None:
    """Parquet, with the optional package pyarrow."""
    pyarrow, parquet = (optional(f"pyarrow{part}", "export to parquet", "parquet") for part in ("", ".parquet"))
    columns = {
        name: pyarrow.array([str(value) for value in values] if values.dtype == object else values)
        for name, values in columns_of(table).items()
    }
    fields = [pyarrow.field(name, values.type, metadata={"unit": unit_of(name)}) for name, values in columns.items()]
    about = {"docksim_study": _definition(table), "docksim_planned": str(table.planned)}
    parquet.write_table(pyarrow.table(list(columns.values()), pyarrow.schema(fields, about)), stream)


def _definition(table: Table) -> str:
    """The study with all its keys."""
    return json.dumps(table.study.model_dump(mode="json"))


TABLE_WRITERS: dict[str, Callable[[Table, BinaryIO], None]] = {
    "csv": write_csv,
    "mat": write_mat,
    "parquet": write_parquet,
}
