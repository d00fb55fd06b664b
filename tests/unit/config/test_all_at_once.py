"""Faults of single values and of the whole scenario come together, and a broken value causes no others elsewhere."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from docksim.config import Scenario, ScenarioError, data_root, load_scenario
from docksim.config.loading.explain import explain
from docksim.config.loading.reading import Budget, DataReader, NodeReader
from docksim.config.loading.syntax import compose
from docksim.config.tree import Keys, dotted, plain
from tests.unit.config.test_bad_values import changed
from tests.unit.config.test_checks import EVENTS, NAMES, TIMES, TREE
from tests.unit.config.texts import FULL, SMALL

Faults = Callable[..., list[str]]
Found = set[tuple[str, str]]

SAT = """\
vehicles:
  sat:
    mass_kg: 100
    inertia_kg_m2: [10, 20, 25]
    colour: red
    bodies:
      arm: {mass_kg: heavy, inertia_kg_m2: [1, 1, 1], joint: {type: revolute, axis: [0, 0, 1]}}
solver: {duration_s: 10, step_s: 0.01}
outputs: {every_s: 0.055}
events:
  stow:
    when: {time_s: 1}
    do: {lock: sat.arn}
"""


def data_of(text: str) -> Any:
    return plain(NodeReader("s.yaml", Budget(), []).read(compose(text, "s.yaml")))


def problems(data: Any) -> Found:
    """Key and message of everything that loading finds."""
    try:
        load_scenario(data)
    except ScenarioError as error:
        return {(problem.key, problem.message) for problem in error.problems}
    return set()


def schema_faults(data: Any) -> Found:
    """Key and message of what the schema alone finds."""
    try:
        Scenario.model_validate(data)
    except ValidationError as error:
        return {(dotted(path), message) for path, message in explain(error.errors(), data)}
    return set()


def test_structure_references_and_times_are_reported_in_one_go(faults: Faults) -> None:
    found = faults(SAT)
    assert [line.partition(";")[0] for line in found] == [
        "s.yaml:5: vehicles.sat.colour: unknown key",
        "s.yaml:7: vehicles.sat.bodies.arm.mass_kg: 'heavy' is text, not a number",
        "s.yaml:9: outputs.every_s: 0.055 s must be a whole multiple of solver.step_s, which is 0.01 s",
        "s.yaml:13: events.stow.do.lock: no joint 'sat.arn'",
    ]
    assert found[3].endswith("did you mean 'sat.arm'?")


BROKEN = [
    ("mass_kg: 9000", "mass_kg: heavy", "vehicles.chaser.mass_kg"),
    ("mass_kg: 9000", "mass_kg: 9000\n    colour: red", "vehicles.chaser.colour"),
    ("{xx: 9000, yy: 30000, zz: 31000, xy: -20}", "{xx: 1, yy: 1, zz: 9}", "vehicles.chaser.inertia_kg_m2"),
    ("[-5, 0, 0]", "[x, y, 0]", "vehicles.chaser.position_m.0"),
    ("type: revolute", "type: revolut", "vehicles.chaser.bodies.panel.joint.type"),
    ("segments: 4", "segments: 0", "vehicles.chaser.beams.array.segments"),
    ("wheel_x: {axis: [1, 0, 0], spin", "wheel_x: {axis: [0, 0, 0], spin", "vehicles.chaser.wheels.wheel_x.axis"),
    ("force_N: 200", "force_N: strong", "vehicles.chaser.thrusters.aft.force_N"),
    ("stiffness_Nm_rad: 500", "stiffness_Nm_rad: -5", "vehicles.chaser.attitude_hold.stiffness_Nm_rad.0"),
    ("altitude_km: 400", "altitude_km: high", "environment.altitude_km"),
    ("duration_s: 60, step_s", "integrator: rk5, duration_s: 60, step_s", "solver.integrator"),
    ("{stop: time is up}", "{stp: x}", "events.end.do"),
    ("{rate_of: chaser, below_deg_s: 0.5}", "{rate_of: chaser}", "events.capture.when.1"),
]
MISFITS = [
    ("every_s: 0.05", "every_s: 0.0503", "outputs.every_s"),
    ("delay_s: 0.2", "delay_s: 0.25", "vehicles.chaser.attitude_hold.delay_s"),
    ("parent: array.tip", "parent: arry.tip", "vehicles.chaser.bodies.ball.parent"),
    ("      nose: {", "      slide: {}\n      nose: {", "vehicles.chaser.ports.slide"),
    ("joint: chaser.slide, p", "joint: chaser.slid, p", "events.motors.do.0.drive.joint"),
    ("{after: capture, d", "{after: captur, d", "events.undock.when.after"),
    ("{body: chaser.cover}", "{body: chaser}", "events.undock.do.2.jettison.body"),
]


@pytest.mark.parametrize(("wrong", "worse", "broken"), BROKEN, ids=[broken for _, _, broken in BROKEN])
def test_broken_value_does_not_hide_a_misfit(faults: Faults, wrong: str, worse: str, broken: str) -> None:
    text = FULL
    for old, new, _ in MISFITS:
        text, _ = changed(text, old, new)
    text, _ = changed(text, wrong, worse)
    found = [line.split(": ")[1] for line in faults(text)]
    assert broken in found
    assert [misfit for _, _, misfit in MISFITS if misfit not in found] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("type: revolute", "type: revolut"),
        ("type: revolute", "type: prismatic"),
        ("          type: revolute\n", ""),
        ("      panel:\n", "      pan-el:\n"),
        ("    bodies:\n", "    bodys:\n"),
        ("    beams:\n", "    beems:\n"),
        ("    ports:\n      nose", "    prots:\n      nose"),
        ("    wheels:\n", "    weels:\n"),
        ("    thrusters:\n", "    thruster:\n"),
        ("    attitude_hold:\n", "    atitude_hold:\n"),
        ("  station:\n", "  the-station:\n"),
        ("  capture:\n", "  cap-ture:\n"),
        ("      - join: [chaser.nose, station.port]\n", "      - jion: [chaser.nose, station.port]\n"),
        ("segments: 4", "segmnts: 4"),
        ("coordinate: 1, force_N", "coordinat: 1, force_N"),
        ("step_s: 0.002", "stp_s: 0.03"),
        ("step_s: 0.002", "step_s: 0"),
        ("outputs: {every_s: 0.05}", "outpts: {every_s: 0.05}"),
        ("sample_s: 0.1", "sample_s: soon"),
        ("vehicles:\n", "vehicls:\n"),
        ("solver: {", "slover: {"),
        ("events:\n", "evnts:\n"),
    ],
)
def test_consequences_of_a_broken_thing_are_not_reported(old: str, new: str) -> None:
    data = data_of(changed(FULL, old, new)[0])
    assert problems(data) == schema_faults(data) != set()


def test_faults_elsewhere_are_found_beside_the_only_vehicle_with_a_wrong_name(faults: Faults) -> None:
    found = faults(SMALL.replace("chaser", "my-chaser") + "outputs: {every_s: 0.0505}\n")
    assert [line.split(": ")[1] for line in found] == ["vehicles.my-chaser", "outputs.every_s"]


def test_broken_vehicle_does_not_hide_faults_about_another(faults: Faults) -> None:
    text, _ = changed(FULL, "  station:\n", "  a-station: 5\n  station:\n")
    text, _ = changed(text, "{lock: chaser.panel}", "{lock: chaser.panle}")
    found = faults(text)
    assert [line.split(": ")[1] for line in found] == [
        "vehicles.a-station",
        "vehicles.a-station",
        "events.deployed.do.lock",
    ]


# ---------------------------------------------------------------- any damage

SHIPPED = sorted(path.stem for path in (data_root() / "scenarios").glob("*.yaml"))
JUNK = [None, "x", "base", -1, 0, 0.037, 1e9, True, [], [1, 2], ["x"], float("nan")]
calm = settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@cache
def whole(name: str) -> Any:
    """All that a scenario says; not to be changed."""
    if name == "full":
        return data_of(FULL)
    return plain(DataReader("s.yaml", Budget(), []).read(load_scenario(data_root() / "scenarios" / f"{name}.yaml")))


def paths(data: Any, path: Keys = ()) -> Iterator[Keys]:
    """The way to every value."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from paths(value, (*path, key))


