"""Saved runs of chains: motion.csv and motion.npz hold the rows, motion.json what was run and how it ended.

`docksim export` takes the folder as it takes those of scenarios, and `docksim plot` draws its figures anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.model import ChainModel
from docksim.chain.motion.adaptive import Adaptation
from docksim.chain.motion.files import joint_columns, motion_columns, row_columns, write_columns
from docksim.chain.motion.plant import WORKS
from docksim.chain.motion.runs import ChainMotion, heavier
from docksim.config.errors import ScenarioError, shown
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import LoadedTask
from docksim.result.arrays import write_text
from docksim.result.files import plain
from docksim.result.reading import UNREADABLE, a_word, fault, read_arrays, read_json
from docksim.result.result import Channel, Result, ResultError

FORMAT = 1
STEM = "motion"
# ends of column names, the longer first, and their units in words
UNITS = {
    "deg_s2": "deg/s2",
    "m_s2": "m/s2",
    "deg_s": "deg/s",
    "m_s": "m/s",
    "deg": "deg",
    "Nm": "N m",
    "N": "N",
    "J": "J",
    "m": "m",
    "s": "s",
}


def write_motion(motion: ChainMotion, loaded: LoadedTask, folder: Path) -> list[Path]:
    """Rows as CSV and .npz, and motion.json; returns the files."""
    facts = {
        "format": FORMAT,
        "name": motion.name,
        "kind": motion.kind,
        "outcome": motion.outcome,
        "reason": motion.reason,
        "notes": motion.notes,
        "rows": motion.rows,
        "units": motion.units,
        "limited": motion.limited,
        "parameter_units": motion.adaptation.units if motion.adaptation is not None else (),
        "task": loaded.task.model_dump(mode="json", exclude_unset=True),
        "chain": loaded.chain.model_dump(mode="json", exclude_unset=True),
    }
    text = json.dumps(plain(facts), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return [*write_columns(motion_columns(motion), folder, STEM), write_text(folder / f"{STEM}.json", text)]


def is_motion(folder: Path) -> bool:
    """Whether a path is the folder of a chain's run, rather than of a scenario's."""
    return (folder / f"{STEM}.json").is_file()


def motion_result(folder: Path) -> Result:
    """The rows as channels, for the files of other programs."""
    facts, columns = _read(folder)
    try:
        channels = [Channel(name, unit_of(name), "", "", values) for name, values in columns.items()]
        manifest = {"scenario": facts["name"], "kind": facts["kind"], "chain": facts["chain"]}
        result = Result(None, channels, facts["outcome"], facts["reason"], manifest=manifest, warnings=facts["notes"])
        result.text = json.dumps(facts["task"], indent=1, ensure_ascii=False)
    except UNREADABLE as error:
        raise fault(folder, error) from error
    result.folder = folder
    return result


def read_motion(folder: Path) -> ChainMotion:
    """The run as it was, to the rounding of degrees."""
    facts, columns = _read(folder)
    try:
        known = build_chain(read_chain(facts["chain"]))
        return _restored(facts, columns, heavier(known, facts["task"].get("mass_error", {})))
    except ScenarioError as error:
        raise ResultError(f"{folder / 'motion.json'}: not usable by this version of docksim:\n{error}") from error
    except UNREADABLE as error:
        raise ResultError(f"{folder}: rows and motion.json do not belong together: {error!r}") from error


def unit_of(name: str) -> str:
    """Unit at the end of a column's name, in words."""
    return next((words for end, words in UNITS.items() if name.endswith(f"_{end}")), "1")


def _read(folder: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    file = folder / f"{STEM}.json"
    return read_json(file, _facts), read_arrays(folder / f"{STEM}.npz")


def _facts(content: dict[str, Any]) -> dict[str, Any]:
    if content["format"] != FORMAT:
        raise ValueError(f"format {content['format']}, this version of docksim reads {FORMAT}")
    for key in ("name", "kind", "outcome", "reason"):
        a_word(key, content[key])
    for key in ("notes", "rows", "units"):
        if not isinstance(content[key], list):
            raise ValueError(f"{key}: expected a list, got {shown(content[key])}")
        for word in content[key]:
            a_word(key, word)
    return content


def _restored(facts: dict[str, Any], columns: dict[str, np.ndarray], model: ChainModel) -> ChainMotion:
    count, rows, units = len(columns["time_s"]), tuple(facts["rows"]), tuple(facts["units"])
    none = np.zeros((count, model.n))

    def joints(turning: str, sliding: str) -> np.ndarray:
        """Columns (T, n), zero where the run wrote none; degrees as radians."""
        names = joint_columns(model, none, turning, sliding)
        values = np.column_stack([columns.get(name, none[:, 0]) for name in names])
        return np.where(model.prismatic, values, np.radians(values)) if "_deg" in turning else values

    def conditions(stem: str, endings: tuple[str, str]) -> np.ndarray:
        names = row_columns(stem, rows, units, np.zeros((count, len(rows))), endings)
        values = [columns[name] for name in names]
        turns = np.array([unit == "rad" and "deg" in endings[1] for unit in units], bool)
        table = np.column_stack(values) if values else np.zeros((count, 0))
        return np.where(turns, np.radians(table), table)

    force = joints("torque_Nm", "force_N")
    held = facts["kind"] == "constraint"
    limited = np.array(facts["limited"], float).reshape(2, model.n)
    expected = any(name.startswith("by_the_poles.") for name in columns)
    return ChainMotion(
        facts["name"],
        facts["kind"],
        model,
        rows,
        units,
        columns["time_s"],
        joints("angle_deg", "travel_m"),
        joints("rate_deg_s", "rate_m_s"),
        joints("acceleration_deg_s2", "acceleration_m_s2"),
        wanted=joints("wanted_Nm", "wanted_N") if limited[0].any() else force,
        force=force,
        stop=joints("stop_Nm", "stop_N"),
        joint_reaction=joints("reaction_Nm", "reaction_N"),
        f=conditions("error", ("m", "deg")),
        f_rate=conditions("error_rate", ("m_s", "deg_s")),
        reaction=conditions("reaction", ("N", "Nm")) if held else np.zeros((count, 0)),
        tool_m=np.column_stack([columns[f"tool.{axis}_m"] for axis in "xyz"]),
        energy_J=columns["energy_J"],
        work_J=np.column_stack([columns[f"work.{name}_J"] for name in WORKS]),
        limited=limited,
        expected=conditions("by_the_poles", ("m", "deg")) if expected else None,
        adaptation=_adaptation(columns, facts.get("parameter_units", [])),
        outcome=facts["outcome"],
        reason=facts["reason"],
        notes=tuple(facts["notes"]),
    )


def _adaptation(columns: dict[str, np.ndarray], units: list[str]) -> Adaptation | None:
    names = tuple(name.removeprefix("estimate.") for name in columns if name.startswith("estimate."))
    if not names:
        return None
    estimates, true = (np.column_stack([columns[f"{stem}.{name}"] for name in names]) for stem in ("estimate", "true"))
    return Adaptation(names, tuple(units), estimates, true, columns["lyapunov_J"])
