"""Events one after the other, as they fall: momentum and energy close through every combination of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import docksim
from tests.physics.test_retraction import mount
from tests.support.rigs import Keys, body, lone

STEP, DURATION, EVERY = 1e-3, 1.6, 0.08
ROTARY, LINEAR, RING = "a.arm", "a.slide", "a.ring"
TREES = (("a.nose", "b.dock"), ("a.ring.face", "b.dock"), ("b.back", "c.dock"))
HINGE = {"type": "revolute", "axis": [0.2, 1.0, 0.3], "position_m": [-0.5, 0.6, 0.0], "stiffness_Nm_rad": 40.0}
SLIDE = {"type": "prismatic", "axis": [0.0, 0.3, 1.0], "position_m": [0.0, 0.0, 0.6], "stiffness_N_m": 300.0}


def scene(kind: str) -> Keys:
    """A vehicle with arm, slide, cover and docking mechanism, one with a panel, and a third; all of them tumble."""
    travel = {"base_travel_axial_m": -0.08, "base_travel_radial_m": 0.02}
    bodies = {
        "arm": body(20.0, [1.0, 4.0, 4.2], {**HINGE, "rate_deg_s": 12.0}, (0.5, 0.0, 0.0)),
        "slide": body(15.0, [1.0, 1.2, 0.8], {**SLIDE, "velocity_m_s": 0.05}, (0.0, 0.1, 0.3)),
        "cover": body(5.0, [0.3, 0.4, 0.5], {"type": "fixed", "position_m": [0.0, -0.7, 0.0]}, (0.0, -0.1, 0.0)),
    }
    mechanism = {**mount(kind, **travel), "position_m": [1.0, 0.1, 0.0], "ports": {"face": {"position_m": [0.1, 0, 0]}}}
    a = lone(
        300.0, [150.0, 200.0, 250.0], bodies=bodies, mechanism=mechanism, rate_deg_s=[3.0, -4.0, 2.0],
        ports={"nose": {"position_m": [1.2, 0.0, 0.0]}}, velocity_m_s=[0.03, 0.0, -0.01],
        thrusters={"aft": {"direction": [1.0, 0.2, 0.0], "force_N": 40.0, "position_m": [-1.0, 0.3, 0.0]}},
    )  # fmt: skip
    panel = body(12.0, [0.5, 3.0, 3.2], {**HINGE, "rate_deg_s": -5.0}, (0.4, 0.0, 0.1))
    sides = {"dock": {"position_m": [-1.0, 0.0, 0.0]}, "back": {"position_m": [1.0, 0.2, 0.0]}}
    b = lone(
        200.0, [90.0, 110.0, 120.0], bodies={"panel": panel}, ports=sides, position_m=[3.5, 0.2, 0.1],
        rate_deg_s=[-2.0, 1.0, 5.0], velocity_m_s=[-0.04, 0.01, 0.0],
    )  # fmt: skip
    c = lone(80.0, 30.0, ports={"dock": {}}, position_m=[6.0, -0.5, 0.0], rate_deg_s=[4.0, 4.0, -6.0])
    return {"a": a, "b": b, "c": c}


class Story:
    """Draws actions that can be done where the events before have left the scene."""

    def __init__(self, rng: np.random.Generator, kind: str) -> None:
        self.rng, self.kind = rng, kind
        self.joined: set[tuple[str, str]] = set()
        self.cover = True
        self.fires = False

    def actions(self) -> list[Keys]:
        """One, or two at the same instant."""
        self.fires = False
        return [self.action() for _ in range(int(self.rng.choice([1, 1, 2])))]

    def action(self) -> Keys:
        kinds = (self.lock, self.release, self.drive, self.join, self.separate, self.jettison, self.fire, self.retract,
                 self.set)  # fmt: skip
        while True:
            found = self.rng.choice(np.array(kinds, object))()
            if found is not None:
                return found

    def joint(self) -> str:
        return str(self.rng.choice([ROTARY, LINEAR, RING, "b.panel"]))

    def lock(self) -> Keys:
        return {"lock": self.joint()}

    def release(self) -> Keys:
        return {"release": self.joint()}

    def drive(self) -> Keys:
        turns = bool(self.rng.integers(2))
        unit, size = ("deg", 20.0) if turns else ("m", 0.1)
        x = float(self.rng.uniform(-size, size))
        profiles: list[Keys] = [
            {"kind": "move", f"to_{unit}": x, "duration_s": float(self.rng.choice([0.1, 0.5]))},
            {"kind": "rate", f"rate_{unit}_s": x},
            {"kind": "sine", f"amplitude_{unit}": 0.2 * x, "frequency_Hz": 0.7},
            {"kind": "hold"},
        ]
        profile = profiles[int(self.rng.integers(len(profiles)))]
        return {"drive": {"joint": ROTARY if turns else LINEAR, "profile": profile}}

    def join(self) -> Keys | None:
        ports = TREES[int(self.rng.integers(len(TREES)))]
        taken = {port for pair in self.joined for port in pair}
        # a and b meet once, at the nose or at the ring
        if set(ports) & taken:
            return None
        self.joined.add(ports)
        return {"join": list(ports)}

    def separate(self) -> Keys | None:
        if not self.joined:
            return None
        ports = sorted(self.joined)[int(self.rng.integers(len(self.joined)))]
        self.joined.remove(ports)
        push_off = {"stiffness_N_m": 2000.0, "stroke_m": 0.02}
        return {"separate": {"ports": list(ports), **({"push_off": push_off} if self.rng.integers(2) else {})}}

    def jettison(self) -> Keys | None:
        if not self.cover:
            return None
        self.cover = False
        return {"jettison": {"body": "a.cover", "push_off": {"stiffness_N_m": 500.0, "stroke_m": 0.02}}}

    def fire(self) -> Keys | None:
        if self.fires:
            return None
        self.fires = True
        return {"fire": {"thruster": "a.aft", "duration_s": float(self.rng.choice([0.05, 0.2]))}}

    def retract(self) -> Keys:
        fraction, duration = float(self.rng.uniform()), float(self.rng.choice([0.15, 0.4]))
        return {"retract": {"mechanism": "a", "fraction": fraction, "duration_s": duration}}

    def set(self) -> Keys:
        key = "damping_Nms_rad" if self.kind in ("RUS", "RSU") else "damping_Ns_m"
        return {"set": {"device": "a.legs", key: float(self.rng.uniform(0.0, 50.0))}}


def told(seed: int, kind: str) -> Keys:
    story = Story(np.random.default_rng(seed), kind)
    times = np.arange(1, int(DURATION / EVERY)) * EVERY
    events = {f"e{i}": {"when": {"time_s": float(t)}, "do": story.actions()} for i, t in enumerate(times)}
    return {"vehicles": scene(kind), "events": events, "solver": {"duration_s": DURATION, "step_s": STEP},
            "outputs": {"every_s": 0.01, "joint_loads": False}}  # fmt: skip


@pytest.mark.parametrize("kind", ["UPS", "RUS", "RSU"])
@pytest.mark.parametrize("seed", range(6))
def test_momentum_and_energy_close_through_strings_of_events(kind: str, seed: int) -> None:
    result = docksim.run(told(seed, kind))
    assert result.outcome == "completed", result.reason
    assert len(result.events) == len(result.scenario.events)
    left: dict[str, Any] = {
        key: np.abs(result[f"momentum.{key}_residual"]).max() / result[f"momentum.{key}_traffic"].max()
        for key in ("linear", "angular")
    }
    energy = np.abs(result["energy.residual_J"]).max() / result["energy.kinetic_J"].max()
    print(f"{kind} {seed}: momentum {left['linear']:.1e}, {left['angular']:.1e}, energy {energy:.1e}")
    assert max(left.values()) < 1e-9
    assert energy < 1e-6
