"""Loads and motion of any section of a chain's links, static and dynamic (Zaremba 1990, closing section).

The wrench of the inner on the outer part at a section X of link k, offset x from its origin, moves the outer piece
(mass m, first moment c and inertia J about X) and all that hangs on it:

    a_X = a_k + e x x + w x (w x x)                         all accelerations less gravity
    F = m a_X + e x c + w x (w x c) + sum f_j - f_ext
    M = c x a_X + J e + w x J w + sum [m_j + (O_j - X) x f_j] - m_ext - (s - X) x f_ext

f_j, m_j are the wrenches in the joints j that the outer piece carries, from the Newton-Euler recursion; f_ext, m_ext
are loads from outside at points s of it. Shown is the wrench of the outer on the inner part, -F, -M, on section axes.

Mass between the joints: an elastic link's is spread evenly along its elements, and what it has besides rides on its
far end; a rigid link's is at its mass centre, unless its `structure` says that it is uniform or at the ends. What is
exactly at a section belongs to the outer piece, but not `after` it: so a load shows as a jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from docksim.algebra.masses import about_point, point_inertia
from docksim.chain.build import build_chain
from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.elastic import ORDER, beam_axes, element
from docksim.chain.kinematics.derivatives import cross
from docksim.chain.kinematics.links import Kinematics, kinematics
from docksim.chain.model import ChainModel
from docksim.config.schema.chain import Chain
from docksim.config.schema.chain_structure import Link, links_of
from docksim.result.sections import LineLoads

POINTS = 21  # along a link
_HERE = 1e-9  # of a link's length: the same place


@dataclass(frozen=True)
class Outside:
    """A wrench from outside on a link, at a point in its frame; force and moment on the world's axes."""

    link: int
    point: np.ndarray
    force: np.ndarray
    moment: np.ndarray


@dataclass(frozen=True)
class Piece:
    """Part of a link: mass, first moment and inertia about the link's origin, and how far along it sits."""

    mass: float
    moment: np.ndarray
    inertia: np.ndarray
    along: float


@dataclass(frozen=True)
class Section:
    """A cut through a link or an element of it; constants on the axes of that row of the chain."""

    row: int
    distance: float  # from the root of the whole link
    after: bool  # just beyond what is exactly here
    x: np.ndarray  # (3,)
    axes: np.ndarray  # (3, 3) columns along and across
    mass: float
    moment: np.ndarray  # about the section
    inertia: np.ndarray
    children: tuple[int, ...]  # rows whose joints the outer piece carries

    def carries(self, point: np.ndarray) -> bool:
        """Whether a point of the row is on the outer piece."""
        ahead = float(self.axes[:, 0] @ (point - self.x))
        return ahead > _HERE if self.after else ahead > -_HERE


@dataclass(frozen=True)
class Line:
    """All sections of one link."""

    name: str
    sections: tuple[Section, ...]
    named: dict[str, int]
    allowable: dict[str, float]
    factor: float


# ---------------------------------------------------------------- the cuts


def lines_of(chain: Chain, points: int = POINTS, loads: Sequence[Outside] = ()) -> list[Line]:
    """Sections of every link: evenly spaced, at named places, and on both sides of what makes a jump."""
    model = build_chain(chain)
    return [_line(chain, model, name, points, loads) for name in links_of(chain)]


def _line(chain: Chain, model: ChainModel, name: str, points: int, loads: Sequence[Outside]) -> Line:
    link = links_of(chain)[name][1]
    rows, starts, length = elements(model, link, name)
    structure = link.structure
    wanted = dict(structure.sections) if structure else {}
    cuts = {(float(d), False) for d in np.linspace(0.0, length, points)} if length else {(0.0, False)}
    cuts |= {(d, False) for d in wanted.values()}
    cuts |= {(d, side) for d in _jumps(model, link, rows, starts, length, loads) for side in (False, True)}
    order = sorted(cuts)
    sections = tuple(section_of(model, link, name, d, after) for d, after in order)
    named = {key: order.index((d, False)) for key, d in wanted.items()}
    allowable = structure.allowable.given() if structure and structure.allowable else {}
    return Line(name, sections, named, allowable, (structure.factor_of_safety or 1.0) if structure else 1.0)


def elements(model: ChainModel, link: Link, name: str) -> tuple[list[int], list[float], float]:
    """Rows of the chain that have the link's mass, how far along each begins, and the link's length."""
    first = model.names.index(name)
    if link.elastic is None:
        end = _end(model, first)
        return [first], [0.0], float(np.linalg.norm(end))
    joints, count = sum(flex in link.elastic.flex for flex in ORDER), link.elastic.segments
    rows = [first, *(first + (i + 1) * joints for i in range(count))]
    piece = 2.0 * float(np.linalg.norm(model.p_end[first]))
    return rows, [0.0, *((i + 0.5) * piece for i in range(count))], count * piece


def _end(model: ChainModel, k: int) -> np.ndarray:
    """Far end of a rigid link: its own, or the one joint that it carries."""
    carried = np.flatnonzero(model.parent == k)
    if not model.p_end[k].any() and len(carried) == 1:
        return model.p_fix[carried[0]]
    return model.p_end[k]


