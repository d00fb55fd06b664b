"""Attitude holds to their tables: sampling in steps, wheels by the pseudo-inverse of their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.algebra.dense import pseudo_inverse
from docksim.algebra.quat import quat_conj, quat_mul
from docksim.compiler.approach import HALF_TURN
from docksim.compiler.assembly import Assembly
from docksim.compiler.parts import DEG, radians3
from docksim.config.schema.fields import Quaternion
from docksim.config.schema.joining import facing
from docksim.config.schema.leg_geometry import unit
from docksim.config.schema.placement import port_frame
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import AttitudeHold, Vehicle
from docksim.model import table
from docksim.model.events import HOLD_INHIBITED, HOLD_LAW, HOLD_OFF, HOLD_ON, JETS, WHEEL, WHEELS

HOLD_MODES = {"on": HOLD_ON, "off": HOLD_OFF, "inhibited": HOLD_INHIBITED}


def hold_tables(scenario: Scenario, assembly: Assembly, joints: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row per vehicle with an attitude hold, in the order of the vehicles; all wheels that serve them."""
    held = [(name, v, v.attitude_hold) for name, v in scenario.vehicles.items() if v.attitude_hold is not None]
    laws = table(HOLD_LAW, len(held))
    wheels: list[tuple[int, np.ndarray, float]] = []
    for row, (name, vehicle, law) in zip(laws, held):
        _fill_law(row, law, scenario.solver.step_s)
        row.body = assembly.body_index(name)
        row.target = -1 if law.target is None else list(assembly.markers).index(law.target)
        row.q_target[:] = _target(scenario, assembly, name, law)
        if law.actuator == "wheels":
            own = _wheels(name, vehicle, assembly, joints)
            row.actuator, row.first_wheel, row.n_wheels = WHEELS, len(wheels), len(own)
            wheels += own
    wheel = table(WHEEL, len(wheels))
    for row, (v, share, limit) in zip(wheel, wheels):
        row.v, row.limit = v, limit
        row.share[:] = share
    return laws, wheel


def _target(scenario: Scenario, assembly: Assembly, name: str, law: AttitudeHold) -> Quaternion:
    """Attitude to hold, in W or in the frame of its port."""
    if law.attitude is not None:
        return law.attitude.quaternion_wxyz()
    if law.target is None:
        return assembly.joints[assembly.joint_index(name)].quaternion
    port = facing(scenario, name, law.target)[0].partition(".")[2]
    return quat_mul(HALF_TURN, quat_conj(port_frame(scenario.vehicles[name], port)[1]))


def _fill_law(row: Any, law: AttitudeHold, step: float) -> None:
    row.stiffness[:], row.damping[:], row.limit[:] = law.stiffness_Nm_rad, law.damping_Nms_rad, law.torque_limit_Nm
    row.dead_band = law.dead_band_deg * DEG
    row.sample_steps = round(law.sample_s / step)
    row.delay_samples = round(law.delay_s / law.sample_s)
    row.actuator = JETS
    if law.slew is not None:
        row.slew[:] = radians3(law.slew.rotation_vector_deg)
        row.slew_start, row.slew_duration = law.slew.start_s, law.slew.duration_s


def _wheels(name: str, vehicle: Vehicle, assembly: Assembly, joints: np.ndarray) -> list[tuple[int, np.ndarray, float]]:
    """Rate index, share of the demand and torque limit of each wheel."""
    axes = np.array([unit(wheel.axis) for wheel in vehicle.wheels.values()]).T
    shares = pseudo_inverse(axes)
    rates = [int(joints[assembly.joint_index(f"{name}.{key}")].v) for key in vehicle.wheels]
    return [(v, share, wheel.torque_limit_Nm) for v, share, wheel in zip(rates, shares, vehicle.wheels.values())]
