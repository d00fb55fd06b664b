"""Quarter turns in an angle, and what is left: the reduction behind sine, cosine and tangent.

Up to some 1.6 million rad multiples of pi/2 are taken off in up to three parts of 33 bits each, whose products with
the count are exact (Cody and Waite, after fdlibm). Beyond, the angle times 2/pi is formed in integers of 24 bits, only
those that matter (Payne and Hanek): 192 bits of the fraction, of which at most 62 are zero for any double, so the rest
is good to more than 100 bits.
"""

from __future__ import annotations

import math

TWO_OVER_PI = 6.36619772367581382433e-01
# pi/2 in parts of 33 bits, each with what is left after it
PART_1, REST_1 = 1.57079632673412561417e00, 6.07710050650619224932e-11
PART_2, REST_2 = 6.07710050630396597660e-11, 2.02226624879595063154e-21
PART_3, REST_3 = 2.02226624871116645580e-21, 8.47842766036889956997e-32
HALF_PI, HALF_PI_REST = 1.5707963267948966, 6.123233995736766e-17
COUNTED = 1647099.0  # 2^20 quarter turns
LIMB, MASK = 16777216.0, 16777215
# digits of 2/pi to the base 2^24, with zeros before the point
DIGITS = (
    *(0, 0, 0, 0),
    *(0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB, 0xC561B7),
    *(0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129, 0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C),
    *(0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C, 0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11),
    *(0x8B5A0A, 0x6D1F6D, 0x367ECF, 0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7),
    *(0x8A5292, 0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330, 0x46FC7B, 0x6BABF0, 0xCFBC20),
)


def halves(x: float) -> tuple[float, float]:
    """A number as a sum of two with at most 26 bits each, so that their products are exact (Veltkamp)."""
    scaled = 134217729.0 * x
    head = scaled - (scaled - x)
    return head, x - head


def exact_product(a: float, b: float) -> tuple[float, float]:
    """A product and its rounding error (Dekker)."""
    p = a * b
    a_head, a_rest = halves(a)
    b_head, b_rest = halves(b)
    return p, ((a_head * b_head - p) + a_head * b_rest + a_rest * b_head) + a_rest * b_rest


def quarters(x: float) -> tuple[int, float, float]:
    """Number of quarter turns in x, to the nearest, modulo 4 in its last two bits, and the rest as a sum of two."""
    if abs(x) < COUNTED:
        return _counted(x)
    if not abs(x) < math.inf:
        return 0, math.nan, math.nan
    n, a, b = _multiplied(abs(x))
    if x < 0.0:
        return -n, -a, -b
    return n, a, b


def _counted(x: float) -> tuple[int, float, float]:
    n = math.floor(x * TWO_OVER_PI + 0.5)
    t = x - n * PART_1
    w = n * REST_1
    y = t - w
    # where x is near a multiple, more bits of pi
    if abs(y) * 65536.0 < abs(x):
        before, w = t, n * PART_2
        t = before - w
        w = n * REST_2 - ((before - t) - w)
        y = t - w
        if abs(y) * 562949953421312.0 < abs(x):
            before, w = t, n * PART_3
            t = before - w
            w = n * REST_3 - ((before - t) - w)
            y = t - w
    return n, y, (t - y) - w


def _multiplied(x: float) -> tuple[int, float, float]:
    # x = (a + b / B + c / B^2 + d / B^3) B^k  with whole numbers below B = 2^24
    k = 0
    if x >= 2.0**768:
        x, k = x * 2.0**-768, k + 32
    if x >= 2.0**384:
        x, k = x * 2.0**-384, k + 16
    if x >= 2.0**192:
        x, k = x * 2.0**-192, k + 8
    if x >= 2.0**96:
        x, k = x * 2.0**-96, k + 4
    if x >= 2.0**48:
        x, k = x * 2.0**-48, k + 2
    if x >= LIMB:
        x, k = x / LIMB, k + 1
    a = int(x)
    x = (x - a) * LIMB
    b = int(x)
    x = (x - b) * LIMB
    c = int(x)
    d = int((x - c) * LIMB)

    # digits of the product, last first: eight after the point, one before
    first = second = third = fourth = 0
    n = carry = 0
    for place in range(8, -1, -1):
        at = k + place + 3
        total = carry + a * DIGITS[at] + b * DIGITS[at - 1] + c * DIGITS[at - 2] + d * DIGITS[at - 3]
        digit, carry = total & MASK, total >> 24
        if place > 6:
            fourth += digit << (24 * (8 - place))
        elif place > 4:
            third += digit << (24 * (6 - place))
        elif place > 2:
            second += digit << (24 * (4 - place))
        elif place > 0:
            first += digit << (24 * (2 - place))
        else:
            n = digit

    # to the nearest quarter; the fraction as a sum of two
    if first >= 1 << 47:
        n += 1
        first -= 1 << 48
    p = first * 2.0**-48
    q = second * 2.0**-96
    head = p + q
    rest = (q - (head - p)) + (third * 2.0**-144 + fourth * 2.0**-192)
    return _in_radians(n, head, rest)


def _in_radians(n: int, head: float, rest: float) -> tuple[int, float, float]:
    """Times pi/2."""
    whole = head + rest
    rest -= whole - head
    p, e = exact_product(whole, HALF_PI)
    e += whole * HALF_PI_REST + rest * HALF_PI
    y = p + e
    return n, y, e - (y - p)
