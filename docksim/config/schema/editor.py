"""The JSON schemas that editors use for completion, help and checks while a scenario or a study is being written.

It is looser than the loader on purpose: any mapping may have `use`, and what is required may come from there, so
nothing is required here; `docksim check` has the last word.
"""

from __future__ import annotations

from typing import Any

from docksim.config.schema.chain import Chain
from docksim.config.schema.chain_task import ChainTask
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.study import Study
from docksim.config.schema.use_chain import UseChain

USE = {
    "description": "Path of a file, or list of paths, whose mapping is pulled in here; the keys beside it override.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def scenario_json_schema() -> dict[str, Any]:
    """The schema of scenario files (JSON Schema 2020-12)."""
    schema: dict[str, Any] = _loosened(strict_scenario())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "docksim scenario"}


def strict_scenario() -> dict[str, Any]:
    """The schema as it is checked, with what a vehicle has only in a file."""
    schema: dict[str, Any] = Scenario.model_json_schema()
    chain = UseChain.model_json_schema()
    schema["$defs"] |= {**chain.pop("$defs"), "UseChain": chain}
    one = {"anyOf": [{"$ref": "#/$defs/UseChain"}, {"type": "string"}]}
    several = {"type": "array", "items": one}
    vehicle = schema["$defs"]["Vehicle"]["properties"]
    vehicle["use_chain"] = {"description": UseChain.__doc__, "anyOf": [*one["anyOf"], several]}
    return schema


def study_json_schema() -> dict[str, Any]:
    """The schema of study files."""
    schema: dict[str, Any] = _loosened(Study.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "docksim study"}


def chain_json_schema() -> dict[str, Any]:
    """The schema of chain files."""
    schema: dict[str, Any] = _loosened(Chain.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "docksim chain"}


def task_json_schema() -> dict[str, Any]:
    """The schema of tasks of chains."""
    schema: dict[str, Any] = _loosened(ChainTask.model_json_schema())
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "docksim task"}


def _loosened(node: Any) -> Any:
    if isinstance(node, list):
        return [_loosened(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {key: _loosened(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}
    if node.get("type") == "object":
        return _with_use(result)
    if "oneOf" in result:
        # without required keys a partial mapping may fit several members
        result["anyOf"] = result.pop("oneOf")
        result.pop("discriminator", None)
    return result


def _with_use(node: dict[str, Any]) -> dict[str, Any]:
    """An object that also takes `use`: a part with its own keys, or a mapping of names."""
    node.pop("required", None)
    node.pop("minProperties", None)
    for pattern, content in node.pop("patternProperties", {}).items():
        node["propertyNames"] = {"pattern": pattern}
        node["additionalProperties"] = {"anyOf": [content, {"type": "null"}]}
    node["properties"] = {**node.get("properties", {}), "use": USE}
    return node
