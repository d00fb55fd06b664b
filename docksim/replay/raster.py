"""Solids to a picture: triangles in perspective, hidden by what is nearer, see-through ones laid over one another.

Every triangle is cut at the near plane and turned into spans of pixels; a pixel's inverse distance is linear over the
picture, so is its shade, which is exact at the corners. Solid triangles go through a depth buffer; of see-through ones
before them the colours are averaged, so their order does not matter. Lines are drawn where one solid ends before
another. The picture is made twice as large and averaged, against steps along edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

FINER = 2
NEAR_M = 0.05
CHUNK = 1_000_000  # pixels at a time
BACKGROUND = np.array([0.965, 0.969, 0.976])
LIGHT = np.array([-0.40, 0.56, 0.72])  # towards it: right, up, back, in the camera's axes
AMBIENT, DIFFUSE = 0.52, 0.48
LINE = 0.45  # how dark a line is
STEP = 0.02  # a jump of the distance by this part of it ends a solid


@dataclass(frozen=True, eq=False)
class Solids:
    """n triangles in the camera's axes (right, up, back), metres."""

    corners: np.ndarray  # (n, 3, 3)
    normals: np.ndarray  # (n, 3, 3) of the surface at each corner
    colour: np.ndarray  # (n, 3)
    opacity: np.ndarray  # (n,)
    owner: np.ndarray  # (n,) number of the solid
    front: np.ndarray  # (n,) drawn over everything


def picture(solids: Solids, width: int, height: int, fov_deg: float) -> np.ndarray:
    """(height, width, 3) from 0 to 1."""
    size = FINER * height, FINER * width
    focal = 0.5 * size[0] / np.tan(0.5 * np.radians(fov_deg))
    corners, solids, shade = _cut(solids)
    planes, x, y = _planes(corners, shade, focal, size)
    solid = solids.opacity >= 1.0
    nearest, image, owner = (
        np.zeros(size).ravel(),
        np.tile(BACKGROUND, (size[0] * size[1], 1)),
        np.full(size, -1).ravel(),
    )
    spans = list(_pixels(x, y, size, np.flatnonzero(solid)))
    for which, pixel in spans:
        np.maximum.at(nearest, pixel, _depth(planes, solids.front, which, pixel, size))
    for which, pixel in spans:
        seen = _depth(planes, solids.front, which, pixel, size) >= nearest[pixel]
        which, pixel = which[seen], pixel[seen]
        owner[pixel] = solids.owner[which]
        image[pixel] = solids.colour[which] * _over(planes[which, 1], pixel, size)[:, None]
    image *= 1.0 - LINE * _lines(nearest.reshape(size), owner.reshape(size)).ravel()[:, None]
    _glaze(image, nearest, solids, planes, _pixels(x, y, size, np.flatnonzero(~solid)), size)
    fine = np.clip(image, 0.0, 1.0).reshape(height, FINER, width, FINER, 3)
    averaged: np.ndarray = fine.mean(axis=(1, 3))
    return averaged


def _cut(solids: Solids) -> tuple[np.ndarray, Solids, np.ndarray]:
    """Triangles before the near plane, those that cross it cut to one or two; with the shade of every corner."""
    toward = LIGHT / np.linalg.norm(LIGHT)
    # surfaces are lit from both sides
    shade = AMBIENT + DIFFUSE * np.abs(solids.normals @ toward)
    corners, ahead = solids.corners, solids.corners[:, :, 2] < -NEAR_M
    count = ahead.sum(axis=1)
    pieces, shades, sources = [corners[count == 3]], [shade[count == 3]], [np.flatnonzero(count == 3)]
    for number in (1, 2):
        for k in range(3):
            # k is the one corner that is alone on its side
            some = np.flatnonzero((count == number) & (ahead[:, k] == (number == 1)))
            a, b, c = (corners[some, (k + i) % 3] for i in range(3))
            p, q, r = (shade[some, (k + i) % 3] for i in range(3))
            (ab, p_ab), (ac, p_ac) = _meet(a, b, p, q), _meet(a, c, p, r)
            kept = [((a, ab, ac), (p, p_ab, p_ac))] if number == 1 else [
                ((ab, b, c), (p_ab, q, r)), ((ab, c, ac), (p_ab, r, p_ac)),
            ]  # fmt: skip
            for places, lights in kept:
                pieces.append(np.stack(places, axis=1))
                shades.append(np.stack(lights, axis=1))
                sources.append(some)
    which = np.concatenate(sources)
    kept_of = Solids(*(getattr(solids, name)[which] for name in Solids.__dataclass_fields__))
    return np.concatenate(pieces), kept_of, np.concatenate(shades)


