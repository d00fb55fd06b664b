"""What closures that cannot be are answered with: place, value, and what to write instead."""

from collections.abc import Callable
from pathlib import Path

import pytest

from docksim.config import load_scenario
from docksim.config.schema.closures import Closure

Faults = Callable[..., list[str]]
ROOT = Path(__file__).resolve().parents[3]
TEXT = """\
vehicles:
  carrier:
    mass_kg: 100
    inertia_kg_m2: [10, 10, 10]
    ports: {nose: {position_m: [1, 0, 0]}}
    bodies:
      arm: {mass_kg: 5, inertia_kg_m2: [1, 1, 1], joint: {type: revolute, axis: [0, 0, 1]}}
  load: {mass_kg: 20, inertia_kg_m2: [1, 1, 1], position_m: [2, 0, 0]}
solver: {duration_s: 1}
closures:
  grip:
    kind: hinge
    between: [carrier.arm, load]
    axis: [0, 0, 1]
    on: false
events:
  take: {when: {time_s: 0.5}, do: {close: grip}}
"""

ENDS = "between: [carrier.arm, load]"
HINGE = f"kind: hinge\n    {ENDS}\n    axis: [0, 0, 1]"
BAD = [
    (ENDS, "between: [carrier.arn, load]", 13, "closures.grip.between.0: no vehicle, body or port 'carrier.arn'"),
    (ENDS, "between: [carrier, carrier.nose]", 13, "closures.grip.between: carrier and carrier.nose are on the same"),
    (
        "axis: [0, 0, 1]\n    on",
        "axis: [0, 0, 1]\n    length_m: 5\n    on",
        15,
        "closures.grip.length_m: means nothing",
    ),
    (
        "kind: hinge",
        "kind: ball",
        14,
        "closures.grip.axis: means nothing to a ball; it belongs to hinge, point_on_line",
    ),
    (HINGE, f"kind: planar\n    {ENDS}", 11, "closures.grip.axis: missing; a planar needs one"),
    (HINGE, f"kind: bushing\n    {ENDS}", 11, "closures.grip.stiffness_N_m: missing; a bushing needs a stiffness"),
    ("do: {close: grip}", "do: {open: grap}", 17, "events.take.do.open: no closure 'grap'"),
    ("when: {time_s: 0.5}", "when: {load_on: grip}", 17, "events.take.when"),
]


@pytest.mark.parametrize(("old", "new", "line", "expected"), BAD)
def test_bad_closure_is_told_with_its_place(faults: Faults, old: str, new: str, line: int, expected: str) -> None:
    assert TEXT.count(old) == 1
    found = faults(TEXT.replace(old, new))
    assert found[0].startswith(f"s.yaml:{line}: {expected}"), found


def test_closure_beside_a_mechanism_without_a_base_is_refused(faults: Faults) -> None:
    text = TEXT.replace(
        "    bodies:\n", "    mechanism: {use: configs/mechanisms/nds_like.yaml, inertial_base: true}\n    bodies:\n"
    )
    found = faults(text)
    assert any("vehicles.carrier.mechanism.inertial_base: its ring does not act on its base" in one for one in found), (
        found
    )


@pytest.mark.parametrize("on", ["true", "false"])
def test_key_on_is_a_key_and_every_kind_is_written_out_and_read_again(tmp_path: Path, on: str) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(TEXT.replace("on: false", f"on: {on}"))
    scenario = load_scenario(file)
    assert scenario.closures["grip"].on is (on == "true")
    again = tmp_path / "again.yaml"
    again.write_text(scenario.to_yaml())
    assert load_scenario(again) == scenario
    rod = {"kind": "rod", "between": ("a", "b"), "length_m": 2.0, "other_point_m": (1.0, 0.0, 0.0)}
    bushing = {"kind": "bushing", "between": ("a", "b"), "stiffness_N_m": 5.0}
    for keys in (rod, bushing):
        closure = Closure.model_validate(keys)
        assert Closure.model_validate(closure.model_dump()) == closure
