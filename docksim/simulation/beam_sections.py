"""Loads along the beams of a run, from its logged motion and the wrenches logged at the hinges between segments.

A beam's segments are rigid; inside one, the mass between hinge and section takes its part of the hinge's wrench:

    F_X = F_h - [m a_X + e x c + w x (w x c)]
    M_X = M_h - x x F_h - [c x a_X + J e + w x J w]        m, c, J of that mass about the section, a_X less gravity

The half segment at the root is done from its hinge inward. Where joining has turned the tree around, so that a segment
hangs on its outer neighbour, the hinge's wrench is what the inner segment feels, reversed. Things mounted on the tip
act there: no section is beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.algebra.dense import applied, product
from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.tables import mean_motion
from docksim.config.schema.scenario import ClohessyWiltshire
from docksim.config.schema.vehicle import Beam
from docksim.result.result import Result, ResultError
from docksim.result.sections import LineLoads

POINTS = 21


@dataclass(frozen=True, eq=False)
class Motion:
    """A segment over time: rotation to W, and on W axes where its frame is and how it moves against W."""

    R: np.ndarray  # (T, 3, 3)
    p: np.ndarray  # (T, 3)
    v: np.ndarray
    a: np.ndarray
    turning: np.ndarray  # angular rate and acceleration
    spin: np.ndarray
    lift: np.ndarray  # acceleration against axes that do not turn, less gravity; as the next two
    w: np.ndarray
    e: np.ndarray
    tide: np.ndarray  # (3,) gravity by the distance from the orbit, along the axes of W


def beams_of(result: Result) -> dict[str, Beam]:
    """Beams of all vehicles, by their names in the result."""
    vehicles = result.scenario.vehicles
    return {f"{name}.{key}": beam for name, vehicle in vehicles.items() for key, beam in vehicle.beams.items()}


def beam_lines(result: Result, points: int = POINTS) -> list[LineLoads]:
    """Loads along every beam of a run."""
    beams = beams_of(result)
    if not beams:
        raise ResultError(f"{result.scenario_name} has no beams; sections are those of beams, and of chains' links")
    return [beam_line(result, name, beam, points) for name, beam in beams.items()]


def beam_line(result: Result, name: str, beam: Beam, points: int = POINTS) -> LineLoads:
    """Loads along one beam."""
    if f"{name}.1.load_force_N" not in result:
        text = f"the run did not log the loads of its joints, so nothing is known inside '{name}'"
        raise ResultError(f"{text}; run it with outputs.joint_loads: true")
    structure = beam.structure
    wanted = dict(structure.sections) if structure else {}
    distance = np.array(sorted({*np.linspace(0.0, beam.length_m, points).tolist(), *wanted.values()}))
    orbit = result.scenario.environment
    rate = mean_motion(orbit) if isinstance(orbit, ClohessyWiltshire) else 0.0
    motions = [_motion(result, f"{name}.{i}", rate) for i in range(beam.segments + 1)]
    hinges = _hinge_wrenches(result, name, beam, motions)
    rows = [_section(beam, motions, hinges, float(d)) for d in distance]
    loads, place, velocity, acceleration = (np.stack(part, axis=1) for part in zip(*rows, strict=True))
    named = {key: int(np.searchsorted(distance, d)) for key, d in wanted.items()}
    allowable = structure.allowable.given() if structure and structure.allowable else {}
    factor = (structure.factor_of_safety or 1.0) if structure else 1.0
    return LineLoads(name, result.time_s, distance, loads, place, velocity, acceleration, named, allowable, factor)


# ---------------------------------------------------------------- what was logged


def _motion(result: Result, body: str, rate: float) -> Motion:
    R = rotation_matrix(result[f"{body}.attitude"])
    p, v, a = (result[f"{body}.{key}"] for key in ("position_m", "velocity_m_s", "acceleration_m_s2"))
    w = applied(R, np.radians(result[f"{body}.rate_deg_s"]))
    e = applied(R, np.radians(result[f"{body}.angular_acceleration_deg_s2"]))
    # axes of W turn with the orbit
    n, tide = np.array([0.0, 0.0, rate]), rate * rate * np.array([2.0, -1.0, -1.0])
    lift = a + 2.0 * np.cross(n, v) + np.cross(n, np.cross(n, p)) - tide * p
    return Motion(R, p, v, a, w, e, lift, w + n, e + np.cross(n, w), tide)


def _hinge_wrenches(
    result: Result, name: str, beam: Beam, motions: list[Motion]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Force and moment (T, 3) of the inner on the outer segment at hinges 1 to N, on W axes."""
    forces, moments = (
        [applied(motion.R, result[f"{name}.{i}.{key}"]) for i, motion in enumerate(motions)]
        for key in ("load_force_N", "load_moment_Nm")
    )
    # the clamped half segment hangs on the root as long as the difference of its loads is what moves it
    half = 0.5 * beam.length_m / beam.segments
    moves, _ = _inertia(beam, motions[0], np.zeros(3), (0.0, half))
    apart = np.linalg.norm(forces[0] - forces[1] - moves, axis=1)
    scale = sum(np.linalg.norm(part, axis=1) for part in (forces[0], forces[1], moves))
    turned = (apart > 1e-6 * scale)[:, None]
    return [
        (np.where(turned, -forces[i - 1], forces[i]), np.where(turned, -moments[i - 1], moments[i]))
        for i in range(1, beam.segments + 1)
    ]


