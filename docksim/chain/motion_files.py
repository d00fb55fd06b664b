"""A chain's motion as named columns, degrees and metres at the border, and as CSV and .npz files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from docksim.chain.model import ChainModel
from docksim.chain.motion import ChainMotion
from docksim.chain.plant import WORKS
from docksim.result.arrays import whole, write_npz

_BLOCK = 4096
_DEG = 180.0 / np.pi


def joint_columns(model: ChainModel, values: np.ndarray, turning: str, sliding: str) -> dict[str, np.ndarray]:
    """Columns (T, n) by name; names that end in deg, deg_s or deg_s2 are converted."""
    found = {}
    for k, (link, slides) in enumerate(zip(model.names, model.prismatic, strict=True)):
        ending = sliding if slides else turning
        found[f"{link}.{ending}"] = values[:, k] * (_DEG if "_deg" in ending else 1.0)
    return found


def state_columns(
    model: ChainModel,
    time_s: np.ndarray,
    q: np.ndarray,
    rates: np.ndarray,
    accelerations: np.ndarray,
    force: np.ndarray,
) -> dict[str, np.ndarray]:
    """Time, coordinates, rates, accelerations, drive forces: what `docksim identify` reads."""
    return {
        "time_s": time_s,
        **joint_columns(model, q, "angle_deg", "travel_m"),
        **joint_columns(model, rates, "rate_deg_s", "rate_m_s"),
        **joint_columns(model, accelerations, "acceleration_deg_s2", "acceleration_m_s2"),
        **joint_columns(model, force, "torque_Nm", "force_N"),
    }


def motion_columns(motion: ChainMotion) -> dict[str, np.ndarray]:
    """All that a run gives: the state, then errors and reactions of the conditions, tool and energy."""
    model = motion.model
    columns = state_columns(model, motion.time_s, motion.q, motion.rates, motion.accelerations, motion.force)
    if motion.limited[0].any():
        columns |= joint_columns(model, motion.wanted, "wanted_Nm", "wanted_N")
    if motion.limited[1].any():
        columns |= joint_columns(model, motion.stop, "stop_Nm", "stop_N")
    for j, (row, unit) in enumerate(zip(motion.rows, motion.units, strict=True)):
        turns = unit == "rad"
        factor = _DEG if turns else 1.0
        columns[f"error.{row}_{'deg' if turns else 'm'}"] = factor * motion.f[:, j]
        columns[f"error_rate.{row}_{'deg_s' if turns else 'm_s'}"] = factor * motion.f_rate[:, j]
        if motion.kind == "constraint":
            columns[f"reaction.{row}_{'Nm' if turns else 'N'}"] = motion.reaction[:, j]
    if motion.kind == "constraint":
        reaction = joint_columns(model, motion.joint_reaction, "reaction_Nm", "reaction_N")
        columns |= reaction
    columns |= {f"tool.{axis}_m": motion.tool_m[:, i] for i, axis in enumerate("xyz")}
    works = {f"work.{name}_J": motion.work_J[:, i] for i, name in enumerate(WORKS)}
    return columns | {"energy_J": motion.energy_J, **works, "energy_residual_J": motion.residual_J}


def write_columns(columns: dict[str, np.ndarray], folder: Path, stem: str) -> list[Path]:
    """<stem>.csv, floats by their shortest exact form, and <stem>.npz."""

    def write(path: Path) -> None:
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(columns)
            count = len(next(iter(columns.values())))
            for first in range(0, count, _BLOCK):
                block = [column[first : first + _BLOCK].tolist() for column in columns.values()]
                writer.writerows(zip(*block, strict=True))

    return [whole(folder / f"{stem}.csv", write), write_npz(folder / f"{stem}.npz", columns)]
