"""Latches: the pawls' push, the snap, play and hold, failed, late, opened and overloaded ones, energy."""

import math

import numpy as np
import pytest

import docksim
from docksim.model.contact import ARMED, ENGAGED, LOST
from docksim.plots.run.contact import milestones
from docksim.result.result import Result
from tests.support.contact_rigs import pair, port
from tests.support.rigs import Keys, lone, worst

MASS, PLAY, TRAVEL, WINDOW, FORCE, STIFFNESS = 100.0, 0.004, 0.012, 0.004, 20.0, 2e5
# what three pawls take on the way in
PAWLS = 3 * 0.5 * FORCE * TRAVEL
RADIUS, HEIGHT = 0.3, 0.03


def latched(damping: float = 0.0, **latches: float) -> Keys:
    """A disc with three latches."""
    return {
        "face": {"inner_m": 0.0, "outer_m": 0.5, "depth_m": 0.1, "points": 0},
        "latches": {
            "radius_m": RADIUS, "height_m": HEIGHT, "window_axial_m": WINDOW, "play_m": PLAY,
            "stiffness_N_m": STIFFNESS, "damping_s_m": damping, "pawl_force_table": [[0.0, 0.0], [TRAVEL, FORCE]],
            **latches,
        },
        "contact": {"stiffness_N_m": 1e6, "damping_s_m": 8.0, "friction": 0.1},
    }  # fmt: skip


def striking() -> Keys:
    """Three feet and three strikers; mated with its port on the disc's."""
    azimuths = np.radians([0.0, 120.0, 240.0])
    feet = [{"center_m": [-0.01, 0.4 * math.cos(a), 0.4 * math.sin(a)], "radius_m": 0.01} for a in azimuths]
    return {"spheres": feet, "strikers": {"radius_m": RADIUS, "height_m": -HEIGHT}}


