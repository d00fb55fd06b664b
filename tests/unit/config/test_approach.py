"""The approach: ports end up where they were asked to be, on any vehicle, through joints, rings and beams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.algebra.joints import FREE, turn_and_shift
from docksim.compiler import compile_scenario
from docksim.compiler.approach import starts
from docksim.compiler.assembly import assemble
from docksim.compiler.joints import joint_part
from docksim.config import Scenario, ScenarioError, load_scenario
from docksim.config.schema.joints import JointPlace
from docksim.config.schema.placement import mass_centre, port_frame
from docksim.simulation.run import Run
from tests.support.docks import BODY, dock

FACING = np.diag([-1.0, -1.0, 1.0])  # half a turn about z
# positions of some metres, rates below one: sums and products of a dozen numbers
ROUNDING = 1e-13


def motion(scenario: Scenario, vehicle: str, port: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Position, axes, velocity and rate of a port on W axes, by matrices instead of quaternions."""
    start = starts(scenario)[vehicle]
    place, turn = port_frame(start.vehicle, port)
    R = _matrix(start.base[1])
    w = R @ start.rate
    arm = R @ place
    return np.array(start.base[0]) + arm, R @ _matrix(turn), np.array(start.velocity) + np.cross(w, arm), w


def resolved(**changes: Any) -> Scenario:
    """The docking with changes."""
    return load_scenario(dock(**changes))


def _matrix(q: Any) -> np.ndarray:
    return Rotation.from_quat(np.roll(q, -1)).as_matrix()


ASKED = {
    "distance_m": 0.4, "closing_rate_m_s": 0.07, "lateral_offset_m": [0.05, -0.08], "lateral_rate_m_s": [0.01, 0.03],
    "roll_deg": 3.0, "pitch_deg": -2.0, "yaw_deg": 4.0,
    "roll_rate_deg_s": 0.1, "pitch_rate_deg_s": -0.2, "yaw_rate_deg_s": 0.15,
}  # fmt: skip
TUMBLING = {
    "position_m": [3.0, -1.0, 2.0],
    "attitude": {"yaw_pitch_roll_deg": [30.0, -50.0, 70.0]},
    "velocity_m_s": [0.3, 0.1, -0.2],
    "rate_deg_s": [1.0, -2.0, 0.5],
}


@pytest.mark.parametrize("station", [{}, TUMBLING], ids=["at_rest", "tumbling"])
def test_active_port_is_where_the_approach_says_seen_from_the_passive_one(station: dict[str, Any]) -> None:
    changes = {f"vehicles__station__{key}": value for key, value in station.items()}
    nose = {"position_m": [1.0, 0.2, -0.3], "attitude": {"rotation_vector_deg": [10, 20, 30]}}
    changes |= {f"vehicles__chaser__ports__nose__{key}": value for key, value in nose.items()}
    scenario = resolved(**changes, **{f"approach__{key}": value for key, value in ASKED.items()})
    x_A, R_A, v_A, w_A = motion(scenario, "chaser", "nose")
    x_P, R_P, v_P, w_P = motion(scenario, "station", "dock")
    F = R_P @ FACING
    turn = Rotation.from_euler("ZYX", [4.0, -2.0, 3.0], degrees=True).as_matrix()
    seen = F.T @ (v_A - v_P - np.cross(w_P, x_A - x_P))
    np.testing.assert_allclose(F.T @ (x_A - x_P), [-0.4, 0.05, -0.08], atol=ROUNDING)
    np.testing.assert_allclose(F.T @ R_A, turn, atol=ROUNDING)
    np.testing.assert_allclose(seen, [0.07, 0.01, 0.03], atol=ROUNDING)
    np.testing.assert_allclose(R_A.T @ (w_A - w_P), np.radians([0.1, -0.2, 0.15]), atol=ROUNDING)


def test_plain_approach_faces_the_port_and_closes() -> None:
    scenario = resolved()
    chaser = starts(scenario)["chaser"]
    # station at x = 5 with its port at -1; the nose is 1 m ahead of the chaser's origin
    np.testing.assert_allclose(chaser.base[0], [5.0 - 1.0 - 0.3 - 1.0, 0.0, 0.0], atol=ROUNDING)
    np.testing.assert_allclose(chaser.velocity, [0.05, 0.0, 0.0], atol=ROUNDING)
    assert abs(chaser.base[1][0]) == pytest.approx(1.0, abs=ROUNDING)


def joint(kind: str, **keys: Any) -> dict[str, Any]:
    place = {"position_m": [0.5, 0.1, 0.0], "attitude": {"rotation_vector_deg": [20, -10, 5]},
             "child_position_m": [-0.2, 0.0, 0.1], "child_attitude": {"rotation_vector_deg": [0, 15, 0]}}  # fmt: skip
    return {"type": kind, **place, **keys}


