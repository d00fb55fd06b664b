"""The tables and codes of what acts on bodies, and when: loads, attitude holds, events.

Conventions as in docksim/model/__init__.py.
"""

import numpy as np

_F, _I = np.float64, np.int64

# a load's components are on body axes or on the axes of W
ON_BODY_AXES, ON_WORLD_AXES = range(2)
# attitude control actuators
JETS, WHEELS = range(2)
# whether attitude control acts, samples without acting, or neither
HOLD_OFF, HOLD_ON, HOLD_INHIBITED = range(3)
# event conditions
AT_TIME, AFTER_EVENT = range(2)
COORDINATE_ABOVE, COORDINATE_BELOW, DISTANCE_ABOVE, DISTANCE_BELOW, SPIN_ABOVE, SPIN_BELOW = range(2, 8)
SHAFT_ABOVE, SHAFT_BELOW = range(8, 10)
CONTACT_ABOVE, LATCHED, SEPARATED, NOT_FIRED, COMMANDED = range(10, 15)
IN_REACH, PORT_TILT_BELOW, PORT_SPEED_BELOW, PORT_RATE_BELOW = range(15, 19)
HOOKS_CLOSED, HOOKS_OPEN, TIGHT, LEAKS = range(19, 23)
CLOSURE_FORCE_ABOVE, CLOSURE_MOMENT_ABOVE = range(23, 25)
SETTLED = 25
# event actions
LOCK, RELEASE, DRIVE, TORQUE, JOIN, SEPARATE, JETTISON, CUT, ATTITUDE_HOLD, PHASE, STOP, SET_SHAFT, RETRACT = range(13)
OPEN_LATCHES, ARM_LATCHES, INHIBIT, OPEN_HOOKS, SET_VALVE, OPEN_VALVE, CLOSE, OPEN = range(13, 21)
SWITCH_PROGRAM = 21

LOAD = np.dtype(
    [
        ("body", _I),
        ("p", _F, 3),  # point of action, body frame
        ("force", _F, 3),
        ("torque", _F, 3),
        ("axes", _I),
        ("start", _F),  # [steps], whole or not
        ("end", _F),
        ("frequency", _F),  # [rad/s], 0 for a constant load
        ("work", _I),  # accumulator
    ],
    align=True,
)

PULSE = np.dtype(
    [
        ("load", _I),
        ("event", _I),  # its times are counted from when this fires; -1: from the start of the run
        ("start", _F),  # [steps]
        ("end", _F),
    ],
    align=True,
)

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
        ("target", _I),  # port that carries the target, a row of the markers; -1: W
        ("q_target", _F, 4),  # on the axes of the port, or of W
        ("slew", _F, 3),  # rotation vector of the slew, target axes [rad]
        ("slew_start", _F),
        ("slew_duration", _F),
        ("first_wheel", _I),
        ("n_wheels", _I),
    ],
    align=True,
)

WHEEL = np.dtype([("v", _I), ("share", _F, 3), ("limit", _F)], align=True)  # motor torque = -share . demand

EVENT = np.dtype(
    [("first_condition", _I), ("n_conditions", _I), ("first_action", _I), ("n_actions", _I), ("persistence", _I)],
    align=True,
)
CONDITION = np.dtype([("kind", _I), ("a", _I), ("b", _I), ("value", _F)], align=True)
ACTION = np.dtype([("kind", _I), ("a", _I), ("b", _I), ("value", _F)], align=True)

# ---- state

LOAD_STATE = np.dtype(
    [
        ("on", _I),
        ("inhibited", _I),  # pulses pass without thrust
        ("cut", _F),  # pulses that began before this are over [steps]
        ("since", _F),  # when it was last looked at [steps]
        ("spent", _F),  # and for how long it had been on by then [steps]
    ],
    align=True,
)
EXTERNAL = np.dtype(
    [
        ("marker", _I),  # the port that it is logged at; -1: none
        ("body", _I),
        ("axes", _I),
        ("p", _F, 3),  # point of action, body frame
        ("force", _F, 3),
        ("torque", _F, 3),
    ],
    align=True,
)
HOLD_STATE = np.dtype([("mode", _I), ("torque", _F, 3), ("head", _I)], align=True)
EVENT_STATE = np.dtype(
    [
        ("fired", _I),
        ("at", _F),  # when it fired [steps]
        ("held", _I),  # for how many steps its conditions have held
        ("looked", _I),  # and at which step that was seen
    ],
    align=True,
)
RECORD = np.dtype(
    [("event", _I), ("t", _F), ("loss", _F), ("dp", _F, 3), ("dh", _F, 3)], align=True
)  # what an event did: energy lost in impulses, change of total momentum
