"""The tables of programs: an arm's hand along a path against a frame. Part of the model.

Conventions as in docksim/model/__init__.py. D is where the path has the hand, in the target frame T.
"""

import numpy as np

_F, _I = np.float64, np.int64

# whether a program acts; one that has been switched on takes the hand as it finds it
PROGRAM_OFF, PROGRAM_ON, PROGRAM_BEGINS = range(3)
MOST_JOINTS = 24

PROGRAM = np.dtype(
    [
        ("hand", _I),  # body, and the frame H on it
        ("p_BH", _F, 3),
        ("R_BH", _F, 9),
        ("target", _I),  # body, the world among them, and the frame T on it
        ("p_BT", _F, 3),
        ("R_BT", _F, 9),
        ("rows", _I),  # 3: position alone; 6: attitude too
        ("first_joint", _I),  # rows of Model.program_joint
        ("n_joints", _I),
        ("first_point", _I),  # rows of Model.waypoint
        ("n_points", _I),
        ("G1", _F, 2),  # f'' + G1 f' + G0 f = 0, of position and attitude
        ("G0", _F, 2),
        ("redundancy", _F, 2),  # v = -r0 q' - r1 (q - posture)
        ("sample_steps", _I),  # 0: continuous
    ],
    align=True,
)

PROGRAM_JOINT = np.dtype([("v", _I), ("q", _I), ("shaft", _I), ("posture", _F)], align=True)
WAYPOINT = np.dtype([("time", _F), ("p_TD", _F, 3), ("q_TD", _F, 4)], align=True)

PROGRAM_STATE = np.dtype(
    [
        ("on", _I),
        ("start", _F),  # when the path began, and where the hand was then
        ("p_TD", _F, 3),
        ("q_TD", _F, 4),
        ("f", _F, 6),  # error at the latest evaluation, or sample: position, rotation vector
        ("rank", _I),  # rows that the joints could meet then
    ],
    align=True,
)

WORK_PROGRAM = np.dtype(
    [
        ("f", _F, 6),
        ("f_rate", _F, 6),
        ("f_acc", _F, 6),
        ("drift", _F, 6),  # f'' while the joints have no acceleration
        ("G", _F, (6, MOST_JOINTS)),  # f'' by accelerations of the joints
        ("S", _F, (6, 6)),  # G G', then its factor
        ("y", _F, 6),
        ("wanted", _F, MOST_JOINTS),  # accelerations
        # while closures are on:
        ("held", _F, MOST_JOINTS),  # forces that sampled drives hold, while they are silenced
        ("still", _F, MOST_JOINTS),  # accelerations without torques of the program
        ("B", _F, (MOST_JOINTS, MOST_JOINTS)),  # what unit torques add; then its eigenvalues on the diagonal
        ("V", _F, (MOST_JOINTS, MOST_JOINTS)),  # its eigenvectors
    ],
    align=True,
)
