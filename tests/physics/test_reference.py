"""A point that moves uniformly in W is as good as its origin: dockings far away and fast are the one at the origin."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.compiler import compile_scenario
from docksim.compiler.reference import Reference
from docksim.config import load_scenario
from docksim.config.schema.scenario import Scenario
from docksim.realtime import packets
from docksim.realtime.inputs import InputError, Inputs
from docksim.realtime.telemetry import Telemetry, state_numbers
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run, to_the_end
from tests.support.realtime_rigs import balls
from tests.support.rigs import Keys, lone

ROOT = Path(__file__).resolve().parents[2]
# no whole numbers: the automatic choice has something to round
FAR, FAST = (7.0e6 + 0.1234, -1.2e6 + 0.777, 3.3e5 + 0.31), (1200.37, 7300.11, -900.5)
NAMED = {"reference": {"position_m": list(FAR), "velocity_m_s": list(FAST)}}
IN_W = {"vehicles.station.position_m": list(FAR), "vehicles.station.velocity_m_s": list(FAST)}
SHORT = {"solver.duration_s": 5.0, "outputs.every_s": 0.01}  # the first impact is at 4.36 s


def far_away(keys: Keys, first: Any = FAR, second: Any = FAST) -> Keys:
    """All vehicles moved as they are, by absolute positions and velocities."""
    moved = {}
    for name, vehicle in keys["vehicles"].items():
        place, speed = (np.array(vehicle.get(key, [0.0] * 3)) for key in ("position_m", "velocity_m_s"))
        moved[name] = {**vehicle, "position_m": (place + first).tolist(), "velocity_m_s": (speed + second).tolist()}
    return {**keys, "vehicles": moved}


@cache
def docking(where: str) -> docksim.Result:
    """The NDS-like docking through its first impact."""
    changes = {"origin": {}, "reference": NAMED, "absolute": IN_W, "origin of W": {**IN_W, "reference": {}}}
    return docksim.run(load_scenario(ROOT / "scenarios" / "dock_nds.yaml", {**SHORT, **changes[where]}))


def test_docking_placed_against_a_reference_is_the_one_at_the_origin_bit_for_bit() -> None:
    here, there = docking("origin"), docking("reference")
    for name, channel in here.channels.items():
        if channel.frame != "W" or name.startswith("momentum"):
            assert np.array_equal(channel.data, there[name]), name
    assert {name.split(".")[0] for name in set(there.channels) - set(here.channels)} == {"reference"}
    assert (there.outcome, there.reason) == (here.outcome, here.reason)
    assert there.metrics == here.metrics


@pytest.mark.parametrize("where", ["reference", "absolute"])
def test_docking_far_away_and_fast_is_the_one_at_the_origin(where: str) -> None:
    here, there = docking("origin"), docking(where)
    assert here["dock.first_contact_s"][-1] > 4.0
    # floats at 7,000 km are 1e-9 m apart, and that once only, at the start
    for key in ("position_m", "misalignment_deg", "distance_m"):
        assert np.abs(there[f"dock.{key}"] - here[f"dock.{key}"]).max() < 1e-9
    peak = np.abs(here["dock.load_force_N"]).max()
    assert np.abs(there["dock.load_force_N"] - here["dock.load_force_N"]).max() < 1e-6 * peak
    assert (there.outcome, there.reason) == (here.outcome, here.reason)
    assert there.metrics["dock.first_contact_s"] == here.metrics["dock.first_contact_s"]
    for key in ("energy.residual_relative", "momentum.linear_residual_relative"):
        assert there.metrics[key] < 10.0 * max(here.metrics[key], 1e-12)


@pytest.mark.parametrize("where", ["reference", "absolute"])
def test_channels_of_bodies_are_in_the_world(where: str) -> None:
    here, there = docking("origin"), docking(where)
    gone = np.array(FAR) + here.time_s[:, None] * FAST
    for body in ("chaser", "station", "chaser.ring"):
        assert np.abs(there[f"{body}.position_m"] - gone - here[f"{body}.position_m"]).max() < 5e-9
        # the impact comes 1e-10 m / 0.06 m/s sooner or later
        assert np.abs(there[f"{body}.velocity_m_s"] - FAST - here[f"{body}.velocity_m_s"]).max() < 1e-8
    # the reference is where energies and momenta are seen from; near the vehicles, wherever it was chosen
    assert np.abs(there["reference.position_m"] - gone).max() < 1e-5
    assert np.abs(there["reference.velocity_m_s"] - FAST).max() < 1e-6
    assert np.abs(there["energy.kinetic_J"] - here["energy.kinetic_J"]).max() < 1e-4 * here["energy.kinetic_J"].max()
    assert there.channel("energy.kinetic_J").description.endswith("seen from the reference")


def test_at_the_origin_of_w_the_same_docking_suffers_from_rounding() -> None:
    """What the reference is for, and how to do without: the empty reference is W's origin."""
    here, there = docking("origin"), docking("origin of W")
    assert "reference.position_m" not in there.channels
    assert np.abs(there["dock.position_m"] - here["dock.position_m"]).max() > 1e-7


