"""Calls from Python into compiled code: arguments are packed into words once, or once for all calls that follow."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from docksim.native.decorators import Kernel
from docksim.native.kinds import Bundle, Kind, Mismatch, reader

ADDRESS = ctypes.c_void_p


class Entry:
    """A function of a library at an address, for arguments of given kinds."""

    def __init__(self, name: str, address: int, kinds: tuple[Kind, ...], result: str) -> None:
        self.name, self.kinds = name, kinds
        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ADDRESS)(address)
        self._codes = "=" + "".join(kind.codes for kind in kinds)
        codes, self._read = reader(result)
        self._result_codes = "=" + codes
        self._result_size = max(8 * len(codes), 8)
        # the last bundle in each place, and its words
        self._kept: list[tuple[Any, np.ndarray, int]] = [(None, np.zeros(0, np.int64), 0)] * len(kinds)

    def packed(self, arguments: tuple[Any, ...], remember: bool = True) -> tuple[list[Any], list[Any]]:
        """The words of arguments, or a Mismatch; and what must live while they are used.

        Another thread may put its own bundle in the place of the last one at any time.
        """
        if len(arguments) != len(self.kinds):
            raise Mismatch(f"{self.name} takes {len(self.kinds)} arguments, not {len(arguments)}")
        words: list[Any] = []
        alive: list[Any] = []
        for i, (kind, value) in enumerate(zip(self.kinds, arguments)):
            if isinstance(kind, Bundle):
                kept = self._kept[i]
                if kept[0] is not value:
                    table = kind.table_words(value)
                    kept = (value, table, table.ctypes.data)
                    if remember:
                        self._kept[i] = kept
                words.append(kept[2])
                alive.append(kept)
            else:
                words += kind.words(value)
        return words, alive

    def call(self, words: list[Any], alive: list[Any]) -> Any:
        """The result for packed arguments, which live until it is there."""
        result = ctypes.create_string_buffer(self._result_size)
        self.run(struct.pack(self._codes, *words), result)
        return self._read(iter(struct.unpack_from(self._result_codes, result)))

    def run(self, packed: Any, result: Any) -> None:
        if self._function(packed, ctypes.addressof(result)):
            raise RuntimeError(f"{self.name} failed in compiled code")

    def bound(self, tables: tuple[Any, ...]) -> Callable[..., Any]:
        """A function of the last argument, a number; the words of the others are packed once."""
        words, alive = self.packed((*tables, 0), remember=False)
        buffer = ctypes.create_string_buffer(struct.pack(self._codes, *words))
        result = ctypes.create_string_buffer(self._result_size)
        last = ctypes.c_int64.from_buffer(buffer, 8 * (len(words) - 1))
        value = ctypes.c_int64.from_buffer(result)
        function, at, out = self._function, ctypes.cast(buffer, ctypes.c_char_p), ctypes.addressof(result)

        # the second argument keeps alive what the words point at
        def go_on(n: int, alive: Any = (tables, alive, buffer, result)) -> int:
            last.value = n
            if function(at, out):
                raise RuntimeError(f"{self.name} failed in compiled code")
            return value.value

        return go_on


def called(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Call a kernel from Python: by the entries used before, by its room's library, or by ordinary compilation."""
    missing = kernel.py_func.__code__.co_argcount - len(arguments)
    if missing:
        arguments += (kernel.py_func.__defaults__ or ())[-missing:]
    for entry in kernel._calls:
        try:
            words, alive = entry.packed(arguments)
        except Mismatch:
            continue
        return entry.call(words, alive)
    return _another(kernel, arguments)(*arguments)


def _another(kernel: Kernel, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A way to call that fits these arguments, kept for the next time if it is an entry."""
    from docksim.native.libraries import entries_of
    from docksim.native.ordinary import twin

    for entry in entries_of(kernel):
        try:
            entry.packed(arguments)
        except Mismatch:
            continue
        kernel._calls = (*kernel._calls, entry)
        return lambda *own: entry.call(*entry.packed(own))
    return twin(kernel)


def bound(kernel: Kernel, tables: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel of tables and a number, as a function of the number; tables that are not the entry's are a Mismatch."""
    from docksim.native.libraries import entries_of
    from docksim.native.ordinary import twin

    entry = next(entries_of(kernel), None)
    if entry is not None:
        return entry.bound(tables)
    dispatcher = twin(kernel)
    return lambda n: dispatcher(*tables, n)
