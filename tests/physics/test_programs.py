"""Program control of arms on free-flyers: errors by their poles, momentum, limits, targets that tumble."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.chain import load_chain
from docksim.chain.model import PRISMATIC, REVOLUTE, ChainModel
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.control import ProgramControl, by_the_poles, redundant_law
from docksim.chain.motion.plant import Plant
from docksim.config import load_scenario
from docksim.config.schema.chain_conditions import Poles, PositionCondition
from docksim.linear.tree import linearize_scenario
from docksim.plots.run.figures import all_figures
from docksim.result.result import Result, ResultError

AXES = ([0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0.2])
ANGLES = (20.0, -40.0, 70.0, 15.0, 35.0, -20.0, 25.0)


def arm(count: int = 7, limit: float | None = None) -> dict[str, Any]:
    bodies: dict[str, Any] = {}
    for k in range(count):
        actuator = {"servo": {"mode": "torque"}} | ({} if limit is None else {"torque_limit_Nm": limit})
        joint = {"type": "revolute", "axis": AXES[k], "position_m": [0.7 if k else 0.9, 0.0, 0.05]}
        joint |= {"actuator": actuator, "angle_deg": ANGLES[k], "damping_Nms_rad": 0.2, "rotor_inertia_kg_m2": 0.05}
        body = {"mass_kg": 9.0 - k, "center_of_mass_m": [0.3, 0.02, 0.0], "inertia_kg_m2": [0.1, 0.5, 0.5]}
        bodies[f"j{k + 1}"] = {**body, "parent": f"j{k}" if k else "base", "joint": joint}
    bodies[f"j{count}"]["ports"] = {"grip": {"position_m": [0.4, 0.0, 0.0]}}
    return bodies


def servicer(program: dict[str, Any], count: int = 7, limit: float | None = None, **solver: Any) -> dict[str, Any]:
    """A free-flyer with an arm, and a satellite that tumbles beside it."""
    inertia = [[140.0, 3.0, -2.0], [3.0, 150.0, 4.0], [-2.0, 4.0, 160.0]]
    own = {
        "mass_kg": 400.0,
        "center_of_mass_m": [0.1, 0.0, 0.05],
        "inertia_kg_m2": inertia,
        "rate_deg_s": [0.4, -0.3, 0.5],
    }
    own |= {"bodies": arm(count, limit), "programs": {"go": {"hand": f"j{count}.grip", "enabled": True, **program}}}
    port = {"grapple": {"position_m": [-0.6, 0.1, 0.0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}}
    other = {"mass_kg": 150.0, "inertia_kg_m2": [30, 40, 50], "position_m": [4.2, 0.4, 0.3], "ports": port}
    other |= {"velocity_m_s": [-0.02, 0.01, 0.0], "rate_deg_s": [2.0, -1.5, 3.0]}
    return {
        "vehicles": {"servicer": own, "sat": other},
        "solver": {"duration_s": 3.0, "step_s": 0.001, **solver},
        "outputs": {"every_s": 0.05},
    }


FACING = {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}
TO_SAT = {
    "target": "sat.grapple",
    "waypoints": [{"time_s": 2.0, "position_m": [0.5, 0.02, 0.01], "attitude": FACING}],
    "poles": {"frequency_Hz": 0.5},
    "attitude_poles": {"real_1_s": [-2.0, -4.0]},
    "redundancy": {"type": "posture", "frequency_Hz": 0.2},
}


def errors(result: Result) -> np.ndarray:
    own = result["servicer.go.hand_error_m"], np.radians(result["servicer.go.hand_error_deg"])
    return np.concatenate(own, axis=1)


@pytest.fixture(scope="module")
def reaching() -> Result:
    return docksim.run(servicer(TO_SAT))


def test_errors_die_out_by_their_poles_against_a_port_that_tumbles(reaching: Result) -> None:
    f = errors(reaching)
    assert np.abs(f[0]).max() < 1e-14
    G1, G0 = np.array([Poles(**TO_SAT[key]).gains() for key in ("poles", "attitude_poles") for _ in range(3)]).T
    # the hand begins in its place, with the velocity that the target has against it
    rate = first_rates(servicer(TO_SAT))
    expected = by_the_poles(G1, G0, np.zeros(6), rate, reaching.time_s)
    assert np.abs(rate).max() > 0.03
    assert np.abs(f - expected).max() < 1e-7
    assert np.all(reaching["servicer.go.rank"] == 6)


def first_rates(scenario: dict[str, Any]) -> np.ndarray:
    """f' at the start, by the motion of the two vehicles with nothing driven."""
    free = deepcopy(scenario)
    del free["vehicles"]["servicer"]["programs"]
    for body in free["vehicles"]["servicer"]["bodies"].values():
        del body["joint"]["actuator"]
    free["solver"] = {"duration_s": 0.004, "step_s": 0.0005}
    free["outputs"] = {"every_s": 0.0005}
    result = docksim.run(free)
    hand, port = pose(result, "servicer.j7", [0.4, 0.0, 0.0]), pose(result, "sat", [-0.6, 0.1, 0.0])
    turn = np.diag([-1.0, -1.0, 1.0])
    T = port[0] @ turn
    place = np.einsum("nji,nj->ni", T, hand[1] - port[1])
    turned = np.einsum("nji,njk->nik", T, hand[0])
    u = rotation_vectors(np.einsum("ji,njk->nik", turned[0], turned))
    h = result.time_s[1]
    # one-sided, of fourth order
    weights = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / (12.0 * h)
    return np.concatenate([weights @ place[:5], weights @ u[:5]])


