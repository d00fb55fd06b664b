"""Loads and motion of sections of links: closed forms, free bodies, slices summed up, and a chain cut in two."""

import numpy as np
import pytest

from docksim.chain.build import build_chain
from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.kinematics.links import kinematics
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained
from docksim.chain.sections.accuracy import servo_stiffness, tool_accuracy
from docksim.chain.sections.in_motion import of_state
from docksim.chain.sections.reactions import reaction_wrenches
from docksim.chain.sections.sections import Line, Outside, SectionLoads, lines_of, section_of
from docksim.config import ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.schema.chain_structure import links_of
from docksim.result.sections import LineLoads, diagram_columns
from tests.oracle.chain_random import random_chain
from tests.unit.chain.test_conditions import KINDS

LENGTH, MASS, EI = 3.0, 6.0, 1e4


def rod(segments, **more):
    """An elastic rod of no width on a turning joint."""
    beam = {"mass_kg": MASS, "segments": segments, "EI_y_Nm2": 2 * EI, "EI_z_Nm2": EI}
    body = {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "end": {"position_m": [LENGTH, 0, 0]}, "elastic": beam}
    return read_chain({"bodies": {"rod": body | more}})


def messy(seed):
    """Six links on turning and sliding joints, with branches, and masses that are lumped, uniform or at the ends."""
    rng = np.random.default_rng(seed)
    bodies = {}
    for k in range(6):
        end = rng.normal(size=3)
        L2, x = end @ end, end / np.linalg.norm(end)
        kind = ("lumped", "uniform", "ends")[k % 3]
        part = {"lumped": 0.4, "uniform": 0.5, "ends": 0.3}[kind]
        m = rng.uniform(1.0, 3.0)
        across = (np.eye(3) - np.outer(x, x)) * m * L2 * {"lumped": 0.1, "uniform": 1 / 12, "ends": 0.21}[kind]
        own = np.diag(rng.uniform(0.02, 0.03, 3))
        joint = {"type": "prismatic" if k in (2, 4) else "revolute", "axis": rng.normal(size=3).tolist()}
        joint["position_m"] = (rng.normal(size=3) * 0.5).tolist()
        bodies[f"b{k}"] = {
            "parent": "base" if k == 0 else f"b{(k - 1) if k < 4 else 1}",
            "joint": joint, "end": {"position_m": end.tolist()}, "mass_kg": m,
            "center_of_mass_m": (part * end).tolist(), "inertia_kg_m2": (across + own).tolist(),
            "structure": {"mass_along": kind},
        }  # fmt: skip
    return read_chain({"gravity_m_s2": [0.3, -0.5, -9.81], "bodies": bodies})


def moving(n, seed=3):
    return tuple(np.random.default_rng(seed).normal(size=(3, n)))


# ---------------------------------------------------------------- closed forms


def test_turning_rod_has_the_loads_of_the_textbook_in_every_section():
    chain = rod(6)
    model = build_chain(chain)
    state = np.zeros((3, model.n))
    w, e = 0.7, 0.3
    state[1, 0], state[2, 0] = w, e
    (line,) = of_state(chain, tuple(state), np.zeros(6), points=25)
    x, found = line.distance_m, line.loads[0]
    # 25 points: ends, hinges and places between them
    assert found[:, 0] == pytest.approx(MASS * w * w * (LENGTH**2 - x**2) / (2 * LENGTH), abs=1e-10)
    assert -found[:, 1] == pytest.approx(MASS * e * (LENGTH**2 - x**2) / (2 * LENGTH), abs=1e-10)
    bending = MASS / LENGTH * e * ((LENGTH**3 - x**3) / 3 - x * (LENGTH**2 - x**2) / 2)
    assert -found[:, 5] == pytest.approx(bending, abs=1e-10)
    assert np.abs(found[:, 2:5]).max() < 1e-10
    assert line.velocity_m_s[0, :, 1] == pytest.approx(w * x, abs=1e-12)
    assert line.acceleration_m_s2[0, :, :2] == pytest.approx(np.stack([-w * w * x, e * x], 1), abs=1e-12)


