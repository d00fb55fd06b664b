"""pydantic's errors in the words of a scenario's author: where, what was found, what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic_core import ErrorDetails

from docksim.config.errors import did_you_mean, one_of, shown
from docksim.config.loading.shape import child, part_at
from docksim.config.scalars import resolve_scalar
from docksim.config.schema.fields import FAULT, NAME_PATTERN, Part
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Fault, Keys
from docksim.config.units import UNITS, same_quantity, split_unit, unit_phrase


def explain(errors: list[ErrorDetails], data: Any, root: type[Part] = Scenario) -> Iterator[Fault]:
    """(path, message) of every fault in a list of pydantic errors about `data`, which should be a `root`."""
    for error in errors:
        path = data_path(error["loc"], data)
        if error["type"] == FAULT:
            for key, message in error["ctx"]["faults"]:
                yield ((*path, key) if key else path), message
        elif error["loc"] and error["loc"][-1] == "[key]":
            yield path, _name_message(error["input"])
        else:
            yield path, _message(error, path, data, root)


def data_path(location: tuple[str | int, ...], data: Any) -> Keys:
    """pydantic's location without what is not in the data: tags, '[key]', the index of a single thing as list."""
    path: list[str | int] = []
    for part in location:
        is_key = isinstance(data, dict) and part in data
        single = isinstance(part, int) and isinstance(data, dict | str)
        if not is_key and (part == "[key]" or _is_tag(part) or single):
            continue
        path.append(part)
        data = child(data, part)
    return tuple(path)


def _is_tag(part: str | int) -> bool:
    return isinstance(part, str) and part.startswith("<") and part.endswith(">")


def _message(error: ErrorDetails, path: Keys, data: Any, root: type[Part]) -> str:
    kind, value = error["type"], error["input"]
    if kind == "missing":
        return _missing_message(path, data, root)
    if kind == "extra_forbidden":
        return _unknown_message(path, data, root)
    if value is None:
        return f"is empty; {_wanted(kind, path)}, or remove the key"
    if kind in _BOUNDS:
        sign, name = _BOUNDS[kind]
        return f"{shown(value)} must be {sign} {error['ctx'][name]:g}"
    if kind in _WANTED:
        return _type_message(kind, value, path)
    return _SPECIAL.get(kind, _other_message)(error)


_BOUNDS = {
    "greater_than": ("greater than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}
_WANTED = {
    "float_type": "a plain number",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "string_type": "text",
    "model_type": "a mapping of keys",
    "model_attributes_type": "a mapping of keys",
    "dict_type": "a mapping of names",
    "list_type": "a list",
}


def _wanted(kind: str, path: Keys) -> str:
    unit = unit_phrase(_key(path)) if kind in ("float_type", "int_type") else ""
    return f"give {_WANTED.get(kind, 'a value')}{unit}"


def _type_message(kind: str, value: Any, path: Keys) -> str:
    wanted = _wanted(kind, path)
    if kind in ("float_type", "int_type") and isinstance(value, str):
        number = resolve_scalar(value)
        if isinstance(number, (int, float)) and not isinstance(number, bool):
            return f"{shown(value)} is text because of its quotes; {wanted}: {value}"
        reason = " (the unit is part of the key)" if value[:1].isdigit() and split_unit(_key(path))[1] else ""
        return f"{shown(value)} is text, not a number; {wanted}{reason}"
    if kind == "int_type" and isinstance(value, float):
        return f"{shown(value)} is not a whole number; {wanted}"
    if kind == "bool_type" and isinstance(value, str):
        return f"{shown(value)} is text; {wanted}"
    if kind == "string_type":
        return f"{shown(value)} is not text; {wanted}, in quotes if it looks like a number or a truth value"
    return f"{shown(value)} cannot stand here; {wanted}"


def _key(path: Keys) -> str:
    """The last name in a path; list items share the key of their list."""
    return next((part for part in reversed(path) if isinstance(part, str)), "")


# ---------------------------------------------------------------- keys


def _missing_message(path: Keys, data: Any, root: type[Part]) -> str:
    part = part_at(data, path[:-1], root)
    key = str(path[-1])
    if part is None or key not in part.model_fields:
        return "missing; a value is needed here"
    return f"missing; add the key '{key}': {part.model_fields[key].description}"


def _unknown_message(path: Keys, data: Any, root: type[Part]) -> str:
    part = part_at(data, path[:-1], root)
    keys = list(part.model_fields) if part is not None else []
    key = str(path[-1])
    relatives = same_quantity(key, keys)
    if relatives:
        wanted = " or ".join(f"{UNITS[split_unit(name)[1]]} as '{name}'" for name in relatives)
        return f"unknown key; units are part of the key, and this one is wanted in {wanted}"
    return f"unknown key{did_you_mean(key, keys) or f'; known here: {one_of(keys)}'}"


def _name_message(name: Any) -> str:
    return f"{shown(name)} cannot be a name; use letters, digits and '_', a letter or '_' first, at most 100"


# ---------------------------------------------------------------- everything else


def _literal_message(error: ErrorDetails) -> str:
    choices = [word.strip("'") for word in error["ctx"]["expected"].replace(" or ", ", ").split(", ")]
    word = error["input"]
    return f"{shown(word)} is not known; choose one of {one_of(choices)}{did_you_mean(word, choices)}"


def _finite_message(error: ErrorDetails) -> str:
    return f"{shown(error['input'])} is not a finite number"


def _pattern_message(error: ErrorDetails) -> str:
    if error["ctx"]["pattern"] == NAME_PATTERN:
        return _name_message(error["input"])
    return f"{shown(error['input'])} is not allowed; use letters, digits, '_', '-' and '.', no '.' first, no spaces"


def _short_message(error: ErrorDetails) -> str:
    given, needed = error["ctx"]["actual_length"], error["ctx"]["min_length"]
    return f"has {given} of the {needed} needed" if given else f"is empty; at least {needed} is needed"


def _empty_message(error: ErrorDetails) -> str:
    return "is empty; give some text"


def _long_message(error: ErrorDetails) -> str:
    return f"{shown(error['input'])} is too long; at most {error['ctx']['max_length']}"


def _other_message(error: ErrorDetails) -> str:
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}, got {shown(error['input'])}"


_SPECIAL: dict[str, Callable[[ErrorDetails], str]] = {
    "literal_error": _literal_message,
    "finite_number": _finite_message,
    "string_pattern_mismatch": _pattern_message,
    "too_short": _short_message,
    "string_too_short": _empty_message,
    "too_long": _long_message,
    "string_too_long": _long_message,
}
