"""The benchmarks of contact run, and both sides meet at the same moment. Nothing here judges a time."""

import io
import math

import numpy as np
import pytest
from rich.console import Console

from benchmarks import __main__ as program
from benchmarks import contact as contact_module
from benchmarks.contact import contact_steps, free_steps
from benchmarks.contact_convergence import SCENARIOS, Found, Told, converged, dockings, first_impact, step_changes

ONCE = {"repeats": 1, "seconds": 1e-4}


def test_steps_in_contact_have_positive_times_and_contacts_on_both_sides() -> None:
    rows = contact_steps(**ONCE)
    assert rows[0]["code"] == "docksim, RK4"
    assert len(rows) == 5
    assert all(row["step_us"] > 0.0 and row["contacts"] >= 1.0 for row in rows)
    text = io.StringIO()
    Console(width=120, file=text).print(program.table("contact", program.CONTACT, rows))
    assert "MuJoCo, Euler, fine" in text.getvalue()


def test_scenes_that_meet_at_different_times_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_module, "LATER", 1e-3)
    with pytest.raises(RuntimeError, match="first touch"):
        contact_steps(**ONCE)


def test_steps_in_contact_do_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contact_module, "mujoco_installed", lambda: False)
    assert [row["code"] for row in contact_steps(**ONCE)] == ["docksim, RK4"]


def test_steps_between_contacts_have_positive_times() -> None:
    rows = free_steps(**ONCE)
    assert rows[0]["ratio"] == 1.0
    assert all(row["step_us"] > 0.0 for row in rows)
    text = io.StringIO()
    Console(width=120, file=text).print(program.table("free", program.CONTACT_FREE, rows))
    assert "5 m apart" in text.getvalue()


def test_dockings_of_the_convergence_study_are_those_with_contacts() -> None:
    assert {"dock_nds", "dock_missed"} <= set(dockings())
    assert "dock_and_undock" not in dockings()


def test_first_impact_is_found_at_the_shipped_step() -> None:
    path = SCENARIOS / "dock_ring_ring.yaml"
    normal, loads = first_impact(path, step_changes(path, 1, Told()))
    # compression is part of the one force that acts
    assert 0.0 < loads[1] <= normal * 1.1
    assert loads[0] == 0.0


def found(capture: float = 1.0, normal: float = 1000.0, outcome: str = "captured") -> Found:
    return Found(outcome, 3.0, capture, normal, np.array([0.0, normal, 0.5 * normal, 0.6 * normal, 20.0]))


def test_convergence_looks_at_outcome_capture_and_loads() -> None:
    assert converged(found(), found())
    assert converged(found(math.nan), found(math.nan))
    assert not converged(found(1.02), found())
    assert not converged(found(math.nan), found())
    assert not converged(found(normal=1020.0), found())
    assert not converged(found(outcome="rebounded"), found())
