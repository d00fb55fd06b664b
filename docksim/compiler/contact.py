"""Pairs of ports whose interfaces may touch, to tables. The axes of an interface are (y, z, x) of its port."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from docksim.algebra.dense import applied, product
from docksim.algebra.elementary import cos, sin
from docksim.algebra.vec3 import dot, sub
from docksim.compiler.assembly import Assembly
from docksim.compiler.interface_shapes import contact_tables, gap_rows, shape_of
from docksim.config.schema import names
from docksim.config.schema.band_ends import contact_laws
from docksim.config.schema.contact import ContactPair, LatchError, latching
from docksim.config.schema.interface import Contact, Interface, Latches, Strikers
from docksim.config.schema.pawl import PawlPiece
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.contact import (
    ARMED,
    CONTACT,
    CONTACT_ROW,
    CONTACT_STATE,
    FACES,
    FAILED,
    HUNT_CROSSLEY,
    KELVIN_VOIGT,
    LATCH,
    LATCH_STATE,
    PAWL,
    PINS,
    ROW_STATE,
    STRIKER,
    WALTON_BRAUN,
)

# axes of an interface, as columns, on those of its port
INTERFACE_AXES = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
LAWS = {"hunt_crossley": HUNT_CROSSLEY, "kelvin_voigt": KELVIN_VOIGT, "walton_braun": WALTON_BRAUN}


@dataclass
class PairPart:
    """One pair with what its tables need."""

    name: str
    pair: ContactPair
    interfaces: tuple[Interface, Interface]
    row_names: list[str]
    latches: tuple[Latches, Strikers, bool] | None
    law: Contact


@dataclass
class ContactParts:
    """The tables, by the names they have in the model, and the initial state of the latches."""

    tables: dict[str, np.ndarray]
    latch_modes: list[int] = field(default_factory=list)


def pair_parts(scenario: Scenario) -> list[PairPart]:
    """All pairs in the order of the file."""
    parts = []
    interfaces = names.interfaces(scenario) if scenario.contacts else {}
    laws = contact_laws(scenario)
    for name, pair in scenario.contacts.items():
        a, b = (interfaces[port] for port in pair.ports)
        assert a is not None  # both are checked when the scenario is read
        assert b is not None
        shapes = (shape_of(a), shape_of(b))
        rows = [row.name for row in gap_rows(shapes)]
        parts.append(PairPart(name, pair, (a, b), rows, latching(a, b), laws[name]))
    return parts


def contact_parts(scenario: Scenario, assembly: Assembly) -> ContactParts:
    """Tables of all pairs."""
    parts = pair_parts(scenario)
    shapes = [shape_of(interface) for part in parts for interface in part.interfaces]
    rows = table(CONTACT, len(parts))
    gap_rows: list[np.ndarray] = []
    latches: list[np.ndarray] = []
    pawls: list[np.ndarray] = []
    strikers: list[np.ndarray] = []
    modes: list[int] = []
    for i, (row, part) in enumerate(zip(rows, parts)):
        _fill_places(row, part, assembly, i)
        _fill_law(row, part)
        row.first_row = sum(len(block) for block in gap_rows)
        gap_rows.append(_gap_rows(part))
        row.rows = len(gap_rows[-1])
        row.first_latch = sum(len(block) for block in latches)
        row.first_striker = sum(len(block) for block in strikers)
        if part.latches is not None:
            rows_of_pawls = [_pawl_rows(part.latches[0], error) for error in _errors(part)]
            latches.append(_latch_rows(part, sum(map(len, pawls)), rows_of_pawls))
            pawls += rows_of_pawls
            strikers.append(_striker_rows(part.latches[1]))
            _fill_latches(row, part.latches)
            failed = part.pair.failed_latches
            modes += [FAILED if k + 1 in failed else ARMED for k in range(part.latches[0].count)]
    geometry = contact_tables(shapes)
    for row, part in zip(rows, parts):
        tops = geometry.interface.top[row.interface_A], geometry.interface.top[row.interface_B]
        row.near = max(part.pair.margin_m, _latch_reach(part, tops))
    tables = {
        "contact": rows,
        "contact_row": _together(CONTACT_ROW, gap_rows),
        "latch": _together(LATCH, latches),
        "pawl": _together(PAWL, pawls),
        "striker": _together(STRIKER, strikers),
        **geometry._asdict(),
    }
    return ContactParts(tables, modes)


def _together(dtype: np.dtype, blocks: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype), *blocks]).view(np.recarray)


def _fill_places(row: Any, part: PairPart, assembly: Assembly, i: int) -> None:
    a, b = (assembly.markers[port] for port in part.pair.ports)
    row.body_A, row.p_aA[:], row.R_aA[:] = a.body, a.place.position, product(a.place.axes, INTERFACE_AXES).ravel()
    row.body_B, row.p_bB[:], row.R_bB[:] = b.body, b.place.position, product(b.place.axes, INTERFACE_AXES).ravel()
    row.interface_A, row.interface_B = 2 * i, 2 * i + 1
    row.margin, row.substeps = part.pair.margin_m, part.pair.substeps


def _latch_reach(part: PairPart, tops: tuple[float, float]) -> float:
    """How far apart the interfaces are, at most, when a pawl meets its striker; both may be above all features."""
    if part.latches is None:
        return 0.0
    latches, strikers, first = part.latches
    heights = (latches.height_m, strikers.height_m) if first else (strikers.height_m, latches.height_m)
    above = sum(max(height - top, 0.0) for height, top in zip(heights, tops, strict=True))
    higher = max(error.height_m for error in _errors(part))
    return float(latches.window_axial_m + latches.travel_m + above + max(higher, 0.0))


def pawl_in_reach(part: PairPart, R: np.ndarray, r: np.ndarray) -> bool:
    """Is a striker where a pawl acts on it, or held by one? (R, r) is the second interface's pose in the first."""
    if part.latches is None:
        return False
    latches, strikers, first = part.latches
    if not first:
        R, r = R.T, -applied(R.T, r)
    (pawls, out), (places, _) = _around(latches), _around(strikers)
    seen = (applied(R, places) + r).tolist()
    for (x, y, z), radial, error in zip(pawls.tolist(), out.tolist(), _errors(part)):
        pawl = (x, y, z + error.height_m)
        away = min((sub(place, pawl) for place in seen), key=lambda d: dot(d, d))
        along, across = dot(away, radial), radial[0] * away[1] - radial[1] * away[0]
        aside = max(abs(along) - latches.radial_m, abs(across) - latches.window_tangential_m)
        if away[2] <= latches.window_axial_m + latches.travel_m and aside <= latches.travel_m:
            return True
    return False


