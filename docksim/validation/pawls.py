"""What pawls may push with before a slow passive ring is not captured any more."""

from __future__ import annotations

from docksim.config.pawl import Pawl, peak_N
from docksim.validation.bench import Bench, fixed_in
from docksim.validation.row import Finding, Row
from docksim.validation.statistics import captured

LATCHES = "chaser.mechanism.ports.face.interface.latches"
# that of the passive system
PAWL = Pawl(
    ramp_deg=35.0, lift_m=0.006, nose_m=0.004, spring_N=12.0, spring_N_m=1500.0, pivot_friction_N=5.0, friction=0.2,
    mass_kg=0.2,
)  # fmt: skip
SLOW_M_S = 0.05
LIGHT_N, HEAVY_N = 20.0, 60.0


def share_at(bench: Bench, size: int, peak: float) -> float:
    """Captured of the box of the standard at 0.05 m/s, the pawls scaled to a peak; no friction in the cranks."""
    factor = peak / peak_N(PAWL.pieces())
    springs = {key: factor * getattr(PAWL, key) for key in ("spring_N", "spring_N_m", "pivot_friction_N")}
    pawl = {f"{LATCHES}.pawl": {**PAWL.model_dump(exclude_none=True), **springs}}
    fixed = {"approach.closing_rate_m_s": SLOW_M_S, "chaser.mechanism.symmetric.actuator.friction_Nm": 0.0, **pawl}
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
