"""What a wrong value is answered with: place, value, and what to write instead. `@` stands for file and line."""

from collections.abc import Callable

import pytest

from tests.unit.config.texts import FULL, SMALL

Faults = Callable[..., list[str]]
CHASER = "vehicles.chaser"
PANEL = f"{CHASER}.bodies.panel"


def changed(text: str, old: str, new: str) -> tuple[str, int]:
    """The text with one passage replaced, and the line it is in."""
    assert text.count(old) == 1, f"{old!r} must occur once"
    before = text[: text.index(old)]
    return text.replace(old, new), before.count("\n") + 1


def check(faults: Faults, old: str, new: str, expected: str) -> None:
    """The change gives exactly one problem, in the line of the change, that begins as expected."""
    text, line = changed(FULL, old, new)
    found = faults(text)
    assert len(found) == 1, found
    assert found[0].startswith(expected.replace("@", f"s.yaml:{line}:")), found[0]


def test_the_full_text_itself_is_right(faults: Faults) -> None:
    assert faults(FULL) == []


NUMBERS = [
    ("mass_kg: 9000", "mass_kg: 9 t", f"@ {CHASER}.mass_kg: '9 t' is text, not a number; give a plain number in kg"),
    ("mass_kg: 9000", "mass_kg: on", f"@ {CHASER}.mass_kg: 'on' is text, not a number; give a plain number in kg"),
    ("mass_kg: 9000", "mass_kg: 1_000", f"@ {CHASER}.mass_kg: '1_000' is text, not a number"),
    ("mass_kg: 9000", "mass_kg: '9000'", f"@ {CHASER}.mass_kg: '9000' is text because of its quotes; give a plain"),
    ("mass_kg: 9000", "mass_kg: true", f"@ {CHASER}.mass_kg: true cannot stand here; give a plain number in kg"),
    ("mass_kg: 9000", "mass_kg:", f"@ {CHASER}.mass_kg: is empty; give a plain number in kg, or remove the key"),
    ("mass_kg: 9000", "mass_kg: [9000]", f"@ {CHASER}.mass_kg: [9000] cannot stand here; give a plain number in kg"),
    ("mass_kg: 9000", "mass_kg: -9000", f"@ {CHASER}.mass_kg: -9000 must be greater than 0"),
    ("mass_kg: 9000", "mass_kg: 0", f"@ {CHASER}.mass_kg: 0 must be greater than 0"),
    ("mass_kg: 9000", "mass_kg: .inf", f"@ {CHASER}.mass_kg: inf is not a finite number"),
    ("mass_kg: 9000", "mass_kg: .nan", f"@ {CHASER}.mass_kg: nan is not a finite number"),
    ("mass_kg: 9000", "mass_kg: 1e999", f"@ {CHASER}.mass_kg: inf is not a finite number"),
    ("seed: 7", "seed: 7.5", "@ seed: 7.5 is not a whole number; give a whole number"),
    ("seed: 7", "seed: -1", "@ seed: -1 must be at least 0"),
    ("segments: 4", "segments: 500", f"@ {CHASER}.beams.array.segments: 500 must be at most 200"),
    ("name: full", "name: 12", "@ name: 12 is not text; give text, in quotes if it looks like a number"),
    ("name: full", "name: a b", "@ name: 'a b' is not allowed; use letters, digits, '_', '-' and '.'"),
    ("name: full", "name: ../up", "@ name: '../up' is not allowed; use letters"),
    ("name: full", "name: .hidden", "@ name: '.hidden' is not allowed; use letters"),
    (
        "altitude_km: 400",
        "altitude_km: 400, gravity_gradient: off",
        "@ environment.gravity_gradient: 'off' is text; give true or false",
    ),
    (
        "altitude_km: 400",
        "altitude_km: 400, gravity_gradient: 0",
        "@ environment.gravity_gradient: 0 cannot stand here; give true or",
    ),
    (
        "mode: inhibited",
        "mode: idle",
        "@ events.capture.do.1.attitude_hold.mode: 'idle' is not known; choose one of on, off, inhibited",
    ),
    (
        "mode: inhibited",
        "mode: false",
        "@ events.capture.do.1.attitude_hold.mode: false is not known; choose one of on, off",
    ),
    (
        "mode: inhibited",
        "mode: inhibited, enabled: false",
        "@ events.capture.do.1.attitude_hold.enabled: unknown key; known here: vehicle, mode",
    ),
    (
        "thruster: chaser.aft, duration_s: 1",
        "thruster: chaser.aft, duration_s: 1, schedule: [[0, 1]]",
        "@ events.undock.do.1.fire.schedule: excludes 'duration_s'; give exactly one of duration_s, schedule",
    ),
    (
        "thruster: chaser.aft, duration_s: 1",
        "thruster: chaser.aft",
        "@ events.undock.do.1.fire: needs exactly one of duration_s, schedule",
    ),
    ("duration_s: 1}", "schedule: []}", "@ events.undock.do.1.fire.schedule: is empty; at least 1 is needed"),
    ("duration_s: 1}", "schedule: [[0, -1]]}", "@ events.undock.do.1.fire.schedule.0.1: -1 must be greater than 0"),
    ("duration_s: 1}", "schedule: [[-1, 1]]}", "@ events.undock.do.1.fire.schedule.0.0: -1 must be at least 0"),
    (
        "duration_s: 1}",
        "schedule: [[0, 1], 3]}",
        "@ events.undock.do.1.fire.schedule.1: expected [start_s, duration_s], got 3",
    ),
    (
        "duration_s: 1}",
        "schedule: [[3, 1], [0, 2], [1.5, 1]]}",
        "@ events.undock.do.1.fire.schedule: [0.0, 2.0] and [1.5, 1.0] overlap; a thruster is on or off",
    ),
    (
        "thruster: chaser.aft",
        "thruster: [chaser.aft, chaser.aft]",
        "@ events.undock.do.1.fire.thruster: names 'chaser.aft' twice; a thruster is on or off",
    ),
]