def _fill_law(row: Any, part: PairPart) -> None:
    law = part.law
    row.law, row.damping, row.adhesive, row.regained = LAWS[law.law], law.damping, law.adhesive, law.regained
    row.friction, row.tangential = law.friction, law.tangential_ratio


def _gap_rows(part: PairPart) -> np.ndarray:
    """Stiffness by feature: that of the faces is shared by all their points."""
    a, b = part.interfaces
    gaps = gap_rows((shape_of(a), shape_of(b)))
    rows = np.zeros(len(gaps), CONTACT_ROW)
    rows["group"], rows["crossing"] = [row.group for row in gaps], [row.crossing for row in gaps]
    petals_and_all_else, whole_faces, pins = part.law.stiffnesses()
    rows["stiffness"], rows["share"] = np.where(rows["group"] == PINS, pins, petals_and_all_else), 1.0
    faces = (rows["group"] == FACES) & (rows["crossing"] < 0)
    points = max(faces.sum(), 1)
    rows["stiffness"][faces], rows["share"][faces] = whole_faces / points, 1.0 / points
    return rows


def _around(part: Latches | Strikers) -> tuple[np.ndarray, np.ndarray]:
    """Positions and outward directions, interface axes."""
    first = math.radians(part.first_azimuth_deg)
    angles = [first + 2.0 * math.pi * k / part.count for k in range(part.count)]
    out = np.array([(cos(angle), sin(angle), 0.0) for angle in angles])
    return part.radius_m * out + np.array([0.0, 0.0, part.height_m]), out


def _errors(part: PairPart) -> list[LatchError]:
    """How each latch of a pair is off."""
    assert part.latches is not None
    given = {error.latch: error for error in part.pair.latch_errors}
    return [given.get(k, LatchError(latch=k)) for k in range(1, part.latches[0].count + 1)]


