"""Whatever comes in, either a Scenario or a ScenarioError comes out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docksim.config import Scenario, ScenarioError, load_scenario, parse_override
from docksim.config.schema.fields import Part
from tests.unit.config.texts import FULL

calm = settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# keys of the schema, so that random data get past the first level; vehicles and others need names
KEYS = sorted({key for part in Part.__subclasses__() for key in part.model_fields} | {"use", "a", "<x>", "0", ""})
scalar = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["base", "hold", "revolute"]),
)
data = st.recursive(
    scalar,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
        st.tuples(inner, inner),
    ),
    max_leaves=25,
)
LINES = FULL.splitlines()


def outcome(action: Callable[[], Any]) -> Any:
    """What an action gives, or the ScenarioError it ends with."""
    try:
        return action()
    except ScenarioError as error:
        return error


def loads_or_refuses(source: Any, overrides: Any = None) -> None:
    found = outcome(lambda: load_scenario(source, overrides))
    assert isinstance(found, (Scenario, ScenarioError))
    assert str(found)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "s.yaml"


@given(text=st.text(max_size=200))
@calm
def test_any_text(text: str, file: Path) -> None:
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    loads_or_refuses(file)


@given(content=st.binary(max_size=200))
@calm
def test_any_bytes(content: bytes, file: Path) -> None:
    file.write_bytes(content)
    loads_or_refuses(file)


@given(text=st.text(alphabet="ab:{}[],-&*!|>'\"%@`? \n\t#0.1<~", max_size=60))
@calm
def test_any_yaml_like_text(text: str, file: Path) -> None:
    file.write_text(text)
    loads_or_refuses(file)


@given(
    line=st.integers(0, len(LINES) - 1),
    column=st.integers(0, 40),
    piece=st.text(alphabet=":{}[],-&*!'\" \n#0.e9xyz~", max_size=6),
    removed=st.integers(0, 12),
)
@calm
def test_damaged_scenario(line: int, column: int, piece: str, removed: int, file: Path) -> None:
    target = LINES[line]
    damaged = target[:column] + piece + target[column + removed :]
    file.write_text("\n".join([*LINES[:line], damaged, *LINES[line + 1 :]]))
    loads_or_refuses(file)


@given(content=data)
@calm
def test_any_data(content: Any) -> None:
    loads_or_refuses(content)


@given(content=data, key=st.sampled_from([*Scenario.model_fields, "vehicles.a", "vehicles.a.bodies.a", "events.a"]))
@calm
def test_any_data_in_any_place(content: Any, key: str) -> None:
    nested = content
    for part in reversed(key.split(".")):
        nested = {part: nested}
    base = {"vehicles": {"a": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}}, "solver": {"duration_s": 1.0}}
    loads_or_refuses(base | nested)


@given(
    path=st.lists(st.sampled_from([*KEYS, "chaser", "panel", "capture", "1", "7"]), min_size=1, max_size=6).map(
        ".".join
    ),
    value=data,
)
@calm
def test_any_override(path: str, value: Any, file: Path) -> None:
    file.write_text(FULL)
    loads_or_refuses(file, {path: value})


@given(text=st.text(max_size=60))
@calm
def test_any_assignment(text: str) -> None:
    found = outcome(lambda: parse_override(text))
    assert str(found).startswith("--set: ") if isinstance(found, ScenarioError) else found[0]


def test_data_that_contain_themselves_are_refused() -> None:
    circle: dict[str, Any] = {}
    circle["vehicles"] = circle
    circle["events"] = [circle]
    loads_or_refuses(circle)
