"""The tables and codes of the docking mechanism: legs, shafts with their devices, ring. Part of the model.

Conventions as in docksim/model/__init__.py.
"""

from typing import Annotated, NamedTuple

import numpy as np

_F, _I = np.float64, np.int64

# what of a shaft a condition looks at
SHAFT_COORDINATE, SHAFT_RATE, SHAFT_FORCE = range(3)
# what of a shaft an event may set
SET_FORCE, SET_FRICTION, SET_DAMPING, SET_EDDY_PEAK, SET_STIFFNESS_GAIN, SET_DAMPING_GAIN, SET_TARGET = range(7)
SET_TARGET_RATE, SET_RATE_LIMIT, SET_FORCE_LIMIT, SET_MODE, SET_ENABLED, SET_ADMITTANCE = range(7, 13)
SET_TARGET_FORCE, SET_PATH = range(13, 15)
# servos: what is controlled, and where the coordinate is measured from
POSITION, VELOCITY, EFFORT = range(3)
OWN, MEAN = range(2)
# what does work on a shaft
DAMPER, BRAKE, STOPPER, MOTOR = range(4)

# leg types of the docking mechanism, base to ring
UPS, SPU, UCU, RUS, RSU = range(5)
# how a leg's closure went
LEG_FINE, LEG_UNREACHABLE, LEG_SINGULAR = range(3)

LEG = np.dtype(
    [
        ("type", _I),
        ("block", _I),  # where its lane is: row of Model.block and of Work.block, and place in the row
        ("lane", _I),
        ("l_0", _F, 3),  # base joint centre in B; Hunt: foot of the elbow on the crank axis
        ("R_0", _F, 9),  # base joint axes to B
        ("travel", _F, 3),  # way of the base joint at full retraction, B; not read where it goes along a curve
        ("first_knot", _I),  # the curve: a table of n_knots rows of Model.knot for x, then one for y and one for z
        ("n_knots", _I),
        ("l_C", _F, 3),  # ring joint centre in C
        ("e_2", _F, 3),  # z axis of the ring joint in C, for the types with a universal joint there
        ("a", _F),  # Stewart: from the lower link's origin to the upper one's at zero stroke
        ("b", _F),  # Stewart: from the upper link's origin to the ring joint
        ("l12", _F),  # Hunt: crank
        ("l23", _F),  # Hunt: rod
        ("R_k", _F, 9),  # Hunt: elbow frame
        ("elbow", _F),  # Hunt: branch, +1 or -1
        ("spin", _F),  # branch of the link's spin, +1 or -1
        ("mass", _F, 2),  # lower link and upper link, or crank and rod
        ("com", _F, (2, 3)),  # from the link's origin, link axes
        ("inertia", _F, (2, 6)),  # about the link's origin, link axes
        ("rotor", _F, 4),  # reflected rotor inertia of the kept joints
    ],
    align=True,
)

# legs of one type side by side: the hot loops run over lanes, see kernel/mechanism/leg_share.py
LANES = 8
SHARE_A, SHARE_B, SHARE_G, SHARE_N, SHARE_I = 0, 21, 27, 63, 69  # where each sum's numbers begin in a share
SHARES = 78

LEG_BLOCK = np.dtype(
    [
        ("type", _I),
        ("n_legs", _I),
        # as in LEG; lanes beyond n_legs hold massless copies of the last leg
        ("l_0", _F, (3, LANES)),
        ("R_0", _F, (9, LANES)),
        ("l_C", _F, (3, LANES)),
        ("e_2", _F, (3, LANES)),
        ("a", _F, LANES),
        ("b", _F, LANES),
        ("l12", _F, LANES),
        ("l23", _F, LANES),
        ("R_k", _F, (9, LANES)),
        ("elbow", _F, LANES),
        ("spin", _F, LANES),
        ("mass", _F, (2, LANES)),
        ("mc", _F, (2, 3, LANES)),  # first moments about the links' origins, link axes
        ("J", _F, (2, 6, LANES)),
        ("rotor", _F, (4, LANES)),
    ],
    align=True,
)

