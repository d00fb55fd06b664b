"""How keys of a scenario vary over the cases of a study. Values are in the unit of the key they replace.

A dispersion of one key is a distribution; `disc` and `cone` disperse several keys together, so that a vector sum keeps
its limit whatever the direction. What is left out (mean, median, centre) is the value the base scenario has.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from docksim.config.schema.fields import KeyFaults, Pair, Part, Positive, Reference, refuse
from docksim.config.schema.unions import ToldByValue

Scalar = bool | int | float | str


class OneKey(Part):
    """Base of the distributions of a single key."""

    key: Reference = Field(description="The scenario's key as a dotted path, such as chaser.mass_kg.")

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.key,)


class Normal(OneKey):
    """Gaussian."""

    type: Literal["normal"] = Field(description="Gaussian.")
    mean: float | None = Field(None, description="Mean; the base scenario's value if left out.")
    sigma: Positive = Field(description="Standard deviation.")


class TruncatedNormal(OneKey):
    """Gaussian, given that the value lies between two limits."""

    type: Literal["truncated_normal"] = Field(description="Gaussian between limits.")
    mean: float | None = Field(None, description="Mean before truncation; the base scenario's value if left out.")
    sigma: Positive = Field(description="Standard deviation before truncation.")
    low: float = Field(description="Lower limit.")
    high: float = Field(description="Upper limit.")

    def check(self) -> KeyFaults:
        return _disordered(self.low, self.high)


class Uniform(OneKey):
    """All values between two limits alike."""

    type: Literal["uniform"] = Field(description="All values between limits alike.")
    low: float = Field(description="Lower limit.")
    high: float = Field(description="Upper limit.")

    def check(self) -> KeyFaults:
        return _disordered(self.low, self.high)


class LogNormal(OneKey):
    """The logarithm is Gaussian: the value is positive and varies by factors."""

    type: Literal["log_normal"] = Field(description="The logarithm is Gaussian.")
    median: Positive | None = Field(None, description="Median; the base scenario's value if left out.")
    sigma_log: Positive = Field(description="Standard deviation of the natural logarithm.")


class Discrete(OneKey):
    """One of several values: numbers, words, true or false."""

    type: Literal["discrete"] = Field(description="One of several values.")
    values: list[Scalar] = Field(min_length=1, description="The values.")
    weights: list[Positive] | None = Field(None, description="Their weights; alike if left out.")

    def check(self) -> KeyFaults:
        if self.weights is not None and len(self.weights) != len(self.values):
            yield "weights", f"has {len(self.weights)} numbers for {len(self.values)} values"


class Disc(Part):
    """Two keys, uniform over the area of a circle: a vector sum with one limit, such as lateral misalignment."""

    type: Literal["disc"] = Field(description="Two keys, uniform over a circle.")
    keys: list[Reference] = Field(min_length=2, max_length=2, description="The two keys.")
    radius: Positive = Field(description="Limit of the vector sum.")
    center: Pair | None = Field(None, description="Centre; the base scenario's values if left out.")

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(self.keys)


class Cone(Part):
    """A direction, uniform over the solid angle of a cone about the base scenario's direction.

    Two keys are yaw and pitch in degrees (turns about z, then about the new y) of an x axis; three keys are the
    components of a vector, which keeps its length.
    """

    type: Literal["cone"] = Field(description="A direction, uniform over a solid angle.")
    keys: list[Reference] = Field(min_length=2, max_length=3, description="Yaw and pitch, or x, y and z.")
    half_angle_deg: Positive = Field(le=180.0, description="Half-angle of the cone [deg].")

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(self.keys)


Dispersion = Annotated[Normal | TruncatedNormal | Uniform | LogNormal | Discrete | Disc | Cone, ToldByValue("type")]


def _disordered(low: float, high: float) -> list[tuple[str, str]]:
    return [] if low < high else [("high", f"{high} must be greater than low, which is {low}")]


# ---------------------------------------------------------------- correlation


class Correlation(Part):
    """Keys that vary together: the correlation of the Gaussian variables behind their distributions.

    Between normal keys it is the ordinary correlation; rank correlation is (6/pi) asin(rho/2) for any continuous ones.
    """

    keys: list[Reference] = Field(min_length=2, max_length=50, description="Dispersed keys of one value each.")
    coefficient: float | None = Field(None, gt=-1.0, lt=1.0, description="The same for every pair; excludes matrix.")
    matrix: list[list[float]] | None = Field(None, description="The whole matrix, row by row; excludes coefficient.")

    def check(self) -> KeyFaults:
        if (self.coefficient is None) == (self.matrix is None):
            yield "", "needs exactly one of coefficient, matrix"
            return
        yield from _matrix_faults(self.rows())

    def rows(self) -> list[list[float]]:
        """The matrix, written out."""
        if self.matrix is not None:
            return self.matrix
        count, rho = len(self.keys), float(self.coefficient or 0.0)
        return [[1.0 if i == j else rho for j in range(count)] for i in range(count)]


def _matrix_faults(rows: list[list[float]]) -> list[tuple[str, str]]:
    """What keeps a list of rows from being a correlation matrix."""
    # the schema does without numpy, up to here
    import numpy as np

    size = len(rows)
    if any(len(row) != size for row in rows):
        return [("matrix", f"must have as many columns as rows, {size}")]
    matrix = np.array(rows)
    if not np.array_equal(matrix, matrix.T) or not np.all(np.diag(matrix) == 1.0):
        return [("matrix", "must be symmetric with ones on the diagonal")]
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest < 1e-10:
        why = f"its smallest eigenvalue is {smallest:.3g}"
        return [("", f"no quantities can be correlated like this ({why}); a correlation matrix is positive definite")]
    return []


# ---------------------------------------------------------------- grids and sweeps


def _as_values(value: Any) -> Any:
    """{from, to, count} stands for that many evenly spaced numbers."""
    if not isinstance(value, dict):
        return value
    keys = {"from", "to", "count"}
    if set(value) != keys:
        refuse([("", "expected a list of values, or a mapping with from, to and count")])
    first, last, count = value["from"], value["to"], value["count"]
    numbers = all(isinstance(item, (int, float)) and not isinstance(item, bool) for item in (first, last))
    if not numbers or not isinstance(count, int) or isinstance(count, bool) or not 2 <= count <= 1_000_000:
        refuse([("", "from and to must be numbers, count a whole number of at least 2")])
    shares = [i / (count - 1) for i in range(count)]
    return [(1.0 - share) * first + share * last for share in shares]


class Axis(Part):
    """A key and the values it takes, one after the other."""

    key: Reference = Field(description="The scenario's key as a dotted path.")
    values: Annotated[list[Scalar], Field(min_length=1), BeforeValidator(_as_values)] = Field(
        description="The values: a list, or {from, to, count}."
    )
