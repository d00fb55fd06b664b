"""The approach, turned into position, attitude, velocity and rate of the vehicle that comes.

The reference frame F has its origin in the passive port's, its axes are the passive port's turned by half a turn about
z. The velocity given is that of the active port's origin as seen from F, which turns with the passive vehicle; the rate
is that of the active vehicle against the passive one. Neither port may move in its own vehicle at the start.

With `start_distance_m` the state at `distance_m` is traced back: offsets and angles by their rates times the time that
the closing rate needs. Rates stay, so errors are of second order in the angles turned on the way (0.2 deg/s for 5 s: a
degree).
"""

from __future__ import annotations

import math

from docksim.algebra.elementary import hypot
from docksim.algebra.quat import quat_mul, quat_t_vec, quat_vec
from docksim.algebra.vec3 import add, cross, sub
from docksim.config.contact import Approach
from docksim.config.fields import Attitude, Quaternion
from docksim.config.leg_geometry import Vector
from docksim.config.placement import Frame, base_frame, inverse, port_frame, within
from docksim.config.schema import Scenario, Vehicle

HALF_TURN: Quaternion = (0.0, 0.0, 0.0, 1.0)  # about z


def with_approach(scenario: Scenario) -> Scenario:
    """The scenario with the state of the active vehicle set as its approach says, and the approach gone."""
    approach = scenario.approach
    if approach is None:
        return scenario
    approach = at_the_start(approach)
    name, _, port = approach.active.partition(".")
    other, _, goal = approach.passive.partition(".")
    passive = scenario.vehicles[other]
    state = _state(approach, passive, port_frame(passive, goal), port_frame(scenario.vehicles[name], port))
    vehicle = scenario.vehicles[name].model_copy(update=state)
    return scenario.model_copy(update={"vehicles": {**scenario.vehicles, name: vehicle}, "approach": None})


def at_the_start(approach: Approach) -> Approach:
    """The approach with the state in which the run begins."""
    start = approach.start_distance_m
    if start is None or start == approach.distance_m:
        return approach
    ago = (start - approach.distance_m) / approach.closing_rate_m_s
    y, z = (at - ago * rate for at, rate in zip(approach.lateral_offset_m, approach.lateral_rate_m_s, strict=True))
    turns = {f"{name}_deg": getattr(approach, f"{name}_deg") - ago * getattr(approach, f"{name}_rate_deg_s")
             for name in ("roll", "pitch", "yaw")}  # fmt: skip
    changes = {"distance_m": start, "start_distance_m": None, "lateral_offset_m": (y, z), **turns}
    return approach.model_copy(update=changes)


def _state(approach: Approach, passive: Vehicle, goal: Frame, port: Frame) -> dict[str, object]:
    """Keys of the active vehicle, from the passive vehicle, its port, and the active port in their base frames."""
    base_P = base_frame(passive)
    at, axes = within(base_P, goal)
    axes = quat_mul(axes, HALF_TURN)
    # the active port, and with it the base of its vehicle
    y, z = approach.lateral_offset_m
    turn = Attitude(yaw_pitch_roll_deg=(approach.yaw_deg, approach.pitch_deg, approach.roll_deg)).quaternion_wxyz()
    here: Frame = (add(at, quat_vec(axes, (-approach.distance_m, y, z))), quat_mul(axes, turn))
    base = within(here, inverse(port))
    # rates, on W axes
    w_P = quat_vec(base_P[1], _radians(passive.rate_deg_s))
    relative = (approach.roll_rate_deg_s, approach.pitch_rate_deg_s, approach.yaw_rate_deg_s)
    w = add(w_P, quat_vec(here[1], _radians(relative)))
    v_y, v_z = approach.lateral_rate_m_s
    v = add(passive.velocity_m_s, cross(w_P, sub(here[0], base_P[0])))
    v = add(v, quat_vec(axes, (approach.closing_rate_m_s, v_y, v_z)))
    v = add(v, cross(w, sub(base[0], here[0])))
    return {
        "position_m": base[0],
        "attitude": Attitude(quaternion=_unit(base[1])),
        "velocity_m_s": v,
        "rate_deg_s": _degrees(quat_t_vec(base[1], w)),
    }


def _radians(vector: Vector) -> Vector:
    return (math.radians(vector[0]), math.radians(vector[1]), math.radians(vector[2]))


def _degrees(vector: Vector) -> Vector:
    return (math.degrees(vector[0]), math.degrees(vector[1]), math.degrees(vector[2]))


def _unit(q: Quaternion) -> Quaternion:
    size = hypot(*q)
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)
