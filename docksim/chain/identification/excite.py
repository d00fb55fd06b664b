"""A motion from which the base parameters can be told: periodic, within the joints' limits, well conditioned.

Each joint follows a Fourier series of `harmonics` terms (Swevers and others 1997) that starts and ends every period at
rest, without acceleration. A series is known up to size and place: both are set so that position and rate limits are
used to 95 % and never exceeded at the sampled instants; a joint without limits gets the default ones below, which the
result says. What is left free is searched for the smallest condition number of the base regressor, with its columns
and rows brought to sizes that a fixed random motion gives (so that larger motion counts as better); motions that need
more than the drives' limits are charged for it.

The search is local, from the best of many random starts; with the same seed it gives the same motion.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from docksim.chain.identification.baseparams import BaseParameters, base_parameters
from docksim.chain.identification.regressor import inertial_parameters, regressor
from docksim.chain.model import ChainModel
from docksim.result.result import ResultError

USED = 0.95  # of the limits
FREE_RANGE = (math.pi, 0.5)  # of a joint without limits: half a turn, half a metre
FREE_RATE = (math.pi / 3, 0.1)
STARTS = 40
STEP = 1e-6  # of the slopes by differences
Scale = tuple[np.ndarray, np.ndarray]  # sizes of rows (n,) and columns (r,)


@dataclass(frozen=True)
class Excitation:
    """One period of motion, sampled (T, n), and what it is worth."""

    time_s: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    force: np.ndarray  # (T, n) that the file's masses need
    condition: float
    random_condition: float  # median of the random starts, for comparison
    load: float  # largest force over its limit
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Series:
    """Basis of the series at the samples: values, first and second derivatives (T, 2 H), and the space at rest."""

    time_s: np.ndarray
    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    rest: np.ndarray  # (2 H, 2 H - 2) coefficients that start at rest

    @property
    def unknowns(self) -> int:
        return self.rest.shape[1] + 1


def excitation(
    model: ChainModel,
    *,
    period_s: float = 10.0,
    harmonics: int = 5,
    samples: int = 200,
    seed: int = 0,
    rounds: int = 25,
    progress: Callable[[float], None] | None = None,
) -> Excitation:
    """Search a motion. `progress` hears the condition number after every round."""
    from scipy.optimize import minimize

    base = base_parameters(model)
    if not len(base.columns):
        raise ResultError("this chain has no parameter that its motion could tell")
    series = _series(period_s, harmonics, samples)
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(STARTS, model.n * series.unknowns))
    scale = _reference(model, base, series, rng)
    coarse = _series(period_s, harmonics, min(samples, max(60, 8 * harmonics)))
    costs = _costs(model, base, coarse, scale)
    tried = costs(starts)
    best = starts[int(np.argmin(tried))]

    def with_slope(x: np.ndarray) -> tuple[float, np.ndarray]:
        steps = np.vstack([x, x + STEP * np.eye(len(x))])
        answer = costs(steps)
        return float(answer[0]), (answer[1:] - answer[0]) / STEP

    def hear(x: np.ndarray) -> None:
        if progress is not None:
            progress(_condition(model, base, _motion(model, series, x), scale))

    answer = minimize(with_slope, best, jac=True, method="L-BFGS-B", options={"maxiter": rounds}, callback=hear)
    x = answer.x if answer.fun < tried.min() else best
    random = float(np.median([_condition(model, base, _motion(model, coarse, start), scale) for start in starts]))
    return _finished(model, base, series, x, scale, random)


def _finished(
    model: ChainModel, base: BaseParameters, series: _Series, x: np.ndarray, scale: Scale, random: float
) -> Excitation:
    q, rates, accelerations = _motion(model, series, x)
    links = regressor(model, q, rates, accelerations) @ inertial_parameters(model)
    force = links + model.rotor * accelerations - model.joint_forces(q, rates)
    load = float(np.max(np.abs(force) / model.effort_limit))
    if load > 1.0:
        raise ResultError(
            f"the drives would need {load:.2f} times their largest force; take a longer --period, or lighter limits"
        )
    given = np.isfinite(model.lower) & np.isfinite(model.upper) & np.isfinite(model.rate_limit)
    free = [name for name, all_there in zip(model.names, given, strict=True) if not all_there]
    taken = "half a turn at 60 deg/s, or 0.5 m at 0.1 m/s, is taken"
    notes = [f"limits missing in the file for {', '.join(free)}: {taken}"] if free else []
    condition = _condition(model, base, (q, rates, accelerations), scale)
    return Excitation(series.time_s, q, rates, accelerations, force, condition, random, load, tuple(notes))


# ---------------------------------------------------------------- the series


def _series(period_s: float, harmonics: int, samples: int) -> _Series:
    time = np.arange(samples) * period_s / samples
    w = 2.0 * math.pi / period_s * np.arange(1, harmonics + 1)
    angle = np.outer(time, w)
    sin, cos = np.sin(angle), np.cos(angle)
    value = np.hstack([sin / w, -cos / w])
    rate = np.hstack([cos, sin])
    acceleration = np.hstack([-w * sin, w * cos])
    rows = np.vstack([rate[0], acceleration[0] / w[0]])
    return _Series(time, value, rate, acceleration, np.linalg.svd(rows)[2][len(rows) :].T)


def _motion(model: ChainModel, series: _Series, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Samples (T, n) within the limits, from unknowns (n, 2 H - 1): shape, and place in the range."""
    x = x.reshape(model.n, -1)
    shape = series.rest @ x[:, :-1].T
    shape = shape / np.maximum(np.linalg.norm(shape, axis=0), 1e-12)
    value, rate = series.value @ shape, series.rate @ shape
    low, high, fastest = _limits(model)
    size = np.minimum(USED * (high - low) / np.ptp(value, axis=0), USED * fastest / np.abs(rate).max(axis=0))
    slack = (high - low) - size * np.ptp(value, axis=0)
    place = 0.025 + 0.95 / (1.0 + np.exp(-np.clip(x[:, -1], -30.0, 30.0)))
    start = low + slack * place - size * value.min(axis=0)
    return start + size * value, size * rate, size * (series.acceleration @ shape)


