"""Channels of programs: whether one acts, how far hand or joints are off, what is believed of the links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from docksim.algebra.rotations import TO_DEG
from docksim.compiler.programs import program_axes, program_names
from docksim.compiler.tables import Compiled
from docksim.model.log import Log
from docksim.model.programs import FIGURES, S_M, S_YZ
from docksim.result.result import Channel


def program_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Of all programs; errors are those of the latest sample, and zero while a program is off."""
    axes = program_axes(compiled.scenario)
    for i, (name, constant) in enumerate(zip(program_names(compiled.scenario), compiled.model.program, strict=True)):
        rows = log.program[:, i]
        yield Channel(f"{name}.on", "", "", "1 while the program acts", rows["on"].astype(np.int64))
        if constant.adaptive:
            yield from _learning(compiled, log, name, constant, axes[i])
        else:
            yield from _hand(name, rows)


def _hand(name: str, rows: np.ndarray) -> Iterator[Channel]:
    text = "of the hand against its program"
    yield Channel(f"{name}.hand_error_m", "m", "target", f"error of the position {text}", rows["f"][:, :3])
    yield Channel(f"{name}.hand_error_deg", "deg", "hand", f"rotation vector {text}", rows["f"][:, 3:] * TO_DEG)
    yield Channel(f"{name}.rank", "", "", "rows of the program that the joints can meet", rows["rank"].astype(np.int64))


def _learning(compiled: Compiled, log: Log, name: str, constant: Any, axes: list[str]) -> Iterator[Channel]:
    """Errors of the joints, and figures of their links about them, z along the axis."""
    for k, full in enumerate(axes):
        link = compiled.model.arm_link[constant.first_link + k]
        axis = f"{name}.{full.partition('.')[2]}"
        unit, factor = ("m", 1.0) if link.travels else ("deg", TO_DEG)
        error = log.arm_link["error"][:, constant.first_link + k] * factor
        yield Channel(f"{axis}.error_{unit}", unit, "", "of the joint against its path", error)
        for m in range(link.first, link.first + link.count):
            kind = int(compiled.model.figure[m].kind)
            unit = "kg m2" if kind <= S_YZ else "kg" if kind == S_M else "kg m"
            text = "believed of the link about its joint, z along the axis, with what the joint cannot tell from it"
            key = f"{axis}.{FIGURES[kind]}_{unit.replace(' ', '_')}"
            yield Channel(key, unit, "link", text, log.learnt["value"][:, m])
