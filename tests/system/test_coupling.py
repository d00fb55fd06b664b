"""Peers in other languages, and a run cut in two: one side has the vehicles, the other the contact."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import docksim
from docksim.config import load_scenario
from docksim.jobs.paced import run_scenario
from docksim.realtime import Peer, State
from docksim.realtime.bridge import Bridge
from docksim.realtime.compensation import Path as WrenchPath
from docksim.realtime.hil import bounce, ideal_restitution
from docksim.realtime.hil_loop import Loop
from tests.support.realtime_rigs import balls, couple, free_ports, wish
from tests.system.bridge_desk import STEP, floating

ROOT = Path(__file__).resolve().parents[2]


def oscillator(cycles: int) -> np.ndarray:
    """The mass with the peer's spring and damper, whose force is that of one cycle ago, held: x at every instant."""
    x, v, force, found = 0.1, 0.0, 0.0, []
    for _ in range(cycles):
        found.append(x)
        answer = -200.0 * x - 5.0 * v
        x, v = x + STEP * v + 0.5 * STEP**2 * force / 50.0, v + STEP * force / 50.0
        force = answer
    return np.array(found)


def compiled_peer(folder: Path) -> list[str]:
    done = subprocess.run(
        [shutil.which("cc") or "gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", folder / "peer",
         ROOT / "docs" / "peers" / "peer.c"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [str(folder / "peer")]


@pytest.mark.parametrize("language", ["python", "c"])
def test_peer_of_the_docs_closes_the_loop(language: str, tmp_path: Path) -> None:
    source = ROOT / "docs" / "peers" / "peer.py"
    start = [sys.executable, str(source)] if language == "python" else compiled_peer(tmp_path)
    mine, other = free_ports(2)
    with subprocess.Popen([*start, str(other)]) as peer:
        wait_for(other)
        rig = run_scenario(load_scenario(floating()), wish(1.0 / STEP, "lead", mine, other, ports=["mass.hook"]))
        # the end of the run ends the peer
        assert peer.wait(10.0) == 0
    result = rig.paced.result
    assert result.outcome == "completed", result.reason
    # rounding of 500 steps
    np.testing.assert_allclose(result["mass.position_m"][:, 0], oscillator(501), atol=1e-12)
    assert rig.counts["received"] >= 500


def test_peer_class_closes_the_loop_as_the_peers_of_the_docs_do() -> None:
    mine, other = free_ports(2)
    seen: list[State] = []

    def spring(peer: Peer) -> None:
        for state in peer:
            seen.append(state)
            frame = state.frames[0]
            peer.wrench(force=-200.0 * frame["position"] - 5.0 * frame["velocity"], in_world=True)

    with Peer(other, timeout_s=60.0) as peer:
        rig = threading.Thread(target=spring, args=(peer,))
        rig.start()
        run = run_scenario(load_scenario(floating()), wish(1.0 / STEP, "lead", mine, other, ports=["mass.hook"]))
        # the end of the run ends the loop
        rig.join(10.0)
        assert not rig.is_alive()
        assert not peer.faults
    result = run.paced.result
    # rounding of 500 steps
    np.testing.assert_allclose(result["mass.position_m"][:, 0], oscillator(501), atol=1e-12)
    times = np.array([state.time_s for state in seen])
    assert np.all(np.diff(times) > 0.0)
    assert len(times) >= 500


def wait_for(port: int) -> None:
    """Until somebody has the port."""
    for _ in range(1500):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return
        time.sleep(0.02)
    raise AssertionError("the peer did not start")


@pytest.fixture(scope="module")
def halves() -> dict[float, Any]:
    return {rate: couple(balls(1.0 / rate), rate)[0].paced.result for rate in (1000.0, 2000.0, 4000.0)}


def test_run_cut_in_two_comes_to_the_whole_run_as_the_rate_grows(halves: dict[float, Any]) -> None:
    whole = docksim.run(balls(1.0 / 4000.0))
    errors = [np.abs(half["b.velocity_m_s"] - whole["b.velocity_m_s"]).max() for half in halves.values()]
    gains = [half["energy.kinetic_J"][-1] - whole["energy.kinetic_J"][-1] for half in halves.values()]
    # first order in the period, as a delay is: halving it halves error and gain of energy, with 10 % for higher orders
    for values in (errors, gains):
        assert values[0] / values[1] == pytest.approx(2.0, rel=0.1)
        assert values[1] / values[2] == pytest.approx(2.0, rel=0.1)
    # the change of velocity is 0.15 m/s
    assert errors[2] < 0.01 * 0.15
    # delay gives energy
    assert gains[2] > 0.0


def test_run_cut_in_two_gains_the_energy_that_the_analysis_of_delay_says_and_compensation_takes_it() -> None:
    law = {"law": "kelvin_voigt", "stiffness_N_m": 2.0e4, "damping_Ns_m": 60.0, "friction": 0.0}
    scenario = balls(1e-3, law=law, aside=0.0)
    hardware = Loop(24.0, 2.0e4, 60.0)  # reduced mass of 40 kg and 60 kg; 28.9 rad/s

    def rebound(result: Any) -> float:
        speeds = (result["b.velocity_m_s"] - result["a.velocity_m_s"])[:, 0]
        return float(-speeds[-1] / speeds[0])

    # RK4 meets the force that sets in within a step, so the whole run is good to a step of the contact
    assert rebound(docksim.run(scenario)) == pytest.approx(ideal_restitution(hardware), abs=2e-3)
    half = rebound(couple(scenario, 1000.0)[0].paced.result)
    # a period until the answer acts, and half of one for its hold; the touch falls anywhere within a period
    expected, _ = bounce(Loop(24.0, 2.0e4, 60.0, delay=1.5e-3), 0.2)
    assert half == pytest.approx(expected, abs=5e-3)
    assert half - ideal_restitution(hardware) > 0.03
    # a rig of 4 ms more; with a lead for all of it; with passivity control
    late = rebound(couple(scenario, 1000.0, path=WrenchPath(delay=4e-3))[0].paced.result)
    expected, _ = bounce(Loop(24.0, 2.0e4, 60.0, delay=5.5e-3), 0.2)
    assert late == pytest.approx(expected, abs=5e-3)
    assert late > 1.0
    led = rebound(couple(scenario, 1000.0, path=WrenchPath(delay=4e-3, lead=5.5e-3))[0].paced.result)
    assert abs(led - ideal_restitution(hardware)) < 0.3 * abs(late - ideal_restitution(hardware))
    # all that went in comes out; what a held force did to free bodies is known exactly
    passive = rebound(couple(scenario, 1000.0, path=WrenchPath(delay=4e-3, passive=True))[0].paced.result)
    assert passive == pytest.approx(1.0, abs=1e-9)


def test_momentum_of_a_run_cut_in_two_is_conserved(halves: dict[float, Any]) -> None:
    for half in halves.values():
        momentum = half["momentum.linear_kg_m_s"]
        # 8 kg m/s, rounding
        assert np.abs(momentum - momentum[0]).max() < 1e-12


def test_two_processes_of_the_command_line_give_the_bits_of_two_threads(
    halves: dict[float, Any], tmp_path: Path
) -> None:
    file = tmp_path / "balls.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps(balls(1e-3), default=list))), encoding="utf-8")
    mine, other = free_ports(2)

    def side(role: str, here: int, there: int, *options: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "docksim", "realtime", str(file), "--lockstep", role, "--bridge", str(here),
             "--peer", str(there), "--hold", "1000000", "--no-plots", "--json", "--out", str(tmp_path / role),
             *options],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True, stdout=subprocess.PIPE,
        )  # fmt: skip

    follower = side("follow", other, mine, "--send", "contact", "--measured-motion", "all")
    wait_for(other)
    leader = side("lead", mine, other, "--send", "motion", "--measured-contact", "hit")
    texts = [process.communicate(timeout=60)[0] for process in (leader, follower)]
    assert [process.returncode for process in (leader, follower)] == [0, 0], texts
    result = docksim.load(json.loads(texts[0])["runs"][0]["folder"])
    for name in halves[1000.0]:
        np.testing.assert_array_equal(result[name], halves[1000.0][name], name)


def test_lost_packets_are_sent_again_in_lock_step(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = couple(balls(1e-3, 0.05), 1000.0)[0].paced.result
    sendto, lost = Bridge.send_to, []

    def lossy(self: Bridge, data: bytes, address: Any) -> None:
        # each side loses three different packets, once
        key = (self.address, self.sequence)
        if self.sequence in (1, 7, 20) and key not in lost:
            lost.append(key)
        else:
            sendto(self, data, address)

    monkeypatch.setattr(Bridge, "send_to", lossy)
    again = couple(balls(1e-3, 0.05), 1000.0)[0].paced.result
    assert len(lost) == 6
    assert again.outcome == "completed"
    for name in whole:
        np.testing.assert_array_equal(again[name], whole[name], name)


def test_peer_that_never_comes_ends_the_wait_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.realtime.bridged.FIRST_ANSWER_S", 0.05)
    for role, rows in (("lead", 1), ("follow", 1)):
        rig = run_scenario(load_scenario(floating()), wish(1.0 / STEP, role, *free_ports(2)))
        result = rig.paced.result
        assert (result.outcome, result.reason) == ("aborted", "no answer from the peer within 0.05 s")
        assert len(result.time_s) == rows
