"""Channels of control: impulses equal changes of momentum, a hold keeps its attitude against a port, what is sent in
from outside is told."""

import numpy as np
import pytest

from docksim import run
from docksim.algebra.quat import quat_conj, quat_mul, quat_vec
from docksim.config import ScenarioError, load_scenario
from docksim.plots.run.control import control_panels
from docksim.scripting.stepping import Simulation
from tests.support.rigs import lone, scenario, simulate, worst

MASS = 50.0
HOOKS = {"reach_m": 0.1, "window_m": 0.01, "tilt_deg": 5.0, "roll_deg": 5.0, "rate_m_s": 0.1}
HALF_TURN = {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}


def thruster(force, pulses, towards=(1.0, 0.0, 0.0)):
    return {"direction": list(towards), "force_N": force, "pulses": pulses}


@pytest.mark.parametrize("solver", [{}, {"tolerance": 1e-7}])
def test_impulse_of_thrusters_equals_the_change_of_momentum(solver):
    pulses = {
        "aft": thruster(7.0, [[0.5, 0.3], [2.0, 0.0123]]),
        "fore": thruster(3.0, [[1.003, 0.5]], (-1.0, 0.0, 0.0)),
    }
    events = {"cut": {"when": {"time_s": 0.71}, "do": {"cut": "ship.aft"}}}
    keys = scenario({"ship": lone(MASS, 10.0, thrusters=pulses)}, 3.0, 0.01, 0.07, events=events)
    keys["solver"] |= solver
    simulation = Simulation(keys)
    simulation.run_until(1.2)
    # a firing from outside counts as any other
    simulation.fire("ship.fore", 0.4)
    simulation.run_until()
    done = simulation.result()
    impulse = done["ship.aft.impulse_Ns"] - done["ship.fore.impulse_Ns"]
    assert worst(impulse, MASS * done["ship.velocity_m_s"][:, 0]) < 1e-11
    assert done["ship.aft.impulse_Ns"][-1] == pytest.approx(7.0 * (0.21 + 0.0123), rel=1e-12)
    # steps under a tolerance are up to 20 ms long: there the firing from outside begins where one ends
    late = 0.0 if not solver else 3.0 * 0.02
    assert done["ship.fore.impulse_Ns"][-1] == pytest.approx(3.0 * (1.6 - 1.003), rel=1e-12, abs=late)
    assert set(done["ship.aft.on"]) == {0, 1}


def test_a_pulse_between_two_rows_is_drawn():
    pulses = {"aft": thruster(7.0, [[0.52, 0.03]]), "fore": thruster(3.0, [[1.0, 0.5]], (-1.0, 0.0, 0.0))}
    result = simulate({"ship": lone(MASS, 10.0, thrusters=pulses)}, 3.0, 0.01, 0.1)
    firing, impulse = control_panels(result, "ship")
    assert [curve.label for curve in firing.curves] == ["1 aft", "2 fore"]
    # aft is seen at the first row after its pulse, fore from its first row to its last
    aft, fore = (np.flatnonzero(curve.values > number + 0.5) for number, curve in enumerate(firing.curves, 1))
    assert (aft.tolist(), fore.tolist()) == ([6], [10, 11, 12, 13, 14, 15])
    assert impulse.curves[0].values[-1] == pytest.approx(0.21)


def test_torque_of_a_hold_and_of_a_load_adds_up_to_the_angular_momentum():
    hold = {"stiffness_Nm_rad": 2.0, "damping_Nms_rad": 20.0, "torque_limit_Nm": 5.0, "sample_s": 0.1, "delay_s": 0.2}
    loads = {"sun": {"torque_Nm": [0.0, 0.0, 0.4], "frequency_Hz": 0.25, "start_s": 0.3, "end_s": 4.3}}
    start = {"rate_deg_s": [0.0, 0.0, 3.0], "attitude_hold": {**hold, "attitude": {}}, "loads": loads}
    result = simulate({"ship": lone(MASS, [10.0, 20.0, 30.0], **start)}, 6.0, 0.01)
    momentum = 30.0 * np.radians(result["ship.rate_deg_s"][:, 2])
    held = np.concatenate([[0.0], np.cumsum(result["ship.attitude_hold.torque_Nm"][:-1, 2]) * 0.01])
    time = np.clip(result["time_s"], 0.3, 4.3) - 0.3
    given = 0.4 * (1.0 - np.cos(0.5 * np.pi * time)) / (0.5 * np.pi)
    # the load is no polynomial: rk4's error
    assert worst(momentum - momentum[0], held + given) < 1e-10
    on = (result["time_s"] >= 0.3 - 1e-9) & (result["time_s"] < 4.3 - 1e-9)
    wave = np.where(on, 0.4 * np.sin(0.5 * np.pi * (result["time_s"] - 0.3)), 0.0)
    assert worst(result["loads.ship.sun.torque_Nm"][:, 2], wave) < 1e-12