def section_of(model: ChainModel, link: Link, name: str, distance: float, after: bool = False) -> Section:
    """The section of a link at a distance from its joint."""
    rows, starts, length = elements(model, link, name)
    i = max(i for i, start in enumerate(starts) if start <= distance + _HERE * length)
    k, ahead = rows[i], distance - starts[i]
    if link.elastic is not None:
        axes = model.R_end[k] if i == 0 else np.eye(3)
    else:
        axes = beam_axes(_end(model, k) / length) if length else np.eye(3)
    x = ahead * axes[:, 0]
    bare = Section(k, distance, after, x, axes, 0.0, np.zeros(3), np.zeros((3, 3)), ())
    carried = [int(j) for j in np.flatnonzero(model.parent == k)]
    children = tuple(j for j in carried if k != rows[-1] or bare.carries(_joint_of(model, j)))
    held = [
        piece for piece in _pieces(model, link, rows, starts, i, ahead, length) if _beyond(piece, ahead, after, length)
    ]
    mass = sum(piece.mass for piece in held)
    moment = sum((piece.moment for piece in held), np.zeros(3))
    inertia = sum((piece.inertia for piece in held), np.zeros((3, 3)))
    moved = about_point(x, mass, moment, inertia)
    return replace(bare, mass=mass, moment=moved[0], inertia=moved[1], children=children)


def _joint_of(model: ChainModel, j: int) -> np.ndarray:
    """Where a joint sits on its parent; a slide by where it begins."""
    return model.p_fix[j]


def _beyond(piece: Piece, ahead: float, after: bool, length: float) -> bool:
    edge = _HERE * length
    return piece.along > ahead + edge if after else piece.along >= ahead - edge


# ---------------------------------------------------------------- where the mass is


def _pieces(
    model: ChainModel, link: Link, rows: list[int], starts: list[float], i: int, ahead: float, length: float
) -> list[Piece]:
    """What of element i is beyond `ahead`, where that is a matter of length; lumps as they are."""
    k = rows[i]
    whole = Piece(float(model.mass[k]), model.moment[k], model.inertia[k], np.inf)
    if link.elastic is not None:
        return _of_beam(model, link, rows, starts, i, ahead, length)
    if whole.mass == 0.0:
        return []
    x = _end(model, k) / length if length else np.zeros(3)
    centre = whole.moment / whole.mass
    along = link.structure.mass_along if link.structure else "lumped"
    if along == "lumped" or not length:
        return [replace(whole, along=float(x @ centre) if length else 0.0)]
    # what the mass centre's inertia has beyond a thin rod's, or two points', goes with the mass
    part = float(x @ centre) / length
    central = about_point(centre, whole.mass, whole.moment, whole.inertia)[1]
    across = np.eye(3) - np.outer(x, x)
    if along == "ends":
        rest = central - whole.mass * part * (1.0 - part) * length * length * across
        return [
            _lump(whole.mass * share, spot * x, share * rest, spot) for share, spot in ((1 - part, 0.0), (part, length))
        ]
    rest = central - whole.mass * length * length / 12.0 * across
    left = max(length - ahead, 0.0)
    share = left / length
    rod = share * whole.mass * left * left / 12.0 * across
    return [_lump(share * whole.mass, (ahead + 0.5 * left) * x, share * rest + rod, np.inf)] if share > 0.0 else []


def _lump(mass: float, centre: np.ndarray, central: np.ndarray, along: float) -> Piece:
    return Piece(mass, mass * centre, central + mass * point_inertia(centre), along)


def _of_beam(
    model: ChainModel, link: Link, rows: list[int], starts: list[float], i: int, ahead: float, length: float
) -> list[Piece]:
    beam = link.elastic
    assert beam is not None
    k, until = rows[i], (starts[i + 1] if i + 1 < len(starts) else length) - starts[i]
    axes = model.R_end[k] if i == 0 else np.eye(3)
    cut = element(beam, axes, min(ahead, until), until, length)
    pieces = [Piece(cut["mass"], cut["moment"], cut["inertia"], np.inf)]
    if k == rows[-1]:
        own = element(beam, axes, 0.0, until, length)
        rides = Piece(
            model.mass[k] - own["mass"], model.moment[k] - own["moment"], model.inertia[k] - own["inertia"], np.inf
        )
        pieces.append(rides)
    return pieces


def _jumps(
    model: ChainModel, link: Link, rows: list[int], starts: list[float], length: float, loads: Sequence[Outside]
) -> list[float]:
    """Distances at which a lump, a joint or a load sits inside the link."""
    jumps = []
    for k, start in zip(rows, starts, strict=True):
        axis = np.eye(3)[0] if link.elastic is not None and start else None
        if axis is None:
            axis = model.R_end[k][:, 0] if link.elastic is not None else _end(model, k) / (length or 1.0)
        spots = [load.point for load in loads if load.link == k]
        if k == rows[-1]:
            spots += [_joint_of(model, int(j)) for j in np.flatnonzero(model.parent == k)]
        if link.elastic is None and model.mass[k] > 0.0:
            spots.append(model.moment[k] / model.mass[k])
        jumps += [start + float(axis @ spot) for spot in spots]
    edge = _HERE * length
    return [d for d in jumps if edge < d < length - edge]