def come(speed: float, duration: float, swapped: bool = False, damping: float = 0.0, **more: Keys) -> Result:
    """The strikers come along the axis from 30 mm; the disc is anchored unless told otherwise."""
    step = 2e-4
    disc = port(latched(damping, **more.pop("latches", {})))
    still = lone(1.0, 1.0, **{"anchored": True, "ports": disc, **more.pop("still", {})})
    keys = {"position_m": [0.03, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}
    comer = lone(MASS, 8.0, ports=port(striking()), velocity_m_s=[-speed, 0.0, 0.0], **keys | more.pop("comer", {}))
    ports = ["b.dock", "a.dock"] if swapped else ["a.dock", "b.dock"]
    scene = pair(still, comer, duration, step, every=5 * step, pair={"ports": ports, **more.pop("pair", {})}, **more)
    scene["contacts"]["hit"]["contact"] = latched()["contact"]
    return docksim.run(scene)


def test_pawls_take_their_energy_and_then_hold():
    speed = 0.12
    result = come(speed, 0.25)
    t, x, v = result["time_s"], result["b.position_m"][:, 0], result["b.velocity_m_s"][:, 0]
    engaged = result["hit.latches_engaged"]
    passed = int(np.argmax(engaged == 3))
    # the snap comes within a step of where the axial window begins
    assert 0.0 <= WINDOW - x[passed] < 3 * speed * 1e-3
    left = math.sqrt(speed**2 - 2.0 * PAWLS / MASS)
    # the pawl lets go within a step, at its full 60 N: half a step of it
    assert -v[passed] == pytest.approx(left, abs=60.0 / MASS * 2e-4)
    assert result["hit.capture_s"][-1] == pytest.approx(t[passed], abs=1.1e-3)
    assert result["energy.work.latch_damping_J"][passed] == pytest.approx(-PAWLS, rel=2e-3)
    assert np.abs(result["energy.residual_J"]).max() < 1e-4 * 0.5 * MASS * speed**2
    assert result["hit.latch_1_force_N"].min() == pytest.approx(-FORCE, rel=2e-2)


def test_a_comer_too_slow_for_the_pawls_is_sent_back_as_fast():
    speed = 0.9 * math.sqrt(2.0 * PAWLS / MASS)
    result = come(speed, 1.0)
    # a pawl that has not snapped is a spring; its force begins within a step, at zero
    assert result["b.velocity_m_s"][-1, 0] == pytest.approx(speed, rel=1e-4)
    assert result["hit.latches_engaged"].max() == 0.0
    assert result["hit.capture_s"][-1] == -1.0
    assert result["hit.contact_count"][-1] == 0.0


def test_engaged_latches_let_the_striker_play_and_hold_it_beyond():
    result = come(0.12, 3.0)
    x = result["b.position_m"][:, 0]
    caught = result["hit.latches_engaged"] == 3
    pull = result["hit.latches_force_N"]
    # within the play nothing pulls, the snap included
    np.testing.assert_array_equal(pull[caught & (x <= PLAY)], 0.0)
    beyond = caught & (x > PLAY + 1e-9)
    assert beyond.any()
    # without damping the pull is the three springs'
    np.testing.assert_allclose(pull[beyond], 3 * STIFFNESS * (x[beyond] - PLAY), rtol=1e-9)
    # it never gets farther than its energy after the snap can stretch them
    left = speed_after(0.12) * math.sqrt(MASS / (3 * STIFFNESS))
    assert x[caught].max() <= PLAY + left


def speed_after(speed: float) -> float:
    return math.sqrt(speed**2 - 2.0 * PAWLS / MASS)


def test_a_pulled_latch_settles_where_its_spring_bears_the_load():
    load = {"pull": {"force_N": [-300.0, 0.0, 0.0], "start_s": 0.4}}
    result = come(0.12, 4.0, damping=400.0, comer={"loads": load})
    # the load is on body axes, which look at the disc; at rest three latches bear it
    assert result["hit.latches_force_N"][-1] == pytest.approx(300.0, rel=1e-3)
    for k in (1, 2, 3):
        assert result[f"hit.latch_{k}_force_N"][-1] == pytest.approx(100.0, rel=1e-3)
    assert result["b.position_m"][-1, 0] == pytest.approx(PLAY + 300.0 / (3 * STIFFNESS), rel=1e-3)
    # of the first port on the second: tension is towards the first
    assert result["hit.load_force_N"][-1, 0] == pytest.approx(-300.0, rel=1e-3)
    assert result["hit.peak_tension_N"][-1] > 300.0


def test_it_does_not_matter_which_port_comes_first():
    one, other = come(0.12, 0.6), come(0.12, 0.6, swapped=True)
    # the same forces summed in another frame; rounding grows a little in three bounces
    assert worst(one["b.position_m"], other["b.position_m"]) < 1e-11
    np.testing.assert_array_equal(one["hit.latches_engaged"], other["hit.latches_engaged"])
    assert worst(one["hit.latches_force_N"], other["hit.latches_force_N"]) < 1e-4


def fires(name: str, when: Keys | list[Keys], do: Keys) -> Keys:
    return {name: {"when": when, "do": [do]}}


def test_a_failed_latch_never_engages():
    events = fires("two", {"latched": "hit", "count": 2}, {"phase": "two"})
    events |= fires("three", {"latched": "hit", "count": 3}, {"phase": "three"})
    result = come(0.12, 0.4, pair={"failed_latches": [2]}, events=events)
    assert result["hit.latches_engaged"].max() == 2.0
    assert result["hit.capture_s"][-1] == -1.0
    np.testing.assert_array_equal(result["hit.latch_2_force_N"], 0.0)
    assert [event.name for event in result.events] == ["two"]


def test_a_late_latch_engages_after_its_delay():
    late = come(0.12, 0.6, damping=400.0, pair={"latch_errors": [{"latch": 3, "delay_s": 0.01}]})
    engaged = late["hit.latches_engaged"]
    t = late["time_s"]
    first, all_three = t[np.argmax(engaged == 2)], t[np.argmax(engaged == 3)]
    # logged every millisecond
    assert all_three - first == pytest.approx(0.01, abs=1.1e-3)


def test_latches_opened_under_load_let_go_and_the_budget_closes():
    load = {"pull": {"force_N": [-300.0, 0.0, 0.0], "start_s": 0.4}}
    events = fires("let_go", {"time_s": 1.5}, {"open_latches": "hit"})
    events |= fires("free", {"separated": "hit", "distance_above_m": 0.05}, {"stop": "free", "outcome": "undocked"})
    result = come(0.12, 4.0, damping=400.0, comer={"loads": load}, events=events)
    assert result.outcome == "undocked"
    opened = result["time_s"] > 1.5 + 1e-3
    np.testing.assert_array_equal(result["hit.latches_force_N"][opened], 0.0)
    np.testing.assert_array_equal(result["hit.latches_engaged"][opened], 0.0)
    held = 3 * 0.5 * STIFFNESS * (result["b.position_m"][~opened][-3, 0] - PLAY) ** 2
    assert result.events[0].energy_loss_J == pytest.approx(held, rel=1e-2)
    assert np.abs(result["energy.residual_J"]).max() < 1e-3 * 0.5 * MASS * 0.12**2


def test_open_latches_pass_and_armed_ones_take_hold_where_they_are():
    events = fires("open", {"time_s": 0.0}, {"open_latches": "hit"})
    events |= fires("arm", [{"contact": "hit"}], {"arm_latches": "hit"})
    result = come(0.12, 0.5, events=events)
    touched = next(event.time_s for event in result.events if event.name == "arm")
    before = result["time_s"] < touched
    # opened pawls do not push either
    np.testing.assert_allclose(result["b.velocity_m_s"][before, 0][:-2], -0.12, rtol=1e-12)
    assert result["hit.latches_engaged"][before].max() == 0.0
    assert result["hit.latches_engaged"][-1] == 3.0
    assert result["hit.capture_s"][-1] == pytest.approx(touched, abs=3e-4)


# ---------------------------------------------------------------- over the pawl, or past it


def pass_by(position: list[float], velocity: list[float], duration: float, force: float = 0.0, **more: Keys) -> Result:
    """Latches and strikers with nothing solid between them; the force pushes the strikers towards the latches."""
    far = [{"spheres": [{"center_m": [-0.5, 0.0, z], "radius_m": 0.001}]} for z in (2.0, -2.0)]
    still = lone(1.0, 1.0, anchored=True, ports=port({"latches": latched()["latches"], **far[0]}))
    load = {"push": {"force_N": [force, 0.0, 0.0]}, **more.pop("loads", {})}
    state = {"position_m": position, "velocity_m_s": velocity, "attitude": {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}}
    comer = lone(MASS, 8.0, ports=port({"strikers": striking()["strikers"], **far[1]}), loads=load, **state)
    return docksim.run(pair(still, comer, duration, 2e-4, every=1e-3, **more))


def test_a_striker_that_begins_behind_its_latch_is_not_held():
    for depth in (-0.30, -0.01, 0.0, 0.9 * WINDOW):
        result = pass_by([depth, 0.0, 0.0], [0.0, 0.0, 0.0], 0.05)
        assert result["hit.latches_engaged"].max() == 0.0
        assert result["hit.capture_s"][-1] == -1.0
        assert np.abs(result["b.velocity_m_s"]).max() == 0.0


def test_a_striker_from_behind_passes_freely_and_is_held_when_it_comes_back_over_the_pawl():
    force, out = 20.0 * MASS * 0.02, 0.2
    result = pass_by([-0.02, 0.0, 0.0], [out, 0.0, 0.0], 1.3, force)
    t, x, engaged = result["time_s"], result["b.position_m"][:, 0], result["hit.latches_engaged"]
    outside = int(np.argmax(x > WINDOW + TRAVEL))
    assert 0 < outside
    back = outside + int(np.argmax(x[outside:] < WINDOW))
    # up to the pawl's reach it moves under the load alone, and nothing holds it before it is back
    np.testing.assert_allclose(
        x[:outside], -0.02 + out * t[:outside] - 0.5 * force / MASS * t[:outside] ** 2, atol=1e-12
    )
    assert engaged[: back - 1].max() == 0.0
    assert engaged[back + 1] == 3.0
    # on the way back the pawls take what they always do
    assert result["energy.work.latch_damping_J"][back + 1] == pytest.approx(-PAWLS, rel=2e-3)


def test_a_striker_that_comes_from_the_side_past_the_window_is_not_held():
    # from there at once, and from before the pawls down beside them, 45 mm off; both go on through the window
    for position, velocity in (
        ([0.5 * WINDOW, -0.05, 0.0], [0.0, 0.2, 0.0]),
        ([WINDOW + 2.0 * TRAVEL, -0.08, 0.0], [-0.15, 0.21875, 0.0]),
    ):
        result = pass_by(position, velocity, 0.5)
        assert result["b.position_m"][-1, 1] > 0.02
        assert result["hit.latches_engaged"].max() == 0.0
        assert worst(result["b.velocity_m_s"], velocity) < 1e-15
    # from the same side over the pawl, and down onto it: held
    over = pass_by([WINDOW + 0.5 * TRAVEL, -0.05, 0.0], [0.0, 0.2, 0.0], 0.25)
    assert over["hit.latches_engaged"].max() == 0.0
    down = pass_by([WINDOW + 2.0 * TRAVEL, -0.002, 0.0], [-0.15, 0.01, 0.0], 0.25)
    assert down["hit.latches_engaged"].max() == 3.0


def test_a_striker_on_a_slope_into_the_window_is_held_once_it_is_in():
    # below the window's depth 15 mm off, of which the radial window is 8 and the pawl's travel 12
    slope = pass_by([WINDOW + 2.0 * TRAVEL, -0.05, 0.0], [-0.15, 0.21875, 0.0], 0.3)
    y, held = slope["b.position_m"][:, 1], slope["hit.latches.1.mode"] == ENGAGED
    assert -0.008 <= y[np.argmax(held)] < -0.007


def test_a_striker_that_came_over_the_pawl_may_leave_the_window_sideways_and_come_back():
    # before the delay is over it is kicked out to the side, later back, half as fast
    aside = {
        "out": {"force_N": [0.0, -2000.0, 0.0], "frame": "inertial", "start_s": 0.19, "end_s": 0.2},
        "back": {"force_N": [0.0, 3000.0, 0.0], "frame": "inertial", "start_s": 0.4, "end_s": 0.41},
    }
    late = {"latch_errors": [{"latch": k, "delay_s": 0.1} for k in (1, 2, 3)]}
    result = pass_by([WINDOW + 2.0 * TRAVEL, 0.0, 0.0], [-0.15, 0.0, 0.0], 0.9, loads=aside, pair=late)
    t, y = result["time_s"], result["b.position_m"][:, 1]
    assert y.min() < -0.035
    # the latch at azimuth 0 has its radial window along y
    back = t[(t > 0.4) & (y > -0.008)][0]
    held = t[np.argmax(result["hit.latches.1.mode"] == ENGAGED)]
    assert held - back == pytest.approx(0.1, abs=2.1e-3)


def test_the_delay_of_a_late_latch_begins_anew_when_its_striker_has_left_the_window():
    delay, push = 0.1, {"push": {"force_N": [100.0, 0.0, 0.0]}}
    late = [{"latch": k, "delay_s": delay} for k in (1, 2, 3)]
    result = come(0.12, 1.2, comer={"loads": push}, pair={"latch_errors": late})
    t, inside = result["time_s"], result["b.position_m"][:, 0] <= WINDOW
    entries = t[1:][inside[1:] & ~inside[:-1]]
    held = t[np.argmax(result["hit.latches_engaged"] == 3.0)]
    assert len(entries[entries < held]) >= 2
    # logged every millisecond
    assert held - entries[entries < held][-1] == pytest.approx(delay, abs=2.1e-3)


def test_an_engaged_latch_never_pushes():
    # drawn taut against its damping, then driven back faster than 1 / c
    loads = {
        "pull": {"force_N": [-300.0, 0.0, 0.0], "start_s": 0.4, "end_s": 0.8},
        "push": {"force_N": [3000.0, 0.0, 0.0], "start_s": 0.8, "end_s": 0.81},
    }
    result = come(0.12, 0.81, damping=400.0, comer={"loads": loads})
    driven = result["time_s"] > 0.8
    taut = driven & (result["b.position_m"][:, 0] > PLAY)
    assert result["b.velocity_m_s"][taut, 0].min() < -2.0 / 400.0
    for k in (1, 2, 3):
        assert result[f"hit.latch_{k}_force_N"][driven].min() >= 0.0


# ---------------------------------------------------------------- more than a latch holds

HOLDS = 400.0
TORN = {"pull": {"force_N": [-2500.0, 0.0, 0.0], "start_s": 0.4}}


def torn(swapped: bool = False, arm: bool = True, **more: Keys) -> Result:
    """Two free bodies, captured; then one is pulled away with more than the latches hold."""
    events = fires("arm", {"time_s": 1.0}, {"arm_latches": "hit"}) if arm else {}
    still = {"anchored": False, "mass_kg": 400.0, "inertia_kg_m2": [30.0, 30.0, 30.0]}
    keys: Keys = {"latches": {"holds_N": HOLDS}, "still": still, "comer": {"loads": TORN}, "events": events}
    return come(0.12, 1.4, swapped=swapped, **keys | more)


def test_a_latch_that_pulls_harder_than_it_holds_lets_go_and_stays_so():
    result = torn()
    t, modes = result["time_s"], np.stack([result[f"hit.latches.{k}.mode"] for k in (1, 2, 3)])
    lost = modes == LOST
    assert (modes[:, 0] == ARMED).all()
    gone = int(np.argmax(lost[0]))
    assert t[gone] > 0.4
    # all three bear the same, and let go together; arming does not mend them
    assert lost[:, gone:].all()
    assert not lost[:, :gone].any()
    for k in (1, 2, 3):
        pull = result[f"hit.latch_{k}_force_N"]
        assert (pull[gone:] == 0.0).all()
        # the last row before: at the load it holds but for one millisecond
        assert 0.8 * HOLDS < pull[:gone].max() < 1.1 * HOLDS
    assert (result["hit.latches_engaged"][gone:] == 0.0).all()
    assert 0.0 < result["hit.capture_s"][-1] < 0.4
    assert result.channels["hit.latches.1.mode"].labels[LOST] == "lost"
    marks = [(mark.name, mark.time_s) for mark in milestones(result, "hit") if "lost" in mark.name]
    assert marks == [(f"latch {k} lost", t[gone]) for k in (1, 2, 3)]
    # without the figure nothing lets go
    assert torn(latches={})["hit.latches_engaged"][-1] == 3.0


def test_letting_go_loses_what_the_springs_held_and_no_momentum():
    result = torn()
    gone = int(np.argmax(result["hit.latches.1.mode"] == LOST))
    residual, taken = result["energy.residual_J"], result["energy.work.latch_damping_J"]
    # what the budget books at once: the springs, at the load that they let go at or a step later
    stored = 3 * 0.5 * HOLDS**2 / STIFFNESS
    drop = taken[gone] - taken[gone - 1]
    assert -1.1 * stored < drop < -stored
    # the pull is gone from the first stage of that step on
    assert np.abs(residual[gone : gone + 5] - residual[gone - 1]).max() < 1e-9 * stored
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-9
    assert np.abs(result["momentum.angular_residual"]).max() < 1e-9


def test_letting_go_does_not_depend_on_the_order_of_ports_or_latches():
    one, other = torn(), torn(swapped=True)
    assert worst(one["b.position_m"], other["b.position_m"]) < 1e-10
    np.testing.assert_array_equal(one["hit.latches.1.mode"], other["hit.latches.1.mode"])
    # pulled at one side the latches go one after the other; which number they have makes no difference
    aside = {"pull": {"force_N": [-900.0, 0.0, 0.0], "position_m": [0.0, 0.12, 0.05], "start_s": 0.4}}
    first, turned = (
        torn(comer={"loads": aside}, latches={"holds_N": HOLDS, "first_azimuth_deg": azimuth}, arm=False)
        for azimuth in (0.0, 120.0)
    )
    lost = [[int(np.argmax(run[f"hit.latches.{k}.mode"] == LOST)) for k in (1, 2, 3)] for run in (first, turned)]
    assert len(set(lost[0])) > 1
    assert lost[1] == [*lost[0][1:], lost[0][0]]
    assert worst(first["b.position_m"], turned["b.position_m"]) < 1e-9
