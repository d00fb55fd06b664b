"""What is said and drawn of an interface: sizes against the file, touches against geometry, the figure's parts."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from docksim.config import load_interface
from docksim.hardware.inspect_interface import inspect_interface
from docksim.plots.hardware.figures import interface_figures
from docksim.plots.hardware.interface import MATE, OWN, Side
from docksim.simulation.mating import Mating

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "configs" / "interfaces").glob("*.yaml"))
IDSS = load_interface("configs/interfaces/idss_like.yaml")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_interface_mates_with_its_equal_without_overlap(path: Path) -> None:
    clearances = Mating(load_interface(path)).clearances()
    assert clearances
    # seated faces are at 0, to rounding of half a metre
    assert min(clearances.values()) > -1e-12


def test_sizes_follow_from_the_file() -> None:
    found = inspect_interface(IDSS)
    # 0.21 m along 45 deg
    assert found.petal_height_m == pytest.approx(0.21 * math.sqrt(0.5), rel=1e-12)
    assert found.passage_radius_m is not None
    assert 0.40 < found.passage_radius_m < 0.45
    # the initial contact box of the standard is 0.10 m
    assert found.guided_m is not None
    assert found.guided_m > 0.10
    assert found.restitution["0.1"] == pytest.approx(0.712, abs=5e-4)


def test_apas_like_interface_leaves_the_passage_it_names() -> None:
    found = inspect_interface(load_interface("configs/interfaces/apas_like.yaml"))
    assert found.passage_radius_m is not None
    assert found.passage_radius_m >= 0.400


def test_two_probes_touch_where_two_balls_do() -> None:
    probe = Mating(load_interface("configs/interfaces/spheres_probe.yaml"))
    # middle balls: centres at 0.05 m before each port, radius 0.05 m each
    assert probe.first_touch((0.0, 0.0)) == pytest.approx(0.2, abs=1e-8)
    off = 0.03
    # halved thirty times from 2 mm
    assert probe.first_touch((off, 0.0)) == pytest.approx(0.1 + math.sqrt(0.1**2 - off**2), abs=1e-8)


def test_equal_interfaces_touch_farther_out_the_more_they_are_off() -> None:
    mating = Mating(IDSS)
    touches = [mating.first_touch((off, 0.0)) for off in (0.0, 0.03, 0.06, 0.09)]
    assert touches[0] == 0.0
    assert touches == sorted(touches)
    # a petal leans at 45 deg: the edge of a ring that is d off is met at about d
    assert touches[-1] == pytest.approx(0.09, abs=0.04)


def test_every_row_of_gaps_belongs_to_a_kind() -> None:
    assert set(Mating(IDSS).clearances()) == {"petal on rim", "petal on petal", "rim on rim", "face on face"}


def test_figure_shows_capsules_of_both_sides() -> None:
    rods = [{"start_m": [0.0, y, -0.2], "end_m": [0.1, y, 0.2], "radius_m": 0.02} for y in (-0.1, 0.2)]
    (figure,) = interface_figures(load_interface({"capsules": rods}), "rods").values()
    space, along, section = figure.axes
    assert [len(axes.patches) for axes in (along, section)] == [4, 4]
    assert len(space.collections) == 4
    # the mate of the first rod lies turned by half a turn about z, as wide as it is
    low, high = along.patches[2].get_path().get_extents().get_points()
    assert (low, high) == (pytest.approx([0.08, -0.22], abs=1e-3), pytest.approx([0.12, 0.22], abs=1e-3))


def test_mate_faces_the_interface() -> None:
    import numpy as np

    mated = Side(MATE, True, 0.5)
    np.testing.assert_array_equal(mated(np.array([0.1, 0.2, 0.3])), [0.4, -0.2, 0.3])
    np.testing.assert_array_equal(Side(OWN, False, 0.0)(np.array([0.1, 0.2, 0.3])), [0.1, 0.2, 0.3])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_figure_has_three_views_and_a_legend_of_what_is_there(path: Path) -> None:
    interface = load_interface(path)
    figure = interface_figures(interface, path.stem)["interface"]
    assert len(figure.axes) == 3
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words[:2] == ["interface", "mate"]
    assert ("latch" in words) == (interface.latches is not None)
    along, section = figure.axes[1:]
    # both views are to scale
    assert along.get_aspect() == 1.0
    assert section.get_aspect() == 1.0


def test_pins_are_described_by_what_they_guide_and_leave() -> None:
    assert inspect_interface(IDSS).pins is None
    found = inspect_interface(load_interface("configs/interfaces/idss_frame.yaml")).pins
    assert found is not None
    # 15 mm of cylinder, 10 mm of radius lost at 30 deg, a ball of 5 mm
    assert found.length_m == pytest.approx(0.015 + 0.010 / math.tan(math.radians(30.0)) + 0.005, rel=1e-12)
    assert found.guided_m == pytest.approx(0.02625, rel=1e-12)
    assert (found.play_m, found.roll_deg) == pytest.approx((1.25e-3, math.degrees(1.25e-3 / 0.65)), rel=1e-12)
    # as steep as the taper and the angle of friction together
    assert found.pull_over_side == pytest.approx(math.tan(math.radians(30.0) + math.atan(0.15)), rel=1e-12)