def damaged(data: Any, draw: Callable[[Any], Any]) -> Any:
    """A copy with one value replaced, removed, or under another key."""
    result = deepcopy(data)
    *above, key = draw(st.sampled_from(list(paths(data))))
    parent = result
    for step in above:
        parent = parent[step]
    way = draw(st.sampled_from(["replace", "remove", "rename"]))
    if way == "replace":
        parent[key] = deepcopy(draw(st.sampled_from(JUNK)))
    elif way == "remove" or isinstance(parent, list):
        del parent[key]
    else:
        parent[draw(st.sampled_from([f"{key}_", f"{key}-", key[1:], "x"]))] = parent.pop(key)
    return result


@given(draw=st.data())
@calm
def test_one_broken_thing_is_all_that_is_reported(draw: st.DataObject) -> None:
    data = damaged(whole(draw.draw(st.sampled_from(["full", *SHIPPED]))), draw.draw)
    expected = schema_faults(data)
    assume(expected)
    assert problems(data) == expected


def test_hooks_are_not_blamed_for_a_broken_join() -> None:
    data = deepcopy(whole("undock_late_hook"))
    actions = data["events"]["docked"]["do"]
    actions[next(k for k, action in enumerate(actions) if "join" in action)] = None
    assert problems(data) == schema_faults(data) != set()


def test_modes_of_a_phase_are_not_blamed_for_the_broken_event_that_begins_it() -> None:
    data = deepcopy(whole("dock_astp_second"))
    assert "CAPTURED" in data["vehicles"]["chaser"]["attitude_hold"]["by_phase"]
    data["events"]["captured"] = None
    assert problems(data) == schema_faults(data) != set()


def test_parting_is_not_blamed_for_broken_hooks() -> None:
    data = deepcopy(whole("undock_tipoff"))
    data["vehicles"]["chaser"]["ports"]["nose"]["hooks"] = "x"
    assert problems(data) == schema_faults(data) != set()


def test_references_to_the_ports_of_a_broken_ring_are_not_blamed() -> None:
    data = deepcopy(whole("dock_nds"))
    assert data["vehicles"]["chaser"]["mechanism"]["ports"]
    data["vehicles"]["chaser"]["mechanism"]["ports"] = None
    assert problems(data) == schema_faults(data) != set()


@given(change=st.sampled_from(TIMES + NAMES + TREE + EVENTS), draw=st.data())
@calm
def test_broken_thing_adds_nothing_to_a_misfit(change: tuple[str, str, str], draw: st.DataObject) -> None:
    """What is reported beyond the schema's faults is at the place of the misfit."""
    misfit = data_of(changed(FULL, *change[:2])[0])
    data = damaged(misfit, draw.draw)
    expected = schema_faults(data)
    assume(expected)
    found = problems(data)
    assert expected <= found
    assert {key for key, _ in found - expected} <= {key for key, _ in problems(misfit)}
