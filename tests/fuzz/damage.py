"""Damage to bytes and to numbers, drawn from a random generator."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

TOKENS = [
    *(b"\0", b"\xff\xfe", b"\x1b]0;x\x07", b"1e999", b"-1", b"1e308", b"null", b"NaN", b"true", b"[]", b"{}", b'""'),
    *(b"9" * 30, b"[" * 2000, b'{"a":' * 2000, b"'", b'"', b"[", b"{", b"]", b"}", b":", b"- ", b"\t", b"|", b"&a "),
]  # fmt: skip
NUMBERS = [0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 1e300, -1e308, 1e18, float("inf"), float("-inf"), float("nan")]
COUNTS = [0, 1, -1, 2, 7, 1000, 2**31 - 1, -(2**31), 2**53, 2**62, -(2**63), 2**63 - 1]
VALUES: list[Any] = [
    *(None, True, False, "", "x", "\x1b[31mred", "9" * 400, [], {}, [1], {"a": 1}, [[[]]], 0, -1, 1e308, -1e308),
    *(2**70, -(2**70), 0.5, "1e999", "nan", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>'),
    *("-->", "]]>", "=1+1", "../../x", "$x^", "a.b", "docksim"),
]  # fmt: skip


def damaged(content: bytes, rng: Random) -> bytes:
    """Cut, changed, moved, doubled, or with something put in; once to three times."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(data) + 1)
        size = min(rng.choice((1, 1, 2, 4, 16, 200)), len(data) - at)
        match rng.randrange(6):
            case 0:
                del data[at:]
            case 1 if at < len(data):
                data[at] ^= 1 << rng.randrange(8)
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = rng.choice(TOKENS)
            case 4:
                data[at : at + size] = rng.choice(TOKENS)
            case _:
                data[at:at] = data[at : at + size] * rng.choice((1, 2, 50))
    return bytes(data)


def replaced(content: Any, rng: Random) -> Any:
    """JSON-like content with another value in some place, or without it."""
    if isinstance(content, (dict, list)) and content and rng.random() < 0.85:
        key = rng.choice(list(content)) if isinstance(content, dict) else rng.randrange(len(content))
        copy: Any = dict(content) if isinstance(content, dict) else list(content)
        if rng.random() < 0.08:
            del copy[key]
        else:
            copy[key] = replaced(content[key], rng)
        return copy
    return rng.choice(VALUES)


def another(array: np.ndarray, rng: Random) -> np.ndarray:
    """An array with other numbers in one field, one element or all, or of another shape or type."""
    if rng.random() < 0.05:
        return rng.choice(
            [array[:0], array.reshape(-1)[: array.size // 2], np.zeros((2, 3)), np.array("x"), array[None]]
        )
    changed = array.copy()
    part = changed[rng.choice(changed.dtype.names)] if changed.dtype.names else changed
    if not part.size:
        return changed
    values = COUNTS if part.dtype.kind in "iu" else NUMBERS
    flat = np.arange(part.size).reshape(part.shape) == rng.randrange(part.size)
    near = rng.random() < 0.3
    with np.errstate(all="ignore"):
        value = np.asarray(part.flat[0] + part.dtype.type(rng.choice((1, 3))) if near else rng.choice(values))
        part[flat if rng.random() < 0.7 else ...] = value.astype(part.dtype)
    return changed
