"""Pawls by ramp: force and work against closed forms and an integrated cam, energy, windows, errors of each latch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline

import docksim
from docksim.config.schema.pawl import Pawl, peak_N, work_to_pass_J
from docksim.model.contact import ARMED, ENGAGED
from docksim.result.result import Result
from tests.oracle.pawl import Cam
from tests.support.contact_rigs import pair, port
from tests.support.rigs import Keys, body, lone

RADIUS, HEIGHT, WINDOW = 0.3, 0.03, 0.004
SMOOTH: Keys = {"ramp_deg": 35.0, "lift_m": 0.006, "nose_m": 0.004, "spring_N": 12.0, "spring_N_m": 1500.0}
ROUGH: Keys = {**SMOOTH, "pivot_friction_N": 5.0, "friction": 0.2}
RAMP = 0.006 / math.tan(math.radians(35.0))
TRAVEL = RAMP + 0.004
FAR = [{"spheres": [{"center_m": [-0.5, 0.0, z], "radius_m": 0.001}]} for z in (2.0, -2.0)]


def latching(pawl: Keys, **latches: Any) -> Keys:
    """Latches of an anchored body, with nothing solid."""
    keys = {"radius_m": RADIUS, "height_m": HEIGHT, "window_axial_m": WINDOW, "play_m": WINDOW, "pawl": pawl, **latches}
    return lone(1.0, 1.0, anchored=True, ports=port({"latches": keys, **FAR[0]}))


def striking(radius: float = RADIUS, **place: Any) -> Keys:
    return port({"strikers": {"radius_m": radius, "height_m": -HEIGHT}, **FAR[1]}, **place)


FACING = {"attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}


def drive(pawl: Keys, times: list[float], ways: list[float], step: float = 1e-3, **keys: Any) -> Result:
    """Strikers that are led to and fro over the pawls: ways since touch, from the first, by a spline."""
    path = {"kind": "table", "time_s": times, "displacement_m": [ways[0] - way for way in ways]}
    joint = {"type": "prismatic", "axis": [1.0, 0.0, 0.0], "drive": path}
    rod = {**body(1.0, 1.0, joint), "ports": striking(**FACING)}
    comer = lone(1.0, 1.0, anchored=True, bodies={"rod": rod}, position_m=[WINDOW + TRAVEL - ways[0], 0.0, 0.0])
    contact = {"ports": ["a.dock", "b.rod.dock"], **keys.pop("pair", {})}
    return docksim.run(pair(latching(pawl, **keys), comer, times[-1], step, pair=contact))


def fly(
    pawl: Keys, position: list[float], velocity: list[float], duration: float, mass: float = 100.0, **keys: Any
) -> Result:
    """Strikers on a free body."""
    step, loads = keys.pop("step", 2e-4), keys.pop("loads", {})
    state = {"position_m": position, "velocity_m_s": velocity, **FACING, **keys.pop("state", {})}
    comer = lone(mass, 0.08 * mass, ports=striking(keys.pop("strikers", RADIUS)), loads=loads, **state)
    scene = pair(latching(pawl, **keys.pop("latches", {})), comer, duration, step, every=5 * step, **keys)
    return docksim.run(scene)


def way_of(result: Result, first: float) -> np.ndarray:
    return first - result["b.rod.travel_m"]


def push_of(result: Result) -> np.ndarray:
    return -result["hit.latch_1_force_N"]


# ---------------------------------------------------------------- force and work


@pytest.mark.parametrize(("pawl", "peak", "work"), [(SMOOTH, 14.70, 0.0990), (ROUGH, 27.22, 0.2137)])
def test_a_slow_push_meets_peak_and_work_of_the_closed_form(pawl, peak, work):
    result = drive(pawl, [0.0, 3.0], [-0.001, TRAVEL + 0.001])
    h, l, k, F0 = 0.006, 0.004, 1500.0, 12.0
    alpha, mu, T = math.radians(35.0), pawl.get("friction", 0.0), pawl.get("pivot_friction_N", 0.0)
    rises = math.tan(alpha + math.atan(mu)) / math.tan(alpha)
    by_hand = rises * (F0 * h + k * h**2 / 2 + T * h) + mu * (F0 + k * h + T) * l
    assert work == pytest.approx(by_hand, rel=1e-3)
    assert peak == pytest.approx((F0 + k * h + T) * math.tan(alpha + math.atan(mu)), rel=1e-3)
    for number in (1, 2, 3):
        assert result[f"hit.latch_{number}_force_N.least"].min() == pytest.approx(-peak, rel=1e-2)
    # the spring's energy is lost when the pawl falls; friction builds up over the presliding
    assert result["energy.work.latch_damping_J"][-1] == pytest.approx(-3 * work, rel=1e-2)
    assert np.trapezoid(push_of(result), way_of(result, -0.001)) == pytest.approx(work, rel=1e-2)
    assert result["hit.latches_engaged"][-1] == 3.0
    found = Pawl(**pawl).pieces()
    assert (peak_N(found), work_to_pass_J(found)) == (pytest.approx(peak, rel=1e-3), pytest.approx(by_hand, rel=1e-12))


# in, half out, up to the nose, along it to and fro, and all the way out
TIMES = [0.0, 0.4, 0.7, 1.2, 1.4, 1.6, 2.4]
WAYS = [-0.001, 0.005, 0.002, 0.0105, 0.0092, 0.011, -0.001]


def test_to_and_fro_the_force_is_that_of_a_pawl_integrated_on_a_cam():
    pawl = {**ROUGH, "presliding_m": 2e-5}
    result = drive(pawl, TIMES, WAYS)
    way = CubicSpline(TIMES, WAYS, bc_type="clamped")
    t = result.time_s
    s, v = way(t), way(t, 1)
    np.testing.assert_allclose(way_of(result, WAYS[0]), s, atol=1e-12)
    cam = Cam(**{**ROUGH, "mass_kg": 0.01})
    expected = cam.run(way, way.derivative(), t)
    # where friction has turned round: 0.2 mm after touch, after each turn and beside the corner
    turns = [0.0, RAMP, *WAYS[1:-1]]
    clear = np.min([np.abs(s - place) for place in turns], axis=0) > 2e-4
    assert clear.sum() > 1000
    # the cam's tip has mass: 0.01 kg
    assert np.abs(push_of(result) - expected)[clear].max() < 0.01 * 27.2
    # all four branches are there: in and out on the ramp, to and fro on the nose
    nose = clear & (s > RAMP)
    ramp = clear & (s > 0.0) & (s < RAMP)
    assert push_of(result)[nose & (v < 0)] == pytest.approx(-5.2, rel=1e-3)
    assert push_of(result)[nose & (v > 0)] == pytest.approx(5.2, rel=1e-3)
    assert 2.9 < push_of(result)[ramp & (v < 0)].min() < push_of(result)[ramp & (v < 0)].max() < 7.1
    works = [np.trapezoid(force, s) for force in (push_of(result), expected)]
    assert works[0] == pytest.approx(works[1], rel=1e-2)


def test_a_ramp_flatter_than_its_friction_must_be_drawn_out():
    tangent = math.tan(math.radians(15.0))
    lean = math.tan(math.radians(15.0) - math.atan(0.4))
    # 15 mm of 22: the pawls reach farther than those of 35 deg
    first = TRAVEL - 0.006 / tangent - 0.004 - 0.001
    pawl = {**ROUGH, "ramp_deg": 15.0, "friction": 0.4}
    result = drive(pawl, [0.0, 1.0, 2.0], [first, first + 0.016, first])
    s = way_of(result, -0.001)
    out = (result.time_s > 1.2) & (s > 0.001)
    assert out.sum() > 500
    # (W - T) tan(a - p)
    W = 12.0 + 1500.0 * tangent * s[out]
    np.testing.assert_allclose(push_of(result)[out], (W - 5.0) * lean, rtol=1e-9)
    assert push_of(result)[out].max() < 0.0


# ---------------------------------------------------------------- energy


@pytest.mark.parametrize("seed", [1, 2])
def test_no_way_to_and_fro_gets_energy_out_of_a_pawl(seed):
    random = np.random.default_rng(seed)
    times = np.linspace(0.0, 4.0, 41)
    ways = random.uniform(-0.002, 0.0105, 41)
    ways[0] = ways[-1] = -0.002
    result = drive(ROUGH, times.tolist(), ways.tolist())
    assert result["hit.latches_engaged"].max() == 0.0
    s, force = way_of(result, ways[0]), push_of(result)
    taken = cumulative_trapezoid(force, s, initial=0.0)
    # at any time it has given back less than it took; force steps by 10 N at touch, within 0.1 mm of way
    assert taken.min() > -1e-3
    assert taken[-1] > 0.5
    # what is not lost is stored: the budget closes, and what is lost only grows, but for what bristles hold
    lost = -result["energy.work.latch_damping_J"]
    assert np.diff(lost).min() > -3 * 12.0 * 1e-4
    assert lost[-1] == pytest.approx(3 * taken[-1], rel=1e-2)


def test_turned_back_on_the_ramp_a_striker_gets_what_the_way_out_gives():
    speed, mass = 0.08, 100.0
    pawl = {**ROUGH, "presliding_m": 1e-5}
    result = fly(pawl, [WINDOW + TRAVEL + 0.002, 0.0, 0.0], [-speed, 0.0, 0.0], 0.6, mass)
    x, v = result["b.position_m"][:, 0], result["b.velocity_m_s"][:, 0]
    assert result["hit.latches_engaged"].max() == 0.0
    # in (W + T) tan(a + p), out (W - T) tan(a - p), as far as it got
    s = WINDOW + TRAVEL - x.min()
    a, p = math.radians(35.0), math.atan(0.2)
    stored = 12.0 * s + 750.0 * s**2 * math.tan(a)
    took = 3.0 * math.tan(a + p) * (stored + 5.0 * s)
    gave = 3.0 * math.tan(a - p) * (stored - 5.0 * s)
    assert took == pytest.approx(0.5 * mass * speed**2, rel=1e-2)
    assert 0.5 * mass * v[-1] ** 2 == pytest.approx(gave, rel=2e-2)
    assert np.abs(result["energy.residual_J"]).max() < 1e-4 * 0.5 * mass * speed**2
    # out again, nothing is stored
    assert result["energy.work.latch_damping_J"][-1] == pytest.approx(0.5 * mass * (v[-1] ** 2 - speed**2), rel=1e-4)


def test_a_striker_pushed_against_the_pawls_comes_to_rest_on_them_and_stays():
    # 20 N a pawl: more than at touch, less than at the end of the ramp
    push = {"push": {"force_N": [60.0, 0.0, 0.0], "start_s": 0.0}}
    start = [WINDOW + TRAVEL - 1e-4, 0.0, 0.0]
    result = fly(ROUGH, start, [0.0, 0.0, 0.0], 6.0, loads=push, latches={"damping_s_m": 0.0})
    x, late = result["b.position_m"][:, 0], result.time_s > 3.0
    assert result["hit.latches_engaged"].max() == 0.0
    s = WINDOW + TRAVEL - x[-1]
    assert 0.001 < s < RAMP
    # it swings within the presliding, and nothing creeps
    assert np.ptp(x[late]) < 2e-4
    early, end = x[late & (result.time_s < 4.0)].mean(), x[result.time_s > 5.0].mean()
    assert abs(early - end) < 1e-6
    assert np.abs(result["energy.residual_J"]).max() < 1e-4


@pytest.mark.parametrize("outward", [0.0, 0.03])
def test_a_pawl_met_from_the_side_pushes_only_what_moves_in(outward):
    # into the window of the first latch from the side, half up the ramp
    start = [WINDOW + TRAVEL - 0.5 * RAMP, -0.03, 0.0]
    result = fly(ROUGH, start, [outward, 0.2, 0.0], 0.3)
    assert np.abs(result["b.velocity_m_s"] - [outward, 0.2, 0.0]).max() < 1e-14
    inward = fly(ROUGH, start, [-0.01, 0.2, 0.0], 0.3)
    turning = 0.08 * np.sum(np.radians(inward["b.rate_deg_s"]) ** 2, axis=1)
    energy = np.sum(inward["b.velocity_m_s"] ** 2, axis=1) + turning
    assert inward["b.velocity_m_s"][-1, 0] > -0.01
    assert np.diff(inward["b.velocity_m_s"][:, 0]).max() > 1e-4
    assert energy.max() < 0.2**2 + 0.01**2 + 1e-6


def test_over_the_pawls_long_steps_agree_with_an_eighth_of_them():
    start = [WINDOW + TRAVEL + 0.002, 0.0, 0.0]
    runs = [fly(ROUGH, start, [-0.15, 0.0, 0.0], 0.2, step=step) for step in (1e-3, 1.25e-4)]
    one, fine = ((r["b.velocity_m_s"][-1, 0], r["hit.latch_1_force_N.least"].min()) for r in runs)
    assert one == pytest.approx(fine, rel=1e-2)
    # 0.15 m/s less three pawls' work
    assert fine[0] == pytest.approx(-math.sqrt(0.15**2 - 6.0 * 0.2137 / 100.0), rel=5e-3)


# ---------------------------------------------------------------- closing, windows, errors


def closed(result: Result, number: int) -> float:
    """When a latch first holds."""
    return float(result.time_s[np.argmax(result[f"hit.latches.{number}.mode"] == ENGAGED)])


def test_a_pawl_with_mass_closes_when_it_has_fallen():
    # four fifths of the lift, driven by the spring less the pivot's friction
    y0 = 7.0 / 1500.0
    falls = math.sqrt(0.2 / 1500.0) * math.acos((0.0012 + y0) / (0.006 + y0))
    assert falls == pytest.approx(0.0114, abs=5e-5)
    assert Pawl(**ROUGH, mass_kg=0.2).falls_s == pytest.approx(falls, rel=1e-12)
    light = Pawl(**{**ROUGH, "spring_N_m": 0.0}, mass_kg=0.2)
    assert light.falls_s == pytest.approx(math.sqrt(2.0 * 0.0048 * 0.2 / 7.0), rel=1e-12)
    late = {"latch_errors": [{"latch": 2, "delay_s": 0.02}]}
    result = drive({**ROUGH, "mass_kg": 0.2}, [0.0, 1.0], [0.0, TRAVEL + 0.002], pair=late)
    s = way_of(result, 0.0)
    passed = result.time_s[np.argmax(s >= TRAVEL)]
    # modes change at the starts of steps
    assert closed(result, 1) - passed == pytest.approx(falls, abs=1.1e-3)
    assert closed(result, 2) - closed(result, 1) == pytest.approx(0.02, abs=1.1e-3)


def test_each_latch_has_its_own_spring_friction_and_height():
    errors = [{"latch": 1, "spring_factor": 1.2}, {"latch": 2, "friction": 0.3}, {"latch": 3, "height_m": 0.0005}]
    result = drive(ROUGH, [0.0, 2.0], [-0.002, TRAVEL + 0.001], pair={"latch_errors": errors})
    a = math.radians(35.0)
    peaks = [
        (1.2 * 21.0 + 5.0) * math.tan(a + math.atan(0.2)),
        26.0 * math.tan(a + math.atan(0.3)),
        26.0 * math.tan(a + math.atan(0.2)),
    ]
    for number, peak in enumerate(peaks, 1):
        assert result[f"hit.latch_{number}_force_N.least"].min() == pytest.approx(-peak, rel=1e-3)
    s = way_of(result, -0.002)
    touch = [s[np.argmax(result[f"hit.latch_{number}_force_N"] < 0.0)] for number in (1, 2, 3)]
    # logged every 15 micrometres of way at most
    assert touch == pytest.approx([0.0, 0.0, -0.0005], abs=3e-5)


def test_tilt_narrows_the_window_by_geometry():
    tilt, radius, z, lift = math.radians(4.0), 0.565, 0.03, 0.006
    # the mate's striker turns about the middle of the mating plane: brute force over the way it may then be off
    at = np.array([[math.cos(tilt), -math.sin(tilt)], [math.sin(tilt), math.cos(tilt)]]) @ [z, radius]
    offs = np.arange(-0.02, 0.02, 1e-6)
    held = offs[np.abs(at[1] + offs - radius) <= lift]
    turned = np.array([[math.cos(tilt), math.sin(tilt)], [-math.sin(tilt), math.cos(tilt)]]) @ [z, radius]
    other = offs[np.abs(turned[1] + offs - radius) <= lift]
    # room on either side that is left for both senses of tilt
    room = min(-held.min(), held.max(), -other.min(), other.max())
    assert room == pytest.approx(lift - z * tilt - radius * tilt**2 / 2.0, abs=2e-5)
    assert room == pytest.approx(0.0025, abs=5e-5)
    for off, sense in ((held.max(), 1.0), (held.min(), 1.0), (other.max(), -1.0), (other.min(), -1.0)):
        place = at if sense > 0 else turned
        for part, expected in ((0.98, True), (1.02, False)):
            start = [WINDOW + TRAVEL + 0.001 + z - place[0], part * off, 0.0]
            state = {"attitude": {"yaw_pitch_roll_deg": [180.0 + sense * 4.0, 0.0, 0.0]}}
            keys: Keys = {"latches": {"radius_m": radius}, "strikers": radius, "step": 1e-3}
            result = fly(ROUGH, start, [-0.1, 0.0, 0.0], 0.17, 1e6, state=state, **keys)
            assert (result["hit.latches.1.mode"][-1] == ENGAGED) == expected


def test_a_striker_that_slides_out_from_under_its_pawl_is_let_go():
    aside = {"aside": {"force_N": [0.0, 50.0, 0.0], "frame": "inertial", "start_s": 0.2, "end_s": 0.3}}
    keys: Keys = {"loads": aside, "latches": {"stiffness_N_m": 2e5}}
    start, velocity = [WINDOW + TRAVEL, 0.0, 0.0], [-0.15, 0.0, 0.0]
    assert fly(ROUGH, start, velocity, 1.0, **keys)["hit.latches_engaged"][-1] == 3.0
    result = fly({**ROUGH, "reach_m": 0.007}, [WINDOW + TRAVEL, 0.0, 0.0], [-0.15, 0.0, 0.0], 1.0, **keys)
    y, mode = result["b.position_m"][:, 1], result["hit.latches.1.mode"]
    assert result["hit.latches_engaged"].max() == 3.0
    gone = np.flatnonzero((mode == ARMED) & (y > 0.001))
    assert y[gone[0]] == pytest.approx(0.007, abs=1e-4)
    assert np.all(mode[gone[0] :] == ARMED)
    assert np.abs(result["energy.residual_J"]).max() < 1e-3
