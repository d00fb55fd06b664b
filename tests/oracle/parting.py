"""Two rigid bodies pushed apart by rods, and held at one place by a hook, by scipy's integrator with its own events.

Newton and Euler for each body; a rod at a point of B presses on A's plane along its normal, from its first force to its
last over its stroke. Each stretch between two events is integrated by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from tests.oracle.rotations import cross


@dataclass
class Rigid:
    """Mass, inertia about the mass centre and its place, port and its outward axis: all in the body's frame."""

    mass: float
    inertia: np.ndarray
    centre: np.ndarray
    port: np.ndarray
    axis: np.ndarray


@dataclass
class Rod:
    """Where it stands on B, its force at both ends, its stroke."""

    place: np.ndarray
    first: float
    last: float
    stroke: float


@dataclass
class Hook:
    """Where it stands on B, its stiffness, the pull that it begins with, and when it opens."""

    place: np.ndarray
    stiffness: float
    pull: float
    opens: float


def parted(plate: Rigid, carrier: Rigid, attitudes: list[Rotation], rods: list[Rod], hook: Hook | None = None) -> dict:
    """From rest in mate until the last rod has lost touch: rates of both on body axes, velocities of mass centres."""
    bodies = (plate, carrier)
    state = np.zeros(26)
    for k, (body, turn) in enumerate(zip(bodies, attitudes, strict=True)):
        # ports together at the origin
        state[13 * k : 13 * k + 3] = turn.apply(body.centre - body.port)
        state[13 * k + 3 : 13 * k + 7] = turn.as_quat()

    def turn_of(y, k):
        return Rotation.from_quat(y[13 * k + 3 : 13 * k + 7])

    def way(y, place):
        """Of a point of B from A's plane; the point, the normal."""
        n = turn_of(y, 0).apply(plate.axis)
        point = y[13:16] + turn_of(y, 1).apply(place - carrier.centre)
        origin = y[0:3] + turn_of(y, 0).apply(plate.port - plate.centre)
        return n @ (point - origin), point, n

    def rate(t, y, active, held):
        force, moments = np.zeros(3), [np.zeros(3), np.zeros(3)]
        pushes = [(rod.place, lambda d, r=rod: r.first + (r.last - r.first) * d / r.stroke) for rod in active]
        if held:
            pushes.append((hook.place, lambda d: -max(hook.pull + hook.stiffness * d, 0.0)))
        for place, law in pushes:
            d, point, n = way(y, place)
            force += law(d) * n
            for k in range(2):
                moments[k] += cross(point - y[13 * k : 13 * k + 3], law(d) * n)
        out = np.zeros(26)
        for k, (body, sign) in enumerate(zip(bodies, (-1.0, 1.0), strict=True)):
            own = y[13 * k : 13 * k + 13]
            w = own[10:13]
            torque = turn_of(y, k).inv().apply(sign * moments[k])
            out[13 * k : 13 * k + 3] = own[7:10]
            x, y_, z, s = own[3:7]
            out[13 * k + 3 : 13 * k + 7] = 0.5 * np.array(
                [
                    s * w[0] + y_ * w[2] - z * w[1],
                    s * w[1] + z * w[0] - x * w[2],
                    s * w[2] + x * w[1] - y_ * w[0],
                    -x * w[0] - y_ * w[1] - z * w[2],
                ]
            )
            out[13 * k + 7 : 13 * k + 10] = sign * force / body.mass
            out[13 * k + 10 : 13 * k + 13] = np.linalg.solve(body.inertia, torque - cross(w, body.inertia @ w))
        return out

    t, active, held = 0.0, list(rods), hook is not None
    while active:
        ends = [lambda t, y, active, held, r=rod: way(y, r.place)[0] - r.stroke for rod in active]
        for end in ends:
            end.terminal = True
        until = hook.opens if held else t + 10.0
        found = solve_ivp(
            rate, (t, until), state, "DOP853", None, events=ends, args=(active, held), rtol=1e-12, atol=1e-13
        )
        t, state = found.t[-1], found.y[:, -1]
        if found.status == 0:
            held = False
        active = [rod for rod in active if way(state, rod.place)[0] < rod.stroke - 1e-11]
    return {"t": t, "rates": (state[10:13], state[23:26]), "velocities": (state[7:10], state[20:23])}
