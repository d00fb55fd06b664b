"""Base inertial parameters from energies: no accelerations are needed.

Between any two instants the energy of the links changes by the work of the drives less what springs and friction take:

    (h(t2) - h(t1)) . p = integral of q' . (Q - springs - friction) dt
    h_l = 1/2 trace(V D_l V') - [g; 0]' T D_l e4        V the rate of a link's 4 x 4 pose T, D_l parameter l's pattern

h is linear in the base parameters. All pairs of instants at once are the same as one unknown constant, the energy at
the start: least squares of levels. Rates that are derived come from a local polynomial, and so do, then, coordinates.

Noise of the measured motion is in both sides, squares it and pulls the estimate to one side. How far, and how sure it
is, is found by drawing: noise as large as the recording's own (what a local polynomial leaves of it) is laid once more
on the motion, in pairs of opposite sign, and goes the whole way. On the average an estimate x becomes M x + c that way:
this is taken back, and the differences of the pairs are the covariance. Intervals hold for white noise of coordinates,
rates and forces alike, as long as it is not so large that M is far from one; a note says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.signal import savgol_coeffs
from scipy.stats import t as student

from docksim.algebra.masses import cross_matrix
from docksim.chain.identification.baseparams import BaseParameters, base_parameters
from docksim.chain.identification.by_forces import Identification, named
from docksim.chain.identification.least_squares import RANK_LIMIT, Fit, fit
from docksim.chain.identification.recording import DEGREE, WINDOW, Recording
from docksim.chain.identification.regressor import COLUMNS, OFF_DIAGONAL, PER_LINK, ROWS, parameter_frames
from docksim.chain.kinematics.derivatives import cross, turns
from docksim.chain.model import ChainModel
from docksim.result.result import ResultError

PAIRS = 40
LEAST_WINDOW = DEGREE + 3
MOST_PULLED = 0.3
MOST_MISSED = 1.5


# ---------------------------------------------------------------- energies


def energy_columns(model: ChainModel, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """h (T, 10 n): kinetic and potential energy of each parameter."""
    count, n = q.shape
    H = parameter_frames(model)
    R, p = np.zeros((count, n, 3, 3)), np.zeros((count, n, 3))
    w, v = np.zeros((count, n, 3)), np.zeros((count, n, 3))
    h = np.zeros((count, n, PER_LINK))
    for k, above in enumerate(model.parent):
        R0, p0, w0, v0 = (
            (x[:, above] for x in (R, p, w, v)) if above >= 0 else (np.eye(3)[None], *3 * (np.zeros((1, 3)),))
        )
        arm = R0 @ model.p_fix[k]
        axis = R0 @ (model.R_fix[k] @ model.axis[k])
        speed = rates[:, k, None] * axis
        if model.prismatic[k]:
            arm = arm + q[:, k, None] * axis
            R[:, k], w[:, k] = R0 @ model.R_fix[k], w0
            v[:, k] = v0 + cross(w0, arm) + speed
        else:
            R[:, k] = R0 @ (model.R_fix[k] @ turns(model.axis[k], q[:, k]))
            w[:, k], v[:, k] = w0 + speed, v0 + cross(w0, arm)
        p[:, k] = p0 + arm
        # pose of the parameters' frame and its rate, (T, 3, 4)
        pose = np.concatenate([R[:, k] @ H[k, :3, :3], (R[:, k] @ H[k, :3, 3])[:, :, None]], axis=2)
        rate = cross_matrix(w[:, k]) @ pose
        rate[:, :, 3] += v[:, k]
        pose[:, :, 3] += p[:, k]
        share = 0.5 * np.swapaxes(rate, 1, 2) @ rate
        h[:, k] = share[:, ROWS, COLUMNS] + OFF_DIAGONAL * share[:, COLUMNS, ROWS]
        # first moments and mass by their height
        h[:, k, 6:] -= np.einsum("a,taj->tj", model.gravity, pose)
    return h.reshape(count, n * PER_LINK)


@dataclass(frozen=True)
class _Motion:
    """Samples (T, n) as the balance of energy takes them."""

    time_s: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    force: np.ndarray

    def moved(self, q: np.ndarray, rates: np.ndarray, force: np.ndarray) -> _Motion:
        return _Motion(self.time_s, self.q + q, self.rates + rates, self.force + force)


class _Balance:
    """Both sides of the balance for one chain: columns of what is asked for, and what is known."""

    def __init__(self, model: ChainModel, base: BaseParameters, drives: Sequence[str]) -> None:
        self.model, self.base, self.drives = model, base, tuple(drives)

    def columns(self, motion: _Motion) -> np.ndarray:
        """(T, r + n a drive), each without its mean: the constant of all pairs of instants."""
        h = energy_columns(self.model, motion.q, motion.rates)[:, self.base.columns]
        more = {
            "rotor": lambda: 0.5 * motion.rates**2,
            "viscous": lambda: integral(motion.time_s, motion.rates**2),
            "coulomb": lambda: integral(motion.time_s, np.abs(motion.rates)),
        }
        return _centred(np.concatenate([h, *(more[kind]() for kind in self.drives)], axis=1))

    def work(self, motion: _Motion) -> np.ndarray:
        """(T,) work of the drives, less what is known of springs, rotors and friction; without its mean."""
        model, v = self.model, motion.rates
        force, stored = motion.force, 0.5 * model.stiffness * (motion.q - model.rest) ** 2
        if "viscous" not in self.drives:
            force = force - model.damping * v
        if "coulomb" not in self.drives:
            force = force - model.friction * np.sign(v)
        if "rotor" not in self.drives:
            stored = stored + 0.5 * model.rotor * v**2
        power = (force * v).sum(axis=1)
        return _centred(integral(motion.time_s, power) - stored.sum(axis=1))


def integral(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """From the first sample on, by a spline of degree 5."""
    return np.asarray(make_interp_spline(time, values, k=5).antiderivative()(time))


def _centred(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=0)


# ---------------------------------------------------------------- the fit


def identify_by_energy(
    model: ChainModel,
    recording: Recording,
    *,
    drives: Sequence[str] = (),
    confidence: float = 0.95,
    consistent: bool = False,
    window: int = WINDOW,
    pairs: int = PAIRS,
    seed: int = 0,
) -> Identification:
    """Fit the base parameters, and of `drives` one figure a joint, to energies. Accelerations are not read.

    Rates that the recording does not have (empty) are derived over `window` samples.
    """
    base = base_parameters(model)
    if window < LEAST_WINDOW or window % 2 == 0:
        raise ResultError(
            f"a window of {window} samples cannot tell noise from motion; an odd one from {LEAST_WINDOW} on can"
        )
    if len(recording.time_s) <= window:
        raise ResultError(f"{len(recording.time_s)} samples; telling their noise takes more than {window}")
    noise = _Noise(recording, window)
    motion = noise.motion()
    balance = _Balance(model, base, drives)
    W, y = balance.columns(motion), balance.work(motion)
    if len(y) <= W.shape[1] + 1:
        raise ResultError(f"{len(y)} energies cannot give {W.shape[1]} figures; record more samples")
    plain = fit(W[:, None], y[:, None], confidence)
    drawn = _draws(balance, motion, noise, W, _told_directions(W), pairs, np.random.default_rng(seed))
    freed = drawn.freed(plain, W, y, confidence)
    notes = (*noise.notes(), *drawn.notes(float(freed.noise[0])))
    whole = Recording(motion.time_s, motion.q, motion.rates, np.zeros_like(motion.q), motion.force, notes)
    return named(model, base, drives, freed, whole, y[:, None], confidence, consistent, by="energy")


def _told_directions(W: np.ndarray) -> np.ndarray:
    """(r, rank): the combinations of columns that the data can tell."""
    size = np.linalg.norm(W, axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    _, s, Vt = np.linalg.svd(W / scale, full_matrices=False)
    return Vt[s > RANK_LIMIT * s.max(initial=0.0)].T / scale[:, None]


@dataclass(frozen=True)
class _Draws:
    """What drawn noise does to an estimate z of the directions B: z becomes M z + c on the average."""

    B: np.ndarray  # (r, rank) directions
    M: np.ndarray  # (rank, rank)
    c: np.ndarray  # (rank,)
    parts: list[tuple[np.ndarray, np.ndarray]]  # odd halves of M and c, pair by pair
    miss: float  # of the energies, by noise alone

    def freed(self, plain: Fit, W: np.ndarray, y: np.ndarray, confidence: float) -> Fit:
        """The fit without its bias, with the covariance of the draws."""
        z = np.linalg.solve(self.M, _estimator(W @ self.B) @ y - self.c)
        spread = np.array([np.linalg.solve(self.M, odd @ z + own) for odd, own in self.parts])
        x = self.B @ z
        covariance = self.B @ (spread.T @ spread / len(spread)) @ self.B.T
        told = plain.told
        covariance[~told] = covariance[:, ~told] = np.nan
        predicted = W @ x
        return replace(
            plain,
            values=np.where(told, x, np.nan),
            least_norm=x,
            covariance=covariance,
            half_width=student.ppf(0.5 + confidence / 2, len(spread)) * np.sqrt(np.diag(covariance)),
            noise=np.array([np.sqrt(np.mean((y - predicted) ** 2))]),
            predicted=predicted[:, None],
            freedom=float(len(spread)),
            neighbours=np.zeros(1),
            information=_inverse(np.where(np.isnan(covariance), 0.0, covariance)),
        )

    def notes(self, left: float) -> list[str]:
        """What a reader of the intervals must know."""
        words = []
        pulled = float(np.abs(np.linalg.eigvals(self.M - np.eye(len(self.M)))).max(initial=0.0))
        if pulled > MOST_PULLED:
            words.append(
                f"noise of the motion pulls some figures by {100 * pulled:.0f} %, which is taken off, but roughly: the"
                " intervals are too narrow; take a wider --window, move faster, or record rates"
            )
        if left > MOST_MISSED * self.miss:
            words.append(
                f"energies miss by {left / self.miss:.1f} times what the noise of the recording explains: the model"
                " misses something (friction?), or the window smooths the motion away; the intervals are too narrow"
            )
        return words


def _inverse(covariance: np.ndarray) -> np.ndarray:
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0.0, scale, 1.0)
    return np.linalg.pinv(covariance / np.outer(scale, scale), rcond=1e-9, hermitian=True) / np.outer(scale, scale)


def _draws(
    balance: _Balance,
    motion: _Motion,
    noise: _Noise,
    W: np.ndarray,
    B: np.ndarray,
    pairs: int,
    rng: np.random.Generator,
) -> _Draws:
    """Noise laid on the motion, in pairs of opposite sign."""
    work = balance.work(motion)
    plain = _estimator(W @ B) @ work
    both: list[list[tuple[np.ndarray, np.ndarray]]] = []
    missed = []
    for _ in range(pairs):
        errors = noise.drawn(rng)
        pair = []
        for sign in (1.0, -1.0):
            moved = motion.moved(*(sign * part for part in errors))
            columns, change = balance.columns(moved) @ B, balance.work(moved) - work
            S = _estimator(columns)
            pair.append((S @ (W @ B), S @ change))
            missed.append(np.mean((W @ (B @ plain) + change - columns @ plain) ** 2))
        both.append(pair)
    M = np.mean([one[0] for pair in both for one in pair], axis=0)
    c = np.mean([one[1] for pair in both for one in pair], axis=0)
    odd = [(0.5 * (plus[0] - minus[0]), 0.5 * (plus[1] - minus[1])) for plus, minus in both]
    return _Draws(B, M, c, odd, float(np.sqrt(np.mean(missed))))


def _estimator(columns: np.ndarray) -> np.ndarray:
    """(rank, T) that takes energies to the estimate of least squares."""
    return np.linalg.solve(columns.T @ columns, columns.T)


# ---------------------------------------------------------------- noise


class _Noise:
    """White noise of a recording, as large as what a local polynomial leaves of it, and what becomes of it."""

    def __init__(self, recording: Recording, window: int) -> None:
        self.recording, self.window = recording, window
        self.derived = not recording.rates.size
        step = float(np.median(np.diff(recording.time_s)))
        self.smooth = savgol_coeffs(window, DEGREE)
        self.slope = savgol_coeffs(window, DEGREE, deriv=1, delta=step)
        self.deviations = [self._left(x) for x in (recording.q, recording.rates, recording.force)]

    def _left(self, values: np.ndarray) -> np.ndarray:
        """Deviation of the noise (n,): the residual of a polynomial at its middle has 1 - c of its variance."""
        if not values.size:
            return np.zeros(0)
        half = self.window // 2
        rest = values[half : len(values) - half] - _filtered(self.smooth, values)
        return np.sqrt((rest**2).mean(axis=0) / (1.0 - self.smooth[half]))

    def notes(self) -> list[str]:
        if not self.derived:
            return []
        seconds = self.window * float(np.median(np.diff(self.recording.time_s)))
        words = [f"rates derived from the coordinates over {self.window} samples ({seconds:.3g} s)"]
        if self._smoothed().any():
            words.append(
                "the window smooths rates by more than noise disturbs them: the intervals are too narrow; a narrower"
                " --window or faster samples would mend it"
            )
        return words

    def _smoothed(self) -> np.ndarray:
        """(n,) whether a polynomial of a higher degree has other rates, by more than half the noise of these."""
        step = float(np.median(np.diff(self.recording.time_s)))
        change = self.slope - savgol_coeffs(self.window, min(DEGREE + 2, self.window - 1), deriv=1, delta=step)
        variance = self.deviations[0] ** 2
        lost = (_filtered(change, self.recording.q) ** 2).mean(axis=0) - variance * (change**2).sum()
        return np.asarray(lost > 0.25 * variance * (self.slope**2).sum())

    def motion(self) -> _Motion:
        """The recording with its rates, derived ones with coordinates from the same polynomial."""
        one = self.recording
        if not self.derived:
            return _Motion(one.time_s, one.q, one.rates, one.force)
        half = self.window // 2
        keep = slice(half, len(one.time_s) - half)
        return _Motion(one.time_s[keep], _filtered(self.smooth, one.q), _filtered(self.slope, one.q), one.force[keep])

    def drawn(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Errors of coordinates, rates and forces."""
        count, n = self.recording.q.shape
        q, rates, force = (s * rng.normal(size=(count, n)) if s.size else np.zeros((count, n)) for s in self.deviations)
        if not self.derived:
            return q, rates, force
        half = self.window // 2
        return _filtered(self.smooth, q), _filtered(self.slope, q), force[half : count - half]


def _filtered(coefficients: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where the window fits, column by column."""
    return np.stack([np.convolve(column, coefficients, "valid") for column in values.T], axis=1)
