"""What each inexactness of the published mechanism model costs: `python -m benchmarks.inexactness`.

Golubev & Yaskevich (sections 4-6) simplify the motion of a docking mechanism in five places. Each is switched on alone
in the plain matrix formulation of the tests (`tests/oracle/mechanism_page.py`) and compared with the exact answer for
the same state of a mechanism on a free-floating base. Random states: ring poses within 5 cm and 0.1 rad (each axis) of
the reference and inside the leg limits, ring rates of given size and random direction, a base turning at 0.5 deg/s, a
contact force of given size at a random place of the ring, and the springs and dampers of the mechanism's file. A
relative error compares six numbers made alike by the radius of the ring joints; the table holds medians.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import yaml

from docksim.hardware.mechanism import Mechanism
from tests.oracle import mechanism_description as neutral
from tests.oracle.mechanism_page import EXACT, Shortcuts, floating
from tests.oracle.rotations import turn
from tests.support.mechanisms import to_oracle

CONFIGS = Path(__file__).resolve().parent.parent / "configs" / "mechanisms"
# name: file, and the leg type put in place of its own
MECHANISMS = {
    "nds_like UPS": ("nds_like.yaml", None),
    "its SPU variant": ("nds_like.yaml", "SPU"),
    "ucu_platform UCU": ("ucu_platform.yaml", None),
    "sxds_like RSU": ("sxds_like.yaml", None),
    "its RUS variant": ("sxds_like.yaml", "RUS"),
}
# what is dropped, what it is called, and where it is felt: in the ring's acceleration or in the reaction of the base
INEXACTNESSES = (
    ("constant_offset", "1 stroke missing from the velocity recursion", "ring"),
    ("no_eps_term", "2 no eps x d in the closure", "ring"),
    ("no_ring_drift", "3 no centripetal term of the ring", "ring"),
    ("zero_tip_load", "4 reactions start from zero at the ring", "base"),
    ("inertial_base", "5 base taken as inertial", "ring"),
)
RATES = (0.1, 1.0)  # of the ring against the base [m/s] and [rad/s]
BASE_RATE = np.radians(0.5)
TRAVEL, ANGLE = 0.05, 0.1  # of the poses [m, rad]


class Case(NamedTuple):
    """A mechanism in both descriptions."""

    api: Mechanism
    oracle: neutral.Mechanism


def load_case(file: str, leg_type: str | None) -> Case:
    keys = yaml.safe_load((CONFIGS / file).read_text(encoding="utf-8"))
    if leg_type:
        keys["symmetric"]["type"] = leg_type
    mechanism = Mechanism.load(keys)
    return Case(mechanism, to_oracle(mechanism))


def spacecraft(mass_kg: float) -> neutral.Link:
    """A cylinder-like vehicle behind the mechanism, its size growing with the cube root of its mass."""
    size = (mass_kg / 12000.0) ** (1.0 / 3.0)
    com = np.array([-2.5 * size, 0.0, 0.0])
    inertia = mass_kg * np.diag((np.array([1.3, 2.0, 2.0]) * size) ** 2)
    return neutral.Link(mass_kg, com, inertia + mass_kg * (com @ com * np.eye(3) - np.outer(com, com)))


def direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def random_pose(rng: np.random.Generator, api: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Near the reference; legs closed and inside their limits."""
    while True:
        position = np.array(api.reference[0]) + rng.uniform(-TRAVEL, TRAVEL, 3)
        vector = rng.uniform(-ANGLE, ANGLE, 3)
        half = 0.5 * float(np.linalg.norm(vector))
        quaternion = (np.cos(half), *(np.sin(half) / (2.0 * half) * vector))
        closed = api.closure((position, quaternion), strict=False)
        if not closed.unreachable and not np.any(api.beyond_limits(closed.actuated) > 0.0):
            return position, np.array(quaternion)


