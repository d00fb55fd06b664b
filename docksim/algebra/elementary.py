"""Elementary functions in plain arithmetic: the same bits on every processor, compiled or not.

The library of the system and that of numpy choose their code by the processor, so a sine differs in its last bit from
one machine to the next. Here are sums, products, quotients, square roots and comparisons alone, which IEEE 754 rounds
in one way; so LLVM without contraction and CPython agree to the bit. Every result is within one unit in the last place
of the correctly rounded one, for all finite arguments; infinities, signed zeros and what is not a number behave as in
C (nothing is raised). Functions take and return floats, allocate nothing and call only each other.

Source: methods and coefficients are those of fdlibm (www.netlib.org/fdlibm), whose notice is

    Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
    Developed at SunSoft, a Sun Microsystems, Inc. business.
    Permission to use, copy, modify, and distribute this software is freely granted,
    provided that this notice is preserved.

Otherwise than there, nothing looks at the bits of a number: large angles are reduced in integers (`quarters`), numbers
are cut in halves by Dekker's product, and the arc tangent of a quotient knows the quotient's remainder.
"""

from __future__ import annotations

import math

from docksim.algebra.quarters import exact_product, halves, quarters

QUARTER_PI = 0.7853981633974483
HALF_PI, HALF_PI_REST = 1.5707963267948966, 6.123233995736766e-17
PI, PI_REST = 3.141592653589793, 1.2246467991473532e-16
LN2_HEAD, LN2_REST = 6.93147180369123816490e-01, 1.90821492927058770002e-10
SQRT2 = 1.4142135623730951


def sin(x: float) -> float:
    """Sine of any angle [rad]."""
    if abs(x) <= QUARTER_PI:
        return _sin(x, 0.0)
    n, a, b = quarters(x)
    value = _cos(a, b) if n & 1 else _sin(a, b)
    return -value if n & 2 else value


def cos(x: float) -> float:
    """Cosine of any angle [rad]."""
    if abs(x) <= QUARTER_PI:
        return _cos(x, 0.0)
    n, a, b = quarters(x)
    value = _sin(a, b) if n & 1 else _cos(a, b)
    return -value if (n + 1) & 2 else value


def tan(x: float) -> float:
    """Tangent of any angle [rad]."""
    if abs(x) < 2.0**-28:
        return x
    if abs(x) <= QUARTER_PI:
        return _tan(x, 0.0, False)
    n, a, b = quarters(x)
    return _tan(a, b, (n & 1) == 1)


def _sin(x: float, y: float) -> float:
    """Of x + y, within an eighth of a turn."""
    z = x * x
    v = z * x
    r = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    r = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * r)
    return x - ((z * (0.5 * y - v * r) - y) - v * -1.66666666666666324348e-01)


def _cos(x: float, y: float) -> float:
    """Of x + y, within an eighth of a turn."""
    z = x * x
    w = z * z
    r = z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
    r += w * w * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (z * r - x * y))


def _tan(x: float, y: float, inverted: bool) -> float:
    """Of x + y, within an eighth of a turn, or minus one over it."""
    sign = math.copysign(1.0, x)
    near_end = abs(x) >= 0.67434
    if near_end:
        # tan(x) = (1 - t) / (1 + t) with t = tan(pi/4 - x)
        x = (QUARTER_PI - sign * x) + (0.5 * HALF_PI_REST - sign * y)
        y = 0.0
    z = x * x
    s = z * x
    r = y + z * (s * _tan_series(z) + y)
    r += 3.33333333333334091986e-01 * s
    w = x + r
    if near_end:
        v = -1.0 if inverted else 1.0
        return sign * (v - 2.0 * (x - (w * w / (w + v) - r)))
    return _minus_inverse(w, x, r) if inverted else w


def _tan_series(z: float) -> float:
    """The tangent's series after the cube, over its fifth power; odd and even terms apart."""
    w = z * z
    odd = 5.88041240820264096874e-04 + w * (7.81794442939557092300e-05 + w * -1.85586374855275456654e-05)
    odd = 1.33333333333201242699e-01 + w * (2.18694882948595424599e-02 + w * (3.59207910759131235356e-03 + w * odd))
    even = 2.46463134818469906812e-04 + w * (7.14072491382608190305e-05 + w * 2.59073051863633712884e-05)
    even = 5.39682539762260521377e-02 + w * (8.86323982359930005737e-03 + w * (1.45620945432529025516e-03 + w * even))
    return odd + z * even


def _minus_inverse(w: float, x: float, r: float) -> float:
    """-1 / (x + r), whose rounded sum is w; the rounding of the sum and of the quotient are made good."""
    head, _ = halves(w)
    rest = r - (head - x)
    a = -1.0 / w
    t, _ = halves(a)
    return t + a * ((1.0 + t * head) + t * rest)


