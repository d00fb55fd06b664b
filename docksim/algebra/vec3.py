"""Vectors of three and 3 x 3 matrices as tuples: no heap, no loops. The kernel compiles this source, Python calls it.

Matrices are row-major; a symmetric one is (xx, yy, zz, xy, xz, yz).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Numbers = Sequence[float]
Vec3 = tuple[float, float, float]
Sym3 = tuple[float, float, float, float, float, float]
Mat3 = tuple[float, float, float, float, float, float, float, float, float]
IDENTITY: Mat3 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
NO_SYM: Sym3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO: Vec3 = (0.0, 0.0, 0.0)


def load3(x: Any) -> Vec3:
    return x[0], x[1], x[2]


def store3(x: Any, a: Numbers) -> None:
    x[0] = a[0]
    x[1] = a[1]
    x[2] = a[2]


def load_sym(x: Any) -> Sym3:
    return x[0], x[1], x[2], x[3], x[4], x[5]


def store_sym(x: Any, s: Numbers) -> None:
    x[0] = s[0]
    x[1] = s[1]
    x[2] = s[2]
    x[3] = s[3]
    x[4] = s[4]
    x[5] = s[5]


def load9(x: Any) -> Mat3:
    return x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]


def store9(x: Any, m: Numbers) -> None:
    x[0] = m[0]
    x[1] = m[1]
    x[2] = m[2]
    x[3] = m[3]
    x[4] = m[4]
    x[5] = m[5]
    x[6] = m[6]
    x[7] = m[7]
    x[8] = m[8]


def add(a: Numbers, b: Numbers) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def sub(a: Numbers, b: Numbers) -> Vec3:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale(s: float, a: Numbers) -> Vec3:
    return s * a[0], s * a[1], s * a[2]


def axpy(s: float, a: Numbers, b: Numbers) -> Vec3:
    """s a + b"""
    return s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]


def dot(a: Numbers, b: Numbers) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Numbers, b: Numbers) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def mat_vec(m: Numbers, a: Numbers) -> Vec3:
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


def mat_t_vec(m: Numbers, a: Numbers) -> Vec3:
    """transpose(m) a"""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


def mat_mat(m: Numbers, n: Numbers) -> Mat3:
    return (
        m[0] * n[0] + m[1] * n[3] + m[2] * n[6],
        m[0] * n[1] + m[1] * n[4] + m[2] * n[7],
        m[0] * n[2] + m[1] * n[5] + m[2] * n[8],
        m[3] * n[0] + m[4] * n[3] + m[5] * n[6],
        m[3] * n[1] + m[4] * n[4] + m[5] * n[7],
        m[3] * n[2] + m[4] * n[5] + m[5] * n[8],
        m[6] * n[0] + m[7] * n[3] + m[8] * n[6],
        m[6] * n[1] + m[7] * n[4] + m[8] * n[7],
        m[6] * n[2] + m[7] * n[5] + m[8] * n[8],
    )


def transpose(m: Numbers) -> Mat3:
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


def add_sym(s: Numbers, t: Numbers) -> Sym3:
    return s[0] + t[0], s[1] + t[1], s[2] + t[2], s[3] + t[3], s[4] + t[4], s[5] + t[5]


def sym_vec(s: Numbers, a: Numbers) -> Vec3:
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )


def turned_sym(m: Numbers, s: Numbers) -> Sym3:
    """m s transpose(m), for a symmetric s"""
    r0 = sym_vec(s, (m[0], m[1], m[2]))
    r1 = sym_vec(s, (m[3], m[4], m[5]))
    r2 = sym_vec(s, (m[6], m[7], m[8]))
    return (
        m[0] * r0[0] + m[1] * r0[1] + m[2] * r0[2],
        m[3] * r1[0] + m[4] * r1[1] + m[5] * r1[2],
        m[6] * r2[0] + m[7] * r2[1] + m[8] * r2[2],
        m[0] * r1[0] + m[1] * r1[1] + m[2] * r1[2],
        m[0] * r2[0] + m[1] * r2[1] + m[2] * r2[2],
        m[3] * r2[0] + m[4] * r2[1] + m[5] * r2[2],
    )
