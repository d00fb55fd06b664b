"""Metrics of the energy budget and the momenta, from what the kernel noted at every step: none depends on the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from docksim.compiler import Compiled
from docksim.model import LINEARLY_IMPLICIT, RK4, SEMI_IMPLICIT_EULER, WORK_NAMES

# an exchange of less than this part of the kinetic energy cannot be told from rounding
ROUNDING = 1e-9
# what moves everything along together is smooth, and would hide the rest: this part of it counts. A method of first
# order books works to first order, also that of a thruster on a lone body
COMMON = {RK4: 1e-3, LINEARLY_IMPLICIT: 1e-3, SEMI_IMPLICIT_EULER: 1.0}


def budget_of(compiled: Compiled) -> dict[str, float]:
    """Residuals of energy and momentum; of a run in which interfaces met, what became of the approach energy."""
    noted = compiled.state.budget[0]
    approach = dict(_approach(noted)) if noted.touched else {}
    residual = float(noted.residual)
    return approach | {
        "energy.residual_J": residual,
        "energy.residual_relative": _ratio(residual, max(float(noted.largest_energy), float(noted.largest_work))),
        "energy.exchanged_J": exchanged(compiled),
        "energy.residual_of_exchanged": _ratio(residual, exchanged(compiled)),
        "momentum.linear_residual_kg_m_s": float(noted.linear_residual),
        "momentum.linear_residual_relative": _ratio(float(noted.linear_residual), float(noted.largest_linear_traffic)),
        "momentum.angular_residual_kg_m2_s": float(noted.angular_residual),
        "momentum.angular_residual_relative": _ratio(
            float(noted.angular_residual), float(noted.largest_angular_traffic)
        ),
    }


def exchanged(compiled: Compiled) -> float:
    """Energy that changed hands [J].

    The largest sum of all works by their sizes, the range of the kinetic energy, both against the common mass centre,
    and the ranges of its parts: what tumbles or swings freely exchanges energy between axes and bodies, though nothing
    works on it. Of what is done on the common motion a small part counts. Once interfaces meet, their approach energy
    is at stake: a run that ends within the first impact has exchanged little of it.
    """
    noted, ranges = compiled.state.budget[0], compiled.state.range[1:]
    moved = float(noted.largest_works) + float(noted.largest_inner) - float(noted.least_inner)
    with np.errstate(invalid="ignore"):  # of a run that diverged
        within = float((ranges["largest"] - ranges["least"]).sum())
    common = COMMON[int(compiled.model.settings[0].integrator)] * float(noted.largest_common)
    at_stake = float(noted.approach) if noted.touched else 0.0
    return max(moved + within + common, at_stake, ROUNDING * float(noted.largest_kinetic))


def as_if_all_had_happened(compiled: Compiled) -> None:
    """Put figures into the budget such that it has every metric."""
    noted = compiled.state.budget[0]
    noted.touched = 1
    noted.approach = noted.residual = noted.largest_kinetic = 1.0
    noted.work[:] = 1.0


def _approach(noted: Any) -> Iterator[tuple[str, float]]:
    """Approach energy = stored + taken by each kind of device + left + residual, all since the first contact."""
    approach, residual = float(noted.approach), float(noted.residual)
    yield "budget.approach_J", approach
    yield "budget.stored_J", float(noted.potential - noted.potential_contact)
    yield "budget.left_J", approach + float(noted.kinetic - noted.kinetic_contact)
    for name, work, before in zip(WORK_NAMES, noted.work, noted.work_contact, strict=True):
        if work != before:
            yield f"budget.taken_by.{name}_J", float(before - work)
    yield "budget.residual_J", residual
    if approach > 0.0:
        yield "budget.residual_of_approach", residual / approach


def _ratio(value: float, scale: float) -> float:
    return value / scale if scale > 0.0 else value
