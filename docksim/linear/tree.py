"""Linear model of a scenario at a state: spacecraft trees, flexible appendages, docking mechanisms, docked stacks.

x holds the deviations of all free coordinates, then of their rates: rotations of balls and free bodies as rotation
vectors on the axes of their rates, measured from the motion through the point, so that d(turn)/dt = d(rate) - w x turn
where the point itself turns at w. Driven and locked coordinates move as they are told. Derivatives are those of the
simulator's own code, exact to rounding (see `evaluation`); what has no tangent is left out and named (see `smooth`).
M, damping, K, F are those of M b' + damping b + K z = F u, b the rates' deviations.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.programs import program_names
from docksim.config import Problem, Scenario, ScenarioError
from docksim.config.checks.scenario import whole_steps
from docksim.config.errors import unknown
from docksim.linear.evaluation import Point
from docksim.linear.model import LinearModel
from docksim.linear.signals import frame_outputs, seed_inputs, skeleton
from docksim.linear.smooth import Coordinate, Friction, free_coordinates, smooth_laws
from docksim.model import DONE
from docksim.result.result import ResultError
from docksim.simulation.closures import closed_loops
from docksim.simulation.run import at_the_start, outcome_of, run_kernel

RESTS = 1e-9  # accelerations below are none [rad/s2], [m/s2]


def linearize_scenario(
    scenario: Scenario,
    at_s: float | None = None,
    *,
    friction: Friction = "left out",
    attitude_hold: bool = False,
    ports: Sequence[str] | None = None,
) -> LinearModel:
    """The linear model at the initial state, or where a run is at the time `at_s`, events of that instant included.

    `friction="stuck"` keeps dry friction as the springs of its bristles; `attitude_hold` closes those loops, as
    continuous laws; `ports` (all, unless given) are the ports where wrenches act and motions are put out.
    """
    compiled = state_at(scenario, at_s)
    if closed := closed_loops(compiled):
        text = (
            "a linear model has coordinates that move freely, and a closed loop leaves fewer; open it, or use a bushing"
        )
        raise ResultError(f"{scenario.name}: {', '.join(closed)} {'is' if len(closed) == 1 else 'are'} closed: {text}")
    running = [name for name, own in zip(program_names(scenario), compiled.state.program, strict=True) if own.on]
    if running:
        text = "acts at this state, and its law is left to the run; linearise where it is off (an event: mode: off)"
        raise ResultError(f"{scenario.name}: program '{running[0]}' {text}")
    free = free_coordinates(compiled, compiled.state)
    if not free:
        raise ResultError(f"{scenario.name}: nothing is free to move at t = {at_s or 0.0:g} s, nothing to linearise")
    point = Point(compiled.model, compiled.state)
    notes = smooth_laws(compiled, point.model, point.state, free, friction)
    asked = _ports(compiled, ports)
    n, indices = len(free), [coordinate.rate_index for coordinate in free]
    inputs, notes_of_inputs = seed_inputs(compiled, point, free, attitude_hold, asked)
    point.evaluate()
    slopes = point.slopes([point.work.dof[j].beta_dot for j in indices])
    bad = [c.position for c, row in zip(free, slopes, strict=True) if not np.isfinite(row).all()]
    if bad:
        raise ResultError(f"{scenario.name}: there is no tangent at this state for {', '.join(bad[:4])}")
    slopes = without_noise(slopes)
    A = np.vstack([np.hstack([_turning(point, free), np.eye(n)]), slopes[:, : 2 * n]])
    B = np.vstack([np.zeros((n, len(inputs))), slopes[:, 2 * n :]])
    states = tuple(c.position for c in free) + tuple(c.rate for c in free)
    outputs, readings = frame_outputs(compiled, point, asked)
    C = np.vstack([np.eye(2 * n), readings[:, : 2 * n]])
    D = np.vstack([np.zeros((2 * n, len(inputs))), readings[:, 2 * n :]])
    M = point.mass_matrix(slice(n, 2 * n), indices)
    return LinearModel(
        scenario.name, states, tuple(inputs), (*states, *outputs), A, B, C, D, states[:n],
        M, -M @ slopes[:, n : 2 * n], -M @ slopes[:, :n], M @ slopes[:, 2 * n :],
        operating_point=_operating_point(compiled, free),
        time_s=float(compiled.state.clock[0].t),
        notes=(*notes, *notes_of_inputs, *_about_the_point(compiled, point, free)),
        skeleton=skeleton(compiled, point, n),
    )  # fmt: skip


def state_at(scenario: Scenario, at_s: float | None) -> Compiled:
    """The scenario compiled, with its state at a time: what the kernel makes of it, step by step."""
    compiled = at_the_start(scenario)
    settings = compiled.model.settings[0]
    if at_s is not None and not 0.0 <= at_s <= scenario.solver.duration_s:
        message = f"{at_s:g} s is not within the run, 0 to {scenario.solver.duration_s:g} s"
        raise ScenarioError([Problem(scenario.name, None, "at", message)])
    settings.n_steps, settings.last = whole_steps(at_s or 0.0, scenario.solver.step_s)
    run_kernel(compiled, compiled.new_log())
    clock = compiled.state.clock[0]
    if clock.status != DONE:
        outcome, reason = outcome_of(compiled)
        raise ResultError(f"{scenario.name}: the run ended at t = {clock.t:g} s, {outcome}: {reason}")
    return compiled


def _ports(compiled: Compiled, ports: Sequence[str] | None) -> list[str]:
    """All ports, or those asked for."""
    known = compiled.assembly.markers
    for port in ports or ():
        if port not in known:
            raise ScenarioError([Problem(compiled.scenario.name, None, "ports", unknown("port", port, known))])
    return list(known if ports is None else ports)


def _turning(point: Point, free: list[Coordinate]) -> np.ndarray:
    """d(turn)/dt by turn: -w x for each ball, w its rate."""
    turning = np.zeros((len(free), len(free)))
    for i, coordinate in enumerate(free):
        if coordinate.ball and coordinate.place == 0:
            x, y, z = point.values([point.state.beta[c.rate_index] for c in free[i : i + 3]])
            turning[i : i + 3, i : i + 3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return turning


def without_noise(slopes: np.ndarray) -> np.ndarray:
    """Entries that are nothing but rounding become zero: else eigenvalue routines balance the matrix by them.

    That is what is lost in its row's largest entry, and what is smaller than any physics beside the largest of all.
    """
    size = np.abs(slopes)
    floor = np.maximum(8.0 * np.finfo(float).eps * size.max(axis=1, keepdims=True, initial=0.0), 1e-20 * size.max())
    return np.where(size > floor, slopes, 0.0)


def _operating_point(compiled: Compiled, free: list[Coordinate]) -> dict[str, float]:
    """Rates of all free coordinates, and the coordinates that are plain numbers."""
    values: dict[str, float] = {}
    for coordinate in free:
        joint = compiled.model.joint[coordinate.joint]
        if not coordinate.ball:
            shift = 3 if joint.nv == 6 else 0
            values[coordinate.position] = float(compiled.state.q[joint.q + coordinate.place - shift])
        values[coordinate.rate] = float(compiled.state.beta[coordinate.rate_index])
    return values


def _about_the_point(compiled: Compiled, point: Point, free: list[Coordinate]) -> list[str]:
    """Whether it is an equilibrium, and what is prescribed."""
    notes = []
    if not compiled.assembly.reference.is_origin:
        notes.append("places and velocities of free vehicles are those against the run's reference, not in W")
    pulls = np.abs(point.values([point.work.dof[c.rate_index].beta_dot for c in free]))
    worst = int(np.argmax(pulls))
    if pulls[worst] > RESTS:
        unit = "rad/s2" if free[worst].position.endswith("_rad") else "m/s2"
        notes.append(
            f"not an equilibrium: {free[worst].position.rsplit('_', 1)[0]} accelerates at {pulls[worst]:.3g} {unit}; "
            "the model holds for small deviations from the motion through this state"
        )
    if np.abs(point.values([point.state.beta[c.rate_index] for c in free if c.ball])).max(initial=0.0) > 0.0:
        notes.append("bodies turn: d(turn)/dt = d(rate) - w x turn, and A has that part too")
    if compiled.model.settings[0].orbit_rate != 0.0:
        notes.append("axes of W turn with the orbit; the turn of the axes is in A")
    if any(row.inertial_base for row in compiled.model.mechanism):
        notes.append("a mechanism takes its base as inertial, so M is not what its equations use")
    return notes
