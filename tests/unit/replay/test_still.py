"""Stills: the rasterizer against areas and depths known by hand, and the scene of a docking."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from docksim.drawing.meshes import Mesh, ball, box
from docksim.replay.raster import BACKGROUND, Solids, picture
from docksim.replay.scene import build_scene
from docksim.replay.still import TOUCH, Piece, _moment, solids_of, still, write_still
from docksim.result.result import Channel, Result, ResultError
from tests.unit.replay.runs import docking, run

SIZE = 200
RED, GREEN, BLUE = "#ff0000", "#00ff00", "#0000ff"


def drawn(*pieces: Piece) -> np.ndarray:
    """Seen from the origin along -z, 90 degrees wide: at the distance d one metre is SIZE / (2 d) pixels."""
    solids: Solids = solids_of(list(pieces), np.zeros(3), np.eye(3))
    return picture(solids, SIZE, SIZE, 90.0)


def square(half: float, z: float) -> Mesh:
    corners = np.array([[-half, -half, z], [half, -half, z], [half, half, z], [-half, half, z]])
    return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))


def share(image: np.ndarray, channel: int) -> float:
    """Part of the picture in which this colour is the strongest by far."""
    others = [k for k in range(3) if k != channel]
    return float((image[:, :, channel] > 2.0 * image[:, :, others].max(axis=2)).mean())


def test_square_covers_what_perspective_gives_it() -> None:
    # half a metre to each side at two metres: a quarter of the width, and of the height
    assert share(drawn(Piece(square(0.5, -2.0), RED)), 0) == pytest.approx(1.0 / 16.0, abs=4.0 / SIZE)


def test_sphere_covers_its_cone() -> None:
    # a sphere is seen under asin(r / d); its outline from straight before it is a circle of that cone
    radius = 0.5 * np.tan(np.arcsin(0.8 / 2.0))
    assert share(drawn(Piece(ball(0.8, 64).moved((0, 0, -2.0)), RED)), 0) == pytest.approx(np.pi * radius**2, abs=0.01)


@pytest.mark.parametrize("order", [1, -1])
def test_nearer_hides_farther_whatever_comes_first(order: int) -> None:
    image = drawn(*[Piece(square(0.5, -1.0), RED), Piece(square(2.0, -3.0), BLUE)][::order])
    assert share(image, 0) == pytest.approx(1.0 / 4.0, abs=8.0 / SIZE)
    assert share(image, 2) == pytest.approx(4.0 / 9.0 - 1.0 / 4.0, abs=12.0 / SIZE)


def test_tilted_surfaces_are_hidden_where_they_cross() -> None:
    # the plane x = z + 2 is nearer than z = -2 for x > 0 only
    tilted = Mesh(
        square(1.0, 0.0).vertices + [[0, 0, -3.0], [0, 0, -1.0], [0, 0, -1.0], [0, 0, -3.0]], square(1, 0).triangles
    )
    image = drawn(Piece(square(5.0, -2.0), BLUE), Piece(tilted, RED))
    middle = image[SIZE // 2]
    assert share(middle[None, : SIZE // 2 - 2], 0) == 0.0
    assert share(middle[None, SIZE // 2 + 2 : int(0.9 * SIZE)], 0) > 0.9


def test_see_through_surface_lets_its_part_through() -> None:
    alone, behind = (drawn(*pieces)[SIZE // 2, SIZE // 2] for pieces in (
        [Piece(square(1.0, -2.0), RED, 0.25)], [Piece(square(1.0, -2.0), RED, 0.25), Piece(square(9.0, -3.0), BLUE)],
    ))  # fmt: skip
    red, blue = drawn(Piece(square(1.0, -2.0), RED))[100, 100], drawn(Piece(square(9.0, -3.0), BLUE))[100, 100]
    assert alone == pytest.approx(0.25 * red + 0.75 * BACKGROUND, abs=1e-12)
    assert behind == pytest.approx(0.25 * red + 0.75 * blue, abs=1e-12)


def test_solid_that_begins_behind_the_eye_is_cut_not_lost() -> None:
    # a floor one metre below, from behind the eye to far ahead: everything below the horizon
    floor = Mesh(np.array([[-99, -1, 9], [99, -1, 9], [99, -1, -99], [-99, -1, -99.0]]), square(1, 0).triangles)
    image = drawn(Piece(floor, GREEN))
    assert share(image[SIZE // 2 + 4 :], 1) > 0.97
    assert share(image[: SIZE // 2 - 1], 1) == 0.0
    assert (drawn(Piece(box((-1, -1, 1), (1, 1, 2)), RED)) == BACKGROUND).all()


def test_still_of_a_docking_shows_its_forces() -> None:
    figure = still(docking())
    assert figure.axes[0].texts[0].get_text().startswith("meeting ")
    image = np.asarray(figure.axes[0].images[0].get_array())
    assert shown(image, TOUCH) > 300
    start = np.asarray(still(docking(), 0.0).axes[0].images[0].get_array())
    assert shown(start, TOUCH) == 0


def test_still_shows_the_pair_in_view_not_what_is_hidden_later() -> None:
    whole = docking()
    scene = build_scene(whole.scenario)
    (pair,) = scene.pairs
    scene.pairs.append(dataclasses.replace(pair, name="frames"))
    shown_at = _moment(scene, whole, None)
    # another pair feels more at the end
    blow = np.where(whole.time_s < whole.time_s[-1], 0.0, 1e6)
    more = Channel("frames.petals_force_N", "N", "", "", blow)
    later = Result(whole.scenario, [*whole.channels.values(), more], whole.outcome, events=whole.events)
    assert _moment(scene, later, None) == shown_at < whole.time_s[-1]
    # where it alone touches, it is shown
    scene.pairs.reverse()
    assert _moment(scene, later, None) == whole.time_s[-1]


def shown(image: np.ndarray, colour: str) -> int:
    """How many pixels have this colour, in light or shade."""
    hue = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    shade = image @ hue / (hue @ hue)
    return int(((np.abs(image - shade[:, :, None] * hue).max(axis=2) < 0.03) & (shade > 0.5)).sum())


def test_instant_can_be_chosen_within_the_run(tmp_path: Path) -> None:
    result = run("scenarios/tumbling_brick.yaml", **{"solver.duration_s": 0.5})
    assert write_still(result, tmp_path / "new" / "still.png").read_bytes().startswith(b"\x89PNG")
    assert "0.20 s" in still(result, 0.21).axes[0].texts[0].get_text()
    with pytest.raises(ResultError, match=r"no instant 3 s; the run is from 0 to 0\.5 s"):
        still(result, 3.0)


def test_result_without_finite_rows_is_refused() -> None:
    plain = run("scenarios/tumbling_brick.yaml", **{"solver.duration_s": 0.5})
    channels = {name: one if not name.endswith(".position_m") else one.__class__(
        one.name, one.unit, one.frame, one.description, np.full_like(one.data, np.nan), one.components, one.labels,
    ) for name, one in plain.channels.items()}  # fmt: skip
    with pytest.raises(ResultError, match="no instant of this result has finite positions"):
        still(Result(plain.scenario, channels, "diverged"))
