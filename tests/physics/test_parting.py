"""Two ports part: rods, a clinging seal, residual pressure, a late hook. References: energies and thrusts in closed
form, and scipy's integration of two rigid bodies (tests/oracle/parting.py). Budgets close to 1e-6 and momenta to 1e-9
throughout, which `undocked` checks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.config import load_scenario
from docksim.config.errors import ScenarioError
from docksim.plots.run.figures import all_figures, kinds_of
from docksim.result.result import Result
from docksim.simulation.run import new_run, run_on
from tests.oracle.parting import Hook, Rigid, Rod, parted
from tests.support.figure_boxes import quantity
from tests.support.rigs import Keys

PORTS = ["chaser.nose", "station.dock"]
WELD = "chaser.nose+station.dock"
MASS, STATION, INERTIA = 7000.0, 4e5, [9000.0, 31800.0, 31800.0]
RODS = {"radius_m": 0.45, "compressed_N": 500.0, "extended_N": 130.0, "stroke_m": 0.04}
SEAL = {"radius_m": 0.42, "force_N": 2e4, "compression_m": 0.0012}
HOOKS = {
    "reach_m": 0.01, "window_m": 0.02, "tilt_deg": 1.0, "roll_deg": 2.0, "rate_m_s": 0.03, "count": 8, "radius_m": 0.5,
    "stiffness_N_m": 5e7, "preload_N": 24500.0, "face_stiffness_N_m": 4e8,
}  # fmt: skip
WORK = 4 * 0.5 * (500.0 + 130.0) * 0.04  # of all four rods
REDUCED = MASS * STATION / (MASS + STATION)


def docked(hooks: Keys | None = None, chaser: Keys | None = None, separate: Keys | None = None, **more: Any) -> Keys:
    """Two vehicles joined from the start, which part at 0.01 s."""
    nose = {"position_m": [2.0, 0.0, 0.0], "hooks": HOOKS | {"rods": RODS} | (hooks or {})}
    parts = {"separate": {"ports": PORTS, **(separate or {})}}
    return {
        "vehicles": {
            "chaser": {"mass_kg": MASS, "inertia_kg_m2": INERTIA, "ports": {"nose": nose}, **(chaser or {})},
            "station": {
                "mass_kg": STATION,
                "inertia_kg_m2": [2e7] * 3,
                "ports": {"dock": {"position_m": [10.0, 0, 0]}},
            },
        },
        "approach": {"active": PORTS[0], "passive": PORTS[1], "distance_m": 0.0, "closing_rate_m_s": 0.0},
        "events": {
            "docked": {"when": {"time_s": 0.0}, "do": {"join": PORTS}},
            "undock": {"when": {"time_s": 0.01}, "do": parts},
        },
        "solver": {"duration_s": 0.8, "step_s": 0.001},
        "outputs": {"every_s": 0.1},
        **more,
    }


def undocked(*args: Any, **more: Any) -> Result:
    result = docksim.run(docked(*args, **more))
    assert result.metrics["energy.residual_relative"] < 1e-6
    assert result.metrics["momentum.linear_residual_relative"] < 1e-9
    # of the chaser's momentum about the origin, some 8 m away
    assert result.metrics["momentum.angular_residual_kg_m2_s"] < 1e-9 * MASS * 0.12 * 8.0
    return result


def metric(result: Result, name: str) -> float:
    return float(result.metrics[f"{WELD}.{name}"])


def tip_off(result: Result, vehicle: str = "chaser") -> np.ndarray:
    return np.array([metric(result, f"tip_off.{vehicle}_{axis}_deg_s") for axis in "xyz"])


def closed(result: Result) -> float:
    return metric(result, "tip_off.chaser_deg_s.closed_form")


# ---------------------------------------------------------------- rods


def test_equal_rods_give_the_speed_of_their_work_and_no_rate() -> None:
    result = undocked()
    assert metric(result, "separation.speed_m_s") == pytest.approx(math.sqrt(2 * WORK / REDUCED), rel=1e-7)
    assert metric(result, "separation.speed_m_s") == pytest.approx(0.12105, rel=1e-3)
    assert metric(result, "separation.speed_m_s.closed_form") == pytest.approx(math.sqrt(2 * WORK / REDUCED), rel=1e-9)
    assert np.abs(tip_off(result)).max() < 1e-12
    # the way of a mass whose force falls along a straight line: cosine of a spring's quarter
    omega = math.sqrt(4 * (500 - 130) / 0.04 / REDUCED)
    far = 500 / (500 - 130) * 0.04
    assert metric(result, "separation.last_rod_after_s") == pytest.approx(math.acos(1 - 0.04 / far) / omega, rel=1e-8)


@pytest.mark.parametrize(
    ("rods", "centre", "told"),
    [
        ({"force_factors": [1.1, 1.0, 1.0, 1.0]}, [0.0, 0.0, 0.0], 0.0167),
        ({}, [0.0, 0.1, 0.0], 0.1498),
        ({}, [0.0, 0.0, 0.05], 0.0749),
    ],
)
def test_unequal_rods_and_a_mass_centre_off_the_axis_tip_off_as_the_closed_form_has_it(
    rods: Keys, centre: list[float], told: float
) -> None:
    result = undocked({"rods": RODS | rods}, {"center_of_mass_m": centre})
    assert closed(result) == pytest.approx(told, rel=2e-3)
    assert metric(result, "tip_off.chaser_deg_s") == pytest.approx(closed(result), rel=1e-2)


def chance(rng: np.random.Generator) -> tuple[Keys, Keys]:
    """Forces within 10 %, strokes within 5 %, mass centre within 0.15 m."""
    rods = {
        "force_factors": rng.uniform(0.9, 1.1, 4).tolist(),
        "stroke_factors": rng.uniform(0.95, 1.05, 4).tolist(),
    }
    return {"rods": RODS | rods}, {"center_of_mass_m": [0.0, *rng.uniform(-0.15, 0.15, 2).tolist()]}


def test_closed_form_holds_within_percents_over_scattered_rods() -> None:
    rng = np.random.default_rng(19)
    errors, speeds = [], []
    for _ in range(24):
        result = undocked(*chance(rng))
        errors.append(abs(metric(result, "tip_off.chaser_deg_s") / closed(result) - 1.0))
        assert abs(metric(result, "tip_off.chaser_deg_s") - closed(result)) < 0.010
        # speed of the mass centres
        moved = result["chaser.velocity_m_s"][-1] - result["station.velocity_m_s"][-1]
        arm = np.array(result.scenario.vehicles["chaser"].center_of_mass_m)
        rate = np.radians(result["chaser.rate_deg_s"][-1])
        half = np.array([-1.0, -1.0, 1.0])  # the chaser faces the station: half a turn about z
        v = (moved + half * np.cross(rate, arm))[0]
        J = math.sqrt(2 * work_of(result) / shove(result))
        speeds.append(abs(v / (J / REDUCED) - 1.0))
    assert np.median(errors) < 0.025
    assert np.quantile(errors, 0.95) < 0.07
    assert max(speeds) < 3e-4


def rods_of(result: Result) -> list[tuple[float, float, np.ndarray]]:
    """Work, stroke and place of each rod, by hand."""
    rods = result.scenario.vehicles["chaser"].ports["nose"].hooks.rods
    found = []
    for k in range(4):
        stroke = 0.04 * rods.stroke_factors[k]
        angle = math.radians(45.0 + 90.0 * k)
        place = 0.45 * np.array([math.cos(angle), math.sin(angle)])
        found.append((0.5 * 630.0 * rods.force_factors[k] * stroke, stroke, place))
    return found


def work_of(result: Result) -> float:
    return sum(work for work, _, _ in rods_of(result))


def shove(result: Result) -> float:
    """1 / m_e of the note: thrust at the rods' centre, chaser and station."""
    rods = rods_of(result)
    e = sum(work * place for work, _, place in rods) / work_of(result)
    d = e - np.array(result.scenario.vehicles["chaser"].center_of_mass_m[1:])
    return 1 / REDUCED + float(d @ d) / INERTIA[1] + float(e @ e) / 2e7