JOINTS = [
    joint("fixed"),
    joint("revolute", axis=[1, 2, 0], angle_deg=40.0),
    joint("prismatic", axis=[0, 1, 1], travel_m=0.3),
    joint("cylindrical", axis=[1, 0, 1], rotation={"angle_deg": -30.0}, translation={"travel_m": 0.2}),
    joint("universal", axis=[1, 0, 0], axis_2=[0, 1, 0.5], first={"angle_deg": 20.0}, second={"angle_deg": -35.0}),
    joint("spherical", initial={"yaw_pitch_roll_deg": [10, 20, 30]}),
    joint("free", offset_m=[0.1, 0.2, 0.3], initial={"yaw_pitch_roll_deg": [-10, 40, 5]}),
]


@pytest.mark.parametrize("hinge", JOINTS, ids=lambda hinge: hinge["type"])
def test_ports_on_joints_are_where_the_compiled_tree_has_them(hinge: dict[str, Any]) -> None:
    arm = {**BODY, "joint": hinge, "ports": {"hand": {"position_m": [0.4, 0, 0.1]}}}
    scenario = resolved(vehicles__chaser__bodies={"arm": arm})
    place, turn = port_frame(scenario.vehicles["chaser"], "arm.hand")
    R, x = compiled_port(scenario, "chaser.arm.hand")
    np.testing.assert_allclose(place, x, atol=ROUNDING)
    np.testing.assert_allclose(_matrix(turn), R, atol=ROUNDING)


def compiled_port(scenario: Scenario, name: str) -> tuple[np.ndarray, np.ndarray]:
    """A port in the base frame of its vehicle, from the parts list: frame F, joint, frame M."""
    assembly = assemble(scenario)
    marker = assembly.markers[name]
    part = next(one for one in assembly.joints if one.succ == marker.body)
    Q, t = _joint_motion(part)
    R = part.F.axes @ Q @ part.M.axes.T
    origin = part.F.position + part.F.axes @ t - R @ np.asarray(part.M.position)
    return R @ marker.place.axes, origin + R @ np.asarray(marker.place.position)


def _joint_motion(part: Any) -> tuple[np.ndarray, np.ndarray]:
    """Turn and shift of a joint from its coordinates in the parts list."""
    turns = [c.start for c in part.coordinates if c.unit == "rad" and c.kind == 0]
    travels = [c.start for c in part.coordinates if c.unit == "m"]
    Q, t = np.eye(3), np.zeros(3)
    for axis, angle in zip((part.axis, part.axis_2), turns, strict=False):
        Q = Q @ Rotation.from_rotvec(angle * np.asarray(axis)).as_matrix()
    if len(travels) == 3:
        t = np.array(travels)
    elif travels:
        t = travels[0] * np.asarray(part.axis)
    return Q @ _matrix(part.quaternion), t


def test_ring_and_beam_carry_their_ports() -> None:
    beam = {"length_m": 2.0, "mass_kg": 1.0, "EI_y_Nm2": 1.0, "flex": ["bend_y"], "position_m": [0, 1, 0],
            "attitude": {"rotation_vector_deg": [0, 0, 90]}, "ports": {"end": {"position_m": [0.1, 0, 0]}}}  # fmt: skip
    mechanism = {"use": "configs/mechanisms/nds_like.yaml", "position_m": [1, 0, 0], "ports": {"face": {}}}
    scenario = resolved(vehicles__chaser__beams={"boom": beam}, vehicles__chaser__mechanism=mechanism)
    chaser = scenario.vehicles["chaser"]
    assert chaser.mechanism is not None
    np.testing.assert_allclose(port_frame(chaser, "boom.end")[0], [0.0, 3.1, 0.0], atol=ROUNDING)
    ring = np.array([1.0, 0.0, 0.0]) + chaser.mechanism.reference.position_m
    np.testing.assert_allclose(port_frame(chaser, "ring.face")[0], ring, atol=ROUNDING)


@pytest.mark.parametrize("station", [{}, TUMBLING], ids=["at_rest", "tumbling"])
def test_run_that_begins_earlier_comes_to_the_state_that_was_asked_for(station: dict[str, Any]) -> None:
    changes = {f"vehicles__station__{key}": value for key, value in station.items()}
    changes["vehicles__chaser__center_of_mass_m"] = [-0.4, 0.1, 0.2]
    asked = {**ASKED, "start_distance_m": 0.75}
    scenario = resolved(**changes, **{f"approach__{key}": value for key, value in asked.items()})
    # five seconds of 0.07 m/s later
    x_A, R_A, v_A, w_A = later(scenario, "chaser", "nose", 5.0)
    x_P, R_P, v_P, w_P = later(scenario, "station", "dock", 5.0)
    F = R_P @ FACING
    turn = Rotation.from_euler("ZYX", [4.0, -2.0, 3.0], degrees=True).as_matrix()
    np.testing.assert_allclose(F.T @ (x_A - x_P), [-0.4, 0.05, -0.08], atol=10 * ROUNDING)
    np.testing.assert_allclose(F.T @ R_A, turn, atol=10 * ROUNDING)
    seen = F.T @ (v_A - v_P - np.cross(w_P, x_A - x_P))
    np.testing.assert_allclose(seen, [0.07, 0.01, 0.03], atol=10 * ROUNDING)
    np.testing.assert_allclose(R_A.T @ (w_A - w_P), np.radians([0.1, -0.2, 0.15]), atol=10 * ROUNDING)


