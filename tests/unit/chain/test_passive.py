"""Joints without a drive: elastic arms driven along programs bend and swing, a free base gives way."""

import json
from dataclasses import replace

import numpy as np
import pytest

from docksim.chain.build import build_chain, load_chain
from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.kinematics.links import kinematics
from docksim.chain.linear.linearize import linearize_chain
from docksim.chain.motion.runs import program_control, run_constrained, run_program, start_state
from docksim.config.errors import ScenarioError
from docksim.config.loading.chain_task import load_task
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.unit.chain.tasks import ROW, task_of

POLES = {"real_1_s": [-3.0, -4.0]}


def booms(stiffness=300.0, damping=0.0, segments=2):
    """Two slender elastic rods in a plane, soft enough to swing a few times a second."""
    beam = {"mass_kg": 0.4, "segments": segments, "flex": ["bend_z"], "EI_z_Nm2": stiffness, "damping_s": damping}
    row = {"type": "revolute", "alpha_deg": 0.0, "a_m": 1.5, "d_m": 0.0, "mass_kg": 2.0, "elastic": beam}
    return {"denavit_hartenberg": [{**row, "angle_deg": 30.0}, {**row, "angle_deg": -60.0}]}


def slew(chain, stop_s=0.5, **keys):
    """Both motors to other angles, starting a little off the program."""
    marks = {"link1": (30.0, 45.0), "link2": (-60.0, -30.0)}
    program = [
        {"type": "joint", "name": link, "link": link, "waypoints": [{"time_s": 0.0, "angle_deg": one},
         {"time_s": stop_s, "angle_deg": two}]} for link, (one, two) in marks.items()
    ]  # fmt: skip
    settings = {"duration_s": 0.8, "output_s": 0.02, "tolerance": 1e-10, "poles": POLES}
    return task_of(chain, program=program, **{**settings, **keys})


def test_elastic_arm_bends_while_its_motors_follow_the_program_exactly():
    motion = run_program(slew(booms(damping=1e-3, segments=1), duration_s=0.6, initial={"link1": {"angle_deg": 31.0}}))
    passive = motion.model.passive
    assert passive.sum() == 2
    assert np.all(motion.force[:, passive] == 0.0)
    assert np.abs(motion.f[0]).max() > 0.01
    assert motion.f == pytest.approx(motion.expected, abs=1e-8)
    assert np.abs(motion.q[:, passive]).max() > 0.01
    # the budget: kinetic and elastic energy, work of the motors, dampers
    assert motion.work_J[-1, 0] > 1.0
    assert motion.work_J[-1, 2] < -1e-3
    assert np.abs(motion.residual_J).max() < 1e-8


def test_shipped_boom_keeps_its_motors_on_the_program():
    shipped = load_task("configs/tasks/boom_slew.yaml")
    motion = run_program(replace(shipped, task=shipped.task.model_copy(update={"duration_s": 0.1, "output_s": 0.05})))
    passive = motion.model.passive
    assert passive.sum() == 24
    assert np.all(motion.force[:, passive] == 0.0)
    assert motion.f == pytest.approx(motion.expected, abs=5e-10)
    assert np.abs(motion.q[:, passive]).max() > 1e-5


def test_very_stiff_links_move_as_rigid_ones():
    slow = {"stop_s": 3.0, "duration_s": 0.6, "tolerance": 1e-7}
    stiff, soft = (run_program(slew(booms(EI, segments=1), **slow)) for EI in (3e4, 3.0))
    tip = {"mass_kg": 2.4, "center_of_mass_m": [-0.75 * 0.4 / 2.4, 0.0, 0.0]}
    central = 0.4 * 1.5**2 / 12 + 0.4 * 0.75**2 - 2.4 * (0.75 * 0.4 / 2.4) ** 2
    row = {
        "type": "revolute",
        "alpha_deg": 0.0,
        "a_m": 1.5,
        "d_m": 0.0,
        **tip,
        "inertia_kg_m2": [1e-3, central, central],
    }
    rows = [{**row, "angle_deg": 30.0}, {**row, "angle_deg": -60.0}]
    rigid = run_program(slew({"denavit_hartenberg": rows}, **slow))
    assert np.abs(stiff.tool_m - rigid.tool_m).max() < 1e-3
    assert np.abs(soft.tool_m - rigid.tool_m).max() > 1e-2


