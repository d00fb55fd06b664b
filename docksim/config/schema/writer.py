"""A Scenario as YAML text: all written out, floats by their shortest exact form, so loading gives the same bits."""

from __future__ import annotations

from typing import Any

import yaml

from docksim.config.scalars import resolve_scalar
from docksim.config.schema.fields import Part

LEADING = ("type", "kind", "parent", "axis", "axis_2")  # what a reader wants to see first


def scenario_to_yaml(scenario: Part) -> str:
    """The whole scenario; keys without a value are left out."""
    return content_to_yaml(scenario.model_dump(exclude_none=True))


def content_to_yaml(content: dict[str, Any]) -> str:
    """Keys and values as a scenario file has them, such as a part of a scenario that a program has written."""
    return yaml.dump(_ordered(content), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        keys = [key for key in LEADING if key in value] + [key for key in value if key not in LEADING]
        return {key: _ordered(value[key]) for key in keys}
    if isinstance(value, (list, tuple)):
        return [_ordered(item) for item in value]
    return value


class _Dumper(yaml.SafeDumper):
    """Block mappings, lists of plain values on one line, no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_list(dumper: _Dumper, items: list[Any]) -> yaml.Node:
    flow = not any(isinstance(item, dict) for item in items)
    return dumper.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flow)


def _represent_text(dumper: _Dumper, text: str) -> yaml.Node:
    # quotes where our rules would read something else than text, escapes for what cannot be seen
    plain = isinstance(resolve_scalar(text), str) and text.replace("\n", "").isprintable()
    style = None if plain else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(list, _represent_list)
_Dumper.add_representer(str, _represent_text)
