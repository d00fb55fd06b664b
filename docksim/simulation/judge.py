"""The judge of a run, one for all kinds of runs: what it ended as, in the words of the kernel, of docking, of accuracy.

The energy budget has no term for the integrator's error, so what it is open by measures that error. It is held against
the energy exchanged, not against all energy there is: a station's spin or drift must not hide what an impact gained.
A run that is open by more than a bound is no result, whatever it seems to have come to. The semi-implicit Euler method
keeps the mean of the energy and swings about it by half of omega times step, so its bounds are wider.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from docksim.compiler import Compiled
from docksim.config.schema.contact_laws import overdamped
from docksim.model.contact import HUNT_CROSSLEY
from docksim.result.docking import outcome_of_docking, unchecked_joins
from docksim.result.pairs import JoinedPorts, PairOutcome
from docksim.simulation.budget import exchanged
from docksim.simulation.closures import redundant
from docksim.simulation.parting import parted_under_pressure, pressed_back
from docksim.simulation.programs import missed_paths
from docksim.simulation.retraction import stalls

# of the energy exchanged: beyond the first a run is inaccurate, beyond the second it is told
BOUNDS = {"rk4": (5e-3, 5e-4), "linearly_implicit": (5e-3, 5e-4), "semi_implicit_euler": (0.1, 0.01)}
# ends that say more than that numbers are wrong
_STAY = ("failed", "interrupted")
_ADVICE = "try a smaller step_s or more substeps of the contact pair"
_STIFF = ", or integrator: linearly_implicit for stiff joints"


class Verdict(NamedTuple):
    """How a run ended, why, and what to know besides."""

    outcome: str
    reason: str
    warnings: tuple[str, ...] = ()


def judge(
    compiled: Compiled,
    ended: tuple[str, str],
    pairs: Sequence[PairOutcome],
    ports: Sequence[JoinedPorts],
    driven: bool = False,
) -> Verdict:
    """`ended`: outcome and reason of the run itself, or the claim of an event that stopped it; `pairs` and `ports` are
    the state at its end; `driven`: its motion came from outside."""
    outcome, reason = outcome_of_docking(*ended, pairs, ports)
    remarks = (_overdamped, redundant, pressed_back, parted_under_pressure, stalls, missed_paths)
    told = (*unchecked_joins(ports), *(text for remark in remarks for text in remark(compiled)))
    share, text = _open(compiled)
    inaccurate, doubtful = BOUNDS[compiled.scenario.solver.integrator]
    advice = _ADVICE if compiled.scenario.solver.integrator == "linearly_implicit" else _ADVICE + _STIFF
    if not share > doubtful or outcome == "diverged":
        return Verdict(outcome, reason, told)
    if beyond := _left_out(compiled, driven):
        return Verdict(outcome, reason, (f"accuracy cannot be judged: {text}, and {beyond}", *told))
    if share > inaccurate and outcome not in _STAY:
        otherwise = f"; it would have been '{outcome}'" + (f": {reason}" if reason else "")
        return Verdict("inaccurate", f"{text}, more than {inaccurate:g} of it; {advice}{otherwise}", told)
    return Verdict(outcome, reason, (f"{text}, more than {doubtful:g} of it; {advice}", *told))


def _overdamped(compiled: Compiled) -> Iterator[str]:
    """Pairs whose dampers outweighed their springs, at the fastest that surfaces met."""
    for name, pair, own in zip(compiled.scenario.contacts, compiled.model.contact, compiled.state.contact, strict=True):
        if pair.law == HUNT_CROSSLEY and (text := overdamped(float(pair.damping), float(own.fastest))):
            yield f"contacts.{name}: {text}"


def _open(compiled: Compiled) -> tuple[float, str]:
    """By what part of the energy exchanged the budget is open, and this in words."""
    residual, scale = float(compiled.state.budget[0].residual), exchanged(compiled)
    share = residual / scale if scale > 0.0 else 0.0
    return share, f"energy budget open by {residual:.3g} J ({100.0 * share:.3g} %) of {scale:.3g} J exchanged"


def _left_out(compiled: Compiled, driven: bool) -> str:
    """What no budget can hold, in words; nothing if it holds all."""
    if driven:
        return "motion came from outside, whose work is in no budget"
    if any(row.inertial_base for row in compiled.model.mechanism):
        return "a mechanism's base is taken as inertial, which keeps no energy"
    return ""
