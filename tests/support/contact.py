"""Interfaces, poses and compiled pair functions for the tests of contact."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.compiler.interface_shapes import InterfaceShape, contact_tables, gap_rows
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.model.contact import GAP, SWEEP
from tests.support.shapes import interface_shape

# B turned to face A: half a turn about y
FACING = np.diag([-1.0, 1.0, -1.0])
SHAPE = interface_shape()
TABLES = contact_tables([SHAPE, SHAPE])
NAMES = [row.name for row in gap_rows((SHAPE, SHAPE))]
RIMS = slice(12, 14)  # rows of the two crossings
Pose = tuple[np.ndarray, np.ndarray]


def new_gaps(shapes: tuple[InterfaceShape, InterfaceShape]) -> tuple[np.recarray, np.recarray]:
    """Rows for the gaps between two interfaces, and the scratch to find them."""
    rows = np.zeros(len(gap_rows(shapes)), GAP)
    rows["gap"] = np.inf
    return rows.view(np.recarray), np.zeros(1, SWEEP).view(np.recarray)


def turn(vector: Any) -> np.ndarray:
    """Rotation matrix of a rotation vector [rad]."""
    return Rotation.from_rotvec(np.asarray(vector, float)).as_matrix()


def pose(
    z: float = 0.0, x: float = 0.0, y: float = 0.0, about_x: float = 0.0, about_y: float = 0.0, roll: float = 0.0
) -> Pose:
    """B in A's frame: metres, degrees; first the roll about z, then the tilt."""
    R = turn(np.radians([about_x, about_y, 0.0])) @ turn(np.radians([0.0, 0.0, roll])) @ FACING
    return R, np.array([x, y, z])


def random_pose(rng: np.random.Generator, lateral: float = 0.12, tilt_deg: float = 12.0, z: float = 0.2) -> Pose:
    """Offset and tilt evenly over discs, any roll, axial separation from 0 to z: wider than a contact box by half."""
    (a, b), (u, v) = rng.uniform(0.0, 2.0 * np.pi, 2), np.sqrt(rng.random(2))
    tilt = np.radians(tilt_deg) * u * np.array([np.cos(a), np.sin(a), 0.0])
    R = turn(tilt) @ turn([0.0, 0.0, rng.uniform(0.0, 2.0 * np.pi)]) @ FACING
    return R, np.array([lateral * v * np.cos(b), lateral * v * np.sin(b), rng.uniform(0.0, z)])


def inverse(at: Pose) -> Pose:
    R, r = at
    return R.T, -R.T @ r


def args(at: Pose) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """A pose as the kernels take it."""
    return tuple(map(float, at[0].ravel())), tuple(map(float, at[1]))


def gaps(at: Pose, margin: float = np.inf, tables: Any = TABLES, shapes: Any = (SHAPE, SHAPE)) -> np.recarray:
    """All rows at a pose; `gap` is inf beyond the margin."""
    out, sweep = new_gaps(shapes)
    interface_gaps(tables, 0, 1, *args(at), float(margin), sweep[0], out)
    return out
