"""The tables of what acts between two bodies that part: rods, a clinging seal, hooks that let go late, pressure.

Conventions as in docksim/model/__init__.py. A tie stands at a point of B and acts along the axis of A, the normal of
A's plate. Its way is how far its point has gone from A's plane since the faces met. It pushes with `ended` + `slope`
left, where `left` is what its way lacks to `end`; rods and seal act while something is left, a hook while nothing is.
"""

import numpy as np

_F, _I = np.float64, np.int64

# kinds of ties
ROD, SEAL, HOOK = range(3)

PARTING = np.dtype(
    [
        ("weld", _I),  # joint that is cut
        ("body_A", _I),  # the plate
        ("p_aA", _F, 3),
        ("axis_A", _F, 3),
        ("body_B", _I),  # what carries rods, seal and hooks
        ("p_bB", _F, 3),
        ("owner_A", _I),  # bodies whose rates are told: those of the vehicles
        ("owner_B", _I),
        ("first_tie", _I),
        ("n_ties", _I),
        ("free", _I),  # 1: rods are not stowed, they push before the two are joined as well
        ("area", _F),  # within the seal [m2]
        ("vented", _F),  # gap at which what was left in the tunnel is gone [m]
    ],
    align=True,
)

TIE = np.dtype(
    [
        ("kind", _I),
        ("p", _F, 3),  # body B
        ("ended", _F),  # push where its way ends [N]
        ("slope", _F),  # [N/m]
        ("end", _F),  # [m]
        ("hook", _I),  # its number from 0, if it is one
        ("delay", _F),  # of a hook, after the others [s]
    ],
    align=True,
)

# ---- state

PARTING_STATE = np.dtype(
    [
        ("live", _I),  # 1: its ties may act
        ("start", _F),  # distance of the ports at the separation [m]
        ("profile", _I),  # of the residual pressure, -1 for none; over time, or over the gap
        ("by_gap", _I),
        ("tunnel", _F),  # pressure that the joint left, where there is no profile [Pa]
        ("drive_start", _F),  # when the two were separated; -1 before [s]
        ("next", _F),  # when a tie next begins or ends, as far as can be seen [steps]
        ("side", _F, (2, 21)),  # inertias of A's and B's sides about B's port at the separation
        ("fixed", _I, 2),  # sides that are anchored
        ("R_WB", _F, 9),  # B's axes, and A's axis at the separation, W
        ("axis", _F, 3),
        ("least", _F),  # least way of any tie since then [m]
        ("rods", _F),  # when the last rod lost touch [s]
        ("clear", _F),  # when nothing was left between the two; -1 before [s]
        ("rate", _F, (2, 3)),  # gained by the owners of A and B from the separation until then, body axes [rad/s]
        ("speed", _F),  # then, of the gap between the ports and across [m/s]
        ("across", _F),
    ],
    align=True,
)

TIE_STATE = np.dtype(
    [
        ("on", _I),
        ("start", _F),  # distance of its point from A's plane where its way begins [m]
        ("opens", _F),  # a hook; -1 if it holds nothing [steps]
    ],
    align=True,
)
