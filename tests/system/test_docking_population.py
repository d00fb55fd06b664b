"""Dockings in numbers: random approaches within a box are captured, and answers do not depend on the step."""

from __future__ import annotations

import pytest

from benchmarks.capture_statistics import BOXES, approaches, run_cases
from benchmarks.contact_convergence import FINER, Told, converged, differences, find
from docksim.config.bands import End
from tests.system.shipped import SCENARIOS


@pytest.mark.parametrize(("system", "box"), [("nds", "idss"), ("nds", "nds"), ("ibdm", "idss"), ("sxds", "fast")])
def test_random_approaches_within_the_box_are_captured(system: str, box: str) -> None:
    """At least 99 % are asked for; the sets of 300 are in docs/docking.md, and no case of this small one may miss."""
    boxes = {**BOXES, "fast": BOXES["idss"]._replace(closing_m_s=(0.06, 0.10))}
    runs = run_cases(system, list(approaches(boxes[box], 8, seed=7)))
    assert [run.outcome for run in runs] == ["captured"] * 8, [run.reason for run in runs]
    assert max(run.number("budget.residual_of_approach") for run in runs) < 1e-3


def test_passive_system_that_is_too_slow_rebounds_and_enough_thrust_mends_it() -> None:
    """Syromyatnikov: any speed will do if the thrust exceeds what tilts the ring; 300 N do not, here (docs)."""
    slow = list(approaches(BOXES["idss"]._replace(closing_m_s=(0.03, 0.03)), 4, seed=3, corners=True))
    missed = [run.outcome for run in run_cases("sxds", slow)]
    pushed = [run.outcome for run in run_cases("sxds", slow, thrust=400.0)]
    assert "captured" not in missed
    assert pushed == ["captured"] * 4


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("dock_nds", "middle"),
        ("dock_nds", "high"),
        ("dock_nds_yaw", "middle"),
        ("dock_guide_guide", "middle"),
        ("dock_apas", "middle"),
        # at the middle the ring rattles on the petals for a second, and capture moves by 1.3 % with the step
        ("dock_apas_edge", "high"),
    ],
)
def test_capture_and_first_impact_do_not_depend_on_the_step(name: str, end: End) -> None:
    """Against an eighth of the step, within 1 %: outcome, time from first contact to capture, first impact's loads."""
    coarse, fine = (find(SCENARIOS / f"{name}.yaml", finer, Told(end=end)) for finer in (1, FINER))
    assert converged(coarse, fine), differences(coarse, fine)
