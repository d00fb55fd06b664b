"""The drive of a retraction: a screw that pushes all base joints of a mechanism along their ways, and can stall.

    m s'' = F - load,    s'' = (v - s') / T while F is within its limit,    v = way left / 4 T, up to the rate limit

`load` is the sum of the base joints' loads along their ways. Where the limit is less than F, it is F: then s'' is found
with the ring's accelerations. The screw does not turn back: a drive that the load stops is held where it is, whatever
the load, until the load is less than it can push; and what holds it back has no limit. It comes to rest within one
piece of a step, with the acceleration that this takes, so momentum and energy stay whole. An impulse of joining or
locking leaves the rate as it is. What a drive does is decided where a piece begins. Power is F s'.

Integrators carry s and s' beside the coordinates of the tree.
"""

from docksim.algebra.vec3 import dot
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.mechanism.base_joints import ahead, place_base_joints, pushes, told_acceleration
from docksim.kernel.mechanism.couplings import driven_rows
from docksim.kernel.mechanism.leg_share import lane3
from docksim.kernel.mechanism.ring import close_legs, mechanism_leg_loads
from docksim.model import W_DRIVES
from docksim.model.mechanism import BRAKING, FOLLOWING, HELD, PUSHING
from docksim.native.decorators import kernel, pure


@kernel
def load_along(model, work, mechanism):
    """Loads of the base joints along their ways, and what accelerates the drive. Needs the legs' loads."""
    constant = model.mechanism[mechanism]
    load = constant.drive_mass * work.mechanism[mechanism].move[2]
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        load += dot(tail3(work.leg[k].load[0]), lane3(work.block[leg.block].tangent, leg.lane))
    return load


@pure
def finish_retraction(model, state, work):
    """Legs close with the acceleration that was found; the work of what moves the base joints. Needs accelerations.

    Writes own drive_force, work.block, shaft drift; adds to work.power.
    """
    for i in range(model.mechanism.size):
        own = work.mechanism[i]
        if pushes(state, work, i):
            place_base_joints(model, work, i)
            close_legs(model, state, work, i)
            if model.mechanism[i].n_couplings > 0:
                driven_rows(model, work)
            work.power[W_DRIVES] += own.drive_force * own.move[1]
        elif own.move[1] != 0.0 or own.move[2] != 0.0:
            find_drive_force(model, state, work, i)
            work.power[W_DRIVES] += own.drive_force * own.move[1]


@kernel
def find_drive_force(model, state, work, i):
    """What moves or holds the base joints of a mechanism, whose motion is given. Writes own drive_force, work.leg."""
    mechanism_leg_loads(model, state, work, i)
    work.mechanism[i].drive_force = load_along(model, work, i)


@pure
def is_wanted(constant, own):
    """Is there a way left? A micrometre is none."""
    return abs(own.target - own.fraction) * constant.stroke > 1e-6


@kernel
def next_phase(model, state, work, i, h):
    """What a drive does in the piece of length h that begins. Needs work at the state; writes own drive_force."""
    constant = model.mechanism[i]
    own = state.retraction[i]
    way = ahead(own)
    if own.phase == HELD:
        if not is_wanted(constant, own):
            return HELD
        find_drive_force(model, state, work, i)
        return FOLLOWING if way * work.mechanism[i].drive_force < own.force_limit else HELD
    if not is_wanted(constant, own):
        return BRAKING
    if own.phase == FOLLOWING:
        return PUSHING if way * work.mechanism[i].drive_force > own.force_limit else FOLLOWING
    acceleration = way * work.mechanism[i].move[2]
    if acceleration >= way * told_acceleration(constant, own):
        return FOLLOWING
    # does the load turn it round?
    rate = way * own.rate
    turns = rate + h * acceleration < 0.0 if rate >= 0.0 else acceleration <= 0.0
    return BRAKING if turns else PUSHING


