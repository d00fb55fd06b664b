"""Figures to files. The same figure gives the same bytes: no dates inside."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.png import png_bytes
from docksim.result.result import ResultError

FORMATS = ("png", "svg", "pdf")
_NO_DATE: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}


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
            _write(figure, hidden, kind)
            paths.append(hidden.replace(path))
    except OSError as error:
        raise ResultError(f"cannot write figures to {folder}: {error.strerror or error}") from error
    return paths


def _write(figure: Figure, path: Path, kind: str) -> None:
    with rc_context(style.RC):
        if kind == "png":
            path.write_bytes(_png(figure, style.RC["savefig.dpi"]))
        else:
            figure.savefig(path, format=kind, metadata=_NO_DATE[kind])


def _png(figure: Figure, dpi: float) -> bytes:
    """The figure drawn with so many pixels an inch, and left as it was."""
    canvas, own = FigureCanvasAgg(figure), figure.dpi
    figure.set_dpi(dpi)
    try:
        canvas.draw()
        return png_bytes(np.asarray(canvas.buffer_rgba()), dpi)
    finally:
        figure.set_dpi(own)
