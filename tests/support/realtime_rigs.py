"""Two balls that meet off their axis, whole or cut in two: one side has the vehicles, the other the contact."""

from __future__ import annotations

import socket
import threading
from typing import Any

from docksim.config import load_scenario
from docksim.jobs.paced import Rig, Wish, run_scenario
from docksim.realtime.bridge import Link
from docksim.realtime.bridged import Role
from docksim.realtime.session import Pace
from tests.support.contact_rigs import ball, pair, port
from tests.support.rigs import Keys, lone

LAW = {"stiffness_N_m": 2.0e4, "restitution": 0.8, "impact_speed_m_s": 0.2, "friction": 0.0}


def balls(step: float, duration: float = 0.5, law: Keys = LAW, aside: float = 0.1) -> Keys:
    """A ball of 40 kg comes to one of 60 kg at 0.2 m/s, 0.1 m off the line of their centres."""
    a = lone(40.0, 10.0, ports=port(ball(0.5, law)), velocity_m_s=[0.2, 0.0, 0.0])
    b = lone(60.0, 12.0, ports=port(ball(0.5, law)), position_m=[1.02, aside, 0.0])
    return pair(a, b, duration, step, every=max(step, 1e-3))


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses now."""
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    found = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return found


def wish(rate: float, role: Role, mine: int, other: int, **options: Any) -> Wish:
    link = Link(("127.0.0.1", mine), ("127.0.0.1", other), hold=10**6)
    return Wish(Pace(rate), link, lockstep=role, **options)


def couple(scenario: Keys, rate: float, **options: Any) -> tuple[Rig, Rig]:
    """Both sides in lock-step, each in its thread with its socket: first the vehicles, then the contact."""
    found: dict[str, Rig] = {}
    ports = free_ports(2)
    sides = {
        "vehicles": wish(rate, "lead", *ports, measured=list(scenario["contacts"]), send="motion", **options),
        "contact": wish(rate, "follow", *reversed(ports), send="contact", motion=["all"]),
    }

    def run(name: str) -> None:
        found[name] = run_scenario(load_scenario(scenario), sides[name])

    threads = [threading.Thread(target=run, args=(name,)) for name in sides]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120.0)
    return found["vehicles"], found["contact"]