@pytest.mark.parametrize(("first", "second"), [(FAR, FAST), (FAR, (0.0, 0.0, 0.0)), ((0.0, 0.0, 0.0), FAST)])
def test_balls_that_meet_far_away_part_as_at_the_origin(first: Any, second: Any) -> None:
    keys = balls(1e-3)
    here, there = docksim.run(keys), docksim.run(far_away(keys, first, second))
    # the scenario's own numbers lose 5e-10 m at 7,000 km; the impact turns at 29 rad/s
    assert np.abs(there["hit.position_m"] - here["hit.position_m"]).max() < 5e-9
    assert np.abs(there["hit.velocity_m_s"] - here["hit.velocity_m_s"]).max() < 5e-8
    assert there.metrics["energy.residual_relative"] < 10.0 * here.metrics["energy.residual_relative"] + 1e-12


# the choice


def reference_of(keys: Keys, **changes: Any) -> Reference:
    scenario = load_scenario({"solver": {"duration_s": 1.0}, "vehicles": keys, **changes})
    return compile_scenario(scenario).assembly.reference


def roots(keys: Keys) -> np.ndarray:
    compiled = compile_scenario(load_scenario({"solver": {"duration_s": 1.0}, "vehicles": keys}))
    return compiled.state.q.reshape(-1, 7)[:, :3]


def test_near_vehicles_are_measured_from_the_origin_as_ever() -> None:
    a, b = lone(1.0, 1.0, position_m=[9000.0, 0.0, 0.0]), lone(5.0, 1.0, velocity_m_s=[0.0, 90.0, 0.0])
    assert reference_of({"a": a, "b": b}).is_origin


@pytest.mark.parametrize("seed", range(20))
def test_chosen_reference_loses_no_bit_of_any_vehicle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = 10.0 ** rng.uniform(2.0, 8.0, 3)
    places = [centre + 10.0 ** rng.uniform(-3.0, 4.0) * rng.normal(size=3) for _ in range(3)]
    keys = {f"v{i}": lone(rng.uniform(1.0, 1e5), 1.0, position_m=x.tolist()) for i, x in enumerate(places)}
    reference = reference_of(keys)
    for place, root in zip(places, roots(keys), strict=True):
        for x, x_0, r in zip(place, reference.position, root, strict=True):
            # sums of floats without rounding
            assert x == np.longdouble(x_0) + np.longdouble(r)
            assert x_0 == 0.0 or abs(x_0) > 1e3


def test_vehicles_so_far_apart_that_bits_would_go_stay_with_the_origin() -> None:
    keys = {"a": lone(1.0, 1.0, position_m=[7e6, 0.0, 0.0]), "b": lone(1.0, 1.0, position_m=[0.1, 0.0, 0.0])}
    assert reference_of(keys).is_origin


