"""Events: conditions watched where a step, or a piece of one, begins, and what they set off. Each event fires once."""

from docksim.algebra.vec3 import dot, load3, load9, mat_vec, store3, sub
from docksim.kernel.basis.clock import now, slack
from docksim.kernel.basis.coordinates import coordinate_index
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.instants import due
from docksim.kernel.contact.hooks import beyond_reach, close_hooks, port_stand
from docksim.kernel.contact.joined import begin_opening, hooks_closed, hooks_open
from docksim.kernel.contact.latches import switch_latches
from docksim.kernel.contact.pairs import port_distance
from docksim.kernel.contact.pressure import is_watched, open_valve
from docksim.kernel.mechanism.ring import leg_details
from docksim.kernel.mechanism.shafts import restart_servos, set_shaft, shaft_quantity
from docksim.kernel.run.release import hold_back, part
from docksim.kernel.run.settled import is_settled
from docksim.kernel.tree.closing import choose_anew, close_as_found, open_closure
from docksim.kernel.tree.control import switch_hold
from docksim.kernel.tree.energy import kinetic_energy, total_momentum
from docksim.kernel.tree.programs import switch_program
from docksim.kernel.tree.topology import can_join, join, project_velocities, remember_twists
from docksim.model import RUNNING, STOPPED, W_IMPULSES
from docksim.model.contact import ARMED, OPENED
from docksim.model.events import (
    AFTER_EVENT,
    ARM_LATCHES,
    AT_TIME,
    ATTITUDE_HOLD,
    CLOSE,
    CLOSURE_FORCE_ABOVE,
    CLOSURE_MOMENT_ABOVE,
    COMMANDED,
    CONTACT_ABOVE,
    COORDINATE_ABOVE,
    COORDINATE_BELOW,
    CUT,
    DISTANCE_ABOVE,
    DISTANCE_BELOW,
    DRIVE,
    HOOKS_CLOSED,
    HOOKS_OPEN,
    IN_REACH,
    INHIBIT,
    JETTISON,
    JOIN,
    LATCHED,
    LEAKS,
    LOCK,
    NOT_FIRED,
    OPEN,
    OPEN_HOOKS,
    OPEN_LATCHES,
    OPEN_VALVE,
    PHASE,
    PORT_RATE_BELOW,
    PORT_SPEED_BELOW,
    PORT_TILT_BELOW,
    RELEASE,
    RETRACT,
    SEPARATE,
    SEPARATED,
    SET_SHAFT,
    SET_VALVE,
    SETTLED,
    SHAFT_ABOVE,
    SHAFT_BELOW,
    SPIN_BELOW,
    STOP,
    SWITCH_PROGRAM,
    TIGHT,
    TORQUE,
)
from docksim.model.hooks import SPEED, TILT, TURN_RATE
from docksim.model.tree import DRIVEN, FORCED, LOCKED
from docksim.native.decorators import kernel, melted, pure


@kernel
def coordinate_of(model, state, j):
    joint = model.joint[model.dof[j].joint]
    return state.q[coordinate_index(joint, j)]


@kernel
def is_separated(model, state, work, i, distance):
    """Are the interfaces of a pair so far apart along the axis of the first, and without contact?"""
    pair = model.contact[i]
    A = work.body[pair.body_A]
    way, _, _ = port_distance(pair, A, work.body[pair.body_B])
    axis = mat_vec(load9(A.R_WB), (pair.R_aA[2], pair.R_aA[5], pair.R_aA[8]))
    return state.contact[i].normal_force == 0.0 and dot(way, axis) >= distance


@pure
def possible(state, condition):
    """May the condition be met, by what is known without poses? Contacts and closures are seen as a step ago."""
    kind = condition.kind
    if kind == AT_TIME or kind == AFTER_EVENT:
        return now(state) + slack(state) >= due(state, condition)
    if kind == NOT_FIRED:
        return state.event[condition.a].fired == 0
    if kind == COMMANDED:
        return state.command[condition.a] != 0
    if kind == CONTACT_ABOVE:
        return state.contact[condition.a].normal_force > condition.value
    if kind == LATCHED or kind == SETTLED:
        return state.contact[condition.a].engaged >= condition.b
    return True


@pure
def needs_poses(kind):
    known = kind == AT_TIME or kind == AFTER_EVENT or kind == NOT_FIRED or kind == COMMANDED
    return not (known or kind == CONTACT_ABOVE or kind == LATCHED)