def test_tip_swings_after_the_stop_as_linearize_says_with_motors_locked():
    motion = run_program(slew(booms(3000.0, segments=1), stop_s=0.3, duration_s=2.8, tolerance=1e-6))
    passive = motion.model.passive
    model = linearize_chain(motion.model, motion.q[-1] * ~passive)
    locked = np.flatnonzero(passive)
    pick = np.ix_(locked, locked)
    w2, shapes = np.linalg.eig(np.linalg.solve(model.M[pick], model.K[pick]))
    lowest = int(np.argmin(w2))
    # the lowest mode alone: the swing weighed with its shape and the masses
    after = motion.time_s >= 0.3
    swing = motion.q[after][:, passive] @ model.M[pick] @ shapes[:, lowest]
    time = motion.time_s[after]
    crossings = [
        time[i] - swing[i] * (time[i + 1] - time[i]) / (swing[i + 1] - swing[i])
        for i in range(len(time) - 1)
        if swing[i] < 0.0 <= swing[i + 1]
    ]
    measured = (len(crossings) - 1) / (crossings[-1] - crossings[0])
    assert len(crossings) > 3
    assert measured == pytest.approx(np.sqrt(w2[lowest]) / (2 * np.pi), rel=5e-3)


def test_accelerations_are_those_of_pinocchio_with_nothing_on_passive_joints():
    task = slew(booms())
    model = build_chain(task.chain)
    rng = np.random.default_rng(3)
    q, rates = model.home + 1e-3 * rng.normal(size=model.n), 0.1 * rng.normal(size=model.n)
    control = program_control(task.task, model, q)
    command = control.at(0.2, q, rates)
    own = model.joint_forces(q, rates)
    found = PinocchioChain(model).forward(q, rates, np.where(model.passive, 0.0, command.force) + own)
    assert found == pytest.approx(command.acceleration, abs=1e-10)
    value = command.value
    wanted = -(control.G1 * value.rate + control.G0 * value.f)
    assert value.gradient @ found + value.drift == pytest.approx(wanted, abs=1e-9)


def on_free_base(chain):
    """The chain's links as bodies on three slides and three turns that nothing drives."""
    axes = np.eye(3).tolist()
    bodies, parent = {}, "base"
    for i, name in enumerate(("x", "y", "z", "turn_x", "turn_y", "turn_z")):
        kind = "prismatic" if i < 3 else "revolute"
        bodies[name] = {"parent": parent, "joint": {"type": kind, "axis": axes[i % 3], "passive": True}}
        parent = name
    bodies["turn_z"] |= {"mass_kg": 120.0, "inertia_kg_m2": [20.0, 25.0, 18.0]}
    for k, name in enumerate(chain.names):
        quaternion = rotation_to_quaternion(chain.R_fix[k])
        central = chain.inertia[k] - chain.mass[k] * (
            chain.com[k] @ chain.com[k] * np.eye(3) - np.outer(chain.com[k], chain.com[k])
        )
        entries = dict(
            zip(("xx", "yy", "zz", "xy", "xz", "yz"), central[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)].tolist())
        )
        bodies[name] = {
            "parent": parent,
            "joint": {"type": "revolute", "axis": chain.axis[k].tolist(), "position_m": chain.p_fix[k].tolist(),
                      "attitude": {"quaternion": quaternion}},
            "mass_kg": float(chain.mass[k]), "center_of_mass_m": chain.com[k].tolist(), "inertia_kg_m2": entries,
            "end": {"position_m": chain.p_end[k].tolist()},
        }  # fmt: skip
        parent = name
    return {"bodies": bodies}


def rotation_to_quaternion(R):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return [w, x, y, z]


def test_arm_on_a_free_base_follows_its_program_and_keeps_momentum():
    chain = on_free_base(load_chain("configs/chains/puma560.yaml"))
    model = build_chain(task_of(chain, duration_s=1.0).chain)
    start = {"upper_arm": {"angle_deg": -30.0}, "forearm": {"angle_deg": 60.0}, "pitch": {"angle_deg": 30.0}}
    keys = {"duration_s": 1.0, "output_s": 0.1, "tolerance": 1e-11, "initial": start}
    q, rates = start_state(task_of(chain, **keys).task, model)
    state = kinematics(model, q, rates)
    here = state.p[-1] + state.R[-1] @ model.p_end[-1]
    goal = [{"type": "position", "name": "tool", "at_m": (here + [0.02, -0.01, 0.02]).tolist()}]
    motion = run_program(task_of(chain, program=goal, poles={"frequency_Hz": 0.5}, **keys))
    assert np.abs(motion.f[0]).max() > 0.01
    assert motion.f == pytest.approx(motion.expected, abs=4e-11)
    assert np.all(motion.force[:, :6] == 0.0)
    assert np.abs(motion.q[:, :6]).max() > 1e-4
    # nothing from outside: linear momentum stays zero, it is the momentum of the three slides
    momentum = [(Dynamics(model).mass_matrix(q) @ rates)[:3] for q, rates in zip(motion.q, motion.rates, strict=True)]
    assert np.abs(momentum).max() < 1e-11


