"""A run under the test's hand: cycles one by one, and a socket that is its peer."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import yaml

from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.realtime import packets
from docksim.realtime.bridge import Bridge, Link
from docksim.realtime.bridged import BridgedCycle, Talk
from docksim.realtime.inputs import Inputs
from docksim.realtime.packets import Packet, decode, encode
from docksim.simulation.run import Run
from tests.support.rigs import Keys, lone

ROOT = Path(__file__).resolve().parents[2]
STEP = 1e-3
# silence is no fault here
PATIENT = {"hold": 10**6}


def load_keys(name: str) -> Keys:
    """A shipped scenario as a mapping."""
    keys: Keys = yaml.safe_load(load_scenario(ROOT / "scenarios" / f"{name}.yaml").to_yaml())
    return keys


def floating(**sections: Any) -> Keys:
    """A vehicle of 50 kg with a port at its mass centre and one off it, 0.1 m from the origin."""
    ports = {"hook": {"position_m": [0.0, 0.0, 0.0]}, "arm": {"position_m": [0.0, 2.0, 0.0]}}
    mass = lone(50.0, 20.0, ports=ports, position_m=[0.1, 0.0, 0.0])
    return {"vehicles": {"mass": mass}, "solver": {"duration_s": 0.5, "step_s": STEP},
            "outputs": {"every_s": STEP}, **sections}  # fmt: skip


class Desk:
    """A run under the test's hand: cycles one by one, and a socket that is its peer."""

    def __init__(self, scenario: Keys, link: Keys | None = None, **options: Any) -> None:
        self.inputs = Inputs(compile_scenario(load_scenario(scenario)), **options)
        self.run = Run(self.inputs.compiled)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(5.0)
        self.bridge = Bridge(Link(("127.0.0.1", 0), self.socket.getsockname(), **(link or {})))
        self.cycle = BridgedCycle(self.run, 1, self.bridge, self.inputs, Talk(1.0 / STEP))
        self.count, self.number = 0, 0

    def send(self, type_: int, payload: bytes, **head: Any) -> None:
        self.number += 1
        self.raw(encode(type_, payload, **{"sequence": self.number, **head}))

    def raw(self, data: bytes) -> None:
        self.socket.sendto(data, self.bridge.address)

    def go(self, cycles: int = 1) -> Packet:
        """So many cycles; the packet of the last one."""
        for _ in range(cycles):
            self.more = self.cycle(self.count)
            self.count += 1
            packet = decode(self.socket.recv(65536))
        assert isinstance(packet, Packet)
        return packet

    def close(self) -> None:
        self.cycle.close()
        self.socket.close()


def wrench(force: Any, torque: Any = (0.0, 0.0, 0.0), port: int = 0, axes: int = 1) -> bytes:
    return packets.WRENCH_ENTRY.pack(port, axes, *force, *torque)