def _meet(a: np.ndarray, b: np.ndarray, p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the way from a to b meets the near plane, and the shade there."""
    t = (-NEAR_M - a[:, 2]) / (b[:, 2] - a[:, 2])
    return a + t[:, None] * (b - a), p + t * (q - p)


def _planes(
    corners: np.ndarray, shade: np.ndarray, focal: float, size: tuple[int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(n, 2, 3) inverse distance and shade as a x + b y + c of the pixel, and the corners' pixel coordinates (n, 3)."""
    away = -corners[:, :, 2]
    x = 0.5 * size[1] + focal * corners[:, :, 0] / away
    y = 0.5 * size[0] - focal * corners[:, :, 1] / away
    values = np.stack([1.0 / away, shade], axis=1)
    dx, dy = x[:, 1:] - x[:, :1], y[:, 1:] - y[:, :1]
    area = dx[:, 0] * dy[:, 1] - dx[:, 1] * dy[:, 0]
    area = np.where(np.abs(area) < 1e-9, np.inf, area)[:, None]
    rise = values[:, :, 1:] - values[:, :, :1]
    a = (rise[:, :, 0] * dy[:, 1:] - rise[:, :, 1] * dy[:, :1]) / area
    b = (rise[:, :, 1] * dx[:, :1] - rise[:, :, 0] * dx[:, 1:]) / area
    return np.stack([a, b, values[:, :, 0] - a * x[:, :1] - b * y[:, :1]], axis=2), x, y


def _pixels(
    x: np.ndarray, y: np.ndarray, size: tuple[int, int], which: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Triangle and pixel of everything that these triangles cover, by centres of pixels, in portions."""
    low = np.clip(np.ceil(y[which].min(axis=1) - 0.5), 0, size[0]).astype(int)
    high = np.clip(np.ceil(y[which].max(axis=1) - 0.5), 0, size[0]).astype(int)
    # a line of the picture for each that a triangle crosses
    triangle, line = _counted(which, low, high)
    left, right = np.full(len(line), np.inf), np.full(len(line), -np.inf)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        y_i, y_j, x_i, x_j = y[triangle, i], y[triangle, j], x[triangle, i], x[triangle, j]
        crossed = (y_i <= line + 0.5) != (y_j <= line + 0.5)
        at = x_i + (line + 0.5 - y_i) * (x_j - x_i) / np.where(crossed, y_j - y_i, 1.0)
        left, right = np.where(crossed, np.minimum(left, at), left), np.where(crossed, np.maximum(right, at), right)
    first = np.clip(np.ceil(np.nan_to_num(left) - 0.5), 0, size[1]).astype(int)
    last = np.clip(np.ceil(np.nan_to_num(right) - 0.5), 0, size[1]).astype(int)
    last = np.where(np.isfinite(left), np.maximum(first, last), first)
    bounds = np.searchsorted(np.cumsum(last - first), np.arange(CHUNK, (last - first).sum() + CHUNK, CHUNK))
    for some in np.split(np.arange(len(line)), bounds + 1):
        number, column = _counted(some, first[some], last[some])
        if len(number):
            yield triangle[number], line[number] * size[1] + column


def _counted(keys: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every key once for each whole number from low up to high, and that number."""
    count = high - low
    start = np.repeat(low - np.concatenate([[0], np.cumsum(count)[:-1]]), count) if len(count) else low
    return np.repeat(keys, count), start + np.arange(len(start))


def _over(plane: np.ndarray, pixel: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """A linear quantity at the pixels' centres."""
    line, column = np.divmod(pixel, size[1])
    value: np.ndarray = plane[:, 0] * (column + 0.5) + plane[:, 1] * (line + 0.5) + plane[:, 2]
    return value


def _depth(
    planes: np.ndarray, front: np.ndarray, which: np.ndarray, pixel: np.ndarray, size: tuple[int, int]
) -> np.ndarray:
    """Inverse distance; what is drawn over everything counts as nearer than the near plane."""
    return _over(planes[which, 0], pixel, size) + np.where(front[which], 2.0 / NEAR_M, 0.0)


def _lines(nearest: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Where one solid ends before another or before the background; on the nearer side."""
    drawn = np.zeros(nearest.shape, bool)
    for axis in (0, 1):
        for step in (1, -1):
            beside, other = np.roll(nearest, step, axis), np.roll(owner, step, axis)
            ends = (nearest > (1.0 + STEP) * beside) | ((owner != other) & (nearest >= beside))
            drawn |= ends & (owner >= 0)
    drawn[[0, -1], :], drawn[:, [0, -1]] = False, False
    return drawn


def _glaze(
    image: np.ndarray, nearest: np.ndarray, solids: Solids, planes: np.ndarray,
    spans: Iterable[tuple[np.ndarray, np.ndarray]], size: tuple[int, int],
) -> None:  # fmt: skip
    """Lay see-through surfaces over the picture: as much light as passes all of them, and the mean of their colours."""
    passed, weight, light = np.zeros(len(image)), np.zeros(len(image)), np.zeros((3, len(image)))
    for which, pixel in spans:
        seen = _depth(planes, solids.front, which, pixel, size) > nearest[pixel]
        which, pixel = which[seen], pixel[seen]
        alpha, shade = solids.opacity[which], _over(planes[which, 1], pixel, size)
        passed += np.bincount(pixel, np.log1p(-alpha), len(image))
        weight += np.bincount(pixel, alpha, len(image))
        for k in range(3):
            light[k] += np.bincount(pixel, alpha * shade * solids.colour[which, k], len(image))
    some = weight > 0.0
    mean, through = (light[:, some] / weight[some]).T, np.exp(passed[some])[:, None]
    image[some] = through * image[some] + (1.0 - through) * mean
