"""The tables of what is largest and least: noted at every state that a run goes through, logged or not.

Two slots where figures show a band: since the last row that is kept, and over the run as of that row. Sizes of vectors
are kept as squares, so that no root is taken in a step. Conventions as in docksim/model/__init__.py.

A load lasts as long as it keeps a level. The largest level kept for LASTING_S is the largest of the least values of
all windows of that length; a queue holds, for the window that ends now, the states that may yet be the least of one:
their loads grow from its head to its tail.
"""

import numpy as np

from docksim.model.contact import N_GROUPS, N_PEAKS

_F, _I = np.float64, np.int64

# slots
SINCE_ROW, BEFORE_ROW = range(2)
# loads across the ports, as figures show them
AXIAL, SHEAR, BENDING, TORSION = range(4)
N_LOADS = 4
# the first impact of a pair: from its first touch until the surfaces part
TO_COME, UNDER_WAY, OVER = range(3)
# a load that is kept this long is no peak [s]
LASTING_S = 0.1
# rounding of times does not make a window too short
WHOLE = 1.0 - 1e-9
# an entry of a queue: its load, and the time of the state after it
QUEUED_LOAD, QUEUED_UNTIL = range(2)

VEHICLE_EXTREMES = np.dtype([("acceleration", _F), ("rate", _F)], align=True)  # squares

LOAD_EXTREMES = np.dtype([("moment", _F, 2), ("force", _F, 2)], align=True)  # squares, by slot

SHAFT_EXTREMES = np.dtype(
    [
        ("least", _F),  # coordinate
        ("largest", _F),
        ("rate", _F),  # size
        ("least_force", _F, 2),  # of all devices together, by slot
        ("largest_force", _F, 2),
    ],
    align=True,
)

PAIR_EXTREMES = np.dtype(
    [
        ("least", _F, N_LOADS),  # loads across the ports since the last row
        ("largest", _F, N_LOADS),
        ("least_group", _F, N_GROUPS),  # forces by group, as WORK_CONTACT has them
        ("largest_group", _F, N_GROUPS),
        ("rate", _F),  # of B against A, square
        ("impact", _I),  # the first one
        ("impact_peak", _F, N_PEAKS),
        ("near", _I),  # before it: is the next known?
        ("R_AB", _F, 9),  # pose of B in A at the last state before the first touch, and its motion, as in WORK_CONTACT
        ("p_AB", _F, 3),
        ("w_AB", _F, 3),
        ("v_AB", _F, 3),
        ("lasting", _F),  # largest compression that was kept for LASTING_S
        ("pressed_since", _F),  # since when there has been compression
        ("head", _I),  # of the queue, and how many are in it
        ("queued", _I),
        # a pair whose contact is measured: what was told takes the place of the model's load
        ("measured", _I),
        ("normal_force", _F),
        ("force", _F, 3),
        ("moment", _F, 3),
    ],
    align=True,
)

# what goes from a port of a pair into its vehicle, where joints are between: through the joint nearest the vehicle
PASSED_ON = np.dtype(
    [
        ("body", _I),  # that hangs on this joint
        ("parent", _I),  # on its other side; nothing is noted while the tree is rooted otherwise
        ("port_body", _I),
        ("p", _F, 3),  # the port, on the axes of its body
        ("axis", _F, 3),  # outward
    ],
    align=True,
)

PASSED_EXTREMES = np.dtype([("peak", _F, N_PEAKS)], align=True)  # as of a pair

LATCH_EXTREMES = np.dtype([("least", _F), ("largest", _F)], align=True)  # pull since the last row
