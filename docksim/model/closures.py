"""The tables and codes of closures: what ties two bodies beside the tree. Part of the model.

A closure ties frame A on body a to frame B on body b. Its rows are directions of A along which, or about which, the two
may not move against each other; a bushing has none, its springs and dampers are ordinary forces. Those that the
scenario names come first, then one for every two ports that events join, which is used where a tree cannot be.
"""

import numpy as np

_F, _I = np.float64, np.int64

# kinds: six masked directions of A, one direction between two points, springs and dampers on six
FRAMES, ROD, BUSHING = range(3)
# what is wrong with a closure
SOUND, APART, NOTHING_MOVES, NEARLY_DEPENDENT, CONTRADICTED, DRIFTED, DEPENDENT, NO_LENGTH, MOVING = range(9)
# what may be given of frame B; of a rod its length
POINT, AXES, LENGTH = 1, 2, 4

CLOSURE = np.dtype(
    [
        ("kind", _I),
        ("a", _I),  # bodies
        ("b", _I),
        ("p_aA", _F, 3),  # origin of A in body a's frame [m]
        ("R_aA", _F, 9),  # A axes to body a's axes
        ("p_bB", _F, 3),  # the same of B, where it is given
        ("R_bB", _F, 9),
        ("given", _I),  # sum of POINT, AXES and LENGTH; what is not given is what it is found to be when it closes
        ("length", _F),  # of a rod [m]
        ("fit", _F),  # how far from what is given the ends may be as it closes [m, rad]
        ("mask", _I, 6),  # directions that are tied: turns about x y z of A, travels along them
        ("first_row", _I),
        ("n_rows", _I),
        ("stiffness", _F, 6),  # bushing: [N m/rad] about, [N/m] along x y z of A
        ("damping", _F, 6),
        ("starts_on", _I),
        ("weld", _I),  # joint of the two ports that it joins, or -1
    ],
    align=True,
)

CLOSURE_STATE = np.dtype(
    [
        ("on", _I),
        ("p_bB", _F, 3),  # frame B as it is held
        ("R_bB", _F, 9),
        ("length", _F),
        ("left_out", _I),  # rows that were ever left out while it was on, as a sum of bits
        ("fault", _I),
        ("amount", _F),  # and by how much
        ("moment", _F, 3),  # of a on b about B's origin, on A axes [N m]
        ("force", _F, 3),
        ("gap", _F),  # how far the ends are from where they are tied [m], [rad], [m/s], [rad/s]
        ("turn", _F),
        ("gap_rate", _F),
        ("turn_rate", _F),
        ("largest_moment", _F),
        ("largest_force", _F),
        ("largest_gap", _F),
        ("largest_turn", _F),
    ],
    align=True,
)
ROW_OF_CLOSURE = np.dtype([("chosen", _I)], align=True)  # 1: solved for; 0: follows from the others, or cannot move
# closures that are on, those of them that have rows, and whether some wait to be closed at the start
CLOSING = np.dtype([("on", _I), ("rigid", _I), ("waiting", _I)], align=True)

WORK_CLOSURE_ROW = np.dtype(
    [
        ("closure", _I),
        ("a", _I),
        ("b", _I),
        ("turns", _I),  # 1: a rotation
        ("J_a", _F, 6),  # rate of the row = J_a V_a + J_b V_b; wrenches J_a L on a, J_b L on b
        ("J_b", _F, 6),
        ("g", _F),  # what the row's acceleration is besides J a
        ("f", _F),  # residual
        ("x", _F),  # right-hand side, then the solution
        ("L", _F),
        ("mobility", _F),  # as if both bodies were free
    ],
    align=True,
)
WORK_CLOSING = np.dtype([("n", _I), ("n_path", _I)], align=True)  # rows in use, bodies above any end