def random_state(rng: np.random.Generator, case: Case, rate: float, contact_N: float) -> neutral.State:
    """One state; the draws do not depend on the rate and the load, so that rows of the table share their states."""
    position, quaternion = random_pose(rng, case.api)
    half = np.linalg.norm(quaternion[1:])
    R_C = turn(2.0 * np.arctan2(half, quaternion[0]) / half * quaternion[1:])
    u = rate * np.concatenate([direction(rng), direction(rng)])
    force, azimuth = contact_N * direction(rng), rng.uniform(0.0, 2.0 * np.pi)
    place = R_C @ (case.api.ring_radius * np.array([0.0, np.cos(azimuth), np.sin(azimuth)]))
    forces = np.clip(case.api.spring_forces((position, quaternion), u), -case.api.force_limits, case.api.force_limits)
    Q = [np.zeros(leg.n) for leg in case.oracle.legs]
    for row, j, value in zip(Q, case.api.driven, forces):
        row[j] = value
    W_C = np.concatenate([np.cross(place, force), force])
    return neutral.State(position, R_C, u, Q, W_C, omega0=BASE_RATE * direction(rng))


def states(case: Case, count: int, seed: int, rate: float, contact_N: float) -> Iterator[neutral.State]:
    for k in range(count):
        yield random_state(np.random.default_rng([seed, k]), case, rate, contact_N)


def relative(found: np.ndarray, exact: np.ndarray, angular: float) -> float:
    """Error of six numbers, the angular ones first times a length, or its inverse for moments."""
    scale = np.array([angular] * 3 + [1.0] * 3)
    return float(np.linalg.norm(scale * (found - exact)) / np.linalg.norm(scale * exact))


def errors(
    case: Case, base: neutral.Link, state: neutral.State, variants: dict[str, Shortcuts]
) -> dict[str, tuple[float, float]]:
    """Relative errors of ring acceleration and base reaction, for each variant."""
    exact = floating(case.oracle, base, state)
    radius = case.api.ring_radius
    found = {}
    for name, shortcuts in variants.items():
        short = floating(case.oracle, base, state, shortcuts=shortcuts)
        ring = relative(short.u_dot, exact.u_dot, radius)
        found[name] = ring, relative(short.base_wrench, exact.base_wrench, 1.0 / radius)
    return found


def variants() -> dict[str, Shortcuts]:
    """Each inexactness alone."""
    return {name: replace(EXACT, **{name: True}) for name, _, _ in INEXACTNESSES}


def medians(
    case: Case, mass_kg: float, rate: float, count: int = 100, seed: int = 1, contact_N: float = 300.0
) -> dict[str, tuple[float, float]]:
    """Median errors (ring acceleration, base reaction) of each inexactness."""
    base, chosen = spacecraft(mass_kg), variants()
    rows = [errors(case, base, state, chosen) for state in states(case, count, seed, rate, contact_N)]
    return {name: tuple(np.median([row[name] for row in rows], axis=0)) for name in chosen}


def table(count: int, seed: int, contact_N: float) -> str:
    """All of it as a Markdown table."""
    cases = {name: load_case(*what) for name, what in MECHANISMS.items()}
    settings = [(mass, rate) for mass in (12000.0, 1000.0) for rate in RATES]
    found = {
        (name, *setting): medians(case, *setting, count, seed, contact_N)
        for name, case in cases.items()
        for setting in settings
    }
    lines = ["| left out | base, t | rates | " + " | ".join(cases) + " |", "|---|---|---|" + "---|" * len(cases)]
    for key, label, where in INEXACTNESSES:
        for mass, rate in settings:
            values = (found[name, mass, rate][key][0 if where == "ring" else 1] for name in cases)
            cells = " | ".join(f"{value:.1e}" if value else "0" for value in values)
            lines.append(f"| {label} | {mass / 1000.0:g} | {rate:g} | {cells} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inexactness", description=__doc__.split("\n")[0])
    parser.add_argument("--states", type=int, default=100, help="random states a median is taken over")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--contact-N", type=float, default=300.0, help="size of the contact force on the ring")
    told = parser.parse_args(arguments)
    print(table(told.states, told.seed, told.contact_N))


if __name__ == "__main__":
    main()
