"""From masses, speed and what is allowed to the figures of a contact: stiffness, damping, step.

The formulas, for two bodies of reduced mass m = m1 m2 / (m1 + m2) that meet at the speed v:

    stiffness            k = F / d                      load limit over allowed penetration
    undamped impact      d = v sqrt(m / k), F = v sqrt(k m)
    damping factor       c v (1 + e) = ln((1 + c v) / (1 - e c v))   Hunt-Crossley, restitution e at the speed v
    unloading stiffness  k / e^2                        Walton-Braun, restitution e at any speed
    frequency            w = sqrt(k / m_light)          the lightest body that the contact shakes sets it
    step in contact      h = 2 pi / (w n)               n steps a period; times e, Walton-Braun

Fourth-order Runge-Kutta with n = 75 finds the peak of an impact to some 0.1 %, with 30 to a percent or two: not the
oscillation is what costs accuracy but the instant of touching, which falls within a step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from docksim.config.schema.contact_laws import hunt_crossley_factor

LAWS = ("hunt_crossley", "walton_braun")
STEPS_A_PERIOD = 75
FINEST = 100  # substeps that a contact pair can ask for
TANGENTIAL_RATIO = 0.8


@dataclass(frozen=True)
class Tuning:
    """Figures of a contact. SI units."""

    reduced_mass_kg: float
    light_mass_kg: float
    stiffness_N_m: float
    impact_penetration_m: float
    impact_force_N: float
    within_limits: bool
    restitution: float
    damping_s_m: float | None  # factor of hunt_crossley
    frequency_Hz: float
    contact_time_s: float
    presliding_m: float
    contact_step_s: float
    step_s: float
    substeps: int


def tune(
    masses: tuple[float, float],
    speed: float,
    penetration: float,
    load: float,
    restitution: float,
    light: float | None = None,
    friction: float = 0.1,
    step: float = 0.001,
    law: str = LAWS[0],
) -> Tuning:
    """Figures for two masses [kg] that meet at a speed [m/s]; `light` is the mass that is shaken, as of a ring [kg].

    A step longer than FINEST contact steps is shortened.
    """
    m = masses[0] * masses[1] / (masses[0] + masses[1])
    shaken = m if light is None else min(light, m)
    k = load / penetration
    w = math.sqrt(k / shaken)
    hysteretic = law == "walton_braun"
    h = 2.0 * math.pi / (w * STEPS_A_PERIOD) * (restitution if hysteretic else 1.0)
    substeps = max(1, math.ceil(step / h - 1e-9))
    if substeps > FINEST:
        # to one digit
        unit = 10.0 ** math.floor(math.log10(FINEST * h))
        step, substeps = math.floor(FINEST * h / unit) * unit, FINEST
    force, depth = speed * math.sqrt(k * m), speed * math.sqrt(m / k)
    return Tuning(
        reduced_mass_kg=m,
        light_mass_kg=shaken,
        stiffness_N_m=k,
        impact_penetration_m=depth,
        impact_force_N=force,
        within_limits=force <= load,
        restitution=restitution,
        damping_s_m=None if hysteretic else hunt_crossley_factor(restitution, speed),
        frequency_Hz=w / (2.0 * math.pi),
        contact_time_s=math.pi / w * (0.5 * (1.0 + restitution) if hysteretic else 1.0),
        presliding_m=friction * load / (TANGENTIAL_RATIO * k),
        contact_step_s=h,
        step_s=step,
        substeps=substeps,
    )