def atan(x: float) -> float:
    """Arc tangent [rad]."""
    if x != x:
        return x
    base, rest = _atan(abs(x), 0.0)
    return math.copysign(base + rest, x)


def atan2(y: float, x: float) -> float:
    """Angle of the point (x, y) [rad], from -pi to pi, with the sign of y."""
    if x != x or y != y:
        return x + y
    base, rest = _first_quadrant(abs(y), abs(x))
    if math.copysign(1.0, x) < 0.0:
        # pi minus it, with the digits that pi and the difference lose
        base, before = PI - base, base
        rest = ((PI - base) - before) + (PI_REST - rest)
    return math.copysign(base + rest, y)


def _first_quadrant(y: float, x: float) -> tuple[float, float]:
    """The angle of a point with both coordinates positive, infinite or zero, as a sum of two."""
    if y == 0.0:
        return 0.0, 0.0
    if x == 0.0 or (y == math.inf and x < math.inf):
        return HALF_PI, HALF_PI_REST
    if x == math.inf:
        return (QUARTER_PI, 0.5 * HALF_PI_REST) if y == math.inf else (0.0, 0.0)
    q = y / x
    if q < 2.0**-60:
        return 0.0, q
    if q > 2.0**60:
        return HALF_PI, HALF_PI_REST
    # what the quotient leaves, from numbers whose products neither overflow nor lose bits
    scale = 1.0
    if max(x, y) > 2.0**500:
        scale = 2.0**-600
    elif min(x, y) < 2.0**-400:
        scale = 2.0**600
    y, x = scale * y, scale * x
    p, e = exact_product(q, x)
    return _atan(q, ((y - p) - e) / x)


def _atan(a: float, more: float) -> tuple[float, float]:
    """Arc tangent of a + more, with a positive and more below its rounding, as a sum of two."""
    if a < 0.4375:
        base, rest, t = 0.0, 0.0, a
    elif a < 0.6875:
        base, rest, t = 4.63647609000806093515e-01, 2.26987774529616870924e-17, (2.0 * a - 1.0) / (2.0 + a)
    elif a < 1.1875:
        base, rest, t = QUARTER_PI, 0.5 * HALF_PI_REST, (a - 1.0) / (a + 1.0)
    elif a < 2.4375:
        base, rest, t = 9.82793723247329054082e-01, 1.39033110312309984516e-17, (a - 1.5) / (1.0 + 1.5 * a)
    else:
        base, rest, t = HALF_PI, HALF_PI_REST, -1.0 / a
    rest += more / (1.0 + a * a)
    return base, t - (t * atan_series(t * t) - rest)


def atan_series(z: float) -> float:
    """1 - atan(t) / t with z = t t, below 0.44 squared; odd and even terms apart."""
    w = z * z
    odd = 6.66107313738753120669e-02 + w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)
    odd = 1.42857142725034663711e-01 + w * (9.09088713343650656196e-02 + w * odd)
    odd = z * (3.33333333333329318027e-01 + w * odd)
    even = -7.69187620504482999495e-02 + w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02)
    even = w * (-1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * even))
    return odd + even


def asin(x: float) -> float:
    """Arc sine [rad]; not a number beyond -1 and 1."""
    a = abs(x)
    if not a <= 1.0:
        return math.nan
    if a < 0.5:
        return x + x * _asin_series(x * x)
    # pi/2 - 2 asin(sqrt((1 - a) / 2)), the root with its rounding error
    t = 0.5 * (1.0 - a)
    s = math.sqrt(t)
    r = _asin_series(t)
    if a >= 0.975:
        return math.copysign(HALF_PI - (2.0 * (s + s * r) - HALF_PI_REST), x)
    head, error = _root_parts(t, s)
    p = 2.0 * s * r - (HALF_PI_REST - 2.0 * error)
    q = QUARTER_PI - 2.0 * head
    return math.copysign(QUARTER_PI - (p - q), x)


def acos(x: float) -> float:
    """Arc cosine [rad]; not a number beyond -1 and 1."""
    if not abs(x) <= 1.0:
        return math.nan
    if abs(x) < 0.5:
        return HALF_PI - (x - (HALF_PI_REST - x * _asin_series(x * x)))
    t = 0.5 * (1.0 - abs(x))
    s = math.sqrt(t)
    r = _asin_series(t)
    if x < 0.0:
        return PI - 2.0 * (s + (r * s - HALF_PI_REST))
    head, error = _root_parts(t, s)
    return 2.0 * (head + (r * s + error))