@pytest.mark.parametrize("segments", [4, 8, 12])
def test_cantilever_sags_by_the_closed_form_of_its_elements(segments):
    chain = rod(segments)
    q = np.zeros(build_chain(chain).n)
    tool = tool_accuracy(chain, q, np.array([0.0, 5.0, 0.0, 0.0, 0.0, 0.0]))
    by_force = LENGTH**3 / (3 * EI) * (1 - 1 / (4 * segments**2))
    assert tool.sag_m == pytest.approx([0.0, 5.0 * by_force, 0.0], rel=1e-10, abs=1e-16)
    # a tip moment turns and lifts as in Euler-Bernoulli's beam: uniform moment, hinges at the middles of the pieces
    assert tool.compliance[5, 5] == pytest.approx(LENGTH / EI, rel=1e-10)
    assert tool.compliance[1, 5] == pytest.approx(LENGTH**2 / (2 * EI), rel=1e-10)
    assert tool.stiffness_N_m()[0] == pytest.approx(1 / by_force, rel=1e-10)
    assert tool.rigid == ("rod",)


def test_drives_that_give_way_add_to_the_sag():
    joint = {"type": "revolute", "axis": [0, -1, 0], "servo_stiffness_Nm_rad": 500.0}
    body = {"joint": joint, "end": {"position_m": [2.0, 0, 0]}, "mass_kg": 3.0, "center_of_mass_m": [1.0, 0, 0]}
    chain = read_chain({"gravity_m_s2": [0, 0, -10.0], "bodies": {"arm": body}})
    tool = tool_accuracy(chain, np.zeros(1), np.array([0, 0, -4.0, 0, 0, 0]))
    # 30 N m of weight and 8 N m of load turn the joint by 38 / 500 rad
    assert tool.sag_m[2] == pytest.approx(-2.0 * 38.0 / 500.0, rel=1e-13)
    assert tool.tilt_rad[1] == pytest.approx(38.0 / 500.0, rel=1e-13)
    assert tool.compliance[2, 2] == pytest.approx(4.0 / 500.0, rel=1e-13)


def test_sag_is_the_equilibrium_of_small_loads():
    chain = read_chain("configs/chains/inspection_boom.yaml")
    model = build_chain(chain)
    stiff, W = servo_stiffness(chain), 1e-6 * np.array([3.0, 5.0, -4.0, 0.2, 0.1, 0.3])
    still = np.zeros(model.n)
    chain = chain.model_copy(update={"gravity_m_s2": (0.0, 0.0, -1e-6)})
    small = build_chain(chain)

    def gives(q):
        state = kinematics(small, q, still)
        J, _ = state.twists(small.n - 1, state.p[-1] + state.R[-1] @ small.p_end[-1])
        return (J.T @ W - Dynamics(small, joints=False).bias(q, still)) / stiff

    q = model.home
    for _ in range(3):
        q = model.home + gives(q)
    here, there = (kinematics(small, one, still) for one in (model.home, q))
    moved = (there.p[-1] + there.R[-1] @ small.p_end[-1]) - (here.p[-1] + here.R[-1] @ small.p_end[-1])
    tool = tool_accuracy(chain, model.home, W)
    # second order in a sag of a nanometre; rounding of places of a metre is 1e-16
    assert tool.sag_m == pytest.approx(moved, abs=3e-15)
    assert tool.yields == pytest.approx(q - model.home, rel=1e-6, abs=1e-16)


# ---------------------------------------------------------------- free bodies


