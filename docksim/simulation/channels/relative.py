"""Motion of one port against another, for every pair that may touch, or that events join or separate.

The convention is that of `approach`, and of the box of initial conditions that an interface standard states: the
active port, the one that comes, is seen from the passive one. Axes are the passive port's, turned by half a turn about
its z to face the comer: x along the approach, from the active port to the passive one. Mated without error, the active
port's axes are these. Passive is what the approach says, else the second port of the two.
Misalignment is yaw, then pitch, then roll, as in an approach: `roll_deg: 1` comes back as +1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from docksim.algebra.dense import applied, length, product
from docksim.algebra.rotations import roll_pitch_yaw, rotation_matrix
from docksim.compiler import Compiled
from docksim.compiler.parts import Place
from docksim.config.schema.joining import active_and_passive
from docksim.result.result import Channel

HALF_TURN = np.diag([-1.0, -1.0, 1.0])


def relative_channels(compiled: Compiled, logged: Mapping[str, np.ndarray]) -> Iterator[Channel]:
    """Channels "<first port>+<second port>.*" and "<contact>.*" from the logged motion of the two bodies."""
    for weld in compiled.assembly.joints:
        if weld.is_weld:
            first, _, second = weld.name.partition("+")
            yield from _pair_channels(compiled, weld.name, (first, second), logged)
    yield from meeting_channels(compiled, logged, compiled.scenario.contacts)


def meeting_channels(compiled: Compiled, logged: Mapping[str, np.ndarray], names: Iterable[str]) -> Iterator[Channel]:
    """Of these contact pairs alone."""
    for name in names:
        yield from _pair_channels(compiled, name, compiled.scenario.contacts[name].ports, logged)


def _pair_channels(
    compiled: Compiled, name: str, ports: tuple[str, str], logged: Mapping[str, np.ndarray]
) -> Iterator[Channel]:
    bodies, markers = compiled.assembly.bodies, compiled.assembly.markers
    seen = [markers[port] for port in active_and_passive(compiled.scenario, ports)]
    (x_A, v_A, w_A, R_A), (x_P, v_P, w_P, R_P) = (_port_motion(bodies[p.body].name, p.place, logged) for p in seen)
    # the passive port's axes, to face the comer
    to_F = np.swapaxes(product(R_P, HALF_TURN), 1, 2)
    d = x_A - x_P
    position = applied(to_F, d)
    velocity = applied(to_F, v_A - v_P - np.cross(w_P, d))
    misalignment = np.degrees(roll_pitch_yaw(product(to_F, R_A)))
    rate = np.degrees(applied(to_F, w_A - w_P))
    frame = "approach axes"
    yield Channel(f"{name}.position_m", "m", frame, "active port's origin from the passive port", position)
    yield Channel(f"{name}.velocity_m_s", "m/s", frame, "velocity of the active port's origin", velocity)
    turn = ("roll", "pitch", "yaw")
    about = "yaw, pitch, roll of the active port from the mated pose"
    yield Channel(f"{name}.misalignment_deg", "deg", frame, about, misalignment, turn)
    yield Channel(f"{name}.rate_deg_s", "deg/s", frame, "angular rate of the active port", rate)
    yield Channel(f"{name}.distance_m", "m", "", "distance of the ports' origins", length(d))


def _port_motion(body: str, port: Place, logged: Mapping[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    """Position, velocity and angular rate on W axes, and axes, of a port, row by row."""
    R = rotation_matrix(logged[f"{body}.attitude"])
    arm = applied(R, np.asarray(port.position))
    w = applied(R, np.radians(logged[f"{body}.rate_deg_s"]))
    x = logged[f"{body}.position_m"] + arm
    v = logged[f"{body}.velocity_m_s"] + np.cross(w, arm)
    return x, v, w, product(R, port.axes)
