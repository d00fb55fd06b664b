"""The standard normal distribution and its inverse, in plain arithmetic.

The inverse is Wichura's algorithm AS 241 (Applied Statistics 37, 1988), good to 1e-15 relative, with the logarithm and
the root of `elementary`. The distribution itself is its series near zero and a continued fraction in the tails, where
it keeps its digits down to 1e-300.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra.elementary import SQRT2, _log, exp, log
from docksim.algebra.quarters import halves

ROOT_TWO_PI = 2.5066282746310002
MIDDLE = (
    (2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4)
    + (1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0),
    (5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4)
    + (5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
)
NEAR = (
    (7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0)
    + (3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1)
    + (6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0),
)
FAR = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2)
    + (2.96560571828504891230e-1, 1.78482653991729133580e0, 5.46378491116411436990e0, 6.65790464350110377720e0),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4)
    + (1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)


def normal_quantile(p: float) -> float:
    """z with P(Z < z) = p; infinite at 0 and 1, not a number beyond."""
    if not 0.0 <= p <= 1.0:
        return math.nan
    if p == 0.0 or p == 1.0:
        return math.copysign(math.inf, p - 0.5)
    q = p - 0.5
    if abs(q) <= 0.425:
        return q * _ratio(MIDDLE, 0.180625 - q * q)
    r = math.sqrt(-log(p if q < 0.0 else 1.0 - p))
    z = _ratio(NEAR, r - 1.6) if r <= 5.0 else _ratio(FAR, r - 5.0)
    return -z if q < 0.0 else z


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: float) -> float:
    above = below = 0.0
    for a, b in zip(*coefficients, strict=True):
        above, below = above * x + a, below * x + b
    return above / below


def normal_probability(z: float) -> float:
    """P(Z < z)"""
    if z != z:
        return z
    if abs(z) < 2.0:
        return 0.5 + _density(z) * _from_middle(z)
    tail = _density(z) * _tail(abs(z)) if abs(z) < 39.0 else 0.0
    return tail if z < 0.0 else 1.0 - tail


def _density(z: float) -> float:
    """The square in two parts, since its rounding would be magnified by its size."""
    head, rest = halves(z)
    return exp(-0.5 * head * head) * exp(-0.5 * rest * (z + head)) / ROOT_TWO_PI


def _from_middle(z: float) -> float:
    """z + z^3/3 + z^5/15 + ..., all of one sign."""
    total = term = z
    k = 3
    while abs(term) > 1e-17 * abs(total):
        term = term * (z * z) / k
        total += term
        k += 2
    return total


def _tail(z: float) -> float:
    """Laplace's continued fraction 1 / (z + 1 / (z + 2 / (z + 3 / ...))), from its far end."""
    fraction = z
    for k in range(200, 0, -1):
        fraction = z + k / fraction
    return 1.0 / fraction


def quantiles(p: np.ndarray) -> np.ndarray:
    """Of all elements, strictly between 0 and 1; the bits are those of single ones."""
    q = p - 0.5
    r = np.sqrt(-_logarithms(np.where(q < 0.0, p, 1.0 - p)))
    tail = np.where(r <= 5.0, _ratios(NEAR, r - 1.6), _ratios(FAR, r - 5.0))
    return np.where(np.abs(q) <= 0.425, q * _ratios(MIDDLE, 0.180625 - q * q), np.where(q < 0.0, -tail, tail))


def _ratios(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Any) -> Any:
    return _ratio(coefficients, x)


def _logarithms(x: np.ndarray) -> Any:
    """As `elementary.log`, of ordinary positive numbers."""
    m, k = np.frexp(x)
    low = m < 0.5 * SQRT2
    f: Any = np.where(low, 2.0 * m, m) - 1.0
    return _log(f, k - low, 0.0)


def probabilities(z: np.ndarray) -> np.ndarray:
    """Of all elements."""
    return np.array([normal_probability(x) for x in z.ravel().tolist()]).reshape(z.shape)
