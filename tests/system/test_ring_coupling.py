"""A docking with a mechanism, cut in two over UDP: one side has vehicles and ring, the other the contact."""

from __future__ import annotations

import socket
import threading
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.jobs.paced import run_scenario
from docksim.realtime import packets
from docksim.realtime.compensation import Line
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.hil import bounce, ideal_restitution
from docksim.realtime.hil_loop import Loop
from docksim.realtime.packets import encode
from docksim.realtime.telemetry import state_numbers
from tests.support.realtime_rigs import balls, couple, free_ports, wish
from tests.system.ring_rigs import Follower, motions, nds, tumbling

IMPACT_S = 0.03  # the first impact is over
CAPTURE_S = 1.2  # and capture, at 0.941 s


@pytest.fixture(scope="module")
def impact() -> Any:
    return docksim.run(nds(1.25e-5, IMPACT_S))


def impulse(result: Any) -> np.ndarray:
    """Of contact on the station, over its mass."""
    velocity = result["station.velocity_m_s"]
    return np.asarray(velocity[-1] - velocity[0])


def rebound(result: Any) -> np.ndarray:
    """Velocity of the ring against its vehicle after the impact."""
    return np.asarray((result["chaser.ring.velocity_m_s"] - result["chaser.velocity_m_s"])[-1])


def test_contact_that_is_driven_by_the_motion_of_a_whole_run_has_its_forces() -> None:
    friction = []
    for rate in (1000.0, 2000.0):
        keys = nds(1.25e-5, IMPACT_S)
        keys["outputs"]["every_s"] = 1.0 / rate
        whole, half = Follower(keys), Follower(nds(1.0 / rate, IMPACT_S))
        while whole.run.running:
            whole.run.advance(1000)
        worst = np.zeros(2)
        for k in range(int(whole.run.log.rows[0])):
            told = state_numbers(memoryview(whole.telemetry.state(whole.run.log.picked(slice(k, k + 1)))))
            assert told is not None
            _, frames, (contact, *_) = told
            assert half.take(enumerate(motions(frames))) == ""
            _, (found, *_) = half.numbers()
            errors = (np.abs(found[field] - contact[field]).max() for field in ("normal_force", "force"))
            worst = np.maximum(worst, [*errors])
        # 1e-15 of ten metres on 6.5e6 N/m, some times
        assert worst[0] < 1e-6
        friction.append(worst[1])
    # the way of the bristles within a cycle is the follower's own, so the error is of second order: a quarter, with
    # 10 % for higher orders; 60 N of friction
    assert friction[0] / friction[1] == pytest.approx(4.0, rel=0.1)
    assert friction[0] < 0.002 * 60.0


def test_first_impact_cut_in_two_comes_to_the_whole_one_as_the_rate_grows(impact: Any) -> None:
    errors = []
    for rate in (4000.0, 8000.0):
        half, contact = (rig.paced.result for rig in couple(nds(1.0 / rate, IMPACT_S), rate))
        peaks = [result["dock.normal_force_N"].max() for result in (contact, impact)]
        errors.append([np.linalg.norm(impulse(half)) / np.linalg.norm(impulse(impact)) - 1.0,
                       np.linalg.norm(rebound(half) - rebound(impact)), peaks[0] / peaks[1] - 1.0])  # fmt: skip
    coarse, fine = np.array(errors)
    # first order in the period: half of the error, with 10 % for higher orders
    np.testing.assert_allclose(coarse / fine, 2.0, rtol=0.1)
    # impulse and peak too large by 6 % and 7 % at 8 kHz; 42 mm/s of rebound
    assert np.all(fine < [0.06, 0.06 * 0.042, 0.07])


def test_lead_of_a_period_and_a_half_makes_the_error_of_second_order(impact: Any) -> None:
    errors = []
    for rate in (4000.0, 8000.0):
        led = couple(nds(1.0 / rate, IMPACT_S), rate, path=WrenchPath(lead=1.5 / rate))[0].paced.result
        errors.append(np.linalg.norm(rebound(led) - rebound(impact)))
    # a quarter; the clamp at the end of contact acts within one period only, which helps at the higher rate
    assert errors[0] / errors[1] > 3.5
    # against 5 mm/s without
    assert errors[0] < 0.5e-3