def test_a_hold_that_is_inhibited_shows_no_torque():
    hold = {"stiffness_Nm_rad": 2.0, "damping_Nms_rad": 20.0, "torque_limit_Nm": 5.0, "sample_s": 0.1, "attitude": {}}
    events = {"quiet": {"when": {"time_s": 1.0}, "do": {"attitude_hold": {"vehicle": "ship", "mode": "inhibited"}}}}
    ship = lone(MASS, 10.0, rate_deg_s=[0.0, 0.0, 3.0], attitude_hold=hold)
    result = simulate({"ship": ship}, 2.0, 0.01, events=events)
    late = result["time_s"] > 1.0 - 1e-9
    assert np.all(result["ship.attitude_hold.torque_Nm"][~late, 2] < 0.0)
    assert not np.any(result["ship.attitude_hold.torque_Nm"][late])
    mode = result.channel("ship.attitude_hold.mode")
    assert [mode.labels[code] for code in mode.data[[0, -1]]] == ["on", "inhibited"]


def test_wrenches_from_outside_are_told_on_the_axes_of_the_world_and_push_that_much():
    turned = {"yaw_pitch_roll_deg": [90.0, 0.0, 0.0]}
    simulation = Simulation(scenario({"ship": lone(MASS, 10.0, attitude=turned, ports={"nose": {}})}, 2.0, 0.01))
    simulation.run_until(0.5)
    simulation.wrench("ship.nose", force=[4.0, 0.0, 0.0])
    simulation.run_until(1.5)
    simulation.wrench("ship.nose", force=[0.0, 0.0, -1.0], frame="inertial")
    saved = simulation.save()
    simulation.run_until()
    first = simulation.result()
    force = first["external.ship.nose.force_N"]
    assert worst(np.cumsum(force[:-1], axis=0) * 0.01, MASS * first["ship.velocity_m_s"][1:]) < 1e-10
    assert worst(force[75], [0.0, 4.0, 0.0]) < 1e-12
    assert not np.any(first["external.ship.nose.torque_Nm"])
    simulation.restore(saved)
    simulation.run_until()
    assert np.array_equal(simulation.result()["external.ship.nose.force_N"], force)


def target(**keys):
    """A ship whose port at its side is to face the dock of a station that turns."""
    law = {
        "stiffness_Nm_rad": 60.0,
        "damping_Nms_rad": 240.0,
        "torque_limit_Nm": 50.0,
        "target": "station.dock",
        **keys,
    }
    side = {"nose": {"attitude": {"yaw_pitch_roll_deg": [30.0, 20.0, 10.0]}}}
    ship = lone(MASS, [200.0, 220.0, 240.0], position_m=[9.0, 0.0, 0.0], ports=side, attitude_hold=law)
    turn = {"yaw_pitch_roll_deg": [15.0, 5.0, 40.0]}
    dock = {"dock": {"position_m": [1.0, 0.0, 0.0], "attitude": turn, "hooks": HOOKS}}
    station = lone(1e6, 1e9, rate_deg_s=[0.5, 0.0, 1.0], ports=dock)
    events = {"near": {"when": {"in_reach": ["ship.nose", "station.dock"]}, "do": {"stop": "near"}}}
    return scenario({"station": station, "ship": ship}, 40.0, 0.01, 0.1, events=events)


def port_attitude(result, vehicle, angles):
    own = load_scenario(
        {"vehicles": {"a": lone(1.0, 1.0, attitude={"yaw_pitch_roll_deg": angles})}, "solver": {"duration_s": 1.0}}
    )
    port = own.vehicles["a"].attitude.quaternion_wxyz()
    return quat_mul(tuple(result[f"{vehicle}.attitude"][-1]), port)


@pytest.mark.parametrize("attitude", [{}, {"attitude": HALF_TURN}])
def test_a_hold_against_a_port_follows_it_as_it_turns(attitude):
    result = run(target(**attitude))
    # rates of the target are followed without lag; what is left is that they are not accelerated ahead of time
    assert result["ship.attitude_hold.error_size_deg"][0] > 20.0
    assert result["ship.attitude_hold.error_size_deg"][-1] < 0.05
    dock, nose = port_attitude(result, "station", [15.0, 5.0, 40.0]), port_attitude(result, "ship", [30.0, 20.0, 10.0])
    if attitude:
        nose = tuple(result["ship.attitude"][-1])
    # the comer's port is the other one turned by half a turn about its z
    apart = quat_mul(quat_conj(quat_mul(dock, (0.0, 0.0, 0.0, 1.0))), nose)
    assert 2.0 * np.degrees(np.arcsin(np.linalg.norm(apart[1:]))) < 0.05
    assert worst(quat_vec(nose, (1.0, 0.0, 0.0)), np.negative(quat_vec(dock, (1.0, 0.0, 0.0)))) < 1e-3


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"target": "station.dok"}, "target: no port 'station.dok'; there is station.dock, ship.nose; did you mean"),
        ({"target": "ship.nose"}, "target: 'ship.nose' is on the vehicle itself; name a port of another one"),
    ],
)
def test_targets_that_cannot_be_held_against_are_refused(wrong, says):
    with pytest.raises(ScenarioError, match="attitude_hold") as refused:
        load_scenario(target(**wrong))
    assert says in str(refused.value)


def test_which_port_is_to_face_the_target_must_be_plain():
    keys = target()
    keys["events"] = {}
    with pytest.raises(ScenarioError) as refused:
        load_scenario(keys)
    assert "which port of 'ship' is to face 'station.dock'? By approach, contacts and events none does; give " in str(
        refused.value
    )