def _limits(model: ChainModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Range and rate of each joint; about home, or from the limit there is, where one is missing."""
    kind = model.prismatic.astype(int)
    span = np.array(FREE_RANGE)[kind]
    start = np.where(np.isfinite(model.upper), model.upper - span, model.home - span / 2)
    low = np.where(np.isfinite(model.lower), model.lower, start)
    high = np.where(np.isfinite(model.upper), model.upper, low + span)
    return low, high, np.where(np.isfinite(model.rate_limit), model.rate_limit, np.array(FREE_RATE)[kind])


# ---------------------------------------------------------------- what it is worth


def _reference(model: ChainModel, base: BaseParameters, series: _Series, rng: np.random.Generator) -> Scale:
    """Sizes of rows and columns, from a few random motions."""
    blocks = []
    for _ in range(4):
        motion = _motion(model, series, rng.normal(size=model.n * series.unknowns))
        blocks.append(regressor(model, *motion)[:, :, base.columns])
    W = np.concatenate(blocks)
    force = np.abs(W @ (base.Y @ inertial_parameters(model)))
    rows = np.maximum(force.max(axis=0), 1e-9 * max(float(force.max(initial=0.0)), 1e-300))
    if not np.any(force):
        rows = np.ones(model.n)
    columns = np.sqrt(np.mean((W / rows[:, None]) ** 2, axis=(0, 1)))
    return rows, np.where(columns > 0.0, columns, 1.0)


def _condition(
    model: ChainModel,
    base: BaseParameters,
    motion: tuple[np.ndarray, np.ndarray, np.ndarray],
    scale: Scale,
) -> float:
    rows, columns = scale
    W = regressor(model, *motion)[:, :, base.columns] / rows[:, None] / columns
    s = np.linalg.svd(W.reshape(-1, W.shape[2]), compute_uv=False)
    return float(s[0] / max(s[-1], 1e-300))


def _costs(
    model: ChainModel, base: BaseParameters, series: _Series, scale: Scale
) -> Callable[[np.ndarray], np.ndarray]:
    """Logarithm of the condition number, and a charge for overload, of many motions (B, unknowns) at once."""
    rows, columns = scale
    nominal = inertial_parameters(model)

    def costs(many: np.ndarray) -> np.ndarray:
        motions = [_motion(model, series, x) for x in many]
        q, rates, accelerations = (np.concatenate([motion[i] for motion in motions]) for i in range(3))
        W = regressor(model, q, rates, accelerations)
        force = W @ nominal + model.rotor * accelerations - model.joint_forces(q, rates)
        over = np.maximum(np.abs(force) / model.effort_limit - USED, 0.0).reshape(len(many), -1).max(axis=1)
        scaled = (W[:, :, base.columns] / rows[:, None] / columns).reshape(len(many), -1, len(columns))
        s = np.linalg.eigvalsh(np.swapaxes(scaled, 1, 2) @ scaled)
        return 0.5 * np.log(s[:, -1] / np.maximum(s[:, 0], 1e-300)) + 50.0 * over

    return costs