# ---------------------------------------------------------------- against scipy


def oracle(result: Result, hook: Hook | None = None) -> dict:
    chaser = result.scenario.vehicles["chaser"]
    J = np.array(chaser.inertia_kg_m2.matrix())
    x = np.array([1.0, 0.0, 0.0])
    carrier = Rigid(MASS, J, np.array(chaser.center_of_mass_m), 2.0 * x, x)
    plate = Rigid(STATION, 2e7 * np.eye(3), np.zeros(3), 10.0 * x, x)
    rods = chaser.ports["nose"].hooks.rods
    factors = zip(rods.force_factors or [1.0] * 4, rods.stroke_factors or [1.0] * 4, rods_of_places(), strict=True)
    rows = [Rod(place, 500.0 * f, 130.0 * f, 0.04 * s) for f, s, place in factors]
    return parted(plate, carrier, [Rotation.identity(), Rotation.from_euler("z", 180, degrees=True)], rows, hook)


def rods_of_places() -> list[np.ndarray]:
    angles = np.radians(45.0 + 90.0 * np.arange(4))
    return [np.array([2.0, 0.45 * math.cos(a), 0.45 * math.sin(a)]) for a in angles]


def test_rods_push_as_scipy_integrates_two_rigid_bodies() -> None:
    hooks, chaser = chance(np.random.default_rng(3))
    chaser["inertia_kg_m2"] = {"xx": 9000.0, "yy": 31800.0, "zz": 25000.0, "xy": 900.0, "xz": -700.0, "yz": 1500.0}
    result = undocked(hooks, chaser)
    expected = oracle(result)
    assert metric(result, "separation.clear_after_s") == pytest.approx(expected["t"], rel=1e-8)
    rates = np.degrees(expected["rates"])
    assert tip_off(result, "station") == pytest.approx(rates[0], abs=1e-7 * np.abs(rates[0]).max())
    assert tip_off(result) == pytest.approx(rates[1], abs=1e-7 * np.abs(rates[1]).max())


