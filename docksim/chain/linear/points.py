"""States of a chain to linearise at, along a program or from recorded motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from docksim.chain.identification.recording import read_recording
from docksim.chain.model import ChainModel
from docksim.chain.motion.runs import run_program
from docksim.config.loading.chain_task import load_task, top_keys
from docksim.result.result import ResultError

MotionPoint = tuple[float, np.ndarray, np.ndarray, np.ndarray]


def motion_points(model: ChainModel, file: str, samples: int) -> list[MotionPoint]:
    """Evenly chosen states of a program's motion (a task file), or of a recording (CSV, .npz)."""
    if Path(file).suffix in (".csv", ".npz"):
        recorded = read_recording(Path(file), model, force=False)
        columns = (recorded.time_s, recorded.q, recorded.rates, recorded.accelerations)
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