# ---------------------------------------------------------------- at an instant


class SectionLoads:
    """Loads and motion of sections at one state after another."""

    def __init__(self, model: ChainModel, known: ChainModel, lines: Sequence[Line]) -> None:
        """`known` is the chain that the sections were made of, `model` the one that moves: heavier, perhaps."""
        self.model, self.lines = model, lines
        self.dynamics = Dynamics(model, joints=False)
        sections = [section for line in lines for section in line.sections]
        self.row = np.array([section.row for section in sections])
        factor = (model.mass / np.where(known.mass > 0.0, known.mass, 1.0))[self.row]
        factor = np.where(known.mass[self.row] > 0.0, factor, 1.0)
        self.x, self.axes = (np.stack([getattr(section, key) for section in sections]) for key in ("x", "axes"))
        self.mass = factor * np.array([section.mass for section in sections])
        self.moment = factor[:, None] * np.stack([section.moment for section in sections])
        self.inertia = factor[:, None, None] * np.stack([section.inertia for section in sections])
        self.sections = sections
        self.children = np.array([[j in section.children for j in range(model.n)] for section in sections], float)

    def at(
        self, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray, outside: Sequence[Outside] = ()
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Loads (S, 6), positions, velocities and accelerations (S, 3) on the world's axes."""
        model, k = self.model, self.row
        state = kinematics(model, q, rates)
        force, torque = self.joint_wrenches(state, accelerations, outside)
        work = self.dynamics.work
        R, w, e = state.R[k], work.rate[k], work.spin[k]
        arm = _turned(R, self.x)
        place = state.p[k] + arm
        lift = work.lift[k] + cross(e, arm) + cross(w, cross(w, arm))
        c = _turned(R, self.moment)
        J = R @ self.inertia @ np.swapaxes(R, 1, 2)
        F = self.mass[:, None] * lift + cross(e, c) + cross(w, cross(w, c)) + self.children @ force
        M = cross(c, lift) + _turned(J, e) + cross(w, _turned(J, w)) + self.children @ torque
        M += self.children @ cross(state.p, force) - cross(place, self.children @ force)
        self._take_off(F, M, place, state, outside)
        axes = R @ self.axes
        loads = -np.concatenate([_turned(np.swapaxes(axes, 1, 2), part) for part in (F, M)], axis=1)
        return loads, place, self._velocities(state)[k] + cross(w, arm), lift + model.gravity

    def joint_wrenches(
        self, state: Kinematics, accelerations: np.ndarray, outside: Sequence[Outside] = ()
    ) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment (n, 3) of the inner part on every link at its origin, on the world's axes."""
        self.dynamics.inverse(state.q, state.rates, accelerations)
        force, torque = self.dynamics.work.force.copy(), self.dynamics.work.torque.copy()
        for load in outside:
            point = state.p[load.link] + state.R[load.link] @ load.point
            # all joints that carry the link
            below = np.flatnonzero(self.model.inside[:, load.link])
            force[below] -= load.force
            torque[below] -= load.moment + cross(point - state.p[below], load.force[None])
        return force, torque

    def _take_off(
        self, F: np.ndarray, M: np.ndarray, place: np.ndarray, state: Kinematics, outside: Sequence[Outside]
    ) -> None:
        """Loads from outside on the sections' own outer pieces."""
        for load in outside:
            point = state.p[load.link] + state.R[load.link] @ load.point
            on = [i for i in np.flatnonzero(self.row == load.link) if self.sections[i].carries(load.point)]
            F[on] -= load.force
            M[on] -= load.moment + cross(point - place[on], load.force[None])

    def _velocities(self, state: Kinematics) -> np.ndarray:
        """(n, 3) of the links' origins."""
        model, w = self.model, self.dynamics.work.rate
        v = np.zeros((model.n, 3))
        for k, above in enumerate(model.parent):
            if above >= 0:
                v[k] = v[above] + cross(w[above], state.p[k] - state.p[above])
            if model.prismatic[k]:
                v[k] += state.axes[k] * state.rates[k]
        return v

    def along(
        self,
        time_s: np.ndarray,
        states: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]],
        outside: Sequence[Sequence[Outside]],
    ) -> list[LineLoads]:
        """All lines at states (q, q', q'') of a motion, with what acts from outside at each."""
        rows = [self.at(*state, loads) for state, loads in zip(states, outside, strict=True)]
        loads, place, velocity, acceleration = (np.stack(part) for part in zip(*rows, strict=True))
        made, first = [], 0
        for line in self.lines:
            own = slice(first, first + len(line.sections))
            first = own.stop
            made.append(
                LineLoads(
                    line.name,
                    time_s,
                    np.array([section.distance for section in line.sections]),
                    loads[:, own],
                    place[:, own],
                    velocity[:, own],
                    acceleration[:, own],
                    line.named,
                    line.allowable,
                    line.factor,
                )
            )
        return made


def _turned(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.einsum("kab,kb->ka", R, v)
