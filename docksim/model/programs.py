"""The tables of programs: an arm's hand along a path against a frame, or joints whose control learns the masses.

Part of the model; conventions as in docksim/model/__init__.py. D is where the path has the hand, in the target frame T.
A link's frame L is at its joint, z along the axis; P is the frame of the link before, on the first the carrying body.
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
        ("adaptive", _I),  # 1: joints along paths, masses are learnt; hand, target, points and poles are not used
        ("root", _I),  # body that carries the first link
        ("first_link", _I),  # rows of Model.arm_link, one for each joint
        ("first_figure", _I),  # rows of Model.figure
        ("n_figures", _I),
        ("convergence", _F),
    ],
    align=True,
)

PROGRAM_JOINT = np.dtype([("v", _I), ("q", _I), ("shaft", _I), ("posture", _F)], align=True)
WAYPOINT = np.dtype([("time", _F), ("p_TD", _F, 3), ("q_TD", _F, 4)], align=True)

# what a mass figure is: second moments, first moments, mass
S_XX, S_YY, S_ZZ, S_XY, S_XZ, S_YZ, S_X, S_Y, S_Z, S_M = range(10)
FIGURES = ("Sxx", "Syy", "Szz", "Sxy", "Sxz", "Syz", "Sx", "Sy", "Sz", "m")

ARM_LINK = np.dtype(
    [
        ("travels", _I),  # 1: the joint slides
        ("p_PL", _F, 3),  # at zero coordinate
        ("R_PL", _F, 9),
        ("gain", _F),
        ("first", _I),  # rows of Model.figure
        ("count", _I),
    ],
    align=True,
)
# a figure of a link that its joints can feel: how fast it is learnt, and what is believed as a program begins
FIGURE = np.dtype([("link", _I), ("kind", _I), ("rate", _F), ("value", _F)], align=True)

# the path of a joint, as that of a driven coordinate
ARM_LINK_STATE = np.dtype(
    [("profile", _I), ("drive_start", _F), ("drive_from", _F), ("error", _F), ("s", _F)], align=True
)
LEARNT = np.dtype([("value", _F)], align=True)

PROGRAM_STATE = np.dtype(
    [
        ("on", _I),
        ("start", _F),  # when the path began, and where the hand was then
        ("p_TD", _F, 3),
        ("q_TD", _F, 4),
        ("f", _F, 6),  # error at the latest evaluation, or sample: position, rotation vector
        ("rank", _I),  # rows that the joints could meet then
        ("solvable", _F),  # of an adaptive one: det(1 - Q_b R) as it began; 0 before
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
        # while closures are on, and in adaptive programs:
        ("held", _F, MOST_JOINTS),  # forces that sampled drives hold, while they are silenced
        ("still", _F, MOST_JOINTS),  # accelerations without torques of the program
        ("B", _F, (MOST_JOINTS, MOST_JOINTS)),  # what unit torques add; then its eigenvalues on the diagonal
        ("V", _F, (MOST_JOINTS, MOST_JOINTS)),  # its eigenvectors
    ],
    align=True,
)

# of a link, on W axes: as it moves, and as the law would have it move
WORK_ARM_LINK = np.dtype(
    [
        ("axis", _F, 3),
        ("arm", _F, 3),  # from the origin of the link before, or of the body that carries the first
        ("R_WL", _F, 9),
        ("w_WL", _F, 3),
        ("law_w", _F, 3),  # as the law would have it turn
        ("turning", _F, 3),  # angular and classical acceleration of L, both motions mixed
        ("a", _F, 3),
        ("moment", _F, 3),  # that the link asks for, about L's origin; then of all that hang on it
        ("force", _F, 3),
        ("rate", _F),  # of the joint: where the law would have it
        ("acceleration", _F),
        ("tau", _F),
    ],
    align=True,
)

WORK_FIGURE = np.dtype([("step", _F)], align=True)  # what was learnt in the latest sample
