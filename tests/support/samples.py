"""A made-up result with every kind of channel, for tests of saving, plotting, exporting and the command line.

The curves look like a docking: a chaser closes in, rings its arrays, joins a station and is pushed off again. They
solve no equations of motion.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from docksim.result.result import Channel, EventRecord, Result
from docksim.simulation.manifest import build_manifest

EVENTS = (
    EventRecord(12.0, "contact", "chaser.port joins station.port", 21.5),
    EventRecord(12.4, "latched", "phase HARD_DOCK"),
    EventRecord(45.0, "push_off", "chaser.port separates from station.port"),
)


RESIDUALS = {
    "energy.residual_J": 6e-8,
    "energy.residual_relative": 3e-10,
    "momentum.linear_residual_kg_m_s": 8e-12,
    "momentum.linear_residual_relative": 1e-14,
    "momentum.angular_residual_kg_m2_s": 2e-10,
    "momentum.angular_residual_relative": 1e-13,
}


def scenario(name: str = "sample", **content: Any) -> SimpleNamespace:
    """Stands in for a Scenario: a name, a seed, and text to save."""
    return SimpleNamespace(name=name, approach=None, seed=7, to_yaml=lambda: f"name: {name}\n", **content)


def result(rows: int = 601, segments: int = 8, name: str = "sample", **changes: Any) -> Result:
    """Two vehicles, two panels, a slide, a ball joint, a beam; `changes` replaces arguments of Result."""
    t = np.linspace(0.0, 60.0, rows)
    rng = np.random.default_rng(3)
    channels = [Channel("time_s", "s", "", "simulated time", t)]
    channels += _vehicle("chaser", t, -0.6, 1.0) + _vehicle("station", t, 0.02, 0.1)
    channels += _joints(t) + _beam(t, segments) + _system(t, rng)
    facts = {
        "scenario": scenario(name),
        "channels": channels,
        "outcome": "completed",
        "events": EVENTS,
        "metrics": {"peak_reaction_N": 812.25, "latch_angle_deg": 90.0, "case": "nominal", "rows": rows, **RESIDUALS},
        "manifest": build_manifest(name, 7, 1.5),
    }
    return Result(**(facts | changes))


def _vehicle(name: str, t: np.ndarray, start: float, size: float) -> list[Channel]:
    x = np.where(t < 12, start + 0.05 * t * size, start + 0.6 * size - 0.02 * size * np.clip(t - 45, 0, None))
    swing = size * np.exp(-t / 40)
    angle = np.radians(np.column_stack([12 * t * size, 8 * swing * np.sin(0.5 * t), 5 * swing * np.cos(0.4 * t)]))
    rate = np.degrees(np.gradient(angle, t, axis=0)) if len(t) > 1 else np.zeros_like(angle)
    position = np.column_stack([x, 0.03 * swing * np.sin(0.3 * t), 0.02 * swing * np.cos(0.3 * t)])
    velocity = np.gradient(position, t, axis=0) if len(t) > 1 else np.zeros_like(position)
    return [
        Channel(f"{name}.position_m", "m", "W", "position of the base frame's origin", position),
        Channel(f"{name}.attitude", "", "body to W", "unit quaternion", _quaternion(angle)),
        Channel(f"{name}.velocity_m_s", "m/s", "W", "velocity of the base frame's origin", velocity),
        Channel(f"{name}.rate_deg_s", "deg/s", "body", "angular velocity", rate),
    ]


def _quaternion(angle: np.ndarray) -> np.ndarray:
    """Rows (w, x, y, z) of the turn yaw, pitch', roll'' given as columns roll, pitch, yaw in rad."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angle / 2).T, np.sin(angle / 2).T
    return np.column_stack(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )


def _joints(t: np.ndarray) -> list[Channel]:
    channels = []
    for i, name in enumerate(("panel_left", "panel_right")):
        open_ = 90 * np.clip(t / (25 + 4 * i), 0, 1) ** 2 * (3 - 2 * np.clip(t / (25 + 4 * i), 0, 1))
        channels.append(Channel(f"chaser.{name}.angle_deg", "deg", "joint", "hinge angle", open_))
        channels.append(Channel(f"chaser.{name}.torque_Nm", "N m", "joint", "hinge torque", 3 * np.cos(0.2 * t + i)))
        force = np.column_stack([60 * np.exp(-((t - 12 - i) ** 2)), 8 * np.sin(t), 5 * np.cos(t)])
        channels.append(Channel(f"chaser.{name}.load_force_N", "N", "body", "reaction", force))
        channels.append(Channel(f"chaser.{name}.load_moment_Nm", "N m", "body", "reaction", 0.8 * force[:, ::-1]))
    slide = 0.05 * np.exp(-t / 9) * np.cos(2.2 * t)
    channels.append(Channel("chaser.probe.travel_m", "m", "joint", "probe extension", slide))
    channels.append(Channel("chaser.probe.force_N", "N", "joint", "probe force", -2e4 * slide))
    ball = np.column_stack([6 * np.sin(0.3 * t), 4 * np.sin(0.5 * t), 2 * np.sin(0.7 * t)])
    channels.append(Channel("station.dish.rotation_deg", "deg", "joint", "ball joint", ball))
    channels.append(Channel("chaser.load_force_N", "N", "body", "nothing holds a free base", np.zeros((len(t), 3))))
    return channels


def _beam(t: np.ndarray, segments: int) -> list[Channel]:
    ring = np.exp(-t / 30) * np.sin(1.7 * t)
    return [
        Channel(f"chaser.array.{k}.bend_y.angle_deg", "deg", "joint", "bending", 1.4 * ring / k)
        for k in range(1, segments + 1)
    ]


def _system(t: np.ndarray, rng: np.random.Generator) -> list[Channel]:
    kinetic = 180 * np.exp(-t / 50) + 40 * np.cos(1.7 * t) ** 2 * np.exp(-t / 30) - 21.5 * (t > 12) + 30 * (t > 45)
    potential = 40 * np.sin(1.7 * t) ** 2 * np.exp(-t / 30)
    noise = np.cumsum(rng.normal(size=(len(t), 3)), axis=0)
    return [
        Channel("energy.kinetic_J", "J", "", "kinetic energy", kinetic),
        Channel("energy.potential_J", "J", "", "energy of springs", potential),
        Channel("energy.work.joint_damping_J", "J", "", "work of dampers", -180 * (1 - np.exp(-t / 50))),
        Channel("energy.work.events_J", "J", "", "work of joins", -21.5 * (t > 12) + 30.0 * (t > 45)),
        Channel("energy.work.thrusters_J", "J", "", "work of thrusters", np.zeros_like(t)),
        Channel("energy.residual_J", "J", "", "energy balance", 3e-9 * noise[:, 0]),
        Channel("momentum.linear_residual", "kg m/s", "W", "linear momentum balance", 2e-13 * noise),
        Channel("momentum.angular_residual", "kg m2/s", "W", "angular momentum balance", 5e-12 * noise[:, ::-1]),
        Channel("phase", "", "", "phase of the run", (t > 12).astype(np.int64), labels=("APPROACH", "HARD_DOCK")),
    ]
