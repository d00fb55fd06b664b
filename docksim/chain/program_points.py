"""States of a chain to linearise at: typed by hand, along a program, or from recorded motion."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from docksim.chain.model import ChainModel
from docksim.chain.motion import run_program
from docksim.chain.recording import KINDS, read_recording
from docksim.config.errors import did_you_mean, unknown
from docksim.config.loading.chain_task import load_task, top_keys
from docksim.result.result import ResultError

MotionPoint = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def state_point(model: ChainModel, words: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, rates and accelerations from words such as link2.angle_deg=30; home and rest where none is given.

    Raises ValueError with what is wrong and what there is.
    """
    state = {"coordinate": model.home.copy(), "rate": np.zeros(model.n), "acceleration": np.zeros(model.n)}
    kinds = [
        {ending: (kind, factor) for kind in state for ending, factor in KINDS[kind][int(slides)].items()}
        for slides in model.prismatic
    ]
    example = "travel_m=0.1" if model.prismatic[0] else "angle_deg=30"
    for k, ending, value in link_values(model, words, kinds, example):
        kind, factor = kinds[k][ending]
        state[kind][k] = factor * value
    return state["coordinate"], state["rate"], state["acceleration"]


def link_values(
    model: ChainModel, words: Sequence[str], endings: Sequence[Collection[str]], example: str
) -> Iterator[tuple[int, str, float]]:
    """Link, quantity and value of words such as link2.angle_deg=30, with `endings` the quantities of each link.

    Raises ValueError with what is wrong and what there is.
    """
    for word in words:
        name, equals, text = word.partition("=")
        link, _, ending = name.strip().rpartition(".")
        if not equals or not link:
            raise ValueError(f"'{word}': expected LINK.QUANTITY=VALUE, for example {model.names[0]}.{example}")
        if link not in model.names:
            raise ValueError(f"'{word}': {unknown('link', link, model.names)}")
        k = model.names.index(link)
        if ending not in endings[k]:
            raise ValueError(f"'{word}': '{link}' has {', '.join(endings[k])}{did_you_mean(ending, endings[k])}")
        yield k, ending, _number(word, text)


def _number(word: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"'{word}': '{text}' is no finite number")
    return value


def motion_points(model: ChainModel, file: str, samples: int) -> list[MotionPoint]:
    """Evenly chosen states of a program's motion (a task file), or of a recording (CSV, .npz)."""
    if Path(file).suffix in (".csv", ".npz"):
        found = read_recording(Path(file), model, force=False)
        columns = (found.time_s, found.q, found.rates, found.accelerations)
    else:
        columns = _of_program(model, file)
    chosen = np.unique(np.linspace(0, len(columns[0]) - 1, samples).round().astype(int))
    return [(float(columns[0][i]), columns[1][i], columns[2][i], columns[3][i]) for i in chosen]


def _of_program(model: ChainModel, file: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    if "chain" not in top_keys(file):
        raise ResultError(f"{file}: is no task of a chain; --along takes a task with a program, a CSV or an .npz file")
    loaded = load_task(file)
    if not loaded.task.program:
        raise ResultError(f"{file}: has no program to go along")
    motion = run_program(loaded)
    if motion.model.names != model.names:
        raise ResultError(f"{file}: is a task of another chain, with the links {', '.join(motion.model.names)}")
    if motion.outcome != "completed":
        raise ResultError(f"{file}: {motion.reason}")
    return motion.time_s, motion.q, motion.rates, motion.accelerations
