"""Two balls that meet head-on, with contact known within a band: peaks are v sqrt(k m), a few milliseconds a run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import yaml

from tests.support.contact_rigs import ball, pair, port
from tests.support.rigs import Keys, lone

# [N/m]: loads of the ends are half and twice that of the middle
BAND = {"low": 2.5e5, "middle": 1e6, "high": 4e6}
MASS_KG, SPEED_M_S = 100.0, 1.0
PEAK = "hit.peak_compression_N"


def peak_N(stiffness: float) -> float:
    """Closed form: the reduced mass is half of one ball's."""
    return SPEED_M_S * math.sqrt(stiffness * 0.5 * MASS_KG)


def balls(limit_N: float | None = None, band: Any = BAND, duration: float = 0.2) -> Keys:
    """100 kg and 1 m each, 0.1 m apart, at 1 m/s; the springs take it all back."""
    law = {"band": {"petals": band}, "damping_s_m": 0.0, "friction": 0.0}
    face = ball(contact=law) | ({} if limit_N is None else {"limits": {"compression_dynamic_N": limit_N}})
    a = lone(MASS_KG, 40.0, velocity_m_s=[0.5 * SPEED_M_S, 0.0, 0.0], ports=port(face))
    turned = {"attitude": {"rotation_vector_deg": [0.0, 0.0, 180.0]}}
    b = lone(MASS_KG, 40.0, position_m=[2.1, 0.0, 0.0], velocity_m_s=[-0.5 * SPEED_M_S, 0.0, 0.0])
    b["ports"] = port(face, **turned)
    return pair(a, b, duration, 1e-4, 1e-2)


def write(folder: Path, content: Keys, name: str = "balls") -> Path:
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file
