"""Elementary functions by series in decimal arithmetic, to 60 digits of a double's argument: slow, and plainly right.

A double is a finite decimal, so the argument is exact. Angles are reduced with as many digits of pi as they are large.
"""

from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache

D = Decimal
DIGITS = 60


@lru_cache
def pi(digits: int) -> Decimal:
    """By Machin's formula."""
    with localcontext() as context:
        context.prec = digits + 10
        return 4 * (4 * _inverse_tangent(5) - _inverse_tangent(239))


def _inverse_tangent(n: int) -> Decimal:
    term, total, k = D(1) / n, D(1) / n, 1
    while total + term / (k + 2) != total:
        term, k = -term / (n * n), k + 2
        total += term / k
    return total


def _series(first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of a series whose term k + 1 is its term k times ratio(k)."""
    term = total = first
    k = 0
    while term and term.adjusted() > total.adjusted() - DIGITS - 5:
        term *= ratio(k)
        total += term
        k += 1
    return total


def _reduced(x: float) -> tuple[int, Decimal]:
    """Quarter turns and the rest, at most an eighth of a turn."""
    with localcontext() as context:
        context.prec = 3 * DIGITS + abs(D(x).adjusted())
        quarter = pi(context.prec) / 2
        n = int((D(x) / quarter).to_integral_value())
        return n, D(x) - n * quarter


def _sine(r: Decimal) -> Decimal:
    return _series(r, lambda k: -r * r / ((2 * k + 2) * (2 * k + 3)))


def _cosine(r: Decimal) -> Decimal:
    return _series(D(1), lambda k: -r * r / ((2 * k + 1) * (2 * k + 2)))


def sin(x: float) -> Decimal:
    n, r = _reduced(x)
    return (_sine, _cosine)[n % 2](r) * (-1 if n % 4 > 1 else 1)


def cos(x: float) -> Decimal:
    n, r = _reduced(x)
    return (_cosine, _sine)[n % 2](r) * (-1 if (n + 1) % 4 > 1 else 1)


def tan(x: float) -> Decimal:
    return sin(x) / cos(x)


def _arc(t: Decimal) -> Decimal:
    """Arc tangent of a positive number: halved until it is small, then by Euler's series."""
    doublings = 0
    while t > D("0.1"):
        t, doublings = t / (1 + (1 + t * t).sqrt()), doublings + 1
    y = t * t / (1 + t * t)
    return _series(y / t, lambda k: y * (2 * k + 2) / (2 * k + 3)) * 2**doublings


def atan2(y: float, x: float) -> Decimal:
    a, b = abs(D(y)), abs(D(x))
    if not a:
        found = D(0)
    else:
        found = _arc(a / b) if b > a else pi(DIGITS) / 2 - (_arc(b / a) if b else 0)
    return (pi(DIGITS) - found if x < 0.0 else found) * (-1 if y < 0.0 else 1)


def atan(x: float) -> Decimal:
    return atan2(x, 1.0)


def asin(x: float) -> Decimal:
    root = (1 - D(x) * D(x)).sqrt()
    return (_arc(abs(D(x)) / root) if root else pi(DIGITS) / 2) * (-1 if x < 0.0 else 1)


def acos(x: float) -> Decimal:
    if D(x) == 1:
        return D(0)
    # twice the arc tangent of the tangent of half the angle
    return 2 * _arc(((1 - D(x)) / (1 + D(x))).sqrt()) if D(x) > -1 else pi(DIGITS)


def exp(x: float) -> Decimal:
    return D(x).exp()


def log(x: float) -> Decimal:
    return D(x).ln()


def log1p(x: float) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS + abs(D(x).adjusted()) + 60
        return (1 + D(x)).ln()


def hypot(*values: float) -> Decimal:
    return sum((D(x) * D(x) for x in values), D(0)).sqrt()
