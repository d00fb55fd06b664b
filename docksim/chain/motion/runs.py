"""Runs of a task: a chain left to its drives and loads, under constraints, or along a program; rows at even times.

Whatever ends a run early (a singular position, constraints that can no longer be met, Ctrl-C) keeps the rows so far,
and `reason` says what it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.dynamics.formulations import Dynamics, Singular
from docksim.chain.kinematics.links import kinematics
from docksim.chain.model import ChainModel
from docksim.chain.motion.adaptive import Adaptation, AdaptiveControl, AdaptiveMoving, ChangingPlant, adaptation
from docksim.chain.motion.conditions import Conditions, build_conditions, out_of_reach
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.control import ProgramControl, by_the_poles, redundant_law, row_poles
from docksim.chain.motion.driven import Driven, presliding, without_sticking
from docksim.chain.motion.drives import Drives
from docksim.chain.motion.integration import Progress, Run, State, integrate, sample_times
from docksim.chain.motion.loads import Loads
from docksim.chain.motion.notes import friction_notes, limit_notes, start_notes
from docksim.chain.motion.plant import WORKS, Instant, Moving, Plant
from docksim.config.loading.chain_task import LoadedTask
from docksim.config.schema.chain_task import ChainTask, JointStart

LOADED = np.array([float(name == "loads") for name in WORKS])


@dataclass(frozen=True)
class ChainMotion:
    """Rows of a run; SI and radians. Arrays are (T, n) of the joints and (T, m) of the conditions."""

    name: str
    kind: str  # "free", "constraint", "program" or "adaptive"
    model: ChainModel
    rows: tuple[str, ...]  # names of the conditions' components
    units: tuple[str, ...]  # 'm' or 'rad'
    time_s: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    wanted: np.ndarray  # asked of the drives
    force: np.ndarray  # of the drives
    stop: np.ndarray  # of the stops
    joint_reaction: np.ndarray  # of constraints, on the joints; zero along a program
    f: np.ndarray
    f_rate: np.ndarray
    reaction: np.ndarray  # (T, m) N of constraints; (T, 0) without
    tool_m: np.ndarray  # (T, 3) far end of the last link
    energy_J: np.ndarray  # kinetic, of weight and of springs
    work_J: np.ndarray  # (T, 5) done on the chain, as plant.WORKS
    limited: np.ndarray  # (2, n) share of the time that drives and stops were at their limits
    adaptation: Adaptation | None = None  # what an adaptive controller believes
    expected: np.ndarray | None = None  # (T, m) errors of a program by its poles; none where it cannot be met
    outcome: str = "completed"
    reason: str = ""
    notes: tuple[str, ...] = ()

    @property
    def residual_J(self) -> np.ndarray:
        """(T,) what energy has gained beyond all work."""
        return self.energy_J - self.energy_J[0] - self.work_J.sum(axis=1)

    @property
    def missed(self) -> np.ndarray | None:
        """(m,) largest departure of a program's errors from their decay by the poles."""
        return None if self.expected is None else np.abs(self.f - self.expected).max(axis=0)


def run_task(loaded: LoadedTask, progress: Progress | None = None, method: str = "crba") -> ChainMotion:
    """The motion of a task, whatever holds or leads it."""
    runs = {"adaptive": run_adaptive, "program": run_program, "constraint": run_constrained, "free": run_free}
    return runs[loaded.task.kind](loaded, progress, method)


def start_state(task: ChainTask, model: ChainModel) -> State:
    """Coordinates and rates at the start."""
    q, rates = model.home.copy(), np.zeros(model.n)
    for k, link in enumerate(model.names):
        if link in task.initial:
            q[k], rates[k] = _of_joint(task.initial[link], bool(model.prismatic[k]), q[k])
    return q, rates


def _of_joint(start: JointStart, slides: bool, home: float) -> tuple[float, float]:
    if slides:
        return (home if start.travel_m is None else start.travel_m), start.rate_m_s
    return (home if start.angle_deg is None else np.radians(start.angle_deg)), np.radians(start.rate_deg_s)


# ---------------------------------------------------------------- left to drives and loads


def run_free(loaded: LoadedTask, progress: Progress | None = None, method: str = "crba") -> ChainMotion:
    """The motion under the task's drives and loads alone."""
    task, whole = loaded.task, build_chain(loaded.chain)
    slack = presliding(whole, task.drives)
    model = without_sticking(whole, slack)
    start = start_state(task, model)
    drives = Drives(model, task.drives, start[0], task.duration_s)
    moving = Driven(_plant(loaded, model, method), drives, whole.friction, slack, None)
    run = integrate(task, moving, start, progress)
    return _collected(task, "free", moving, Conditions(()), run, friction_notes(model))