def test_free_body_of_every_link_closes():
    chain = messy(1)
    model = build_chain(chain)
    q, rates, accelerations = moving(model.n)
    rng = np.random.default_rng(9)
    loads = [Outside(k, *rng.normal(size=(3, 3))) for k in (1, 3, 5)]
    found = SectionLoads(model, model, lines_of(chain))
    state = kinematics(model, q, rates)
    force, torque = found.joint_wrenches(state, accelerations, loads)
    for k in range(model.n):
        # the mass centre's motion by twists and their drift: another way than the recursion's
        centre = state.p[k] + state.R[k] @ model.com[k]
        J, drift = state.twists(k, centre)
        v, a = J @ rates, J @ accelerations + drift
        central = model.inertia[k] - model.mass[k] * (
            model.com[k] @ model.com[k] * np.eye(3) - np.outer(model.com[k], model.com[k])
        )
        central = state.R[k] @ central @ state.R[k].T
        F, M = force[k].copy(), torque[k] + np.cross(state.p[k] - centre, force[k])
        for j in np.flatnonzero(model.parent == k):
            F -= force[j]
            M -= torque[j] + np.cross(state.p[j] - centre, force[j])
        for load in loads:
            if load.link == k:
                F += load.force
                M += load.moment + np.cross(state.p[k] + state.R[k] @ load.point - centre, load.force)
        assert model.mass[k] * (a[:3] - model.gravity) == pytest.approx(F, abs=1e-10)
        assert central @ a[3:] + np.cross(v[3:], central @ v[3:]) == pytest.approx(M, abs=1e-10)


def test_sections_carry_what_the_slices_beyond_them_need():
    chain = messy(2)
    model = build_chain(chain)
    q, rates, accelerations = moving(model.n)
    rng = np.random.default_rng(10)
    loads = [Outside(k, *rng.normal(size=(3, 3))) for k in range(6)]
    lines = lines_of(chain, 7, loads)
    found = SectionLoads(model, model, lines)
    state = kinematics(model, q, rates)
    force, torque = found.joint_wrenches(state, accelerations, loads)
    got = dict(zip(model.names, found.along(np.zeros(1), [(q, rates, accelerations)], [loads]), strict=True))
    nodes, weights = np.polynomial.legendre.leggauss(3)
    for k, line in enumerate(lines):
        end = model.p_end[k]
        length, kind = np.linalg.norm(end), links_of(chain)[line.name][1].structure.mass_along
        x, m, com = end / length, model.mass[k], model.com[k]
        across = np.eye(3) - np.outer(x, x)
        central = model.inertia[k] - m * (com @ com * np.eye(3) - np.outer(com, com))
        part = com @ x / length
        spread = {"lumped": 0.0, "uniform": 1 / 12, "ends": part * (1 - part)}[kind]
        rest = central - spread * m * length**2 * across
        for i, section in enumerate(line.sections):
            d = section.distance
            here = state.p[k] + state.R[k] @ (d * x)
            edge = d + 1e-9 if section.after else d - 1e-9
            ahead = edge.__le__
            if kind == "uniform":
                lumps = [
                    (m * (length - d) / length * 0.5 * w, (d + (length - d) * 0.5 * (1 + n)) * x)
                    for n, w in zip(nodes, weights)
                ]
                shares = (length - d) / length
            else:
                spots = [(m, com)] if kind == "lumped" else [(m * (1 - part), 0 * x), (m * part, end)]
                lumps = [(mass, spot) for mass, spot in spots if ahead(spot @ x)]
                shares = sum(mass for mass, _ in lumps) / m
            F, M = np.zeros(3), np.zeros(3)
            for mass, spot in lumps:
                place = state.p[k] + state.R[k] @ spot
                J, drift = state.twists(k, place)
                push = mass * ((J @ accelerations + drift)[:3] - model.gravity)
                F, M = F + push, M + np.cross(place - here, push)
            J, drift = state.twists(k, here)
            w, e, own = (J @ rates)[3:], (J @ accelerations + drift)[3:], state.R[k] @ rest @ state.R[k].T
            M += shares * (own @ e + np.cross(w, own @ w))
            for j in np.flatnonzero(model.parent == k):
                if ahead(model.p_fix[j] @ x):
                    F, M = F + force[j], M + torque[j] + np.cross(state.p[j] - here, force[j])
            if ahead(loads[k].point @ x):
                place = state.p[k] + state.R[k] @ loads[k].point
                F, M = F - loads[k].force, M - loads[k].moment - np.cross(place - here, loads[k].force)
            axes = state.R[k] @ section.axes
            wanted = -np.concatenate([axes.T @ F, axes.T @ M])
            # three-point quadrature is exact for what is of the second order along a rod
            assert got[line.name].loads[0, i] == pytest.approx(wanted, abs=1e-10)
            assert got[line.name].position_m[0, i] == pytest.approx(here, abs=1e-12)
            assert got[line.name].velocity_m_s[0, i] == pytest.approx((J @ rates)[:3], abs=1e-12)
            assert got[line.name].acceleration_m_s2[0, i] == pytest.approx((J @ accelerations + drift)[:3], abs=1e-11)


