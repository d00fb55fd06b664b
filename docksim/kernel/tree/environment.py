"""Loads from outside: thrusters and given wrenches; the differential gravity of a circular orbit.

In orbit W follows the reference point: x radial outward, y along the track, z along the orbit normal, turning at n. The
world body carries that rate, so centrifugal and Coriolis terms come from the recursion itself; what is added here is
the gravity gradient on each body and on each link of the legs. Together they are the Clohessy-Wiltshire equations for
all of them, rotation included, linear in the distance from the reference point.
"""

from docksim.algebra.elementary import sin
from docksim.algebra.vec3 import add, cross, dot, load3, load9, load_sym, mat_vec, scale, sub, turned_sym
from docksim.kernel.basis.clock import middle, now, slack
from docksim.kernel.basis.gravity import gravity_on
from docksim.kernel.basis.instants import pulse_origin
from docksim.kernel.basis.spatial import add_wrench
from docksim.kernel.mechanism.ring import leg_details, leg_gravity
from docksim.model import W_ENVIRONMENT, W_LOADS
from docksim.model.events import ON_BODY_AXES
from docksim.native.decorators import pure


@pure
def count_external(work, body, moment, force, kind):
    """Add a wrench about the hinge point to the body, to the power of its kind and to the total about W's origin."""
    add_wrench(body.f, moment, force)
    work.power[kind] += dot(moment, load3(body.w_WB)) + dot(force, load3(body.v_WH))
    add_wrench(work.wrench, add(moment, cross(load3(body.p_WH), force)), force)


@pure
def push(work, given, s, kind):
    """A given force and torque, s times as large, at their point of a body."""
    body = work.body[given.body]
    R = load9(body.R_WB)
    force = load3(given.force)
    torque = load3(given.torque)
    if given.axes == ON_BODY_AXES:
        force = mat_vec(R, force)
        torque = mat_vec(R, torque)
    force = scale(s, force)
    arm = mat_vec(R, sub(load3(given.p), load3(body.p_BH)))
    count_external(work, body, add(scale(s, torque), cross(arm, force)), force, kind)


@pure
def applied_loads(model, state, work):
    """Thrusters and given loads that are on in this step, and wrenches from outside. Adds to work.body f."""
    for i in range(model.load.size):
        load = model.load[i]
        if state.load[i].on != 0:
            s = 1.0
            if load.frequency > 0.0:
                s = sin(load.frequency * (state.clock[0].t - load.start * model.settings[0].step))
            push(work, load, s, load.work)
    for i in range(state.external.size):
        push(work, state.external[i], 1.0, W_LOADS)


@pure
def switch_loads(model, state):
    """On or off for the whole of the coming piece. Writes state.load on, since, spent."""
    within = middle(state)
    here = now(state)
    for i in range(model.load.size):
        load = model.load[i]
        own = state.load[i]
        own.spent += own.on * (here - own.since)
        own.since = here
        own.on = 1 if load.start <= within < load.end else 0
    for i in range(model.pulse.size):
        pulse = model.pulse[i]
        own = state.load[pulse.load]
        origin = pulse_origin(state, pulse)
        on = origin + pulse.start <= within < origin + pulse.end and own.inhibited == 0
        if on and origin + pulse.start >= own.cut - slack(state):
            own.on = 1


@pure
def orbital_forces(model, state, work):
    """Differential gravity on every body and on every link of the legs. Adds to work.body f; leaves legs in detail."""
    settings = model.settings[0]
    if settings.orbit_rate == 0.0:
        return
    for i in range(state.order.size):
        k = state.order[i]
        body = work.body[k]
        J = turned_sym(load9(body.R_WB), load_sym(model.body[k].inertia))
        moment, force = gravity_on(settings, model.body[k].mass, load3(body.p_WH), load3(body.p_HC), J)
        count_external(work, body, moment, force, W_ENVIRONMENT)
    # the legs' equations have it from their details
    leg_details(model, state, work)
    for i in range(model.mechanism.size):
        power, moment, force = leg_gravity(model, work, i)
        work.power[W_ENVIRONMENT] += power
        add_wrench(work.wrench, moment, force)
