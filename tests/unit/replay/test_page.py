"""The page holds the numbers of the result, and no text of a result is more than text."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.replay.build import replay_page, write_replay
from docksim.replay.page import SCRIPTS, own_text
from docksim.replay.payload import TYPES, script_text
from docksim.replay.scene import brick, build_scene, cylinder, principal_axes, stand_in
from docksim.result.result import Channel, Result, ResultError
from tests.unit.replay.runs import docking, legs, run

EVIL = "</script><script>alert('x')</script><img src=x onerror=alert(1)><!--"


class Elements(HTMLParser):
    """Text of every script element, with its attributes, and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, Any], str]] = []
        self.names: list[str] = []
        self.policy = ""
        self._open = False

    def handle_starttag(self, tag: str, attrs: list[Any]) -> None:
        self.names.append(tag)
        self._open = tag == "script"
        if self._open:
            self.scripts.append((dict(attrs), ""))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]

    def handle_endtag(self, tag: str) -> None:
        self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            attrs, text = self.scripts[-1]
            self.scripts[-1] = attrs, text + data


def parsed(text: str) -> Elements:
    found = Elements()
    found.feed(text)
    return found


def payload(result: Result) -> dict[str, Any]:
    scripts = [text for attrs, text in parsed(replay_page(result)).scripts if attrs.get("id") == "data"]
    return json.loads(scripts[0])


def decoded(block: dict[str, Any], name: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(block[name]), TYPES[name]).reshape(block["rows"], -1)


def test_embedded_data_decode_to_the_channels() -> None:
    result = docking()
    found = payload(result)
    block = found["block"]
    assert np.array_equal(decoded(block, "time")[:, 0], result.time_s)
    position = decoded(block, "position").reshape(block["rows"], -1, 3) + decoded(block, "anchor")[:, None]
    for k, name in enumerate(found["bodies"]):
        # single precision, a few metres
        assert np.allclose(position[:, k], result[f"{name}.position_m"], atol=1e-6)
        attitude = decoded(block, "attitude").reshape(block["rows"], -1, 4)[:, k]
        assert np.allclose(attitude, result[f"{name}.attitude"], atol=1e-7)


def test_curves_are_the_channels_they_name() -> None:
    result = docking()
    found = payload(result)
    curves = decoded(found["block"], "curves")
    titles = [panel["title"] for panel in found["panels"]]
    assert titles[:3] == ["active port from the passive", "misalignment", "contact force"]
    assert np.array_equal(curves[:, 0:3], result["dock.position_m"].astype(np.float32))
    assert np.array_equal(curves[:, 3:6], result["dock.misalignment_deg"].astype(np.float32))
    panel = found["panels"][2]
    assert panel["bands"] == [True] * len(panel["series"])
    for k, label in enumerate(panel["series"]):
        # a curve, and the ends of its band
        for i, end in enumerate(("", ".least", ".largest")):
            assert np.array_equal(curves[:, 6 + 3 * k + i], result[f"dock.{label}_force_N{end}"].astype(np.float32))
    assert found["panels"][2]["unit"] == result.channel("dock.petals_force_N").unit


def test_events_and_phases_are_those_of_the_result() -> None:
    result = docking()
    found = payload(result)
    assert [(event["time"], event["name"]) for event in found["events"]] == [(e.time_s, e.name) for e in result.events]
    assert found["phases"] == list(result.channel("phase").labels)


def test_no_text_of_a_result_becomes_markup() -> None:
    plain = docking()
    scenario = plain.scenario.model_copy(update={"description": EVIL})
    events = [event._replace(text=EVIL) for event in plain.events]
    result = Result(scenario, plain.channels, "stopped", EVIL, events, {}, {"scenario": EVIL})
    text = replay_page(result)
    elements = parsed(text)
    clean = parsed(replay_page(plain))
    assert elements.names == clean.names
    assert "<img" not in text
    assert "&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)" in text
    data = next(script for attrs, script in elements.scripts if attrs.get("id") == "data")
    assert json.loads(data)["events"][0]["text"] == EVIL


def test_json_in_a_script_has_no_character_that_ends_it() -> None:
    text = script_text({"a": "</script>", "b": "<!--", "c": "&amp;", "d": "]]>", "e": "\u2028"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script>", "b": "<!--", "c": "&amp;", "d": "]]>", "e": "\u2028"}


def test_policy_allows_the_two_scripts_by_hash_and_no_request() -> None:
    elements = parsed(replay_page(legs()))
    rules = dict(rule.split(" ", 1) for rule in elements.policy.split("; "))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    running = [text for attrs, text in elements.scripts if "type" not in attrs]
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in running]
    assert rules["script-src"].split() == hashes
    assert len(hashes) == 2


def test_page_refers_to_nothing_outside() -> None:
    text = replay_page(legs())
    markup = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    assert not re.search(r"\b(src|href|action)=", markup)
    assert "url(" not in markup
    assert "@import" not in markup


def test_library_is_the_one_that_its_readme_describes() -> None:
    text = own_text("three/three.min.js")
    digest = re.search(r"sha256 of the file: ([0-9a-f]{64})", own_text("three/README.md"))
    assert digest is not None
    assert hashlib.sha256(text.encode()).hexdigest() == digest[1]
    # nothing in it could end the element it stands in
    assert not re.search(r"</script|<!--", text, re.I)
    assert html.escape(own_text("three/LICENSE").splitlines()[2]) in replay_page(legs())


