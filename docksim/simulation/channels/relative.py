"""Motion of one port against another, for every pair that may touch, or that events join or separate.

Two ports are mated when they face each other: the second port's frame is the first one's turned by half a turn about z.
Misalignment is the rotation vector from that pose to the actual one, on the axes of the first port: x is roll, y and z
are pitch and yaw. Position and velocity are those of the second port's origin as seen from the first port's frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from docksim.algebra.dense import applied, length, product
from docksim.algebra.rotations import rotation_vectors
from docksim.compiler import Compiled
from docksim.compiler.parts import Marker, Place, rotation_matrix
from docksim.result.result import Channel

HALF_TURN = np.diag([-1.0, -1.0, 1.0])


def relative_channels(compiled: Compiled, logged: Mapping[str, np.ndarray], every: bool = True) -> Iterator[Channel]:
    """Channels "<first port>+<second port>.*" or "<contact>.*" from the logged motion of the two bodies.

    Only the latter if not `every`.
    """
    for weld in compiled.assembly.joints:
        if every and weld.is_weld:
            ports = Marker(weld.pred, weld.F), Marker(weld.succ, weld.M)
            yield from _pair_channels(compiled, weld.name, ports, logged)
    for name, pair in compiled.scenario.contacts.items():
        a, b = (compiled.assembly.markers[port] for port in pair.ports)
        yield from _pair_channels(compiled, name, (a, b), logged)


def _pair_channels(
    compiled: Compiled, name: str, ports: tuple[Marker, Marker], logged: Mapping[str, np.ndarray]
) -> Iterator[Channel]:
    bodies = compiled.assembly.bodies
    (x_A, v_A, w_A, R_A), (x_B, v_B, w_B, R_B) = (_port_motion(bodies[p.body].name, p.place, logged) for p in ports)
    to_A = np.swapaxes(R_A, 1, 2)
    d = x_B - x_A
    position = _turned(to_A, d)
    velocity = _turned(to_A, v_B - v_A - np.cross(w_A, d))
    misalignment = np.degrees(rotation_vectors(product(to_A, R_B, HALF_TURN)))
    rate = np.degrees(_turned(to_A, w_B - w_A))
    frame = "first port"
    yield Channel(f"{name}.position_m", "m", frame, "second port's origin from the first port", position)
    yield Channel(f"{name}.velocity_m_s", "m/s", frame, "velocity of the second port's origin", velocity)
    turn = ("roll", "pitch", "yaw")
    yield Channel(f"{name}.misalignment_deg", "deg", frame, "turn from the mated pose", misalignment, turn)
    yield Channel(f"{name}.rate_deg_s", "deg/s", frame, "angular rate of the second port", rate)
    yield Channel(f"{name}.distance_m", "m", "", "distance of the ports' origins", length(d))


def _port_motion(body: str, port: Place, logged: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """Position, velocity and angular rate on W axes, and axes, of a port, row by row."""
    R = rotation_matrix(logged[f"{body}.attitude"])
    arm = applied(R, np.asarray(port.position))
    w = _turned(R, np.radians(logged[f"{body}.rate_deg_s"]))
    x = logged[f"{body}.position_m"] + arm
    v = logged[f"{body}.velocity_m_s"] + np.cross(w, arm)
    return x, v, w, product(R, port.axes)


def _turned(R: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return applied(R, vectors)
