"""What is drawn of interfaces and mechanisms has the sizes of the files; surfaces are closed and face outward."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from docksim.algebra.rotations import rotation_matrix
from docksim.config import load_interface
from docksim.drawing import guides, meshes
from docksim.drawing import interface as shape
from docksim.drawing.mechanism import place_legs
from docksim.hardware.mechanism import Mechanism
from tests.support.solids import volume_of

ROOT = Path(__file__).resolve().parents[2]
INTERFACES = sorted((ROOT / "configs" / "interfaces").glob("*.yaml"))
MECHANISMS = sorted((ROOT / "configs" / "mechanisms").glob("*.yaml"))
IDSS = load_interface("configs/interfaces/idss_like.yaml")


def edges_meet(mesh: meshes.Mesh) -> bool:
    """Does every edge, by the places of its ends, border as many triangles one way as the other?"""
    places = np.unique(np.round(mesh.vertices, 9), axis=0, return_inverse=True)[1].ravel()
    balance: dict[tuple[int, int], int] = {}
    for triangle in places[mesh.triangles]:
        for a, b in zip(triangle, np.roll(triangle, -1)):
            if a != b:
                key, sign = ((a, b), 1) if a < b else ((b, a), -1)
                balance[key] = balance.get(key, 0) + sign
    return not any(balance.values())


CORNER = np.array([1.0, 1.5, 3.0])
SOLIDS = {
    # name: solid, its volume in closed form, relative error of a polygon with that many sides
    "rod": (meshes.rod(2.0, 0.5, 200), math.pi * 0.25 * 2.0, 2e-4),
    "washer": (meshes.washer(0.5, 1.0, -0.1, 0.1), math.pi * 0.75 * 0.2, 3e-3),
    "torus": (meshes.torus(1.0, 0.1), 2.0 * math.pi**2 * 0.01, 5e-2),
    "ball": (meshes.ball(0.5, 80), math.pi / 6.0, 3e-3),
    "ball that stays": (meshes.sheet(meshes.swept_ball(CORNER, CORNER, 0.5, 80)), math.pi / 6.0, 3e-3),
    # a cylinder of length 7 and radius 0.5 between two half balls
    "swept ball": (meshes.sheet(meshes.swept_ball(CORNER, -CORNER, 0.5, 80)), math.pi * (7.0 / 4.0 + 1.0 / 6.0), 3e-3),
    "box": (meshes.box((-1.0, 0.0, 2.0), (1.0, 3.0, 3.0)), 6.0, 1e-12),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_are_closed_and_have_their_volume(name: str) -> None:
    mesh, volume, tolerance = SOLIDS[name]
    assert edges_meet(mesh)
    # positive: no solid is inside out
    assert volume_of(mesh) == pytest.approx(volume, rel=tolerance)


def test_plate_is_closed_and_has_its_thickness() -> None:
    x, y = np.meshgrid(np.linspace(0.0, 1.0, 4), np.linspace(0.0, 2.0, 5), indexing="ij")
    mesh = meshes.plate(np.stack([x, y, 0.3 * x], axis=-1), 0.05)
    assert edges_meet(mesh)
    area = 2.0 * math.hypot(1.0, 0.3)
    assert abs(volume_of(mesh)) == pytest.approx(0.1 * area, rel=1e-12)


def test_open_surface_is_seen_as_such() -> None:
    box = meshes.box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    assert not edges_meet(meshes.Mesh(box.vertices, box.triangles[1:]))


def test_moved_mesh_lies_where_it_is_put() -> None:
    turn = rotation_matrix((math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))  # a quarter turn about z
    moved = meshes.rod(2.0, 0.1).moved((5.0, 0.0, 0.0), turn)
    assert moved.vertices[:, 1].max() == pytest.approx(2.0, abs=1e-12)
    assert np.abs(moved.vertices[:, 0] - 5.0).max() == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("path", INTERFACES, ids=lambda path: path.stem)
def test_solid_interface_is_closed_and_as_large_as_the_file_says(path: Path) -> None:
    interface = load_interface(path)
    solid = shape.solid(interface)
    assert edges_meet(solid)
    distance = np.hypot(solid.vertices[:, 1], solid.vertices[:, 2])
    if interface.face is not None:
        assert np.isclose(distance, interface.face.outer_m, atol=1e-12).any()
        assert np.isclose(solid.vertices[:, 0], -interface.face.depth_m, atol=1e-12).any()
    # plates are as thick as given, so they may stand out by half their thickness
    thick = interface.petals.plate_radius_m if interface.petals else 0.0
    assert distance.max() <= shape.radius(interface) + thick + 1e-12


def test_capsule_is_drawn_from_end_to_end() -> None:
    rod = {"start_m": [0.1, 0.2, 0.0], "end_m": [0.3, 0.2, 0.4], "radius_m": 0.05}
    interface = load_interface({"capsules": [rod]})
    solid = shape.solid(interface)
    assert edges_meet(solid)
    # a polygon of 20 sides is 2 % smaller than its circle, a ball of so many 4 %
    length, r = math.hypot(0.2, 0.4), 0.05
    assert volume_of(solid) == pytest.approx(math.pi * r**2 * (length + 4.0 / 3.0 * r), rel=0.03)
    assert shape.top(interface) == pytest.approx(0.35, abs=1e-15)
    assert shape.radius(interface) == pytest.approx(math.hypot(0.2, 0.4) + 0.05, abs=1e-15)
    way = np.array([0.2, 0.0, 0.4])
    along = np.clip((solid.vertices - rod["start_m"]) @ way / (way @ way), 0.0, 1.0)
    distance = np.linalg.norm(solid.vertices - rod["start_m"] - along[:, None] * way, axis=1)
    assert distance == pytest.approx(0.05, abs=1e-12)


def test_pins_and_holes_are_drawn_where_they_mate() -> None:
    frame = load_interface("configs/interfaces/idss_frame.yaml")
    pins, holes = frame.pins, frame.holes
    assert pins is not None
    assert holes is not None
    assert shape.solid(frame).vertices[:, 0].max() == pytest.approx(pins.length_m, abs=1e-12)
    assert shape.solid(frame).vertices[:, 0].min() == pytest.approx(-holes.depth_m, abs=1e-12)
    # half a turn about z shows the mate's pins in the holes, whichever is which
    mated = guides.places(pins) * [1.0, -1.0, 1.0]
    assert mated == pytest.approx(guides.places(holes), abs=1e-12)


def test_petals_have_the_sizes_of_the_file() -> None:
    petals = IDSS.petals
    assert petals is not None
    for k, grid in enumerate(shape.petals(IDSS)):
        middle = grid[:, shape.ACROSS // 2]
        azimuth = math.radians(petals.first_azimuth_deg + 120.0 * k)
        base = middle[0] + (middle[-1] - middle[0]) * (0.0 - middle[0, 0]) / (middle[-1, 0] - middle[0, 0])
        out = np.array([0.0, math.cos(azimuth), math.sin(azimuth)])
        assert base == pytest.approx(petals.base_radius_m * out, abs=1e-12)
        # from the mating plane to the tip along the middle, and half the width there
        assert np.linalg.norm(middle[-1] - base) == pytest.approx(petals.length_m, rel=1e-12)
        assert np.linalg.norm(grid[-1, -1] - grid[-1, 0]) / 2 == pytest.approx(petals.tip_half_width_m, rel=1e-12)


def test_closed_hooks_hold_the_places_of_the_latches() -> None:
    assert IDSS.latches is not None
    for hook, place in zip(shape.hooks(IDSS), shape.places(IDSS.latches), strict=True):
        beak = hook.position + hook.axes @ np.array([shape.HOOK_M, 0.4 * shape.HOOK_M, 0.0])
        assert beak == pytest.approx(place, abs=1e-12)
        assert np.linalg.det(hook.axes) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("path", MECHANISMS, ids=lambda path: path.stem)
def test_links_lie_where_the_kernel_closes_the_legs(path: Path) -> None:
    mechanism = Mechanism.load(path)
    rng = np.random.default_rng(3)
    position = np.array(mechanism.reference[0]) + rng.uniform(-0.01, 0.01, 3)
    turn = np.array(mechanism.reference[1]) + rng.uniform(-0.01, 0.01, 4)
    pose = position, turn / np.linalg.norm(turn)
    closed = mechanism.closure(pose)
    placed = place_legs(mechanism.legs, position[None], rotation_matrix(pose[1])[None], closed.actuated[None])
    points = mechanism.points(pose)
    # the crank's angle has passed through an arctangent: a few times 1e-16 of a metre
    assert np.allclose(placed.base_joints[0], points[:, 0], atol=1e-12)
    assert np.allclose(placed.second_starts[0], points[:, 1], atol=1e-12)
    assert np.allclose(placed.ring_joints[0], points[:, 2], atol=1e-12)
