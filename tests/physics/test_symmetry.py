"""Symmetries: the world turned or moved, mirrored, vehicles swapped in the file, everything renamed.

The story has two vehicles with every joint type, springs, dampers, rotors, motors, loads on both axes, a thruster and
an attitude hold; they join, lock a joint, part with a push-off spring and drop a body. A transformed story must give
the transformed result, in every channel.
"""

import copy
import json
import re

import numpy as np
import pytest

import docksim
from tests.oracle.pinocchio_tree import random_state
from tests.oracle.rotations import quat_matrix, random_rotation, turn
from tests.physics.tree_cases import add_port, axis_keys, entries, one_of_each, start_scenario, together
from tests.support.harness import floats, quaternion

# of a channel's largest value: rounding of 1e-16 in every operation, grown over 1000 steps, and most where loads are
# small differences of large ones (seen: 4e-11 there, 2e-12 elsewhere)
ROUNDING = 1e-10


def with_devices(rng, scenario):
    """Springs, dampers and motors on every joint that can have them."""
    for keys in entries(scenario):
        joint = keys.get("joint", {"type": "root"})
        if joint["type"] == "spherical":
            # the spring of a ball joint has a kink at half a turn; stay clear of it
            joint["initial"] = {"quaternion": quaternion(turn(0.3 * rng.normal(size=3)))}
            joint |= {"stiffness_Nm_rad": floats(rng.uniform(0.5, 2.0, 3)), "damping_Nms_rad": 0.02}
        for axis, turns in axis_keys(joint):
            k, c, f = (float(x) for x in rng.uniform(0.1, 1.0, 3))
            if turns:
                axis |= {"stiffness_Nm_rad": k, "damping_Nms_rad": 0.1 * c, "torque_Nm": f, "rest_deg": 10.0 * c}
            else:
                axis |= {"stiffness_N_m": k, "damping_Ns_m": 0.1 * c, "force_N": f, "rest_m": 0.1 * c}


def with_forces(scenario):
    """Loads, a thruster and an attitude hold."""
    first, second = scenario["vehicles"].values()
    first["attitude_hold"] = {
        "stiffness_Nm_rad": [1.0, 2.0, 3.0], "damping_Nms_rad": 0.5, "dead_band_deg": 0.2, "torque_limit_Nm": 0.4,
        "sample_s": 0.05,
    }  # fmt: skip
    first["loads"] = {
        "tug": {"body": "b3", "position_m": [0.1, 0.2, -0.3], "force_N": [0.3, -0.2, 0.5], "frame": "inertial"},
        "twist": {"torque_Nm": [0.1, -0.3, 0.2], "frame": "body", "frequency_Hz": 1.5},
    }
    second["thrusters"] = {"aft": {"position_m": [0.5, 0.1, 0.2], "direction": [1.0, 2.0, -1.0], "force_N": 0.8}}
    second["thrusters"]["aft"]["pulses"] = [[0.1, 0.3]]


def story(step=0.001):
    """The whole scenario as a dictionary."""
    rng = np.random.default_rng(42)
    bodies = together(one_of_each(rng), one_of_each(rng))
    scenario = start_scenario(bodies, *random_state(rng, bodies, speed=0.3))
    scenario["solver"]["step_s"] = step
    with_devices(rng, scenario)
    with_forces(scenario)
    ports = [add_port(rng, scenario, k) for k in (4, 13)]
    spring = {"stiffness_N_m": 40.0, "stroke_m": 0.1}
    locked = next(k for k, body in enumerate(bodies[:8]) if body.joint == "revolute")
    scenario["events"] = {
        "dock": {"when": {"time_s": 0.2}, "do": {"join": ports}},
        "brake": {"when": {"time_s": 0.4}, "do": {"lock": f"v0.b{locked}"}},
        "part": {"when": {"time_s": 0.6}, "do": {"separate": {"ports": ports, "push_off": spring}}},
        "drop": {"when": {"time_s": 0.8}, "do": {"jettison": {"body": "v1.b15", "push_off": spring}}},
    }
    return scenario


