"""The arrays that cross into the kernel, and their integer codes.

Three bundles, as in every fast engine: `Model` is constant during a run, `State` is all that must be saved to go on
later with the same bits, `Work` is scratch. `Log` receives the rows. A bundle is a NamedTuple of tables; a table is a
structured array with one row per body, joint, coordinate and so on, so that a kernel call passes a handful of arrays
and a row lies together in memory. SI units and radians throughout; matrices are row-major tuples of nine; symmetric
3 x 3 are (xx, yy, zz, xy, xz, yz); quaternions are (w, x, y, z). Body 0 is the world W.
"""

from typing import Annotated, NamedTuple

import numpy as np

from docksim.model.closures import CLOSING, CLOSURE, CLOSURE_STATE, ROW_OF_CLOSURE, WORK_CLOSING, WORK_CLOSURE_ROW
from docksim.model.contact import (
    CAPSULE,
    CONTACT,
    CONTACT_ROW,
    CONTACT_STATE,
    FACE_POINT,
    GUIDE,
    INTERFACE,
    LATCH,
    LATCH_STATE,
    PAWL,
    PETAL,
    ROW_STATE,
    SPHERE,
    STRIKER,
    SWEEP,
    WORK_CONTACT,
    WORK_LATCH,
    WORK_ROW,
)
from docksim.model.events import (
    ACTION,
    CONDITION,
    EVENT,
    EVENT_STATE,
    EXTERNAL,
    HOLD_LAW,
    HOLD_STATE,
    LOAD,
    LOAD_STATE,
    PULSE,
    RECORD,
    WHEEL,
)
from docksim.model.extremes import (
    LATCH_EXTREMES,
    LOAD_EXTREMES,
    PAIR_EXTREMES,
    PASSED_EXTREMES,
    PASSED_ON,
    SHAFT_EXTREMES,
    VEHICLE_EXTREMES,
)
from docksim.model.hooks import HOOKS, HOOKS_STATE
from docksim.model.joined import HOOK, HOOK_STATE, JOINED, JOINED_STATE, ROD, SEAL_POINT
from docksim.model.mechanism import (
    LEG,
    LEG_BLOCK,
    LOST_LEG,
    MECHANISM,
    RETRACTION_STATE,
    SHAFT,
    SHAFT_STATE,
    WORK_BLOCK,
    WORK_BRANCH,
    WORK_LEG,
    WORK_MECHANISM,
    WORK_SHAFT,
)
from docksim.model.parting import PARTING, PARTING_STATE, TIE, TIE_STATE
from docksim.model.programs import (
    ARM_LINK,
    ARM_LINK_STATE,
    FIGURE,
    LEARNT,
    PROGRAM,
    PROGRAM_JOINT,
    PROGRAM_STATE,
    WAYPOINT,
    WORK_ARM_LINK,
    WORK_FIGURE,
    WORK_PROGRAM,
)
from docksim.model.tree import BODY, DOF, DOF_STATE, JOINT, KNOT, LINK, MARKER, PROFILE, WORK_BODY, WORK_DOF

# integrators
RK4, SEMI_IMPLICIT_EULER, LINEARLY_IMPLICIT = range(3)
# how the loop ended
RUNNING, DONE, STOPPED, NON_FINITE, BAD_JOIN, BAD_SEPARATION, OUT_OF_REACH, SINGULAR_LEG, OVER_STROKE = range(9)
OVERLAP, MISALIGNED, STUCK, BAD_CLOSURE = 9, 10, 11, 12
# what keeps a tree from being re-rooted
BY_ANCHOR, BY_RING = 1, 2
# value of a bad join: joined already, or a loop beside a mechanism whose base is taken as inertial
BY_ITSELF, BY_BASE = 1, 2

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
    "seal_adhesion",
    "residual_pressure",
    "hook_drives",
    "mated_loads",
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
    W_ADHESION,
    W_PRESSURE,
    W_HOOKS,
    W_MATED,
) = range(len(WORK_NAMES))
N_WORKS = len(WORK_NAMES)

_F, _I = np.float64, np.int64

SETTINGS = np.dtype(
    [
        ("step", _F),
        ("n_steps", _I),
        ("last", _F),  # what the last step takes of a whole one
        ("log_loads", _I),
        ("log_rows", _I),  # 1: the force of every gap of the contacts
        ("integrator", _I),
        ("tolerance", _F),  # rates' error of a step that is let pass [m/s, rad/s]; 0: all steps have the same length
        ("orbit_rate", _F),  # W turns at this rate about its z axis; 0 in free space [rad/s]
        ("gravity_gradient", _I),
    ],
    align=True,
)


