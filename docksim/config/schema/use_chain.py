"""`use_chain`: the links of a chain file, or of a URDF, as bodies and beams of a vehicle."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from docksim.config.schema.chain import Frame
from docksim.config.schema.fields import Name, Part, Reference


class UseChain(Part):
    """A chain on a vehicle. Its links become bodies of their names; keys beside it override them, as with `use`."""

    file: Reference = Field(description="Path of a chain file or of a URDF, looked for as with 'use'.")
    parent: Reference = Field("base", description="What carries it: 'base', a body of the vehicle, '<beam>.tip'.")
    at: Frame | None = Field(None, description="Frame of its base on the parent; the chain's own 'base' if left out.")
    prefix: str = Field(
        "", pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$", max_length=40, description="Put before the names of its links."
    )
    every_joint: dict[Name, Any] = Field(
        default_factory=dict, description="Keys laid over those of every joint, such as {drive: {kind: hold}}."
    )
    tip: Reference | None = Field(
        None, description="Of a URDF: only joints on the way to this link move; others are held at zero."
    )
    fix: list[Reference] = Field(default_factory=list, description="Of a URDF: joints that are held at zero.")

    @model_validator(mode="before")
    @classmethod
    def _accept_path(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value
