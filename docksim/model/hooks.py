"""The tables of ports that events join: what their hooks allow, and how the ports stood when hooks closed or failed to.

Conventions as in docksim/model/__init__.py. The figures of a stand are the active port's against the passive one, on
the axes of the passive port: distance along its axis, positive apart, distance across, angle between the axes, roll as
in an approach, speed of the origin and rate of turn.
"""

import numpy as np

_F, _I = np.float64, np.int64

# figures of a stand
N_STAND = 6
AXIAL, LATERAL, TILT, ROLL, SPEED, TURN_RATE = range(N_STAND)
# what hooks may find wrong with one: bits of a sum
TOO_FAR, TOO_DEEP, TOO_WIDE, TOO_TILTED, TOO_ROLLED, TOO_FAST = (1 << k for k in range(6))

HOOKS = np.dtype(
    [
        ("active", _I),  # ports, rows of Model.marker
        ("passive", _I),
        ("given", _I),  # 0: neither port has hooks, a join asks for nothing
        ("reach", _F),  # [m]
        ("overlap", _F),
        ("window", _F),
        ("tilt", _F),  # [rad]
        ("roll", _F),
        ("speed", _F),  # [m/s]
    ],
    align=True,
)

HOOKS_STATE = np.dtype(
    [
        ("stand", _F, N_STAND),  # at the latest join, made or refused; before any, at the latest logged row
        ("tried", _F),  # when that join was; -1 before [s]
        ("joined", _F),  # when they were joined for the first time; -1 before [s]
        ("beyond", _I),  # what was wrong with the latest join; 0 if it was made
    ],
    align=True,
)