class Model(NamedTuple):
    """Constant during a run."""

    settings: Annotated[np.ndarray, SETTINGS]  # (1,)
    body: Annotated[np.ndarray, BODY]  # (n + 1,)
    joint: Annotated[np.ndarray, JOINT]  # tree joints, then root slots, then welds
    dof: Annotated[np.ndarray, DOF]  # (nv,)
    root_slot: Annotated[np.ndarray, _I]  # joints that may carry a tree's root
    vehicle: Annotated[np.ndarray, _I]  # bodies: the vehicles' bases
    hung: Annotated[np.ndarray, _I]  # bodies: all others
    weld: Annotated[np.ndarray, _I]  # joints that join ports
    passed_on: Annotated[np.ndarray, PASSED_ON]
    closure: Annotated[np.ndarray, CLOSURE]  # those of the scenario, then one for each of `weld`
    mechanism: Annotated[np.ndarray, MECHANISM]
    leg: Annotated[np.ndarray, LEG]
    block: Annotated[np.ndarray, LEG_BLOCK]  # the same legs side by side
    shaft: Annotated[np.ndarray, SHAFT]  # all legs in their order, then the couplings by mechanism, then joints
    program: Annotated[np.ndarray, PROGRAM]
    program_joint: Annotated[np.ndarray, PROGRAM_JOINT]
    waypoint: Annotated[np.ndarray, WAYPOINT]
    arm_link: Annotated[np.ndarray, ARM_LINK]  # of adaptive programs
    figure: Annotated[np.ndarray, FIGURE]
    profile: Annotated[np.ndarray, PROFILE]
    knot: Annotated[np.ndarray, KNOT]
    marker: Annotated[np.ndarray, MARKER]
    load: Annotated[np.ndarray, LOAD]
    pulse: Annotated[np.ndarray, PULSE]
    hold: Annotated[np.ndarray, HOLD_LAW]
    wheel: Annotated[np.ndarray, WHEEL]
    parting: Annotated[np.ndarray, PARTING]  # what acts between two bodies that events part
    tie: Annotated[np.ndarray, TIE]
    contact: Annotated[np.ndarray, CONTACT]
    contact_row: Annotated[np.ndarray, CONTACT_ROW]
    interface: Annotated[np.ndarray, INTERFACE]
    petal: Annotated[np.ndarray, PETAL]
    face_point: Annotated[np.ndarray, FACE_POINT]
    sphere: Annotated[np.ndarray, SPHERE]
    capsule: Annotated[np.ndarray, CAPSULE]
    pin: Annotated[np.ndarray, GUIDE]
    hole: Annotated[np.ndarray, GUIDE]
    latch: Annotated[np.ndarray, LATCH]
    pawl: Annotated[np.ndarray, PAWL]
    striker: Annotated[np.ndarray, STRIKER]
    hooks: Annotated[np.ndarray, HOOKS]  # one row for every two ports that events join or watch
    joined: Annotated[np.ndarray, JOINED]  # those of them whose hooks make a joint
    hook: Annotated[np.ndarray, HOOK]  # of all joints, one after the other; so the rods and the points of seals
    rod: Annotated[np.ndarray, ROD]
    seal_point: Annotated[np.ndarray, SEAL_POINT]
    event: Annotated[np.ndarray, EVENT]
    condition: Annotated[np.ndarray, CONDITION]
    action: Annotated[np.ndarray, ACTION]


CLOCK = np.dtype(
    [
        ("t", _F),
        ("step", _I),
        ("since", _F),  # the piece of the step that is taken: its begin and end, as fractions of the whole
        ("until", _F),
        ("substep", _I),  # of the piece, where it is cut into substeps
        ("substeps", _I),
        ("finest", _I),  # substeps that the contacts ask for, unless the step is smooth
        ("smooth", _I),  # was the last step, or substep, near contact?
        ("wish", _F),  # under a tolerance: how long the next piece should be [s]
        ("calm", _I),  # and for how many pieces it does not grow
        ("log_every", _I),  # steps between rows of the log
        ("band_every", _I),  # steps between rows that are kept: extremes are logged as of the last of them
        ("phase", _I),
        ("status", _I),
        ("culprit", _I),  # which body, leg or event ended the run
        ("value", _F),  # and by how much
        ("n_records", _I),
    ],
    align=True,
)

