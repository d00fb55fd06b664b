"""Forces in the joints: springs, dampers, friction with true stick, stops, motors.

Friction is an elastic bristle that slips at the Coulomb level: its stretch is the displacement since the step's start
added to the stretch then, clipped, so a loaded joint rests without creeping. Explicit integrators must resolve it, step
squared times friction / presliding well below the inertia; the linearly implicit one need not, see `friction_sticks`.
Stops follow Hunt and Crossley, never pulling. A ball joint's spring acts on the rotation vector, K on M axes, and its
torque is the exact gradient of its energy.
"""

from docksim.algebra.joints import FREE, SPHERICAL
from docksim.algebra.quat import load4, quat_log, rotation_vector_torque
from docksim.algebra.vec3 import add, load3, load9, mat_vec, sub
from docksim.kernel.basis.clock import step_length
from docksim.kernel.basis.coordinates import coordinate_index
from docksim.model import W_DAMPING, W_DRIVES, W_FRICTION, W_MOTORS, W_STOPS
from docksim.model.tree import BALL, DRIVEN, FORCED, LOCKED
from docksim.native.decorators import kernel, pure


@pure
def clipped(x, limit):
    return min(max(x, -limit), limit)


@pure
def beyond(x, band):
    """Zero within the band, counted from its edge beyond."""
    if x > band:
        return x - band
    if x < -band:
        return x + band
    return 0.0


@pure
def bristle_stretch(constant, at_start, u):
    """Stretch of the friction bristle after a displacement u from the step's start."""
    return min(max(at_start + u, -constant.presliding), constant.presliding)


@pure
def friction_sticks(friction, presliding, bristle, dof, rate, h):
    """Can friction stop the joint within a step? Reads dof beta_dot D_inv; all is as at the step's start.

    If so, a linearly implicit step takes the bristle as a spring throughout, however stiff, and the joint comes to
    rest. If not, the force is that of sliding, constant, and a tangent would only brake too much. D_inv counts the
    child's side alone: a joint that carries far more than what it is mounted on may tremble.
    """
    s = bristle / presliding
    full = h * friction * dof.D_inv
    after = rate + h * dof.beta_dot
    if (rate >= 0.0 or s >= 1.0) and after > (1.0 - s) * full:
        return False
    return not ((rate <= 0.0 or s <= -1.0) and after < -(1.0 + s) * full)


@pure
def stop_depth(constant, x):
    """How far a coordinate is beyond its stop: positive above the upper, negative below the lower."""
    if x > constant.upper:
        return x - constant.upper
    if x < constant.lower:
        return x - constant.lower
    return 0.0


@pure
def storing_force(constant, x):
    """Force that it takes to hold a coordinate against its spring and stop."""
    return constant.stiffness * (x - constant.rest) + constant.stop_stiffness * stop_depth(constant, x)


@kernel
def scalar_joint_force(constant, own, dof, x, rate, power):
    """Spring, damper, friction, stops and motor of one coordinate. Writes dof tau K C, adds to power."""
    T = -constant.stiffness * (x - constant.rest) - constant.damping * rate + own.torque
    K = constant.stiffness
    C = constant.damping
    power[W_DAMPING] -= constant.damping * rate * rate
    power[W_MOTORS] += own.torque * rate
    if constant.friction > 0.0:
        k = constant.friction / constant.presliding
        stretch = own.bristle + dof.u_now
        if dof.sticks:
            K += k
        else:
            stretch = bristle_stretch(constant, own.bristle, dof.u_now)
        T -= k * stretch
        power[W_FRICTION] -= k * stretch * rate
    depth = stop_depth(constant, x)
    if depth != 0.0:
        grip = 1.0 + constant.stop_damping * (rate if depth > 0.0 else -rate)
        if grip > 0.0:
            T -= constant.stop_stiffness * depth * grip
            K += constant.stop_stiffness * grip
            C += constant.stop_stiffness * abs(depth) * constant.stop_damping
            power[W_STOPS] -= constant.stop_stiffness * depth * (grip - 1.0) * rate
        else:
            power[W_STOPS] += constant.stop_stiffness * depth * rate
    return T, K, C


@kernel
def ball_joint_force(model, state, work, joint):
    """Spring on the rotation vector and viscous damper of a ball joint. Writes work.dof tau K C."""
    v = joint.v
    u = quat_log(load4(state.q[joint.q : joint.q + 4]))
    k = (model.dof[v].stiffness, model.dof[v + 1].stiffness, model.dof[v + 2].stiffness)
    torque = rotation_vector_torque(u, (k[0] * u[0], k[1] * u[1], k[2] * u[2]))
    for i in range(3):
        dof = work.dof[v + i]
        damping = model.dof[v + i].damping
        rate = state.beta[v + i]
        dof.tau = torque[i] - damping * rate
        if work.implicit[1] == 0.0:
            dof.K = k[i]
            dof.C = damping
        work.power[W_DAMPING] -= damping * rate * rate


@pure
def joint_forces(model, state, work):
    """Generalised forces of the forced coordinates. Reads state q beta dof, work.dof u_now. Writes work.dof tau K C.

    What drives a coordinate works against its spring and stops as well; that is added to the power here.
    """
    h = step_length(model, state)
    for i in range(state.order.size):
        joint = model.joint[state.link[state.order[i]].joint]
        if joint.type == SPHERICAL and state.dof[joint.v].mode == FORCED:
            ball_joint_force(model, state, work, joint)
        elif joint.type == FREE:
            # nothing acts on the turns; what once locked them is gone
            for j in range(joint.v, joint.v + 3):
                work.dof[j].tau = 0.0
        for j in range(joint.v, joint.v + joint.nv):
            if model.dof[j].kind == BALL or state.dof[j].mode == LOCKED:
                continue
            dof = work.dof[j]
            x = state.q[coordinate_index(joint, j)]
            if state.dof[j].mode == DRIVEN:
                work.power[W_DRIVES] += storing_force(model.dof[j], x) * state.beta[j]
                continue
            if model.dof[j].friction > 0.0 and work.implicit[1] == 0.0:
                implicit = work.implicit[0] > 0.0
                own = model.dof[j]
                dof.sticks = implicit and friction_sticks(
                    own.friction, own.presliding, state.dof[j].bristle, dof, state.beta[j], h
                )
            dof.tau, K, C = scalar_joint_force(model.dof[j], state.dof[j], dof, x, state.beta[j], work.power)
            if work.implicit[1] == 0.0:
                dof.K = K
                dof.C = C


@pure
def settle_bristles(model, state, work):
    """After a step: the friction bristles keep their stretch. Writes state.dof bristle."""
    for j in range(state.dof.size):
        if model.dof[j].friction > 0.0:
            if state.dof[j].mode == FORCED:
                state.dof[j].bristle = bristle_stretch(model.dof[j], state.dof[j].bristle, work.dof[j].u_now)
            else:
                state.dof[j].bristle = 0.0


@pure
def point_on(body, p):
    """A point of a body in W: from the body's hinge point, and itself."""
    arm = mat_vec(load9(body.R_WB), sub(load3(p), load3(body.p_BH)))
    return arm, add(load3(body.p_WH), arm)
