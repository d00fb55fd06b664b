"""The tables and codes of the tree: bodies, joints with their coordinates, prescribed motion, ports. Part of the model.

Conventions as in docksim/model/__init__.py.

A joint sits between frame F on its predecessor body and frame M on its successor body. `LINK` says how the tree hangs
together now: each body's parent, the joint between them, and whether the joint is traversed from F to M (+1) or from
M to F (-1, after a re-rooting). Joint coordinates keep their meaning whichever way the tree is traversed.
"""

import numpy as np

_F, _I = np.float64, np.int64

# what decides a coordinate's motion; asked: its acceleration is prescribed while a program looks for torques
FORCED, DRIVEN, LOCKED, ASKED = range(4)
# what a coordinate's column does: turn about an axis, travel along it, or both (a free joint traversed from M to F)
TURN, TRAVEL, SCREW = range(3)
# what a coordinate is: a number of its own, or one of three of a rotation
SCALAR, BALL = range(2)
# prescribed motion
HOLD, MOVE, RATE, SINE, TABLE, RATE_LIMITED = range(6)

BODY = np.dtype(
    [
        ("mass", _F),  # [kg]
        ("com", _F, 3),  # mass centre, body frame [m]
        ("inertia", _F, 6),  # about the mass centre, body axes [kg m2]
        ("vehicle", _I),  # whose it is; -1 for the world
    ],
    align=True,
)

JOINT = np.dtype(
    [
        ("type", _I),  # see docksim/algebra/joints.py
        ("pred", _I),  # body that carries F
        ("succ", _I),  # body that carries M; -1 for a root slot, which takes whichever body heads its tree
        ("q", _I),  # first coordinate in State.q
        ("v", _I),  # first rate in State.beta
        ("nv", _I),  # number of rates
        ("p_PF", _F, 3),  # origin of F in the predecessor's frame P [m]
        ("R_PF", _F, 9),  # F axes to predecessor axes
        ("p_SM", _F, 3),  # and M in that of the successor, S
        ("R_SM", _F, 9),
        ("plain_F", _I),  # 1 where R_PF is the identity: two products less in the hottest pass
        ("plain_M", _I),
        ("mechanism", _I),  # -1, or the mechanism whose ring is the successor: F is then B, and M is C
        ("axis", _F, 3),  # unit, F axes
        ("axis_2", _F, 3),  # second axis of a universal joint, unit, M axes
    ],
    align=True,
)

DOF = np.dtype(
    [
        ("joint", _I),
        ("kind", _I),  # SCALAR or BALL
        ("stiffness", _F),  # [N m/rad] or [N/m]
        ("rest", _F),  # [rad] or [m]
        ("damping", _F),
        ("friction", _F),  # Coulomb level [N m] or [N]
        ("presliding", _F),  # displacement at which the bristle slips [rad] or [m]
        ("lower", _F),  # stops; -inf, inf where there are none
        ("upper", _F),
        ("stop_stiffness", _F),
        ("stop_damping", _F),  # Hunt-Crossley factor [s/rad] or [s/m]
        ("armature", _F),  # reflected rotor inertia [kg m2] or [kg]
    ],
    align=True,
)

PROFILE = np.dtype(
    [
        ("kind", _I),
        ("target", _F),  # MOVE, RATE_LIMITED: where to; RATE: the rate; SINE: the amplitude
        ("duration", _F),  # MOVE: how long; RATE_LIMITED: the fastest; SINE: angular frequency [rad/s]
        ("first_knot", _I),  # TABLE: rows of Model.knot
        ("n_knots", _I),
    ],
    align=True,
)

# a drive's table: cubic on [time, next time], lowest power first; a device's table: force and slope from the coordinate
# or rate `time` on, and the energy stored there
KNOT = np.dtype([("time", _F), ("c", _F, 4)], align=True)

# a port: frame P on a body B
MARKER = np.dtype([("body", _I), ("p_BP", _F, 3), ("R_BP", _F, 9)], align=True)

# ---- state

LINK = np.dtype([("parent", _I), ("joint", _I), ("sign", _F)], align=True)

DOF_STATE = np.dtype(
    [
        ("mode", _I),
        ("torque", _F),  # motor
        ("bristle", _F),  # presliding displacement of the friction bristle
        ("profile", _I),
        ("drive_start", _F),  # when the drive began, and from where
        ("drive_from", _F),
    ],
    align=True,
)

# ---- scratch

# of body B: H its hinge point, P that of its parent, C its mass centre; on W axes but for p_BH
WORK_BODY = np.dtype(
    [
        ("R_WB", _F, 9),
        ("p_BH", _F, 3),  # body frame
        ("p_WH", _F, 3),
        ("p_PH", _F, 3),
        ("p_HC", _F, 3),
        ("w_WB", _F, 3),
        ("v_WH", _F, 3),
        ("bias", _F, 6),  # acceleration that needs no acceleration of parent or joint
        ("f", _F, 6),  # external wrench about the hinge point: moment, force
        ("P", _F, 21),  # articulated inertia: angular (6), angular-linear (9), linear (6)
        ("z", _F, 6),  # articulated bias
        ("A_WH", _F, 6),  # angular acceleration; classical acceleration of the hinge point
    ],
    align=True,
)

WORK_DOF = np.dtype(
    [
        ("kind", _I),
        ("a", _F, 3),  # axis in W
        ("b", _F, 3),  # linear part of a SCREW column
        ("U", _F, 6),  # P h
        ("D_inv", _F),  # 1 / (h P h + armature)
        ("u", _F),
        ("tau", _F),  # generalised force (not T: that is an attribute of every numpy row)
        ("K", _F),  # tangent stiffness and damping of T, frozen at the start of a linearly implicit step
        ("C", _F),
        ("sticks", _I),  # 1 where friction sticks through a linearly implicit step
        ("S", _F),  # what the linearly implicit step adds to D
        ("lag", _F),  # twice the first stage's rate, in the second stage of a linearly implicit step
        ("r", _F),  # coordinate part of the linearly implicit right-hand side
        ("beta_dot", _F),
        ("u_dot", _F),  # rate of the local coordinate
        ("u_now", _F),  # local coordinate, measured from the start of the step
    ],
    align=True,
)
