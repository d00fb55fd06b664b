"""The budget that the kernel notes at every step: sums against the detailed ones, approach energy against the loss of a
join, and figures that do not follow the log."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.kernel.mechanism.ring import leg_momenta, leg_sums
from docksim.simulation.run import new_run, to_the_end
from tests.oracle.mechanism_description import LEG_TYPES
from tests.physics.test_mechanism_in_tree import at_random_state
from tests.support.contact_rigs import ball, pair, port
from tests.support.rigs import Keys, body, lone

NDS = "scenarios/dock_nds.yaml"


@pytest.mark.parametrize("types", [*LEG_TYPES, LEG_TYPES], ids=[*LEG_TYPES, "mixed"])
def test_momenta_and_energy_of_legs_are_those_of_their_links(types: Any) -> None:
    for seed in range(4):
        compiled, work, *_ = at_random_state(types, seed)
        h, p, energy = leg_sums(compiled.model, compiled.state, work, 0)
        h_links, p_links, energy_links = leg_momenta(compiled.model, work, 0)
        # rounding: sums of some hundred products
        assert np.abs(np.subtract(h, h_links)).max() < 1e-12 * np.abs(h_links).max()
        assert np.abs(np.subtract(p, p_links)).max() < 1e-12 * np.abs(p_links).max()
        assert energy == pytest.approx(energy_links, rel=1e-12)


# ---------------------------------------------------------------- approach energy

SOFT = {"stiffness_N_m": 1e4, "damping_s_m": 0.0, "friction": 0.0}
STEP = 1e-3


def balls(**common: Any) -> tuple[Keys, Keys]:
    """Two that come together off centre, each turning; ports away from their mass centres."""
    at = {"position_m": [0.3, 0.1, -0.2]}
    a = lone(80.0, [10.0, 14.0, 19.0], rate_deg_s=[5.0, -8.0, 11.0], ports=port(ball(1.0, SOFT), **at))
    b = lone(30.0, [4.0, 6.0, 5.0], rate_deg_s=[-9.0, 4.0, 7.0], ports=port(ball(0.5, SOFT)))
    b |= {"position_m": [2.0, 0.4, 0.3], "velocity_m_s": [-1.0, 0.2, 0.1]}
    return a | common, b


def touched(a: Keys, b: Keys, **sections: Any) -> dict[str, float]:
    """Metrics of the run until shortly after the two have met."""
    metrics = docksim.run(pair(a, b, 0.5, STEP, **sections)).metrics
    return {name: float(value) for name, value in metrics.items()}


def loss_of_join(a: Keys, b: Keys, at: float) -> float:
    """Energy that is lost when the two become one body then."""
    keys = pair(a, b, 0.5, STEP, events={"join": {"when": {"time_s": at}, "do": {"join": ["a.dock", "b.dock"]}}})
    del keys["contacts"]
    [event] = docksim.run(keys).events
    return event.energy_loss_J


@pytest.mark.parametrize("common", [{}, {"anchored": True, "rate_deg_s": [0.0, 0.0, 0.0]}], ids=["free", "anchored"])
def test_approach_energy_is_what_is_lost_when_the_two_become_one(common: Keys) -> None:
    a, b = balls(**common)
    found = touched(a, b)
    lost = loss_of_join(a, b, found["hit.first_contact_s"])
    assert lost > 5.0
    # the contact has been pushing for part of a step of 1 ms: force times way
    assert found["budget.approach_J"] == pytest.approx(lost, rel=1e-3)


def test_approach_energy_knows_no_wheels_no_others_and_no_frame() -> None:
    a, b = balls()
    plain = touched(a, b)["budget.approach_J"]
    # wheels in balance: what they turn with does not act on their vehicle
    wheel = {"axis": [0, 0, 1], "spin_inertia_kg_m2": 1e-3, "mass_kg": 1e-6, "torque_limit_Nm": 1.0}
    wheels = {name: {**wheel, "speed_rpm": speed} for name, speed in (("one", 3e4), ("two", -3e4))}
    found = touched(a | {"wheels": wheels}, b)
    assert found["budget.approach_J"] == pytest.approx(plain, rel=1e-6)
    # ten thousand joules that fly by
    keys = pair(a, b, 0.5, STEP)
    keys["vehicles"]["c"] = lone(200.0, 10.0, position_m=[0.0, 500.0, 0.0], velocity_m_s=[0.0, 10.0, 0.0])
    assert docksim.run(keys).metrics["budget.approach_J"] == pytest.approx(plain, rel=1e-12)
    # both drift at 100 m/s; rounding of positions 50 m on
    drift = np.array([60.0, -80.0, 0.0])
    a, b = (one | {"velocity_m_s": (drift + one.get("velocity_m_s", np.zeros(3))).tolist()} for one in (a, b))
    assert touched(a, b)["budget.approach_J"] == pytest.approx(plain, rel=1e-9)


def test_approach_energy_of_a_docking_is_that_of_the_two_docking_trees() -> None:
    until = {"solver.duration_s": 4.45}
    plain = docksim.run(NDS, overrides=until).metrics["budget.approach_J"]
    # 12 t at 0.1 m/s and its turn, less what the two keep as one; 21.24 J counts that as well
    assert plain == pytest.approx(21.220, abs=5e-4)
    wheel = {"spin_inertia_kg_m2": 0.5, "mass_kg": 0.01, "torque_limit_Nm": 1.0, "speed_rpm": 3000.0}
    wheels = {name: {**wheel, "axis": axis} for name, axis in zip("xyz", np.eye(3).tolist(), strict=True)}
    found = docksim.run(NDS, overrides={**until, "chaser.wheels": wheels}).metrics["budget.approach_J"]
    # 1.5 kg m2 more about each axis, and precession by 157 N m s a wheel in 4 s
    assert found == pytest.approx(plain, rel=1e-4)
    other = {"mass_kg": 1000.0, "inertia_kg_m2": [500.0, 500.0, 500.0], "position_m": [0.0, 500.0, 0.0]}
    other["velocity_m_s"] = [0.0, 10.0, 0.0]
    found = docksim.run(NDS, overrides={**until, "vehicles.other": other}).metrics["budget.approach_J"]
    assert found == pytest.approx(plain, rel=1e-12)
    orbit = {"kind": "clohessy_wiltshire", "altitude_km": 400.0}
    found = docksim.run(NDS, overrides={**until, "environment": orbit}).metrics["budget.approach_J"]
    # the orbit changes the closing rate by half a percent on the way
    assert found == pytest.approx(plain, rel=0.015)


# ---------------------------------------------------------------- the budget of a docking


def parts_of(metrics: dict[str, Any]) -> float:
    """What became of the approach energy."""
    taken = sum(value for name, value in metrics.items() if name.startswith("budget.taken_by."))
    return float(taken + metrics["budget.stored_J"] + metrics["budget.left_J"])


@pytest.mark.parametrize("thrust", [0.0, 20.0])
def test_budget_adds_up_also_where_something_thrusts(thrust: float) -> None:
    a, b = balls()
    if thrust:
        b["thrusters"] = {"push": {"direction": [-1, 0, 0], "force_N": thrust, "pulses": [[0.0, 1.0]]}}
    found = touched(a, b)
    assert found["budget.approach_J"] > 5.0
    assert ("budget.taken_by.thrusters_J" in found) == (thrust > 0.0)
    assert parts_of(found) == pytest.approx(found["budget.approach_J"], abs=2.0 * found["budget.residual_J"] + 1e-12)
    assert found["budget.residual_J"] < 1e-4 * found["budget.approach_J"]


def test_budget_of_a_docking_with_thrust_adds_up() -> None:
    # thrusters push before and after the first contact
    metrics = docksim.run("scenarios/dock_apas.yaml", overrides={"solver.duration_s": 6.0}).metrics
    assert abs(float(metrics["budget.taken_by.thrusters_J"])) > 0.1
    assert parts_of(metrics) == pytest.approx(metrics["budget.approach_J"], abs=2.0 * metrics["budget.residual_J"])
    assert metrics["budget.residual_of_approach"] < 1e-5


# ---------------------------------------------------------------- nothing follows the log


def test_budget_does_not_follow_the_log() -> None:
    fine, coarse = (
        docksim.run(NDS, overrides={"solver.duration_s": 5.0, "outputs.every_s": every}) for every in (0.001, 0.5)
    )
    names = [name for name in fine.metrics if name.startswith(("energy.", "momentum.", "budget."))]
    assert len(names) > 12
    assert {name: coarse.metrics[name] for name in names} == {name: fine.metrics[name] for name in names}
    # every step is a row of the fine one
    assert fine.metrics["energy.residual_J"] == pytest.approx(np.abs(fine["energy.residual_J"]).max(), rel=1e-9)
    linear = np.linalg.norm(fine["momentum.linear_residual"], axis=1).max()
    assert fine.metrics["momentum.linear_residual_kg_m_s"] == pytest.approx(linear, rel=1e-6)


def test_exchange_counts_what_tumbles_and_swings_freely_and_nothing_that_stays() -> None:
    tumbling = {"a": lone(10.0, [1.0, 2.0, 2.5], rate_deg_s=[5.0, 60.0, 5.0], velocity_m_s=[100.0, 0.0, 0.0])}
    spinning = {"a": lone(10.0, [1.0, 2.0, 2.5], rate_deg_s=[0.0, 60.0, 0.0], velocity_m_s=[100.0, 0.0, 0.0])}
    hinge = {"type": "revolute", "axis": [0, 0, 1], "position_m": [1.0, 0.0, 0.0], "rate_deg_s": 60.0}
    swinging = {"a": lone(10.0, 2.0, bodies={"b": body(5.0, 1.0, hinge, com=(1.0, 0.0, 0.0))})}

    def exchanged(vehicles: Keys) -> float:
        keys = {"vehicles": vehicles, "solver": {"duration_s": 20.0, "step_s": 0.01}}
        result = docksim.run(keys)
        assert (result.outcome, result.warnings) == ("completed", [])
        return float(result.metrics["energy.exchanged_J"])

    # between the axes of the brick goes most of its 1.1 J, its 50 kJ of drift do not count
    assert 0.5 < exchanged(tumbling) < 5.0
    assert 0.5 < exchanged(swinging) < 20.0
    # nothing but the floor, a billionth of the kinetic energy
    assert exchanged(spinning) == pytest.approx(1e-9 * (50000.0 + np.radians(60.0) ** 2), rel=1e-6)


def test_budget_goes_on_where_a_run_was_left() -> None:
    whole, halves = (new_run(load_scenario(NDS, {"solver.duration_s": 4.6})) for _ in range(2))
    to_the_end(whole)
    while halves.running:
        halves.advance(777)
    assert whole.compiled.state.budget.tobytes() == halves.compiled.state.budget.tobytes()
