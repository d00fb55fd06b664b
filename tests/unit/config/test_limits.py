"""Every number of every kind of file has a largest and a least value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from docksim.config import ScenarioError, load_scenario
from docksim.config.schema.fields import Part
from docksim.config.schema.keys import find

SMALL: dict[str, Any] = {
    "vehicles": {"a": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}},
    "solver": {"duration_s": 1.0},
}


def kinds(of: type[Part] = Part) -> Iterator[type[Part]]:
    """Every mapping of the schema."""
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def numbers(schema: Any) -> Iterator[dict[str, Any]]:
    """Core schemas of all numbers, wherever they stand; a value of any kind is judged where it is put."""
    if isinstance(schema, dict) and schema.get("type") == "union" and {"type": "bool"} in schema["choices"]:
        return
    if isinstance(schema, dict) and schema.get("type") in ("float", "int"):
        yield schema
    inside = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, (list, tuple)) else ()
    for one in inside:
        yield from numbers(one)


@pytest.mark.parametrize("kind", sorted(set(kinds()), key=str), ids=lambda kind: kind.__name__)
def test_every_number_is_bounded_on_both_sides(kind: type[Part]) -> None:
    for number in numbers(kind.__pydantic_core_schema__):
        assert {"le", "lt"} & set(number), number
        assert {"ge", "gt"} & set(number), number


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("solver.duration_s", 1e20, "solver.duration_s: 1e+20 must be at most 1e+09"),
        ("solver.step_s", 1e-10, "solver.step_s: 1e-10 must be at least 1e-09"),
        ("outputs.every_s", 2e9, "outputs.every_s: 2000000000.0 must be at most 1e+09"),
        ("a.mass_kg", 1e16, "vehicles.a.mass_kg: 1e+16 must be at most 1e+15"),
        ("a.position_m", [0.0, -1e13, 0.0], "vehicles.a.position_m.1: -10000000000000.0 must be at least -1e+12"),
        ("environment", {"kind": "clohessy_wiltshire", "altitude_km": 1e10}, "environment.altitude_km: 10000000000.0"),
    ],
)
def test_number_beyond_all_proportion_is_refused_at_its_key(key: str, value: Any, told: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(SMALL, {key: value})
    assert len(caught.value.problems) == 1
    assert f": {told}" in str(caught.value)


def test_limits_are_explained() -> None:
    assert find("solver.duration_s")[0].bounds == "> 0 and <= 1e+09"
    assert find("vehicles.a.wheels.w.speed_rpm")[0].bounds == "within ±1e+15"