def later(scenario: Scenario, vehicle: str, port: str, time_s: float) -> tuple[np.ndarray, ...]:
    """Motion of a port after free flight: the vehicle turns at its rate about its mass centre, which goes straight."""
    start = starts(scenario)[vehicle]
    x, R, v, w = motion(scenario, vehicle, port)
    arm = x - np.array(start.base[0]) - _matrix(start.base[1]) @ start.vehicle.center_of_mass_m
    turn = Rotation.from_rotvec(time_s * w).as_matrix()
    v_c = v - np.cross(w, arm)
    return x - arm + time_s * v_c + turn @ arm, turn @ R, v_c + np.cross(w, turn @ arm), w


def test_masses_on_a_vehicle_move_its_mass_centre() -> None:
    beam = {"length_m": 2.0, "mass_kg": 30.0, "tip_mass_kg": 10.0, "EI_y_Nm2": 1.0, "flex": ["bend_y"],
            "position_m": [0, 1, 0], "attitude": {"rotation_vector_deg": [0, 0, 90]}}  # fmt: skip
    wheel = {"axis": [1, 0, 0], "spin_inertia_kg_m2": 0.1, "mass_kg": 20.0, "position_m": [0.0, 0.0, 2.0],
             "torque_limit_Nm": 1.0}  # fmt: skip
    arm = {**BODY, "center_of_mass_m": [0.1, 0.0, 0.0], "joint": {"type": "fixed", "position_m": [3.0, 0.0, 0.0]}}
    parts = {"beams": {"boom": beam}, "wheels": {"spin": wheel}, "bodies": {"arm": arm}}
    chaser = load_scenario(dock(**{f"vehicles__chaser__{key}": value for key, value in parts.items()})).vehicles[
        "chaser"
    ]
    total = chaser.mass_kg + 60.0 + chaser.bodies["arm"].mass_kg
    moment = np.array([3.1 * chaser.bodies["arm"].mass_kg, 30.0 * 2.0 + 10.0 * 3.0, 40.0])
    np.testing.assert_allclose(mass_centre(chaser), moment / total, atol=ROUNDING)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"start_distance_m": 0.3}, "nearer than distance_m"),
        ({"start_distance_m": 0.5, "closing_rate_m_s": 0.0}, "cannot be traced back"),
        ({"start_distance_m": 1e5, "closing_rate_m_s": 1e-9}, "cannot be traced back"),
        ({"start_distance_m": -1.0}, "greater than 0"),
        ({"distance_m": None}, "distance_m: missing; give it, or 'holds_at: contact'"),
        ({"holds_at": "contact", "closing_rate_m_s": 0.0}, "closing_rate_m_s: 0 never comes to a contact"),
        ({"holds_at": "touch"}, "holds_at"),
    ],
)
def test_start_that_cannot_be_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ScenarioError, match=words):
        load_scenario(dock(**{f"approach__{key}": value for key, value in {**ASKED, **changes}.items()}))


def test_state_at_contact_needs_something_that_can_touch() -> None:
    with pytest.raises(ScenarioError, match="holds_at: nothing of 'chaser' and 'station' can touch: name a pair"):
        load_scenario(dock(approach__holds_at="contact", contacts=None, sequence=None))


def test_joint_that_nothing_knows_is_refused_by_schema_and_compiler() -> None:
    class Odd(JointPlace):
        type: str = "odd"

    with pytest.raises(TypeError, match="hinge: no compiler for a joint of Odd"):
        joint_part(Odd(), "hinge", 0, 1)
    vehicle = resolved(vehicles__chaser__bodies={"arm": {**BODY, "joint": JOINTS[0], "ports": {"tip": {}}}}).vehicles[
        "chaser"
    ]
    odd = vehicle.bodies["arm"].model_copy(update={"joint": Odd()})
    with pytest.raises(ValueError, match="index"):
        port_frame(vehicle.model_copy(update={"bodies": {"arm": odd}}), "arm.tip")


def test_joint_that_nothing_knows_ends_a_run_at_once() -> None:
    compiled = compile_scenario(load_scenario("joint_gallery"))
    compiled.model.joint[0].type = FREE + 1
    with pytest.raises(ValueError, match="no joint has this type"):
        turn_and_shift(FREE + 1, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), [0.0], 0)
    # compiled code says that it failed, plain Python says why
    with pytest.raises((RuntimeError, ValueError), match=r"failed in compiled code|no joint has this type"):
        Run(compiled).advance(1)
