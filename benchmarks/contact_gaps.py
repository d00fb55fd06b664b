"""Cost of the gaps between docking interfaces: each pair, and the whole set at typical poses.

`python -m benchmarks.contact_gaps` prints nanoseconds per call, the best of many short slices. Pairs are timed over
256 different poses in turn, petals at gaps of -5 to 10 mm, so that no branch is learnt by heart; the loop and its sums
are in the figure. A margin of 10 mm is what a simulation asks for; "every gap exact" has no margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module

import numpy as np
from scipy.spatial.transform import Rotation

from benchmarks.timing import Task, costs
from docksim.algebra.vec3 import axpy, load3, load9, mat_vec
from docksim.compiler.interface_shapes import contact_tables
from docksim.kernel.contact.gaps import capsule_capsule, point_face, sphere_plane, sphere_rim, sphere_sphere
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.kernel.contact.petal import petal_on_rim, petal_on_sphere, rim_on_petal
from docksim.kernel.contact.rims import crossing_gap, rim_centre, rim_crossings
from docksim.model.contact import ContactTables
from docksim.native.decorators import kernel
from tests.support.contact import new_gaps
from tests.support.shapes import interface_shape

POSES = 256
FACING = Rotation.from_rotvec([0.0, math.pi, 0.0])


@kernel
def _petal_on_rim(tables, R, r, sweep, count):
    total = 0.0
    b = tables.interface[1]
    for k in range(count):
        i = k % len(R)
        gap, x, n, _, _ = petal_on_rim(
            tables.petal[0], load9(R[i]), load3(r[i]), b.rim_radius, b.rim_height, b.rim_tube, math.inf, sweep[0]
        )
        total += gap + x[0] + n[0]
    return total


@kernel
def _rim_on_petal(tables, R, r, sweep, count):
    total = 0.0
    a = tables.interface[0]
    for k in range(count):
        i = k % len(R)
        gap, x, n, _, _ = rim_on_petal(
            a.rim_radius, a.rim_height, a.rim_tube, tables.petal[3], load9(R[i]), load3(r[i]), math.inf, sweep[0]
        )
        total += gap + x[0] + n[0]
    return total


@kernel
def _petal_on_sphere(tables, R, r, sweep, count):
    total = 0.0
    for k in range(count):
        i = k % len(R)
        at = axpy(0.3, load3(R[i]), load3(r[i]))
        gap, x, n, _, _ = petal_on_sphere(tables.petal[0], at, 0.02, math.inf, sweep[0])
        total += gap + x[0] + n[0]
    return total


@kernel
def _rim_on_rim(tables, R, r, sweep, count):
    total = 0.0
    a, b = tables.interface[0], tables.interface[1]
    for k in range(count):
        turn = load9(R[k % len(R)])
        C = rim_centre(a, b, turn, load3(r[k % len(R)]))
        _, X, _, _ = rim_crossings(a, b, turn, C, math.inf, sweep[0])
        gap, x, n = crossing_gap(a, b, X)
        total += gap + x[0] + n[0]
    return total


@kernel
def _edge_on_edge(tables, R, r, sweep, count):
    total = 0.0
    p, q = tables.petal[0], tables.petal[3]
    for k in range(count):
        i = k % len(R)
        M = load9(R[i])
        at, along = axpy(1.0, mat_vec(M, load3(q.right_from)), load3(r[i])), mat_vec(M, load3(q.right_along))
        gap, x, n, _, _ = capsule_capsule(load3(p.right_from), load3(p.right_along), p.radius, at, along, q.radius)
        total += gap + x[0] + n[0]
    return total


@kernel
def _sphere_on_rim(tables, R, r, sweep, count):
    total = 0.0
    for k in range(count):
        gap, x, n = sphere_rim(load3(r[k % len(R)]), 0.02, 0.61, -0.01, 0.01)
        total += gap + x[0] + n[0]
    return total


@kernel
def _sphere_on_sphere(tables, R, r, sweep, count):
    total = 0.0
    for k in range(count):
        gap, x, n = sphere_sphere((0.1, 0.2, 0.3), 0.02, load3(r[k % len(R)]), 0.03)
        total += gap + x[0] + n[0]
    return total


@kernel
def _sphere_on_plane(tables, R, r, sweep, count):
    total = 0.0
    for k in range(count):
        i = k % len(R)
        gap, x, n = sphere_plane(load3(r[i]), 0.02, (0.1, 0.2, 0.3), load3(R[i]))
        total += gap + x[0] + n[0]
    return total


@kernel
def _point_on_face(tables, R, r, sweep, count):
    total = 0.0
    for k in range(count):
        gap, x, n = point_face(load3(r[k % len(R)]), 0.6, 0.62, 0.02)
        total += gap + x[0] + n[0]
    return total


@kernel
def _whole(tables, R, r, margin, sweep, out, count):
    total = 0.0
    for _ in range(count):
        total += interface_gaps(tables, 0, 1, load9(R[0]), load3(r[0]), margin, sweep[0], out, True)
    return total


PAIRS = {
    "petal on rim": _petal_on_rim,
    "rim on petal": _rim_on_petal,
    "petal on sphere": _petal_on_sphere,
    "rim on rim": _rim_on_rim,
    "edge on edge": _edge_on_edge,
    "sphere on rim": _sphere_on_rim,
    "sphere on sphere": _sphere_on_sphere,
    "sphere on plane": _sphere_on_plane,
    "point on ring face": _point_on_face,
}
# z, x, y [m]; tilt about x and y, roll [deg]
WHOLE = {
    "far, 3 m": (3.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "approach, 0.5 m": (0.5, 0.05, 0.02, 3.0, 2.0, 3.0),
    "petals about to interleave, 0.2 m": (0.2, 0.05, 0.02, 3.0, 2.0, 3.0),
    "one edge in contact": (0.148654, 0.05, 0.05, 4.0, 4.0, 4.0),
    "one petal in contact": (0.0987, -0.1, 0.0, 0.0, 0.0, 0.0),
    "petals in contact, almost seated": (0.006, 0.01, 0.002, 0.05, 0.1, 0.2),
    "seated": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}


def pose(z: float, x: float, y: float, about_x: float, about_y: float, roll: float) -> tuple[np.ndarray, np.ndarray]:
    """B in A's frame, as one row."""
    tilt = Rotation.from_rotvec(np.radians([about_x, about_y, 0.0]))
    R = tilt * Rotation.from_rotvec(np.radians([0.0, 0.0, roll])) * FACING
    return R.as_matrix().reshape(1, 9), np.array([[x, y, z]])