@pytest.fixture(scope="module")
def plain():
    return docksim.run(story())


def test_the_budgets_of_the_story_close(plain):
    """All that is transformed below is sound to begin with."""
    assert plain.outcome == "completed"
    residual = np.abs(plain["energy.residual_J"])
    # rk4 at 1 ms; later the push-off springs, of 0.2 J and up to 10 rad/s, run out within a step: (omega h)^2 of that
    assert np.max(residual[plain.time_s <= 0.6]) < 1e-9
    assert np.max(residual) < 2e-5
    for kind in ("linear", "angular"):
        # rk4 again: 3e-12 here
        assert np.max(np.abs(plain[f"momentum.{kind}_residual"])) < 1e-11 * np.max(plain[f"momentum.{kind}_traffic"])


def transformed(value, change, key="", kind=""):
    """The scenario with `change(kind of joint, key, value)` applied to every leaf; lists are leaves."""
    if not isinstance(value, dict):
        return change(kind, key, value)
    kind = value.get("type", kind)
    return {name: transformed(own, change, name, kind) for name, own in value.items()}


def check_events(result, plain):
    """The same things happened, and lost as much."""
    assert [event.name for event in result.events] == ["dock", "brake", "part", "drop"]
    for ours, theirs in zip(result.events, plain.events, strict=True):
        assert ours.time_s == theirs.time_s
        assert ours.energy_loss_J == pytest.approx(theirs.energy_loss_J, rel=ROUNDING, abs=1e-13)


def check_channel(name, ours, theirs, bound=ROUNDING):
    if "residual" in name:
        return  # rounding itself
    # works are parts of the story's 50 J: one that is none is their rounding, 1e-16 of it in each of 1000 steps
    size = max(np.max(np.abs(theirs)), 0.05 if name.startswith("energy.") else 1e-3)
    assert np.max(np.abs(ours - theirs)) <= bound * size, name


def same_attitudes(a, b):
    """Quaternions up to their sign."""
    return np.where(np.sum(a * b, axis=1, keepdims=True) < 0.0, -a, a)


def in_moved_world(scenario, R, shift):
    """The same scenario seen from other axes and another origin."""
    moved = copy.deepcopy(scenario)
    for vehicle in moved["vehicles"].values():
        vehicle["position_m"] = floats(R @ vehicle["position_m"] + shift)
        vehicle["velocity_m_s"] = floats(R @ vehicle["velocity_m_s"])
        vehicle["attitude"] = {"quaternion": quaternion(R @ quat_matrix(vehicle["attitude"]["quaternion"]))}
        for load in vehicle.get("loads", {}).values():
            if load["frame"] == "inertial":
                load["force_N"] = floats(R @ load["force_N"])
    return moved


def moved_channel(plain, channel, R, shift):
    """What the channel must be in the moved world, from its frame."""
    data = channel.data
    if channel.frame == "body to W":
        return np.array([quaternion(R @ quat_matrix(q)) for q in data])
    if channel.frame != "W":
        return data
    data = data @ R.T
    if channel.name.endswith("position_m"):
        return data + shift
    if channel.name == "momentum.angular_kg_m2_s":
        return data + np.cross(shift, plain["momentum.linear_kg_m_s"] @ R.T)
    return data


def test_turning_and_moving_the_world_changes_nothing_else(plain):
    R, shift = random_rotation(np.random.default_rng(1)), np.array([3.0, -7.0, 5.0])
    result = docksim.run(in_moved_world(story(), R, shift))
    check_events(result, plain)
    for name, channel in plain.channels.items():
        if name == "momentum.angular_traffic":
            continue  # a sum of sizes about the origin, which moved
        expected = moved_channel(plain, channel, R, shift)
        ours = same_attitudes(result[name], expected) if name.endswith("attitude") else result[name]
        check_channel(name, ours, expected)


