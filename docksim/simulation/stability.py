"""Is the step short enough? What is stiff at the start of a run, against the limits of its integrator.

Springs and dampers act on coordinates x: those of joints, of a mechanism's legs and of their couplings. The equations
are linear in forces, so a unit force on each coordinate in turn, asked of the kernel, gives the whole response
x'' = G f of everything that hangs together, and small motions follow x'' = -G (K x + C x'). One step of the integrator
multiplies them by a matrix; where it has an eigenvalue beyond 1, errors grow. On the real axis `rk4` holds to
|lambda h| = 2.785, on the imaginary one to 2.828; `semi_implicit_euler` to omega h = 2 without damping;
`linearly_implicit` treats joints implicitly and holds for them at any step, not for legs.
A contact lasts half a period of its spring on the mass that it meets, so long before it is unstable it is not
resolved: FEWEST steps a period keep the budget of an impact closed to some 0.5 %.
Limits: the state at the start, constant stiffness (the steepest piece of a table), contacts along the port's axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from docksim.compiler import Compiled
from docksim.compiler.shaft_tables import Owned, in_order
from docksim.compiler.tables import new_work
from docksim.config.schema.scenario import Scenario
from docksim.kernel.loop import advance
from docksim.kernel.run.integrators import GAMMA
from docksim.model import LINEARLY_IMPLICIT, RK4, State, Work, table
from docksim.model.contact import FACES
from docksim.model.events import EXTERNAL, ON_WORLD_AXES
from docksim.model.mechanism import VELOCITY
from docksim.model.tree import FORCED, TURN
from docksim.simulation.run import at_the_start, prepare_kernel

# over a run, errors that grow by this factor are told; by that one they ruin it for certain
TOLD, CERTAIN = 10.0, 1e3
# steps a period of a contact's spring
FEWEST = {"rk4": 12.0, "linearly_implicit": 40.0, "semi_implicit_euler": 40.0}
SMALLEST_STEP = 1e-12

Keys = tuple[str | int, ...]


class Finding(NamedTuple):
    """What is too stiff for the step: where it is written, in words, and whether the run must fail by it."""

    path: Keys
    text: str
    certain: bool = False


@dataclass(frozen=True)
class Stiff:
    """A coordinate with what acts on it: from the start, and once it sticks or meets its stop."""

    path: Keys
    name: str
    joint: bool
    stiffness: float
    damping: float
    friction: float  # stiffness of the bristle
    stop: float


def too_stiff(scenario: Scenario) -> list[Finding]:
    """What the step is too long for, the stiff of the coordinates first; nothing if all is well."""
    compiled = at_the_start(scenario)
    if not compiled.scenario.contacts and not _shafts(compiled) and not any(_joint_coordinates(compiled)):
        return []
    prepare_kernel()
    start = Start(compiled)
    return [*_joints_and_legs(compiled, start), *_contacts(compiled, start)]


class Start:
    """The first state of a run, and how it answers to forces."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.model = compiled.model
        self.state: State = compiled.state._replace(external=table(EXTERNAL, 2))
        self.state.external["axes"], self.state.external["marker"] = ON_WORLD_AXES, -1
        self.work: Work = new_work(self.model, self.state)
        self.log = compiled.new_log()
        self.evaluate()
        self.shafts = [self.row(k) for k in range(len(self.model.shaft)) if self.model.shaft[k].mechanism >= 0]
        self.on_joints = self.model.shaft["v"][self.model.shaft["mechanism"] < 0]

    def evaluate(self) -> None:
        advance(self.model, self.state, self.work, self.log, 0)

    def row(self, k: int) -> tuple[int, np.ndarray]:
        """Mechanism of shaft k, and its coordinate's rate by the ring's six."""
        shaft = self.model.shaft[k]
        if shaft.leg >= 0:
            leg = self.model.leg[shaft.leg]
            block, lane = self.work.block[leg.block], leg.lane
            travel = block.gain[lane] * np.array(block.axis[:, lane])
            return int(shaft.mechanism), np.concatenate([np.cross(block.arm[:, lane], travel), travel])
        first = int(self.model.mechanism[shaft.mechanism].first_leg)
        rows = [weight * self.row(first + i)[1] for i, weight in enumerate(shaft.weight)]
        return int(shaft.mechanism), np.sum(rows, axis=0)

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """Of all joint coordinates, and of all shafts, those of legs and couplings but for what their rates demand."""
        rings = [np.array(own.u_dot) for own in self.work.mechanism]
        joints = np.array(self.work.dof["beta_dot"])
        legs = np.array([row @ rings[mechanism] for mechanism, row in self.shafts])
        return joints, np.concatenate([legs, joints[self.on_joints]])

    def push_joint(self, j: int, size: float) -> None:
        """A force on joint coordinate j, as a pair on its two bodies."""
        joint = self.model.joint[self.model.dof[j].joint]
        at = np.array(self.work.body[joint.succ].p_WH)
        way = size * np.array(self.work.dof[j].a)
        turns = self.work.dof[j].kind == TURN
        for i, (body, sign) in enumerate([(int(joint.succ), 1.0), (int(joint.pred), -1.0)]):
            self.push(i, body, at, sign * way, turns)

    def push(self, i: int, body: int, at: np.ndarray, way: np.ndarray, turns: bool = False) -> None:
        """A force, or a torque, on a body at a point of W."""
        own, row = self.state.external[i], self.work.body[body]
        own.body = body
        own.p[:] = np.array(row.R_WB).reshape(3, 3).T @ (at - row.p_WH) + row.p_BH
        own.force[:], own.torque[:] = (np.zeros(3), way) if turns else (way, np.zeros(3))


