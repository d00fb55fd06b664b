"""Dockings in numbers: random approaches within a box are captured, and answers do not depend on the step."""

from __future__ import annotations

import pytest

import docksim
from benchmarks.capture_statistics import BOXES, approaches, run_cases
from tests.system.shipped import SCENARIOS
from tests.system.test_docking import number, row_of


@pytest.mark.parametrize(("system", "box"), [("nds", "idss"), ("nds", "nds"), ("ibdm", "idss"), ("sxds", "fast")])
def test_random_approaches_within_the_box_are_captured(system: str, box: str) -> None:
    """At least 99 % are asked for; the sets of 300 are in docs/docking.md, and no case of this small one may miss."""
    boxes = {**BOXES, "fast": BOXES["idss"]._replace(closing_m_s=(0.06, 0.10))}
    runs = run_cases(system, list(approaches(boxes[box], 12, seed=7)))
    assert [run.outcome for run in runs] == ["captured"] * 12, [run.reason for run in runs]
    assert max(run.number("budget.residual_of_approach") for run in runs) < 1e-3


def test_passive_system_that_is_too_slow_rebounds_and_enough_thrust_mends_it() -> None:
    """Syromyatnikov: any speed will do if the thrust exceeds what tilts the ring; 150 N do not, here (docs)."""
    slow = list(approaches(BOXES["idss"]._replace(closing_m_s=(0.03, 0.03)), 4, seed=3, corners=True))
    missed = [run.outcome for run in run_cases("sxds", slow)]
    pushed = [run.outcome for run in run_cases("sxds", slow, thrust=300.0)]
    assert "captured" not in missed
    assert pushed == ["captured"] * 4


@pytest.mark.parametrize("name", ["dock_nds_yaw", "dock_guide_guide", "dock_apas_edge"])
def test_capture_and_first_impact_do_not_depend_on_the_step(name: str) -> None:
    """Against an eighth of the step, within 1 %: time from first contact to capture, load of the first impact."""
    coarse, fine = (first_impact(name, step) for step in (1e-3, 1.25e-4))
    for key in fine:
        assert coarse[key] == pytest.approx(fine[key], rel=0.01), key


def first_impact(name: str, step: float) -> dict[str, float]:
    """Times, and the largest loads within 20 ms of first contact, of a run that ends soon after capture."""
    end = {"when": [{"after": "attenuate", "delay_s": 0.05}], "do": [{"stop": "captured", "outcome": "captured"}]}
    changes = {"solver.step_s": step, "events.end_of_case": end, "outputs.every_s": 0.005}
    result = docksim.run(SCENARIOS / f"{name}.yaml", changes)
    assert result.outcome == "captured", result.reason
    first = number(result, "dock.first_contact_s")
    row = row_of(result, first + 0.02)
    return {
        "first contact": first,
        "capture": number(result, "dock.capture_s") - first,
        "compression": float(result["dock.peak_compression_N"][row]),
        "shear": float(result["dock.peak_shear_N"][row]),
    }