POLAR = np.array([1.0, -1.0, 1.0])
AXIAL = -POLAR
POLAR_KEYS = {"position_m", "child_position_m", "center_of_mass_m", "velocity_m_s", "force_N", "direction", "offset_m"}
AXIAL_KEYS = {"rate_deg_s", "torque_Nm"}
TURNS = {"angle_deg", "rate_deg_s", "torque_Nm", "rest_deg"}


def mirrored(kind, key, value):
    """A leaf of the scenario behind a mirror across y: vectors flip, turns flip the other way.

    Axes of turns flip as turns, so that angles stay; a cylindrical axis flips as a travel, and so its angle flips too.
    """
    if key == "quaternion":
        return floats(value * np.array([1.0, *AXIAL]))
    if key == "inertia_kg_m2":
        return [floats(row) for row in np.asarray(value) * np.outer(POLAR, POLAR)]
    if key in ("axis", "axis_2"):
        return floats(value * (POLAR if kind in ("prismatic", "cylindrical") else AXIAL))
    if isinstance(value, list) and key in POLAR_KEYS | AXIAL_KEYS:
        return floats(value * (POLAR if key in POLAR_KEYS else AXIAL))
    if kind == "cylindrical" and key in TURNS:
        return -value
    return value


def mirrored_channel(channel):
    """Signs by the unit: what turns or twists is axial."""
    if channel.frame == "body to W":
        return channel.data * np.array([1.0, *AXIAL])
    turns = channel.unit in ("deg", "deg/s", "deg/s2", "N m", "kg m2/s")
    if channel.data.ndim == 2:
        return channel.data * (AXIAL if turns else POLAR)
    return -channel.data if ".rotation." in channel.name else channel.data


def test_mirrored_vehicles_do_the_mirrored_thing_bit_for_bit(plain):
    result = docksim.run(transformed(story(), mirrored))
    check_events(result, plain)
    # a change of sign commutes with every rounding, so not one bit differs
    for name, channel in plain.channels.items():
        assert np.array_equal(result[name], mirrored_channel(channel)), name


def test_swapping_the_vehicles_in_the_file_changes_nothing(plain):
    scenario = story()
    scenario["vehicles"] = dict(reversed(scenario["vehicles"].items()))
    result = docksim.run(scenario)
    check_events(result, plain)
    assert set(result.channels) == set(plain.channels)
    for name, channel in plain.channels.items():
        check_channel(name, result[name], channel.data)


def swapped_ports(step):
    """Largest relative difference, in all motion, that the order of the joined ports makes."""
    results = []
    for way in (1, -1):
        scenario = story(step)
        scenario["events"]["dock"]["do"]["join"] = scenario["events"]["dock"]["do"]["join"][::way]
        results.append(docksim.run(scenario))
    first, second = results
    # loads of joints that are traversed the other way act on the other body
    names = [name for name in first.channels if not re.search(r"load_|\+|residual", name)]
    return max(np.max(np.abs(first[k] - second[k])) / max(np.max(np.abs(first[k])), 1e-3) for k in names)


def test_swapping_the_ports_of_a_join_changes_nothing_but_the_integrators_error():
    """The other vehicle becomes the root of the stack: the same motion, integrated in other coordinates."""
    coarse, fine = swapped_ports(0.002), swapped_ports(0.001)
    # rk4 in two sets of coordinates: 2e-10 at 1 ms, of order four
    assert fine < 1e-9
    assert 12.0 < coarse / fine < 20.0


def test_renaming_everything_gives_the_same_bits(plain):
    new = {"v0": "zebra", "v1": "aardvark", "port": "nose", "dock": "z_first", "brake": "a_last"}
    new |= {f"b{k}": f"part_{100 - k}" for k in range(16)}
    pattern = re.compile(rf"\b({'|'.join(new)})\b")

    def renamed(text):
        return pattern.sub(lambda match: new[match[1]], text)

    result = docksim.run(json.loads(renamed(json.dumps(story()))))
    assert list(result.channels) == [renamed(name) for name in plain.channels]
    for name, channel in plain.channels.items():
        assert np.array_equal(result[renamed(name)], channel.data), name
