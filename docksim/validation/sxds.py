"""Rows about the passive ring on sprung arms."""

from __future__ import annotations

from docksim.validation.bench import UNTIL_CAPTURE, Bench, fixed_in
from docksim.validation.row import Finding, Row
from docksim.validation.statistics import captured, share

PAPER = "Matthews et al., 45th AMS, 2020, p. 483-494"
CONTACT_M_S = 0.08


def contact_speed(bench: Bench, size: int) -> Finding:
    """The box of the standard at the published speed, friction and latch tolerances scattered."""
    content = fixed_in("latch_tolerances", {"approach.closing_rate_m_s": CONTACT_M_S, **UNTIL_CAPTURE})
    runs = bench.study(content, size)
    return share(captured(runs), len(runs), 0.99)


ROWS = (
    Row(
        name="sxds_contact_speed",
        group="published",
        published="a passive ring captures at its contact speed of 8 cm/s, tolerances of latches and strikers and all",
        source=f"{PAPER} (speed; more than 450 captures on a test rig)",
        band="at least 99 % captured over the IDSS box at 0.08 m/s",
        reason="no rate is published: that of the standard's active system is asked for",
        experiment=contact_speed, short=4, full=300, unit="cases", seed=1,
    ),
)  # fmt: skip
