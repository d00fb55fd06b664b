"""The log: one row an instant, a table for the whole and one for each sort of part.

All fields are floats, so that rows can be sent and checked as plain numbers. SI units and radians. Impacts are shorter
than what lies between rows: `least` and `largest` are those of all states since the last row that is kept.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, NamedTuple

import numpy as np

from docksim.model import N_WORKS, Model
from docksim.model.contact import N_GROUPS, N_PEAKS
from docksim.model.extremes import N_LOADS

_F, _I = np.float64, np.int64

LOG_HEAD = np.dtype(
    [
        ("time", _F),
        ("phase", _F),
        ("kinetic", _F),
        ("potential", _F),
        ("work", _F, N_WORKS),
        ("angular_momentum", _F, 3),  # about W's origin, as the impulse
        ("linear_momentum", _F, 3),
        ("angular_impulse", _F, 3),  # of the external wrench so far
        ("linear_impulse", _F, 3),
        ("angular_traffic", _F),  # sum of the sizes of the bodies' momenta
        ("linear_traffic", _F),
    ],
    align=True,
)

LOG_BODY = np.dtype(
    [
        ("position", _F, 3),  # of the body frame's origin in W
        ("quaternion", _F, 4),  # body to W
        ("velocity", _F, 3),  # against W, axes of W
        ("rate", _F, 3),  # against W, body axes
        ("acceleration", _F, 3),  # against W, axes of W
        ("angular_acceleration", _F, 3),  # against W, body axes
    ],
    align=True,
)

LOG_DOF = np.dtype([("coordinate", _F), ("rate", _F), ("force", _F)], align=True)  # a ball's: its rotation vector

LOG_LEG = np.dtype(
    [
        ("moment", _F, (3, 3)),  # at base joint, middle joint and ring joint, axes of the mechanism's base
        ("force", _F, (3, 3)),
        ("base_joint", _F, 3),  # where it is
    ],
    align=True,
)

LOG_RETRACTION = np.dtype([("fraction", _F), ("rate", _F), ("force", _F)], align=True)  # of the way of the base joints

LOG_SHAFT = np.dtype(
    [
        ("coordinate", _F),
        ("rate", _F),
        ("force", _F),  # of all devices together
        ("spring", _F),
        ("damper", _F),
        ("brake", _F),
        ("stop", _F),
        ("motor", _F),
        ("stored", _F),  # energy in spring and stops
        ("damper_work", _F),
        ("brake_work", _F),
        ("stop_work", _F),
        ("motor_work", _F),
        ("set_point", _F),
        ("asked", _F),  # force of the servo before and after its limits
        ("allowed", _F),
        ("least_force", _F),
        ("largest_force", _F),
    ],
    align=True,
)

LOG_LOAD_ON = np.dtype([("on", _F), ("spent", _F)], align=True)  # and for how long so far [s]

LOG_HOLD = np.dtype(
    [
        ("mode", _F),
        ("error", _F, 3),  # rotation vector of the base against its target
        ("torque", _F, 3),  # that acts on the base, body axes
    ],
    align=True,
)

LOG_EXTERNAL = np.dtype([("force", _F, 3), ("torque", _F, 3)], align=True)  # on the vehicle, axes of W

LOG_PROGRAM = np.dtype([("on", _F), ("f", _F, 6), ("rank", _F)], align=True)

LOG_ARM_LINK = np.dtype([("error", _F)], align=True)  # of a joint against its path
LOG_LEARNT = np.dtype([("value", _F)], align=True)

LOG_CONTACT = np.dtype(
    [
        ("gap", _F),
        ("normal_force", _F),
        ("force", _F, 3),  # of A on B, axes of A
        ("moment", _F, 3),  # about B's origin
        ("engaged", _F),  # latches
        ("first_contact", _F),  # -1 before
        ("capture", _F),  # -1 before
        ("touches", _F),
        ("peak", _F, N_PEAKS),
        ("group", _F, N_GROUPS),
        ("group_peak", _F, N_GROUPS),
        ("least", _F, N_LOADS),  # axial force, shear, bending, torsion
        ("largest", _F, N_LOADS),
        ("least_group", _F, N_GROUPS),
        ("largest_group", _F, N_GROUPS),
    ],
    align=True,
)

LOG_LATCH = np.dtype(
    [("force", _F), ("mode", _F), ("least", _F), ("largest", _F)], align=True
)  # pull; ARMED, ENGAGED, OPENED or FAILED

LOG_JOINED = np.dtype(
    [
        ("force", _F, 3),  # of the other port on the one with hooks, its axes
        ("moment", _F, 3),
        ("gap", _F),  # on the axis
        ("widest", _F),
        ("face_least_force", _F),
        ("face_sum", _F),
        ("seal", _F),
        ("seal_compression", _F),  # least
        ("rods", _F),
        ("torque", _F),
        ("cam_work", _F),
        ("load_work", _F),
        ("stored", _F),
        ("slip_margin", _F),
        ("pressure", _F, 2),
    ],
    align=True,
)

LOG_HOOK = np.dtype([("force", _F), ("cam", _F), ("engaged", _F)], align=True)

LOG_GAP = np.dtype([("force", _F)], align=True)  # normal force

LOG_LOAD = np.dtype([("moment", _F, 3), ("force", _F, 3)], align=True)  # of the parent on the body, body axes

LOG_LARGEST = np.dtype([("moment", _F), ("force", _F)], align=True)  # sizes of a load


LOG_PARTING = np.dtype([("gap", _F), ("pressure", _F)], align=True)  # of two ports that part; force of the pressure

LOG_CLOSURE = np.dtype(
    [
        ("on", _F),
        ("moment", _F, 3),  # of its first end on the second, axes of the first
        ("force", _F, 3),
        ("gap", _F),
        ("turn", _F),
        ("gap_rate", _F),
        ("turn_rate", _F),
    ],
    align=True,
)

LOG_TIE = np.dtype([("force", _F)], align=True)  # push


class Log(NamedTuple):
    """Tables of (rows, parts); what is not asked for has no parts."""

    rows: Annotated[np.ndarray, _I]  # (1,) how many are filled
    head: Annotated[np.ndarray, LOG_HEAD]  # (rows,)
    body: Annotated[np.ndarray, LOG_BODY, 2]  # without the world
    dof: Annotated[np.ndarray, LOG_DOF, 2]
    leg: Annotated[np.ndarray, LOG_LEG, 2]
    retraction: Annotated[np.ndarray, LOG_RETRACTION, 2]
    shaft: Annotated[np.ndarray, LOG_SHAFT, 2]
    program: Annotated[np.ndarray, LOG_PROGRAM, 2]
    arm_link: Annotated[np.ndarray, LOG_ARM_LINK, 2]
    learnt: Annotated[np.ndarray, LOG_LEARNT, 2]
    contact: Annotated[np.ndarray, LOG_CONTACT, 2]
    latch: Annotated[np.ndarray, LOG_LATCH, 2]
    gap: Annotated[np.ndarray, LOG_GAP, 2]  # rows of the contacts
    joined: Annotated[np.ndarray, LOG_JOINED, 2]
    hook: Annotated[np.ndarray, LOG_HOOK, 2]
    load: Annotated[np.ndarray, LOG_LOAD, 2]  # as body
    largest: Annotated[np.ndarray, LOG_LARGEST, 2]  # loads of bodies on others, of joined ports, of mechanisms' bases
    parting: Annotated[np.ndarray, LOG_PARTING, 2]
    tie: Annotated[np.ndarray, LOG_TIE, 2]
    closure: Annotated[np.ndarray, LOG_CLOSURE, 2]  # those that the scenario names
    load_on: Annotated[np.ndarray, LOG_LOAD_ON, 2]  # thrusters and given loads
    hold: Annotated[np.ndarray, LOG_HOLD, 2]
    external: Annotated[np.ndarray, LOG_EXTERNAL, 2]  # by port

    def tables(self) -> dict[str, np.ndarray]:
        """By name."""
        return {name: table for name, table in self._asdict().items() if name != "rows"}

    def picked(self, which: slice | np.ndarray) -> Log:
        """Some rows as a log of their own: of a slice the same memory, of row numbers a copy."""
        tables = {name: table[which] for name, table in self.tables().items()}
        return Log(rows=np.array([len(tables["head"])], _I), **tables)

    def gathered(self, which: np.ndarray, first: int) -> Log:
        """Some rows as a log of their own, each with the extremes of the rows before it that are left out, from `first`
        on."""
        rows = self.picked(which)
        starts = np.concatenate([[first], which[:-1] + 1])
        for name, table in self.tables().items():
            for field in table.dtype.names or ():
                reduce = _extreme(name, field)
                if reduce is not None and table[field].size:
                    own = reduce.reduceat(table[field][: which[-1] + 1], starts, axis=0)
                    rows.tables()[name][field] = own
        return rows

    def filled(self) -> Log:
        """The rows that there are, in the same memory."""
        return self.picked(slice(int(self.rows[0])))

    def append(self, other: Log, row: int) -> None:
        """A row of another log becomes the next of this one."""
        n = int(self.rows[0])
        for mine, theirs in zip(self.tables().values(), other.tables().values()):
            mine[n] = theirs[row]
        self.rows[0] = n + 1


def _extreme(table: str, field: str) -> np.ufunc | None:
    """How a field of rows that are left out becomes part of the next row; None if it does not."""
    if table == "largest" or field.startswith("largest"):
        return np.maximum
    return np.minimum if field.startswith("least") else None


@cache
def _with_attributes(dtype: np.dtype) -> np.dtype:
    """Rows have their fields as attributes, compiled or not."""
    return np.dtype((np.record, dtype))


def new_log(model: Model, rows: int) -> Log:
    """Room for so many rows, none of them filled. Untouched pages cost nothing."""
    bodies, settings = len(model.body) - 1, model.settings[0]

    def table(dtype: np.dtype, *shape: int) -> np.ndarray:
        return np.zeros((rows, *shape), _with_attributes(dtype))

    return Log(
        rows=np.zeros(1, _I),
        head=table(LOG_HEAD),
        body=table(LOG_BODY, bodies),
        dof=table(LOG_DOF, len(model.dof)),
        leg=table(LOG_LEG, len(model.leg)),
        retraction=table(LOG_RETRACTION, len(model.mechanism)),
        shaft=table(LOG_SHAFT, len(model.shaft)),
        program=table(LOG_PROGRAM, len(model.program)),
        arm_link=table(LOG_ARM_LINK, len(model.arm_link)),
        learnt=table(LOG_LEARNT, len(model.figure)),
        contact=table(LOG_CONTACT, len(model.contact)),
        latch=table(LOG_LATCH, len(model.latch)),
        gap=table(LOG_GAP, len(model.contact_row) if settings.log_rows else 0),
        joined=table(LOG_JOINED, len(model.joined)),
        hook=table(LOG_HOOK, len(model.hook)),
        load=table(LOG_LOAD, bodies if settings.log_loads else 0),
        parting=table(LOG_PARTING, len(model.parting)),
        tie=table(LOG_TIE, len(model.tie)),
        closure=table(LOG_CLOSURE, int((model.closure["weld"] < 0).sum())),
        load_on=table(LOG_LOAD_ON, len(model.load)),
        hold=table(LOG_HOLD, len(model.hold)),
        external=table(LOG_EXTERNAL, len(model.marker)),
        largest=table(LOG_LARGEST, len(model.hung) + len(model.weld) + len(model.mechanism)),
    )
