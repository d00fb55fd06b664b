"""Force of a pawl over its striker's way, going in and going out; what lies between the two is lost to friction."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.config.interface import Latches
from docksim.config.pawl import PawlPiece, peak_N, work_to_pass_J
from docksim.plots import style

HEIGHT_IN = 3.0
IN, OUT, SPRING = "#0072b2", "#d55e00", "#555555"
OUTWARD: dict[str, Any] = {"color": OUT, "linewidth": 1.6, "linestyle": (0, (5, 1.5))}
STORED: dict[str, Any] = {"color": SPRING, "linewidth": 1.0, "linestyle": (0, (1, 1.5))}


def pawl_figure(title: str, latches: Latches) -> Figure:
    """One pawl, without what friction needs to build up and to turn round."""
    pieces = latches.pawl_pieces()
    way = 1e3 * _ways(pieces)
    going_in, going_out, spring = (_curve(pieces, key) for key in ("going_in_N", "going_out_N", "spring_N"))
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN))
        FigureCanvasAgg(figure)
        figure.text(0.1 / style.WIDTH_IN, 1 - 0.09 / HEIGHT_IN, title, va="top", weight="bold", parse_math=False)
        axes: Any = figure.add_axes((0.085, 0.16, 0.63, 0.70))
        axes.axhline(0.0, color="#888888", linewidth=0.6)
        if latches.pawl is None:
            axes.plot(way, going_in, color=IN, linewidth=1.6, label="in and out, by table")
        else:
            axes.fill_between(
                way, going_in, going_out, color=IN, alpha=0.10, linewidth=0, label="lost on a way and back"
            )
            axes.plot(way, going_in, color=IN, linewidth=1.6, label="going in")
            axes.plot(way, going_out, label="going out", **OUTWARD)
            axes.plot(way, spring, label="spring alone", **STORED)
        _mark(axes, way, going_in, pieces, latches)
        axes.set_xlim(-0.06 * way[-1], 1.10 * way[-1])
        axes.margins(y=0.15)
        axes.set_xlabel("way of the striker since it touched the pawl [mm]")
        axes.set_ylabel("force against its coming [N]")
        figure.legend(loc="upper left", bbox_to_anchor=(0.735, 0.87))
    return figure


def _ways(pieces: list[PawlPiece]) -> np.ndarray:
    """From nothing before the first touch to nothing behind the last piece."""
    inner = [way for piece in pieces for way in (piece.start_m, piece.end_m)]
    return np.array([0.0, *inner, inner[-1]])


def _curve(pieces: list[PawlPiece], key: str) -> np.ndarray:
    return np.array([0.0, *(force for piece in pieces for force in getattr(piece, key)), 0.0])


def _mark(axes: Any, way: np.ndarray, force: np.ndarray, pieces: list[PawlPiece], latches: Latches) -> None:
    top = int(np.argmax(force))
    axes.plot([way[top]], [force[top]], marker="o", markersize=3.5, color=IN)
    words = f"{peak_N(pieces):.3g} N; to pass {work_to_pass_J(pieces):.3g} J"
    axes.annotate(
        words, (way[top], force[top]), (0, 5), textcoords="offset points", ha="center", fontsize=style.SMALL_PT
    )
    falls = "" if latches.pawl is None else f", closed {1e3 * latches.pawl.falls_s:.3g} ms later"
    axes.axvline(way[-1], color="#888888", linewidth=0.6, linestyle=(0, (2, 2)))
    axes.annotate(
        f"passed{falls}", (way[-1], 0.98), (3, 0), xycoords=("data", "axes fraction"), textcoords="offset points",
        ha="left", va="top", rotation=90, fontsize=style.SMALL_PT,
    )  # fmt: skip
