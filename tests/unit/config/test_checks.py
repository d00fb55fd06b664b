"""What only the whole scenario can tell. `@` stands for file and line of the change."""

from collections.abc import Callable

import pytest

from docksim.config.checks.scenario import is_multiple
from tests.unit.config.test_bad_values import changed
from tests.unit.config.texts import FULL, SMALL

Faults = Callable[..., list[str]]
CHASER = "vehicles.chaser"

TIMES = [
    (
        "every_s: 0.05",
        "every_s: 0.0503",
        "@ outputs.every_s: 0.0503 s must be a whole multiple of solver.step_s, which",
    ),
    (
        "sample_s: 0.1",
        "sample_s: 0.025",
        f"@ {CHASER}.attitude_hold.sample_s: 0.025 s must be a whole multiple of solv",
    ),
    ("delay_s: 0.2", "delay_s: 0.25", f"@ {CHASER}.attitude_hold.delay_s: 0.25 s must be a whole multiple of sample_s"),
    ("duration_s: 60", "duration_s: 0.001", "@ solver.step_s: 0.002 s is longer than duration_s, which is 0.001 s"),
]

NAMES = [
    (
        "      nose: {",
        "      panel: {}\n      nose: {",
        f"@ {CHASER}.ports.panel: 'panel' is also the name of one of the",
    ),
    (
        "      wheel_x: {",
        "      slide: {",
        f"@ {CHASER}.wheels.slide: 'slide' is also the name of one of the vehicle's b",
    ),
    ("segments: 4}", "segments: 4, ports: {tip: {}}}", f"@ {CHASER}.beams.array.ports.tip: 'tip' is reserved; choose"),
]

TREE = [
    (
        "parent: panel",
        "parent: panl",
        f"@ {CHASER}.bodies.cover.parent: no body 'panl' in this vehicle; it has base, pa",
    ),
    (
        "parent: panel",
        "parent: array",
        f"@ {CHASER}.bodies.cover.parent: 'array' is a beam; things are mounted on its t",
    ),
    ("parent: panel", "parent: cover", f"@ {CHASER}.bodies.cover.parent: cyclic parents: cover -> cover; one of them"),
    (
        "body: panel,",
        "body: pannel,",
        f"@ {CHASER}.loads.shake.body: no body 'pannel' in this vehicle; it has base, pa",
    ),
    (
        "aft: {position_m",
        "aft: {body: tail, position_m",
        f"@ {CHASER}.thrusters.aft.body: no body 'tail' in this vehic",
    ),
]

