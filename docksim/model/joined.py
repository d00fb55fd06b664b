"""The tables of the joint that hooks make: hooks with cams, faces, seal, push rods, and what they do while joined.

Conventions as in docksim/model/__init__.py. Everything is on the axes of the port that carries the hooks, x outward.
The small motion that is left is the gap at the port's axis and its slopes along y and z, open positive.
"""

import numpy as np

_F, _I = np.float64, np.int64

# spaces that hold pressure
N_SPACES = 2
TUNNEL, BETWEEN = range(N_SPACES)

JOINED = np.dtype(
    [
        ("ports", _I),  # row of Model.hooks
        ("weld", _I),  # joint
        ("owner", _I),  # port that carries the hooks, row of Model.marker
        ("other", _I),
        ("sign", _F),  # 1: the owner is on the weld's predecessor, -1: on its successor
        ("first_hook", _I),
        ("hooks", _I),
        ("first_rod", _I),
        ("rods", _I),
        ("first_point", _I),  # of the seal
        ("points", _I),
        ("radius", _F),  # of the circle of hooks [m]
        ("stiffness", _F),  # of one hook [N/m]
        ("face", _F),  # of the faces between two hooks [N/m]
        ("closed_face", _F),  # what they press there when all is closed, as built [N]
        ("reach", _F),  # [m]
        ("window", _F),
        ("throw", _F),  # eccentricity of a cam: half of its way [m]
        ("drive", _F),  # [s]
        ("efficiency", _F),
        ("friction", _F),
        ("seal_share", _F),  # force of one point of the seal at nominal compression [N]
        ("seal_depth", _F),  # nominal compression [m]
        ("seal_height", _F),  # above the face as it is [m]
        ("exponent", _F),
        ("area", _F, N_SPACES),  # that a pressure acts on [m2]
        (
            "per_mass",
            _F,
            N_SPACES,
        ),  # part of its pressure that a space loses with a unit of mass at an atmosphere [1/kg]
        ("leak", _F),  # of a tight seal, at one atmosphere [kg/s]
        ("open_leak", _F),  # of one that does not touch
        ("seal_needed", _F),  # least compression of a tight seal [m]
    ],
    align=True,
)

HOOK = np.dtype(
    [
        ("y", _F),  # where it stands [m]
        ("z", _F),
        ("late", _F),  # closes so much later than the others [s]
        ("late_to_open", _F),
        ("failed", _I),
    ],
    align=True,
)

ROD = np.dtype(
    [
        ("y", _F),
        ("z", _F),
        ("force", _F),  # while the faces touch [N]
        ("stiffness", _F),  # what it loses over its way [N/m]
        ("stroke", _F),
    ],
    align=True,
)

SEAL_POINT = np.dtype([("y", _F), ("z", _F)], align=True)

# ---- state

JOINED_STATE = np.dtype(
    [
        ("commanded", _F),  # when hooks were told to close; -1 before, and after the ports have parted [s]
        ("opening", _F),  # when they were told to open; -1 before [s]
        ("lost", _F),  # when the hooks that there are could hold the joint no longer; -1 if they can [s]
        ("at", _F),  # time of the latest balance [s]
        ("begun", _I),  # 1 once there is a balance
        ("x", _F, 3),  # gap on the axis [m], its slopes along y and z
        ("pull", _F, 3),  # what pulls the faces apart, along x: force, moments [N, N m]
        ("force", _F, 3),  # wrench of the other port on the owner, axes and origin of the owner
        ("moment", _F, 3),
        ("stored", _F),  # energy [J]
        ("cam_work", _F),  # of the cams so far [J]
        ("load_work", _F),  # of loads and pressure on the small motion so far [J]
        ("torque", _F),  # that the drive of all cams needs now [N m]
        ("hooks_pull", _F),  # sum of all hooks [N]
        ("face_least", _F),  # least of the faces' forces at the hooks [N]; negative: what would be missing if they gape
        ("face_sum", _F),
        ("seal", _F),  # sum of all points [N]
        ("seal_least", _F),  # least compression [m]
        ("rods", _F),  # [N]
        ("widest", _F),  # gap anywhere at the circle of hooks [m]
        ("slip_margin", _F),  # friction of the faces less what it has to hold [N]
        ("pressure", _F, N_SPACES),  # [Pa]
        ("leak", _F),  # measured since a valve was shut, reckoned to one atmosphere [kg/s]
        ("gas_at", _F),  # time of it
        ("space", _I),  # that was filled last; N_SPACES if both were vented since, or none was filled
        ("valve_from", _F, N_SPACES),
        ("valve_to", _F, N_SPACES),
        ("valve_since", _F, N_SPACES),  # when a valve was opened; -1 if it is shut [s]
        ("valve_over", _F, N_SPACES),
        ("shut", _F, N_SPACES),  # when it was shut; -1 before [s]
        ("shut_at", _F, N_SPACES),  # pressure then
        # extremes; of loads, gaps and margins since the cams came to their end
        ("peak_hook", _F),
        ("peak_torque", _F),
        ("peak_tension", _F),
        ("peak_compression", _F),
        ("peak_shear", _F),
        ("peak_bending", _F),
        ("peak_torsion", _F),
        ("least_face", _F),
        ("least_seal", _F),
        ("least_margin", _F),
        ("largest_gap", _F),
        ("closed", _F),  # when the cams came to their end; -1 before [s]
    ],
    align=True,
)

HOOK_STATE = np.dtype(
    [
        ("engaged", _I),  # it gripped when it was told to close
        ("cam", _F),  # from -reach, open, to its end [m]
        ("turn", _F),  # of the cam [half turns]
        ("force", _F),  # [N]
        ("cam_before", _F),  # at the balance before
        ("force_before", _F),
    ],
    align=True,
)