def _plant(loaded: LoadedTask, model: ChainModel, method: str) -> Plant:
    """The chain under the task's loads; refused where some joint moves nothing that has inertia."""
    zero = np.zeros(model.n)
    plant = Plant(model, Loads(model, loaded.task.loads), method)
    try:
        plant.dynamics.forward(start_state(loaded.task, model)[0], zero, zero)
    except Singular as error:
        raise loaded.error(("chain",), str(error)) from None
    return plant


# ---------------------------------------------------------------- under constraints


def run_constrained(loaded: LoadedTask, progress: Progress | None = None, method: str = "crba") -> ChainMotion:
    """The motion under the task's constraints; Infeasible if it cannot even start."""
    task, whole = loaded.task, build_chain(loaded.chain)
    slack = presliding(whole, task.drives)
    model = without_sticking(whole, slack)
    q, rates = start_state(task, model)
    held = Constrained(model, build_conditions(model, task.constraint, q), _plant(loaded, model, method))
    q0 = held.place(0.0, q)
    held.check(0.0, q0)
    rates0 = held.rates(0.0, q0, rates)
    notes = [*start_notes(model, q0 - q, rates0 - rates), *friction_notes(model)]
    drives = Drives(model, task.drives, q0, task.duration_s)
    moving = Driven(held.plant, drives, whole.friction, slack, held)
    run = integrate(task, moving, (q0, rates0), progress)
    return _collected(task, "constraint", moving, held.conditions, run, notes)


# ---------------------------------------------------------------- along a program