def _answers(start: Start, dofs: list[int], shafts: list[int]) -> np.ndarray:
    """G of joint coordinates and shafts: acceleration of each by a unit force on each."""
    still = _picked(start, dofs, shafts)
    columns = []
    for j in dofs:
        start.push_joint(j, 1.0)
        start.evaluate()
        columns.append(_picked(start, dofs, shafts) - still)
        start.state.external["force"], start.state.external["torque"] = 0.0, 0.0
    for k in shafts:
        start.state.shaft[k].force += 1.0
        start.evaluate()
        columns.append(_picked(start, dofs, shafts) - still)
        start.state.shaft[k].force -= 1.0
    G = np.array(columns).T
    return 0.5 * (G + G.T)


def _picked(start: Start, dofs: list[int], shafts: list[int]) -> np.ndarray:
    joints, legs = start.accelerations()
    return np.concatenate([joints[dofs], legs[shafts]])


# ---------------------------------------------------------------- joints and legs


def _joints_and_legs(compiled: Compiled, start: Start) -> Iterator[Finding]:
    """What acts from the start on, then what stops and sticking friction add to it."""
    stiffs, G = stiff_parts(compiled, start)
    if not stiffs:
        return
    K, C = (np.array([getattr(stiff, name) for stiff in stiffs]) for name in ("stiffness", "damping"))
    implicit = np.array([stiff.joint for stiff in stiffs])
    system = System(compiled, G, implicit)
    if system.growth(K, C) > TOLD:
        yield system.finding(stiffs, K, C, "", system.growth(K, C) > CERTAIN)
        return
    for name, words in (("stop", " once its stop is met"), ("friction", " while its friction sticks")):
        more = np.array([getattr(stiff, name) for stiff in stiffs])
        for i in np.flatnonzero(more):
            alone = np.where(np.arange(len(more)) == i, more, 0.0)
            if system.growth(K + alone, C) > TOLD:
                yield system.finding(stiffs, K + alone, C, words, False)
                return


def stiff_parts(compiled: Compiled, start: Start) -> tuple[list[Stiff], np.ndarray]:
    """All coordinates that something acts on, and their G."""
    joints = {j: stiff for j, stiff in enumerate(_joint_coordinates(compiled)) if stiff is not None}
    stiffs = [*joints.values(), *_shafts(compiled)]
    return stiffs, _answers(start, list(joints), list(range(len(compiled.model.shaft))))


