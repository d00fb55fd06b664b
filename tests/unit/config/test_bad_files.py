"""Files and texts that are no scenario at all, and YAML that is too clever."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.files import LARGEST_FILE
from tests.unit.config.texts import SMALL

Faults = Callable[..., list[str]]
Write = Callable[[str, str], Path]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "s.yaml: file is empty; a mapping of keys is expected"),
        ("# only a comment\n", "s.yaml: file is empty; a mapping of keys is expected"),
        ("- a\n- b\n", "s.yaml:1: expected a mapping of keys at the top, got a list"),
        ("just words", "s.yaml:1: expected a mapping of keys at the top, got 'just words'"),
        ("a: 1\n\tb: 2\n", "s.yaml:2: YAML syntax: a tab where only spaces may stand; indent with spaces"),
        ("a: 1\nb: [1, 2\n", "s.yaml:2: YAML syntax: the bracket [ is not closed"),
        ("a: 1\nb: 'x, y\nc: 2\nd: it's\n", "s.yaml:2: YAML syntax: the quote ' is not closed"),
        ('a: 1\nb: {x: "y, z: 1}\nc: 2\n', 's.yaml:2: YAML syntax: the quote " is not closed'),
        ("a: 1\nb:\n  - [1, 2]\n  - [3, 4\n  - [5, 6]\nc: 2\n", "s.yaml:4: YAML syntax: the bracket [ is not closed"),
        ("," * 1_000_000, "s.yaml:1: expands to more than 200000 values"),
        ("- 0\n" * 480_000, "s.yaml:200001: expands to more than 200000 values"),
        ("a: 1\nb: c: d\n", "s.yaml:2: YAML syntax: mapping values are not allowed here; text with ': ' in it needs"),
        ("a: 1\n---\nb: 2\n", "s.yaml:2: YAML syntax: a second document starts here"),
        ("a: 1\nb: !!python/object:os.system x\n", "s.yaml:2: YAML syntax: tags such as 'tag:yaml.org,2002:python/ob"),
        ("a: !x {}\n", "s.yaml:1: YAML syntax: tags such as '!x' are not supported"),
        ("a: 1\nb: \x07\n", "s.yaml:2: character U+0007 is not allowed in YAML text"),
        ("a: *nobody\n", "s.yaml:1: YAML syntax: found undefined alias 'nobody'"),
        ('a: 1\nb: "\\U99999999"\n', "s.yaml:2: not valid YAML"),
        ("a: 1\nb: " + "[" * 3000, "s.yaml:2: nested more than 40 levels deep"),
    ],
)
def test_text_that_cannot_be_read_has_one_clear_problem(faults: Faults, text: str, expected: str) -> None:
    (found,) = faults(text)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("addition", "expected"),
    [
        ("seed: 1\nseed: 2\n", "s.yaml:7: seed: duplicate key; first given in line 6: keep one of them"),
        ("outputs:\n  every_s: 1\n  every_s: 1\n", "s.yaml:8: outputs.every_s: duplicate key; first given in line 7"),
        ("<<: {seed: 1}\n", "s.yaml:6: merge keys '<<' are not supported; put the shared keys in a file and pull it"),
        ("? [a, b]\n: 1\n", "s.yaml:6: a key must be a plain word"),
        ("events: &e\n  e: *e\n", "s.yaml:6: events.e: an alias that contains itself"),
        ("events: " + "{e: " * 50 + "}" * 50 + "\n", "s.yaml:6: events.e.e: nested more than 40 levels deep"),
        ('description: "\\ud800"\n', "s.yaml:6: description: text with characters that do not exist in Unicode"),
        ('description: "\\e]0;x\\a"\n', "s.yaml:6: description: text with the control character U+001B"),
        ('description: "a\\u202eb"\n', "s.yaml:6: description: text with the control character U+202E"),
        ('"\\e[31m": 1\n', "s.yaml:6: a key must be a plain word"),
        ("use: []\n", "s.yaml:6: use: an empty list"),
    ],
)
def test_odd_yaml_is_refused_where_it_stands(faults: Faults, addition: str, expected: str) -> None:
    found = faults(SMALL + addition)
    assert any(line.startswith(expected) for line in found), found


def test_duplicate_key_is_reported_together_with_other_faults(faults: Faults) -> None:
    found = faults(SMALL.replace("mass_kg: 100", "mass_kg: on\n    mass_kg: 3"))
    assert [line.split(": ", 2)[2][:9] for line in found] == ["'on' is t", "duplicate"]


def test_aliases_are_allowed(load: Callable[..., object]) -> None:
    text = SMALL.replace("100", "&m 100").replace("solver", "  twin: {mass_kg: *m, inertia_kg_m2: [1, 1, 1]}\nsolver")
    scenario = load(text)
    assert scenario.vehicles["twin"].mass_kg == 100.0


def test_aliases_cannot_multiply_without_end(faults: Faults) -> None:
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for previous, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{previous}'] * 10)}]")
    (found,) = faults("\n".join(lines))
    assert "expands to more than 200000 values" in found


def problem(source: object) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(source)
    return str(caught.value)


def test_missing_file_suggests_one_with_a_similar_name(write: Write) -> None:
    write("tumbling.yaml", SMALL)
    assert problem("tumblin.yaml") == "tumblin.yaml: file not found; did you mean 'tumbling.yaml'?"
    assert problem(Path("elsewhere/x.yaml")) == f"elsewhere{os.sep}x.yaml: file not found"


def test_folder_is_not_a_scenario(write: Write) -> None:
    write("scenarios/one.yaml", SMALL)
    assert problem("scenarios") == "scenarios: is a folder; give a scenario file in it, such as one.yaml"


def test_bytes_that_are_not_utf8_are_located(write: Write) -> None:
    write("s.yaml", "").write_bytes(b"a: 1\nb: caf\xe9\n")
    assert problem("s.yaml") == "s.yaml:2: is not UTF-8 text (byte 0xe9); save the file as UTF-8"


def test_byte_order_mark_is_harmless(write: Write) -> None:
    write("s.yaml", "").write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert load_scenario("s.yaml").vehicles["chaser"].mass_kg == 100.0


def test_file_beyond_the_size_limit_is_not_read(write: Write) -> None:
    write("s.yaml", "#" * (LARGEST_FILE + 1))
    assert problem("s.yaml").startswith(f"s.yaml: has {LARGEST_FILE + 1} bytes; scenario files may have")


def test_special_file_is_not_read(write: Write) -> None:
    write("x.yaml", "")
    os.mkfifo("pipe.yaml")
    assert problem("pipe.yaml") == "pipe.yaml: is not a regular file"


@pytest.mark.parametrize("name", ["a" * 5000, "nul\0.yaml", ""])
def test_impossible_file_name_is_a_scenario_error(write: Write, name: str) -> None:
    write("x.yaml", "")
    assert ": " in problem(name)


@pytest.mark.parametrize("source", [None, 5, [1, 2], [("a", 1)], object(), b"s.yaml"])
def test_source_that_is_no_mapping_is_a_scenario_error(source: object) -> None:
    assert "<dict>" in problem(source)


def test_flood_of_faults_is_cut_and_counted_and_long_keys_are_too(faults: Faults) -> None:
    found = faults(SMALL + "".join(f"key_{i}: 1\n" for i in range(5000)))
    assert len(found) == 21
    assert found[-1] == "... and 4980 more faults"
    (found,) = faults(SMALL + "k" * 1000 + ": 1\n")
    assert len(found) < 500
