"""Guide pins and holes by their outlines, lines and arcs as a drawing's numbers give them; distances by brute force.

Points are (distance from the axis, height). An outline is walked with the solid on the left of a pin, of a hole's frame
on the right.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from docksim.config.schema.pins import Holes, Pins

FAR = 1.0


class Line(NamedTuple):
    start: np.ndarray
    end: np.ndarray

    def distance(self, x: np.ndarray) -> np.ndarray:
        way = self.end - self.start
        part = np.clip((x - self.start) @ way / (way @ way), 0.0, 1.0)
        return np.asarray(np.linalg.norm(x - self.start - part[:, None] * way, axis=1))

    def points(self, n: int) -> np.ndarray:
        return np.asarray(self.start + np.linspace(0.0, 1.0, n)[:, None] * (self.end - self.start))


class Arc(NamedTuple):
    centre: np.ndarray
    radius: float
    start: float  # angles, from the first axis
    end: float

    def distance(self, x: np.ndarray) -> np.ndarray:
        """Only from within the arc's angles; a neighbour is nearer elsewhere."""
        d = x - self.centre
        angle = np.arctan2(d[:, 1], d[:, 0])
        low, high = sorted((self.start, self.end))
        within = (angle >= low) & (angle <= high)
        return np.where(within, np.abs(np.linalg.norm(d, axis=1) - self.radius), np.inf)

    def points(self, n: int) -> np.ndarray:
        angle = np.linspace(self.start, self.end, n)
        return np.asarray(self.centre + self.radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))


Outline = list[Line | Arc]


def pin_outline(pins: Pins) -> Outline:
    """Up the cylinder, round its shoulder, along the taper and over the nose."""
    taper = math.radians(pins.taper_deg) if pins.nose_m < pins.pin_m else 0.0
    shoulder = Arc(np.array([pins.pin_m - pins.nose_m, pins.cylinder_m]), pins.nose_m, 0.0, taper)
    nose = Arc(np.array([0.0, pins.length_m - pins.nose_m]), pins.nose_m, taper, 0.5 * math.pi)
    foot, top = np.array([pins.pin_m, -FAR]), np.array([pins.pin_m, pins.cylinder_m])
    return [Line(foot, top), shoulder, Line(shoulder.points(2)[1], nose.points(2)[0]), nose]


def hole_outline(holes: Holes) -> Outline:
    """Up the bore, round its edge, along the chamfer, round the mouth and out over the face."""
    slope, r = math.radians(holes.chamfer_deg), holes.edge_m
    # from a sharp corner to where its rounding begins: r times the tangent of half of the turn
    low = np.array([holes.bore_m + r, -holes.chamfer_m / math.tan(slope) - r * math.tan(0.5 * slope)])
    high = np.array([holes.mouth_m + r * math.tan(0.5 * (0.5 * math.pi - slope)), -r])
    edge, mouth = Arc(low, r, math.pi, math.pi - slope), Arc(high, r, math.pi - slope, 0.5 * math.pi)
    bore = Line(np.array([holes.bore_m, -FAR]), np.array([holes.bore_m, low[1]]))
    face = Line(np.array([high[0], 0.0]), np.array([FAR, 0.0]))
    return [bore, edge, Line(edge.points(2)[1], mouth.points(2)[0]), mouth, face]


def to_outline(points: np.ndarray, outline: Outline) -> np.ndarray:
    """Distances of points (n, 2) from an outline."""
    return np.asarray(np.min([piece.distance(np.atleast_2d(points)) for piece in outline], axis=0))


def height_profile(outline: Outline) -> np.ndarray:
    """Dense points, by height, of all but what is flat."""
    rising = [piece for piece in outline if not (isinstance(piece, Line) and piece.start[1] == piece.end[1])]
    return np.concatenate([piece.points(2 if isinstance(piece, Line) else 4001) for piece in rising])


def within(points: np.ndarray, profile: np.ndarray) -> np.ndarray:
    """Which points (n, 2) are nearer to the axis than a profile by height, and below its top."""
    x = np.atleast_2d(points)
    return np.asarray((x[:, 1] < profile[-1, 1]) & (x[:, 0] < np.interp(x[:, 1], profile[:, 1], profile[:, 0])))


def least_around(distance: Callable[[np.ndarray], np.ndarray], count: int = 91) -> float:
    """The least of a function of angles: a grid, then a bracket around its best."""
    angles = np.linspace(0.0, 2.0 * math.pi, count)
    values = distance(angles)
    best, step = angles[int(np.argmin(values))], angles[1]
    found = minimize_scalar(
        lambda phi: float(distance(np.array([phi]))[0]),
        bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-9},
    )  # fmt: skip
    return min(float(found.fun), float(values.min()))
