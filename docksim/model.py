"""The arrays that cross into the kernel, and their integer codes.

Three bundles, as in every fast engine: `Model` is constant during a run, `State` is all that must be saved to go on
later with the same bits, `Work` is scratch. `Log` receives the rows. A bundle is a NamedTuple of tables; a table is a
structured array with one row per body, joint, coordinate and so on, so that a kernel call passes a handful of arrays
and a row lies together in memory. SI units and radians throughout; matrices are row-major tuples of nine; symmetric
3 x 3 are (xx, yy, zz, xy, xz, yz); quaternions are (w, x, y, z). Body 0 is the world W.

A joint sits between frame F on its predecessor body and frame M on its successor body. `Link` says how the tree hangs
together now: each body's parent, the joint between them, and whether the joint is traversed from F to M (+1) or from
M to F (-1, after a re-rooting). Joint coordinates keep their meaning whichever way the tree is traversed.
"""

from typing import NamedTuple

import numpy as np

# the tables and codes of contact belong to the model as well
from docksim.contact_tables import (  # noqa: F401
    ARMED,
    CONTACT,
    CONTACT_ROW,
    CONTACT_STATE,
    EDGES,
    ENGAGED,
    FACE_POINT,
    FACES,
    FAILED,
    GROUP_NAMES,
    HUNT_CROSSLEY,
    INTERFACE,
    KELVIN_VOIGT,
    LATCH,
    LATCH_STATE,
    N_GROUPS,
    N_PEAKS,
    NO_GROUP,
    OPENED,
    PETAL,
    PETALS,
    ROW_STATE,
    SPHERE,
    SPHERES,
    STRIKER,
    SWEEP,
    WORK_CONTACT,
    WORK_LATCH,
    WORK_ROW,
)

# and those of the docking mechanism
from docksim.leg_tables import (  # noqa: F401
    BRAKE,
    DAMPER,
    LANES,
    LEG,
    LEG_BLOCK,
    LEG_FINE,
    LEG_SINGULAR,
    LEG_UNREACHABLE,
    MEAN,
    MECHANISM,
    MOTOR,
    OWN,
    POSITION,
    RING,
    RSU,
    RUS,
    SET_DAMPING,
    SET_DAMPING_GAIN,
    SET_EDDY_PEAK,
    SET_ENABLED,
    SET_FORCE,
    SET_FORCE_LIMIT,
    SET_FRICTION,
    SET_MODE,
    SET_RATE_LIMIT,
    SET_STIFFNESS_GAIN,
    SET_TARGET,
    SET_TARGET_RATE,
    SHAFT,
    SHAFT_COORDINATE,
    SHAFT_FORCE,
    SHAFT_RATE,
    SHAFT_STATE,
    SHARE_A,
    SHARE_B,
    SHARE_G,
    SHARE_I,
    SHARE_N,
    SHARES,
    SPU,
    STOPPER,
    UCU,
    UPS,
    VELOCITY,
    WORK_LEG,
    WORK_MECHANISM,
    WORK_SHAFT,
    MechanismWork,
)

# joint types
FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, SPHERICAL, FREE = range(7)
# what decides a coordinate's motion
FORCED, DRIVEN, LOCKED = range(3)
# what a coordinate's column does: turn about an axis, travel along it, or both (a free joint traversed from M to F)
TURN, TRAVEL, SCREW = range(3)
# which part of the joint's configuration a coordinate belongs to
SCALAR, BALL = range(2)
# prescribed motion
HOLD, MOVE, RATE, SINE, TABLE = range(5)
# a load's components are on body axes or on the axes of W
ON_BODY_AXES, ON_WORLD_AXES = range(2)
# attitude control actuators
JETS, WHEELS = range(2)
# integrators
RK4, SEMI_IMPLICIT_EULER, LINEARLY_IMPLICIT = range(3)
# event conditions
AT_TIME, AFTER_EVENT = range(2)
COORDINATE_ABOVE, COORDINATE_BELOW, DISTANCE_ABOVE, DISTANCE_BELOW, SPIN_ABOVE, SPIN_BELOW = range(2, 8)
SHAFT_ABOVE, SHAFT_BELOW = range(8, 10)
CONTACT_ABOVE, LATCHED, SEPARATED, NOT_FIRED = range(10, 14)
# event actions
LOCK, RELEASE, DRIVE, TORQUE, JOIN, SEPARATE, JETTISON, FIRE, ATTITUDE_HOLD, PHASE, STOP, SET_SHAFT, RETRACT = range(13)
OPEN_LATCHES, ARM_LATCHES, CUT = range(13, 16)
# how the loop ended
RUNNING, DONE, STOPPED, NON_FINITE, BAD_JOIN, BAD_SEPARATION, OUT_OF_REACH, SINGULAR_LEG, OVER_STROKE = range(9)
OVERLAP = 9

