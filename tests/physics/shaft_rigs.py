"""Mechanisms for the tests of devices: six parallel legs on a held base, so that the axial motion is one plain mass.

The legs stand side by side along x and have no mass: moved along x, every stroke is the ring's travel, and the ring's
mass (and the rotors) is all that the six equal devices move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.config import load_scenario
from docksim.simulation.channels.run import channels_of
from docksim.simulation.run import outcome_of, run_kernel

Keys = dict[str, Any]
MASS = 60.0
AZIMUTHS = [0.0, 60.0, 120.0, 180.0, 240.0, 300.0]
LENGTH = 0.5
RING = {"mass_kg": MASS, "inertia_kg_m2": [20.0, 11.0, 12.0]}
# an awkward six-leg mechanism with massive links, where everything moves everything
SKEWED = {
    "base_radius_m": 0.62,
    "ring_radius_m": 0.55,
    "base_azimuths_deg": [5.0, 55.0, 118.0, 170.0, 245.0, 301.0],
    "ring_azimuths_deg": [30.0, 38.0, 150.0, 140.0, 275.0, 270.0],
}
STEWART = {"type": "UPS", **SKEWED, "lower": {"mass_kg": 4.0}, "upper": {"mass_kg": 2.0}}
HUNT = {"type": "RUS", **SKEWED, "crank_m": 0.26, "rod_m": 0.5, "crank": {"mass_kg": 3.0}, "rod": {"mass_kg": 2.0}}


def mechanism(legs: Keys, actuator: Keys | None = None, couplings: Keys | None = None) -> Keys:
    reference = {"position_m": [0.42, 0.0, 0.0]}
    keys = {"ring": RING, "reference": reference, "symmetric": {**legs, "actuator": actuator or {}}}
    return {**keys, "couplings": couplings or {}}


def parallel(actuator: Keys | None = None, couplings: Keys | None = None) -> Keys:
    circles = {"base_radius_m": 0.6, "ring_radius_m": 0.6, "base_azimuths_deg": AZIMUTHS, "ring_azimuths_deg": AZIMUTHS}
    keys = mechanism({"type": "UPS", **circles}, actuator, couplings)
    return {**keys, "reference": {"position_m": [LENGTH, 0.0, 0.0]}}


def scenario(mounted: Keys, duration: float, step: float = 1e-3, push: float = 0.0, **sections: Any) -> Keys:
    """A held vehicle `v` with the mechanism, logged at every step; `push` is a force on the ring along x."""
    vehicle: Keys = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "anchored": True, "mechanism": mounted}
    if push:
        vehicle["loads"] = {"push": {"body": "ring", "force_N": [push, 0.0, 0.0]}}
    solver = {"duration_s": duration, "step_s": step}
    return {"vehicles": {"v": vehicle}, "solver": solver, "outputs": {"every_s": step}, **sections}


class Run:
    """A run from given ring rates (turn on ring axes, travel on base axes): channels by name, and how it ended."""

    def __init__(self, keys: Keys, ring_rate: Any = (0.0,) * 6) -> None:
        self.compiled: Compiled = compile_scenario(load_scenario(keys))
        joint = self.compiled.model.joint[int(self.compiled.model.mechanism[0].joint)]
        self.compiled.state.beta[int(joint.v) : int(joint.v) + 6] = ring_rate
        log = self.compiled.new_log()
        run_kernel(self.compiled, log)
        channels = channels_of(self.compiled, log)
        self.channels: dict[str, np.ndarray] = {channel.name: channel.data for channel in channels}
        self.outcome, self.reason = outcome_of(self.compiled)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.channels[name]

    def all_legs(self, quantity: str) -> np.ndarray:
        """(rows, 6) of a quantity of vehicle v's legs."""
        return np.array([self.channels[f"v.legs.{k}.{quantity}"] for k in range(1, 7)]).T


def along(rate: float) -> tuple[float, ...]:
    """Ring rates of a motion along x."""
    return (0.0, 0.0, 0.0, rate, 0.0, 0.0)