VECTORS = [
    ("[-5, 0, 0]", "[-5, 0]", f"@ {CHASER}.position_m: expected a list of 3 numbers, got 2 in [-5, 0]"),
    ("[-5, 0, 0]", "-5", f"@ {CHASER}.position_m: expected a list of 3 numbers, got -5"),
    ("[-5, 0, 0]", "[-5, x, 0]", f"@ {CHASER}.position_m.1: 'x' is text, not a number; give a plain number in m"),
    ("[-5, 0, 0]", "[-5, 0, .nan]", f"@ {CHASER}.position_m.2: nan is not a finite number"),
    ("[4000, 6000, 6000]", "[1, 2]", f"@ {CHASER}.attitude_hold.damping_Nms_rad: expected a number or a list of 3"),
    ("[4000, 6000, 6000]", "[1, 2, -3]", f"@ {CHASER}.attitude_hold.damping_Nms_rad.2: -3 must be at least 0"),
    ("axis: [0, 1, 0]\n", "axis: [0, 0, 0]\n", f"@ {PANEL}.joint.axis: [0.0, 0.0, 0.0] has no direction; give a"),
    ("[[0, 0.5], [2, 0.5]]", "[[0, 3], [2, 1]]", f"@ {CHASER}.thrusters.aft.pulses: [0.0, 3.0] and [2.0, 1.0] overlap"),
    ("[[0, 0.5], [2, 0.5]]", "[[0, 0]]", f"@ {CHASER}.thrusters.aft.pulses.0.1: 0 must be greater than 0"),
    ("[[0, 0.5], [2, 0.5]]", "[5]", f"@ {CHASER}.thrusters.aft.pulses.0: expected [start_s, duration_s], got 5"),
    (
        "{yaw_pitch_roll_deg: [10, 0, 0]}",
        "{quaternion: [1, 0, 0, 0.1]}",
        f"@ {CHASER}.attitude.quaternion: [1.0, 0.0, 0.0, 0.1] has length 1.00498756; it must be 1 within 1e-6",
    ),
    (
        "{yaw_pitch_roll_deg: [10, 0, 0]}",
        "{quaternion: [1, 0, 0, 0], rotation_vector_deg: [1, 0, 0]}",
        f"@ {CHASER}.attitude.rotation_vector_deg: excludes 'quaternion'; give only one of quaternion, rotation_vector",
    ),
]