# what did work on the system: one accumulator each, in joules
WORK_NAMES = (
    "joint_damping",
    "joint_friction",
    "joint_stops",
    "joint_motors",
    "joint_drives",
    "thrusters",
    "loads",
    "attitude_control",
    "environment",
    "impulses",
    "push_off_release",
    "contact_damping",
    "contact_friction",
    "latch_damping",
)
(
    W_DAMPING,
    W_FRICTION,
    W_STOPS,
    W_MOTORS,
    W_DRIVES,
    W_THRUSTERS,
    W_LOADS,
    W_CONTROL,
    W_ENVIRONMENT,
    W_IMPULSES,
    W_PUSH_OFF,
    W_CONTACT,
    W_RUBBING,
    W_LATCHES,
) = range(len(WORK_NAMES))
N_WORKS = len(WORK_NAMES)

_F, _I = np.float64, np.int64

BODY = np.dtype(
    [
        ("mass", _F),  # [kg]
        ("com", _F, 3),  # mass centre, body frame [m]
        ("inertia", _F, 6),  # about the mass centre, body axes [kg m2]
    ],
    align=True,
)

JOINT = np.dtype(
    [
        ("type", _I),
        ("pred", _I),  # body that carries F
        ("succ", _I),  # body that carries M; -1 for a root slot, which takes whichever body heads its tree
        ("q", _I),  # first coordinate in State.q
        ("v", _I),  # first rate in State.beta
        ("nv", _I),  # number of rates
        ("p_F", _F, 3),  # origin of F in the predecessor's frame [m]
        ("R_F", _F, 9),  # F axes to predecessor axes
        ("p_M", _F, 3),
        ("R_M", _F, 9),
        ("plain_F", _I),  # 1 where R_F is the identity: two products less in the hottest pass
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
        ("part", _I),  # SCALAR or BALL
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
        ("target", _F),  # MOVE: where to; RATE: the rate; SINE: the amplitude
        ("duration", _F),  # MOVE: how long; SINE: angular frequency [rad/s]
        ("first_knot", _I),  # TABLE: rows of Model.knot
        ("n_knots", _I),
    ],
    align=True,
)

# a drive's table: cubic on [time, next time], lowest power first; a device's table: force and slope from the coordinate
# or rate `time` on, and the energy stored there
KNOT = np.dtype([("time", _F), ("c", _F, 4)], align=True)

MARKER = np.dtype([("body", _I), ("p", _F, 3), ("R", _F, 9)], align=True)  # a port: frame on a body

LOAD = np.dtype(
    [
        ("body", _I),
        ("p", _F, 3),  # point of action, body frame
        ("force", _F, 3),
        ("torque", _F, 3),
        ("axes", _I),
        ("start_step", _I),
        ("end_step", _I),
        ("frequency", _F),  # [rad/s], 0 for a constant load
        ("work", _I),  # accumulator
    ],
    align=True,
)

PULSE = np.dtype([("load", _I), ("start_step", _I), ("end_step", _I)], align=True)

HOLD_LAW = np.dtype(
    [
        ("body", _I),
        ("stiffness", _F, 3),
        ("damping", _F, 3),
        ("dead_band", _F),  # [rad]
        ("limit", _F, 3),  # [N m]
        ("sample_steps", _I),
        ("delay_samples", _I),
        ("actuator", _I),
        ("q_target", _F, 4),
        ("slew", _F, 3),  # rotation vector of the slew, target axes [rad]
        ("slew_start", _F),
        ("slew_duration", _F),
        ("first_wheel", _I),
        ("n_wheels", _I),
    ],
    align=True,
)

WHEEL = np.dtype([("v", _I), ("share", _F, 3), ("limit", _F)], align=True)  # motor torque = -share . demand

PUSHER = np.dtype(
    [
        ("body_A", _I),
        ("p_A", _F, 3),
        ("axis_A", _F, 3),
        ("body_B", _I),
        ("p_B", _F, 3),
        ("stiffness", _F),
        ("stroke", _F),
    ],
    align=True,
)

