"""How far the next piece of a step may go: under a tolerance as far as the error lets it, over several steps at once.

Pieces get long where nothing can come into contact: there one covers no more than a part of what is left between the
surfaces. Where surfaces are near or touch, and while latches hold, they are shorter: a held pair has eigenvalues of 150
to 1,100 rad/s, so that explicit steps of 3.3 ms are stable. While a pawl is being passed they are no longer than a
step, as it is seen at their ends that it has been passed. Pieces end where something is sampled, and with the step
while anything is at work that is made for steps: push rods, hooks, a retraction, closures.
"""

from docksim.kernel.basis.clock import now, slack, step_end
from docksim.kernel.contact.pairs import closing_bound
from docksim.kernel.run.events import events_lasting
from docksim.kernel.run.settled import brought_in
from docksim.model.contact import ARMED, BEFORE
from docksim.model.events import HOLD_OFF
from docksim.model.programs import PROGRAM_OFF
from docksim.model.tree import DRIVEN
from docksim.native.decorators import kernel, pure

# the longest piece, and the longest where surfaces are near, touch or are held [s]
LONGEST_S = 0.02
TOUCHING_S = 0.0033
# of what is left between two surfaces: a piece covers no more than one part in so many
ROOM = 2.5
# pieces that end nearer to the end of a step end there [steps]
SNAP = 1e-3


@pure
def pawl_at_work(model, state, i):
    """Is a striker of the pair on a pawl, or over it and not held yet?"""
    pair = model.contact[i]
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        own = state.latch[k]
        if own.mode == ARMED and ((own.striker == BEFORE and own.compression > 0.0) or own.arrival >= 0.0):
            return True
    return False


@pure
def longest_piece(model, state, work):
    """As far as contacts let it go [s]. Needs velocities."""
    step = model.settings[0].step
    longest = max(LONGEST_S, step)
    for i in range(model.contact.size):
        pair = model.contact[i]
        own = state.contact[i]
        if pawl_at_work(model, state, i):
            longest = min(longest, step)
        elif own.clearance <= 0.0 or own.engaged > 0:
            longest = min(longest, max(TOUCHING_S, step))
        else:
            speed = closing_bound(model, pair, work.body[pair.body_A], work.body[pair.body_B])
            if longest * ROOM * speed > own.clearance:
                longest = max(own.clearance / (ROOM * speed), step)
    return longest


@pure
def next_sample(state, until, every):
    """No further than to the next sample [steps]; what a sample computes acts from the end of its step on."""
    step = state.clock[0].step
    return min(until, step + 1.0 if step % every == 0 else float(step - step % every + every))


@pure
def step_by_step(model, state):
    """Is anything at work that is made for whole steps?"""
    if state.closing[0].on > 0:
        return True
    for i in range(state.joined.size):
        if state.joined[i].commanded >= 0.0:
            return True
    for i in range(state.parting.size):
        if state.parting[i].live != 0:
            return True
    for i in range(model.mechanism.size):
        if brought_in(model, state, i):
            return True
    return False


@kernel
def piece_end(model, state, work):
    """Where the piece that begins would end, if nothing changes before [steps]. Needs velocities under a tolerance."""
    clock = state.clock[0]
    settings = model.settings[0]
    until = clock.step + step_end(model, state)
    if settings.tolerance == 0.0:
        return until
    here = now(state)
    if clock.step < settings.n_steps - 1:
        until = settings.n_steps - 1.0
    until = min(until, here + min(clock.wish, longest_piece(model, state, work)) / settings.step)
    if step_by_step(model, state):
        until = min(until, clock.step + 1.0)
    for k in range(model.shaft.size):
        if state.shaft[k].servo_on != 0 and model.shaft[k].sample_steps > 0:
            until = next_sample(state, until, model.shaft[k].sample_steps)
    for i in range(model.program.size):
        if state.program[i].on != PROGRAM_OFF and model.program[i].sample_steps > 0:
            until = next_sample(state, until, model.program[i].sample_steps)
    for i in range(model.hold.size):
        if state.hold[i].mode != HOLD_OFF:
            until = next_sample(state, until, model.hold[i].sample_steps)
    until = events_lasting(model, state, until)
    whole = float(int(until + 0.5))
    return whole if abs(until - whole) < SNAP and whole > here + slack(state) else until


@pure
def changes_by_itself(model, state):
    """May forces change between two pieces without being seen to? Then the end of one does not serve the next."""
    if model.load.size > 0 or model.hold.size > 0 or step_by_step(model, state):
        return True
    for i in range(model.mechanism.size):
        if model.mechanism[i].drive_mass > 0.0:
            return True
    for i in range(model.program.size):
        if state.program[i].on != PROGRAM_OFF:
            return True
    for j in range(state.dof.size):
        if state.dof[j].mode == DRIVEN:
            return True
    for k in range(model.shaft.size):
        if state.shaft[k].servo_on != 0 and (model.shaft[k].sample_steps > 0 or state.shaft[k].on_path != 0):
            return True
    return False
