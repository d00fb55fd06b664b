"""Parts that come in two: along a stroke in m and N, about a crank in deg and N m, with the same keys but for the unit.

Code that serves both asks for a value by its stem, the key without the unit (force for torque, mass for inertia), and
gets it in SI and radians.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from docksim.config.schema.fields import Part
from docksim.config.units import split_unit

RADIANS = math.pi / 180.0


class Twin(Part):
    """Base of the parts with a twin."""

    @classmethod
    def key(cls, stem: str) -> str:
        """The key with this stem: 'lower' is lower_m here and lower_deg in the twin."""
        return _keys(cls)[stem]

    def si(self, stem: str) -> Any:
        """The value in SI and radians; None where nothing is given."""
        key = self.key(stem)
        value = getattr(self, key)
        turns = split_unit(key)[1] in ("deg", "deg_s")
        return value * RADIANS if turns and value is not None else value

    def given(self, stem: str) -> bool:
        """Whether the value is there and not zero."""
        return bool(getattr(self, self.key(stem)))


@cache
def _keys(part: type[Twin]) -> dict[str, str]:
    return {stem_of(key): key for key in part.model_fields}


def stem_of(key: str) -> str:
    """A key without its unit, the same for both twins."""
    return split_unit(key)[0].replace("torque", "force").replace("inertia", "mass")