EVENTS = [
    ("{lock: chaser.panel}", "{lock: chaser.panle}", "@ events.deployed.do.lock: no joint 'chaser.panle'; there is ch"),
    ("{lock: chaser.panel}", "{lock: chaser.cover}", "@ events.deployed.do.lock: the joint of 'chaser.cover' is fixed"),
    ("{lock: chaser.panel}", "{lock: chaser.array}", "@ events.deployed.do.lock: 'chaser.array' is a beam; name one o"),
    ("release: chaser.array.2", "release: chaser.array.5", "@ events.motors.do.2.release: no joint 'chaser.array.5'"),
    ("release: chaser.array.2", "release: station.ball", "@ events.motors.do.2.release: no joint 'station.ball'; ther"),
    (
        "{joint: chaser.panel, above_deg",
        "{joint: chaser.pane, above_deg",
        "@ events.deployed.when.joint: no joint 'chas",
    ),
    ("panel, above_deg: 29", "panel, above_m: 29", "@ events.deployed.when.above_m: does not fit: coordinate 0 of 'ch"),
    ("panel, above_deg: 29", "slide, above_deg: 29", "@ events.deployed.when.above_deg: does not fit: coordinate 0 of"),
    ("panel, above_deg: 29", "panel, coordinate: 1, above_deg: 29", "@ events.deployed.when.coordinate: 1 is too high"),
    ("panel, above_deg: 29", "array.1, coordinate: 3, above_deg: 29", "@ events.deployed.when.coordinate: 3 is too hi"),
    ("panel, above_deg: 29", "ball, above_deg: 29", "@ events.deployed.when.joint: 'chaser.ball' is a spherical joint"),
    (
        "{distance: [chaser.nose,",
        "{distance: [chaser.nos,",
        "@ events.capture.when.0.distance.0: no port 'chaser.nos'; ",
    ),
    ("{distance: [chaser.nose, station.port]", "{distance: [chaser.nose, chaser.back]", "@ events.capture.when.0.dist"),
    ("rate_of: chaser,", "rate_of: chasr,", "@ events.capture.when.1.rate_of: no vehicle or body 'chasr'; there is ch"),
    ("rate_of: chaser,", "rate_of: chaser.nose,", "@ events.capture.when.1.rate_of: no vehicle or body 'chaser.nose';"),
    ("{vehicle: chaser, mo", "{vehicle: station, mo", "@ events.capture.do.1.attitude_hold.vehicle: 'station' has no "),
    (
        "{vehicle: chaser, mo",
        "{vehicle: nobody, mo",
        "@ events.capture.do.1.attitude_hold.vehicle: no vehicle 'nobody'",
    ),
    (
        "{after: capture, d",
        "{after: captur, d",
        "@ events.undock.when.after: no event 'captur'; there is deployed, captur",
    ),
    (
        "{after: capture, d",
        "{after: undock, d",
        "@ events.undock.when.after: events wait for one another: undock -> undock",
    ),
    (
        "ports: [station.port, chaser.nose]",
        "ports: [station.port, chaser.back]",
        "@ events.undock.do.0.separate.ports: ",
    ),
    (
        "thruster: chaser.aft",
        "thruster: chaser.front",
        "@ events.undock.do.1.fire.thruster: no thruster 'chaser.front'",
    ),
    (
        "thruster: chaser.aft",
        "thruster: [chaser.aft, chaser.front]",
        "@ events.undock.do.1.fire.thruster.1: no thruster 'chaser.front'; there is chaser.aft",
    ),
    (
        "duration_s: 1}",
        "schedule: [[0, 1], [1e14, 1]]}",
        "@ events.undock.do.1.fire.schedule: 100000000000001.0 s is longer than any run;",
    ),
    (
        "      - jettison: {body: chaser.cover}",
        "      - fire: {thruster: chaser.aft, schedule: [[0.5, 1]]}",
        "@ events.undock.do.2.fire.schedule: with what this event fires 'chaser.aft' before: [0.0, 1.0] and [0.5, ",
    ),
    (
        "      - jettison: {body: chaser.cover}",
        "      - cut: chaser.aft",
        "@ events.undock.do.2.cut: 'chaser.aft' is fired by this event, and a cut ends what began before; ",
    ),
    (
        "      - jettison: {body: chaser.cover}",
        "      - thrusters: {of: [chaser, chasr], mode: inhibited}",
        "@ events.undock.do.2.thrusters.of.1: no thruster or vehicle 'chasr'; there is chaser, station, chaser.aft",
    ),
    (
        "      - jettison: {body: chaser.cover}",
        "      - thrusters: {of: station, mode: inhibited}",
        "@ events.undock.do.2.thrusters.of: 'station' has no thrusters to switch; give it some, or leave it out",
    ),
    (
        "actuator: wheels",
        "by_phase: {DOCKD: off}",
        f"@ {CHASER}.attitude_hold.by_phase.DOCKD: no phase 'DOCKD'; there is DOCKED; did you mean 'DOCKED'?",
    ),
    (
        "force_N: 200, ",
        "force_N: 200, by_phase: {LATER: inhibited}, ",
        f"@ {CHASER}.thrusters.aft.by_phase.LATER: no phase 'LATER'; there is DOCKED",
    ),
    ("release: chaser.array.2", "cut: chaser.front", "@ events.motors.do.2.cut: no thruster 'chaser.front'"),
    ("{body: chaser.cover}", "{body: chaser}", "@ events.undock.do.2.jettison.body: 'chaser' is a base body, which ha"),
    ("{body: chaser.cover}", "{body: chaser.base}", "@ events.undock.do.2.jettison.body: 'chaser.base' is a base body"),
    ("{body: chaser.cover}", "{body: chaser.covr}", "@ events.undock.do.2.jettison.body: no body 'chaser.covr'; there"),
    ("rate_m_s: 0.1", "rate_deg_s: 0.1", "@ events.motors.do.0.drive.profile: does not fit: coordinate 0 of 'chaser.s"),
    (
        "joint: chaser.slide, p",
        "joint: chaser.cover, p",
        "@ events.motors.do.0.drive.joint: 'chaser.cover' is a fixed ",
    ),
    (
        "coordinate: 1, force_N",
        "coordinate: 0, force_N",
        "@ events.motors.do.1.torque.force_N: does not fit: coordinat",
    ),
    (
        "coordinate: 1, force_N",
        "coordinate: 2, force_N",
        "@ events.motors.do.1.torque.coordinate: 2 is too high; 'chas",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), TIMES + NAMES + TREE + EVENTS, ids=lambda text: text[:40])
def test_misfit_is_located_and_explained(faults: Faults, old: str, new: str, expected: str) -> None:
    text, line = changed(FULL, old, new)
    found = faults(text)
    assert len(found) == 1, found
    assert found[0].startswith(expected.replace("@", f"s.yaml:{line}:")), found[0]