INERTIAS = [
    (
        "[40, 10, 50]",
        "[40, 10, 51]",
        f"@ {PANEL}.inertia_kg_m2: violates the triangle inequality (principal moments 10",
    ),
    ("[40, 10, 50]", "[40, -10, 40]", f"@ {PANEL}.inertia_kg_m2: not positive definite (principal moments -10, 40"),
    ("[40, 10, 50]", "{xx: 4, yy: 4, zz: 4, xy: 5}", f"@ {PANEL}.inertia_kg_m2: not positive definite (principal mome"),
    ("[40, 10, 50]", "40", f"@ {PANEL}.inertia_kg_m2: expected 3 principal moments, a symmetric 3x3 matrix, or a map"),
    ("[40, 10, 50]", "[40, 10]", f"@ {PANEL}.inertia_kg_m2: expected 3 principal moments, a symmetric 3x3 matrix, or"),
    ("[40, 10, 50]", "[40, x, 1]", f"@ {PANEL}.inertia_kg_m2: expected 3 principal moments, a symmetric 3x3 matrix"),
    ("[40, 10, 50]", "{xx: 4, yy: 4}", f"@ {PANEL}.inertia_kg_m2.zz: missing; add the key 'zz': Moment of inertia"),
    (
        "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]",
        f"@ {CHASER}.bodies.ball.inertia_kg_m2: matrix is not symmetric: row 1 column 2 is 0.1, row 2 column 1 is 0",
    ),
]

CHOICES = [
    ("type: revolute", "type: revolut", f"@ {PANEL}.joint.type: 'revolut' is not known; choose one of fixed, revolute"),
    ("kind: move, ", "kind: mov, ", f"@ {PANEL}.joint.drive.kind: 'mov' is not known; choose one of hold, move, rate"),
    ("kind: move, ", "", f"@ {PANEL}.joint.drive.kind: missing; choose one of hold, move, rate, sine, table"),
    (
        "actuator: wheels",
        "actuator: wheel",
        f"@ {CHASER}.attitude_hold.actuator: 'wheel' is not known; choose one of j",
    ),
    (
        "duration_s: 60, step_s",
        "integrator: rk5, duration_s: 60, step_s",
        "@ solver.integrator: 'rk5' is not known; ch",
    ),
    ("segments: 4", "flex: [bend_x]", f"@ {CHASER}.beams.array.flex.0: 'bend_x' is not known; choose one of bend_y"),
    ("segments: 4", "flex: []", f"@ {CHASER}.beams.array.flex: is empty; at least 1 is needed"),
    (
        "segments: 4",
        "flex: [twist, twist]",
        f"@ {CHASER}.beams.array.flex: ['twist', 'twist'] names a deformation twic",
    ),
    ("GJ_Nm2: 5e3, ", "", f"@ {CHASER}.beams.array.GJ_Nm2: missing; flex includes twist: give GJ_Nm2, or leave twist"),
    (
        "joint: {type: fixed}",
        "joint: fixed",
        f"@ {CHASER}.bodies.cover.joint: expected a mapping with the key 'type' (",
    ),
    (
        "{kind: clohessy_wiltshire, altitude_km: 400}",
        "{kind: free_spce}",
        "@ environment.kind: 'free_spce' is not know",
    ),
    ("altitude_km: 400", "gravity_gradient: true", "@ environment: needs exactly one of altitude_km, mean_motion_rad_"),
    ("altitude_km: 400", "altitude_km: 400, mean_motion_rad_s: 1e-3", "@ environment.mean_motion_rad_s: excludes 'alt"),
]

