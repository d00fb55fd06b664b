"""How large a number may be, by the unit that its key ends in: what lies beyond is a slip of the pen.

All limits are far from any spacecraft, and so near that squares and cubes of numbers, and times counted in steps, stay
finite. A key with a limit of its own keeps it.
"""

from __future__ import annotations

from typing import Any

from docksim.config.units import split_unit

LARGEST = 1e15  # forces, masses, stiffness and whatever has no limit here
BY_UNIT = {"s": 1e9, "m": 1e12, "mm": 1e15, "km": 1e9}
MOST = 10**9  # of what is counted
# where numbers of a key stand in what pydantic makes of its type; other parts have limits of their own
INSIDE = ("schema", "items_schema", "values_schema")


def limit_numbers(part: Any) -> None:
    """Bound all numbers in the core schema of a mapping of keys on both sides."""
    while "fields" not in part:
        part = part["schema"]
    for key, field in part["fields"].items():
        _limit(field["schema"], key)


def _limit(schema: Any, key: str) -> None:
    kind = schema["type"]
    if kind in ("float", "int"):
        largest = BY_UNIT.get(split_unit(key)[1], LARGEST) if kind == "float" else MOST
        if "le" not in schema and "lt" not in schema:
            schema["le"] = largest
        if "ge" not in schema and "gt" not in schema:
            schema["ge"] = -largest
    elif kind == "union":
        # a value of any kind is judged where it is put
        for one in schema["choices"] if {"type": "bool"} not in schema["choices"] else ():
            _limit(one, key)
    elif kind != "model":
        inside = next((schema[word] for word in INSIDE if word in schema), ())
        for one in inside if isinstance(inside, (list, tuple)) else (inside,):
            _limit(one, key)