def _asin_series(z: float) -> float:
    """asin(x) / x - 1 with z = x x, up to a half."""
    p = -4.00555345006794114027e-02 + z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)
    p = 1.66666666666666657415e-01 + z * (-3.25565818622400915405e-01 + z * (2.01212532134862925881e-01 + z * p))
    q = 2.02094576023350569471e00 + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)
    return z * p / (1.0 + z * (-2.40339491173441421878e00 + z * q))


def _root_parts(t: float, s: float) -> tuple[float, float]:
    """The root of t, which rounds to s, as the first half of its bits and what is left."""
    if s == 0.0:
        return 0.0, 0.0
    head, _ = halves(s)
    return head, (t - head * head) / (s + head)


def exp(x: float) -> float:
    """e to the power x, down to the smallest subnormal number."""
    if x != x:
        return x
    if x > 709.782712893384:
        return math.inf
    if x < -745.1332191019412:
        return 0.0
    # x = k ln 2 + r
    k = math.floor(1.44269504088896338700e00 * x + 0.5)
    head, rest = x - k * LN2_HEAD, k * LN2_REST
    r = head - rest
    t = r * r
    c = 6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08)
    c = r - t * (1.66666666666666019037e-01 + t * (-2.77777777770155933842e-03 + t * c))
    y = 1.0 - ((rest - (r * c) / (2.0 - c)) - head)
    # in two steps, of which only the last can round
    half = k // 2
    return y * _power_of_two(half) * _power_of_two(k - half)


def _power_of_two(k: int) -> float:
    """For k within 1000 of zero."""
    n = abs(k)
    power, base = 1.0, 2.0 if k > 0 else 0.5
    while n > 0:
        if n & 1:
            power *= base
        base *= base
        n >>= 1
    return power


def log(x: float) -> float:
    """Natural logarithm; minus infinity at zero, not a number below."""
    if x != x or x < 0.0:
        return math.nan
    if x == 0.0:
        return -math.inf
    if x == math.inf:
        return x
    k, m = _normal(x)
    return _log(m - 1.0, k, 0.0)


def log1p(x: float) -> float:
    """Natural logarithm of 1 + x, without the rounding of that sum."""
    if x != x or x < -1.0:
        return math.nan
    if x == -1.0:
        return -math.inf
    if x == math.inf or abs(x) < 2.0**-54:
        return x
    if -0.2928 < x < 0.4142:
        return _log(x, 0, 0.0)
    u = 1.0 + x
    lost = (1.0 - (u - x)) / u if x > 1.0 else (x - (u - 1.0)) / u
    k, m = _normal(u)
    return _log(m - 1.0, k, lost)


def _normal(x: float) -> tuple[int, float]:
    """k and m with x = m 2^k and m from the inverse root of two to the root of two."""
    k = 0
    if x < 2.0**-1000:
        x, k = x * 2.0**100, -100
    # scaling is exact, so what is near one needs only the small steps
    step = 16 if 2.0**-30 < x < 2.0**30 else 512
    while step > 0:
        if x >= SQRT2 * _power_of_two(step - 1):
            x, k = x * _power_of_two(-step), k + step
        elif x * _power_of_two(step - 1) < 0.5 * SQRT2:
            x, k = x * _power_of_two(step), k - step
        step //= 2
    if x >= SQRT2:
        return k + 1, 0.5 * x
    return k, x


def _log(f: float, k: int, lost: float) -> float:
    """ln(1 + f) + k ln 2 + lost"""
    half_square = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    r = 1.818357216161805012e-01 + z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01)
    r = 3.999999999940941908e-01 + z * (2.857142874366239149e-01 + z * (2.222219843214978396e-01 + z * r))
    r = z * (6.666666666666735130e-01 + z * r)
    return k * LN2_HEAD - ((half_square - (s * (half_square + r) + (k * LN2_REST + lost))) - f)


def hypot(*values: float) -> float:
    """Length of a vector of any number of components, nearly correctly rounded; nothing overflows on the way."""
    largest = 0.0
    for value in values:
        if abs(value) == math.inf:
            return math.inf
        if abs(value) > largest:
            largest = abs(value)
    scale = 1.0
    if largest > 2.0**500:
        scale = 2.0**-600
    elif largest < 2.0**-400:
        scale = 2.0**600
    # the sum of the squares and what its roundings lose
    total = lost = 0.0
    for value in values:
        p, e = exact_product(scale * value, scale * value)
        before = total
        total = before + p
        part = total - before
        lost += (before - (total - part)) + (p - part) + e
    if not total > 0.0:
        return total
    root = math.sqrt(total)
    p, e = exact_product(root, root)
    return (root + (((total - p) - e) + lost) / (2.0 * root)) / scale