def test_linear_models_have_inputs_where_there_are_drives():
    boom = linearize_chain(load_chain("configs/chains/elastic_boom_2r.yaml"))
    assert boom.inputs == ("upper_boom.torque_Nm", "lower_boom.torque_Nm")
    assert boom.B.shape == (52, 2)
    assert boom.notes == ()
    heavy = linearize_chain(replace(load_chain("configs/chains/elastic_boom_2r.yaml"), gravity=np.array([0, -9.81, 0])))
    assert "no drive holds upper_boom.1.bend_z, " in heavy.notes[0]


REFUSED = {
    "program: [{type: position, axes: [x, y]}]": ":3: program.0: the point is carried by a link that bends, 'link2'",
    "program: [{type: joint, link: hinge}]": ":3: program.0.link: the joint of 'hinge' is passive: no drive moves it",
    "program: [{type: coupling, ratios: {hinge: 1.0}}]": ":3: program.0.ratios: all its joints are passive",
    "drives: {hinge: {torque_Nm: 1.0}}": ":3: drives.hinge: the joint of 'hinge' is passive: it has no drive",
    "loads: {link: link9, force_N: [1, 0, 0]}": ":3: loads.0.link: no link 'link9'",
    "loads: {link: link2}": ":3: loads.force_N: force_N and moment_Nm are both zero",
    "initial: {hinge: {angle_deg: 50}}": ":3: initial.hinge.angle_deg: 50.0 starts above the stop of 'hinge' at 40.0",
    "drives: {link2: {servo: {stiffness_N_m: 3}}}": "stiffness_N_m: the joint of 'link2' is revolute; use stiffness_Nm",
    "drives: {link2: {table: {time_s: [1, 0], torque_Nm: [1, 2]}}}": "entry 2 is 0.0, not after 1.0",
    "drives: {link2: {table: {time_s: [0, 1]}}}": "drives.link2.table: torque_Nm is missing",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=range(len(REFUSED)))
def test_what_no_drive_can_do_is_refused_with_file_and_line(text, message, tmp_path):
    elastic = {"mass_kg": 2.0, "segments": 2, "EI_y_Nm2": 1e4, "EI_z_Nm2": 1e4, "width_m": 0.1}
    rows = [{**ROW, "name": "hinge", "passive": True, "upper_deg": 40.0}, {**ROW, "name": "link2", "elastic": elastic}]
    (tmp_path / "arm.yaml").write_text(json.dumps({"denavit_hartenberg": rows}))
    file = tmp_path / "task.yaml"
    file.write_text(f"chain: arm.yaml\nduration_s: 0.5\n{text}\n")
    with pytest.raises(ScenarioError) as caught:
        load_task(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)


def test_elastic_links_under_constraints_bend_and_all_their_elements_get_heavier(tmp_path):
    hold = [{"type": "joint", "link": "link1"}]
    motion = run_constrained(
        task_of(booms(), duration_s=0.02, output_s=0.01, constraint=hold, drives={"link2": {"torque_Nm": 5.0}})
    )
    assert np.abs(motion.q[-1, motion.model.passive]).max() > 1e-5
    heavy = run_program(slew(booms(), duration_s=0.02, mass_error={"link2": 2.0}))
    known = build_chain(slew(booms()).chain)
    own = [owner == "link2" for owner in known.owners]
    assert heavy.model.mass[own] == pytest.approx(2.0 * known.mass[own])


def test_a_point_on_an_elastic_link_is_at_its_far_end():
    task = task_of(
        booms(), duration_s=0.02, output_s=0.02, constraint=[{"type": "distance", "link": "link1", "from_m": [0, 0, 0]}]
    )
    model = build_chain(task.chain)
    from docksim.chain.motion.conditions import build_conditions

    found = build_conditions(model, task.task.constraint, model.home)
    G = found(model, model.home + 0.1, np.zeros(model.n), 0.0).gradient
    # bending of the first link moves its far end
    assert np.abs(G[0, 1:3]).max() > 1e-3
