"""Shapes that bodies are given: solids, meshes from files, and what is told where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.drawing.meshes import Mesh, ball
from docksim.drawing.visuals import NoMesh, surface, thinned
from docksim.replay.scene import build_scene
from tests.support.solids import volume_of

STL = """\
solid tetrahedron
facet normal 0 0 -1
outer loop
vertex 0 0 0
vertex 0 1 0
vertex 1 0 0
endloop
endfacet
facet normal 0 -1 0
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 0 1
endloop
endfacet
facet normal -1 0 0
outer loop
vertex 0 0 0
vertex 0 0 1
vertex 0 1 0
endloop
endfacet
facet normal 1 1 1
outer loop
vertex 1 0 0
vertex 0 1 0
vertex 0 0 1
endloop
endfacet
endsolid tetrahedron
"""


def with_shapes(*visuals: dict[str, Any]) -> Any:
    joint = {"type": "revolute", "axis": [0.0, 0.0, 1.0]}
    body = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": joint, "visuals": list(visuals)}
    hull = {"mass_kg": 10.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "bodies": {"arm": body}}
    return load_scenario({"vehicles": {"tug": hull}, "solver": {"duration_s": 1.0}})


def shapes(*visuals: dict[str, Any]) -> list[Mesh]:
    return [surface(one) for one in with_shapes(*visuals).vehicles["tug"].bodies["arm"].visuals]


def test_solids_have_their_volume_and_place() -> None:
    turned = {"yaw_pitch_roll_deg": [0.0, 90.0, 0.0]}
    box, rod, sphere = shapes(
        {"type": "box", "size_m": [1.0, 2.0, 3.0], "position_m": [1.0, 0.0, 0.0]},
        {"type": "cylinder", "radius_m": 0.1, "length_m": 2.0, "attitude": turned},
        {"type": "sphere", "radius_m": 0.5},
    )
    assert volume_of(box) == pytest.approx(6.0)
    assert box.vertices[:, 0].min() == 0.5
    # of 32 sides
    assert volume_of(rod) == pytest.approx(np.pi * 0.01 * 2.0, rel=0.01)
    assert np.ptp(rod.vertices, axis=0) == pytest.approx([2.0, 0.2, 0.2], rel=0.01)
    assert volume_of(sphere) == pytest.approx(4.0 / 3.0 * np.pi * 0.125, rel=0.02)


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_mesh_of_a_file_is_scaled_and_never_inside_out(mirror: float, tmp_path: Path) -> None:
    file = tmp_path / "t.stl"
    file.write_text(STL)
    mesh = shapes({"type": "mesh", "mesh_file": str(file), "scale": [mirror * 2.0, 1.0, 1.0]})[0]
    assert volume_of(mesh) == pytest.approx(2.0 / 6.0)


def test_large_mesh_is_thinned_and_keeps_its_shape() -> None:
    fine = ball(1.0, 200)
    coarse = thinned(fine, 3000)
    assert len(fine.triangles) > 30_000
    assert len(coarse.triangles) <= 3000
    assert volume_of(coarse) == pytest.approx(volume_of(fine), rel=0.02)


def test_scene_shows_shapes_and_tells_of_those_it_cannot_show() -> None:
    box = {"type": "box", "size_m": [1.0, 1.0, 1.0], "colour": "#ff0000"}
    scene = build_scene(with_shapes(box, {"type": "mesh", "mesh_file": "gone.stl"}))
    assert [part.colour for part in scene.parts if part.kind == "body"] == ["#ff0000"]
    assert scene.notes == ["mesh gone.stl: no such file; the body is shown by its inertia"]


def test_frames_of_a_body_with_a_look_of_its_own_are_not_drawn_as_ports() -> None:
    bare = with_shapes()
    keys = bare.model_dump(exclude_none=True)
    keys["vehicles"]["tug"]["bodies"]["arm"]["ports"] = {"tool": {}}
    rings = [part for part in build_scene(load_scenario(keys)).parts if part.kind == "port"]
    assert len(rings) == 1
    keys["vehicles"]["tug"]["bodies"]["arm"]["visuals"] = [{"type": "sphere", "radius_m": 0.1}]
    assert not [part for part in build_scene(load_scenario(keys)).parts if part.kind == "port"]


def test_missing_reader_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "t.stl"
    file.write_text(STL)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(NoMesh, match=r"pip install 'docksim\[meshes\]'"):
        shapes({"type": "mesh", "mesh_file": str(file)})


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("t.obj", "mtllib /dev/zero\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", "cannot be read"),
        ("t.off", "OFF\n99999999999 1 0\n0 0 0\n", "cannot be read"),
        ("t.off", "OFF\n3 1 0\n0 0 0\n1e200 0 0\n0 1 0\n3 0 1 2\n", "has no surface"),
        ("t.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "has no surface|cannot be read"),
        ("t.dae", "<COLLADA/>", "only stl, obj, ply, off, glb are read"),
        ("t.gltf", "{}", "only stl, obj, ply, off, glb are read"),
    ],
)
def test_crafted_mesh_is_told_in_a_line(name: str, content: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(NoMesh, match=told) as caught:
        shapes({"type": "mesh", "mesh_file": str(tmp_path / name)})
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("content", ["", "not a mesh", "solid\nendsolid\n"])
def test_broken_file_is_told(content: str, tmp_path: Path) -> None:
    file = tmp_path / "t.stl"
    file.write_text(content)
    with pytest.raises(NoMesh, match=r"t\.stl: (cannot be read|has no surface)"):
        shapes({"type": "mesh", "mesh_file": str(file)})
