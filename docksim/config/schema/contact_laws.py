"""Contact laws in closed form: what damping gives which rebound.

A mass that meets a Hunt-Crossley spring, m d'' = -k d (1 + c d'), leaves it with the speed e v for which

    c v (1 + e) = ln((1 + c v) / (1 - e c v)),

whatever m and k are: d' dd'/dd = -(k/m) d (1 + c d') integrates to u/c - ln(1 + c u)/c² + (k/m) d²/2 = const. Where
c v > 1 the damper stops it before the spring does: the force is largest soon after touch, above that of the spring
alone, v sqrt(k m), and grows with c, while next to nothing rebounds.
"""

from __future__ import annotations

from collections.abc import Callable

from docksim.algebra.elementary import log1p

LEAST_RESTITUTION = 1e-3


def restitution(factor: float, speed: float) -> float:
    """Rebound over impact speed of a Hunt-Crossley contact with damping factor c [s/m]."""
    a = factor * speed
    if a < 1e-6:
        return 1.0 - 2.0 * a / 3.0
    return _root(lambda e: log1p(a) - log1p(-e * a) - a * (1.0 + e), 0.0, min(1.0, (1.0 - 1e-16) / a))


def hunt_crossley_factor(wanted: float, speed: float) -> float:
    """Damping factor c [s/m] that gives this restitution at this impact speed."""
    e = max(wanted, LEAST_RESTITUTION)
    if e > 1.0 - 1e-6:
        return 1.5 * (1.0 - e) / speed
    # a = c v lies between the slope at e = 1 and 1 / e, where the rebound would need infinite force
    a = _root(lambda a: log1p(a) - log1p(-e * a) - a * (1.0 + e), 0.5 * (1.0 - e), (1.0 - 1e-16) / e)
    return a / speed


def overdamped(factor: float, speed: float) -> str:
    """What to say of a Hunt-Crossley contact whose damper outweighs its spring; nothing where it does not."""
    if not factor * speed > 1.0:
        return ""
    return (
        f"damping factor c = {factor:.3g} s/m at an impact speed v = {speed:.3g} m/s: c v = {factor * speed:.3g} is "
        f"above 1, the damper makes the peak force and {restitution(factor, speed):.2g} of the speed is left; take "
        f"law: walton_braun with restitution, or damping_s_m below {1.0 / speed:.3g}"
    )


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Where f, negative at low and positive at high, changes sign; to rounding."""
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if f(middle) < 0.0 else (low, middle)
    return 0.5 * (low + high)