def test_ring_cut_in_two_gains_what_the_analysis_of_delay_says() -> None:
    stiffness, damping = 6.5e6, 4.0e3
    law = {"law": "kelvin_voigt", "stiffness_N_m": stiffness, "damping_Ns_m": damping, "friction": 0.0}
    whole = docksim.run(nds(1.25e-5, IMPACT_S, law, friction=0.0))
    time, gap, force = whole.time_s, whole["dock.gap_m"], whole["dock.normal_force_N"]
    first, last = np.flatnonzero(force > 0.0)[[0, -1]]

    def rate_of_gap(a: int, b: int) -> float:
        return float((gap[b] - gap[a]) / (time[b] - time[a]))

    speed, after = -rate_of_gap(first - 40, first - 2), rate_of_gap(last + 4, last + 40)
    # what the contact feels of ring, legs and vehicle: 36 kg
    mass = float(np.trapezoid(force, time)) / (speed + after)
    hardware = Loop(mass, stiffness, damping)
    # legs and their servos take a little as well
    assert after / speed == pytest.approx(ideal_restitution(hardware), abs=0.02)
    for rate in (2000.0, 4000.0):
        half = couple(nds(1.0 / rate, IMPACT_S, law, friction=0.0), rate)[0].paced.result
        ratio = np.linalg.norm(impulse(half)) / np.linalg.norm(impulse(whole))
        gain = ratio * (1.0 + after / speed) - 1.0 - after / speed
        expected = bounce(Loop(mass, stiffness, damping, delay=1.5 / rate), speed)[0] - ideal_restitution(hardware)
        # the touch falls anywhere within a period
        assert gain == pytest.approx(expected, abs=0.02)
        assert gain > 0.15


@pytest.fixture(scope="module")
def captured() -> Any:
    return docksim.run(nds(2.5e-4, CAPTURE_S))


def test_docking_cut_in_two_is_captured_when_the_whole_one_is(captured: Any) -> None:
    rigs = couple(nds(5e-4, CAPTURE_S), 2000.0, path=WrenchPath(lead=7.5e-4))
    led, contact = (rig.paced.result for rig in rigs)
    assert [rig.followed for rig in rigs] == [0, pytest.approx(2401, abs=1)]
    names = [event.name for event in captured.events]
    assert names == ["contact", "compressed", "lunge", "captured", "attenuate"]
    assert [[event.name for event in result.events] for result in (led, contact)] == [names, names]
    # some fifteen bounces: half a percent of the closing speed moves the whole run's capture by 9 ms
    for result in (led, contact):
        for event, own in zip(captured.events, result.events):
            assert own.time_s == pytest.approx(event.time_s, abs=0.01)
    assert contact.metrics["dock.capture_s"] == pytest.approx(captured.metrics["dock.capture_s"], abs=0.01)
    # what was measured is in the leader's result, a cycle later
    assert (led.outcome, captured.outcome) == ("captured", "captured")
    assert led.metrics["dock.capture_s"] == pytest.approx(contact.metrics["dock.capture_s"], abs=2.1 * 5e-4)
    for name in ("dock.normal_force_N", "dock.load_force_N", "dock.load_moment_Nm"):
        np.testing.assert_array_equal(led[name][1:2400], contact[name][:2399])
    assert led.metrics["dock.peak_compression_N"] == led["dock.load_force_N"][:, 0].max() > 1000.0
    # the follower's budget is open, and no step would close it
    assert "motion came from outside" in " ".join(contact.warnings)
    assert "step_s" not in " ".join([led.reason, contact.reason, *led.warnings, *contact.warnings])