EVENT = np.dtype(
    [("first_condition", _I), ("n_conditions", _I), ("first_action", _I), ("n_actions", _I), ("persistence", _I)],
    align=True,
)
CONDITION = np.dtype([("kind", _I), ("a", _I), ("b", _I), ("value", _F)], align=True)
ACTION = np.dtype([("kind", _I), ("a", _I), ("b", _I), ("value", _F)], align=True)

SETTINGS = np.dtype(
    [
        ("step", _F),
        ("n_steps", _I),
        ("log_every", _I),
        ("log_loads", _I),
        ("log_rows", _I),  # 1: the force of every gap of the contacts
        ("integrator", _I),
        ("orbit_rate", _F),  # W turns at this rate about its z axis; 0 in free space [rad/s]
        ("gravity_gradient", _I),
    ],
    align=True,
)


class Model(NamedTuple):
    """Constant during a run."""

    settings: np.ndarray  # (1,) SETTINGS
    body: np.ndarray  # (n + 1,) BODY
    joint: np.ndarray  # JOINT: tree joints, then root slots, then welds
    dof: np.ndarray  # (nv,) DOF
    root_slot: np.ndarray  # joints that may carry a tree's root
    mechanism: np.ndarray
    leg: np.ndarray
    shaft: np.ndarray  # SHAFT: all legs in their order, then the couplings by mechanism
    profile: np.ndarray
    knot: np.ndarray
    marker: np.ndarray
    load: np.ndarray
    pulse: np.ndarray
    hold: np.ndarray
    wheel: np.ndarray
    pusher: np.ndarray
    contact: np.ndarray  # CONTACT
    contact_row: np.ndarray  # CONTACT_ROW
    interface: np.ndarray
    petal: np.ndarray
    face_point: np.ndarray
    sphere: np.ndarray
    latch: np.ndarray
    striker: np.ndarray
    event: np.ndarray
    condition: np.ndarray
    action: np.ndarray


CLOCK = np.dtype(
    [
        ("t", _F),
        ("step", _I),
        ("part", _I),  # of the step, where it is cut into parts
        ("parts", _I),
        ("phase", _I),
        ("status", _I),
        ("culprit", _I),  # which body, leg or event ended the run
        ("value", _F),  # and by how much
        ("n_records", _I),
    ],
    align=True,
)
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
LOAD_STATE = np.dtype(
    [
        ("on", _I),
        ("fired_until", _I),  # step at which a firing ends
        ("cut", _I),  # pulses that began before this step are over
    ],
    align=True,
)
HOLD_STATE = np.dtype([("enabled", _I), ("torque", _F, 3), ("head", _I)], align=True)
EVENT_STATE = np.dtype([("fired", _I), ("step", _I), ("held", _I)], align=True)
RECORD = np.dtype(
    [("event", _I), ("t", _F), ("loss", _F), ("dp", _F, 3), ("dh", _F, 3)], align=True
)  # what an event did: energy lost in impulses, change of total momentum


class State(NamedTuple):
    """Everything that a checkpoint needs."""

    clock: np.ndarray  # (1,) CLOCK
    q: np.ndarray  # coordinates: scalars, quaternions (ball), positions and quaternions (free)
    beta: np.ndarray  # rates: scalars; turn on M axes, travel on F axes
    dof: np.ndarray  # DOF_STATE
    shaft: np.ndarray  # SHAFT_STATE
    servo_queue: np.ndarray  # (shafts, longest delay + 1) forces on their way
    retraction: np.ndarray  # DOF_STATE: travel of each mechanism's base joints, as a part of the whole
    link: np.ndarray  # (n + 1,) LINK
    order: np.ndarray  # (n,) bodies, parents first
    slot_used: np.ndarray  # one flag per root slot
    load: np.ndarray  # LOAD_STATE
    pusher_on: np.ndarray
    pusher_from: np.ndarray  # distance along the axis at which each was released [m]
    contact: np.ndarray  # CONTACT_STATE
    contact_row: np.ndarray  # ROW_STATE
    latch: np.ndarray  # LATCH_STATE
    hold: np.ndarray  # HOLD_STATE
    hold_buffer: np.ndarray  # (holds, longest delay + 1, 3) torques on their way
    event: np.ndarray  # EVENT_STATE
    record: np.ndarray  # RECORD
    work_done: np.ndarray  # (N_WORKS,) [J]
    impulse: np.ndarray  # (6,) what the external wrench about W's origin has added to the momentum: moment, force