def run_program(loaded: LoadedTask, progress: Progress | None = None, method: str = "crba") -> ChainMotion:
    """The motion under the control (3.1); the controller knows the chain without the task's mass errors."""
    task, known = loaded.task, build_chain(loaded.chain)
    model = heavier(known, task.mass_error)
    plant = _plant(loaded, model, method)
    q, rates = start_state(task, known)
    if far := out_of_reach(known, task.program, q, sample_times(task)):
        text = f"at t = {far.time_s:.4g} s it is {far.away:.4g} m from the arm's first joint, and the links reach"
        raise loaded.error(("program", far.part), f"{text} {far.length:.4g} m; bring it nearer")
    control = program_control(task, known, q, method)
    if not task.mass_error and all(load.known for load in task.loads):
        control.plant = plant
    if control.at(0.0, q, rates).rank == 0:
        raise loaded.error(("program",), "no driven joint can influence it where the motion starts; start elsewhere")
    ranks: set[int] = set()

    def wanted(t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        command = control.at(t, q, rates)
        ranks.add(command.rank)
        return command.force

    moving = Moving(plant, wanted, set())
    run = integrate(task, moving, (q, rates), progress)
    notes = friction_notes(model)
    if len(ranks) > 1:
        lost = f"rank {max(ranks)} to {min(ranks)}"
        notes.append(f"singular positions on the way: the program's gradient fell from {lost}")
    motion = _collected(task, "program", moving, control.conditions, run, notes)
    if len(motion.rows) > len(model.driven) or len(ranks) > 1 or max(ranks) < len(motion.rows):
        return motion
    expected = by_the_poles(control.G1, control.G0, motion.f[0], motion.f_rate[0], motion.time_s)
    return with_miss(replace(motion, expected=expected))


def run_adaptive(loaded: LoadedTask, progress: Progress | None = None, method: str = "crba") -> ChainMotion:
    """The motion under adaptive control: the controller begins with the chain's masses, and learns the real ones."""
    task, known = loaded.task, build_chain(loaded.chain)
    assert task.adaptive is not None
    q, rates = start_state(task, known)
    belief = Plant(known, Loads(known, task.loads).known(), method)
    control = AdaptiveControl(belief, build_conditions(known, task.program, q), task.adaptive, q)
    plant = _changing(loaded, known, method)
    moving = AdaptiveMoving(plant, control, {change.time_s for change in task.mass_changes})
    run = integrate(task, moving, (q, rates), progress)
    gained = sum(
        (energy * (np.array(run.times) >= start) for start, energy in plant.gained.items()), np.zeros(len(run.times))
    )
    run.works = [work + gain * LOADED for work, gain in zip(run.works, gained, strict=True)]
    motion = _collected(task, "adaptive", moving, control.conditions, run, friction_notes(known))
    return replace(motion, adaptation=adaptation(moving, run.times, run.states, run.inner))


def _changing(loaded: LoadedTask, known: ChainModel, method: str) -> ChangingPlant:
    """The real chain: with the masses the controller does not know of, and their changes one after the other."""
    factors = dict(loaded.task.mass_error)
    first = _plant(loaded, heavier(known, factors), method)
    later = []
    for change in sorted(loaded.task.mass_changes, key=lambda change: change.time_s):
        factors[change.link] = factors.get(change.link, 1.0) * change.factor
        later.append((change.time_s, _plant(loaded, heavier(known, factors), method)))
    plant = ChangingPlant(first, later)
    plant.energy = energy_J
    return plant


def with_miss(motion: ChainMotion) -> ChainMotion:
    """With a note of how far limits keep the chain from its program."""
    if motion.missed is None or not motion.limited.any():
        return motion
    words = [f"{row} by {value:.3g} {unit}" for row, value, unit in zip(motion.rows, motion.missed, motion.units)]
    return replace(motion, notes=(*motion.notes, f"the limits make it miss the program: {', '.join(words)} at most"))


def program_control(task: ChainTask, model: ChainModel, q: np.ndarray, method: str = "crba") -> ProgramControl:
    """The controller of a task, with the loads it knows of."""
    posture = model.home.copy()
    for k, link in enumerate(model.names):
        if link in task.redundancy.posture:
            posture[k] = _of_joint(task.redundancy.posture[link], bool(model.prismatic[k]), posture[k])[0]
    law = redundant_law(task.redundancy.type, task.redundancy.frequency_Hz, posture)
    plant = Plant(model, Loads(model, task.loads).known(), method)
    poles = row_poles(task.program, task.poles)
    return ProgramControl(plant, build_conditions(model, task.program, q), poles, law)


def heavier(model: ChainModel, factors: dict[str, float]) -> ChainModel:
    """The chain with masses, moments and inertias of some links multiplied."""
    factor = np.array([factors.get(link, 1.0) for link in model.owners])
    return replace(
        model,
        mass=factor * model.mass,
        moment=factor[:, None] * model.moment,
        inertia=factor[:, None, None] * model.inertia,
    )


# ---------------------------------------------------------------- rows


def _collected(
    task: ChainTask, kind: str, moving: Moving, conditions: Conditions, run: Run, notes: list[str]
) -> ChainMotion:
    model, time = moving.plant.model, np.array(run.times)
    limited = run.limited_s / max(run.until_s, 1e-300)
    q, rates = (np.array([state[i] for state in run.states]) for i in (0, 1))
    kept = zip(run.times, run.states, run.inner, strict=True)
    rows = [moving.at(t, *state, moving.pieces(t, *state, inner), inner) for t, state, inner in kept]
    values = [conditions(model, *state, t) for t, state in zip(run.times, run.states, strict=True)]
    columns = {key: np.array([getattr(one, key) for one in rows]) for key in Instant.__annotations__}
    return ChainMotion(
        task.name,
        kind,
        model,
        conditions.rows,
        conditions.units,
        time,
        q,
        rates,
        accelerations=columns["acceleration"],
        wanted=columns["wanted"],
        force=columns["force"],
        stop=columns["stop"],
        joint_reaction=columns["joint_reaction"],
        f=np.array([value.f for value in values]),
        f_rate=np.array([value.rate for value in values]),
        reaction=columns["reaction"],
        tool_m=np.array([_tool(model, one) for one in q]),
        energy_J=np.array([energy_J(moving.plant.model_at(t), *state) for t, state in zip(run.times, run.states)]),
        work_J=np.array(run.works),
        limited=limited,
        outcome=run.outcome,
        reason=run.reason,
        notes=(*notes, *limit_notes(model, q, rates, columns["wanted"], limited)),
    )


def _tool(model: ChainModel, q: np.ndarray) -> np.ndarray:
    state = kinematics(model, q, np.zeros(model.n))
    return state.p[-1] + state.R[-1] @ model.p_end[-1]


def energy_J(model: ChainModel, q: np.ndarray, rates: np.ndarray) -> float:
    """Kinetic energy with the rotors', of the weight from the world's origin, and of the springs."""
    state = kinematics(model, q, rates)
    A = Dynamics(model).mass_matrix(q)
    centres = state.p * model.mass[:, None] + np.einsum("kab,kb->ka", state.R, model.moment)
    springs = 0.5 * float(model.stiffness @ (q - model.rest) ** 2)
    return float(0.5 * rates @ A @ rates - model.gravity @ centres.sum(axis=0)) + springs
