"""The loop bound to its tables: a call costs a third of a microsecond, not the thirty that it takes to unpack them all.

A dispatcher looks at every table of its arguments in every call. Here that is done once: the tuples are kept in a
buffer as compiled code sees them, and a call reads them from there and jumps into `advance`.
"""

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

from docksim.kernel.jit import kernel
from docksim.kernel.loop import advance


def _compiled_advance():
    """Signature and native form of the loop, which has been called."""
    (signature,) = advance.signatures
    return signature, advance.overloads[signature]


def _tables(context):
    """The four tuples side by side, as a type of the compiler's."""
    signature, _ = _compiled_advance()
    return context.get_value_type(types.Tuple(signature[:4]))


@intrinsic
def _size(typing, unused):
    def code(context, builder, signature, arguments):
        return context.get_constant(types.intp, context.get_abi_sizeof(_tables(context)))

    return types.intp(unused), code


@intrinsic
def _store(typing, address, model, state, work, log):
    def code(context, builder, signature, arguments):
        both = context.make_tuple(builder, types.Tuple(signature.args[1:]), arguments[1:])
        builder.store(both, builder.inttoptr(arguments[0], both.type.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(address, model, state, work, log), code


@intrinsic
def _call(typing, function, address, n):
    _, found = _compiled_advance()
    result, expected = found.fndesc.restype, found.fndesc.argtypes

    def code(context, builder, signature, arguments):
        kind = _tables(context).as_pointer()
        tables = builder.load(builder.inttoptr(arguments[1], kind), align=8)
        values = [builder.extract_value(tables, i) for i in range(4)] + [arguments[2]]
        pointer = context.call_conv.get_function_type(result, expected).as_pointer()
        native = builder.inttoptr(arguments[0], pointer)
        return context.call_conv.call_function(builder, native, result, expected, values)[1]

    return result(function, address, n), code


@kernel
def _size_of_tables(unused):
    return _size(unused)


@kernel
def _keep(address, model, state, work, log):
    _store(address, model, state, work, log)


@kernel
def _advance_at(function, address, n):
    return _call(function, address, n)


def bound(model, state, work, log):
    """`advance` of these tables, a function of n. The tables' contents may change; they themselves must not."""
    advance(model, state, work, log, 0)
    if numba.config.DISABLE_JIT or len(advance.signatures) > 1:
        # not compiled, or for tables of more than one make
        return lambda n: advance(model, state, work, log, n)
    _, found = _compiled_advance()
    function = found.library.get_pointer_to_function(found.fndesc.llvm_func_name)
    kept = np.zeros(_size_of_tables(0) // 8 + 1, np.int64)
    address = kept.ctypes.data
    _keep(address, model, state, work, log)

    # the second argument keeps alive what the buffer points at
    def go_on(n, alive=(kept, model, state, work, log)):
        return _advance_at(function, address, n)

    return go_on
