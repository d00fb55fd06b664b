"""Letting go: a joint is cut without impulse, and from there on forces push the two sides apart."""

from docksim.algebra.vec3 import add, cross, dot, load3, load9, store3, store9, sub
from docksim.kernel.basis.clock import now, slack
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.contact.joined import end_joint
from docksim.kernel.contact.parting import add_rates, parting_energy, pressure, tie_pose
from docksim.kernel.run.budget import side_motion
from docksim.kernel.step import evaluate
from docksim.kernel.tree.energy import joint_store
from docksim.kernel.tree.passes import motion_in_detail
from docksim.kernel.tree.topology import separate
from docksim.model import STUCK, W_ADHESION, W_IMPULSES, W_PUSH_OFF
from docksim.model.parting import HOOK, ROD, SEAL
from docksim.native.decorators import kernel, melted, pure

SWEEPS = 2000  # at most, over hooks that are late, each of which changes what the others hold
PROBE = 1e-6  # stretch of a hook that tells how the two sides answer [m]
SETTLED = 1e-13  # change of a stretch that matters no more [m]


@melted
def part(model, state, work, action):
    """Cut the tree at a joint; what the joint's devices held is lost, and returned."""
    held = joint_store(model, state, model.joint[action.a])
    if action.b >= 0 and clings(model, state, action.b, int(action.value)):
        return 0.0
    if not separate(model, state, work, action.a):
        return 0.0
    state.work_done[W_IMPULSES] -= held
    end_joint(model, state, action.a)
    if action.b >= 0:
        let_go(model, state, work, action.b)
    for j in range(model.joined.size):
        if model.joined[j].weld == action.a:
            # the tunnel is open
            state.joined[j].pressure[0] = 0.0
            state.joined[j].pressure[1] = 0.0
    return held


@kernel
def clings(model, state, i, profile):
    """Does the seal hold against rods and pressure? Then the run ends. Writes state.parting, clock status value."""
    parting = model.parting[i]
    own = state.parting[i]
    own.profile = profile
    own.by_gap = 1 if profile >= 0 and model.profile[profile].target != 0.0 else 0
    own.tunnel = 0.0
    for j in range(model.joined.size):
        if model.joined[j].weld == parting.weld and profile < 0:
            own.tunnel = state.joined[j].pressure[0]
    own.start = 0.0
    own.drive_start = state.clock[0].t
    push = parting.area * pressure(model, own, parting.vented, own.drive_start, 0.0)
    pull = 0.0
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        tie = model.tie[k]
        if tie.kind == ROD:
            push += tie.ended + tie.slope * tie.end
        elif tie.kind == SEAL:
            pull -= tie.ended
    if pull > 0.0 and push <= pull:
        state.clock[0].status = STUCK
        state.clock[0].value = push
        return True
    return False


@kernel
def let_go(model, state, work, i):
    """Rods, seal and late hooks act from where the two are. Writes state.parting, tie, work_done; needs motion."""
    parting = model.parting[i]
    own = state.parting[i]
    held = parting_energy(model, state, work, i, ROD)
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    own.live = 1
    own.start, axis, _, arm_B = tie_pose(parting, A, B, parting.p_bB)
    port = add(load3(B.p_WH), arm_B)
    store9(own.R_WB, load9(B.R_WB))
    store3(own.axis, axis)
    own.least = 0.0
    own.clear = -1.0
    own.rods = own.drive_start
    for side in range(2):
        near = parting.body_A if side == 0 else parting.body_B
        far = parting.body_B if side == 0 else parting.body_A
        _, _, fixed = side_motion(model, state, work, near, far, port, own.side[side])
        own.fixed[side] = 1 if fixed else 0
        store3(own.rate[side], (0.0, 0.0, 0.0))
    add_rates(parting, own, work, -1.0)
    late = False
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        state.tie[k].on = 1
        state.tie[k].start, _, _, _ = tie_pose(parting, A, B, model.tie[k].p)
        if model.tie[k].kind == HOOK:
            state.tie[k].opens = opens_at(model, state, parting.weld, model.tie[k])
            state.tie[k].on = 1 if state.tie[k].opens > now(state) + slack(state) else 0
            late = late or state.tie[k].on != 0
    if late:
        hold_on(model, state, work, i)
    state.work_done[W_PUSH_OFF] += parting_energy(model, state, work, i, ROD) - held
    state.work_done[W_PUSH_OFF] += parting_energy(model, state, work, i, HOOK)
    state.work_done[W_ADHESION] += parting_energy(model, state, work, i, SEAL)


@kernel
def opens_at(model, state, weld, tie):
    """When a late hook lets go, from when the others are back or the two part [steps]; -1 if it never gripped."""
    step = model.settings[0].step
    since = now(state)
    for j in range(model.joined.size):
        row = model.joined[j]
        own = state.joined[j]
        if row.weld == weld:
            if state.hook[row.first_hook + tie.hook].engaged == 0:
                return -1.0
            if own.opening >= 0.0:
                since = (own.opening + row.drive) / step
    return since + tie.delay / step


@kernel
def hold_on(model, state, work, i):
    """Each late hook begins with the pull at which its place does not open, as the others have let go of it slowly.

    Found from how the opening's acceleration answers to a stretch of it. Writes state.tie start; leaves motion.
    """
    parting = model.parting[i]
    for _ in range(SWEEPS):
        changed = 0.0
        for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
            own = state.tie[k]
            if model.tie[k].kind == HOOK and own.on != 0:
                free = opening(model, state, work, i, k)
                own.start -= PROBE
                answer = opening(model, state, work, i, k) - free
                distance, _, _, _ = tie_pose(
                    parting, work.body[parting.body_A], work.body[parting.body_B], model.tie[k].p
                )
                before = own.start + PROBE
                own.start = min(before + PROBE * free / answer, distance)
                changed = max(changed, abs(own.start - before))
        if changed < SETTLED:
            break
    motion_in_detail(model, state, work)


@kernel
def opening(model, state, work, i, k):
    """Acceleration at which the place of a tie opens; the two sides move as one still."""
    parting = model.parting[i]
    evaluate(model, state, work)
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    _, axis, arm_A, arm_B = tie_pose(parting, A, B, model.tie[k].p)
    return dot(axis, sub(acceleration_at(B, arm_B), acceleration_at(A, arm_A)))


@pure
def acceleration_at(body, arm):
    w = load3(body.w_WB)
    return add(add(tail3(body.A_WH), cross(load3(body.A_WH), arm)), cross(w, cross(w, arm)))


@kernel
def hold_back(model, state, work, weld):
    """Rods of two ports that are joined push no longer: the joint holds them. Writes state.parting, tie, work_done."""
    for i in range(model.parting.size):
        if model.parting[i].weld == weld and state.parting[i].live != 0:
            for kind in (ROD, SEAL, HOOK):
                state.work_done[W_PUSH_OFF] -= parting_energy(model, state, work, i, kind)
            state.parting[i].live = 0
