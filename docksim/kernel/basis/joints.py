"""Joints: pose, motion columns and velocity-dependent acceleration of a child against its parent.

A joint turns by Q and shifts by t (F axes) from frame F on its predecessor to frame M on its successor:
R_succ = R_pred R_F Q R_M', r_M = r_F + R_pred R_F t. Traversed from F to M (sign +1) the child is the successor and its
hinge point is M's origin; traversed from M to F (sign -1) the child is the predecessor, its hinge point F's origin.
Every column is a pure turn or a pure travel, except those of a free joint traversed backwards.
Velocity-dependent terms follow Rodriguez and Jain; Meng & Han (2007) leave the rate of H to a reference.
"""

from docksim.algebra.joints import CYLINDRICAL, FREE, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL, turn_and_shift
from docksim.algebra.vec3 import (
    ZERO,
    add,
    axpy,
    cross,
    load3,
    load9,
    mat_mat,
    mat_vec,
    scale,
    store3,
    transpose,
)
from docksim.model.tree import SCREW, TRAVEL, TURN
from docksim.native.decorators import pure


@pure
def joint_transform(joint, q):
    """Turn Q and shift t of M against F, from the coordinates."""
    return turn_and_shift(joint.type, load3(joint.axis), load3(joint.axis_2), q, joint.q)


@pure
def set_column(dof, kind, a, b):
    dof.kind = kind
    store3(dof.a, a)
    store3(dof.b, b)


@pure
def matrix_column(m, i):
    return m[i], m[3 + i], m[6 + i]


@pure
def joint_columns(joint, dofs, sign, R_Fw, R_Mw, t_w):
    """Motion columns of the child against the parent, on W axes. Writes dofs[v : v + nv] kind, a, b."""
    v = joint.v
    kind = joint.type
    if kind == REVOLUTE:
        set_column(dofs[v], TURN, scale(sign, mat_vec(R_Fw, load3(joint.axis))), ZERO)
    elif kind == PRISMATIC:
        set_column(dofs[v], TRAVEL, scale(sign, mat_vec(R_Fw, load3(joint.axis))), ZERO)
    elif kind == CYLINDRICAL:
        a = scale(sign, mat_vec(R_Fw, load3(joint.axis)))
        set_column(dofs[v], TURN, a, ZERO)
        set_column(dofs[v + 1], TRAVEL, a, ZERO)
    elif kind == UNIVERSAL:
        set_column(dofs[v], TURN, scale(sign, mat_vec(R_Fw, load3(joint.axis))), ZERO)
        set_column(dofs[v + 1], TURN, scale(sign, mat_vec(R_Mw, load3(joint.axis_2))), ZERO)
    elif kind == SPHERICAL or kind == FREE:
        for i in range(3):
            a = scale(sign, matrix_column(R_Mw, i))
            if kind == FREE and sign < 0.0:
                set_column(dofs[v + i], SCREW, a, cross(t_w, a))
            else:
                set_column(dofs[v + i], TURN, a, ZERO)
        if kind == FREE:
            for i in range(3):
                set_column(dofs[v + 3 + i], TRAVEL, scale(sign, matrix_column(R_Fw, i)), ZERO)


@pure
def joint_velocity(joint, dofs, beta):
    """Relative angular velocity and hinge-point velocity, sum of columns times rates."""
    dw = ZERO
    dv = ZERO
    for i in range(joint.v, joint.v + joint.nv):
        dof = dofs[i]
        a = load3(dof.a)
        if dof.kind == TRAVEL:
            dv = axpy(beta[i], a, dv)
        else:
            dw = axpy(beta[i], a, dw)
            if dof.kind == SCREW:
                dv = axpy(beta[i], load3(dof.b), dv)
    return dw, dv


@pure
def joint_column_rate(joint, dofs, beta, sign, t_w, dw):
    """Rate of the columns as seen from the parent, times the rates: angular and linear part."""
    v = joint.v
    if joint.type == UNIVERSAL:
        # the columns carry the sign each, their product does not
        s = sign * beta[v] * beta[v + 1]
        return scale(s, cross(load3(dofs[v].a), load3(dofs[v + 1].a))), ZERO
    if joint.type == FREE and sign < 0.0:
        # traversed backwards: travel axes turn with the child, and the arm t of the screws changes
        ds = ZERO
        for i in range(3):
            ds = axpy(-beta[v + 3 + i], load3(dofs[v + 3 + i].a), ds)
        ws = scale(-1.0, dw)
        return ZERO, axpy(2.0, cross(ws, ds), scale(-1.0, cross(ws, cross(ws, t_w))))
    return ZERO, ZERO


@pure
def place_child(joint, sign, q, R_parent, o_parent):
    """Pose of the child: axes R, hinge point from the parent's hinge point, F and M axes in W, shift in W.

    Returns R_child, l, o_child, R_Fw, R_Mw, t_w; all vectors on W axes but o_child (child's frame).
    """
    Q, t = joint_transform(joint, q)
    p_F = load3(joint.p_PF)
    p_M = load3(joint.p_SM)
    if sign > 0.0:
        R_Fw = R_parent if joint.plain_F else mat_mat(R_parent, load9(joint.R_PF))
        R_Mw = mat_mat(R_Fw, Q)
        t_w = mat_vec(R_Fw, t)
        l = add(mat_vec(R_parent, axpy(-1.0, o_parent, p_F)), t_w)
        R = R_Mw if joint.plain_M else mat_mat(R_Mw, transpose(load9(joint.R_SM)))
        return R, l, p_M, R_Fw, R_Mw, t_w
    R_Mw = R_parent if joint.plain_M else mat_mat(R_parent, load9(joint.R_SM))
    R_Fw = mat_mat(R_Mw, transpose(Q))
    t_w = mat_vec(R_Fw, t)
    l = axpy(-1.0, t_w, mat_vec(R_parent, axpy(-1.0, o_parent, p_M)))
    R = R_Fw if joint.plain_F else mat_mat(R_Fw, transpose(load9(joint.R_PF)))
    return R, l, p_F, R_Fw, R_Mw, t_w
