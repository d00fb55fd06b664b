"""Linear model of a chain under constraints, at rest or in motion: Zaremba (1990), (4.1), with the reactions' change.

About a state (q, q', q'', N) on the constraints, small departures obey

    A dq'' + D dq' + K dq = dQ + GT dN        K = db/dq + d(A q'')/dq - d(GT N)/dq,   D = db/dq'
    G dq'' + 2 G' dq' + G'' dq = 0            G', G'' rates of the gradient along the motion

The term with the reactions N of the state itself is missing in print, and so are G' and G'' for constraints that move.
Of 2n states 2m are departures from the constraints, which nothing makes: some joints, as many as freedoms are left, are
chosen as coordinates z, dq = T z with G T = 0 along the whole motion and T the identity in the chosen rows. Then
dq' = T z' + T' z and dq'' = T z'' + 2 T' z' + T'' z, with T' and T'' from the rates of G T = 0, and TT times the first
equation has no dN. Elimination of dq'' instead gives dN, an output of the model:

    dN = -(G A^-1 GT)^-1 [G A^-1 (dQ - D dq' - K dq) + 2 G' dq' + G'' dq]

Constraints that stand still are taken at rest, where the drives hold the point if the task's own forces do not; those
that move are taken in motion, with the task's drive forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.kinematics.screws import coordinate_names, effort_names, rate_names
from docksim.chain.linear.condition_derivatives import Departures, departures
from docksim.chain.linear.linearize import coefficients, passive_notes, skeleton
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained, Infeasible
from docksim.chain.motion.drives import Drives
from docksim.chain.motion.limits import Limits
from docksim.chain.motion.loads import Loads
from docksim.chain.motion.plant import Plant, Wanted
from docksim.chain.motion.runs import run_constrained, start_state
from docksim.config.loading.chain_task import LoadedTask
from docksim.config.schema.chain_task import ChainTask
from docksim.linear.model import LinearModel, Skeleton, second_order
from docksim.result.result import ResultError

FRICTION = "Coulomb friction of the joints is left out: it has no derivative"


@dataclass(frozen=True)
class HeldPoint:
    """A state on the constraints, and what acts there."""

    t: float
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    reaction: np.ndarray  # (m,) N
    drive: np.ndarray  # (n,)


@dataclass(frozen=True)
class Tangent:
    """M dq'' + D dq' + K dq = dQ + GT dN, and how the constraints answer."""

    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    held: Departures

    def reaction(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """dN by dq, dq' and dQ, (m, n) each."""
        G = self.held.gradient
        half = np.linalg.solve(self.M, G.T).T
        by = np.hstack([self.held.second - half @ self.K, 2.0 * self.held.rate - half @ self.D, half])
        by_q, by_rate, by_drive = np.hsplit(-np.linalg.solve(half @ G.T, by), 3)
        return by_q, by_rate, by_drive

    def acceleration(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """dq'' by dq, dq' and dQ, (n, n) each."""
        pull = self.held.gradient.T @ np.hstack(self.reaction())
        own = np.hstack([-self.K, -self.D, np.eye(len(self.M))])
        by_q, by_rate, by_drive = np.hsplit(np.linalg.solve(self.M, own + pull), 3)
        return by_q, by_rate, by_drive


# ---------------------------------------------------------------- of a task


def linearize_task(loaded: LoadedTask) -> LinearModel:
    """The model of a task with constraints at its start, brought onto them; at rest unless they move."""
    task, (held, q, rates, forces) = loaded.task, _started(loaded)
    zero, notes = np.zeros(held.model.n), _notes(task)
    if np.any(held.conditions(held.model, q, zero, 0.0).rate):
        rates = held.rates(0.0, q, rates)
        return linearize_point(held, moving_point(held, 0.0, q, rates, forces(0.0, q, rates)), task.name, notes)
    if np.any(rates):
        notes.append("at rest: the task's initial rates are left out")
    if any(load.table is not None or load.sine is not None for load in task.loads):
        notes.append("loads as they are at the start")
    return linearize_held(held, q, forces(0.0, q, zero), task.name, notes)


def linearize_along(
    loaded: LoadedTask, states: Sequence[tuple[float, np.ndarray, np.ndarray]], name: str
) -> list[LinearModel]:
    """Models at states (t, q, q') of a task's constrained motion, all in the same coordinates."""
    held, _, _, forces = _started(loaded)
    notes = _notes(loaded.task)
    gradients = [held.conditions(held.model, q, rates, t).gradient for t, q, rates in states]
    chosen = lasting_freedoms(gradients)
    return [
        replace(linearize_point(held, point, name, notes, chosen), time_s=point.t)
        for point in (moving_point(held, t, q, rates, forces(t, q, rates)) for t, q, rates in states)
    ]


def linearize_motion(loaded: LoadedTask, samples: int, name: str) -> list[LinearModel]:
    """Models at evenly chosen states of the task's own motion."""
    motion = run_constrained(loaded)
    if motion.outcome != "completed":
        raise ResultError(f"{loaded.file}: {motion.reason}")
    rows = np.unique(np.linspace(0, len(motion.time_s) - 1, samples).round().astype(int))
    return linearize_along(loaded, [(float(motion.time_s[i]), motion.q[i], motion.rates[i]) for i in rows], name)


def _started(loaded: LoadedTask) -> tuple[Constrained, np.ndarray, np.ndarray, Wanted]:
    """The chain under its constraints, coordinates on them, the initial rates as given, and the drives' forces."""
    task, model = loaded.task, build_chain(loaded.chain)
    q, rates = start_state(task, model)
    held = Constrained(model, build_conditions(model, task.constraint, q), Plant(model, Loads(model, task.loads)))
    q = held.place(0.0, q)
    held.check(0.0, q)
    drives, limits = Drives(model, task.drives, q), Limits(model)

    def forces(t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        wanted = drives(t, q, rates)
        return limits.force(wanted, rates, limits.drive_pieces(wanted, rates))

    return held, q, rates, forces


def _notes(task: ChainTask) -> list[str]:
    servos = any(drive.servo is not None for drive in task.drives.values())
    return ["servos are open: their forces are inputs"] if servos else []


# ---------------------------------------------------------------- at a state


def linearize_held(
    held: Constrained, q: np.ndarray, Q: np.ndarray, name: str, notes: Sequence[str] = ()
) -> LinearModel:
    """The model at a configuration on the constraints, at rest."""
    zero = np.zeros(held.model.n)
    state = held.at(0.0, q, zero, Q)
    drive = held.plant.equations(0.0, q, zero)[1] - state.joint_reaction
    if np.abs(drive - Q).max() > 1e-9 * max(1.0, float(np.abs(drive).max())):
        left = passive_notes(held.model, drive)
        notes = [*notes, *(left or ["the drives hold the point, which would not rest by itself"])]
    return linearize_point(held, HeldPoint(0.0, q, zero, zero, state.reaction, drive), name, notes)


def moving_point(held: Constrained, t: float, q: np.ndarray, rates: np.ndarray, Q: np.ndarray) -> HeldPoint:
    """A state of the motion under given drive forces."""
    state = held.at(t, q, rates, Q)
    return HeldPoint(t, q, rates, state.acceleration, state.reaction, Q)


def linearize_point(
    held: Constrained,
    point: HeldPoint,
    name: str,
    notes: Sequence[str] = (),
    chosen: Sequence[int] | None = None,
) -> LinearModel:
    """The model about a state of a motion on the constraints, in the chosen coordinates or the best ones."""
    model = held.model
    allowed = tangent(held, point)
    G = allowed.held.gradient
    chosen = freedoms(G)[1] if chosen is None else chosen
    if not len(chosen):
        raise Infeasible(f"{len(G)} constraints on {model.n} joints leave nothing that could move")
    T, T_rate, T_second = charts(allowed.held, chosen)
    shape = skeleton(model, point.q)
    made = second_order(
        name,
        [coordinate_names(model)[k] for k in chosen],
        [rate_names(model)[k] for k in chosen],
        [effort_names(model)[k] for k in model.driven],
        M=T.T @ allowed.M @ T,
        damping=T.T @ (allowed.D @ T + 2.0 * allowed.M @ T_rate),
        K=T.T @ (allowed.K @ T + allowed.D @ T_rate + allowed.M @ T_second),
        F=T.T[:, model.driven],
        operating_point=_operating_point(held, point),
        notes=(*notes, *([FRICTION] if np.any(model.friction) else [])),
        skeleton=Skeleton(shape.points, shape.lines, shape.jacobian @ T, shape.labels),
    )
    by_q, by_rate, by_drive = allowed.reaction()
    return replace(
        made,
        outputs=(*made.outputs, *reaction_names(held)),
        C=np.vstack([made.C, np.hstack([by_q @ T + by_rate @ T_rate, by_rate @ T])]),
        D=np.vstack([made.D, by_drive[:, model.driven]]),
    )


def tangent(held: Constrained, point: HeldPoint) -> Tangent:
    """The coefficients of both equations, for all joints."""
    model = held.model
    links = coefficients(model, point.q, point.rates, point.accelerations)
    answers = departures(model, held.conditions, point.t, point.q, point.rates, point.accelerations)
    of_forces = np.einsum("m,mij->ij", point.reaction, answers.curvature)
    if held.plant.loads.parts:
        of_forces += held.plant.loads.slope(point.t, point.q)
    return Tangent(
        M=links.A + np.diag(model.rotor),
        D=links.b_by_rate + np.diag(model.damping),
        K=links.b_by_q + links.Aqdd_by_q + np.diag(model.stiffness) - of_forces,
        held=answers,
    )


def reaction_names(held: Constrained) -> tuple[str, ...]:
    """Of the constraints' rows, with units."""
    units = ("N" if unit == "m" else "Nm" for unit in held.conditions.units)
    return tuple(f"reaction.{row}_{unit}" for row, unit in zip(held.conditions.rows, units, strict=True))


def _operating_point(held: Constrained, point: HeldPoint) -> dict[str, float]:
    model = held.model
    columns = [(coordinate_names(model), point.q)]
    if np.any(point.rates):
        columns.append((rate_names(model), point.rates))
    efforts = tuple(effort_names(model)[k] for k in model.driven)
    columns += [(efforts, point.drive[model.driven]), (reaction_names(held), point.reaction)]
    return {name: value for names, values in columns for name, value in zip(names, values.tolist(), strict=True)}


# ---------------------------------------------------------------- coordinates that are left


def freedoms(G: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """T (n, n - m) with G T = 0 and the identity in the rows of the chosen coordinates."""
    from scipy.linalg import qr

    m, n = G.shape
    null = np.linalg.svd(G)[2][m:].T
    if m >= n:
        return np.zeros((n, 0)), []
    # rows of the null space that are most independent: these joints tell all the others
    order = qr(null.T, mode="r", pivoting=True)[1][: n - m]
    chosen = sorted(int(k) for k in order)
    return null @ np.linalg.inv(null[chosen]), chosen


def lasting_freedoms(gradients: Sequence[np.ndarray]) -> list[int]:
    """Joints that tell all the others at every state: of each state's best choice the one whose worst state is best."""
    bases = [np.linalg.svd(G)[2][len(G) :].T for G in gradients]
    choices = sorted({tuple(freedoms(G)[1]) for G in gradients})
    worst = [
        min(np.linalg.svd(null[list(one)], compute_uv=False).min(initial=1.0) for null in bases) for one in choices
    ]
    return list(choices[int(np.argmax(worst))])


def charts(held: Departures, chosen: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, T' and T'' (n, n - m): dq = T z along the motion, with constant rows of the chosen coordinates."""
    n = held.gradient.shape[1]
    rest = [k for k in range(n) if k not in chosen]
    lean = np.linalg.inv(held.gradient[:, rest])
    T, T_rate, T_second = (np.zeros((n, len(chosen))) for _ in range(3))
    T[chosen, range(len(chosen))] = 1.0
    T[rest] = -lean @ held.gradient[:, chosen]
    T_rate[rest] = -lean @ (held.rate @ T)
    T_second[rest] = -lean @ (2.0 * held.rate @ T_rate + held.second @ T)
    return T, T_rate, T_second
