"""Planning a berthing: kinematics against another walk through the same parts, inverse of forward, messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

from docksim.algebra.rotations import pose, rotation_matrix
from docksim.berthing import plan_berthing
from docksim.berthing.arm import Arm, OutOfReach, find_arm
from docksim.berthing.path import insertion
from docksim.berthing.program import Program
from docksim.cli import main
from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.berthing import load_berthing
from docksim.config.schema.placement import port_frame
from docksim.plots.berthing import POSTURES, arm_figure
from tests.support.figure_boxes import layout_faults

ROOT = Path(__file__).resolve().parents[2]
PLAN = ROOT / "configs" / "berthing" / "module_plan.yaml"


@pytest.fixture(scope="module")
def program() -> Program:
    return plan_berthing(*load_berthing(PLAN))


def changed(tmp_path: Path, **changes: Any) -> Path:
    """The shipped plan with other entries, in a file of its own."""
    content = yaml.safe_load(PLAN.read_text(encoding="utf-8"))
    for path, value in changes.items():
        *outer, last = path.split("__")
        part = content
        for key in outer:
            part = part[int(key)] if isinstance(part, list) else part[key]
        part[int(last) if isinstance(part, list) else last] = value
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file


def at_angles(program: Program, q: np.ndarray, vehicle: str) -> np.ndarray:
    """Pose of the hand by the walk that places ports at the start of a run."""
    joints = [joint.partition(".")[2] for joint in program.plan.arm.joints]
    angles = {
        f"station.bodies.{joint}.joint.angle_deg": float(x) for joint, x in zip(joints, np.degrees(q), strict=True)
    }
    setup = {"use": "configs/berthing/module_setup.yaml", "vehicles": {"station": {"use": vehicle}}}
    station = load_scenario(setup, angles).vehicles["station"]
    position, quaternion = port_frame(station, "wrist_roll.grip")
    return pose(rotation_matrix(quaternion), position)


def test_figure_of_a_program_explains_every_line_and_no_text_is_in_the_way(program: Program) -> None:
    figure = arm_figure(program)
    assert layout_faults(figure) == []
    (legend,) = figure.legends
    shown = {line.get_label() for line in figure.axes[0].lines if not str(line.get_label()).startswith("_")}
    assert {text.get_text() for text in legend.get_texts()} == shown
    assert sum(label.startswith("arm at ") for label in shown) == POSTURES


@pytest.mark.parametrize("vehicle", ["station_with_arm", "station_with_elastic_arm"])
def test_hand_is_where_the_scenario_puts_it_for_random_angles(program: Program, vehicle: str) -> None:
    file = f"configs/vehicles/{vehicle}.yaml"
    setup = load_scenario({"use": "configs/berthing/module_setup.yaml", "vehicles": {"station": {"use": file}}})
    arm, _ = find_arm(setup, program.plan.arm.joints, program.plan.arm.hand)
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = rng.uniform(-3.0, 3.0, arm.n)
        # a dozen products of matrices, lengths below 20 m
        np.testing.assert_allclose(arm.frames(q)[-1], at_angles(program, q, file), rtol=0.0, atol=1e-13)


def test_jacobian_is_the_derivative_of_the_hand(program: Program) -> None:
    arm, h = program.arm, 1e-6
    q = np.random.default_rng(2).uniform(-2.0, 2.0, arm.n)
    J = arm.jacobian(q)
    for i in range(arm.n):
        ahead, back = (arm.frames(q + s * h * np.eye(arm.n)[i])[-1] for s in (1.0, -1.0))
        # central differences: h squared times third derivatives, and rounding over h
        np.testing.assert_allclose(J[3:, i], (ahead - back)[:3, 3] / (2.0 * h), rtol=0.0, atol=1e-8)
        spin = (ahead - back)[:3, :3] @ arm.frames(q)[-1][:3, :3].T / (2.0 * h)
        np.testing.assert_allclose(J[:3, i], [spin[2, 1], spin[0, 2], spin[1, 0]], rtol=0.0, atol=1e-8)


def test_angles_put_the_hand_where_it_was(program: Program) -> None:
    arm, rng = program.arm, np.random.default_rng(3)
    for _ in range(5):
        q = np.radians(program.plan.arm.posture_deg) + rng.uniform(-0.5, 0.5, arm.n)
        target = arm.frames(q)[-1]
        found = arm.angles(target, q + rng.uniform(-0.3, 0.3, arm.n))
        # seven joints for six conditions: other angles, the same hand
        np.testing.assert_allclose(arm.frames(found)[-1], target, rtol=0.0, atol=1e-9)


def test_tables_carry_the_port_through_its_waypoints(program: Program) -> None:
    at = 0.0
    for way in program.plan.carry:
        at += way.duration_s
        row = int(np.flatnonzero(np.isclose(program.carry.time, at))[0])
        offset = program.port_at(program.carry.angle[row]) - program.scene.berth[:3, 3]
        # the inverse kinematics stops at 1e-10
        np.testing.assert_allclose(offset, [way.distance_m, 0.0, 0.0], rtol=0.0, atol=1e-9)
    assert program.largest_path_error_m < 1e-3


def test_the_way_in_has_a_constant_rate_until_it_is_through(program: Program) -> None:
    plan = program.plan.model_copy(update={"knot_s": 0.01})
    t, s = np.array(list(insertion(plan))).T
    rates = np.diff(s) / np.diff(t)
    rate, start = plan.insertion.closing_rate_m_s, plan.carry[-1].distance_m
    cruising = (s[1:] > 0.5 * rate * plan.insertion.ramp_s) & (s[1:] < start)
    np.testing.assert_allclose(rates[cruising], rate, rtol=1e-9)
    # never faster, never back, and no jump of the rate: 1.9 of the mean slope of the ramp, over a hundredth of a second
    assert rates.min() >= 0.0
    assert rates.max() < rate * (1.0 + 1e-9)
    assert np.abs(np.diff(rates)).max() < 2.0 * rate / plan.insertion.ramp_s * 0.011


def test_seating_torques_do_the_work_of_the_push(program: Program) -> None:
    arm, scene = program.arm, program.scene
    mated = scene.berth @ np.diag([-1.0, -1.0, 1.0, 1.0])
    q = arm.angles(scene.hand(mated), program.carry.angle[program.released_row()])
    dq = 1e-6 * np.random.default_rng(4).normal(size=arm.n)
    way = program.port_at(q + dq) - program.port_at(q)
    # second order in the displacement, arms of 10 m
    assert program.unit_push @ dq == pytest.approx(float(way @ mated[:3, 0]), abs=1e-10)


def test_shipped_program_is_what_the_shipped_plan_gives(program: Program) -> None:
    shipped = yaml.safe_load((PLAN.parent / "module_program.yaml").read_text(encoding="utf-8"))
    _same(shipped, program.content())


def _same(a: Any, b: Any) -> None:
    assert type(a) is type(b)
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            _same(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            _same(x, y)
    elif isinstance(a, float):
        # written with seven digits after the point; another machine's last bit may round the other way
        assert a == pytest.approx(b, abs=2e-7)
    else:
        assert a == b


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reach__stand_off_m": 9.0}, r"reach: at 0 s the hand should be at .* of its vehicle, but the hand stays"),
        ({"arm__hand": "station.wrist_roll.grap"}, r"plan.yaml:\d+: arm.hand: no port .* did you mean"),
        ({"arm__joints__3": "station.elbo"}, r"arm.joints.3: no joint 'station.elbo'.*did you mean 'station.elbow'"),
        ({"cargo__grapple": "station.berth"}, r"cargo: its two ports are on one vehicle, another one than the arm's"),
        ({"arm__posture_deg": [0.0, 1.0]}, r"arm.posture_deg: has 2 angles for 7 joints"),
        ({"insertion__release_distance_m": 0.29}, r"insertion: 0.29 m is passed before the rate is reached"),
        ({"setup": "configs/berthing/nothing.yaml"}, r"setup: .*nothing.yaml"),
        ({"carry": []}, r"carry: .*"),
        ({"knot_s": 1e-4}, r"knot_s: 0.0001 s makes 1.6e\+06 rows of tables, more than 5000"),
        ({"insertion__closing_rate_m_s": 1e-9}, r"knot_s: 2 s makes .* rows"),
        ({"arm__joints__1": "station.shoulder_roll"}, r"arm.joints: 'station.shoulder_roll' is listed twice"),
    ],
)
def test_what_cannot_be_planned_is_refused_with_the_reason(
    changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    file = changed(tmp_path, **changes)
    with pytest.raises(ScenarioError, match=message):
        plan_berthing(*load_berthing(file), name=str(file))
    done = CliRunner().invoke(main, ["berth", "plan", str(file), "--out", str(tmp_path / "p.yaml"), "--no-figures"])
    assert done.exit_code == 1
    assert "Traceback" not in done.output


def test_a_joint_beyond_its_stops_is_named_with_the_time(program: Program, tmp_path: Path) -> None:
    arm = Arm(program.arm.chain, program.arm.place, program.arm.hand, np.full(7, -1.0), np.full(7, 1.0))
    # a radian either way is exceeded by shoulder yaw, elbow, wrist yaw and wrist roll
    assert arm.beyond_stops(program.carry.angle[0]) == [1, 3, 5, 6]
    elbow = {"joint": {"angle_deg": 80.0, "lower_deg": 0.0, "upper_deg": 90.0}}
    setup = {"use": "configs/berthing/module_setup.yaml", "vehicles": {"station": {"bodies": {"elbow": elbow}}}}
    (tmp_path / "setup.yaml").write_text(yaml.safe_dump(setup), encoding="utf-8")
    message = r"carry: at \d\d s 'station.elbow' would be at 9\d.* beyond its stops at 0 and 90 deg"
    with pytest.raises(ScenarioError, match=message):
        plan_berthing(*load_berthing(changed(tmp_path, setup="setup.yaml")))


def test_a_joint_elsewhere_is_not_taken_for_the_arm(program: Program) -> None:
    with pytest.raises(OutOfReach, match="does not lie between"):
        find_arm(load_berthing(PLAN)[1], ["station.nothing"], program.plan.arm.hand)


def test_command_writes_a_program_a_figure_and_figures_as_json(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "program.yaml"
    done = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["berth", "plan", str(PLAN), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "station.elbow" in done.output
    assert (out.parent / "program_arm.png").stat().st_size > 10_000
    again = CliRunner().invoke(main, ["berth", "plan", str(PLAN), "--out", str(out), "--no-figures", "--json"])
    assert yaml.safe_load(again.output)["carry_s"] == 140.0
    shipped = (PLAN.parent / "module_program.yaml").read_text(encoding="utf-8")
    _same(yaml.safe_load(out.read_text(encoding="utf-8")), yaml.safe_load(shipped))


def test_setup_whose_state_holds_at_contact_is_refused(tmp_path: Path) -> None:
    plan, setup = load_berthing(changed(tmp_path))
    assert setup.approach is not None
    touching = setup.model_copy(update={"approach": setup.approach.model_copy(update={"holds_at": "contact"})})
    with pytest.raises(ScenarioError, match=r"setup: approach.holds_at: an arm begins at a distance"):
        plan_berthing(plan, touching)
