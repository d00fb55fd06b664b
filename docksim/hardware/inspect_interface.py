"""What `docksim interface show` says of a docking interface: sizes, play when mated, where it first touches."""

from __future__ import annotations

import math
from dataclasses import dataclass

from docksim.algebra.elementary import cos, hypot, sin, tan
from docksim.compiler.interface_shapes import patch_point, petal_row, petal_shape
from docksim.config.schema.bands import ENDS
from docksim.config.schema.interface import Interface, Latches
from docksim.config.schema.pawl import peak_N, work_given_back_J, work_to_pass_J
from docksim.simulation.mating import Mating

LATERAL_M = (0.0, 0.05, 0.10)
DIRECTIONS = 12
TILTS_DEG = (0.0, 4.0)


@dataclass(frozen=True)
class PawlFigures:
    """What one pawl of a latch asks of its striker."""

    count: int
    travel_m: float
    peak_N: float  # going in
    work_to_pass_J: float
    given_back_J: float  # to a striker that turns round before it has passed
    falls_s: float  # until the latch is closed
    side_window_m: dict[str, float]  # least room radially, by tilt [deg]


@dataclass(frozen=True)
class PinFigures:
    """What guide pins do in the holes of an equal interface."""

    length_m: float
    guided_m: float  # a nose that is less aside finds its hole
    play_m: float  # left when mated
    roll_deg: float  # the same about the axis
    pull_over_side: float | None  # axial force over the force across that the taper slides against; None: it does not


@dataclass(frozen=True)
class InterfaceFigures:
    """Lengths in metres. Clearances and touches are those of two equal interfaces, not tilted nor rolled."""

    passage_radius_m: float | None  # free of petals and ring
    petal_height_m: float | None
    guided_m: float | None  # lateral error at which petal tips still enter the mate's ring
    clearances_m: dict[str, float]  # by kind of features, when mated; 0 is seated
    first_touch_m: dict[str, tuple[float, float]]  # distance of the ports, least and most over all directions
    contact_stiffness_N_m: dict[str, tuple[float, float, float]]  # low, middle, high by kind of feature
    contact_law: str
    restitution: dict[str, float]  # by impact speed, where the law alone sets it
    pawl: PawlFigures | None
    pins: PinFigures | None


def inspect_interface(interface: Interface) -> InterfaceFigures:
    """Measure an interface and its equal."""
    mating = Mating(interface)
    contact = interface.contact
    rebounds = {f"{speed:g}": contact.rebound(speed) for speed in (0.05, 0.10)}
    touches = {f"{offset:g}": _touch(mating, offset) for offset in LATERAL_M}
    low, middle, high = (contact.stiffnesses(end) for end in ENDS)
    features = ["petals", "faces"]
    if interface.pins is not None or interface.holes is not None:
        features.append("pins")
    petals, tip, rim = interface.petals, _tip(interface), interface.rim
    inside = [rim.radius_m - rim.tube_m] if rim is not None else []
    inside += [interface.face.inner_m] if interface.face is not None else []
    inside += [min(tip) - petals.plate_radius_m] if tip and petals else []
    return InterfaceFigures(
        min(inside, default=None),
        None if petals is None else petals.length_m * sin(math.radians(petals.cant_deg)),
        rim.radius_m - max(tip) - petals.plate_radius_m if tip and rim and petals else None,
        mating.clearances(),
        touches,
        {name: (low[i], middle[i], high[i]) for i, name in enumerate(features)},
        contact.law,
        {speed: rebound for speed, rebound in rebounds.items() if rebound is not None},
        None if interface.latches is None else _pawl(interface.latches),
        _pins(interface),
    )


def _pins(interface: Interface) -> PinFigures | None:
    pins, holes = interface.pins, interface.holes
    if pins is None or holes is None:
        return None
    play = holes.bore_m - pins.pin_m
    slope, mu = tan(math.radians(pins.taper_deg)), interface.contact.friction
    pull = (slope + mu) / (1.0 - mu * slope) if mu * slope < 1.0 else None
    return PinFigures(pins.length_m, holes.mouth_m, play, math.degrees(play / pins.radius_m), pull)


def _pawl(latches: Latches) -> PawlFigures:
    pieces = latches.pawl_pieces()
    return PawlFigures(
        latches.count,
        latches.travel_m,
        peak_N(pieces),
        work_to_pass_J(pieces),
        work_given_back_J(pieces),
        0.0 if latches.pawl is None else latches.pawl.falls_s,
        {f"{tilt:g}": _side_window(latches, math.radians(tilt)) for tilt in TILTS_DEG},
    )


def _side_window(latches: Latches, tilt: float) -> float:
    """Radial room that is left when the mate is tilted about the middle of the mating plane, towards the worse side."""
    inward = latches.radius_m * (1.0 - cos(tilt)) + abs(latches.height_m) * sin(tilt)
    return max(latches.radial_m - inward, 0.0)


def _touch(mating: Mating, offset: float) -> tuple[float, float]:
    angles = [2.0 * math.pi * k / DIRECTIONS for k in range(DIRECTIONS if offset else 1)]
    distances = [mating.first_touch((offset * cos(angle), offset * sin(angle))) for angle in angles]
    return min(distances), max(distances)


def _tip(interface: Interface) -> tuple[float, float] | None:
    """Distance of the tips' middles and corners from the axis."""
    petals = interface.petals
    if petals is None:
        return None
    row = petal_row(petal_shape(petals), 0.0)[0]
    ends = [patch_point(row, float(row["s_tip"]), phi) for phi in (0.0, math.radians(petals.half_angle_deg))]
    middle, corner = (hypot(x[0], x[1]) for x in ends)
    return middle, corner
