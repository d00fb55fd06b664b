"""A chain's motion as named columns, degrees and metres at the border, and as CSV and .npz files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docksim.algebra.rotations import TO_DEG
from docksim.chain.model import ChainModel
from docksim.chain.motion.adaptive import Adaptation
from docksim.chain.motion.plant import WORKS
from docksim.chain.motion.runs import ChainMotion
from docksim.result.arrays import whole, write_npz
from docksim.result.export import write_rows


def joint_columns(model: ChainModel, values: np.ndarray, turning: str, sliding: str) -> dict[str, np.ndarray]:
    """Columns (T, n) by name; names that end in deg, deg_s or deg_s2 are converted."""
    columns = {}
    for k, (link, slides) in enumerate(zip(model.names, model.prismatic, strict=True)):
        ending = sliding if slides else turning
        columns[f"{link}.{ending}"] = values[:, k] * (TO_DEG if "_deg" in ending else 1.0)
    return columns


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
    columns |= row_columns("error", motion.rows, motion.units, motion.f, ("m", "deg"))
    columns |= row_columns("error_rate", motion.rows, motion.units, motion.f_rate, ("m_s", "deg_s"))
    if motion.expected is not None:
        columns |= row_columns("by_the_poles", motion.rows, motion.units, motion.expected, ("m", "deg"))
    if motion.kind == "constraint":
        columns |= row_columns("reaction", motion.rows, motion.units, motion.reaction, ("N", "Nm"))
        columns |= joint_columns(model, motion.joint_reaction, "reaction_Nm", "reaction_N")
    if motion.adaptation is not None:
        columns |= adaptation_columns(motion.adaptation)
    columns |= {f"tool.{axis}_m": motion.tool_m[:, i] for i, axis in enumerate("xyz")}
    works = {f"work.{name}_J": motion.work_J[:, i] for i, name in enumerate(WORKS)}
    return columns | {"energy_J": motion.energy_J, **works, "energy_residual_J": motion.residual_J}


def adaptation_columns(learnt: Adaptation) -> dict[str, np.ndarray]:
    """Base parameters as they are believed and as they are, SI, and the function that falls."""
    named = [("estimate", learnt.estimates), ("true", learnt.true)]
    columns = {f"{stem}.{name}": table[:, i] for stem, table in named for i, name in enumerate(learnt.names)}
    return {**columns, "lyapunov_J": learnt.lyapunov_J}


def row_columns(
    stem: str, rows: Sequence[str], units: Sequence[str], values: np.ndarray, endings: tuple[str, str]
) -> dict[str, np.ndarray]:
    """Columns (T, m) of the conditions by name; endings are those of rows in metres and in radians."""
    columns = {}
    for j, (row, unit) in enumerate(zip(rows, units, strict=True)):
        ending = endings[unit == "rad"]
        columns[f"{stem}.{row}_{ending}"] = values[:, j] * (TO_DEG if ending.startswith("deg") else 1.0)
    return columns


def write_columns(columns: dict[str, np.ndarray], folder: Path, stem: str) -> list[Path]:
    """<stem>.csv, floats by their shortest exact form, and <stem>.npz."""
    table = whole(folder / f"{stem}.csv", lambda stream: write_rows(stream, columns, list(columns.values())))
    return [table, write_npz(folder / f"{stem}.npz", columns)]