def _latch_rows(part: PairPart, first_pawl: int, pawls: list[np.ndarray]) -> np.ndarray:
    """Places and delays, and where each one's part of the table of pawls is."""
    assert part.latches is not None
    latches, errors = part.latches[0], _errors(part)
    rows = np.zeros(latches.count, LATCH)
    rows["position"], rows["radial"] = _around(latches)
    rows["position"][:, 2] += [error.height_m for error in errors]
    rows["delay"] = [error.delay_s + _falls_s(latches, error) for error in errors]
    rows["pawls"] = [len(own) for own in pawls]
    rows["first_pawl"] = first_pawl + np.cumsum(rows["pawls"]) - rows["pawls"]
    return rows


def _falls_s(latches: Latches, error: LatchError) -> float:
    return 0.0 if latches.pawl is None else latches.pawl_with(error.spring_factor, error.friction).falls_s


def _pawl_rows(latches: Latches, error: LatchError) -> np.ndarray:
    """One latch's pawl: the middle between going in and out, half of what is between, and the spring."""
    pieces = latches.pawl_pieces(error.spring_factor, error.friction)
    rows = np.zeros(len(pieces), PAWL)
    rows["start"] = [piece.start_m for piece in pieces]
    rows["push"] = [_line(piece, 0.5, 0.5, 0.0) for piece in pieces]
    rows["rub"] = [_line(piece, 0.5, -0.5, 0.0) for piece in pieces]
    rows["spring"] = [_line(piece, 0.0, 0.0, 1.0) for piece in pieces]
    taken = [0.5 * sum(piece.spring_N) * (piece.end_m - piece.start_m) for piece in pieces]
    rows["stored"] = [sum(taken[:k]) for k in range(len(pieces))]
    return rows


def _line(piece: PawlPiece, going_in: float, going_out: float, spring: float) -> tuple[float, float]:
    """A sum of the forces of a piece: at its start, and by the way."""
    columns = zip(piece.going_in_N, piece.going_out_N, piece.spring_N, strict=True)
    start, end = (going_in * a + going_out * b + spring * c for a, b, c in columns)
    return start, (end - start) / (piece.end_m - piece.start_m)


def _striker_rows(strikers: Strikers) -> np.ndarray:
    rows = np.zeros(strikers.count, STRIKER)
    rows["position"], _ = _around(strikers)
    return rows


def _fill_latches(row: Any, halves: tuple[Latches, Strikers, bool]) -> None:
    latches, strikers, first = halves
    row.latches, row.strikers, row.latches_on_B = latches.count, strikers.count, not first
    row.window[:] = latches.window_axial_m, latches.radial_m, latches.window_tangential_m
    row.travel, row.play = latches.travel_m, latches.play_m
    row.latch_stiffness, row.latch_damping = latches.stiffness_N_m, latches.damping_s_m
    row.latch_holds = math.inf if latches.holds_N is None else latches.holds_N
    reach = None if latches.pawl is None else latches.pawl.reach_m
    row.latch_aside = math.inf if reach is None else reach - latches.radial_m
    row.pawl_presliding = latches.travel_m if latches.pawl is None else latches.pawl.presliding_m


def contact_states(model: Model, parts: ContactParts) -> dict[str, np.ndarray]:
    """What a run begins with: nothing has touched, nothing is held. Poses are set by the first step."""
    contact = table(CONTACT_STATE, len(model.contact))
    contact["first_contact"] = contact["capture"] = -1.0
    latch = table(LATCH_STATE, len(model.latch))
    latch["mode"], latch["arrival"], latch["met"] = parts.latch_modes, -1.0, math.inf
    return {"contact": contact, "contact_row": table(ROW_STATE, len(model.contact_row)), "latch": latch}


def overlap_text(scenario: Scenario, model: Model, row: int, depth: float) -> str:
    """Which two features overlap, and how far."""
    parts = pair_parts(scenario)
    i = next(i for i, pair in enumerate(model.contact) if row < pair.first_row + pair.rows)
    a, b = parts[i].pair.ports
    name = parts[i].row_names[row - int(model.contact[i].first_row)]
    where = f"{name} (A: {a}, B: {b})"
    return f"contacts.{parts[i].name}: the interfaces overlap at the start, by {1000.0 * depth:.3g} mm: {where}"