# energies and momenta, noted once a step so that no figure depends on the log
BUDGET = np.dtype(
    [
        # at the latest step
        ("kinetic", _F),  # [J]
        ("potential", _F),
        ("work", _F, N_WORKS),
        ("angular_momentum", _F, 3),  # about W's origin
        ("linear_momentum", _F, 3),
        ("angular_traffic", _F),  # sum of the sizes of the bodies' momenta
        ("linear_traffic", _F),
        # at the first step
        ("begun", _I),
        ("kinetic_start", _F),
        ("potential_start", _F),
        ("work_start", _F),  # all works together
        ("common_start", _F),  # kinetic energy of all mass moving with the common mass centre
        ("angular_start", _F, 3),  # momentum less impulse
        ("linear_start", _F, 3),
        # extremes over all steps
        ("residual", _F),  # energy gained less all work done, its size
        ("largest_kinetic", _F),
        ("least_inner", _F),  # kinetic energy against the common mass centre
        ("largest_inner", _F),
        ("largest_common", _F),  # change of the other part, its size
        ("largest_energy", _F),  # kinetic and potential, by their sizes
        ("largest_work", _F),  # of any one kind
        ("largest_works", _F),  # sum of the sizes of all kinds, less what went into the common motion
        ("angular_residual", _F),  # momentum gained less impulses, its size
        ("linear_residual", _F),
        ("largest_angular_traffic", _F),
        ("largest_linear_traffic", _F),
        # at the first contact
        ("touched", _I),  # 1 once two interfaces have met
        ("approach", _F),  # energy of the relative motion of the two that meet
        ("kinetic_contact", _F),
        ("potential_contact", _F),
        ("work_contact", _F, N_WORKS),
    ],
    align=True,
)

# how far the parts of each body's kinetic energy have ranged: turn about its three axes, travel against its tree
RANGE = np.dtype([("least", _F, 4), ("largest", _F, 4)], align=True)


class State(NamedTuple):
    """Everything that a checkpoint needs."""

    clock: Annotated[np.ndarray, CLOCK]  # (1,)
    q: Annotated[np.ndarray, _F]  # coordinates: scalars, quaternions (ball), positions and quaternions (free)
    beta: Annotated[np.ndarray, _F]  # rates: scalars; turn on M axes, travel on F axes
    dof: Annotated[np.ndarray, DOF_STATE]
    shaft: Annotated[np.ndarray, SHAFT_STATE]
    servo_queue: Annotated[np.ndarray, _F, 2]  # (shafts, longest delay + 1) forces on their way
    program: Annotated[np.ndarray, PROGRAM_STATE]
    arm_link: Annotated[np.ndarray, ARM_LINK_STATE]
    learnt: Annotated[np.ndarray, LEARNT]  # as Model.figure
    retraction: Annotated[np.ndarray, RETRACTION_STATE]  # of each mechanism's base joints
    link: Annotated[np.ndarray, LINK]  # (n + 1,)
    order: Annotated[np.ndarray, _I]  # (n,) bodies, parents first
    slot_used: Annotated[np.ndarray, _I]  # one flag per root slot
    closing: Annotated[np.ndarray, CLOSING]  # (1,)
    closure: Annotated[np.ndarray, CLOSURE_STATE]
    closure_row: Annotated[np.ndarray, ROW_OF_CLOSURE]
    load: Annotated[np.ndarray, LOAD_STATE]
    external: Annotated[np.ndarray, EXTERNAL]  # wrenches from outside the scenario
    parting: Annotated[np.ndarray, PARTING_STATE]
    tie: Annotated[np.ndarray, TIE_STATE]
    contact: Annotated[np.ndarray, CONTACT_STATE]
    contact_row: Annotated[np.ndarray, ROW_STATE]
    latch: Annotated[np.ndarray, LATCH_STATE]
    hold: Annotated[np.ndarray, HOLD_STATE]
    hold_buffer: Annotated[np.ndarray, _F, 3]  # (holds, longest delay + 1, 3) torques on their way
    hooks: Annotated[np.ndarray, HOOKS_STATE]
    joined: Annotated[np.ndarray, JOINED_STATE]
    hook: Annotated[np.ndarray, HOOK_STATE]
    event: Annotated[np.ndarray, EVENT_STATE]
    command: Annotated[np.ndarray, _I]  # 1: has come; by the names that events wait for, in their order
    record: Annotated[np.ndarray, RECORD]
    work_done: Annotated[np.ndarray, _F]  # (N_WORKS,) [J]
    impulse: Annotated[np.ndarray, _F]  # (6,) of the external wrench about W's origin so far: moment, force
    budget: Annotated[np.ndarray, BUDGET]  # (1,)
    range: Annotated[np.ndarray, RANGE]  # (n + 1,)
    extreme_vehicle: Annotated[np.ndarray, VEHICLE_EXTREMES]  # as Model.vehicle
    extreme_hung: Annotated[np.ndarray, LOAD_EXTREMES]  # as Model.hung
    extreme_weld: Annotated[np.ndarray, LOAD_EXTREMES]  # as Model.weld
    extreme_base: Annotated[np.ndarray, LOAD_EXTREMES]  # of the legs on the base, by mechanism
    extreme_shaft: Annotated[np.ndarray, SHAFT_EXTREMES]
    extreme_pair: Annotated[np.ndarray, PAIR_EXTREMES]  # as contact
    extreme_passed: Annotated[np.ndarray, PASSED_EXTREMES]  # as Model.passed_on
    extreme_latch: Annotated[np.ndarray, LATCH_EXTREMES]
    lasting: Annotated[np.ndarray, _F, 3]  # (pairs, states in LASTING_S, 2) queues of compressions