@kernel
def holds(model, state, work, condition):
    """Is a condition that is possible met now? Needs poses and velocities."""
    kind = condition.kind
    if not needs_poses(kind):
        return True
    if kind == SETTLED:
        return is_settled(model, state, work, condition.a, condition.value)
    if kind == SEPARATED:
        return is_separated(model, state, work, condition.a, condition.value)
    if kind == COORDINATE_ABOVE:
        return coordinate_of(model, state, condition.a) >= condition.value
    if kind == COORDINATE_BELOW:
        return coordinate_of(model, state, condition.a) <= condition.value
    if kind == CLOSURE_FORCE_ABOVE:
        force = load3(state.closure[condition.a].force)
        return dot(force, force) > condition.value * condition.value
    if kind == CLOSURE_MOMENT_ABOVE:
        moment = load3(state.closure[condition.a].moment)
        return dot(moment, moment) > condition.value * condition.value
    if kind == SHAFT_ABOVE:
        return shaft_quantity(model, state, work, condition.a, condition.b) >= condition.value
    if kind == SHAFT_BELOW:
        return shaft_quantity(model, state, work, condition.a, condition.b) <= condition.value
    if kind == DISTANCE_ABOVE or kind == DISTANCE_BELOW:
        a = model.marker[condition.a]
        b = model.marker[condition.b]
        _, x_a = point_on(work.body[a.body], a.p_BP)
        _, x_b = point_on(work.body[b.body], b.p_BP)
        d = sub(x_b, x_a)
        beyond = dot(d, d) >= condition.value * condition.value
        return beyond if kind == DISTANCE_ABOVE else not beyond
    if kind == HOOKS_CLOSED:
        return hooks_closed(model, state, condition.a)
    if kind == HOOKS_OPEN:
        return hooks_open(model, state, condition.a)
    if kind == TIGHT or kind == LEAKS:
        own = state.joined[condition.a]
        if not is_watched(own, own.gas_at, condition.b * model.settings[0].step):
            return False
        return (own.leak <= condition.value) == (kind == TIGHT)
    if kind == IN_REACH:
        return beyond_reach(model.hooks[condition.a], port_stand(model, work, condition.a)) == 0
    if kind == PORT_TILT_BELOW:
        return port_stand(model, work, condition.a)[TILT] < condition.value
    if kind == PORT_SPEED_BELOW:
        return port_stand(model, work, condition.a)[SPEED] < condition.value
    if kind == PORT_RATE_BELOW:
        return port_stand(model, work, condition.a)[TURN_RATE] < condition.value
    w = sub(load3(work.body[condition.a].w_WB), load3(work.body[0].w_WB))
    slow = dot(w, w) <= condition.value * condition.value
    return slow if kind == SPIN_BELOW else not slow


@pure
def event_possible(model, state, e):
    """May all conditions of an event be met, by what is known without poses?"""
    event = model.event[e]
    for i in range(event.first_condition, event.first_condition + event.n_conditions):
        if not possible(state, model.condition[i]):
            return False
    return True


@kernel
def all_hold(model, state, work, e):
    """Are all conditions of an event that is possible met now? Needs poses and velocities."""
    event = model.event[e]
    for i in range(event.first_condition, event.first_condition + event.n_conditions):
        if not holds(model, state, work, model.condition[i]):
            return False
    return True


@kernel
def is_due(model, state, work, e):
    """All conditions have held for as many steps as asked; only whole ones count. Writes state.event held, looked."""
    own = state.event[e]
    if not (event_possible(model, state, e) and all_hold(model, state, work, e)):
        own.held = 0
        return False
    clock = state.clock[0]
    if clock.since == 0.0:
        own.held += clock.step - own.looked if own.held > 0 else 1
        own.looked = clock.step
    return max(own.held, 1) >= model.event[e].persistence


@kernel
def event_at_hand(model, state, work):
    """Has an event come within a piece, at whose end work is? One that waits for a time comes where pieces end."""
    for e in range(model.event.size):
        if state.event[e].fired != 0 or not event_possible(model, state, e):
            continue
        if state.event[e].held == 0 and all_hold(model, state, work, e):
            return True
    return False


@kernel
def may_join(model, state, work, action):
    """Are the ports apart, and do their hooks reach? If not, the run ends."""
    return can_join(model, state, action.a) and close_hooks(model, state, work, action.b)


@melted
def close_velocities(model, state, work, action):
    """Lock a joint, start a drive, join two ports or tie a closure, with its impulse; returns the energy lost."""
    if action.kind == JOIN and not may_join(model, state, work, action):
        return 0.0
    if action.kind == CLOSE and not close_as_found(model, state, work, action.a):
        return 0.0
    kinetic = kinetic_energy(model, state, work)
    remember_twists(model, state, work)
    if action.kind == LOCK:
        joint = model.joint[action.a]
        for j in range(joint.v, joint.v + joint.nv):
            state.dof[j].mode = LOCKED
    elif action.kind == DRIVE:
        own = state.dof[action.a]
        own.mode = DRIVEN
        own.profile = action.b
        own.drive_start = state.clock[0].t
        own.drive_from = coordinate_of(model, state, action.a)
    elif action.kind == JOIN:
        hold_back(model, state, work, action.a)
        join(model, state, work, action.a)
    return project_velocities(model, state, work, kinetic)


