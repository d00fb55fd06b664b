"""Base inertial parameters of a chain from recorded motion and forces.

The forces are linear in the base parameters, Q = W_b(q, q', q'') p_b, W_b the basic columns of the regressor. Springs
that the file gives are known and taken off the measured forces, and so are rotor inertia and friction unless they are
asked for. See least_squares for the fit and what its intervals mean, and consistent for parameters of real links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docksim.chain.identification.baseparams import BaseParameters, base_parameters
from docksim.chain.identification.consistent import RealLinks, real_links
from docksim.chain.identification.least_squares import Fit, fit
from docksim.chain.identification.recording import Recording
from docksim.chain.identification.regressor import drive_columns, inertial_parameters, regressor
from docksim.chain.model import ChainModel
from docksim.result.result import ResultError

MOST_SAMPLES = 20_000
_DRIVE_UNITS = {"rotor": ("kg m²", "kg"), "viscous": ("N m s/rad", "N s/m"), "coulomb": ("N m", "N")}


@dataclass(frozen=True)
class Identification:
    """Figures by name, beside what the chain file would give."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    expressions: tuple[str, ...]
    nominal: np.ndarray  # of the file's masses, springs aside
    fit: Fit
    base: BaseParameters
    recording: Recording
    measured: np.ndarray  # (T, n) forces without what is known
    confidence: float
    real: RealLinks | None = None
    by: str = "forces"  # or energy

    @property
    def values(self) -> np.ndarray:
        return self.fit.values

    def sensors(self, model: ChainModel) -> list[tuple[str, str]]:
        """Name and unit of what was measured."""
        if self.by == "energy":
            return [("energy", "J")]
        return [(link, "N" if slides else "N m") for link, slides in zip(model.names, model.prismatic, strict=True)]

    @property
    def unknown(self) -> tuple[tuple[str, ...], ...]:
        """Names of figures whose combinations the data cannot tell."""
        return tuple(tuple(self.names[i] for i in group) for group in self.fit.unknown)


def identify(
    model: ChainModel,
    recording: Recording,
    *,
    drives: Sequence[str] = (),
    confidence: float = 0.95,
    consistent: bool = False,
) -> Identification:
    """Fit the base parameters, and of `drives` (rotor, viscous, coulomb) one figure a joint."""
    base = base_parameters(model)
    recording = thinned(recording)
    W = base_regressor(model, base, recording, drives)
    if W.shape[0] * W.shape[1] <= W.shape[2]:
        count = W.shape[0] * W.shape[1]
        raise ResultError(f"{count} measured forces cannot give {W.shape[2]} figures; record more samples")
    measured = recording.force - known_forces(model, recording, drives)
    solution = fit(W, measured, confidence)
    return named(model, base, drives, solution, recording, measured, confidence, consistent)


def named(
    model: ChainModel,
    base: BaseParameters,
    drives: Sequence[str],
    solution: Fit,
    recording: Recording,
    measured: np.ndarray,
    confidence: float,
    consistent: bool,
    by: str = "forces",
) -> Identification:
    """A fit with names, units and what the file has."""
    nominal = np.concatenate([base.Y @ inertial_parameters(model), *(_of_file(model, kind) for kind in drives)])
    real = None
    if consistent:
        real = real_links(solution.least_norm, solution.information, base.Y, inertial_parameters(model))
    return Identification(
        (*base.names, *(f"{link}.{kind}" for kind in drives for link in model.names)),
        (*base.units, *(_DRIVE_UNITS[kind][int(slides)] for kind in drives for slides in model.prismatic)),
        (*base.expressions(), *(f"{kind} of {link}" for kind in drives for link in model.names)),
        nominal,
        solution,
        base,
        recording,
        measured,
        confidence,
        real,
        by,
    )


def thinned(recording: Recording) -> Recording:
    """Every k-th row of a recording that is too long to keep its regressor in memory."""
    count = len(recording.time_s)
    every = -(-count // MOST_SAMPLES)
    if every == 1:
        return recording
    note = f"one row in {every} of {count} is used: more than {MOST_SAMPLES} are not kept in memory"
    return Recording(
        recording.time_s[::every],
        recording.q[::every],
        recording.rates[::every],
        recording.accelerations[::every],
        recording.force[::every],
        (*recording.notes, note),
    )


def base_regressor(
    model: ChainModel, base: BaseParameters, recording: Recording, drives: Sequence[str] = ()
) -> np.ndarray:
    """W (T, n, r + n a drive) of the base parameters, then of the drives."""
    W = regressor(model, recording.q, recording.rates, recording.accelerations)[:, :, base.columns]
    more = [drive_columns(model, kind, recording.rates, recording.accelerations) for kind in drives]
    return np.concatenate([W, *more], axis=2)


def known_forces(model: ChainModel, recording: Recording, drives: Sequence[str]) -> np.ndarray:
    """What the drives spend on springs, dampers, friction and rotors that are taken from the file."""
    rates, accelerations = recording.rates, recording.accelerations
    parts = {"rotor": accelerations, "viscous": rates, "coulomb": np.sign(rates)}
    out = model.stiffness * (recording.q - model.rest)
    for kind, part in parts.items():
        if kind not in drives:
            out = out + _of_file(model, kind) * part
    return out


def _of_file(model: ChainModel, kind: str) -> np.ndarray:
    return {"rotor": model.rotor, "viscous": model.damping, "coulomb": model.friction}[kind]