def test_classes_that_the_page_asks_for_are_in_the_library() -> None:
    asked = set()
    for name in SCRIPTS:
        asked |= set(re.findall(r"\b(?:T|THREE)\.([A-Z]\w*)", own_text(name)))
    assert asked <= set(re.findall(r"\w+", own_text("three/parts.js").split("{")[1].split("}")[0]))


def test_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ResultError, match=r"cannot write .*taken"):
        write_replay(legs(), tmp_path / "taken" / "replay.html")


def test_rows_without_finite_positions_are_left_out() -> None:
    plain = legs()
    channels = dict(plain.channels)
    broken = plain["satellite.position_m"].copy()
    broken[-2:] = np.nan
    channels["satellite.position_m"] = Channel("satellite.position_m", "m", "W", "", broken)
    result = Result(plain.scenario, channels, "diverged", "it did", [], {}, {"scenario": "x"})
    assert payload(result)["block"]["rows"] == len(plain.time_s) - 2


@pytest.mark.parametrize("missing", ["satellite.ring.attitude", "satellite.legs.4.angle_deg"])
def test_result_without_a_pose_is_refused(missing: str) -> None:
    plain = legs()
    assert missing in plain.channels
    channels = {name: channel for name, channel in plain.channels.items() if name != missing}
    with pytest.raises(ResultError, match=rf"no channel '{re.escape(missing)}'.*run the scenario again"):
        replay_page(Result(plain.scenario, channels, "completed"))


# ---------------------------------------------------------------- the scene


def test_interface_is_drawn_where_its_port_is() -> None:
    scene = build_scene(docking().scenario)
    solids = [part for part in scene.parts if part.kind == "interface" and part.opacity == 1.0]
    assert {part.body for part in solids} == {0, 1}
    interface = docking().scenario.vehicles["craft"].ports["dock"].interface
    assert interface is not None
    assert interface.face is not None
    reach = np.hypot(solids[0].mesh.vertices[:, 1], solids[0].mesh.vertices[:, 2]).max()
    assert reach == pytest.approx(interface.face.outer_m, abs=1e-9)
    assert len(scene.latches) == 3


def test_pins_and_holes_of_frames_are_in_the_scene() -> None:
    scenario = load_scenario("scenarios/dock_nds.yaml")
    parts = [part for part in build_scene(scenario).parts if part.kind == "interface"]
    for name, place in (("chaser", "nose"), ("station", "dock")):
        at = scenario.vehicles[name].ports[place]
        assert at.interface is not None
        assert at.interface.pins is not None
        assert at.interface.holes is not None
        pins, holes = at.interface.pins, at.interface.holes
        for (y, z), x in [(c, pins.length_m) for c in pins.centres()] + [(c, -holes.depth_m) for c in holes.centres()]:
            end = np.array(at.position_m) + [x, y, z]
            # the end of a nose is a point of the mesh, that of a hole a circle around its axis
            nearest = min(np.linalg.norm(part.mesh.vertices - end, axis=1).min() for part in parts)
            assert nearest == pytest.approx(0.0 if x > 0.0 else holes.bore_m, abs=1e-9)


def test_every_body_of_a_tree_can_be_seen() -> None:
    result = run("scenarios/joint_gallery.yaml", **{"solver.duration_s": 0.01})
    scene = build_scene(result.scenario)
    assert {part.body for part in scene.parts} == set(range(len(scene.names)))


def test_beam_is_drawn_as_long_as_it_is() -> None:
    result = run("scenarios/array_slew.yaml", **{"solver.duration_s": 0.01})
    scene = build_scene(result.scenario)
    beam = result.scenario.vehicles["satellite"].beams["array_right"]
    pieces = [part for part in scene.parts if scene.names[part.body].startswith("satellite.array_right.")]
    lengths = [float(np.ptp(part.mesh.vertices[:, 0])) for part in pieces]
    # a hair is left between segments
    assert sum(lengths) == pytest.approx(0.985 * beam.length_m, rel=1e-12)
    assert np.ptp(pieces[0].mesh.vertices[:, 1]) == pytest.approx(beam.width_m, rel=1e-12)


# ---------------------------------------------------------------- stand-ins


def test_stand_ins_have_the_inertia_they_stand_for() -> None:
    sides = np.array([1.0, 2.0, 5.0])
    squares = sides**2
    moments = 3.0 / 12.0 * (squares.sum() - squares)
    assert brick(3.0, moments) == pytest.approx(sides, rel=1e-12)
    length, radius = 4.0, 1.5
    across = 7.0 * (3.0 * radius**2 + length**2) / 12.0
    assert cylinder(7.0, np.array([across, 0.5 * 7.0 * radius**2, across]), 1) == pytest.approx((length, radius))


def test_principal_axes_are_a_right_handed_frame_near_the_body_s() -> None:
    turn = np.linalg.qr(np.eye(3) + 0.2 * np.random.default_rng(2).standard_normal((3, 3)))[0]
    turn = turn * np.sign(np.diag(turn))
    moments, axes = principal_axes(turn @ np.diag([3.0, 5.0, 4.0]) @ turn.T)
    assert moments == pytest.approx([3.0, 5.0, 4.0])
    assert np.abs(np.abs(axes) - np.abs(turn)).max() < 1e-12
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_stand_in_lies_about_the_mass_centre() -> None:
    from docksim.compiler.parts import BodyPart

    mesh = stand_in(BodyPart("b", 10.0, (1.0, 2.0, 3.0), np.diag([4.0, 5.0, 7.0])))
    middle = 0.5 * (mesh.vertices.min(axis=0) + mesh.vertices.max(axis=0))
    assert middle == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)