WORK_BLOCK = np.dtype(
    [
        # the base joints, where they have been retracted; zero where they stay
        ("way", _F, (3, LANES)),  # from where they are at home
        ("v_0", _F, (3, LANES)),  # velocity in B,
        ("a_0", _F, (3, LANES)),  # acceleration,
        ("tangent", _F, (3, LANES)),  # and velocity by rate of the retraction
        # results
        ("margin", _F, LANES),  # smallest sine, cosine or length of the closure: singular near zero
        ("reach", _F, LANES),  # Hunt: cosine of the angle between crank and ring joint; out of reach beyond 1
        ("x", _F, LANES),  # stroke, or sine of the crank's angle
        ("x_cos", _F, LANES),  # cosine of the crank's angle
        ("rate", _F, LANES),  # of the actuated joint
        ("Q", _F, LANES),  # force of the devices on the actuated joint: the one input among the results
        ("gain", _F, LANES),  # actuated rate by velocity of the ring joint along the link
        ("axis", _F, (3, LANES)),  # x axis of the link, B
        ("arm", _F, (3, LANES)),  # ring joint from the ring's origin, B
        ("drift", _F, LANES),  # acceleration along the link that the velocities alone demand of the ring joint
        ("share", _F, (SHARES, LANES)),
    ],
    align=True,
)

MECHANISM = np.dtype(
    [
        ("joint", _I),
        ("body", _I),  # the ring
        ("first_leg", _I),
        ("n_legs", _I),
        ("first_block", _I),
        ("n_blocks", _I),
        ("leg_mass", _F),  # of all links
        ("inertial_base", _I),  # 1: rate and acceleration of the base are left out, as in the paper
        ("by_joints", _I),  # 1: its legs go through their joint coordinates, as in the paper
        ("first_coupling", _I),  # rows of Model.shaft
        ("n_couplings", _I),
        ("moves", _I),  # 1: its base joints can be retracted
        ("stroke", _F),  # way of the drive at full retraction; what follows is by parts of it, as forces are
        ("drive_mass", _F),  # 0: the retraction is prescribed
        ("drive_response", _F),  # time constant of its rate loop [s]
    ],
    align=True,
)

# what devices act on: a leg's stroke [m] or crank angle [rad], a coupling of six of them, or a joint's coordinate
SHAFT = np.dtype(
    [
        ("mechanism", _I),  # -1 for a joint
        ("leg", _I),  # row of Model.leg; -1 for a coupling or a joint
        ("v", _I),  # of a joint: its rate in State.beta, and its coordinate in State.q
        ("q", _I),
        ("weight", _F, 6),  # of the mechanism's legs in the coordinate
        ("turns", _I),  # 1 for the crank of a leg, whose angle is continued beyond half a turn
        ("stiffness", _F),  # linear spring; not read where there is a table
        ("rest", _F),
        ("spring_first", _I),  # table: rows of Model.knot
        ("spring_n", _I),
        ("damper_first", _I),
        ("damper_n", _I),
        ("eddy_rate", _F),  # at which the eddy-current brake is strongest
        ("presliding", _F),
        ("lower", _F),  # stops; -inf, inf where there are none
        ("upper", _F),
        ("stop_stiffness", _F),
        ("stop_damping", _F),
        ("stop_travel", _F),  # how far a stop may be compressed
        ("rotor", _F),  # behind a coupling; that of a leg is in Model.leg
        ("speed_limit", _F),  # rate at which the servo's motor has no force left; inf
        ("follows", _I),
        ("sample_steps", _I),  # 0: a continuous servo
        ("delay_samples", _I),
        ("admittance_mass", _F),  # 0: none
        ("admittance_damping", _F),
        ("admittance_stiffness", _F),
        ("dead_band", _F),
        ("travel_limit", _F),
    ],
    align=True,
)

# first what events may set, then what is remembered
SHAFT_STATE = np.dtype(
    [
        ("force", _F),  # constant force of the motor
        ("friction", _F),
        ("damping", _F),
        ("eddy_peak", _F),
        ("servo_on", _I),
        ("gives_way", _I),  # to the force of the ring, where the servo has an admittance
        ("mode", _I),
        ("stiffness_gain", _F),
        ("damping_gain", _F),
        ("target", _F),
        ("target_rate", _F),
        ("target_force", _F),
        ("rate_limit", _F),
        ("force_limit", _F),
        ("on_path", _I),  # 1: the set-point goes along a profile, as a driven coordinate does
        ("profile", _I),
        ("drive_start", _F),
        ("drive_from", _F),
        ("bristle", _F),
        ("start", _F),  # coordinate at the start of the step
        ("command", _F),  # set-point and its rate
        ("command_rate", _F),
        ("held", _F),  # force of a sampled servo, now and from the next step on
        ("pending", _F),
        ("asked", _F),  # by a sampled servo at its last sample, before and after its limits
        ("allowed", _F),
        ("head", _I),  # of the queue of forces on their way
        ("yielding", _F),  # what the admittance adds to the set-point, and its rate
        ("yielding_rate", _F),
        ("work", _F, 4),  # done on the system by damper, brake, stops, motor [J]
    ],
    align=True,
)