# ---------------------------------------------------------------- seal and pressure


def test_a_clinging_seal_takes_its_pull_times_its_stretch() -> None:
    seal = SEAL | {"adhesion_N": 600.0, "adhesion_stretch_m": 0.002}
    result = undocked({"seal": seal}, outputs={"every_s": 0.01})
    left = WORK - 600.0 * 0.002
    assert metric(result, "separation.speed_m_s") == pytest.approx(math.sqrt(2 * left / REDUCED), rel=1e-7)
    assert result["energy.work.seal_adhesion_J"][-1] == pytest.approx(-1.2, rel=1e-12)
    pull = result[f"{WELD}.seal_pull_N"]
    assert pull[2] == pytest.approx(600.0, rel=1e-12)
    assert pull[-1] == 0.0
    assert metric(result, "separation.speed_m_s") == pytest.approx(
        metric(result, "separation.speed_m_s.closed_form"), rel=1e-6
    )


def test_each_point_of_the_seal_lets_go_by_itself_and_the_budget_closes() -> None:
    seal = SEAL | {"adhesion_N": 900.0, "adhesion_stretch_m": 0.002}
    result = undocked({"seal": seal}, {"center_of_mass_m": [0.0, 0.3, 0.2]}, outputs={"every_s": 0.001})
    held = np.unique(np.round(result[f"{WELD}.seal_pull_N"] / (900.0 / 48)))
    assert len(held) > 5


def test_rods_weaker_than_the_seal_leave_the_ports_stuck_with_figures() -> None:
    result = docksim.run(docked({"seal": SEAL | {"adhesion_N": 2500.0}}))
    assert result.outcome == "stuck"
    for figure in ("clings with 2500 N", "push with 2000 N", "event 'undock' at t = 0.01 s"):
        assert figure in result.reason
    assert "not carried out" in result.events[-1].text
    # a little pressure helps
    pressure = {"residual_pressure": {"over_gap": [[0.0, 1000.0], [0.02, 0.0]]}}
    longer = {"duration_s": 2.0, "step_s": 0.001}
    parted_after_all = undocked({"seal": SEAL | {"adhesion_N": 2500.0}}, separate=pressure, solver=longer)
    assert metric(parted_after_all, "separation.clear_after_s") > 0.0


@pytest.mark.parametrize(
    ("hooks", "told"),
    [
        ({"late_to_open": [{"hook": 3, "by_s": 9.0}]}, "hook 3 has not let go"),
        # the rods end at 40 mm with 130 N each
        (
            {"seal": SEAL | {"adhesion_N": 400.0, "adhesion_stretch_m": 1.0}},
            "the seal still clings at 48 of 48 points",
        ),
    ],
)
def test_what_has_not_let_go_by_the_end_is_no_undocking(hooks: Keys, told: str) -> None:
    claim = {"far": {"when": {"after": "undock", "delay_s": 0.5}, "do": {"stop": "away", "outcome": "undocked"}}}
    scenario = docked(hooks)
    by_itself = docksim.run(scenario)
    assert (by_itself.outcome, by_itself.reason[-len(told) :]) == ("stuck", told)
    scenario["events"] |= claim
    claimed = docksim.run(scenario)
    assert claimed.outcome == "stuck"
    assert claimed.reason == f"event 'far': away; '{WELD}': {' and '.join(PORTS)} were told to part, and {told}"
    scenario["vehicles"]["chaser"]["ports"]["nose"]["hooks"] = HOOKS | {"rods": RODS}
    assert docksim.run(scenario).outcome == "undocked"