@pytest.mark.parametrize(("chain", "name"), [(messy(4), "b5"), (rod(3), "rod")], ids=["rigid", "elastic"])
def test_force_jumps_across_a_load_by_that_load(chain, name):
    model = build_chain(chain)
    state = moving(model.n, 5)
    k = model.n - 1
    # the last element of the rod begins at 5/6 of its 3 m
    start, axis = (2.5, np.eye(3)[0]) if name == "rod" else (0.0, model.p_end[k] / np.linalg.norm(model.p_end[k]))
    load = Outside(k, 0.25 * axis, np.array([3.0, -2.0, 5.0]), np.array([0.4, 0.1, -0.7]))
    link = links_of(chain)[name][1]
    sides = tuple(section_of(model, link, name, start + 0.25, after) for after in (False, True))
    assert [section.row for section in sides] == [k, k]
    loads = SectionLoads(model, model, [Line(name, sides, {}, {}, 1.0)]).at(*state, [load])[0]
    axes = kinematics(model, *state[:2]).R[k] @ sides[0].axes
    jump = loads[0] - loads[1]
    assert axes @ jump[:3] == pytest.approx(load.force, abs=1e-12)
    assert axes @ jump[3:] == pytest.approx(load.moment, abs=1e-12)


def test_elastic_link_is_continuous_across_its_hinges_and_into_the_next_link():
    chain = read_chain("configs/chains/elastic_boom_2r.yaml")
    model = build_chain(chain)
    q, rates, accelerations = (0.05 * part for part in moving(model.n, 6))
    lines = lines_of(chain)
    found = SectionLoads(model, model, lines)
    state = kinematics(model, q, rates)
    link, piece = links_of(chain)["upper_boom"][1], 7.0 / 6
    for i in range(6):
        edge = (i + 0.5) * piece
        near = tuple(section_of(model, link, "upper_boom", d) for d in (edge * (1 - 1e-7), edge))
        assert near[0].row < near[1].row
        pair = SectionLoads(model, model, [Line("x", near, {}, {}, 1.0)])
        loads = pair.at(q, rates, accelerations)[0]
        turned = [state.R[s.row] @ s.axes @ part.reshape(2, 3).T for s, part in zip(near, loads, strict=True)]
        # 1e-7 of the distance lies between them, with its mass and its lever
        assert turned[0] == pytest.approx(turned[1], abs=1e-6 * np.abs(turned[1]).max())
    force, torque = found.joint_wrenches(state, accelerations)
    own = {line.name: line for line in found.along(np.zeros(1), [(q, rates, accelerations)], [[]])}
    k = model.names.index("lower_boom")
    axes = state.R[k] @ lines[1].sections[0].axes
    assert -axes @ own["lower_boom"].loads[0, 0, :3] == pytest.approx(force[k], abs=1e-10)
    assert -axes @ own["lower_boom"].loads[0, 0, 3:] == pytest.approx(torque[k], abs=1e-10)


