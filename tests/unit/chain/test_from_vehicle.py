"""Chains from vehicles, and back: the same numbers, by every way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.chain import ChainModel, Dynamics, base_parameters, load_chain
from docksim.chain.build import build_chain
from docksim.chain.from_vehicle import NoChain, chain_of_vehicle
from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.writer import content_to_yaml
from tests.support.harness import solve

SHIPPED = sorted(Path("configs/chains").glob("*.yaml"))
ARRAYS = (
    "kind", "axis", "R_fix", "p_fix", "mass", "moment", "inertia", "home", "lower", "upper", "rotor", "stiffness",
    "rest", "damping", "friction", "passive",
)  # fmt: skip
TWO = {"type": "universal", "axis": [1.0, 0.0, 0.0], "axis_2": [0.0, 1.0, 0.0], "first": {"angle_deg": 20.0}}
ALONG = {
    "type": "cylindrical",
    "axis": [0.0, 0.0, 1.0],
    "position_m": [0.0, 0.0, 1.0],
    "translation": {"travel_m": 0.2},
}


def of_chain(file: Path) -> Scenario:
    tug = {"mass_kg": 300.0, "inertia_kg_m2": [40.0, 50.0, 60.0], "use_chain": str(file)}
    return load_scenario({"vehicles": {"tug": tug}, "solver": {"duration_s": 1.0, "step_s": 0.001}})


def by_kinds(**vehicle: Any) -> Scenario:
    """A crane: a body on crossed axes, one that turns and slides on it, a plate fixed to that, and a wheel."""
    body = {"mass_kg": 5.0, "center_of_mass_m": [0.1, 0.0, 0.4], "inertia_kg_m2": [0.5, 0.4, 0.3]}
    fixed = {"type": "fixed", "position_m": [0.3, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [30.0, 20.0, 10.0]}}
    place = {"child_position_m": [0.0, 0.1, 0.0], "child_attitude": {"yaw_pitch_roll_deg": [0.0, 40.0, 0.0]}}
    bodies = {
        "mast": {**body, "joint": {**TWO, **place}},
        "rod": {**body, "parent": "mast", "joint": ALONG},
        "plate": {**body, "parent": "rod", "joint": fixed, "ports": {"face": {"position_m": [0.2, 0.0, 0.0]}}},
        "dish": {**body, "parent": "mast", "joint": {"type": "revolute", "axis": [0.0, 0.0, 1.0], "angle_deg": 50.0}},
    }
    wheel = {"axis": [1.0, 0.0, 0.0], "spin_inertia_kg_m2": 0.1, "mass_kg": 2.0, "torque_limit_Nm": 1.0}
    crane = {"mass_kg": 90.0, "inertia_kg_m2": [9.0, 9.0, 9.0], "bodies": bodies, "wheels": {"wheel": wheel}, **vehicle}
    return load_scenario({"vehicles": {"crane": crane}, "solver": {"duration_s": 1.0, "step_s": 0.001}})


# ---------------------------------------------------------------- there and back


@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: path.stem)
def test_chain_to_vehicle_to_chain_gives_the_same_numbers(file: Path) -> None:
    there = load_chain(file)
    back = build_chain(chain_of_vehicle(of_chain(file), "tug").chain)
    # elements of elastic links have names of their own; branches may come in another order
    names = [name.replace("_beam_", ".").replace("_bend", ".bend") for name in back.names]
    names = [f"{n}.bend_z" if "." in n and "bend" not in n else n for n in names]
    order = [names.index(name) for name in there.names]
    reach = np.linalg.norm(there.p_fix, axis=1).sum()
    for key in ARRAYS:
        one, other = getattr(there, key).astype(float), getattr(back, key)[order].astype(float)
        finite = np.isfinite(one)
        assert np.array_equal(finite, np.isfinite(other)), key
        # to rounding, against the largest figure of its kind; inertias were moved along the links
        moved = {"moment": reach, "inertia": reach * reach}.get(key, 0.0) * there.mass.max()
        size = max(np.abs(one[finite]).max(initial=0.0), moved)
        assert np.abs(one[finite] - other[finite]).max(initial=0.0) <= 1e-15 * size, key
    q = np.random.default_rng(0).normal(size=there.n)
    A, B = (Dynamics(model).mass_matrix(x) for model, x in ((there, q), (back, q[np.argsort(order)])))
    assert np.abs(A - B[np.ix_(order, order)]).max() <= 1e-15 * np.abs(A).max()


def test_base_parameters_of_an_arm_are_those_of_its_file() -> None:
    file = Path("configs/chains/station_arm_7r.yaml")
    back = build_chain(chain_of_vehicle(of_chain(file), "tug").chain)
    assert len(base_parameters(back).columns) == len(base_parameters(load_chain(file)).columns)


def test_written_chain_is_the_one_found(tmp_path: Path) -> None:
    found = chain_of_vehicle(by_kinds(), "crane").chain
    file = tmp_path / "crane.yaml"
    file.write_text(content_to_yaml(found.model_dump(exclude_unset=True, exclude_none=True)))
    one, other = build_chain(found), load_chain(file)
    assert one.names == other.names
    assert all(np.array_equal(getattr(one, key), getattr(other, key)) for key in ARRAYS)


# ---------------------------------------------------------------- against the kernel


@pytest.mark.parametrize("floating", [False, True])
def test_chain_moves_as_the_vehicle_does(floating: bool) -> None:
    """Accelerations by the chain and by the kernel, with joints of two coordinates, turned places, fixed bodies."""
    scenario = by_kinds(anchored=not floating, wheels={})
    model = build_chain(chain_of_vehicle(scenario, "crane", floating=floating).chain)
    compiled = compile_scenario(scenario)
    rng = np.random.default_rng(3)
    rates, forces = rng.normal(size=5), 10.0 * rng.normal(size=5)
    compiled.state.beta[6:11] = rates
    prescribed = np.array([not floating] * 6 + [False] * 5)
    found, _ = solve(
        compiled, new_work(compiled.model, compiled.state), np.array([0.0] * 6 + [*forces]), prescribed, np.zeros(11)
    )
    # joints in the order of the vehicle: mast (2), rod (2) or dish, as the file has them
    links = [f"{joint.name.split('.')[1]}{'' if k == len(joint.coordinates) - 1 else '_' + joint.coordinates[k].name}"
             for joint in compiled.assembly.joints[1:] for k in range(len(joint.coordinates))]  # fmt: skip
    at = [model.names.index(link) for link in links]
    v, Q = np.zeros(model.n), np.zeros(model.n)
    v[at], Q[at] = rates, forces
    accelerations = Dynamics(model).forward(model.home, v, Q)
    assert np.allclose(accelerations[at], found[6:11], rtol=1e-11, atol=0.0)
    if floating:
        # slides x, y, z, then yaw, pitch, roll: at zero angles and rates their accelerations are those of the base
        roll = model.names.index("crane")
        assert np.allclose(accelerations[[0, 1, 2]], found[3:6], rtol=1e-11)
        assert np.allclose(accelerations[[roll, roll - 1, roll - 2]], found[:3], rtol=1e-11)


# ---------------------------------------------------------------- what is chosen


def test_way_to_a_port_holds_what_is_off_it() -> None:
    found = chain_of_vehicle(by_kinds(), "crane", tips=["plate.face"])
    model = build_chain(found.chain)
    assert model.names == ("mast_first", "mast", "rod_rotation", "rod")
    assert found.notes == ("held where they start: wheel, dish",)
    assert model.mass.tolist() == [0.0, 10.0, 0.0, 10.0]
    assert found.chain.bodies is not None
    assert np.allclose(model.p_end[-1], found.chain.bodies["rod"].frames["face"].position_m)


def test_chain_may_begin_at_any_body() -> None:
    found = chain_of_vehicle(by_kinds(), "crane", start="mast")
    assert found.chain.root is not None
    assert (found.chain.root.name, found.chain.root.mass_kg) == ("mast", 5.0)
    assert build_chain(found.chain).names == ("rod_rotation", "rod", "dish")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"vehicle": "cran"}, "no vehicle 'cran'; there is crane; did you mean 'crane'"),
        ({"start": "mas"}, "no body 'mas'"),
        ({"tips": ["plate.fac"]}, "no body or port 'plate.fac'"),
        ({"start": "rod", "tips": ["dish"]}, "'dish' does not hang on the body the chain begins with"),
        ({"start": "rod"}, "no joint that moves is on the way"),
        ({"tips": ["base"]}, "no joint that moves is on the way"),
    ],
)
def test_what_is_not_there_is_told(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(NoChain, match=message):
        chain_of_vehicle(by_kinds(), **{"vehicle": "crane", **choice})


def test_joints_that_no_chain_has_are_refused_by_name() -> None:
    ball = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": {"type": "spherical"}}
    scenario = by_kinds(bodies={"knob": ball})
    with pytest.raises(NoChain, match="joint 'knob' is spherical"):
        chain_of_vehicle(scenario, "crane")
    with pytest.raises(NoChain, match="'ring' stands on legs"):
        chain_of_vehicle(load_scenario("scenarios/soft_capture.yaml"), "chaser")


def sizes(model: ChainModel) -> tuple[int, int]:
    return model.n, int(model.passive.sum())


def test_beams_become_elements_without_drives() -> None:
    scenario = load_scenario("scenarios/berth_module_elastic.yaml")
    model = build_chain(chain_of_vehicle(scenario, "station", tips=["wrist_roll.grip"]).chain)
    # seven joints, and two bending hinges at each of three pieces of two booms
    assert sizes(model) == (19, 12)


def test_elastic_arm_weighs_what_the_rigid_one_does() -> None:
    """Mass matrices of both arms at random angles, the booms straight: one file says what the arm is."""
    scenarios = [load_scenario(Path("scenarios") / f"{name}.yaml") for name in ("berth_module", "berth_module_elastic")]
    rigid, elastic = (build_chain(chain_of_vehicle(s, "station", tips=["wrist_roll.grip"]).chain) for s in scenarios)
    assert elastic.mass.sum() == pytest.approx(rigid.mass.sum(), rel=1e-12)
    joints = [elastic.names.index(name) for name in rigid.names]
    rng = np.random.default_rng(1)
    for _ in range(3):
        q = rng.uniform(-2.0, 2.0, rigid.n)
        bent = np.zeros(elastic.n)
        bent[joints] = q
        one, other = Dynamics(rigid).mass_matrix(q), Dynamics(elastic).mass_matrix(bent)[np.ix_(joints, joints)]
        # tubes are slender and the ends' masses sit at points: 1 % of a boom's inertia
        assert np.abs(other - one).max() < 0.01 * np.abs(one).max()
