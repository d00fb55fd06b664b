"""The bricks of the schema: the base class of all parts, numbers, vectors, attitudes and inertias.

Numbers are strict: text and true/false are never taken for numbers, infinities and NaN are refused. Units are in the
key names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
    model_validator,
)
from pydantic.functional_validators import AfterValidator
from pydantic_core import CoreSchema, PydanticCustomError

from docksim.algebra.elementary import cos, hypot, sin
from docksim.algebra.quat import axis_quat
from docksim.config.errors import one_of, shown
from docksim.config.schema.inertia import inertia_fault
from docksim.config.schema.limits import limit_numbers

Quaternion = tuple[float, float, float, float]
Matrix3 = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]

FAULT = "docksim_fault"


KeyFaults = Iterable[tuple[str, str]]


class Part(BaseModel):
    """Base of every mapping in a scenario: unknown keys are errors, values are not converted, nothing changes later."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    def check(self) -> KeyFaults:
        """What is wrong with the part as a whole: key and message; key "" is the part itself."""
        return ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        refuse(self.check())
        return self

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        # one that is complete has them
        if not cls.__pydantic_complete__:
            limit_numbers(handler.resolve_ref_schema(schema))
        return schema


def refuse(faults: Iterable[tuple[str, str]]) -> None:
    """Raise one pydantic error that carries every (key, message), if there are any. Key "" is the part itself."""
    listed = list(faults)
    if listed:
        text = "; ".join(f"{key}: {message}" if key else message for key, message in listed)
        raise PydanticCustomError(FAULT, "{text}", {"text": text, "faults": listed})


@dataclass(frozen=True)
class AlsoAccepts:
    """Shorter forms that a validator takes, told to editors: `forms` makes them from the schema of the main form."""

    forms: Callable[[dict[str, Any]], list[dict[str, Any]]]

    def __get_pydantic_json_schema__(self, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        main = handler(core_schema)
        return {"anyOf": [main, *self.forms(main)]}


# ---------------------------------------------------------------- numbers and names

NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*$"
Name = Annotated[str, Field(pattern=NAME_PATTERN, max_length=100)]
# what also names a file or folder
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$", max_length=100)]
Reference = Annotated[str, Field(min_length=1, max_length=300)]
Positive = Annotated[float, Field(gt=0)]
Azimuth = Annotated[float, Field(ge=-360.0, le=360.0)]
NonNegative = Annotated[float, Field(ge=0)]


def _numbers_schema(count: int) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}


def _fixed_length(count: int, wanted: str) -> Callable[[Any], Any]:
    """A check that turns a list of the right length into a tuple."""

    def check(value: Any) -> Any:
        if not isinstance(value, (list, tuple)):
            refuse([("", f"expected {wanted}, got {shown(value)}")])
        if len(value) != count:
            refuse([("", f"expected {wanted}, got {len(value)} in {shown(value)}")])
        return tuple(value)

    return check


