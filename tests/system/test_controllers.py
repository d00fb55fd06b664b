"""Torques of joints from outside: a peer that is a servo, stale torques, wrong names, the FMU."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.files.writing import write_text
from docksim.jobs.paced import Wish, run_scenario
from docksim.realtime import packets
from docksim.realtime.bridge import Link
from docksim.realtime.fmu import Instance
from docksim.realtime.inputs import InputError, Inputs
from docksim.realtime.joints import Joints
from docksim.realtime.peer import Peer
from docksim.realtime.session import Pace
from tests.support.realtime_rigs import free_ports
from tests.system.bridge_desk import Desk
from tests.system.test_coupling import wait_for

ROOT = Path(__file__).resolve().parents[2]
STEP = 0.002


def craft(servo: dict[str, Any] | None) -> dict[str, Any]:
    """A free-flyer with an arm; the gains of docs/peers/controller.py."""
    actuator = {"torque_limit_Nm": 20.0, "servo": servo} if servo is not None else None
    joint = {"type": "revolute", "axis": [0, 1, 0], **({"actuator": actuator} if actuator else {})}
    arm = {"mass_kg": 12.0, "center_of_mass_m": [1, 0, 0], "inertia_kg_m2": [2.3, 4.0, 6.2], "joint": joint}
    body = {"mass_kg": 500.0, "inertia_kg_m2": [120, 120, 120], "rate_deg_s": [1, 0, 2], "bodies": {"arm": arm}}
    return {
        "vehicles": {"v": body},
        "solver": {"duration_s": 1.0, "step_s": STEP},
        "outputs": {"every_s": STEP},
    }


def sampled() -> dict[str, Any]:
    return {"stiffness_Nm_rad": 200.0, "damping_Nms_rad": 120.0, "target_deg": 30.0, "sample_s": STEP}


@pytest.mark.parametrize("servo", [{"mode": "torque"}, None], ids=["through the drive", "as the motor's torque"])
def test_peer_that_is_a_servo_makes_the_servos_run_to_the_bit(servo: dict[str, Any] | None) -> None:
    mine, other = free_ports(2)
    source = ROOT / "docs" / "peers" / "controller.py"
    with subprocess.Popen([sys.executable, str(source), str(other), "30"]) as peer:
        wait_for(other)
        link = Link(("127.0.0.1", mine), ("127.0.0.1", other), hold=10**6)
        wish = Wish(Pace(1.0 / STEP), link, torques=["v.arm"], lockstep="lead")
        result = run_scenario(load_scenario(craft(servo)), wish).paced.result
        assert peer.wait(10.0) == 0
    built_in = docksim.run(craft(sampled()))
    assert np.abs(built_in["v.arm.motor_torque_Nm"]).max() == 20.0
    for name in ("v.arm.angle_deg", "v.arm.angle_rate_deg_s", "v.attitude", "v.position_m"):
        assert np.array_equal(result[name], built_in[name]), name


def test_torque_is_held_goes_stale_and_is_told_with_the_joint() -> None:
    desk = Desk(craft({"mode": "torque"}), {"hold": 5}, torques=["v.arm"])
    try:
        desk.go()
        desk.send(packets.TORQUE, packets.TORQUE_ENTRY.pack(0, 7.0))
        told = []
        for _ in range(20):
            desk.go()
            kind = packets.decode(desk.socket.recv(65536))
            assert isinstance(kind, packets.Packet)
            told.append(desk.run.compiled.state.shaft["target_force"][0])
        assert told[0] == 7.0
        assert told.count(7.0) == 5
        assert told[-1] == 0.0
        assert desk.bridge.counts["stale"] > 0
        desk.send(packets.TORQUE, packets.TORQUE_ENTRY.pack(1, 7.0))
        desk.send(packets.TORQUE, packets.TORQUE_ENTRY.pack(0, float("nan")))
        desk.go()
        assert desk.bridge.counts["index"] == 1
        assert desk.bridge.counts["value"] == 1
    finally:
        desk.close()


def test_packets_that_are_whole_and_make_no_sense_do_not_end_a_controller() -> None:
    (port,) = free_ports(1)
    good = packets.STATE_HEAD.pack(1, 0, 0) + bytes(packets.STATE_FRAME.itemsize)
    odd = [(packets.STATE, good[:-1]), (packets.STATE, b""), (packets.STATE, packets.STATE_HEAD.pack(9, 9, 0)),
           (packets.JOINTS, b"x" * 33)]  # fmt: skip
    with Peer(port, timeout_s=5.0) as peer, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        for kind, payload in (*odd, (packets.STATE, good)):
            stranger.sendto(packets.encode(kind, payload), ("127.0.0.1", port))
        assert len(next(iter(peer)).frames) == 1
        assert peer.faults == {"payload": len(odd)}


def test_joints_that_do_not_exist_are_named_with_those_that_do() -> None:
    compiled = compile_scenario(load_scenario(craft(None)))
    with pytest.raises(InputError, match=r"no joint with an axis 'v\.am'; there are v\.arm"):
        Inputs(compiled, torques=["v.am"])
    with pytest.raises(InputError, match="asked for twice"):
        Inputs(compiled, torques=["v.arm", "v.arm"])


def test_every_axis_of_a_joint_has_a_name_of_its_own() -> None:
    content = craft(None)
    content["vehicles"]["v"]["bodies"]["arm"]["joint"] = {"type": "universal", "axis": [0, 0, 1], "axis_2": [0, 1, 0]}
    inputs = Inputs(compile_scenario(load_scenario(content)), torques=["v.arm.second"])
    assert isinstance(inputs.joints, Joints)
    inputs.joints.set(0, 3.0)
    assert inputs.compiled.state.dof["torque"].tolist()[6:] == [0.0, 3.0]


def test_fmu_takes_torques_and_tells_angle_and_rate(tmp_path: Path) -> None:
    write_text(tmp_path / "scenario.yaml", load_scenario(craft(None)).to_yaml())
    wish = f'{{"docksim_version": "{docksim.__version__}", "ports": [], "torques": ["v.arm"]}}'
    write_text(tmp_path / "docksim.json", wish)
    instance = Instance(tmp_path)
    instance.inputs["v.arm.torque_Nm"] = 4.0
    assert instance.do_step(0.0, 0.1)
    content = craft(None)
    content["vehicles"]["v"]["bodies"]["arm"]["joint"]["torque_Nm"] = 4.0
    plain = docksim.run(content)
    assert np.degrees(instance.outputs["v.arm.angle_rad"]) == pytest.approx(plain["v.arm.angle_deg"][50], rel=1e-14)
    assert np.degrees(instance.outputs["v.arm.rate_rad_s"]) == pytest.approx(
        plain["v.arm.angle_rate_deg_s"][50], rel=1e-14
    )
