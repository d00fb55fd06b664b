"""Where vehicles start: the approach turned into position, attitude, velocity and rate of the vehicle that comes.

The reference frame F has its origin in the passive port's, its axes are the passive port's turned by half a turn about
z. The velocity given is that of the active port's origin as seen from F, which turns with the passive vehicle; the rate
is that of the active vehicle against the passive one. Neither port may move in its own vehicle at the start.

A run that begins before the state holds begins on the two free flights that lead to it: mass centres go straight on,
each vehicle turns at its constant rate. Left out are the turning of the rate of a body that is no sphere (0.2 deg/s
over the 20 ms before a contact: less than 1e-7 deg), thrust, orbit (1e-8 m in 20 ms) and parts that move in their
vehicle; over seconds, as `start_distance_m` may ask for, an orbit's part is some millimetres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from docksim.algebra.elementary import hypot
from docksim.algebra.quat import axis_quat, quat_mul, quat_t_vec, quat_vec
from docksim.algebra.rotations import roll_pitch_yaw, rotation_matrix
from docksim.algebra.vec3 import ZERO, Vec3, add, axpy, cross, scale, sub
from docksim.compiler.parts import radians3
from docksim.config.schema.contact import Approach
from docksim.config.schema.fields import Attitude, Quaternion
from docksim.config.schema.placement import Frame, base_frame, inverse, mass_centre, port_frame, within
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle

HALF_TURN: Quaternion = (0.0, 0.0, 0.0, 1.0)  # about z


@dataclass(frozen=True)
class Placement:
    """How far apart the ports are where the state of an approach holds, and how long before that a run begins."""

    distance_m: float
    before_s: float = 0.0


class VehicleStart(NamedTuple):
    """A vehicle, and where it starts: its base in W, the base's velocity on W axes and its rate on its own."""

    vehicle: Vehicle
    base: Frame
    velocity: Vec3  # [m/s]
    rate: Vec3  # [rad/s]


def start_of(vehicle: Vehicle) -> VehicleStart:
    """As the vehicle's own keys say."""
    return VehicleStart(vehicle, base_frame(vehicle), vehicle.velocity_m_s, radians3(vehicle.rate_deg_s))


def starts(scenario: Scenario, placement: Placement | None = None) -> dict[str, VehicleStart]:
    """Of all vehicles, the active one as the approach says.

    `placement` is where a state that holds at contact does; without it that vehicle stays where the file has it, for
    who needs its parts and not its place.
    """
    own = {name: start_of(vehicle) for name, vehicle in scenario.vehicles.items()}
    approach = scenario.approach
    placement = placement or given_placement(approach)
    if approach is not None and placement is not None:
        name, other = (port.partition(".")[0] for port in (approach.active, approach.passive))
        passive = Flight(own[other]).at(placement.before_s)
        active = meeting(approach, own[name].vehicle, passive, placement.distance_m)
        own[name] = Flight(active).at(-placement.before_s)
    return own


def given_placement(approach: Approach | None) -> Placement | None:
    """Of a state that holds at a given distance."""
    if approach is None or approach.distance_m is None or approach.holds_at != "distance":
        return None
    start = approach.start_distance_m
    if start is None or start == approach.distance_m:
        return Placement(approach.distance_m)
    return Placement(approach.distance_m, (start - approach.distance_m) / approach.closing_rate_m_s)


