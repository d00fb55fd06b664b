"""Prints, as JSON, hashes of the tables that docksim makes, and of what libm, numpy and BLAS answer in this process.

A program of its own: the libraries choose their code once, when they are loaded, as the environment says.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from docksim.algebra import dense, elementary, rotations, splines
from docksim.berthing import plan_berthing
from docksim.chain.build import load_chain
from docksim.compiler import compile_scenario
from docksim.compiler.interface_shapes import InterfaceShape, contact_tables, shape_of
from docksim.compiler.mechanism_tables import leg_blocks, leg_table, place_in_blocks, ring_table
from docksim.config import load_scenario
from docksim.config.loading.berthing import load_berthing
from docksim.config.loading.scenario import load_interface, load_mechanism
from docksim.config.loading.study import load_study
from docksim.config.schema.fields import Attitude
from docksim.config.schema.leg_geometry import driven_at
from docksim.config.schema.legs import RingPose
from docksim.study.plan import Plan
from docksim.study.subset import _noise
from tests.support.shapes import interface_shape, petal_shape

ROOT = Path(__file__).resolve().parents[2]
ODD = 10  # scenarios of random angles


def digest(parts: Iterable[Any]) -> str:
    """Of arrays by their bytes, of everything else by its text, which for floats is exact."""
    found = hashlib.sha256()
    for part in parts:
        found.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return found.hexdigest()[:16]


def tables(scenario: Any) -> list[Any]:
    """All tables of a scenario, with their names."""
    compiled = compile_scenario(scenario)
    return [part for bundle in (compiled.model, compiled.state) for item in bundle._asdict().items() for part in item]


def files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).glob("*.yaml"))


# ---------------------------------------------------------------- what the libraries answer


def libraries() -> dict[str, str]:
    rng = random.Random(1)
    x = [rng.uniform(-10.0, 10.0) for _ in range(20000)]
    array = np.array(x)
    square = array[:900].reshape(30, 30)
    return {
        "libm": digest([[math.sin(a), math.exp(a), math.atan(a)] for a in x]),
        "numpy": digest([np.exp(array), np.tan(array), np.sin(array)]),
        "blas": digest([square @ square, array.dot(array), np.linalg.inv(square)]),
    }


# ---------------------------------------------------------------- what docksim makes


def odd_scenario(rng: random.Random) -> dict[str, Any]:
    """Everything that is turned, by angles that nobody would choose, so that many a last bit has its chance."""

    def numbers(count: int, size: float) -> list[float]:
        return [rng.uniform(-size, size) for _ in range(count)]

    def attitude() -> dict[str, Any]:
        return {rng.choice(("yaw_pitch_roll_deg", "rotation_vector_deg")): numbers(3, 179.0)}

    times = [0.0, *sorted(rng.uniform(0.1, 9.0) for _ in range(12))]
    drive = {"kind": "table", "time_s": times, "displacement_deg": [0.0, *numbers(12, 40.0)]}
    wheel = {"spin_inertia_kg_m2": 0.1, "mass_kg": 5.0, "torque_limit_Nm": 1.0}
    body = {"mass_kg": 10.0, "inertia_kg_m2": [1.0, 1.1, 1.2], "center_of_mass_m": numbers(3, 1.0)}
    turning = {"type": "revolute", "position_m": numbers(3, 2.0), "attitude": attitude(), "axis": numbers(3, 1.0)}
    vehicle = {
        "mass_kg": 500.0,
        "inertia_kg_m2": [100.0, 110.0, 120.0],
        "attitude": attitude(),
        "wheels": {f"wheel_{k}": {**wheel, "axis": numbers(3, 1.0)} for k in range(rng.randrange(3, 7))},
        "attitude_hold": {"stiffness_Nm_rad": 3.0, "damping_Nms_rad": 9.0, "torque_limit_Nm": 1.0, "sample_s": 0.1,
                          "actuator": "wheels"},
        "bodies": {
            "arm": {**body, "joint": turning},
            "box": {**body, "parent": "boom.tip", "joint": {"type": "fixed", "attitude": attitude()}},
        },
        "beams": {"boom": {"length_m": rng.uniform(1.0, 9.0), "mass_kg": rng.uniform(1.0, 20.0), "EI_y_Nm2": 2e4,
                           "EI_z_Nm2": 3e4, "GJ_Nm2": 1e4, "segments": 3, "tip_mass_kg": rng.uniform(0.0, 9.0),
                           "width_m": rng.uniform(0.01, 0.3), "attitude": attitude(), "position_m": numbers(3, 1.0)}},
        "thrusters": {"jet": {"body": "boom.tip", "direction": numbers(3, 1.0), "force_N": 3.0}},
        "loads": {"push": {"body": "arm", "force_N": numbers(3, 1.0), "torque_Nm": numbers(3, 1.0)}},
    }  # fmt: skip
    return {
        "environment": {"kind": "clohessy_wiltshire", "altitude_km": rng.uniform(200.0, 900.0)},
        "vehicles": {"hub": vehicle},
        "events": {"go": {"when": {"time_s": 1.0}, "do": {"drive": {"joint": "hub.arm", "profile": drive}}}},
        "solver": {"duration_s": 10.0, "step_s": 0.01},
    }


def odd_attitudes(rng: random.Random) -> Iterable[Any]:
    for _ in range(3000):
        key = rng.choice(("yaw_pitch_roll_deg", "rotation_vector_deg"))
        yield Attitude.model_validate({key: [rng.uniform(-400.0, 400.0) for _ in range(3)]}).quaternion_wxyz()


def odd_interface(rng: random.Random) -> InterfaceShape:
    cant, half_angle = math.radians(rng.uniform(30.0, 60.0)), math.radians(rng.uniform(20.0, 30.0))
    return interface_shape(petal=petal_shape(half_angle=half_angle, cant=cant), first_azimuth=rng.uniform(-3.0, 3.0))


def algebra(rng: random.Random) -> Iterable[Any]:
    x = [rng.uniform(-10.0, 10.0) for _ in range(4000)] + [
        math.ldexp(rng.uniform(1.0, 2.0), rng.randrange(-1000, 1000)) for _ in range(1000)
    ]
    for f in (elementary.sin, elementary.cos, elementary.tan, elementary.atan, elementary.exp, elementary.log1p):
        yield [f(a) for a in x if a > -1.0 or f is not elementary.log1p]
    yield [(elementary.atan2(a, b), elementary.hypot(a, b)) for a, b in zip(x, reversed(x), strict=True)]
    yield [(elementary.asin(0.1 * a), elementary.acos(0.1 * a), elementary.log(10.0 + a)) for a in x[:4000]]
    values = np.array(x[:3600])
    square = values[:36].reshape(6, 6)
    yield dense.product(square, square)
    yield dense.solve(square, values[:6])
    yield dense.cholesky(dense.product(square, square.T))
    yield dense.pseudo_inverse(values[:12].reshape(3, 4))
    yield rotations.rotation_vectors(values.reshape(400, 3, 3))
    yield rotations.roll_pitch_yaw(values.reshape(400, 3, 3))
    yield splines.clamped_spline(list(range(50)), x[:50])


def mechanism(path: Path, rng: random.Random) -> list[Any]:
    """Its tables, and its strokes and cranks at odd poses of the ring."""
    found = load_mechanism(path)
    legs = leg_table(found.six_legs())
    place_in_blocks(legs, 0)
    driven = []
    for _ in range(ODD):
        turns = [rng.uniform(-3.0, 3.0) for _ in range(3)]
        pose = RingPose(position_m=found.reference.position_m, attitude={"yaw_pitch_roll_deg": turns})
        driven.append([driven_at(leg, pose) for leg in found.six_legs()])
    return [legs, leg_blocks(legs), ring_table(found), driven]


def made() -> dict[str, str]:
    rng = random.Random(2)
    found = {path.stem: digest(tables(load_scenario(path))) for path in files("scenarios")}
    found |= {f"mechanism {path.stem}": digest(mechanism(path, rng)) for path in files("configs/mechanisms")}
    for path in files("configs/interfaces"):
        found[f"interface {path.stem}"] = digest(contact_tables([shape_of(load_interface(path))]))
    for path in files("configs/chains"):
        chain = load_chain(path)
        found[f"chain {path.stem}"] = digest([*vars(chain).values(), *chain.world_pose(0.1 + chain.home)])
    for path in files("studies"):
        plan = Plan(load_study(path))
        found[f"study {path.stem}"] = digest(plan.values(1))
        found[f"case of {path.stem}"] = digest(tables(plan.scenario(1)))
    for k in range(ODD):
        found[f"odd {k}"] = digest(tables(load_scenario(odd_scenario(rng))))
    found["interfaces"] = digest(contact_tables([odd_interface(rng) for _ in range(ODD)]))
    found["attitudes"] = digest(odd_attitudes(rng))
    found["berthing"] = digest([plan_berthing(*load_berthing(ROOT / "configs/berthing/module_plan.yaml")).content()])
    found["normal"] = digest([_noise([1, 2], (4000,))])
    found["algebra"] = digest(algebra(rng))
    return found


def found() -> dict[str, dict[str, str]]:
    return {"libraries": libraries(), "made": made()}


if __name__ == "__main__":
    print(json.dumps(found()))
