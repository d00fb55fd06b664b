"""Runs of a task: a chain under constraints, or controlled along a program; rows at even times.

Whatever ends a run early (a singular position, constraints that can no longer be met, Ctrl-C) keeps the rows so far,
and `reason` says what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from docksim.chain.build import build_chain
from docksim.chain.conditions import Conditions, build_conditions
from docksim.chain.constrained import ROUNDED, Constrained
from docksim.chain.control import ProgramControl, by_the_poles, redundant_law
from docksim.chain.dynamics import Dynamics
from docksim.chain.integration import Progress, Run, State, integrate
from docksim.chain.kinematics import kinematics
from docksim.chain.model import ChainModel
from docksim.config.chain_task import ChainTask, JointStart, LoadedTask


@dataclass(frozen=True)
class ChainMotion:
    """Rows of a run; SI and radians. Arrays are (T, n) of the joints and (T, m) of the conditions."""

    name: str
    kind: str  # "constraint" or "program"
    model: ChainModel
    rows: tuple[str, ...]  # names of the conditions' components
    units: tuple[str, ...]  # 'm' or 'rad'
    time_s: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    force: np.ndarray  # drives
    joint_reaction: np.ndarray  # of constraints, on the joints; zero along a program
    f: np.ndarray
    f_rate: np.ndarray
    reaction: np.ndarray  # (T, m) N of constraints; nan along a program
    tool_m: np.ndarray  # (T, 3) far end of the last link
    energy_J: np.ndarray  # kinetic, of weight and of springs
    expected: np.ndarray | None = None  # (T, m) errors of a program by its poles; none where it cannot be met
    outcome: str = "completed"
    reason: str = ""
    notes: tuple[str, ...] = ()


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


# ---------------------------------------------------------------- under constraints


def run_constrained(loaded: LoadedTask, progress: Progress | None = None) -> ChainMotion:
    """The motion under the task's constraints; Infeasible if it cannot even start."""
    task, model = loaded.task, build_chain(loaded.chain)
    q, rates = start_state(task, model)
    held = Constrained(model, build_conditions(model, task.constraint, q))
    Q = drive_forces(task, model)
    q0 = held.place(0.0, q)
    held.check(0.0, q0)
    rates0 = held.rates(0.0, q0, rates)
    notes = _moved(model, q0 - q, rates0 - rates)
    if np.any(model.friction):
        notes.append(f"Coulomb friction fades out below {ROUNDED:g} rad/s or m/s: joints creep rather than stick")

    def slope(t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return held.at(t, q, rates, Q).acceleration

    run = integrate(task, slope, held.project, (q0, rates0), progress)

    def row(t: float, q: np.ndarray, rates: np.ndarray) -> dict[str, np.ndarray]:
        found, value = held.at(t, q, rates, Q), held.conditions(model, q, rates, t)
        return {
            "accelerations": found.acceleration,
            "force": Q,
            "joint_reaction": found.joint_reaction,
            "f": value.f,
            "f_rate": value.rate,
            "reaction": found.reaction,
        }

    return _collected(task, "constraint", model, held.conditions, run, row, notes)


def drive_forces(task: ChainTask, model: ChainModel) -> np.ndarray:
    """The constant drive forces of a task."""
    Q = np.zeros(model.n)
    for k, link in enumerate(model.names):
        if link in task.drives:
            Q[k] = task.drives[link].force_N if model.prismatic[k] else task.drives[link].torque_Nm
    return Q


def _moved(model: ChainModel, shift: np.ndarray, change: np.ndarray) -> list[str]:
    """What had to change so that the start meets the constraints."""
    notes = []
    for word, values, units in (("moved", shift, ("deg", "m")), ("rates changed", change, ("deg/s", "m/s"))):
        if np.abs(values).max(initial=0.0) > 1e-9:
            k = int(np.argmax(np.abs(values)))
            size = values[k] if model.prismatic[k] else np.degrees(values[k])
            unit = units[1] if model.prismatic[k] else units[0]
            notes.append(f"start {word} to meet the constraints, most at {model.names[k]}: {size:.4g} {unit}")
    return notes


# ---------------------------------------------------------------- along a program


def run_program(loaded: LoadedTask, progress: Progress | None = None) -> ChainMotion:
    """The motion under the control (3.1); the controller knows the chain without the task's mass errors."""
    task, known = loaded.task, build_chain(loaded.chain)
    model = heavier(known, task.mass_error)
    q, rates = start_state(task, known)
    control = program_control(task, known, q)
    plant = Dynamics(model)
    ranks: set[int] = set()

    def slope(t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        command = control.at(t, q, rates)
        ranks.add(command.rank)
        return plant.forward(q, rates, command.force) if task.mass_error else command.acceleration

    run = integrate(task, slope, None, (q, rates), progress)

    def row(t: float, q: np.ndarray, rates: np.ndarray) -> dict[str, np.ndarray]:
        command = control.at(t, q, rates)
        return {
            "accelerations": slope(t, q, rates),
            "force": command.force,
            "joint_reaction": np.zeros(model.n),
            "f": command.value.f,
            "f_rate": command.value.rate,
            "reaction": np.full(len(control.conditions.rows), np.nan),
        }

    notes = []
    if len(ranks) > 1:
        lost = f"rank {max(ranks)} to {min(ranks)}"
        notes.append(f"singular positions on the way: the program's gradient fell from {lost}")
    found = _collected(task, "program", model, control.conditions, run, row, notes)
    if len(found.rows) > model.n or len(ranks) > 1 or max(ranks) < len(found.rows):
        return found
    return replace(found, expected=by_the_poles(control.G1, control.G0, found.f[0], found.f_rate[0], found.time_s))


def program_control(task: ChainTask, model: ChainModel, q: np.ndarray) -> ProgramControl:
    """The controller of a task."""
    posture = model.home.copy()
    for k, link in enumerate(model.names):
        if link in task.redundancy.posture:
            posture[k] = _of_joint(task.redundancy.posture[link], bool(model.prismatic[k]), posture[k])[0]
    law = redundant_law(task.redundancy.type, task.redundancy.frequency_Hz, posture)
    return ProgramControl(model, build_conditions(model, task.program, q), task.poles, law)


def heavier(model: ChainModel, factors: dict[str, float]) -> ChainModel:
    """The chain with masses, moments and inertias of some links multiplied."""
    factor = np.array([factors.get(link, 1.0) for link in model.names])
    return replace(
        model,
        mass=factor * model.mass,
        moment=factor[:, None] * model.moment,
        inertia=factor[:, None, None] * model.inertia,
    )


# ---------------------------------------------------------------- rows


def _collected(
    task: ChainTask,
    kind: str,
    model: ChainModel,
    conditions: Conditions,
    run: Run,
    row: Callable[[float, np.ndarray, np.ndarray], dict[str, np.ndarray]],
    notes: list[str],
) -> ChainMotion:
    rows = [row(t, q, rates) for t, (q, rates) in zip(run.times, run.states, strict=True)]
    q, rates = (np.array([state[i] for state in run.states]) for i in (0, 1))
    columns = {key: np.array([one[key] for one in rows]) for key in rows[0]}
    tool = np.array([_tool(model, one) for one in q])
    energy = np.array([energy_J(model, *state) for state in run.states])
    return ChainMotion(
        task.name,
        kind,
        model,
        conditions.rows,
        conditions.units,
        np.array(run.times),
        q,
        rates,
        accelerations=columns["accelerations"],
        force=columns["force"],
        joint_reaction=columns["joint_reaction"],
        f=columns["f"],
        f_rate=columns["f_rate"],
        reaction=columns["reaction"],
        tool_m=tool,
        energy_J=energy,
        outcome=run.outcome,
        reason=run.reason,
        notes=(*notes, *_limits(model, q, rates, columns["force"])),
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


def _limits(model: ChainModel, q: np.ndarray, rates: np.ndarray, force: np.ndarray) -> list[str]:
    """Joints that go beyond what the file allows."""
    over = {
        "its range": (q < model.lower - 1e-9) | (q > model.upper + 1e-9),
        "its rate limit": np.abs(rates) > model.rate_limit * (1 + 1e-9),
        "the largest force of its drive": np.abs(force) > model.effort_limit * (1 + 1e-9),
    }
    notes = []
    for what, where in over.items():
        names = [model.names[k] for k in np.flatnonzero(where.any(axis=0))]
        if names:
            notes.append(f"beyond {what}: {', '.join(names)}")
    return notes