class System:
    """Small motions x'' = -G (K x + C x') under the run's integrator."""

    def __init__(self, compiled: Compiled, G: np.ndarray, implicit: np.ndarray) -> None:
        settings = compiled.model.settings[0]
        self.G, self.implicit = G, implicit
        self.integrator, self.step, self.steps = int(settings.integrator), float(settings.step), int(settings.n_steps)

    def growth(self, K: np.ndarray, C: np.ndarray, step: float | None = None) -> float:
        """By what factor errors grow over the run."""
        size = max(abs(np.linalg.eigvals(self.one_step(K, C, step or self.step))), default=0.0)
        return math.exp(min(self.steps * math.log(max(size, 1.0)), 700.0))

    def rates(self, K: np.ndarray, C: np.ndarray) -> np.ndarray:
        n = len(K)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-self.G * K, -self.G * C]])

    def one_step(self, K: np.ndarray, C: np.ndarray, h: float) -> np.ndarray:
        """What a step multiplies [x; x'] by."""
        n, B = len(K), self.rates(K, C)
        one = np.eye(2 * n)
        if self.integrator == RK4:
            hB = h * B
            return one + hB @ (one + hB @ (one / 2.0 + hB @ (one / 6.0 + hB / 24.0)))
        if self.integrator == LINEARLY_IMPLICIT:
            A = self.rates(np.where(self.implicit, K, 0.0), np.where(self.implicit, C, 0.0))
            solve = np.linalg.inv(one - GAMMA * h * A)
            first = solve @ B
            second = solve @ (B @ (one + h * first) - 2.0 * first)
            return one + h * (1.5 * first + 0.5 * second)
        faster = one + h * np.vstack([np.zeros((n, 2 * n)), B[n:]])
        return np.vstack([one[:n] + h * faster[n:], faster[n:]])

    def finding(self, stiffs: list[Stiff], K: np.ndarray, C: np.ndarray, words: str, certain: bool) -> Finding:
        """Which coordinate it is, by the power that its devices have in the worst motion; and the step to take."""
        values, vectors = np.linalg.eig(self.rates(K, C))
        sizes = np.abs(values) if self.integrator != LINEARLY_IMPLICIT else np.abs(values) * self._explicit(vectors)
        worst = int(np.argmax(sizes))
        x, v = np.abs(vectors[: len(K), worst]), np.abs(vectors[len(K) :, worst])
        stiff = stiffs[int(np.argmax(K * x * x * abs(values[worst]) + C * v * v))]
        rate = abs(values[worst])
        kind = f"swings at {rate:.4g} rad/s" if abs(values[worst].imag) > 0.1 * rate else f"decays at {rate:.4g} 1/s"
        name = ("rk4", "semi_implicit_euler", "linearly_implicit")[self.integrator]
        advice = f"take step_s: {self.allowed(K, C):.2g} or less"
        advice += ", or integrator: linearly_implicit" if stiff.joint and self.integrator != LINEARLY_IMPLICIT else ""
        text = f"too stiff for step_s: {self.step:g} with {name}: {stiff.name} {kind}{words}, and errors grow; {advice}"
        return Finding(stiff.path, text, certain)

    def _explicit(self, vectors: np.ndarray) -> np.ndarray:
        """How much of each motion is outside the joints."""
        n = len(self.implicit)
        return np.asarray((np.abs(vectors[n:][~self.implicit]) ** 2).sum(axis=0))

    def allowed(self, K: np.ndarray, C: np.ndarray) -> float:
        """The longest step that holds, to a percent below, and rounded down."""
        low, high = self.step, self.step
        while self.growth(K, C, low) > TOLD and low > SMALLEST_STEP:
            low, high = 0.5 * low, low
        while high > 1.005 * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self.growth(K, C, middle) > TOLD else (middle, high)
        unit = 10.0 ** (math.floor(math.log10(low)) - 1)
        return math.floor(low / unit) * unit


def _joint_coordinates(compiled: Compiled) -> list[Stiff | None]:
    """By rate index: what is stiff about a free joint coordinate, None for all others."""
    stiffs: list[Stiff | None] = []
    for part in compiled.assembly.joints:
        for coordinate in part.coordinates:
            j = len(stiffs)
            bristle = coordinate.friction / coordinate.presliding if coordinate.friction > 0.0 else 0.0
            stop = coordinate.stop_stiffness if _stops(coordinate) else 0.0
            values = (coordinate.stiffness, coordinate.damping, bristle, stop)
            free = compiled.state.dof[j].mode == FORCED and part.pred > 0 and part.mechanism < 0
            path = _joint_path(compiled.scenario, part.name) if free and any(values) else ()
            stiffs.append(Stiff(path, f"joint '{part.name}'", True, *values) if path else None)
    return stiffs


def _stops(device: Any) -> bool:
    return math.isfinite(device.upper) or math.isfinite(device.lower)


def _joint_path(scenario: Scenario, name: str) -> Keys:
    """Where a joint is written that goes by the name of its body."""
    vehicle, _, rest = name.partition(".")
    owner = scenario.vehicles.get(vehicle)
    for group in ("bodies", "beams", "wheels") if owner is not None else ():
        key = rest.split(".")[0]
        if key in getattr(owner, group):
            return ("vehicles", vehicle, group, key, *(["joint"] if group == "bodies" else []))
    return ()