def matrices(q: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(q, scalar_first=True).as_matrix()


def rotation_vectors(R: np.ndarray) -> np.ndarray:
    return Rotation.from_matrix(R).as_rotvec()


def pose(result: Result, body: str, point: list[float]) -> tuple[np.ndarray, np.ndarray]:
    R = matrices(result[f"{body}.attitude"])
    return R, result[f"{body}.position_m"] + R @ np.array(point)


def test_errors_are_those_of_the_poses_in_the_result(reaching: Result) -> None:
    hand, port = pose(reaching, "servicer.j7", [0.4, 0.0, 0.0]), pose(reaching, "sat", [-0.6, 0.1, 0.0])
    T = port[0] @ np.diag([-1.0, -1.0, 1.0])
    place = np.einsum("nji,nj->ni", T, hand[1] - port[1])
    after = reaching.time_s >= 2.0
    assert np.abs(place[after] - [0.5, 0.02, 0.01] - errors(reaching)[after, :3]).max() < 1e-12
    facing = np.einsum("nji,njk->nik", T @ np.diag([-1.0, -1.0, 1.0]), hand[0])
    assert np.abs(rotation_vectors(facing)[after] - errors(reaching)[after, 3:]).max() < 1e-9


def test_program_keeps_momentum_and_books_its_work(reaching: Result) -> None:
    assert float(reaching.metrics["momentum.linear_residual_relative"]) < 1e-10
    assert float(reaching.metrics["momentum.angular_residual_relative"]) < 1e-10
    work = np.abs(reaching["energy.work.joint_motors_J"]).max()
    assert work > 0.1
    assert np.abs(reaching["energy.residual_J"]).max() < 1e-8 * work


def test_figure_has_base_hand_errors_and_torques(reaching: Result) -> None:
    (figure,) = all_figures(reaching, ["arm"]).values()
    panels = {axes.get_ylabel().partition(" [")[0]: axes for axes in reversed(figure.axes)}
    assert list(panels) == ["motor torque", "hand error", "base rate", "turn from start"]
    (error,) = (line for line in panels["hand error"].get_lines() if line.get_label() == "go")
    told = np.linalg.norm(errors(reaching)[:, :3], axis=1)
    # a power of ten may stand in the unit
    assert error.get_ydata() / max(error.get_ydata()) == pytest.approx(told / told.max(), abs=1e-9)
    assert sum(line.get_label().startswith("j") for line in panels["motor torque"].get_lines()) == 7


@pytest.mark.parametrize("target", ["base", "world"])
def test_hand_is_led_against_its_own_base_and_the_world(target: str) -> None:
    place = [2.6, 0.9, 0.6] if target == "world" else [2.7, 0.8, 0.5]
    program = {"target": target, "waypoints": [{"time_s": 3.0, "position_m": place}], "controls": "position"}
    result = docksim.run(servicer({**program, "poles": {"frequency_Hz": 1.0}}))
    hand, base = pose(result, "servicer.j7", [0.4, 0.0, 0.0]), pose(result, "servicer", [0.0, 0.0, 0.0])
    found = hand[1] if target == "world" else np.einsum("nji,nj->ni", base[0], hand[1] - base[1])
    # an error at the start of 1 % of the speed, 19 time constants ago
    assert np.abs(found[-1] - place).max() < 1e-7


def test_linear_model_of_a_state_at_which_a_program_acts_is_refused() -> None:
    with pytest.raises(ResultError, match=r"program 'servicer\.go' acts at this state"):
        linearize_scenario(load_scenario(servicer(TO_SAT)))


def test_limits_make_the_hand_miss_and_say_so() -> None:
    weak, strong = (docksim.run(servicer(TO_SAT, limit=limit)) for limit in (1.0, 1e4))
    assert np.linalg.norm(errors(weak)[-1, :3]) > 1e-3
    assert max(weak[f"servicer.j{k}.saturation"].max() for k in range(1, 8)) > 0.1
    assert max(strong[f"servicer.j{k}.saturation"].max() for k in range(1, 8)) == 0.0
    assert float(weak.metrics["momentum.linear_residual_relative"]) < 1e-10


def test_path_that_ends_out_of_reach_is_told() -> None:
    program = {"target": "world", "controls": "position", "poles": {"frequency_Hz": 2.0}, "sample_s": 0.02}

    def told(limit: float, place: list[float]) -> list[str]:
        way = [{"time_s": 0.3, "position_m": place}]
        return docksim.run(servicer({**program, "waypoints": way}, limit=limit, duration_s=0.8)).warnings

    assert told(1e4, [1.6, 0.5, 0.4]) == []
    (far,) = told(50.0, [9.0, 0.0, 0.0])
    assert re.match(
        r"servicer\.go: its path ended at 0\.3 s, and its hand is still 5\.\d+ m from there: out of reach", far
    )
    assert "move the waypoints nearer" in far


def test_sampled_program_comes_to_the_continuous_one() -> None:
    apart = []
    whole = docksim.run(servicer(TO_SAT, duration_s=1.5))
    for sample in (0.02, 0.01):
        result = docksim.run(servicer({**TO_SAT, "sample_s": sample}, duration_s=1.5))
        apart.append(np.abs(result["servicer.j3.angle_deg"] - whole["servicer.j3.angle_deg"]).max())
    # a hold of half a sample: first order
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.2)


