"""Kinds of arguments that cross into compiled code, and values as the words that it reads.

Compiled code takes one list of eight-byte words: a number is a word, a tuple is its items, an array is the address of
its data and its shape, a row of a table is an address, and a bundle (a NamedTuple of arrays, such as Model) is the
address of the words of its arrays. A kind knows how its values are packed, and its text tells the whole layout, names
and offsets of fields included: equal texts mean equal code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np

FLOAT, INT, BOOL = "f8", "i8", "b1"


class Mismatch(TypeError):
    """A value is not of the kind that the code was made for."""


class Kind:
    """What a value must be. `codes` are its words in the letters of `struct`."""

    text: str
    codes: str

    def words(self, value: Any) -> Iterator[Any]:
        """The words of a value, or a Mismatch."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


class Number(Kind):
    """A float, an integer or a truth value."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.codes = "d" if text == FLOAT else "q"

    def words(self, value: Any) -> Iterator[Any]:
        if not isinstance(value, (float, int, np.number, np.bool_)):
            raise Mismatch(f"{type(value).__name__} instead of a number")
        if self.text == FLOAT:
            yield float(value)
        elif isinstance(value, (float, np.floating)):
            raise Mismatch("a float instead of an integer")
        else:
            yield int(value)


class Items(Kind):
    """A tuple, item by item."""

    def __init__(self, items: tuple[Kind, ...]) -> None:
        self.items = items
        self.text = f"({','.join(item.text for item in items)})"
        self.codes = "".join(item.codes for item in items)

    def words(self, value: Any) -> Iterator[Any]:
        if len(value) != len(self.items):
            raise Mismatch(f"{len(value)} items instead of {len(self.items)}")
        for item, own in zip(self.items, value):
            yield from item.words(own)


class Row(Kind):
    """One row of a table, which compiled code may write to."""

    codes = "q"

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.text = f"row {layout(dtype)}"

    def words(self, value: Any) -> Iterator[Any]:
        if not isinstance(value, np.void) or layout(value.dtype) != layout(self.dtype):
            raise Mismatch(f"{type(value).__name__} instead of a row")
        yield np.frombuffer(value, np.uint8).ctypes.data


class Table(Kind):
    """An array, contiguous row by row."""

    def __init__(self, dtype: np.dtype, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        self.text = f"array{ndim} {layout(dtype)}"
        self.codes = "q" * (1 + ndim)

    def words(self, value: Any) -> Iterator[int]:
        if not isinstance(value, np.ndarray) or value.ndim != self.ndim:
            raise Mismatch(f"{type(value).__name__} instead of an array of {self.ndim} dimensions")
        if value.dtype is not self.dtype and layout(value.dtype) != layout(self.dtype):
            raise Mismatch(f"an array of {value.dtype} instead of {self.dtype}")
        if not (value.flags.c_contiguous and value.flags.aligned):
            raise Mismatch("an array that is not contiguous")
        yield value.ctypes.data
        yield from value.shape


class Bundle(Kind):
    """A NamedTuple of arrays, handed over as one address."""

    codes = "q"

    def __init__(self, name: str, fields: tuple[tuple[str, Table], ...]) -> None:
        self.name, self.fields = name, fields
        self.text = f"{name}{{{'; '.join(f'{field}: {kind.text}' for field, kind in fields)}}}"

    def words(self, value: Any) -> Iterator[Any]:
        raise Mismatch("a bundle has an address only where its words are kept")

    def table_words(self, value: Any) -> np.ndarray:
        """Addresses and shapes of all arrays, which must stay where they are while these words are used."""
        if getattr(value, "_fields", None) != tuple(field for field, _ in self.fields):
            raise Mismatch(f"{type(value).__name__} instead of {self.name}")
        words: list[int] = []
        for (field, kind), array in zip(self.fields, value):
            try:
                words += kind.words(array)
            except Mismatch as error:
                raise Mismatch(f"{self.name}.{field}: {error}") from None
        return np.array(words, np.int64)


@cache
def layout(dtype: np.dtype) -> str:
    """A type of array entries to the byte: fields with their types, shapes and offsets."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{layout(base)}{list(shape)}"
    if dtype.names is None:
        return f"{dtype.byteorder if dtype.byteorder == '>' else ''}{dtype.kind}{dtype.itemsize}"
    assert dtype.fields is not None
    fields = ((name, *dtype.fields[name][:2]) for name in dtype.names)
    return f"<{' '.join(f'{name}:{layout(own)}@{offset}' for name, own, offset in fields)} {dtype.itemsize}>"


def kind_of(value: Any) -> Kind:
    """The kind of a value."""
    if isinstance(value, (bool, np.bool_)):
        return Number(BOOL)
    if isinstance(value, (int, np.integer)):
        return Number(INT)
    if isinstance(value, (float, np.floating)):
        return Number(FLOAT)
    if isinstance(value, np.void):
        return Row(value.dtype)
    if isinstance(value, np.ndarray):
        return Table(value.dtype, value.ndim)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        fields = ((name, kind_of(own)) for name, own in zip(value._fields, value))
        return Bundle(type(value).__name__, tuple((name, kind) for name, kind in fields if isinstance(kind, Table)))
    if isinstance(value, tuple):
        return Items(tuple(kind_of(own) for own in value))
    raise Mismatch(f"compiled code takes no {type(value).__name__}")


# ---------------------------------------------------------------- declarations


def declared(sign: Any) -> Kind:
    """The kind that a declaration means: float, int, bool, a kind, or a NamedTuple class of annotated arrays."""
    if isinstance(sign, Kind):
        return sign
    if sign in (float, int, bool):
        return Number({float: FLOAT, int: INT, bool: BOOL}[sign])
    hints = get_type_hints(sign, include_extras=True)
    return Bundle(sign.__name__, tuple((name, _annotated(f"{sign.__name__}.{name}", hints[name])) for name in hints))


def _annotated(name: str, hint: Any) -> Table:
    """Annotated[np.ndarray, DTYPE] or Annotated[np.ndarray, DTYPE, ndim]."""
    if get_origin(hint) is not Annotated:
        raise TypeError(f"{name}: the array's type is not declared")
    _, dtype, *rest = get_args(hint)
    return Table(np.dtype(dtype), rest[0] if rest else 1)


def vector(n: int) -> Kind:
    """A tuple of n floats."""
    return Items((Number(FLOAT),) * n)


def row(dtype: np.dtype) -> Kind:
    return Row(dtype)


def rows(dtype: np.dtype) -> Kind:
    return Table(dtype, 1)


def floats(ndim: int = 1) -> Kind:
    return Table(np.dtype(np.float64), ndim)


def ints(ndim: int = 1) -> Kind:
    return Table(np.dtype(np.int64), ndim)


# ---------------------------------------------------------------- results


def reader(text: str) -> tuple[str, Callable[[Iterator[Any]], Any]]:
    """How a result of this kind is read from its words: their letters, and a function of an iterator over them."""
    if text == "none":
        return "", lambda words: None
    if text == BOOL:
        return "q", lambda words: bool(next(words))
    if text in (FLOAT, INT):
        return ("d" if text == FLOAT else "q"), next
    parts = [reader(part) for part in _split(text[1:-1])]
    return "".join(code for code, _ in parts), lambda words: tuple(read(words) for _, read in parts)


def _split(text: str) -> list[str]:
    """The items of a tuple's text."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [*parts, part] if part else parts