WORK_BODY = np.dtype(
    [
        ("R", _F, 9),  # body axes to W
        ("o", _F, 3),  # hinge point, body frame
        ("r", _F, 3),  # hinge point, W
        ("l", _F, 3),  # from the parent's hinge point, W axes
        ("c", _F, 3),  # mass centre from the hinge point, W axes
        ("w", _F, 3),  # angular velocity
        ("v", _F, 3),  # velocity of the hinge point
        ("bias", _F, 6),  # acceleration that needs no acceleration of parent or joint
        ("f", _F, 6),  # external wrench about the hinge point: moment, force
        ("P", _F, 21),  # articulated inertia: angular (6), angular-linear (9), linear (6)
        ("z", _F, 6),  # articulated bias
        ("acc", _F, 6),  # angular acceleration; classical acceleration of the hinge point
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


class Work(NamedTuple):
    """Scratch. Consistent with the state after `evaluate`."""

    body: np.ndarray  # (n + 1,) WORK_BODY
    dof: np.ndarray  # (nv,) WORK_DOF
    mechanism: np.ndarray  # WORK_MECHANISM
    leg: np.ndarray  # WORK_LEG: legs in detail, filled where loads or momenta are asked for
    block: np.ndarray  # LEG_BLOCK: legs side by side, constants included
    shaft: np.ndarray  # WORK_SHAFT
    contact: np.ndarray  # WORK_CONTACT
    contact_row: np.ndarray  # WORK_ROW
    latch: np.ndarray  # WORK_LATCH
    sweep: np.ndarray  # (1,) SWEEP
    q_start: np.ndarray  # coordinates and rates at the start of the step
    beta_start: np.ndarray
    k_u: np.ndarray  # (4, nv) stage rates of the local coordinates
    k_beta: np.ndarray  # (4, nv)
    k_sum: np.ndarray  # (N_WORKS + 6,) weighted sum of the accumulators' rates over the stages
    power: np.ndarray  # (N_WORKS,) [W]
    wrench: np.ndarray  # (6,) total external wrench about W's origin
    implicit: np.ndarray  # (2,) gamma * step of the linearly implicit method, 0 otherwise; 1 while K, C are frozen
    impulsive: np.ndarray  # (1,) 1 while rates take the place of accelerations
    before: np.ndarray  # (n + 1, 6) angular velocity and mass-centre velocity before an impulse
    depth: np.ndarray  # (n + 1,) bodies between a body and its root


class Log(NamedTuple):
    """Rows of results; the columns are laid out by `log_layout`."""

    data: np.ndarray  # (rows, width)
    rows: np.ndarray  # (1,) how many are filled


LOG_BODY = 19  # position 3, quaternion 4, velocity 3, body rate 3, acceleration 3, angular acceleration (body axes) 3
LOG_DOF = 3  # coordinate, rate, generalised force
LOG_LOAD = 6  # moment 3, force 3
LOG_LEG = 21  # wrenches at base joint, middle joint and ring joint; where the base joint is
LOG_SHAFT = 14  # coordinate, rate, force; spring, damper, brake, stop, motor; stored energy; 4 works; set-point
# gap, normal force, force 3, moment 3, engaged, first contact, capture, touches; peaks; forces by group and their peaks
LOG_CONTACT = 12 + N_PEAKS + 2 * N_GROUPS
LOG_HEAD = 4 + N_WORKS + 14  # time, phase, kinetic, potential; works; momentum (h, p); impulse (6); traffic (2)


def log_width(model: Model) -> int:
    """Columns of a row."""
    bodies, with_loads, with_rows = len(model.body) - 1, model.settings[0].log_loads, model.settings[0].log_rows
    legs = len(model.leg) * LOG_LEG + len(model.shaft) * LOG_SHAFT
    contacts = len(model.contact) * LOG_CONTACT + len(model.latch) + (len(model.contact_row) if with_rows else 0)
    loads = bodies * LOG_LOAD if with_loads else 0
    return LOG_HEAD + bodies * LOG_BODY + len(model.dof) * LOG_DOF + legs + contacts + loads


def table(dtype: np.dtype, rows: int) -> np.ndarray:
    """A zeroed table whose rows have their fields as attributes, compiled or not."""
    return np.zeros(rows, dtype).view(np.recarray)