def test_events_switch_programs_and_the_last_one_has_the_joints() -> None:
    scenario = servicer({**TO_SAT, "enabled": False}, duration_s=2.0)
    craft = scenario["vehicles"]["servicer"]
    stay = {"hand": "j7.grip", "waypoints": [{"time_s": 1.0, "position_m": [2.7, 0.8, 0.5]}], "controls": "position"}
    craft["programs"]["stay"] = stay
    scenario["events"] = {
        "one": {"when": {"time_s": 0.5}, "do": {"program": {"of": "servicer.go"}}},
        "two": {"when": {"time_s": 1.0}, "do": {"program": {"of": "servicer.stay"}}},
        "none": {"when": {"time_s": 1.5}, "do": {"program": {"of": "servicer.stay", "mode": "off"}}},
    }
    result = docksim.run(scenario)
    time = result.time_s
    go, stays = result["servicer.go.on"] == 1, result["servicer.stay.on"] == 1
    assert np.array_equal(go, (time > 0.4999) & (time < 0.9999))
    assert np.array_equal(stays, (time > 0.9999) & (time < 1.4999))
    assert np.all(result["servicer.j2.motor_torque_Nm"][~(go | stays)] == 0.0)
    assert np.abs(result["servicer.j2.motor_torque_Nm"][go | stays]).min() > 0.0