@pytest.mark.parametrize("part", [KINDS[key] for key in ("position", "pose", "plane", "distance", "coupling", "joint")])
def test_reactions_of_constraints_are_wrenches_with_the_same_power(part):
    chain = random_chain(np.random.default_rng(7), 6, sliding=0.0)
    q, rates = np.random.default_rng(8).normal(size=(2, 6))
    conditions = build_conditions(chain, [part], q + 0.1)
    held = Constrained(chain, conditions).at(1.3, q, rates, np.ones(6))
    state = kinematics(chain, q, rates)
    pulls = reaction_wrenches([part], state, state, held.reaction, conditions(chain, q, rates, 1.3).f)
    total = np.zeros(6)
    for pull in pulls:
        J, _ = state.twists(pull.link, state.p[pull.link] + state.R[pull.link] @ pull.point)
        total += J.T @ np.concatenate([pull.force, pull.moment])
    expected = 0 * total if part.type in ("coupling", "joint") else held.joint_reaction
    assert total == pytest.approx(expected, abs=1e-11 * max(1.0, np.abs(expected).max()))


# ---------------------------------------------------------------- margins, exports, bad input


def test_margins_are_those_of_the_worst_section_with_its_factor():
    loads = np.zeros((3, 2, 6))
    loads[1, 0] = [10.0, 3.0, -4.0, 2.0, 0.0, 0.0]
    loads[2, 1] = [0.0, 0.0, 0.0, 0.0, 6.0, -8.0]
    still = np.zeros((3, 2, 3))
    allowed = {"axial": 30.0, "shear": 20.0, "bending": 12.0}
    line = LineLoads("x", np.arange(3.0), np.array([0.0, 1.0]), loads, still, still, still, {}, allowed, 1.5)
    assert line.margins() == pytest.approx({"axial": 1.0, "shear": 20 / 7.5 - 1, "bending": -0.2})
    assert (line.worst_row(), line.worst("bending").section) == (2, 1)
    table = diagram_columns([line])
    assert table["bending_z_Nm"].tolist() == [0.0, -8.0]
    assert table["axial_N.largest"].tolist() == [10.0, 0.0]


@pytest.mark.parametrize(
    ("structure", "message"),
    [
        ("{sections: {far: 2.5}}", r"3: bodies.arm.structure.sections.far: 2.5 m is beyond the end: the length is 2 m"),
        ("{allowable: {}}", r"3: bodies.arm.structure.allowable: is empty: give at least one of axial_N"),
        ("{factor_of_safety: 1.5}", r"3: bodies.arm.structure.factor_of_safety: there is no 'allowable'"),
        ("{allowable: {bending_Nm: -3}}", r"structure.allowable.bending_Nm"),
        ("{mass_along: uniform}", r"mass_along: the mass centre of such a link is half-way"),
        ("{mass_along: evenly}", r"structure.mass_along"),
        ("{gauge: 1.0}", r"structure.gauge: unknown key"),
    ],
)
def test_structure_that_cannot_be_is_refused_with_its_line(structure, message, tmp_path):
    file = tmp_path / "arm.yaml"
    body = "mass_kg: 1.0, joint: {type: revolute, axis: [0, 0, 1]}, end: {position_m: [2.0, 0, 0]}"
    file.write_text(f"bodies:\n  arm: {{{body},\n    structure: {structure}}}\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=message):
        read_chain(file)


def test_uniform_mass_needs_a_uniform_inertia():
    body = {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "end": {"position_m": [2.0, 0, 0]}, "mass_kg": 3.0}
    body |= {"center_of_mass_m": [1.0, 0, 0], "structure": {"mass_along": "uniform"}}
    with pytest.raises(ScenarioError, match=r"at least 1 kg m² across its axis; inertia_kg_m2 gives 0"):
        read_chain({"bodies": {"arm": body}})
    read_chain({"bodies": {"arm": body | {"inertia_kg_m2": [0.01, 1.0, 1.0]}}})