WORK_SHAFT = np.dtype(
    [
        ("x", _F),
        ("rate", _F),
        ("turn", _F, 3),  # a leg's: rate of the coordinate by the ring's turn and travel, and its drift
        ("travel", _F, 3),
        ("drift", _F),
        ("spring", _F),  # forces by device, positive where they lengthen
        ("damper", _F),
        ("brake", _F),
        ("stop", _F),
        ("motor", _F),
        ("asked", _F),  # of the servo, before and after its limits
        ("allowed", _F),
        ("sticks", _I),  # 1 where the brake of a joint sticks through a linearly implicit step
        ("tau", _F),  # all together
        ("reaction", _F),  # what turns the rotor behind a coupling; only while loads are computed
        ("power", _F, 4),
        ("k_sum", _F, 4),  # weighted sum of the powers over the stages
        ("k_first", _F, 4),  # the powers at the start of a step under a tolerance, and at its end
        ("k_last", _F, 4),
        ("sums", _F, 4),  # the works, while rows within a step are logged
        ("rate_before", _F),  # before an impulse
    ],
    align=True,
)

# what the drive of a retraction does: its screw holds, it goes as it is told, it pushes with all its force, or it comes
# to rest within this piece of a step
HELD, FOLLOWING, PUSHING, BRAKING = range(4)

# a mechanism's base joints, driven along their travel; a fraction of the whole, its rate and acceleration at the start
RETRACTION_STATE = np.dtype(
    [
        # prescribed
        ("mode", _I),
        ("profile", _I),
        ("drive_start", _F),
        ("drive_from", _F),
        ("rate_from", _F),
        ("acceleration_from", _F),
        # by a drive
        ("phase", _I),
        ("fraction", _F),
        ("rate", _F),
        ("acceleration", _F),  # while it comes to rest
        ("target", _F),
        ("rate_limit", _F),
        ("force_limit", _F),
        ("stalled", _F),  # how long it was held though it was to go on [s]
        ("stalled_load", _F),  # the largest load that it was held against
    ],
    align=True,
)

# the leg that could not follow its ring, and by how much; status RUNNING if all could
LOST_LEG = np.dtype([("status", _I), ("leg", _I), ("value", _F)], align=True)

RING = np.dtype([("mass", _F), ("com", _F, 3), ("inertia", _F, 6)], align=True)  # inertia about C's origin, C axes

WORK_LEG = np.dtype(
    [
        ("status", _I),
        ("l_0", _F, 3),  # base joint with its travel, B
        ("v_0", _F, 3),  # and its velocity
        ("angle", _F, (4, 2)),  # sine and cosine of each turn; a travel in the first place
        ("rate", _F, 4),  # of the kept joints
        ("R_BE", _F, 9),  # link axes E to B
        ("n_R", _F, 3),  # normal of the cut universal joint, B
        ("column", _F, (4, 4)),  # rates of the kept joints by input
        ("g", _F, (2, 4, 3)),  # angular velocity of each link by input, E
        ("h", _F, (2, 4, 3)),  # velocity of each link's origin by input, E
        ("rho", _F, (2, 3)),  # link origin from the base joint, E
        ("arm", _F, 3),  # ring joint from the second link's origin, E
        ("m", _F, 2),
        ("mc", _F, (2, 3)),  # first moment about the link's origin, E
        ("J", _F, (2, 6)),  # about the link's origin, E
        ("F", _F, (2, 3)),  # force that the velocities alone demand, E
        ("N", _F, (2, 3)),  # and its moment about the link's origin
        ("y_0", _F, 4),  # inputs that the velocities alone demand
        ("M", _F, (4, 4)),  # inertia against the inputs
        ("n", _F, 4),  # bias against the inputs
        ("G_F", _F, (4, 3)),  # force on the base joint by input, E
        ("G_N", _F, (4, 3)),  # moment about the base joint by input, E
        ("Q", _F, 4),  # active forces of the kept joints
        ("y", _F, 4),  # inputs: velocity of the ring joint on E axes, n_R . w_C
        ("load", _F, (3, 6)),  # wrenches: base on first link, first link on second, leg on ring; B axes
        ("before", _F, (2, 6)),  # links' twists and joint rates before an impulse, E
        ("rate_before", _F, 4),
    ],
    align=True,
)