class Work(NamedTuple):
    """Scratch. Consistent with the state after `evaluate`."""

    body: Annotated[np.ndarray, WORK_BODY]  # (n + 1,)
    dof: Annotated[np.ndarray, WORK_DOF]  # (nv,)
    mechanism: Annotated[np.ndarray, WORK_MECHANISM]
    leg: Annotated[np.ndarray, WORK_LEG]  # legs in detail, filled where loads or momenta are asked for
    branch: Annotated[np.ndarray, WORK_BRANCH]  # legs in joint coordinates, where a mechanism asks for them
    block: Annotated[np.ndarray, WORK_BLOCK]
    lost: Annotated[np.ndarray, LOST_LEG]  # (1,) in the stages since the last step's start
    shaft: Annotated[np.ndarray, WORK_SHAFT]
    program: Annotated[np.ndarray, WORK_PROGRAM]
    arm_link: Annotated[np.ndarray, WORK_ARM_LINK]
    figure: Annotated[np.ndarray, WORK_FIGURE]
    contact: Annotated[np.ndarray, WORK_CONTACT]
    contact_row: Annotated[np.ndarray, WORK_ROW]
    latch: Annotated[np.ndarray, WORK_LATCH]
    sweep: Annotated[np.ndarray, SWEEP]  # (1,)
    closing: Annotated[np.ndarray, WORK_CLOSING]  # (1,)
    closure_row: Annotated[np.ndarray, WORK_CLOSURE_ROW]
    in_use: Annotated[np.ndarray, _I]  # (rows,) rows of closures in use, the first `closing.n`
    path: Annotated[np.ndarray, _I]  # (n + 1,) bodies above any end, parents first
    marked: Annotated[np.ndarray, _I]  # (n + 1,) is the body on the path? While momenta are restored: its group
    column: Annotated[np.ndarray, _F, 3]  # (n + 1, 6, rows) wrenches of unit rows on their way to the root
    share: Annotated[np.ndarray, _F]  # (rows,) of one coordinate
    ring_share: Annotated[np.ndarray, _F, 2]  # (6, rows)
    response: Annotated[np.ndarray, _F, 2]  # (rows, rows) J M^-1 J'
    factor: Annotated[np.ndarray, _F, 2]
    pull: Annotated[np.ndarray, _F, 3]  # (n + 1, 6, 1) wrenches of all closures on their way to the root
    group: Annotated[np.ndarray, _F, 2]  # (n + 1, 33) momenta before and after, inertia of what hangs together
    q_start: Annotated[np.ndarray, _F]  # coordinates and rates at the start of the step
    beta_start: Annotated[np.ndarray, _F]
    k_u: Annotated[np.ndarray, _F, 2]  # (4, nv) stage rates of the local coordinates
    k_beta: Annotated[np.ndarray, _F, 2]  # (4, nv)
    k_sum: Annotated[np.ndarray, _F]  # (N_WORKS + 6,) weighted sum of the accumulators' rates over the stages
    k_first: Annotated[np.ndarray, _F]  # (N_WORKS + 6,) the accumulators' rates at the start of the step, under
    k_last: Annotated[np.ndarray, _F]  # a tolerance, and at its end
    k_end: Annotated[np.ndarray, _F, 2]  # (4, nv) under a tolerance: displacements and rates at its end, and theirs
    sums: Annotated[np.ndarray, _F]  # (N_WORKS + 6,) the accumulators, while rows within a step are logged
    current: Annotated[np.ndarray, _I]  # (1,) 1: work is that of the state already
    power: Annotated[np.ndarray, _F]  # (N_WORKS,) [W]
    wrench: Annotated[np.ndarray, _F]  # (6,) total external wrench about W's origin
    implicit: Annotated[np.ndarray, _F]  # (2,) gamma * step if linearly implicit, else 0; 1 while K, C are frozen
    impulsive: Annotated[np.ndarray, _F]  # (1,) 1 while rates take the place of accelerations
    before: Annotated[np.ndarray, _F, 2]  # (n + 1, 6) angular velocity and mass-centre velocity before an impulse
    depth: Annotated[np.ndarray, _I]  # (n + 1,) bodies between a body and its root
    side: Annotated[np.ndarray, _F, 2]  # (2, 21) inertias of what meets at a first contact
    drift: Annotated[np.ndarray, _F, 2]  # (n + 1, 4) momentum and mass from a body on, then its tree's velocity


def table(dtype: np.dtype, rows: int) -> np.ndarray:
    """A zeroed table whose rows have their fields as attributes, compiled or not."""
    return np.zeros(rows, dtype).view(np.recarray)
