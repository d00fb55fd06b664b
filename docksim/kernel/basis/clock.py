"""Where a run is within its steps. Time is counted in steps: `clock.step` of them are over, a piece begins there.

A step is taken in one piece, unless something begins or ends within it (`instants`): then it is cut there, and each
piece is a step of its own length, from `since` to `until` as fractions of the whole. Contacts may cut a piece
further, into equal parts. Under a tolerance a piece is as long as its error lets it be, and may go over several
steps. The last step of a run takes the fraction `last`; after it `since` is negative, as the run then is not yet
where its steps would end.
"""

from docksim.native.decorators import pure

# instants nearer to each other than this are one [steps]
NEAR = 1e-9
ROUNDING = 1e-15


@pure
def now(state):
    """Where the piece begins [steps]."""
    return state.clock[0].step + state.clock[0].since


@pure
def slack(state):
    """Times are the same if they differ by no more than this [steps]."""
    return NEAR + ROUNDING * state.clock[0].step


@pure
def middle(state):
    """Of the piece [steps]; says which side of an instant the piece is on."""
    clock = state.clock[0]
    return clock.step + 0.5 * (clock.since + clock.until)


@pure
def piece_length(model, state):
    return (state.clock[0].until - state.clock[0].since) * model.settings[0].step


@pure
def step_length(model, state):
    """Of a piece, or of the parts that it is cut into."""
    return piece_length(model, state) / state.clock[0].substeps


@pure
def next_time(model, state):
    """A product, not a sum: no rounding builds up."""
    clock = state.clock[0]
    done = (clock.substep + 1) / clock.substeps
    return (clock.step + (clock.since * (1.0 - done) + clock.until * done)) * model.settings[0].step


@pure
def step_end(model, state):
    """Where the step ends, as a fraction of a whole one."""
    settings = model.settings[0]
    return settings.last if state.clock[0].step == settings.n_steps - 1 else 1.0


@pure
def ends_whole(state):
    """Does the piece end where a step does? The cut end of a run is none."""
    until = state.clock[0].until
    return until >= 1.0 and until == int(until)


@pure
def next_piece(model, state):
    """The next piece begins where this one ends; its own end is not known yet. Writes state.clock."""
    clock = state.clock[0]
    clock.since = clock.until
    if clock.until == step_end(model, state):
        clock.step += 1
        clock.since -= 1.0
    elif clock.until > 1.0:
        whole = int(clock.until)
        clock.step += whole
        clock.since -= whole
    clock.until = clock.since
    clock.substep = 0
    clock.substeps = 1
