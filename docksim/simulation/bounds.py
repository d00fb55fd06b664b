"""What a state from a file must keep to, before compiled code follows it: a crafted one may say anything.

Every whole number in the state is a flag, a mode, a count or an index, and has its bounds here. Numbers must fit
together where code relies on it: the clock with the rows logged, the links with one tree or several, drives and
pressures with their profiles. No float is NaN, unless the same field of a fresh state is; infinity means "never" or
"far" in many, but not in motion and time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from docksim.model import RUNNING
from docksim.model.closures import SOUND
from docksim.model.contact import ARMED, LATCH_MODES
from docksim.model.events import JETTISON, SEPARATE
from docksim.model.hooks import TOO_FAST
from docksim.model.joined import N_SPACES
from docksim.model.tree import DRIVEN, TABLE
from docksim.simulation.parting import side_of

if TYPE_CHECKING:
    from docksim.compiler import Compiled
    from docksim.model import Model, State
    from docksim.model.log import Log

FLAG = (0, 1)
MANY = (0, 2**53)
FLAGS = (
    *("clock.smooth", "shaft.servo_on", "shaft.gives_way", "shaft.on_path", "slot_used", "load.on", "load.inhibited"),
    *("external.axes", "parting.live", "parting.by_gap", "parting.fixed", "tie.on", "contact.placed"),
    *("contact.touching", "joined.begun", "hook.engaged", "event.fired", "command", "budget.begun", "budget.touched"),
    *("extreme_pair.near", "extreme_pair.measured", "closing.waiting", "closure.on", "closure_row.chosen"),
)
Bounds = dict[str, tuple[int, int]]


def bounds(model: Model, state: State) -> Bounds:
    """Least and largest value of every whole number of a state, by table and field."""
    joints, profiles, events = len(model.joint), len(model.profile), len(model.event)
    finest = int(max((1, *model.contact["substeps"])))
    latches = int(max((0, *model.contact["latches"])))
    return {
        **dict.fromkeys(FLAGS, FLAG),
        "clock.step": (0, int(model.settings[0].n_steps)),
        "clock.substep": (0, 0),  # a run is kept between two steps
        "clock.substeps": (1, 1),
        "clock.finest": (0, finest),
        "clock.calm": MANY,
        "clock.log_every": MANY,
        "clock.band_every": MANY,
        "clock.phase": MANY,
        "clock.status": (RUNNING, RUNNING),  # one that is over cannot go on
        "clock.culprit": (-1, 2**31),
        "clock.n_records": (0, events),
        "dof.mode": (0, 2),
        "dof.profile": (0, max(0, profiles - 1)),
        "shaft.mode": (0, 2),
        "shaft.profile": (0, max(0, profiles - 1)),
        "shaft.head": (0, state.servo_queue.shape[1] - 1),
        "retraction.mode": (0, 2),
        "retraction.profile": (0, max(0, profiles - 1)),
        "retraction.phase": (0, 3),
        "link.parent": (0, len(model.body) - 1),
        "link.joint": (0, joints - 1),
        "order": (1, len(model.body) - 1),
        "closing.on": (0, len(model.closure)),
        "closing.rigid": (0, len(model.closure)),
        "closure.fault": (SOUND, SOUND),
        "closure.left_out": (0, 63),  # a bit a row
        "external.body": (0, len(model.body) - 1),
        "external.marker": (-1, len(model.marker) - 1),
        "parting.profile": (-1, profiles - 1),
        "contact.engaged": (0, latches),
        "contact.touches": MANY,
        "latch.mode": (ARMED, len(LATCH_MODES) - 1),
        "latch.striker": (0, 3),
        "hold.mode": (0, 2),
        "hold.head": (0, state.hold_buffer.shape[1] - 1),
        "hooks.beyond": (0, 2 * TOO_FAST - 1),
        "joined.space": (0, N_SPACES),
        "event.held": MANY,
        "event.looked": MANY,
        "program.on": (0, 2),
        "arm_link.profile": (0, max(0, profiles - 1)),
        "program.rank": (0, 6),
        "record.event": (0, max(0, events - 1)),
        "extreme_pair.impact": (0, 2),
        "extreme_pair.head": (0, max(0, state.lasting.shape[1] - 1)),
        "extreme_pair.queued": (0, state.lasting.shape[1]),
    }


def fields(tables: dict[str, np.ndarray], kinds: str) -> Iterator[tuple[str, np.ndarray]]:
    """Columns of tables whose numbers are of these kinds, as "table.field"."""
    for name, rows in tables.items():
        for field in rows.dtype.names or ("",):
            column = rows[field] if field else rows
            if column.dtype.kind in kinds:
                yield f"{name}.{field}" if field else name, np.asarray(column)


def check_state(compiled: Compiled, fresh: dict[str, np.ndarray], rows: int) -> None:
    """ValueError that names what a state cannot have; `fresh` is one at its start, `rows` are those logged so far."""
    model, state = compiled.model, compiled.state
    known = bounds(model, state) | {"clock.phase": (0, len(compiled.phases) - 1)}
    for name, values in fields(state._asdict(), "iu"):
        least, largest = known.get(name, FLAG)
        if np.any(values < least) or np.any(values > largest):
            raise ValueError(f"'{name}' is out of range")
    blank = dict(fields(fresh, "f"))
    for name, values in fields(state._asdict(), "f"):
        if np.any(np.isnan(values)) and not np.any(np.isnan(blank[name])):
            raise ValueError(f"'{name}' is no number")
    for name in ("clock", "q", "beta"):
        if not all(np.all(np.isfinite(values)) for _, values in fields({name: getattr(state, name)}, "f")):
            raise ValueError(f"'{name}' is not finite")
    _check_clock(compiled, rows)
    _check_tree(model, state)
    _check_closures(model, state)
    _check_profiles(model, state)
    _check_partings(state)


def _check_clock(compiled: Compiled, rows: int) -> None:
    """The rows logged are those of the steps done; a step has begun nowhere but at its begin, or at the run's end."""
    settings, clock = compiled.model.settings[0], compiled.state.clock[0]
    since = settings.last - 1.0 if clock.step == settings.n_steps else 0.0
    # only a tolerance lets a run be between the ends of two steps
    free = settings.tolerance > 0.0
    if not (abs(clock.since) < 1.0 if free else clock.since == since) or clock.until != clock.since:
        raise ValueError("'clock.since' is out of range")
    here = clock.step + clock.since
    if abs(clock.t - here * settings.step) > 1e-9 * settings.step * max(1, clock.step):
        raise ValueError("'clock.t' is not the time of its step")
    due = here / clock.log_every
    if not math.ceil(due) <= rows <= math.floor(due) + free if free else rows != -(-clock.step // clock.log_every):
        raise ValueError(f"it has {rows} rows, which are not those of {clock.step} steps")


def _check_tree(model: Model, state: State) -> None:
    """Every body hangs on a joint of its own, on a body that comes before it; roots have a slot, and slots are left for
    what may come off."""
    link, bodies = state.link[1:], len(model.body)
    if sorted(state.order.tolist()) != list(range(1, bodies)):
        raise ValueError("'order' is not an order of the bodies")
    place = np.zeros(bodies, np.int64)
    place[state.order] = 1 + np.arange(bodies - 1)
    if np.any(place[link["parent"]] >= place[1:]):
        raise ValueError("'order' has a body before the one that it hangs on")
    joints = link["joint"]
    ends = np.sort(np.stack([model.joint["pred"][joints], model.joint["succ"][joints]]), axis=0)
    own = np.sort(np.stack([np.arange(1, bodies), link["parent"]]), axis=0)
    roots = np.isin(joints, model.root_slot)
    fits = np.where(roots, link["parent"] == 0, np.all(ends == own, axis=0))
    if not np.all(fits) or len(set(joints.tolist())) != len(joints) or np.any(np.abs(link["sign"]) != 1.0):
        raise ValueError("'link' is no tree of these joints")
    if np.any((state.slot_used != 0) != np.isin(model.root_slot, joints)):
        raise ValueError("'slot_used' are not those of the roots")
    comes_off = np.isin(model.action["kind"], (SEPARATE, JETTISON))
    loose = set(model.weld.tolist()) | set(model.action["a"][comes_off].tolist())
    if np.sum(state.slot_used) + len(loose & set(joints.tolist())) > len(state.slot_used):
        raise ValueError("'link' has more trees than there can be")


def _check_closures(model: Model, state: State) -> None:
    """Closures are counted right, and rows are solved for only where they are on."""
    on = state.closure["on"] != 0
    rigid = on & (model.closure["n_rows"] > 0)
    if state.closing[0].on != np.sum(on) or state.closing[0].rigid != np.sum(rigid):
        raise ValueError("'closing' does not count what is closed")
    may = np.repeat(rigid, model.closure["n_rows"])
    if np.any((state.closure_row["chosen"] != 0) & ~may):
        raise ValueError("'closure_row.chosen' has rows of closures that are off")


def _check_profiles(model: Model, state: State) -> None:
    """What is driven has a profile, and a pressure a table."""
    rows: list[Any] = [state.dof, state.retraction]
    driven = any(np.any(own["mode"] == DRIVEN) for own in rows) or np.any(state.shaft["on_path"])
    if not len(model.profile) and driven:
        raise ValueError("something is driven, and nothing says how")
    for i in state.parting["profile"][state.parting["profile"] >= 0]:
        if model.profile[i].kind != TABLE:
            raise ValueError("'parting.profile' is no table")


def _check_partings(state: State) -> None:
    """What has come off has a mass, and can be turned."""
    rows = state.parting
    for own in rows[(rows["drive_start"] >= 0.0) | (rows["clear"] >= 0.0)]:
        for side in own.side[own.fixed == 0]:
            try:
                with np.errstate(all="ignore"):
                    side_of(side, False).answer(np.zeros(3), np.zeros(3), np.array(own.axis))
            except ZeroDivisionError as error:
                raise ValueError("'parting.side' has no mass, or no inertia") from error


def check_log(compiled: Compiled, log: Log) -> None:
    """Rows come one after the other up to the state, and their codes mean something."""
    time, phase, mode = log.head["time"], log.head["phase"], log.latch["mode"]
    step = compiled.model.settings[0].step
    due = np.arange(len(time)) * compiled.state.clock[0].log_every * step
    if not np.all(np.abs(time - due) <= 1e-9 * np.maximum(due, step)):
        raise ValueError("'log.head.time' are not the times of its rows")
    if not np.all(np.isin(phase, np.arange(len(compiled.phases)))):
        raise ValueError("'log.head.phase' is out of range")
    if not np.all(np.isin(mode, np.arange(len(LATCH_MODES)))):
        raise ValueError("'log.latch.mode' is out of range")