RANGES = [
    (
        "upper_deg: 90",
        "upper_deg: -95",
        f"@ {PANEL}.joint.upper_deg: -95.0 must be greater than lower_deg, which is -9",
    ),
    (
        "angle_deg: 5",
        "angle_deg: -95",
        f"@ {PANEL}.joint.angle_deg: -95.0 starts below the stop lower_deg, which is -9",
    ),
    (
        "angle_deg: 5",
        "angle_deg: 95",
        f"@ {PANEL}.joint.angle_deg: 95.0 starts above the stop upper_deg, which is 90.0",
    ),
    ("end_s: 3", "end_s: 1", f"@ {CHASER}.loads.shake.end_s: 1.0 must be later than start_s, which is 1.0"),
    (
        "{type: cylindrical, axis: [1, 0, 0]}",
        "{type: universal, axis: [1, 0, 0], axis_2: [-2, 0, 0]}",
        f"@ {CHASER}.bodies.sleeve.joint.axis_2: [-2.0, 0.0, 0.0] is parallel to axis [1.0, 0.0, 0.0]; the two must",
    ),
    (
        "travel_m: 0.1}",
        "locked: true, drive: {kind: hold}}",
        f"@ {CHASER}.bodies.slide.joint.drive: excludes 'locked: true'; a held coordinate cannot be driven",
    ),
    (
        "travel_m: 0.1}",
        "drive: {kind: table, time_s: [0, 1, 1], displacement_m: [0, 1, 2]}}",
        f"@ {CHASER}.bodies.slide.joint.drive.time_s: does not increase: 1.0 comes after 1.0",
    ),
    (
        "travel_m: 0.1}",
        "drive: {kind: table, time_s: [0, 1, 2], displacement_m: [0, 1]}}",
        f"@ {CHASER}.bodies.slide.joint.drive.displacement_m: has 2 values but time_s has 3; they must be as many",
    ),
    (
        "travel_m: 0.1}",
        "drive: {kind: table, time_s: [1, 2], displacement_m: [0, 1]}}",
        f"@ {CHASER}.bodies.slide.joint.drive.time_s: starts at 1.0; the table's time counts from 0",
    ),
    (
        "travel_m: 0.1}",
        "drive: {kind: table, time_s: [0, 2], displacement_m: [1, 1]}}",
        f"@ {CHASER}.bodies.slide.joint.drive.displacement_m: starts at 1.0; displacements count from 0",
    ),
]

EVENTS = [
    ("{time_s: 3}", "{time: 3}", "@ events.motors.when: a condition needs one of time_s, after, joint, distance, in_"),
    ("{time_s: 3}", "3", "@ events.motors.when: "),
    ("{time_s: 3}", "{time_s: 3, after: end}", "@ events.motors.when: a condition has time_s and after together; put"),
    ("{time_s: 3}", "[]", "@ events.motors.when: is empty; at least 1 is needed"),
    ("{stop: time is up}", "{stp: x}", "@ events.end.do: an action needs one of lock, release, drive, torque, join,"),
    ("{stop: time is up}", "{stop: ''}", "@ events.end.do.stop: is empty; give some text"),
    ("{stop: time is up}", "{phase: a-b}", "@ events.end.do.phase: 'a-b' cannot be a name; use letters, digits and '_"),
    ("{stop: time is up}", "[5]", "@ events.end.do.0: expected an action as a mapping with one of lock, release"),
    ("above_deg: 29", "above_deg: 29, below_m: 3", "@ events.deployed.when.below_m: excludes 'above_deg'; give exact"),
    ("above_deg: 29", "coordinate: 0", "@ events.deployed.when: needs exactly one of above_deg, below_deg, above_m"),
    ("persistence: 5", "persistence: 0", "@ events.capture.persistence: 0 must be at least 1"),
    ("[chaser.nose, station.port]\n", "chaser.nose\n", "@ events.capture.do.0.join: expected a list of 2 ports, got"),
]


@pytest.mark.parametrize(("old", "new", "expected"), NUMBERS + VECTORS + INERTIAS + CHOICES + RANGES + EVENTS)
def test_wrong_value_is_answered_with_place_value_and_advice(faults: Faults, old: str, new: str, expected: str) -> None:
    check(faults, old, new, expected)


KEYS = [
    ("mass_kg: 9000", "mas_kg: 9000", f"@ {CHASER}.mas_kg: unknown key; did you mean 'mass_kg'?"),
    (
        "mass_kg: 9000",
        "Mass_kg: 9000",
        f"@ {CHASER}.Mass_kg: unknown key; units are part of the key, and this one is w",
    ),
    (
        "mass_kg: 9000",
        "mass_lb: 9000",
        f"@ {CHASER}.mass_lb: unknown key; units are part of the key, and this one is w",
    ),
    ("mass_kg: 9000", "mass: 9000", f"@ {CHASER}.mass: unknown key; units are part of the key, and this one is wanted"),
]


