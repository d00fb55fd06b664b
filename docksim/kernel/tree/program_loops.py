"""Program control while closures are on: joints of a loop cannot have any acceleration that one asks for.

Torques always go together. With q''_0 and c what joints and hand do without torques of the program, and B and F what
unit torques add to them,

    q'' = q''_0 + B tau        f'' = c + F tau        B = V diag(b) V', symmetric and never negative

B has a null space where the joints are tied to each other: torques in it load the loops and move nothing. In the
coordinates z of the others, q'' = q''_0 + V z, the law is that of `programs`, with F V / b for G and V' (v - q''_0) for
v; and tau = V z / b are the least torques that do it. Without a loop through its joints all this comes to the same.
"""

import math

from docksim.kernel.tree.programs import solve_wanted, wish
from docksim.native.decorators import kernel

TIED = 1e-11  # of the largest b: torques that move less move nothing
SWEEPS = 20  # of Jacobi's method at most; it takes six to eight


@kernel
def silence(model, state, work, i):
    """The program's drives give nothing. Writes state.shaft target_force held, work.program held."""
    constant = model.program[i]
    for k in range(constant.n_joints):
        own = state.shaft[model.program_joint[constant.first_joint + k].shaft]
        work.program[i].held[k] = own.held
        own.held = 0.0
        own.target_force = 0.0


@kernel
def keep_still(model, work, i):
    """The pass without torques of the program. Writes work.program still."""
    for k in range(model.program[i].n_joints):
        joint = model.program_joint[model.program[i].first_joint + k]
        work.program[i].still[k] = work.dof[joint.v].beta_dot


@kernel
def keep_answers(model, work, i, k):
    """A pass with a unit torque on joint k. Writes work.program B."""
    out = work.program[i]
    for j in range(model.program[i].n_joints):
        joint = model.program_joint[model.program[i].first_joint + j]
        out.B[j, k] = work.dof[joint.v].beta_dot - out.still[j]


@kernel
def rotate(B, V, n, p, q):
    """Jacobi's rotation that makes B_pq zero."""
    x = (B[q, q] - B[p, p]) / (2.0 * B[p, q])
    t = math.copysign(1.0, x) / (abs(x) + math.sqrt(1.0 + x * x))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = t * c
    for k in range(n):
        a, b = B[k, p], B[k, q]
        B[k, p], B[k, q] = c * a - s * b, s * a + c * b
        a, b = V[k, p], V[k, q]
        V[k, p], V[k, q] = c * a - s * b, s * a + c * b
    for k in range(n):
        a, b = B[p, k], B[q, k]
        B[p, k], B[q, k] = c * a - s * b, s * a + c * b


@kernel
def diagonalise(B, V, n):
    """B of n rows to V' B V, diagonal but for rounding; returns the largest eigenvalue."""
    largest = 0.0
    for p in range(n):
        largest = max(largest, B[p, p])
        for q in range(n):
            V[p, q] = 1.0 if p == q else 0.0
            B[p, q] = 0.5 * (B[p, q] + B[q, p]) if q > p else B[q, p] if q < p else B[p, p]
    for _ in range(SWEEPS):
        turned = False
        for p in range(n):
            for q in range(p + 1, n):
                if abs(B[p, q]) > 1e-16 * largest:
                    rotate(B, V, n, p, q)
                    turned = True
        if not turned:
            break
    for p in range(n):
        largest = max(largest, B[p, p])
    return largest


@kernel
def in_own_coordinates(model, work, i, bound):
    """What is wanted, v - q''_0, to V' of it, and F to F V / b. Writes work.program wanted G."""
    out = work.program[i]
    n = model.program[i].n_joints
    for k in range(n):
        out.wanted[k] = 0.0
        for j in range(n):
            out.wanted[k] += out.V[j, k] * out.still[j] if out.B[k, k] > bound else 0.0
    for m in range(model.program[i].rows):
        for k in range(n):
            out.still[k] = 0.0
            for j in range(n):
                out.still[k] += out.G[m, j] * out.V[j, k]
        for k in range(n):
            out.G[m, k] = out.still[k] / out.B[k, k] if out.B[k, k] > bound else 0.0


@kernel
def give_loop_torques(model, state, work, i):
    """The law. Needs all passes. Writes state.shaft target_force held, program f rank, work.program."""
    constant = model.program[i]
    out = work.program[i]
    n = constant.n_joints
    bound = TIED * diagonalise(out.B, out.V, n)
    wish(model, state, work, i)
    for k in range(n):
        out.still[k] = out.wanted[k] - out.still[k]
    in_own_coordinates(model, work, i, bound)
    solve_wanted(model, state, work, i, n)
    for j in range(n):
        own = state.shaft[model.program_joint[constant.first_joint + j].shaft]
        own.held = out.held[j]
        for k in range(n):
            own.target_force += out.V[j, k] * out.wanted[k] / out.B[k, k] if out.B[k, k] > bound else 0.0
