"""Which curves stand beside the scene: those that tell how this run went, at most six panels of at most eight."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from docksim.model.contact import GROUP_NAMES
from docksim.replay.pair_tracks import Columns
from docksim.replay.sights import Scene
from docksim.result.result import LARGEST, LEAST

MOST_PANELS, MOST_SERIES = 6, 8
ALONG = ("axial x", "lateral y", "lateral z")


@dataclass(frozen=True)
class Panel:
    """One diagram over time: its curves by label, each a channel and one of its columns (-1: it has no others)."""

    title: str
    unit: str
    series: tuple[tuple[str, str, int], ...]

    def bands(self, columns: Columns) -> list[bool]:
        """Which curves have extremes between the rows."""
        return [column < 0 and channel + LARGEST in columns for _, channel, column in self.series]


def panels_of(scene: Scene, columns: Columns, joined: Sequence[str], early: bool = False) -> list[Panel]:
    """`joined` names pairs of ports whose relative motion is logged; `early`: what is zero now may not stay so."""
    pair = list(_pair_panels(scene, columns, joined, early))
    panels = [*pair[:3], *_leg_panels(scene, columns), *pair[3:], *_vehicle_panels(scene, columns)]
    return [panel for panel in panels if panel.series][:MOST_PANELS]


def values(panels: Iterable[Panel], columns: Columns, rows: np.ndarray) -> np.ndarray:
    """(rows, curves) of all panels, one after the other; after a curve with a band the two ends of that."""
    curves = []
    for panel in panels:
        for (_, channel, column), band in zip(panel.series, panel.bands(columns), strict=True):
            data = columns[channel][rows]
            curves.append(data if column < 0 else data[:, column])
            if band:
                curves.append(between(columns[channel + LEAST], rows, np.minimum))
                curves.append(between(columns[channel + LARGEST], rows, np.maximum))
    table = np.stack(curves, axis=1) if curves else np.zeros((len(rows), 0))
    return np.where(np.isfinite(table), table, np.nan)


def between(data: np.ndarray, rows: np.ndarray, reduce: np.ufunc) -> np.ndarray:
    """(rows,) the extreme of all rows after the one before that is shown; the first shown stands for itself."""
    starts = np.concatenate([rows[:1], rows[:-1] + 1])
    return np.asarray(reduce.reduceat(data[: rows[-1] + 1], starts)) if len(rows) else np.zeros(0)


def _pair_panels(scene: Scene, columns: Columns, joined: Sequence[str], early: bool) -> Iterator[Panel]:
    touching = [pair.name for pair in scene.pairs]
    for name in [*touching, *(other for other in joined if other not in touching)][:1]:
        yield _vector(columns, "active port from the passive", "m", f"{name}.position_m", ALONG)
        turns = ("roll", "pitch", "yaw")
        yield _vector(columns, "misalignment", "deg", f"{name}.misalignment_deg", turns)
        if name in touching:
            groups = [(group, f"{name}.{group}_force_N", -1) for group in GROUP_NAMES]
            yield Panel("contact force", "N", tuple(row for row in groups if _alive(columns, row[1], early)))
        else:
            yield _vector(columns, "load of the joined ports", "N", f"{name}.load_force_N", ("x", "y", "z"))
        yield _vector(columns, "closing velocity", "m/s", f"{name}.velocity_m_s", ALONG)


def _leg_panels(scene: Scene, columns: Columns) -> Iterator[Panel]:
    for legs in scene.legs[:1]:
        name = f"{legs.part.vehicle}.legs"
        count = range(1, len(legs.part.legs) + 1)
        for title, unit, key in (
            ("leg strokes", "m", "travel_m"),
            ("cranks", "deg", "angle_deg"),
            ("leg forces", "N", "force_N"),
            ("crank torques", "N m", "torque_Nm"),
        ):
            rows = [(f"leg {k}", f"{name}.{k}.{key}", -1) for k in count if f"{name}.{k}.{key}" in columns]
            yield Panel(title, unit, tuple(rows[:MOST_SERIES]))


def _vehicle_panels(scene: Scene, columns: Columns) -> Iterator[Panel]:
    for vehicle in scene.vehicles[1:2] if scene.focus is None else []:
        yield _vector(columns, f"position of {vehicle} in W", "m", f"{vehicle}.position_m", ("x", "y", "z"))
    for vehicle in scene.vehicles[:2]:
        yield _vector(columns, f"rate of {vehicle}", "deg/s", f"{vehicle}.rate_deg_s", ("x", "y", "z"))
    for title, unit, suffix in (("joint angles", "deg", ".angle_deg"), ("joint travels", "m", ".travel_m")):
        own = [name for name in columns if name.endswith(suffix) and ".legs." not in name and ".couplings." not in name]
        moving = [name for name in own if np.ptp(columns[name]) > 0.0] or own
        yield Panel(title, unit, tuple((name.removesuffix(suffix), name, -1) for name in moving[:MOST_SERIES]))
    yield Panel("turns of ball and beam joints", "deg", tuple(_turns(columns))[:MOST_SERIES])
    names = ("energy.kinetic_J", "energy.potential_J")
    yield Panel("energy", "J", tuple((name[7:-2], name, -1) for name in names if name in columns))


def _turns(columns: Columns) -> Iterator[tuple[str, str, int]]:
    """Of every joint with a rotation vector the component that moves most, the liveliest joints first."""
    suffix = ".rotation_deg"
    names = [name for name in columns if name.endswith(suffix) and ".ring." not in name]
    own = {name: np.ptp(columns[name], axis=0) for name in names}
    for name in sorted(own, key=lambda name: -own[name].max()):
        column = int(np.argmax(own[name]))
        yield f"{name.removesuffix(suffix)} {'xyz'[column]}", name, column


def _vector(columns: Columns, title: str, unit: str, channel: str, labels: tuple[str, ...]) -> Panel:
    rows = tuple((label, channel, i) for i, label in enumerate(labels))
    return Panel(title, unit, rows if channel in columns else ())


def _alive(columns: Columns, channel: str, early: bool) -> bool:
    """Is it to be shown, or may it come to be?"""
    some = (columns[name] for name in (channel, channel + LEAST, channel + LARGEST) if name in columns)
    return channel in columns and (early or any(bool(np.any(data)) for data in some))