def test_residual_pressure_over_time_is_a_thrust_and_over_the_gap_an_energy() -> None:
    area = math.pi * 0.42**2
    no_rods = {"seal": SEAL, "rods": None}
    over_time = {"residual_pressure": {"over_time": [[0.0, 1000.0], [0.0203, 400.0], [0.1, 0.0]]}}
    result = undocked(no_rods, separate=over_time)
    thrust = area * (0.5 * 1400.0 * 0.0203 + 0.5 * 400.0 * (0.1 - 0.0203))
    assert metric(result, "separation.speed_m_s") == pytest.approx(thrust / REDUCED, rel=1e-9)
    assert metric(result, "separation.clear_after_s") == pytest.approx(0.1, abs=1e-9)
    assert metric(result, "separation.speed_m_s.closed_form") == pytest.approx(thrust / REDUCED, rel=1e-9)

    over_gap = {"residual_pressure": {"over_gap": [[0.0, 1000.0], [0.005, 400.0], [0.02, 0.0]]}}
    result = undocked(no_rods, separate=over_gap, solver={"duration_s": 2.0, "step_s": 0.001})
    energy = area * (0.5 * 1400.0 * 0.005 + 0.5 * 400.0 * 0.015)
    assert metric(result, "separation.speed_m_s") == pytest.approx(math.sqrt(2 * energy / REDUCED), rel=1e-6)
    assert result["energy.work.residual_pressure_J"][-1] == pytest.approx(energy, rel=1e-6)


def test_what_the_joint_left_in_the_tunnel_pushes_until_it_is_vented() -> None:
    seal = SEAL | {"vented_at_m": 0.004, "leak_g_h": 0.0, "open_leak_g_h": 0.0}
    run = new_run(load_scenario(docked({"seal": seal})))
    run.compiled.state.joined["pressure"][:, 0] = 1000.0
    result = run_on(run)
    energy = WORK + math.pi * 0.42**2 * 0.5 * 1000.0 * 0.004
    assert metric(result, "separation.speed_m_s") == pytest.approx(math.sqrt(2 * energy / REDUCED), rel=1e-6)
    assert metric(result, "separation.speed_m_s.closed_form") == pytest.approx(
        math.sqrt(2 * energy / REDUCED), rel=1e-9
    )
    assert run.compiled.state.joined["pressure"].max() == 0.0
    assert not result.warnings


def test_parting_with_an_atmosphere_in_the_tunnel_is_told() -> None:
    run = new_run(load_scenario(docked({"seal": SEAL})))
    run.compiled.state.joined["pressure"][:, 0] = 101325.0
    result = run_on(run)
    [warning] = result.warnings
    assert f"parted with 1.013e+05 Pa in the tunnel, which pushed with {101325.0 * math.pi * 0.42**2:.4g} N" in warning
    given = {"residual_pressure": {"over_gap": [[0.0, 101325.0], [0.005, 0.0]]}}
    assert not undocked({"seal": SEAL}, separate=given).warnings


# ---------------------------------------------------------------- the whole of it

ALL = {
    "rods": RODS | {"force_factors": [1.1, 0.95, 1.03, 0.9], "stroke_factors": [1.0, 1.04, 0.97, 1.0]},
    "seal": SEAL | {"adhesion_N": 700.0},
    "late_to_open": [{"hook": 2, "by_s": 0.0303}],
}
VENTING = {"residual_pressure": {"over_time": [[0.0, 800.0], [0.1507, 0.0]]}}


def test_no_figure_of_a_separation_depends_on_the_log() -> None:
    often, seldom = (undocked(ALL, separate=VENTING, outputs={"every_s": every}) for every in (0.001, 0.2))
    names = [name for name in often.metrics if ".separation." in name or ".tip_off." in name]
    assert len(names) == 15
    assert [often.metrics[name] for name in names] == [seldom.metrics[name] for name in names]


