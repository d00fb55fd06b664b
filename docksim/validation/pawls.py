"""What pawls may push with before a slow passive ring is not captured any more."""

from __future__ import annotations

from docksim.config import load_interface
from docksim.config.pawl import peak_N
from docksim.validation.bench import Bench, fixed_in, path_of
from docksim.validation.row import Finding, Row
from docksim.validation.statistics import captured

LATCHES = "chaser.mechanism.ports.face.interface.latches"
SPRINGS = ("spring_N", "spring_N_m", "pivot_friction_N")
SLOW_M_S = 0.05
LIGHT_N, HEAVY_N = 20.0, 60.0


def share_at(bench: Bench, size: int, peak: float) -> float:
    """Captured of the box of the standard at 0.05 m/s, the shipped pawl scaled to a peak; no friction in the cranks."""
    latches = load_interface(path_of("configs/interfaces", "idss_like")).latches
    assert latches is not None
    assert latches.pawl is not None
    factor = peak / peak_N(latches.pawl_pieces())
    scaled = {f"{LATCHES}.pawl.{key}": factor * getattr(latches.pawl, key) for key in SPRINGS}
    fixed = {"approach.closing_rate_m_s": SLOW_M_S, "chaser.mechanism.symmetric.actuator.friction_Nm": 0.0, **scaled}
    runs = bench.study(fixed_in("idss_sxds", fixed), size)
    return captured(runs) / len(runs)


def pawl_forces(bench: Bench, size: int) -> Finding:
    light, heavy = (share_at(bench, size, peak) for peak in (LIGHT_N, HEAVY_N))
    words = f"{100 * light:.0f} % at {LIGHT_N:g} N, {100 * heavy:.0f} % at {HEAVY_N:g} N"
    return Finding(words, light > 0.8 and heavy < 0.3, {"light": light, "heavy": heavy})


ROWS = (
    Row(
        name="pawl_forces",
        group="population",
        published="three pawls must push less than the ring holds where it stands: this sets the least closing speed",
        source="Dick, Mauch, Rupp, 44th AMS, 2018; figures: own requirement",
        band="passive ring at 0.05 m/s, IDSS box: more than 80 % captured with pawls of 20 N, less than 30 % with 60 N",
        reason="of a dozen with a spring by table for a pawl, all were captured at 20 N and none at 60 N",
        experiment=pawl_forces, short=3, full=40, unit="cases", seed=1,
        lacks="nothing that is known: a ramp pushes at its peak for a moment only, and the limit, found with a table "
        "that peaks later, lies between 60 and 90 N with it",
    ),
)  # fmt: skip