@pytest.mark.parametrize(("old", "new", "expected"), KEYS)
def test_unknown_key_suggests_and_the_key_it_replaced_is_missing(
    faults: Faults, old: str, new: str, expected: str
) -> None:
    text, line = changed(FULL, old, new)
    missing, unknown = faults(text)
    assert unknown.startswith(expected.replace("@", f"s.yaml:{line}:")), unknown
    assert missing == "s.yaml:5: vehicles.chaser.mass_kg: missing; add the key 'mass_kg': Mass of the base body [kg]."


@pytest.mark.parametrize(
    ("old", "new", "end"),
    [
        ("rate_deg_s: [0, 0.1, 0]", "rate_rad_s: [0, 0, 0]", "wanted in deg/s as 'rate_deg_s'"),
        ("angle_deg: 5", "angle_rad: 5", "wanted in deg as 'angle_deg'"),
        ("lower_deg: -90", "lower: -90", "wanted in deg as 'lower_deg'"),
        ("seed: 7", "sed: 7", "unknown key; did you mean 'seed'?"),
        ("outputs: {every_s: 0.05}", "outputs: {every_ms: 5}", "wanted in s as 'every_s'"),
        ("center_of_mass_m: [0.1, 0, 0]", "centre_of_mass_m: [0, 0, 0]", "did you mean 'center_of_mass_m'?"),
        ("travel_m: 0.1}", "travel_mm: 100}", "wanted in m as 'travel_m'"),
        ("delay_s: 20", "delay_min: 2", "wanted in s as 'delay_s'"),
        ("seed: 7", "qqqq: 7", "outputs, events, closures, contacts, approach, sequence"),
    ],
)
def test_unknown_key_says_what_is_wanted(faults: Faults, old: str, new: str, end: str) -> None:
    text, line = changed(FULL, old, new)
    (found,) = faults(text)
    assert found.startswith(f"s.yaml:{line}: ")
    assert found.endswith(end)


def test_wrong_name_says_what_names_are(faults: Faults) -> None:
    found = faults(SMALL.replace("chaser", "my-chaser"))
    assert found == [
        "s.yaml:2: vehicles.my-chaser: 'my-chaser' cannot be a name;"
        " use letters, digits and '_', a letter or '_' first, at most 100"
    ]


def test_scenario_without_vehicles_is_refused(faults: Faults) -> None:
    assert faults("vehicles: {}\nsolver: {duration_s: 1}\n") == ["s.yaml:1: vehicles: is empty; at least 1 is needed"]


def test_missing_keys_point_at_the_mapping_that_lacks_them(faults: Faults) -> None:
    assert faults("vehicles:\n  chaser:\n    mass_kg: 1\n") == [
        "s.yaml:1: solver: missing; add the key 'solver': Time span and integration.",
        "s.yaml:2: vehicles.chaser.inertia_kg_m2: missing; add the key 'inertia_kg_m2':"
        " Inertia of the base body about its mass centre, body axes [kg m²].",
    ]


def test_all_faults_are_reported_at_once_in_the_order_of_the_lines(faults: Faults) -> None:
    text = FULL
    for old, new in [
        ("name: full", "name: a b"),
        ("mass_kg: 9000", "mass_kg: heavy"),
        ("[40, 10, 50]", "[1, 1, 9]"),
        ("upper_deg: 90", "upper_deg: -95\n          locked: true"),
        ("segments: 4", "segmnts: 4"),
        ("every_s: 0.05", "every_s: 0"),
        ("{stop: time is up}", "{stop: }"),
    ]:
        text, _ = changed(text, old, new)
    found = faults(text)
    assert [line.split(": ")[1] for line in found] == [
        "name",
        f"{CHASER}.mass_kg",
        f"{PANEL}.inertia_kg_m2",
        f"{PANEL}.joint.upper_deg",
        f"{PANEL}.joint.drive",
        f"{CHASER}.beams.array.segmnts",
        "outputs.every_s",
        "events.end.do.stop",
    ]
    numbers = [int(line.split(":")[1]) for line in found]
    # the drive that 'locked' excludes is found in its own line, after the others of the joint
    assert numbers == sorted(numbers)
