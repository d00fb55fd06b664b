"""Whatever is written into a device, a coupling or a `set`, it is compiled, or refused with a message."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, given, settings

from docksim.compiler import compile_scenario
from docksim.config import ScenarioError, load_scenario
from tests.unit.config.fuzzing import Place, change, changes_of, places
from tests.unit.config.test_device_events import scenario
from tests.unit.config.test_devices import CRANK_SERVO, HUNT, ONES, SERVO, STEWART, data

ADMITTANCE = {"mass_kg": 50.0, "damping_Ns_m": 200.0, "stiffness_N_m": 3.0, "dead_band_N": 2.0, "travel_limit_m": 0.1}
TIMES = {"sample_s": 0.01, "delay_s": 0.02}
BRAKE = {"normal_force_N": 100.0, "friction_coefficient": 0.2, "self_adjustment": 10.0}
STROKE: dict[str, Any] = {
    "preload_N": 50.0, "stiffness_N_m": 500.0, "rebound_stiffness_N_m": 100.0, "preload_give_m": 1e-3, "rest_m": 0.0,
    "damping_table": [[0, 0], [0.1, 30]], "eddy_current": {"peak_force_N": 100.0, "at_rate_m_s": 0.05}, "brake": BRAKE,
    "presliding_m": 1e-4, "lower_m": -0.2, "upper_m": 0.2, "stop_travel_m": 0.02, "force_limit_N": 500.0,
    "screw": {"lead_mm": 20.0, "gear_ratio": 2.0, "rotor_inertia_kg_m2": 5e-5},
    "servo": {**SERVO, **TIMES, "rate_limit_m_s": 0.1, "target_m": 0.0, "admittance": ADMITTANCE},
}  # fmt: skip
CRANK: dict[str, Any] = {
    "spring_table": [[-20, 5], [0, 0], [40, -9]], "damping_table": [[-10, -20], [0, 0], [10, 30]],
    "eddy_current": {"peak_torque_Nm": 10.0, "at_rate_deg_s": 50.0}, "brake": {**BRAKE, "mean_radius_m": 0.1},
    "gear": {"ratio": 20.0, "rotor_inertia_kg_m2": 1e-5}, "lower_deg": -10.0, "upper_deg": 115.0,
    "servo": {**CRANK_SERVO, "follows": "mean"},
}  # fmt: skip
SPEED = {"mode": "velocity", "damping_Ns_m": 3.0, "target_rate_m_s": 0.1}
COUPLING = {"weights": ONES, "linear": {"spring_table": [[-1, 5], [0, 0], [1, -2]], "servo": SPEED}}
COMMAND = {
    "device": "chaser.legs", "force_N": 1.0, "friction_N": 2.0, "eddy_peak_force_N": 3.0,
    "servo": {"enabled": True, "target_m": 0.1, "rate_limit_m_s": 0.1, "force_limit_N": 3.0},
}  # fmt: skip


def whole() -> dict[str, Any]:
    """Every device in one scenario."""
    when = {"device": "chaser.couplings.sum", "above_m": 0.1}
    content = scenario(when=when, do={"set": COMMAND}, mechanism=data(STEWART, STROKE, sum=COUPLING))
    content["vehicles"]["visitor"]["mechanism"] = data(HUNT, CRANK, sum={"weights": ONES, "rotary": {"torque_Nm": 1.0}})
    return deepcopy(content)


PLACES = [place for place in places(whole()) if "mechanism" in place or "events" in place]


def test_whole_scenario_is_compiled() -> None:
    compile_scenario(load_scenario(whole()))


@given(changes=changes_of(PLACES))
@settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_any_value_in_any_place(changes: list[tuple[Place, Any]]) -> None:
    content = whole()
    change(content, changes)
    with suppress(ScenarioError):
        compile_scenario(load_scenario(content))
