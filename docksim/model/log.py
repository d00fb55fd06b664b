"""The log: rows of results, and how wide they are."""

from typing import Annotated, NamedTuple

import numpy as np

from docksim.model import N_WORKS, Model
from docksim.model.contact import N_GROUPS, N_PEAKS

_F, _I = np.float64, np.int64


class Log(NamedTuple):
    """Rows of results; the columns are laid out by `log_layout`."""

    data: Annotated[np.ndarray, _F, 2]  # (rows, width)
    rows: Annotated[np.ndarray, _I]  # (1,) how many are filled


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