def test_at_one_kilohertz_a_stiff_ring_runs_away_to_a_named_end_unless_it_is_made_passive() -> None:
    lost, peer = couple(nds(1e-3, CAPTURE_S, friction=0.0), 1000.0)
    assert lost.paced.result.outcome in ("over-stroke", "latch lost"), lost.paced.result.reason
    assert peer.paced.result.outcome in ("over-stroke", "latch lost", "stopped", "aborted")
    ring = nds(1e-3, CAPTURE_S, friction=0.0)
    kept = couple(ring, 1000.0, path=WrenchPath(lead=1.5e-3, passive=True))[0].paced.result
    assert kept.outcome in ("completed", "captured"), kept.reason
    assert "captured" in [event.name for event in kept.events]
    # what contact gives back of 0.1 J that it took
    work = kept["energy.work.loads_J"]
    assert work.min() < -0.1
    # a cycle ahead, the ring's speed is foreseen but for what a force that sets in changes it by: F h / m
    impulse = 1e-3 * kept.metrics["dock.peak_compression_N"]
    assert work.max() < impulse**2 / ring["vehicles"]["chaser"]["mechanism"]["ring"]["mass_kg"]


@pytest.mark.parametrize(("stiffness", "friction", "delay"), [(2e5, 0.0, 4e-3), (2e5, 0.3, 4e-3), (1e6, 0.3, 0.0)])
def test_passive_contact_off_the_axes_of_tumbling_bodies_gives_no_energy(
    stiffness: float, friction: float, delay: float
) -> None:
    scenario = tumbling(1, stiffness, friction, 0.25)
    free, kept = (couple(scenario, 1000.0, path=WrenchPath(delay=delay, passive=passive))[0].paced.result
                  for passive in (False, True))  # fmt: skip
    gains = [float(result["energy.kinetic_J"].max() / result["energy.kinetic_J"][0]) for result in (free, kept)]
    assert gains[0] > 1.05
    # poses of a cycle ago: 0.3 rad/s times 1 ms, and the way that is foreseen in the last cycle of contact
    assert gains[1] < 1.001


def test_lead_never_makes_contact_pull_and_keeps_what_latches_pull() -> None:
    line = Line(WrenchPath(lead=4e-3), 1e-3)
    for normal in (50.0, 80.0, 40.0, 5.0, 0.0, 0.0):
        # one direction of force: all of it ends with the normal force
        found = line.through([normal, -normal, 0.0, 0.1 * normal, 0.0, 0.0, 0.0])
        assert found[0] >= 0.0
        np.testing.assert_allclose(found[1:4], [-found[0], 0.0, 0.1 * found[0]], atol=1e-12)
    # latches alone: no normal force, a steady pull
    for _ in range(60):
        found = line.through([0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 7.0])
    np.testing.assert_allclose(found, [0.0, 100.0, 0.0, 0.0, 0.0, 0.0, 7.0], rtol=1e-6)


def test_lock_step_goes_on_when_vehicles_are_joined() -> None:
    events = {"meet": {"when": {"time_s": 0.01}, "do": [{"join": ["a.dock", "b.dock"]}]}}
    lead, follow = couple({**balls(1e-3, 0.03), "events": events}, 1000.0)
    # the leader comes to its end, and the follower with it
    assert (lead.paced.result.outcome, follow.paced.result.reason) == ("completed", "the peer ended its run")
    # counted, from the cycle after the join on
    assert follow.counts["joined"] == pytest.approx(20, abs=1)


def test_wait_in_vain_says_what_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.realtime.bridged.FIRST_ANSWER_S", 0.2)
    mine, other = free_ports(2)
    ended = threading.Event()

    def tell_state() -> None:
        # of which a follower can make nothing
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as peer:
            peer.bind(("127.0.0.1", other))
            while not ended.wait(0.01):
                peer.sendto(encode(packets.STATE), ("127.0.0.1", mine))

    peer = threading.Thread(target=tell_state)
    peer.start()
    result = run_scenario(load_scenario(balls(1e-3, 0.01)), wish(1000.0, "follow", mine, other)).paced.result
    ended.set()
    peer.join()
    assert result.outcome == "aborted"
    assert result.reason == "no answer from the peer within 0.2 s; the last packet was refused: unasked"
