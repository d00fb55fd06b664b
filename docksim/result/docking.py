"""What a docking came to: the outcome of a run in which two interfaces with latches meet.

The state at the end decides. Outcomes of the run itself (over-stroke, diverged, misaligned) stay as they are. The
outcome of a `stop` is a claim, which stands if the state of a pair bears it out; `timed out`, `aborted` and
`misaligned` are verdicts of the sequence that no state can refute. A latch lost or a load beyond its limit makes any
success one of these. Of several pairs the worst counts, of those that met.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from docksim.config.outcomes import DOCKING_OUTCOMES, VERDICTS
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle
from docksim.result.pairs import BROKEN, JoinedPorts, PairOutcome, outcome_of_pairs

LINKS = ("lower", "upper", "crank", "rod")


def outcome_of_docking(
    outcome: str, reason: str, pairs: Sequence[PairOutcome], ports: Sequence[JoinedPorts] = ()
) -> tuple[str, str]:
    """Outcome and reason of the run, in the words of docking where interfaces with latches may meet.

    `outcome` and `reason` are those of the run itself, or the claim of an event that stopped it; `pairs` and `ports`
    are the state at its end.
    """
    if outcome not in ("completed", "stopped", *DOCKING_OUTCOMES):
        return outcome, reason
    # the word that the state bears out: of a run that came to its end its own, else that of the stop if it is true
    state = outcome_of_pairs(pairs)
    if state is None:
        false = _false_claim(outcome, ports)
        return ("stopped", f"{reason}; {false}") if false else (outcome, reason)
    if outcome == "completed":
        return state.word, str(state)
    if outcome in VERDICTS:
        return outcome, f"{reason}; {state}"
    if state.word in BROKEN:
        return state.word, f"{reason}; {state}"
    words = {one.word for one in pairs}
    nothing_holds = words.isdisjoint(("captured", "hard-docked"))
    if outcome == "stopped" or outcome in words or (outcome == "rebounded" and nothing_holds):
        return outcome, reason
    return state.word, f"{reason}; claims '{outcome}', but {state}"


def _false_claim(outcome: str, ports: Sequence[JoinedPorts]) -> str:
    """What is wrong with a stop's outcome where there are no latches: only joins can tell."""
    joined = [str(one) for one in ports if one.joined]
    if outcome == "hard-docked" and not joined:
        return "claims 'hard-docked', but nothing is joined"
    if outcome == "undocked" and joined:
        return f"claims 'undocked', but {joined[0]} are joined"
    return ""


def unchecked_joins(ports: Sequence[JoinedPorts]) -> Iterator[str]:
    """A word about each join that nothing could refuse."""
    for one in ports:
        if not one.checked and one.joined_s is not None:
            where = f"axial {one.stand['axial_m']:.4g} m, lateral {one.stand['lateral_m']:.4g} m"
            turned = f"tilt {one.stand['tilt_deg']:.3g} deg, roll {one.stand['roll_deg']:.3g} deg"
            yield f"{one} have no hooks, so the join was not checked ({where}, {turned})"


def total_mass(scenario: Scenario) -> float:
    """Of all vehicles with everything on them [kg]."""
    return sum(map(mass_of, scenario.vehicles.values()))


def mass_of(vehicle: Vehicle) -> float:
    """Of a vehicle with everything on it [kg]."""
    mass = vehicle.mass_kg + sum(body.mass_kg for body in vehicle.bodies.values())
    mass += sum(wheel.mass_kg for wheel in vehicle.wheels.values())
    mass += sum(beam.mass_kg + beam.tip_mass_kg for beam in vehicle.beams.values())
    if vehicle.mechanism is not None:
        links = [getattr(leg, name, None) for leg in vehicle.mechanism.six_legs() for name in LINKS]
        mass += vehicle.mechanism.ring.mass_kg + sum(link.mass_kg for link in links if link is not None)
    return mass
