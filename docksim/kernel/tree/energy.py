"""Sums over the system: energies and momenta.

Kinetic energy and momenta are those seen from axes that do not turn, written on the axes of W; reflected rotors count
in the energy, not in the momentum (they are a device's approximation, not a body).
"""

from docksim.algebra.joints import SPHERICAL
from docksim.algebra.quat import load4, quat_log
from docksim.algebra.vec3 import add, cross, dot, load3, load9, load_sym, turned_sym
from docksim.kernel.basis.coordinates import coordinate_index
from docksim.kernel.basis.devices import stop_depth
from docksim.kernel.basis.spatial import inertia_about_hinge, rigid_momentum
from docksim.kernel.mechanism.ring import leg_sums
from docksim.model.tree import BALL
from docksim.native.decorators import kernel, pure


@pure
def body_inertia(constant, body):
    """Rotational inertia about the hinge point on W axes."""
    J = turned_sym(load9(body.R_WB), load_sym(constant.inertia))
    return inertia_about_hinge(constant.mass, load3(body.p_HC), J)


@kernel
def body_momentum(constant, body):
    """Angular momentum about W's origin and linear momentum of one body."""
    h, p = rigid_momentum(
        constant.mass, load3(body.p_HC), body_inertia(constant, body), load3(body.w_WB), load3(body.v_WH)
    )
    return add(h, cross(load3(body.p_WH), p)), p


@kernel
def total_momentum(model, state, work):
    """Angular momentum about W's origin, linear momentum. Needs poses, velocities and the closure of the legs."""
    h = (0.0, 0.0, 0.0)
    p = (0.0, 0.0, 0.0)
    for i in range(model.mechanism.size):
        h_i, p_i, _ = leg_sums(model, state, work, i)
        h = add(h, h_i)
        p = add(p, p_i)
    for i in range(state.order.size):
        k = state.order[i]
        h_k, p_k = body_momentum(model.body[k], work.body[k])
        h = add(h, h_k)
        p = add(p, p_k)
    return h, p


@kernel
def kinetic_energy(model, state, work):
    """Of bodies and reflected rotors. Needs poses, velocities and the closure of the legs."""
    energy = 0.0
    for i in range(model.mechanism.size):
        _, _, energy_i = leg_sums(model, state, work, i)
        energy += energy_i
    for i in range(state.order.size):
        k = state.order[i]
        body = work.body[k]
        w = load3(body.w_WB)
        v = load3(body.v_WH)
        h, p = rigid_momentum(model.body[k].mass, load3(body.p_HC), body_inertia(model.body[k], body), w, v)
        energy += 0.5 * (dot(w, h) + dot(v, p))
    for j in range(state.beta.size):
        energy += 0.5 * model.dof[j].armature * state.beta[j] * state.beta[j]
    return energy


@kernel
def scalar_potential(constant, x):
    """Spring and stop of one coordinate."""
    stretch = x - constant.rest
    depth = stop_depth(constant, x)
    return 0.5 * (constant.stiffness * stretch * stretch + constant.stop_stiffness * depth * depth)


@kernel
def joint_potential(model, state, joint):
    """Springs and stops of one joint."""
    if joint.type == SPHERICAL:
        u = quat_log(load4(state.q[joint.q : joint.q + 4]))
        energy = 0.0
        for i in range(3):
            energy += 0.5 * model.dof[joint.v + i].stiffness * u[i] * u[i]
        return energy
    energy = 0.0
    for j in range(joint.v, joint.v + joint.nv):
        if model.dof[j].kind != BALL:
            energy += scalar_potential(model.dof[j], state.q[coordinate_index(joint, j)])
    return energy


@kernel
def joint_store(model, state, joint):
    """All energy in the devices of one joint: springs, stops, reflected rotors."""
    energy = joint_potential(model, state, joint)
    for j in range(joint.v, joint.v + joint.nv):
        energy += 0.5 * model.dof[j].armature * state.beta[j] * state.beta[j]
    return energy