@pytest.mark.parametrize(
    ("old", "new", "end"),
    [
        ("parent: panel", "parent: panl", "did you mean 'panel'?"),
        ("{lock: chaser.panel}", "{lock: chaser.panle}", "did you mean 'chaser.panel'?"),
        (
            "{lock: chaser.panel}",
            "{lock: chaser.array}",
            "name one of its joints: 'chaser.array.1' (root) to 'chaser.array.4'",
        ),
        ("{distance: [chaser.nose,", "{distance: [chaser.nos,", "did you mean 'chaser.nose'?"),
        ("rate_of: chaser,", "rate_of: chasr,", "did you mean 'chaser'?"),
        ("thruster: chaser.aft", "thruster: chaser.after", "did you mean 'chaser.aft'?"),
        ("{body: chaser.cover}", "{body: chaser.covr}", "did you mean 'chaser.cover'?"),
        ("{after: capture, d", "{after: captur, d", "did you mean 'capture'?"),
        ("every_s: 0.05", "every_s: 0.0503", "the nearest: 0.05 or 0.052"),
        ("every_s: 0.05", "every_s: 0.001", "the nearest: 0.002"),
        ("delay_s: 0.2", "delay_s: 0.25", "which is 0.1 s; the nearest: 0.2 or 0.3"),
        ("slide, profile", "slide, coordinate: 3, profile", "3 is too high; 'chaser.slide' has only coordinate 0"),
        ("panel, above_deg: 29", "panel, above_m: 29", "is a rotation; use the keys in deg (torque_Nm for its motor)"),
    ],
)
def test_misfit_comes_with_a_suggestion(faults: Faults, old: str, new: str, end: str) -> None:
    text, _ = changed(FULL, old, new)
    (found,) = faults(text)
    assert found.endswith(end)


@pytest.mark.parametrize(
    "new",
    [
        "rate_of: chaser.panel,",
        "rate_of: station,",
        "rate_of: chaser.array.tip,",
    ],
)
def test_rate_can_be_that_of_any_body(faults: Faults, new: str) -> None:
    assert faults(changed(FULL, "rate_of: chaser,", new)[0]) == []


def test_load_can_act_on_the_tip_of_a_beam(faults: Faults) -> None:
    assert faults(changed(FULL, "body: panel,", "body: array.tip,")[0]) == []


def test_ports_of_bodies_and_beams_can_be_joined(faults: Faults) -> None:
    text, _ = changed(FULL, "segments: 4}", "segments: 4, ports: {end: {}}}")
    text, _ = changed(text, "{stop: time is up}", "{join: [chaser.slide.tool, chaser.array.end]}")
    assert faults(text) == []


def test_ports_on_one_body_cannot_be_joined(faults: Faults) -> None:
    text, line = changed(FULL, "{stop: time is up}", "{join: [chaser.nose, chaser.back]}")
    assert faults(text) == [
        f"s.yaml:{line}: events.end.do.join: chaser.nose and chaser.back are on the same body;"
        " two different bodies are needed"
    ]


def test_reserved_name_is_refused_and_the_cover_is_then_missed(faults: Faults) -> None:
    text, line = changed(FULL, "      cover:\n", "      base:\n")
    found = faults(text)
    assert found[0] == f"s.yaml:{line}: vehicles.chaser.bodies.base: 'base' is reserved; choose another name"
    assert "no body 'chaser.cover'" in found[1]


@pytest.mark.parametrize("name", ["solver", "events", "energy", "momentum"])
def test_vehicle_cannot_have_a_name_that_means_something_else(faults: Faults, name: str) -> None:
    (found,) = faults(SMALL.replace("chaser", name))
    assert found.startswith(f"s.yaml:2: vehicles.{name}: '{name}' means something else in overrides or results")


def test_parents_in_a_circle_are_all_named(faults: Faults) -> None:
    text, line = changed(FULL, "      panel:\n        mass_kg", "      panel:\n        parent: cover\n        mass_kg")
    found = faults(text)
    assert found[0] == (
        f"s.yaml:{line + 1}: vehicles.chaser.bodies.panel.parent: cyclic parents: panel -> cover -> panel;"
        " one of them must hang on 'base'"
    )
    assert "cyclic parents: cover -> panel -> cover" in found[1]


def test_circle_through_a_beam_is_found(faults: Faults) -> None:
    text, _ = changed(FULL, "array: {length_m", "array: {parent: ball, length_m")
    assert any("cyclic parents: array.tip -> ball -> array.tip" in line for line in faults(text))


def test_events_in_a_circle_are_all_named(faults: Faults) -> None:
    text, line = changed(FULL, "{time_s: 50}", "[{time_s: 50}, {after: undock}]")
    text, _ = changed(text, "{after: capture, d", "{after: end, d")
    found = faults(text)
    assert len(found) == 2
    assert found[1] == (
        f"s.yaml:{line}: events.end.when.1.after: events wait for one another: end -> undock -> end;"
        " none of them could ever happen"
    )


