"""Plain words mean what YAML 1.2 says, not what PyYAML makes of them."""

import math

import pytest

from docksim.config.scalars import resolve_scalar


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-7", -7),
        ("+7", 7),
        ("010", 10),
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("-1.5e+3", -1500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("0.1", 0.1),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        (".inf", math.inf),
        ("-.INF", -math.inf),
    ],
)
def test_word_has_its_value(text: str, value: object) -> None:
    resolved = resolve_scalar(text)
    assert resolved == value
    assert type(resolved) is type(value)


@pytest.mark.parametrize(
    "text",
    ["on", "off", "yes", "No", "y", "1_000", "0x10", "0o7", "1:30", "12 t", "1e", "e5", ".", "-", "1,5", "inf", "nan"]
    + ["2024-01-01", "١٢", "tRUE", "1.2.3", "--1", "1e5.0"],
)
def test_other_words_are_text(text: str) -> None:
    assert resolve_scalar(text) == text


def test_nan_is_a_number_so_that_the_schema_can_refuse_it() -> None:
    assert math.isnan(float(resolve_scalar(".nan") or 0))


def test_integer_beyond_all_measure_becomes_an_infinite_float() -> None:
    assert resolve_scalar("9" * 5000) == math.inf
