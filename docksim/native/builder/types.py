"""Kinds of arguments as numba's types. A bundle is one address; its arrays are read where they are used."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic
from numba.np.numpy_support import from_dtype

from docksim.native import kinds

WORD = ir.IntType(64)
NUMBERS = {kinds.FLOAT: types.float64, kinds.INT: types.int64, kinds.BOOL: types.boolean}


class BundleType(types.Type):
    """A NamedTuple of arrays behind one address: of each array its data, then its shape."""

    def __init__(self, kind: kinds.Bundle) -> None:
        self.fields = {name: numba_type(own) for name, own in kind.fields}
        self.places: dict[str, int] = {}
        place = 0
        for name, own in kind.fields:
            self.places[name] = place
            place += 1 + own.ndim
        super().__init__(f"{kind.name}.{hashlib.sha256(kind.text.encode()).hexdigest()[:16]}")


@register_default(BundleType)
class BundleModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: BundleType) -> None:
        super().__init__(manager, kind, ir.IntType(8).as_pointer())


@infer_getattr
class BundleAttributes(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, kind: BundleType, attribute: str) -> Any:
        return kind.fields.get(attribute)


@lower_getattr_generic(BundleType)
def _array_of_bundle(context: Any, builder: Any, kind: BundleType, value: Any, attribute: str) -> Any:
    base = builder.bitcast(value, WORD.as_pointer())
    return array_at(context, builder, kind.fields[attribute], base, kind.places[attribute])


def array_at(context: Any, builder: Any, kind: Any, base: Any, place: int) -> Any:
    """The contiguous array whose address and shape are words from `place` on. They stay so during a call."""
    constant = builder.module.add_metadata([])

    def word(i: int) -> Any:
        loaded = builder.load(builder.gep(base, [ir.Constant(WORD, place + i)], inbounds=True), align=8)
        loaded.set_metadata("invariant.load", constant)
        return loaded

    array = context.make_array(kind)(context, builder)
    size = ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    shape = [word(1 + i) for i in range(kind.ndim)]
    strides = [size]
    for n in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], n, flags=["nsw"]))
    items = shape[0]
    for n in shape[1:]:
        items = builder.mul(items, n, flags=["nsw"])
    context.populate_array(
        array,
        data=builder.inttoptr(word(0), array.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=size,
        meminfo=None,
        parent=None,
    )
    return array._getvalue()


@cache
def numba_type(kind: kinds.Kind) -> Any:
    """The type of a kind's values in compiled code."""
    match kind:
        case kinds.Number():
            return NUMBERS[kind.text]
        case kinds.Items():
            return types.BaseTuple.from_types(tuple(numba_type(item) for item in kind.items))
        case kinds.Row():
            return from_dtype(kind.dtype)
        case kinds.Table():
            return types.Array(from_dtype(kind.dtype), kind.ndim, "C")
        case kinds.Bundle():
            return BundleType(kind)
    raise TypeError(f"no type for {kind}")


def result_text(kind: Any) -> str:
    """The kind of a result as text: numbers, tuples of them, or nothing."""
    if isinstance(kind, types.BaseTuple):
        return f"({','.join(result_text(item) for item in kind)})"
    if kind is types.none:
        return "none"
    text = next((text for text, own in NUMBERS.items() if own == types.unliteral(kind)), None)
    if text is None:
        raise TypeError(f"no result can be a {kind}")
    return text


# ---------------------------------------------------------------- words in and out


def entry_function(function: Any, arguments: tuple[kinds.Kind, ...]) -> Any:
    """A function of two addresses: it reads the arguments' words from the first, and writes the result's to the second.

    `function` is a dispatcher.
    """

    @intrinsic
    def unpacked(typing: Any, address: Any) -> Any:
        kind = types.BaseTuple.from_types(tuple(numba_type(own) for own in arguments))

        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            base = builder.inttoptr(values[0], WORD.as_pointer())
            parts, place = [], 0
            for own in arguments:
                parts.append(_value(context, builder, own, base, place))
                place += len(own.codes)
            return context.make_tuple(builder, kind, parts)

        return kind(address), code

    @intrinsic
    def stored(typing: Any, address: Any, result: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            base = builder.inttoptr(values[0], WORD.as_pointer())
            for i, number in enumerate(_numbers(context, builder, result, values[1])):
                builder.store(number, builder.gep(base, [ir.Constant(WORD, i)]), align=8)
            return context.get_dummy_value()

        return types.void(address, result), code

    def entry(words, result):  # type: ignore[no-untyped-def]
        stored(result, function(*unpacked(words)))
        return 0

    return entry


def _value(context: Any, builder: Any, kind: kinds.Kind, base: Any, place: int) -> Any:
    """A value from its words."""
    if isinstance(kind, kinds.Table):
        return array_at(context, builder, numba_type(kind), base, place)
    if isinstance(kind, kinds.Items):
        parts = []
        for own in kind.items:
            parts.append(_value(context, builder, own, base, place))
            place += len(own.codes)
        return context.make_tuple(builder, numba_type(kind), parts)
    word = builder.load(builder.gep(base, [ir.Constant(WORD, place)], inbounds=True), align=8)
    if isinstance(kind, kinds.Number):
        if kind.text == kinds.FLOAT:
            return builder.bitcast(word, ir.DoubleType())
        return builder.trunc(word, ir.IntType(1)) if kind.text == kinds.BOOL else word
    return builder.inttoptr(word, context.get_value_type(numba_type(kind)))


def _numbers(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """The numbers of a result, as words."""
    if kind is types.none:
        return []
    if isinstance(kind, types.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        return [number for own, part in zip(kind, parts) for number in _numbers(context, builder, own, part)]
    if isinstance(types.unliteral(kind), types.Float):
        return [builder.bitcast(value, WORD)]
    value = context.cast(builder, value, kind, types.int64)
    return [value]


def known_dtypes(modules: list[Any]) -> dict[str, np.dtype]:
    """Structured types of arrays that these modules define, by their layout."""
    values = (value for module in modules for value in vars(module).values())
    return {kinds.layout(value): value for value in values if isinstance(value, np.dtype) and value.names}