def test_wheels_are_needed_to_be_an_actuator(faults: Faults) -> None:
    hold = "    attitude_hold: {stiffness_Nm_rad: 1, damping_Nms_rad: 1, torque_limit_Nm: 1, actuator: wheels}\n"
    assert faults(SMALL.replace("solver", hold + "solver")) == [
        "s.yaml:5: vehicles.chaser.attitude_hold.actuator: is wheels, but the vehicle has none;"
        " add wheels, or choose jets"
    ]


def test_wheels_in_one_plane_are_not_enough(faults: Faults) -> None:
    text, _ = changed(FULL, "{axis: [0, 0, 1], spin", "{axis: [1, 1, 0], spin")
    (found,) = faults(text)
    assert "attitude_hold.actuator: is wheels, but their axes do not span all three directions" in found


def test_four_wheels_in_a_pyramid_span_space(faults: Faults) -> None:
    wheels = "".join(
        f"      w{k}: {{axis: [{x}, {y}, 1], spin_inertia_kg_m2: 1, mass_kg: 1, torque_limit_Nm: 1}}\n"
        for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    )
    hold = "    attitude_hold: {stiffness_Nm_rad: 1, damping_Nms_rad: 1, torque_limit_Nm: 1, actuator: wheels}\n"
    assert faults(SMALL.replace("solver", f"    wheels:\n{wheels}{hold}solver")) == []


def test_run_of_too_many_steps_is_refused_with_advice(faults: Faults) -> None:
    (found,) = faults(SMALL.replace("duration_s: 10", "duration_s: 1e6, step_s: 1e-4") + "outputs: {every_s: 1}\n")
    assert found == (
        "s.yaml:5: solver.step_s: 0.0001 s makes 1e+10 steps, and 2e+09 is the limit;"
        " lengthen the step to 0.0005 s or more, or shorten the run"
    )


def test_run_of_too_many_rows_is_refused_with_advice(faults: Faults) -> None:
    (found,) = faults(SMALL.replace("duration_s: 10", "duration_s: 1e6"))
    assert found == (
        "s.yaml:1: outputs.every_s: 0.05 s makes 2e+07 rows, and 5e+06 is the limit; log every 0.2 s or less often"
    )


def test_absurd_times_are_refused_not_crashed_on(faults: Faults) -> None:
    assert faults(SMALL.replace("duration_s: 10", "duration_s: 1e308, step_s: 1e-308")) != []
    assert faults(SMALL.replace("duration_s: 10", "duration_s: 1e-308")) != []


@pytest.mark.parametrize(("whole", "part"), [(0.05, 0.001), (0.3, 0.1), (60, 1 / 3), (1e-3, 1e-3), (1e6, 1e-3)])
def test_decimal_multiples_are_recognised_in_spite_of_rounding(whole: float, part: float) -> None:
    assert is_multiple(whole, part)


@pytest.mark.parametrize(("whole", "part"), [(0.0501, 0.001), (0.001, 0.002), (1.00001e-3, 1e-3), (1e300, 1e-300)])
def test_other_ratios_are_not_multiples(whole: float, part: float) -> None:
    assert not is_multiple(whole, part)


REFERENCES = [
    (
        "reference: {velocity_m_s: [7500, 0, 0]}\n" + SMALL.replace("    mass_kg", "    anchored: true\n    mass_kg"),
        "s.yaml:1: reference.velocity_m_s: [7500.0, 0.0, 0.0] m/s, but 'chaser' is anchored, and stands still in W",
    ),
    (
        "reference: {position_m: [1, 0, 0]}\nenvironment: {kind: clohessy_wiltshire, altitude_km: 400}\n" + SMALL,
        "s.yaml:1: reference: vehicles in orbit are placed against the orbit's own reference point; remove the key",
    ),
    ("reference: {place_m: [1, 0, 0]}\n" + SMALL, "s.yaml:1: reference.place_m: unknown key"),
    (SMALL.replace("chaser", "reference"), "'reference' means something else in overrides or results"),
]


@pytest.mark.parametrize(("text", "message"), REFERENCES, ids=["anchored", "orbit", "unknown", "name"])
def test_reference_that_cannot_be_is_refused(faults: Faults, text: str, message: str) -> None:
    (found,) = faults(text)
    assert message in found


def test_reference_that_stands_still_may_have_anchored_vehicles(faults: Faults) -> None:
    anchored = SMALL.replace("    mass_kg", "    anchored: true\n    mass_kg")
    assert not faults("reference: {position_m: [7000000, 0, 0]}\n" + anchored)