def test_mirrored_ports_part_as_in_a_mirror() -> None:
    """Mirrored in the plane x, y: rods 1 to 4 become 4 to 1, hook 2 at 45 degrees becomes 8, turns about z stay."""
    mirrored = ALL | {
        "rods": ALL["rods"] | {key: ALL["rods"][key][::-1] for key in ("force_factors", "stroke_factors")},
        "late_to_open": [{"hook": 8, "by_s": 0.0303}],
    }
    one = undocked(ALL, {"center_of_mass_m": [0.0, 0.05, -0.08]}, separate=VENTING)
    other = undocked(mirrored, {"center_of_mass_m": [0.0, 0.05, 0.08]}, separate=VENTING)
    scale = np.abs(tip_off(one)).max()
    assert tip_off(other) == pytest.approx(tip_off(one) * [-1.0, -1.0, 1.0], abs=1e-9 * scale)
    assert metric(other, "separation.speed_m_s") == pytest.approx(metric(one, "separation.speed_m_s"), rel=1e-9)


def test_rods_that_are_not_stowed_throw_back_what_comes_too_slowly() -> None:
    scenario = docked({"rods": RODS | {"stowed": False}, "rate_m_s": 0.5})
    scenario["approach"] |= {"distance_m": 0.041, "closing_rate_m_s": 0.1}
    scenario["events"]["docked"]["when"] = {"distance": PORTS, "below_m": 1e-4}
    scenario["events"]["undock"]["when"] = {"after": "docked", "delay_s": 0.01}
    scenario["solver"]["duration_s"] = 1.2
    result = docksim.run(scenario)
    # 0.1 m/s is less than the rods' work: they take all of it and give it back
    assert not result.events
    assert result.metrics["energy.residual_relative"] < 1e-6
    speed = np.linalg.norm(result["chaser.velocity_m_s"] - result["station.velocity_m_s"], axis=1)
    assert speed[-1] == pytest.approx(0.1, rel=1e-6)
    assert speed.min() < 0.05
    # 0.15 m/s is more
    scenario["approach"]["closing_rate_m_s"] = 0.15
    result = docksim.run(scenario)
    assert [event.name for event in result.events] == ["docked", "undock"]
    assert result.metrics["energy.residual_relative"] < 1e-6


def test_a_separation_is_drawn_with_all_that_acts() -> None:
    result = undocked(ALL, separate=VENTING, outputs={"every_s": 0.01})
    (figure,) = all_figures(result, ["separation"]).values()
    labels = [quantity(axes) for axes in figure.axes]
    acting = ["push of rods [N]", "pull of hooks [N]", "seal, pressure [N]"]
    assert labels == ["gap [mm]", *acting, "rate of chaser [deg/s]", "rate of station [deg/s]"]
    assert kinds_of(result)[-3:] == ["separation", "energy", "momentum"]


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("hooks", "separate", "wrong"),
    [
        ({}, {"push_off": {"stiffness_N_m": 1e4, "stroke_m": 0.1}}, "push_off: 'chaser.nose' has rods that push"),
        ({}, {"residual_pressure": {"over_gap": [[0, 1.0], [0.1, 0.0]]}}, "residual_pressure: presses within a seal"),
        ({"seal": SEAL}, {"residual_pressure": {"over_gap": [[0, 1.0], [0.1, 2.0]]}}, "over_gap: must end with 0 Pa"),
        ({"seal": SEAL}, {"residual_pressure": {"over_time": [[0.1, 1.0], [0.1, 0.0]]}}, "over_time: must begin at 0"),
        (
            {"seal": SEAL},
            {"residual_pressure": {"over_time": [[0, -1.0], [0.1, 0.0]]}},
            "over_time: has a pressure below",
        ),
        ({"seal": SEAL}, {"residual_pressure": {}}, "residual_pressure"),
        ({"late_to_open": [{"hook": 9, "by_s": 0.1}]}, {}, "late_to_open: there is no hook 9; count is 8"),
        ({"late_to_open": [{"hook": 2, "by_s": 0.1}] * 2}, {}, "late_to_open: names hook 2 twice"),
        ({"rods": RODS | {"force_factors": [1.0]}}, {}, "force_factors: has 1 factors; there are 4 rods"),
    ],
)
def test_separations_that_cannot_be_are_refused_by_key(hooks: Keys, separate: Keys, wrong: str) -> None:
    with pytest.raises(ScenarioError, match=wrong):
        load_scenario(docked(hooks, separate=separate))