@pure
def note_drives(model, state, work):
    """Where drives are at the start of a piece. Writes own fraction_start rate_start phase_start."""
    for i in range(model.mechanism.size):
        own = work.mechanism[i]
        own.fraction_start = state.retraction[i].fraction
        own.rate_start = state.retraction[i].rate
        own.phase_start = state.retraction[i].phase


@pure
def settle_drives(model, state, work, h):
    """What drives do in the piece of length h that begins; True if it is something else than before, and work stale.

    Writes state.retraction phase acceleration.
    """
    changed = False
    for i in range(model.mechanism.size):
        own = state.retraction[i]
        # to come to rest is decided once
        if model.mechanism[i].drive_mass > 0.0 and own.phase != BRAKING:
            phase = next_phase(model, state, work, i, h)
            if phase != own.phase:
                changed = True
            if phase == BRAKING:
                own.acceleration = -own.rate / h
            own.phase = phase
    return changed


@pure
def keep_drives(model, work, i):
    """Rates of stage i. Writes own k_fraction k_rate."""
    for k in range(model.mechanism.size):
        own = work.mechanism[k]
        own.k_fraction[i] = own.move[1]
        own.k_rate[i] = own.move[2]


@pure
def move_drives(model, state, work, i, h):
    """Drives go to their start and h times the rates of stage i. Writes state.retraction fraction rate."""
    for k in range(model.mechanism.size):
        if model.mechanism[k].drive_mass > 0.0:
            own = work.mechanism[k]
            state.retraction[k].fraction = own.fraction_start + h * own.k_fraction[i]
            state.retraction[k].rate = own.rate_start + h * own.k_rate[i]


@pure
def sum_drives(model, state, work, a, b, c):
    """The same with the rates of all stages: a, b, b and c of each. Writes state.retraction fraction rate."""
    for k in range(model.mechanism.size):
        if model.mechanism[k].drive_mass > 0.0:
            own = work.mechanism[k]
            x = own.k_fraction
            v = own.k_rate
            state.retraction[k].fraction = own.fraction_start + (a * x[0] + b * (x[1] + x[2]) + c * x[3])
            state.retraction[k].rate = own.rate_start + (a * v[0] + b * (v[1] + v[2]) + c * v[3])


@pure
def mean_drives(model, state, work, half):
    """The same with two stages: drives are explicit in a linearly implicit step. Writes state.retraction."""
    for k in range(model.mechanism.size):
        if model.mechanism[k].drive_mass > 0.0:
            own = work.mechanism[k]
            state.retraction[k].fraction = own.fraction_start + half * (own.k_fraction[0] + own.k_fraction[1])
            state.retraction[k].rate = own.rate_start + half * (own.k_rate[0] + own.k_rate[1])


@pure
def leap_drives(model, state, work, h):
    """A semi-implicit Euler step: the new rate moves the fraction. Writes state.retraction fraction rate."""
    for k in range(model.mechanism.size):
        if model.mechanism[k].drive_mass > 0.0:
            own = work.mechanism[k]
            state.retraction[k].rate = own.rate_start + h * own.k_rate[0]
            state.retraction[k].fraction = own.fraction_start + h * state.retraction[k].rate


@pure
def finish_drives(model, state, work, h):
    """End of a piece: who was to stop is at rest and held; time and load of a stall. Writes state.retraction."""
    for i in range(model.mechanism.size):
        own = state.retraction[i]
        if own.phase == BRAKING:
            own.phase = HELD
            own.rate = 0.0
        elif own.phase == HELD and model.mechanism[i].drive_mass > 0.0 and is_wanted(model.mechanism[i], own):
            own.stalled += h
            own.stalled_load = max(own.stalled_load, ahead(own) * work.mechanism[i].drive_force)


@pure
def take_back_drives(model, state, work):
    """Back to the start of a piece."""
    for i in range(model.mechanism.size):
        if model.mechanism[i].drive_mass > 0.0:
            own = work.mechanism[i]
            state.retraction[i].phase = own.phase_start
            state.retraction[i].fraction = own.fraction_start
            state.retraction[i].rate = own.rate_start
