"""Figures to files. The same figure gives the same bytes: no dates inside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.result import ResultError

FORMATS = ("png", "svg", "pdf")
_NO_DATE: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def write_figures(figures: Mapping[str, Figure], folder: Path, kind: str = "png") -> list[Path]:
    """Write every figure as folder/<name>.<kind>, replacing older ones; returns the paths."""
    if kind not in FORMATS:
        raise ValueError(f"figure format '{kind}': expected one of {', '.join(FORMATS)}")
    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            path = folder / f"{name}.{kind}"
            hidden = folder / f".{name}.partial.{kind}"
            with rc_context(style.RC):
                figure.savefig(hidden, format=kind, metadata=_NO_DATE[kind])
            paths.append(hidden.replace(path))
    except OSError as error:
        raise ResultError(f"cannot write figures to {folder}: {error.strerror or error}") from error
    return paths