# ---------------------------------------------------------------- the chain toolbox, on six virtual joints of the base


def on_free_base(arm: ChainModel, mass: float, inertia: np.ndarray) -> ChainModel:
    """Three slides and three turns without drives, massless but the last, carry the chain's base. No gravity."""
    count, eye = 6, np.eye(3)
    own: dict[str, Any] = {}
    for field in fields(ChainModel):
        value = getattr(arm, field.name)
        if isinstance(value, np.ndarray) and field.name != "gravity":
            own[field.name] = np.zeros((count, *value.shape[1:]), value.dtype)
    own["parent"], own["far"] = np.arange(-1, count - 1), np.arange(count)
    own["kind"] = np.array([PRISMATIC] * 3 + [REVOLUTE] * 3)
    own["axis"] = np.vstack([eye, eye[::-1]])
    own["R_fix"], own["R_end"] = np.tile(eye, (6, 1, 1)), np.tile(eye, (6, 1, 1))
    own["mass"][-1], own["inertia"][-1], own["passive"][:] = mass, inertia, True
    own["lower"][:] = -np.inf
    for name in ("upper", "rate_limit", "effort_limit"):
        own[name][:] = np.inf
    whole = {name: np.concatenate([value, getattr(arm, name)]) for name, value in own.items()}
    whole["parent"] = np.concatenate([own["parent"], np.where(arm.parent < 0, count - 1, arm.parent + count)])
    whole["far"] = np.concatenate([own["far"], arm.far + count])
    names = (*(f"base_{k}" for k in range(count)), *arm.names)
    return replace(arm, names=names, gravity=np.zeros(3), by_rows=False, **whole)


def test_torques_are_those_of_the_chain_toolbox_on_six_virtual_joints() -> None:
    arm, rng = load_chain("configs/chains/puma560.yaml"), np.random.default_rng(4)
    inertia = np.diag([20.0, 25.0, 18.0])
    model = on_free_base(replace(arm, friction=np.zeros(arm.n)), 120.0, inertia)
    q = np.concatenate([np.zeros(6), np.radians([10.0, -30.0, 60.0, 20.0, 30.0, -15.0])])
    rates = rng.uniform(-0.3, 0.3, 12)
    hold = build_conditions(model, [PositionCondition(type="position", name="tool")], q)
    poles = Poles(frequency_Hz=0.5)
    control = ProgramControl(Plant(model), hold, [poles] * 3, redundant_law("damping", 0.3, q))
    wanted = control.at(0.0, q, rates).force[6:]

    bodies: dict[str, Any] = {}
    for k, name in enumerate(arm.names):
        angles = {"angle_deg": float(np.degrees(q[6 + k])), "rate_deg_s": float(np.degrees(rates[6 + k]))}
        bodies[name] = {"joint": {**angles, "friction_Nm": 0.0}}
    bodies[arm.names[-1]]["ports"] = {"tool": {}}
    program = {"hand": f"{arm.names[-1]}.tool", "target": "world", "controls": "position", "enabled": True,
               "waypoints": [{"time_s": 1.0}], "poles": {"frequency_Hz": 0.5},
               "redundancy": {"type": "damping", "frequency_Hz": 0.3}}  # fmt: skip
    drives = {"actuator": {"servo": {"mode": "torque"}}}
    craft = {"mass_kg": 120.0, "inertia_kg_m2": inertia.tolist(), "programs": {"hold": program}, "bodies": bodies,
             "use_chain": {"file": "configs/chains/puma560.yaml", "every_joint": drives},
             "velocity_m_s": rates[:3].tolist(), "rate_deg_s": np.degrees(rates[5:2:-1]).tolist()}  # fmt: skip
    solver = {"duration_s": 0.002, "step_s": 0.001}
    result = docksim.run({"vehicles": {"tug": craft}, "solver": solver, "outputs": {"every_s": 0.001}})
    found = np.array([result[f"tug.{name}.asked_torque_Nm"][0] for name in arm.names])
    assert np.abs(wanted).max() > 10.0
    assert np.abs(found - wanted).max() < 1e-10 * np.abs(wanted).max()
