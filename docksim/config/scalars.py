"""What a plain word in a scenario file means, by YAML 1.2: the 1.1 rules of PyYAML read `1e-3` as text, `on` as true.

Numbers are decimal (`12`, `-0.5`, `.5`, `1e-3`, `.inf`); true/false are the only booleans; null, ~ and nothing are
empty; all else is text.
"""

from __future__ import annotations

import re

Scalar = str | int | float | bool | None

_INTEGER = re.compile(r"[-+]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
LONGEST_INTEGER = 300  # digits; longer ones become floats, and so infinite


def resolve_scalar(text: str) -> Scalar:
    """The value of an unquoted word."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text) and len(text) <= LONGEST_INTEGER:
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    return text