def _per_axis(value: Any) -> Any:
    """One number stands for all three axes."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (value, value, value)
    return _fixed_length(3, "a number or a list of 3 numbers")(value)


def _direction(value: tuple[float, float, float]) -> tuple[float, float, float]:
    if hypot(*value) < 1e-9:
        refuse([("", f"{list(value)} has no direction; give a vector that is not zero")])
    return value


_PER_AXIS_SCHEMA = WithJsonSchema({"anyOf": [{"type": "number"}, _numbers_schema(3)]})

Vec3 = Annotated[
    tuple[float, float, float],
    BeforeValidator(_fixed_length(3, "a list of 3 numbers")),
    WithJsonSchema(_numbers_schema(3)),
]
Direction = Annotated[Vec3, AfterValidator(_direction)]
Row4 = Annotated[
    tuple[float, float, float, float],
    BeforeValidator(_fixed_length(4, "a row of 4 numbers")),
    WithJsonSchema(_numbers_schema(4)),
]
PerAxis = Annotated[tuple[NonNegative, NonNegative, NonNegative], BeforeValidator(_per_axis), _PER_AXIS_SCHEMA]
PositivePerAxis = Annotated[tuple[Positive, Positive, Positive], BeforeValidator(_per_axis), _PER_AXIS_SCHEMA]
Pulse = Annotated[
    tuple[NonNegative, Positive],
    BeforeValidator(_fixed_length(2, "[start_s, duration_s]")),
    WithJsonSchema(_numbers_schema(2)),
]
Schedule = Annotated[list[Pulse], Field(min_length=1)]
Pair = Annotated[
    tuple[float, float],
    BeforeValidator(_fixed_length(2, "a row of 2 numbers")),
    WithJsonSchema(_numbers_schema(2)),
]
PortPair = Annotated[
    tuple[Reference, Reference],
    BeforeValidator(_fixed_length(2, "a list of 2 ports")),
    WithJsonSchema({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}),
]

ZERO3 = (0.0, 0.0, 0.0)


# ---------------------------------------------------------------- shorter forms


def as_list(value: Any) -> Any:
    """A single mapping stands for a list of one."""
    return [value] if isinstance(value, dict | Part) else value


def as_names(value: Any) -> Any:
    """A single name stands for a list of one."""
    return [value] if isinstance(value, str) else value


OR_SINGLE = AlsoAccepts(lambda many: [many["items"]])


def exactly_one(part: Part, *keys: str) -> list[tuple[str, str]]:
    """The fault, if any, of giving none or several of keys that exclude each other."""
    given = [key for key in keys if getattr(part, key) is not None]
    if len(given) == 1:
        return []
    if not given:
        return [("", f"needs exactly one of {one_of(keys)}")]
    return [(given[1], f"excludes '{given[0]}'; give exactly one of {one_of(keys)}")]


# ---------------------------------------------------------------- attitude


class Attitude(Part):
    """Orientation of an inner frame in an outer one. Exactly one of the keys; an empty mapping is no rotation."""

    quaternion: (
        Annotated[
            tuple[float, float, float, float],
            BeforeValidator(_fixed_length(4, "a list of 4 numbers [w, x, y, z]")),
            WithJsonSchema(_numbers_schema(4)),
        ]
        | None
    ) = Field(None, description="Unit quaternion [w, x, y, z] (Hamilton); takes inner components to the outer frame.")
    rotation_vector_deg: Vec3 | None = Field(
        None, description="Rotation axis times angle [deg], the same in both frames."
    )
    yaw_pitch_roll_deg: Vec3 | None = Field(
        None, description="Successive turns [deg] about z, then the new y, then the new x."
    )

    def check(self) -> KeyFaults:
        given = [key for key in type(self).model_fields if getattr(self, key) is not None]
        if len(given) > 1:
            yield given[1], f"excludes '{given[0]}'; give only one of {one_of(type(self).model_fields)}"
            return
        if self.quaternion is not None and abs(hypot(*self.quaternion) - 1.0) > 1e-6:
            fault = f"{list(self.quaternion)} has length {hypot(*self.quaternion):.9g}; it must be 1 within 1e-6"
            yield "quaternion", fault

    def quaternion_wxyz(self) -> Quaternion:
        """Unit quaternion (w, x, y, z) that takes inner components to the outer frame."""
        if self.quaternion is not None:
            size = hypot(*self.quaternion)
            w, x, y, z = self.quaternion
            return (w / size, x / size, y / size, z / size)
        if self.rotation_vector_deg is not None:
            return _from_rotation_vector(self.rotation_vector_deg)
        if self.yaw_pitch_roll_deg is not None:
            return _from_yaw_pitch_roll(self.yaw_pitch_roll_deg)
        return (1.0, 0.0, 0.0, 0.0)


def _from_rotation_vector(vector_deg: tuple[float, float, float]) -> Quaternion:
    angle_deg = hypot(*vector_deg)
    if angle_deg == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    axis = [component / angle_deg for component in vector_deg]
    return axis_quat(axis, math.radians(math.fmod(angle_deg, 720.0)))


def _from_yaw_pitch_roll(angles_deg: tuple[float, float, float]) -> Quaternion:
    half = [math.radians(math.fmod(angle, 720.0)) / 2 for angle in angles_deg]
    (cz, cy, cx), (sz, sy, sx) = map(cos, half), map(sin, half)
    return (
        cz * cy * cx + sz * sy * sx,
        cz * cy * sx - sz * sy * cx,
        cz * sy * cx + sz * cy * sx,
        sz * cy * cx - cz * sy * sx,
    )


def identity() -> Attitude:
    """No rotation, written out."""
    return Attitude(quaternion=(1.0, 0.0, 0.0, 0.0))


# ---------------------------------------------------------------- inertia


class Inertia(Part):
    """Inertia matrix about the mass centre, body axes [kg m²]. Also accepted: [xx, yy, zz], or the whole 3x3 matrix."""

    xx: float = Field(description="Moment of inertia about x [kg m²].")
    yy: float = Field(description="Moment of inertia about y [kg m²].")
    zz: float = Field(description="Moment of inertia about z [kg m²].")
    xy: float = Field(0.0, description="Matrix entry xy, that is minus the integral of x y dm [kg m²].")
    xz: float = Field(0.0, description="Matrix entry xz, that is minus the integral of x z dm [kg m²].")
    yz: float = Field(0.0, description="Matrix entry yz, that is minus the integral of y z dm [kg m²].")

    @model_validator(mode="before")
    @classmethod
    def _accept_lists(cls, value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return _entries(value)
        if not isinstance(value, dict | Part) and value is not None:
            refuse([("", f"expected {INERTIA_FORMS}, got {shown(value)}")])
        return value

    def check(self) -> KeyFaults:
        fault = inertia_fault(self.matrix())
        return [("", fault)] if fault else []

    def matrix(self) -> Matrix3:
        """The symmetric matrix [kg m²]."""
        return ((self.xx, self.xy, self.xz), (self.xy, self.yy, self.yz), (self.xz, self.yz, self.zz))


def _inertia_lists(_: dict[str, Any]) -> list[dict[str, Any]]:
    return [_numbers_schema(3), {"type": "array", "items": _numbers_schema(3), "minItems": 3, "maxItems": 3}]


AnyInertia = Annotated[Inertia, AlsoAccepts(_inertia_lists)]


class BodyInertia(Inertia):
    """Of a body on a joint: all zeros too, for a point mass, or for a body without mass."""

    @model_validator(mode="before")
    @classmethod
    def _accept_inertia(cls, value: Any) -> Any:
        return value.model_dump() if isinstance(value, Inertia) else value

    def check(self) -> KeyFaults:
        fault = None if self.is_zero() else inertia_fault(self.matrix())
        return [("", fault)] if fault else []

    def is_zero(self) -> bool:
        return not any(entry for row in self.matrix() for entry in row)


AnyBodyInertia = Annotated[BodyInertia, AlsoAccepts(_inertia_lists)]

INERTIA_FORMS = "3 principal moments, a symmetric 3x3 matrix, or a mapping with xx, yy, zz, xy, xz, yz"


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _entries(value: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    """A list or a matrix as the mapping of its entries."""
    if len(value) == 3 and all(is_number(item) for item in value):
        return dict(zip(("xx", "yy", "zz"), value, strict=True))
    rows = [row for row in value if isinstance(row, (list, tuple)) and len(row) == 3 and all(map(is_number, row))]
    if len(value) != 3 or len(rows) != 3:
        refuse([("", f"expected {INERTIA_FORMS}, got {shown(value)}")])
    _refuse_asymmetric(rows)
    upper = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
    diagonal = {"xx": rows[0][0], "yy": rows[1][1], "zz": rows[2][2]}
    return diagonal | {key: rows[i][j] for key, (i, j) in upper.items()}


def _refuse_asymmetric(rows: list[Any]) -> None:
    largest = max(abs(item) for row in rows for item in row)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if not abs(rows[i][j] - rows[j][i]) <= 1e-9 * largest:
            one = f"row {i + 1} column {j + 1} is {rows[i][j]}"
            other = f"row {j + 1} column {i + 1} is {rows[j][i]}"
            refuse([("", f"matrix is not symmetric: {one}, {other}")])


def overlap(pulses: Sequence[tuple[float, float]]) -> str:
    """The fault, if any, of pulses [start_s, duration_s] of one thruster of which two are on at once."""
    pairs = pairwise(sorted(pulses))
    pair = next(((a, b) for a, b in pairs if a[0] + a[1] > b[0] * (1 + 1e-12)), None)
    return f"{list(pair[0])} and {list(pair[1])} overlap; a thruster is on or off" if pair is not None else ""
