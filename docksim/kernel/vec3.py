"""Vectors of three and 3 x 3 matrices as tuples: no heap, no loops.

Matrices are row-major; a symmetric one is (xx, yy, zz, xy, xz, yz).
"""

from docksim.native.decorators import pure


@pure
def load3(x):
    return x[0], x[1], x[2]


@pure
def store3(x, a):
    x[0] = a[0]
    x[1] = a[1]
    x[2] = a[2]


@pure
def load_sym(x):
    return x[0], x[1], x[2], x[3], x[4], x[5]


@pure
def store_sym(x, s):
    x[0] = s[0]
    x[1] = s[1]
    x[2] = s[2]
    x[3] = s[3]
    x[4] = s[4]
    x[5] = s[5]


@pure
def load9(x):
    return x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]


@pure
def store9(x, m):
    x[0] = m[0]
    x[1] = m[1]
    x[2] = m[2]
    x[3] = m[3]
    x[4] = m[4]
    x[5] = m[5]
    x[6] = m[6]
    x[7] = m[7]
    x[8] = m[8]


@pure
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@pure
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@pure
def scale(s, a):
    return s * a[0], s * a[1], s * a[2]


@pure
def axpy(s, a, b):
    """s a + b"""
    return s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]


@pure
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@pure
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@pure
def mat_vec(m, a):
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@pure
def mat_t_vec(m, a):
    """transpose(m) a"""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@pure
def mat_mat(m, n):
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


@pure
def transpose(m):
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@pure
def sym_vec(s, a):
    return (
        s[0] * a[0] + s[3] * a[1] + s[4] * a[2],
        s[3] * a[0] + s[1] * a[1] + s[5] * a[2],
        s[4] * a[0] + s[5] * a[1] + s[2] * a[2],
    )


@pure
def turned_sym(m, s):
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
