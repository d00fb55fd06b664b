"""Rows about hard capture: what guide pins leave of offset and roll when hooks close, over dispersed dockings."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from docksim.config import load_scenario
from docksim.config.schema.joining import joinable, pin_play
from docksim.validation.bench import Bench, path_of
from docksim.validation.row import Finding, Row, outcomes

BOX = tuple(path_of("configs/boxes", name) for name in ("hard_dock", "idss"))
# what is asked for beyond the pins' play of roll [deg], and of the offset [m]
ROLL_DEG, OFFSET_M = 0.05, 1.5e-3
SYSTEMS = {"nds": "NDS-like", "sxds": "SXDS-like", "ibdm": "IBDM-like", "apas": "APAS-like"}


def mate(system: str, bench: Bench, size: int, **changes: Any) -> Finding:
    """Residuals of all that are called hard-docked, and how many are not; the study's content may be changed."""
    scenario = path_of("scenarios", f"dock_{system}")
    runs = bench.study({"use": list(BOX), "base": scenario, "seed": 1, **changes}, size)
    docked = [told for told in runs if told.outcome == "hard-docked"]
    play = _play(scenario)
    offset, roll = (
        max((abs(told.number(f"dock.hook_plane.{key}")) for told in docked), default=math.nan)
        for key in ("lateral_m", "roll_deg")
    )
    words = f"{outcomes(runs)}; offset at most {1e3 * offset:.2f} mm, roll {roll:.3f} deg (play {play:.3f})"
    figures = {"hard_docked": len(docked), "cases": len(runs), "offset_m": offset, "roll_deg": roll}
    return Finding(words, bool(docked) and offset <= OFFSET_M and roll <= play + ROLL_DEG, figures)


def _play(path: str) -> float:
    """Roll that the pins of a scenario's frames leave [deg]."""
    scenario = load_scenario(path)
    plays = [play for ports in joinable(scenario) if (play := pin_play(scenario, ports)) is not None]
    return max(math.degrees(play / radius) for play, radius in plays)


ROWS = tuple(
    Row(
        name=f"mate_{system}",
        group="population",
        published="guide rods leave 1 to 1.5 mm of eccentricity: frames mate within it and the rods' play of roll",
        source="Syromyatnikov, Spacecraft Docking Devices, p. 87",
        band=f"{name}, IDSS box: offset at most 1.5 mm, roll at most the pins' play and 0.05 deg, in all hard-docked",
        reason="what is called hard-docked must be in mate; others are counted, and say why",
        experiment=partial(mate, system), short=1, full=300, unit="cases", seed=1,
    )
    for system, name in SYSTEMS.items()
)  # fmt: skip
