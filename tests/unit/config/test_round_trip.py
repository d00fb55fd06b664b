"""A scenario written out and loaded again is the same scenario, bit for bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docksim.config import Scenario, load_scenario
from docksim.config.loading.reading import odd_text
from tests.unit.config.texts import FULL, SMALL

ROOT = Path(__file__).resolve().parents[3]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))

# as far as the schema lets times go, and so all others
number = st.floats(-1e9, 1e9)
positive = st.floats(0.0, 1e9, exclude_min=True)
vector = st.lists(number, min_size=3, max_size=3)
LETTERS = st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t").filter(lambda c: not odd_text(c))
text = st.text(LETTERS, max_size=40)
name = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda word: word not in Scenario.model_fields and word not in ("energy", "momentum", "relative", "phase", "time_s")
)
attitude = st.one_of(
    st.just({}),
    st.builds(lambda v: {"rotation_vector_deg": v}, vector),
    st.builds(lambda v: {"yaw_pitch_roll_deg": v}, vector),
)
vehicle = st.fixed_dictionaries(
    {"mass_kg": positive, "inertia_kg_m2": positive.map(lambda x: [x, x, x])},
    optional={
        "source": text,
        "center_of_mass_m": vector,
        "position_m": vector,
        "attitude": attitude,
        "velocity_m_s": vector,
        "rate_deg_s": vector,
        "ports": st.dictionaries(
            name, st.fixed_dictionaries({}, optional={"position_m": vector, "attitude": attitude}), max_size=2
        ),
    },
).filter(lambda data: not {"base", "tip"} & set(data.get("ports", {})))
scenario = st.fixed_dictionaries(
    {"vehicles": st.dictionaries(name, vehicle, min_size=1, max_size=3), "solver": st.just({"duration_s": 1})},
    optional={
        "description": text,
        "seed": st.integers(0, 2**63 - 1),
        "events": st.dictionaries(
            name, st.fixed_dictionaries({"when": st.builds(lambda t: {"time_s": abs(t)}, number),
                                         "do": st.builds(lambda s: {"stop": s + "."}, text)}), max_size=2
        ),
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Scenario], Scenario]:
    """Writes a scenario out and loads it."""
    path = tmp_path_factory.mktemp("round") / "again.yaml"

    def again(first: Scenario) -> Scenario:
        path.write_text(first.to_yaml(), encoding="utf-8")
        return load_scenario(path)

    return again


def assert_same(one: Scenario, other: Scenario) -> None:
    assert one == other
    # equality would let -0.0 pass for 0.0, and another order of names
    assert repr(one) == repr(other)


@given(data=scenario)
@settings(max_examples=35, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_scenario_survives_being_written(data: dict[str, Any], again: Callable[[Scenario], Scenario]) -> None:
    first = load_scenario(data)
    assert_same(first, again(first))


@given(value=number)
@settings(max_examples=50, deadline=None)
def test_every_float_keeps_its_bits(value: float, again: Callable[[Scenario], Scenario]) -> None:
    data = {"vehicles": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1], "position_m": [value, -value, 0]}}}
    first = load_scenario({**data, "solver": {"duration_s": 1}})
    assert [x.hex() for x in again(first).vehicles["a"].position_m] == [value.hex(), (-value).hex(), "0x0.0p+0"]


@pytest.mark.parametrize(
    "words",
    [
        "1e-3",
        "on",
        "null",
        "~",
        "",
        "true",
        "12",
        "0x1F",
        ".5",
        "<<",
        "=",
        "'",
        '"',
        "\\",
        "\t",
        "\u2028",
    ]
    + [" spaced ", "a: b", "# no comment", "- x", "two\nlines\n", "é→𝕏", "x" * 300, "a  b " * 60],
)
def test_words_that_look_like_something_else_survive(words: str, again: Callable[[Scenario], Scenario]) -> None:
    data = {"vehicles": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}}, "solver": {"duration_s": 1}}
    first = load_scenario({**data, "description": words})
    assert again(first).description == words


@pytest.mark.parametrize("source", [FULL, SMALL])
def test_text_survives(source: str, load: Callable[..., Scenario], again: Callable[[Scenario], Scenario]) -> None:
    first = load(source)
    second = again(load_scenario(first, {"name": first.name}))
    assert_same(first, second)
    assert first.to_yaml() == second.to_yaml()


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_shipped_scenario_survives(path: Path, again: Callable[[Scenario], Scenario]) -> None:
    first = load_scenario(path)
    assert_same(first, again(first))


def test_defaults_are_written_out_and_empty_ones_left_out(load: Callable[..., Scenario]) -> None:
    lines = load(SMALL).to_yaml().splitlines()
    assert lines[:4] == ["name: s", 'description: ""', "seed: 0", "vehicles:"]
    assert "  integrator: rk4" in lines
    assert "  step_s: 0.001" in lines
    assert "    position_m: [0.0, 0.0, 0.0]" in lines
    assert not any("null" in line or "attitude_hold" in line for line in lines)


def test_type_of_a_joint_comes_first(load: Callable[..., Scenario]) -> None:
    lines = [line.strip() for line in load(FULL).to_yaml().splitlines()]
    joint = lines.index("joint:")
    assert lines[joint + 1 : joint + 3] == ["type: revolute", "axis: [0.0, 1.0, 0.0]"]


def test_name_is_that_of_the_file_made_safe(write: Callable[[str, str], Path]) -> None:
    assert load_scenario(write("my run (2).yaml", SMALL)).name == "my_run__2_"
    assert load_scenario(write("..yaml", SMALL)).name == "scenario"
    assert load_scenario(write("x.yaml", "name: own\n" + SMALL)).name == "own"


def test_scenario_from_a_dict_has_a_name() -> None:
    data = {"vehicles": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}}, "solver": {"duration_s": 1}}
    assert load_scenario(data).name == "scenario"