# a leg in joint coordinates; link j follows joint j, and its vectors are on its own axes unless said otherwise
WORK_BRANCH = np.dtype(
    [
        ("status", _I),
        ("angle", _F, (4, 2)),  # as in WORK_LEG
        ("R_BE", _F, 9),
        ("turn", _F, (4, 9)),  # axes of link j to those before
        ("d", _F, (4, 3)),  # from the origin before to this one, with the stroke, on the axes before
        ("axes", _F, (4, 9)),  # of the links to B
        ("r", _F, (4, 3)),  # their origins in B
        ("H", _F, (4, 6)),  # joint rates by the ring's turn and travel
        ("n_R", _F, 3),  # normal of the cut universal joint, B
        ("spin_gain", _F),  # rate of the link's spin by a turn about n_R
        ("margin", _F),  # volume of the columns of C_d over that of a box: singular near zero
        ("rate", _F, 4),
        ("acceleration", _F, 4),
        ("w", _F, (4, 3)),
        ("eps", _F, (4, 3)),
        ("W", _F, (4, 3)),  # acceleration of the origin
        ("c", _F, 4),  # what the rates alone take of the closure's acceleration, B
        ("h", _F, 4),
        ("given", _F, (4, 6)),  # gravity on the links about their origins
        ("load", _F, (4, 6)),  # of each link on the next, about the next one's origin
        ("A", _F, (4, 4)),
        ("b", _F, 4),  # active forces left out
        ("rest", _F, 4),  # b - A h
        ("AH", _F, (4, 6)),
        ("F", _F, (4, 6)),  # wrench on the base by joint acceleration, about B's origin, B axes
        ("I", _F, 9),  # moment of inertia and first moment about B's origin, B axes
        ("cut", _F, 4),  # lambda: force of the ring on the leg, B axes, and moment along n_R
    ],
    align=True,
)

WORK_MECHANISM = np.dtype(
    [
        ("R_WB", _F, 9),  # B: the mechanism's base, C: its ring
        ("p_HB", _F, 3),  # H: hinge point of the base body; W axes
        ("R_BC", _F, 9),
        ("p_BC", _F, 3),
        ("move", _F, 3),  # retraction of the base joints: fraction of their travel, its rate and acceleration
        ("by_ring", _F, 6),  # inertia between the retraction and the ring's acceleration,
        ("by_base", _F, 6),  # that of B,
        ("by_itself", _F),  # and its own
        ("free_force", _F),  # of the drive less the base joints' loads at zero accelerations
        ("drive_force", _F),  # what moves or holds the base joints
        ("fraction_start", _F),  # at the start of a piece of a step
        ("rate_start", _F),
        ("phase_start", _I),
        ("k_fraction", _F, 4),  # rates of the stages
        ("k_rate", _F, 4),
        ("at_end", _F, 4),  # fraction, rate, and theirs at the end of a step under a tolerance
        ("total", _F, SHARES),  # what all legs add
        ("A", _F, 21),  # as in MechanismWork
        ("G", _F, (6, 6)),
        ("b", _F, 6),
        ("n_0", _F, 6),
        ("I", _F, 21),
        ("L", _F, (6, 6)),
        ("Y", _F, (6, 8)),
        ("YY", _F, (6, 8)),
        ("P_m", _F, 21),
        ("z_m", _F, 6),
        ("A_0", _F, 6),  # acceleration of B, B axes
        ("u_dot", _F, 6),
    ],
    align=True,
)


class MechanismWork(NamedTuple):
    """Scratch of one mechanism."""

    leg: Annotated[np.ndarray, WORK_LEG]  # (6,)
    shaft: Annotated[np.ndarray, WORK_SHAFT]  # (6,)
    A: Annotated[np.ndarray, _F]  # (21,) A*, a spatial inertia about C's origin
    G: Annotated[np.ndarray, _F, 2]  # (6, 6) G*, wrench about B's origin by ring acceleration
    b: Annotated[np.ndarray, _F]  # (6,) b*
    n_0: Annotated[np.ndarray, _F]  # (6,) n0*
    I: Annotated[np.ndarray, _F]  # (21,) I*, about B's origin
    L: Annotated[np.ndarray, _F, 2]  # (6, 6) Cholesky factor of A*
    Y: Annotated[np.ndarray, _F, 2]  # (6, 8) L^-1 [G*' b* 0]
    YY: Annotated[np.ndarray, _F, 2]  # (6, 8) products of the columns of Y
    P_m: Annotated[np.ndarray, _F]  # (21,) articulated inertia of the whole mechanism about B's origin
    z_m: Annotated[np.ndarray, _F]  # (6,)
