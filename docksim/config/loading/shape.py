"""Which part of the schema describes a given place of the data: needed to suggest keys and to find defaults.

Follows the type annotations of the parts from Scenario (or another root) downward; where a union is met, the data
decide which member it is.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.unions import Told
from docksim.config.tree import Keys


def annotation_at(data: Any, path: Keys, root: type[Part] = Scenario) -> Any:
    """The unwrapped type at a path (a Part, dict[...], list[...], float, ...), or None where the schema has nothing."""
    annotation: Any = root
    for key in path:
        annotation = _step(annotation, key)
        data = child(data, key)
        annotation = _unwrap(annotation, data)
        if annotation is None:
            return None
    return annotation


def part_at(data: Any, path: Keys, root: type[Part] = Scenario) -> type[Part] | None:
    """The Part that describes the mapping at a path, if there is one."""
    kind = annotation_at(data, path, root)
    return kind if isinstance(kind, type) and issubclass(kind, Part) else None


def child(data: Any, key: str | int) -> Any:
    """The data below a key or index, None where there are none."""
    if isinstance(data, dict):
        return data.get(key)
    if isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
        return data[key]
    return None


@cache
def _hints(part: type[Part]) -> dict[str, Any]:
    return get_type_hints(part, include_extras=True)


def _step(annotation: Any, key: str | int) -> Any:
    origin = get_origin(annotation)
    if origin is dict:
        return get_args(annotation)[1]
    if origin in (list, tuple) and isinstance(key, int):
        return get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, Part) and key in annotation.model_fields:
        return _hints(annotation)[str(key)]
    return None


def _unwrap(annotation: Any, data: Any) -> Any:
    """Without Annotated, Optional, and tags; a mapping where a list is expected stands for its only item."""
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *notes = get_args(annotation)
        told = next((note for note in notes if isinstance(note, Told)), None)
        return _unwrap(told.member(get_args(inner), data) if told else inner, data)
    if origin in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not type(None)]
        return _unwrap(members[0], data) if len(members) == 1 else None
    if origin is list and isinstance(data, dict):
        return _unwrap(get_args(annotation)[0], data)
    return annotation