def contact_poses(tables: ContactTables, sweep: np.recarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses at which the first petals are between 5 mm of penetration and 10 mm of gap, one way or the other."""
    rng = np.random.default_rng(1)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    rim = (0.61, -0.01, 0.01, math.inf, sweep[0])
    while len(found) < POSES:
        R, r = pose(*rng.uniform([0.0, -0.1, -0.1, -8.0, -8.0, -8.0], [0.18, 0.1, 0.1, 8.0, 8.0, 8.0]))
        if -0.005 < petal_on_rim(tables.petal[0], tuple(R[0]), tuple(r[0]), *rim)[0] < 0.01:
            found.append((R[0], r[0]))
    return np.array([R for R, _ in found]), np.array([r for _, r in found])


def main(repeats: int = 60, seconds: float = 0.003) -> None:
    shape = interface_shape()
    tables = contact_tables([shape, shape])
    out, sweep = new_gaps((shape, shape))
    R, r = contact_poses(tables, sweep)
    tasks: dict[str, Task] = {name: _pair_task(task, tables, R, r, sweep) for name, task in PAIRS.items()}
    for name, place in WHOLE.items():
        for margin, what in ((0.01, "margin 10 mm"), (math.inf, "every gap exact")):
            tasks[f"all pairs: {name}, {what}"] = _whole_task(tables, place, margin, sweep, out)
    for name, cost in costs(tasks, repeats, seconds).items():
        print(f"{name:65s} {1e9 * cost.best:8.1f} ns")


def _pair_task(task: Callable, tables: ContactTables, R: np.ndarray, r: np.ndarray, sweep: np.recarray) -> Task:
    return lambda count: task(tables, R, r, sweep, count)


def _whole_task(tables: ContactTables, place: tuple, margin: float, sweep: np.recarray, out: np.recarray) -> Task:
    R, r = pose(*place)
    return lambda count: _whole(tables, R, r, margin, sweep, out, count)


if __name__ == "__main__":
    # compiled code belongs to the module by its own name
    import_module("benchmarks.contact_gaps").main()