@kernel
def start_retraction(model, state, work, action):
    """The base joints' drive takes over from where they are, as fast as they are. Needs the closure."""
    own = state.retraction[action.a]
    constant = model.mechanism[action.a]
    profile = model.profile[action.b]
    if constant.drive_mass > 0.0:
        own.target, own.rate_limit, own.force_limit = profile.target, profile.duration, action.value
        return
    own.drive_from, own.rate_from, own.acceleration_from = load3(work.mechanism[action.a].move)
    own.drive_start = state.clock[0].t
    own.profile = action.b
    own.mode = DRIVEN


@melted
def apply_action(model, state, work, action):
    """Do it; returns the energy lost. Needs poses and velocities and leaves them consistent."""
    kind = action.kind
    if kind == LOCK or kind == DRIVE or kind == JOIN or kind == CLOSE:
        return close_velocities(model, state, work, action)
    if kind == SEPARATE or kind == JETTISON:
        return part(model, state, work, action)
    if kind == OPEN:
        held = open_closure(model, state, work, action.a)
        state.work_done[W_IMPULSES] -= held
        return held
    if kind == OPEN_LATCHES or kind == ARM_LATCHES:
        return switch_latches(model, state, work, action.a, OPENED if kind == OPEN_LATCHES else ARMED)
    if kind == RELEASE:
        joint = model.joint[action.a]
        for j in range(joint.v, joint.v + joint.nv):
            state.dof[j].mode = FORCED
        restart_servos(model, state, work, joint)
    elif kind == TORQUE:
        state.dof[action.a].torque = action.value
    elif kind == CUT:
        state.load[action.a].cut = now(state)
    elif kind == INHIBIT:
        state.load[action.a].inhibited = action.b
    elif kind == ATTITUDE_HOLD:
        switch_hold(model, state, action.a, action.b)
    elif kind == SET_SHAFT:
        set_shaft(model, state, work, action.a, action.b, action.value)
    elif kind == SWITCH_PROGRAM:
        switch_program(model, state, action.a, action.b)
    elif kind == RETRACT:
        start_retraction(model, state, work, action)
    elif kind == OPEN_HOOKS:
        begin_opening(state, action.a)
    elif kind == SET_VALVE:
        state.joined[action.a].valve_over[action.b] = action.value
    elif kind == OPEN_VALVE:
        open_valve(state, action.a, action.b, action.value)
    elif kind == PHASE:
        state.clock[0].phase = action.a
    elif kind == STOP:
        state.clock[0].status = STOPPED
    return 0.0


@melted
def fire(model, state, work, e):
    """Apply an event's actions and write its record: energy lost, momentum gained (rounding, if all is well)."""
    event = model.event[e]
    leg_details(model, state, work)
    h, p = total_momentum(model, state, work)
    loss = 0.0
    for i in range(event.first_action, event.first_action + event.n_actions):
        loss += apply_action(model, state, work, model.action[i])
        if state.clock[0].status != RUNNING:
            state.clock[0].culprit = e
            break
    if state.clock[0].status == RUNNING:
        choose_anew(model, state, work)
        if state.clock[0].status != RUNNING:
            state.clock[0].culprit = e
    h_after, p_after = total_momentum(model, state, work)
    for i in range(state.contact.size):
        # measured anew: latches may have been armed, velocities have jumped
        state.contact[i].clearance = 0.0
    own = state.event[e]
    own.fired = 1
    own.at = now(state)
    record = state.record[state.clock[0].n_records]
    state.clock[0].n_records += 1
    record.event = e
    record.t = state.clock[0].t
    record.loss = loss
    store3(record.dh, sub(h_after, h))
    store3(record.dp, sub(p_after, p))


@pure
def events_possible(model, state):
    """Is there an event to come that may be due now, by what is known without poses? Writes state.event held."""
    any_possible = False
    for e in range(model.event.size):
        if state.event[e].fired == 0:
            if event_possible(model, state, e):
                any_possible = True
            else:
                state.event[e].held = 0
    return any_possible


@pure
def events_lasting(model, state, until):
    """Where a piece may end at the latest [steps] for those events that count whole steps."""
    clock = state.clock[0]
    for e in range(model.event.size):
        own = state.event[e]
        left = model.event[e].persistence - own.held
        if own.fired == 0 and model.event[e].persistence > 1 and event_possible(model, state, e):
            if until >= clock.step + 1.0:
                until = clock.step + min(float(int(until - clock.step)), max(float(left), 1.0))
    return until


@melted
def check_events(model, state, work):
    """Fire what is due, in the order of the file. Needs poses and velocities and leaves them consistent."""
    for e in range(model.event.size):
        if state.event[e].fired == 0 and is_due(model, state, work, e):
            fire(model, state, work, e)
            if state.clock[0].status != RUNNING:
                return