def _shafts(compiled: Compiled) -> list[Stiff]:
    stiffs = []
    for k, one in enumerate(in_order(compiled.assembly)):
        constant, own = compiled.model.shaft[k], compiled.state.shaft[k]
        K = _steepest(compiled, constant.spring_first, constant.spring_n) if constant.spring_n else constant.stiffness
        C = own.damping + _steepest(compiled, constant.damper_first, constant.damper_n)
        C += 2.0 * own.eddy_peak / constant.eddy_rate if own.eddy_peak > 0.0 else 0.0
        if own.servo_on and constant.sample_steps == 0:
            K += 0.0 if own.mode == VELOCITY else own.stiffness_gain
            C += own.damping_gain
        bristle = own.friction / constant.presliding if own.friction > 0.0 else 0.0
        stop = constant.stop_stiffness if _stops(constant) else 0.0
        stiffs.append(
            Stiff(_shaft_path(compiled, one), one.words, one.mechanism < 0, *map(float, (K, C, bristle, stop)))
        )
    return stiffs


def _shaft_path(compiled: Compiled, one: Owned) -> Keys:
    """Where a shaft's devices are written."""
    if one.mechanism < 0:
        return (*_joint_path(compiled.scenario, one.name), "actuator")
    kind, name = one.shaft.name.split(".", 1)
    return ("vehicles", one.vehicle, "mechanism", kind, int(name) - 1 if kind == "legs" else name)


def _steepest(compiled: Compiled, first: Any, n: Any) -> float:
    return max((abs(float(knot.c[1])) for knot in compiled.model.knot[int(first) : int(first + n)]), default=0.0)


# ---------------------------------------------------------------- contacts


def _contacts(compiled: Compiled, start: Start) -> Iterator[Finding]:
    """Pairs whose impacts the parts of a step do not resolve."""
    solver = compiled.scenario.solver
    for i, (name, pair) in enumerate(compiled.scenario.contacts.items()):
        K = _contact_stiffness(compiled, i)
        if K == 0.0:
            # nothing of the one can touch anything of the other
            continue
        m = met_mass(start, i)
        period = 2.0 * math.pi * math.sqrt(m / K)
        part, fewest = solver.step_s / pair.substeps, FEWEST[solver.integrator]
        if period < fewest * part * (1.0 - 1e-9):
            steps = f"{period / part:.2g} steps of {part:.3g} s"
            step, substeps = period / fewest * pair.substeps, math.ceil(fewest * solver.step_s / period)
            what = "of" if compiled.model.contact[i].regained == 1.0 else "that unloads with"
            text = (
                f"a contact {what} {K:.3g} N/m on {m:.3g} kg swings in {period:.3g} s, {steps}, and {fewest:g} are "
                f"needed: impacts will gain or lose energy; take step_s: {step:.2g} or less, or substeps: {substeps}"
            )
            yield Finding(("contacts", name, "substeps"), text)


def _contact_stiffness(compiled: Compiled, i: int) -> float:
    """Of one feature on another, or of the faces together; that of unloading, if it is steeper."""
    pair = compiled.model.contact[i]
    rows = compiled.model.contact_row[pair.first_row : pair.first_row + pair.rows]
    faces = (rows["group"] == FACES) & (rows["crossing"] < 0)
    loading = max(float(rows["stiffness"][faces].sum()), float(rows["stiffness"][~faces].max(initial=0.0)))
    return loading / float(pair.regained)


def met_mass(start: Start, i: int) -> float:
    """What a push between the ports of a pair, along the axis of the first, has to move at once [kg]."""
    pair = start.model.contact[i]
    sides = [(int(pair.body_A), np.array(pair.p_aA), -1.0), (int(pair.body_B), np.array(pair.p_bB), 1.0)]
    R_A = np.array(start.work.body[pair.body_A].R_WB).reshape(3, 3) @ np.array(pair.R_aA).reshape(3, 3)
    axis, still = R_A[:, 2], 0.0
    for size in (0.0, 1.0):
        for k, (body, p, sign) in enumerate(sides):
            start.push(k, body, _point(start, body, p), sign * size * axis)
        start.evaluate()
        apart = sum(sign * float(axis @ _acceleration(start, body, p)) for body, p, sign in sides)
        still, answer = apart, apart - still
    start.state.external["force"] = 0.0
    return 1.0 / answer


def _point(start: Start, body: int, p: np.ndarray) -> np.ndarray:
    row = start.work.body[body]
    return np.asarray(row.p_WH + np.array(row.R_WB).reshape(3, 3) @ (p - row.p_BH))


def _acceleration(start: Start, body: int, p: np.ndarray) -> np.ndarray:
    """Of a point of a body, but for what its rate demands."""
    row = start.work.body[body]
    return np.asarray(row.A_WH[3:] + np.cross(row.A_WH[:3], _point(start, body, p) - row.p_WH))