@pytest.mark.parametrize("far", [1e10, 1e12])
def test_beyond_all_reason_the_origin_stays(far: float) -> None:
    keys = {name: lone(1e3, 1.0, position_m=[far, 0.0, 0.0], velocity_m_s=[0.0, -far, 0.0]) for name in "ab"}
    assert reference_of(keys).is_origin


def test_reference_stands_still_with_a_vehicle_that_is_anchored() -> None:
    a = lone(1.0, 1.0, position_m=[7e6, 0.0, 0.0], anchored=True)
    b = lone(1.0, 1.0, position_m=[7e6, 1.0, 0.0], velocity_m_s=[7500.0, 0.0, 0.0])
    assert reference_of({"a": a, "b": b}) == Reference((7e6, 0.0, 0.0))


def test_orbit_has_its_own_reference() -> None:
    orbit = {"environment": {"kind": "clohessy_wiltshire", "altitude_km": 400.0}}
    assert reference_of({"a": lone(1.0, 1.0, position_m=[0.0, 2e4, 0.0])}, **orbit).is_origin


# real time, checkpoints


def test_packets_of_state_are_in_the_world() -> None:
    result = docksim.run(far_away(balls(1e-3)))
    run = Run(compile_scenario(load_scenario(far_away(balls(1e-3)))))
    run.advance(101)
    row = run.log.picked(slice(100, 101))
    found = state_numbers(memoryview(Telemetry(run.compiled).state(row)))
    assert found is not None
    for name, frame in zip(("a", "b"), found[1], strict=True):
        assert np.array_equal(frame["position"], result[f"{name}.position_m"][100])
        assert np.array_equal(frame["velocity"], result[f"{name}.velocity_m_s"][100])


def test_measured_motion_in_the_world_is_taken_against_a_reference_that_stands_still() -> None:
    still = far_away(balls(1e-3), FAR, (0.0, 0.0, 0.0))
    inputs = Inputs(compile_scenario(load_scenario(still)), motion=["all"])
    place, speed = [FAR[0] + 0.5, FAR[1] + 0.25, FAR[2]], [0.1, 0.2, 0.3]
    entry = packets.MOTION_ENTRY.pack(0, *place, 1.0, 0.0, 0.0, 0.0, *speed, 0.0, 0.0, 0.0)
    assert inputs.take(packets.Packet(packets.MOTION, 0, 0, 0, 0, 0.0, memoryview(entry))) == ""
    told = Telemetry(inputs.compiled)
    run = Run(inputs.compiled)
    run.advance(1)
    found = state_numbers(memoryview(told.state(run.log.picked(slice(0, 1)))))
    assert found is not None
    assert np.array_equal(found[1][0]["position"], place)
    assert np.array_equal(found[1][0]["velocity"], speed)


def test_measured_motion_against_a_moving_reference_is_refused() -> None:
    compiled = compile_scenario(load_scenario(far_away(balls(1e-3))))
    with pytest.raises(InputError, match=r"reference moves at .* off by 7.45 m for every millisecond .* stands still"):
        Inputs(compiled, motion=["all"])
    Inputs(compiled, measured=["hit"])  # forces are the same in both


@pytest.mark.parametrize("keys", [{**balls(1e-3), **NAMED}, far_away(balls(1e-3))], ids=["named", "chosen"])
def test_run_that_was_kept_goes_on_with_the_same_bits(keys: Keys, tmp_path: Path) -> None:
    scenario: Scenario = load_scenario(keys)
    run = Run(compile_scenario(scenario))
    run.advance(200)
    write_checkpoint(run, tmp_path / "kept.npz")
    again = read_checkpoint(tmp_path / "kept.npz")
    to_the_end(again)
    whole, parts = docksim.run(scenario), again.result()
    assert all(np.array_equal(channel.data, parts[name]) for name, channel in whole.channels.items())
