"""Programs of arms that cannot be: what is wrong, where, and what to do."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from tests.physics.test_programs import TO_SAT, servicer
from tests.support.docks import faults

FAR = [{"time_s": 1.0, "position_m": [9.0, 0.0, 0.0]}]
LATE = [{"time_s": 2.0}, {"time_s": 1.0}]
HERE = "vehicles.servicer.programs.go"
PROGRAMS: list[tuple[dict[str, Any], str]] = [
    ({"hand": "j9.grip"}, f"{HERE}.hand: no port 'j9.grip' on 'servicer'; it has j7.grip"),
    ({"target": "sat.grapel"}, f"{HERE}.target: no port 'sat.grapel'"),
    (
        {"target": "base", "waypoints": FAR},
        f"{HERE}.waypoints.0.position_m: [9.0, 0.0, 0.0] is 8.1 m from the arm's fi",
    ),
    ({"waypoints": LATE}, f"{HERE}.waypoints: times do not increase: 1.0 s comes after 2.0 s"),
    ({"axes": ["j1", "j9"]}, f"{HERE}.axes: 'j9' is no axis between base and 'j7.grip'; there is j1"),
    ({"axes": ["j1", "j2", "j1"]}, f"{HERE}.axes: 'j1' is listed twice"),
    (
        {"axes": ["j1", "j2", "j3"]},
        f"{HERE}.controls: 3 axes cannot keep the 6 rows of a pose; take an arm with more jo",
    ),
    (
        {"redundancy": {"type": "posture", "posture": {"j9": 1.0}}},
        f"{HERE}.redundancy.posture.j9: no axis 'j9' in this",
    ),
    ({"sample_s": 0.0015}, f"{HERE}.sample_s: 0.0015 s must be a whole multiple of solver.step_s"),
    ({"poles": {"frequency_Hz": -1.0}}, f"{HERE}.poles.frequency_Hz: -1.0 must be greater than 0"),
]


@pytest.mark.parametrize(("change", "message"), PROGRAMS)
def test_a_program_that_cannot_be_is_refused_with_key_and_advice(change: dict[str, Any], message: str) -> None:
    found = faults(servicer({**TO_SAT, **change}))
    assert any(fault.startswith(message) for fault in found), found


def test_arm_with_too_few_joints_is_refused_with_what_it_could_do() -> None:
    (found,) = faults(servicer(TO_SAT, count=4))
    assert found.startswith(f"{HERE}.controls: 4 axes cannot keep the 6 rows of a pose")
    assert found.endswith("or controls: position")


def test_joints_without_drives_that_take_torques_are_named() -> None:
    content = deepcopy(servicer(TO_SAT))
    joint = content["vehicles"]["servicer"]["bodies"]["j3"]["joint"]
    del joint["actuator"]
    assert "axis 'j3' has no drive that takes torques; give its joint an actuator" in faults(content)[0]
    joint["drive"] = {"kind": "hold"}
    assert "axis 'j3' has no drive" in faults(content)[0]


def test_event_for_a_program_that_is_not_there_is_refused() -> None:
    content = servicer(TO_SAT)
    content["events"] = {"one": {"when": {"time_s": 1.0}, "do": {"program": {"of": "servicer.gone"}}}}
    assert faults(content)[0].startswith("events.one.do.program.of: no program 'servicer.gone'; ")
