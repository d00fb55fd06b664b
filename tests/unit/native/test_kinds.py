"""What may cross into compiled code, and what equal texts of kinds mean."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

from docksim.native.kinds import (
    BOOL,
    FLOAT,
    INT,
    Items,
    Mismatch,
    Number,
    Table,
    declared,
    floats,
    ints,
    kind_of,
    layout,
    reader,
    row,
    rows,
    vector,
)
from tests.tiny.functions import POINT, Pair


def words(kind: Any, value: Any) -> list[Any]:
    return list(kind.words(value))


def test_numbers_are_words_and_a_float_is_no_integer() -> None:
    assert words(Number(FLOAT), 2) == [2.0]
    assert words(Number(FLOAT), np.float64(1.5)) == [1.5]
    assert words(Number(INT), np.int32(3)) == [3]
    assert words(Number(BOOL), np.True_) == [1]
    for kind, value in ((Number(INT), 1.0), (Number(INT), np.float64(1.0)), (Number(BOOL), 1.0), (Number(FLOAT), "1")):
        with pytest.raises(Mismatch):
            words(kind, value)


def test_tuples_are_their_items_and_must_have_as_many() -> None:
    nested = Items((vector(2), Number(INT)))
    assert words(nested, ((1.0, 2), 3)) == [1.0, 2.0, 3]
    assert nested.codes == "ddq"
    with pytest.raises(Mismatch, match="3 items instead of 2"):
        words(nested, ((1.0, 2.0), 3, 4))


@pytest.mark.parametrize(
    "value",
    [
        np.zeros(3, np.float32),
        np.zeros(3, np.int64),
        np.zeros(3, ">f8"),
        np.zeros((3, 1)),
        np.zeros(6)[::2],
        np.frombuffer(bytes(33), np.uint8)[1:25].view(np.float64),
        [0.0, 0.0, 0.0],
        0.0,
        None,
    ],
    ids=["single", "integers", "byte order", "dimensions", "strides", "not aligned", "a list", "a number", "nothing"],
)
def test_array_must_have_entries_dimensions_and_order_as_declared(value: Any) -> None:
    with pytest.raises(Mismatch):
        words(floats(), value)


def test_array_is_its_address_and_shape() -> None:
    value = np.zeros((4, 5))
    assert words(floats(2), value) == [value.ctypes.data, 4, 5]
    assert words(ints(), np.zeros(0, np.int64))[1:] == [0]
    with pytest.raises(Mismatch, match="not contiguous"):
        words(floats(2), value.T)


def test_row_is_the_address_of_its_data_and_other_rows_are_refused() -> None:
    table = np.zeros(3, POINT).view(np.recarray)
    start = table.ctypes.data
    assert words(row(POINT), table[2]) == [start + 2 * POINT.itemsize]
    for value in (table, 1.0, np.zeros(1, [("x", "f8")])[0]):
        with pytest.raises(Mismatch):
            words(row(POINT), value)


def test_bundle_must_have_the_fields_and_arrays_that_were_declared() -> None:
    kind: Any = declared(Pair)
    points, grid = np.zeros(2, POINT), np.zeros((3, 4))
    assert kind.table_words(Pair(points, grid)).tolist() == [points.ctypes.data, 2, grid.ctypes.data, 3, 4]
    with pytest.raises(Mismatch, match=r"Pair\.grid: an array of float32"):
        kind.table_words(Pair(points, grid.astype(np.float32)))
    with pytest.raises(Mismatch, match="tuple instead of Pair"):
        kind.table_words((points, grid))
    with pytest.raises(Mismatch):
        words(kind, Pair(points, grid))


def test_array_of_a_bundle_must_be_declared() -> None:
    class Bare(NamedTuple):
        numbers: np.ndarray

    with pytest.raises(TypeError, match=r"Bare\.numbers: the array's type is not declared"):
        declared(Bare)


def test_kind_of_a_value_is_the_kind_that_is_declared_for_it() -> None:
    table, grid = np.zeros(2, POINT), np.zeros((3, 4))
    for value, sign in ((1, int), (1.0, float), (True, bool), ((1.0, 2.0), vector(2)), (table, rows(POINT)),
                        (table[0], row(POINT)), (grid, floats(2)), (Pair(table, grid), Pair)):  # fmt: skip
        assert kind_of(value) == declared(sign), value
    with pytest.raises(Mismatch, match="compiled code takes no str"):
        kind_of("text")


# ---------------------------------------------------------------- texts


def test_text_tells_names_types_shapes_and_offsets() -> None:
    base = [("a", "f8"), ("b", "i4"), ("c", "f8", (3,))]
    others = [
        [("a", "f8"), ("b", "i4"), ("c", "f8", (4,))],
        [("a", "f8"), ("b", "i8"), ("c", "f8", (3,))],
        [("a", "f8"), ("B", "i4"), ("c", "f8", (3,))],
        [("b", "i4"), ("a", "f8"), ("c", "f8", (3,))],
        [("a", "f8"), ("b", "i4"), ("c", "f8", (3,)), ("d", "f8")],
        [("a", ">f8"), ("b", "i4"), ("c", "f8", (3,))],
        [("a", "f8"), ("b", "u4"), ("c", "f8", (3,))],
        [("a", "f8"), ("b", "i4"), ("c", [("x", "f8")], (3,))],
    ]
    told: list[Any] = [base, *others]
    texts = [layout(np.dtype(base)), *(layout(np.dtype(own, align=True)) for own in told)]
    assert len(set(texts)) == len(told) + 1
    assert layout(np.dtype(base)) == layout(np.dtype(base).newbyteorder("="))


def test_text_of_a_bundle_tells_its_fields_and_their_order() -> None:
    class First(NamedTuple):
        a: Annotated[np.ndarray, np.float64]
        b: Annotated[np.ndarray, np.float64]

    class Swapped(NamedTuple):
        b: Annotated[np.ndarray, np.float64]
        a: Annotated[np.ndarray, np.float64]

    class Grown(NamedTuple):
        a: Annotated[np.ndarray, np.float64]
        b: Annotated[np.ndarray, np.float64]
        c: Annotated[np.ndarray, np.float64]

    class Flat(NamedTuple):
        a: Annotated[np.ndarray, np.float64]
        b: Annotated[np.ndarray, np.float64, 2]

    texts = {declared(own).text.partition("{")[2] for own in (First, Swapped, Grown, Flat)}
    assert len(texts) == 4


def test_kinds_with_the_same_text_are_equal() -> None:
    assert floats(2) == Table(np.dtype("f8"), 2)
    assert {floats(2), Table(np.dtype("f8"), 2), floats()} == {floats(2), floats()}


# ---------------------------------------------------------------- results


@pytest.mark.parametrize(
    ("text", "codes", "given", "value"),
    [
        ("none", "", [], None),
        ("f8", "d", [1.5], 1.5),
        ("i8", "q", [-3], -3),
        ("b1", "q", [1], True),
        ("()", "", [], ()),
        ("(f8)", "d", [1.5], (1.5,)),
        ("((f8,f8),(i8,b1),b1)", "ddqqq", [1.0, 2.0, 3, 0, 1], ((1.0, 2.0), (3, False), True)),
        ("((f8,(i8)),())", "dq", [1.0, 2], ((1.0, (2,)), ())),
    ],
)
def test_results_are_read_from_their_words(text: str, codes: str, given: list[Any], value: Any) -> None:
    letters, read = reader(text)
    assert letters == codes
    found = read(iter(given))
    assert found == value
    assert repr(found) == repr(value)