def meeting(approach: Approach, active: Vehicle, passive: VehicleStart, distance: float) -> VehicleStart:
    """The active vehicle in the state of the approach, the ports so far apart."""
    goal = port_frame(passive.vehicle, approach.passive.partition(".")[2])
    port = port_frame(active, approach.active.partition(".")[2])
    at, axes = within(passive.base, goal)
    axes = quat_mul(axes, HALF_TURN)
    # the active port, and with it the base of its vehicle
    y, z = approach.lateral_offset_m
    turn = Attitude(yaw_pitch_roll_deg=(approach.yaw_deg, approach.pitch_deg, approach.roll_deg)).quaternion_wxyz()
    here: Frame = (add(at, quat_vec(axes, (-distance, y, z))), quat_mul(axes, turn))
    position, attitude = within(here, inverse(port))
    # rates, on W axes
    w_P = quat_vec(passive.base[1], passive.rate)
    relative = radians3((approach.roll_rate_deg_s, approach.pitch_rate_deg_s, approach.yaw_rate_deg_s))
    w = add(w_P, quat_vec(here[1], relative))
    v_y, v_z = approach.lateral_rate_m_s
    v = add(passive.velocity, cross(w_P, sub(here[0], passive.base[0])))
    v = add(v, quat_vec(axes, (approach.closing_rate_m_s, v_y, v_z)))
    v = add(v, cross(w, sub(position, here[0])))
    attitude = _unit(attitude)
    return VehicleStart(active, (position, attitude), v, quat_t_vec(attitude, w))


class Flight:
    """A vehicle with nothing acting on it: the mass centre goes straight on, the base turns about it at its rate."""

    def __init__(self, start: VehicleStart) -> None:
        self.start = start
        self.position, self.attitude = start.base
        self.w = quat_vec(self.attitude, start.rate)
        self.rate = hypot(*self.w)
        self.centre = mass_centre(start.vehicle) if self.rate > 0.0 else ZERO
        self.arm = quat_vec(self.attitude, self.centre)
        self.v = add(start.velocity, cross(self.w, self.arm))

    def base(self, time_s: float) -> Frame:
        """The base frame so much later; earlier if the time is negative."""
        turned = self.attitude
        if self.rate > 0.0:
            turned = _unit(quat_mul(axis_quat(scale(1.0 / self.rate, self.w), self.rate * time_s), turned))
        centre = axpy(time_s, self.v, add(self.position, self.arm))
        return sub(centre, quat_vec(turned, self.centre)), turned

    def at(self, time_s: float) -> VehicleStart:
        """The vehicle so much later. One that is held stays."""
        if time_s == 0.0 or self.start.vehicle.anchored:
            return self.start
        base = self.base(time_s)
        return self.start._replace(base=base, velocity=sub(self.v, cross(self.w, quat_vec(base[1], self.centre))))


def seen_from_passive(approach: Approach, active: VehicleStart, passive: VehicleStart) -> dict[str, Any]:
    """The state of the two vehicles in the words of an approach."""
    goal = port_frame(passive.vehicle, approach.passive.partition(".")[2])
    port = port_frame(active.vehicle, approach.active.partition(".")[2])
    here, there = within(active.base, port), within(passive.base, (goal[0], quat_mul(goal[1], HALF_TURN)))
    (x, y, z), turn = within(inverse(there), here)
    w_A, w_P = (quat_vec(own.base[1], own.rate) for own in (active, passive))
    v_A = add(active.velocity, cross(w_A, sub(here[0], active.base[0])))
    v_P = add(passive.velocity, cross(w_P, sub(here[0], passive.base[0])))
    v = quat_t_vec(there[1], sub(v_A, v_P))
    roll, pitch, yaw = _degrees(tuple(roll_pitch_yaw(rotation_matrix(turn)).tolist()))
    rates = _degrees(quat_t_vec(here[1], sub(w_A, w_P)))
    return {
        "distance_m": -x, "closing_rate_m_s": v[0], "lateral_offset_m": [y, z], "lateral_rate_m_s": [v[1], v[2]],
        "roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw,
        "roll_rate_deg_s": rates[0], "pitch_rate_deg_s": rates[1], "yaw_rate_deg_s": rates[2],
    }  # fmt: skip


def _degrees(vector: Vec3) -> Vec3:
    return (math.degrees(vector[0]), math.degrees(vector[1]), math.degrees(vector[2]))


def _unit(q: Quaternion) -> Quaternion:
    size = hypot(*q)
    return (q[0] / size, q[1] / size, q[2] / size, q[3] / size)