# ---------------------------------------------------------------- inside a segment


def _section(
    beam: Beam, motions: list[Motion], hinges: list[tuple[np.ndarray, np.ndarray]], distance: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Loads (T, 6), position, velocity and acceleration (T, 3) of a section."""
    piece = beam.length_m / beam.segments
    i = min(int(np.floor(distance / piece + 0.5 + 1e-9)), beam.segments)
    start = (i - 0.5) * piece if i else 0.0
    motion, ahead = motions[i], distance - start
    x = np.array([ahead, 0.0, 0.0])
    hinge = np.array([0.0 if i else 0.5 * piece, 0.0, 0.0])
    force, moment = hinges[max(i, 1) - 1]
    # mass between hinge and section: inside the section for outer segments, beyond it in the half one at the root
    own, turn = _inertia(beam, motion, x, (0.0, ahead) if i else (ahead, 0.5 * piece))
    sign = -1.0 if i else 1.0
    arm = applied(motion.R, hinge - x)
    F = force + sign * own
    M = moment + np.cross(arm, force) + sign * turn
    axes = np.swapaxes(motion.R, 1, 2)
    loads = -np.concatenate([applied(axes, F), applied(axes, M)], axis=1)
    reach, w = applied(motion.R, x), motion.turning
    velocity = motion.v + np.cross(w, reach)
    return loads, motion.p + reach, velocity, motion.a + np.cross(motion.spin, reach) + np.cross(w, np.cross(w, reach))


def _inertia(beam: Beam, motion: Motion, x: np.ndarray, span: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Force and moment about x (T, 3) that move the uniform mass between two places of a segment, on W axes."""
    length = span[1] - span[0]
    mass = beam.mass_kg * length / beam.length_m
    middle = 0.5 * (span[0] + span[1])
    l2, w2, t2 = (size * size for size in (length, beam.width_m, beam.thickness_m))
    c = applied(motion.R, mass * (np.array([middle, 0.0, 0.0]) - x))
    off = mass * (middle - x[0]) ** 2
    about_x = mass / 12.0 * np.array([w2 + t2, l2 + t2, l2 + w2]) + np.array([0.0, off, off])
    J = product(motion.R * about_x, np.swapaxes(motion.R, 1, 2))
    reach, w, e, tide = applied(motion.R, x), motion.w, motion.e, motion.tide
    lift = motion.lift + np.cross(e, reach) + np.cross(w, np.cross(w, reach)) - tide * reach
    force = mass * lift + np.cross(e, c) + np.cross(w, np.cross(w, c)) - tide * c
    # moment of the tide about the section: products of inertia with the differences of its three parts
    gradient = np.stack([(tide[j] - tide[k]) * -J[:, j, k] for j, k in ((2, 1), (0, 2), (1, 0))], axis=1)
    return force, np.cross(c, lift) + applied(J, e) + np.cross(w, applied(J, w)) - gradient
