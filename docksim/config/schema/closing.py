"""Where hooks bring the faces of a joint: the end of their cams follows from the preload that they are built for.

Taken with the seal as high as drawn and all rods alike: what a hot seal or a weak rod changes shows as force.
"""

from __future__ import annotations

from docksim.algebra.elementary import exp, log
from docksim.config.schema.hooks import Hooks, Seal

HALVINGS = 200


def seal_force(seal: Seal | None, gap: float) -> float:
    """Of the whole seal, at its nominal height, between parallel faces [N]."""
    if seal is None or gap >= seal.compression_m:
        return 0.0
    return seal.force_N * exp(seal.exponent * log((seal.compression_m - gap) / seal.compression_m))


def rods_force(hooks: Hooks, gap: float) -> float:
    """Of all rods between parallel faces [N]."""
    rods = hooks.rods
    if rods is None:
        return 0.0
    return rods.count * (rods.compressed_N - (rods.compressed_N - rods.extended_N) * gap / rods.stroke_m)


def closed_gap(hooks: Hooks) -> float:
    """Gap at which faces, seal and rods carry the preload of all hooks; negative: faces pressed together [m]."""
    assert hooks.count is not None
    assert hooks.preload_N is not None
    assert hooks.face_stiffness_N_m is not None
    pull = hooks.count * hooks.preload_N
    low, high = -hooks.preload_N / hooks.face_stiffness_N_m, hooks.reach_m
    # what pushes grows as the gap falls, by no less than the faces do
    for _ in range(HALVINGS):
        gap = 0.5 * (low + high)
        if gap in (low, high):
            break
        push = hooks.count * hooks.face_stiffness_N_m * max(0.0, -gap)
        if push + seal_force(hooks.seal, gap) + rods_force(hooks, gap) > pull:
            low = gap
        else:
            high = gap
    return 0.5 * (low + high)


def cam_end(hooks: Hooks) -> float:
    """How far beyond touching faces a cam pulls its hook in the end [m]."""
    assert hooks.preload_N is not None
    assert hooks.stiffness_N_m is not None
    return hooks.preload_N / hooks.stiffness_N_m - closed_gap(hooks)
