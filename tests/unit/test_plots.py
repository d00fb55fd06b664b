"""Figures show the channels, with units, and nothing where there is nothing to show."""

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial.transform import Rotation

from docksim.plots.curves import break_at_wraps, off_scale, rounded
from docksim.plots.files import write_figures
from docksim.plots.kinds import MAIN_KINDS, RESULT_KINDS
from docksim.plots.run import figures as plots
from docksim.plots.run import motion
from docksim.plots.style import CURVES, MAX_CURVES
from docksim.result.result import Channel, Result, ResultError
from tests.support import samples
from tests.support.figure_boxes import quantity


@pytest.fixture(scope="module")
def result() -> Result:
    return samples.result()


def curves(axes: Axes) -> dict[str, np.ndarray]:
    """Drawn values by label, without event marks."""
    return {str(line.get_label()): np.asarray(line.get_ydata()) for line in axes.lines if line.get_label()[0] != "_"}


def panel(figure: Figure, label: str, contains: str = "") -> Axes:
    found = [axes for axes in figure.axes if quantity(axes) == label and contains in "".join(curves(axes))]
    assert found, [axes.get_ylabel() for axes in figure.axes]
    return found[0]


def of(*channels: Channel, rows: int = 5) -> Result:
    time = Channel("time_s", "s", "", "time", np.linspace(0, 1, rows))
    return Result(samples.scenario(), [time, *channels], "completed")


def test_a_full_result_gives_every_figure(result: Result) -> None:
    assert list(plots.all_figures(result)) == [
        "phases",
        "motion_chaser",
        "motion_station",
        "joints",
        "loads",
        "energy",
        "momentum",
    ]


def test_kinds_of_a_result_are_those_that_it_has_figures_of(result: Result) -> None:
    assert plots.kinds_of(result) == ["phases", "motion", "joints", "loads", "energy", "momentum"]
    for kind in RESULT_KINDS:
        assert bool(plots.all_figures(result, [kind])) == (kind in plots.kinds_of(result)), kind
    assert plots.kinds_of(samples.result(rows=1)) == []


@pytest.mark.parametrize(
    ("there", "main"),
    [
        (list(RESULT_KINDS), ["phases", "ports", "capture", "interface", "hooks", "closures", "separation", "arm"]),
        # a short run, of which the capture is most
        (["phases", "motion", "ports", "contact", "interface", "energy"], ["phases", "ports", "contact", "interface"]),
        # springs and no contact
        (["phases", "ports", "ring", "joints", "loads", "energy"], ["phases", "ports", "ring", "loads"]),
        (["phases", "motion", "joints", "loads", "energy", "momentum"], ["phases", "motion", "joints", "loads"]),
        (["motion", "energy", "momentum"], ["motion", "energy"]),
        (["momentum"], []),
        ([], []),
    ],
)
def test_main_kinds_are_those_of_a_docking_or_what_takes_their_place(there: list[str], main: list[str]) -> None:
    assert plots.main_kinds(there) == main


def test_main_kinds_are_kinds() -> None:
    assert {kind for one, instead in MAIN_KINDS.items() for kind in (one, *instead)} <= set(RESULT_KINDS)


def test_motion_draws_the_channels_bit_for_bit(result: Result) -> None:
    figure = plots.all_figures(result, ["motion"])["motion_chaser"]
    for label, name in (
        ("position [m]", "position_m"),
        ("velocity [m/s]", "velocity_m_s"),
        ("body rate [deg/s]", "rate_deg_s"),
    ):
        drawn = curves(panel(figure, label))
        assert list(drawn) == ["x", "y", "z"]
        for i, component in enumerate(drawn):
            assert np.array_equal(drawn[component], result[f"chaser.{name}"][:, i])
    for axes in figure.axes:
        assert np.array_equal(axes.lines[0].get_xdata()[:100], result.time_s[:100])


def test_attitude_is_drawn_as_roll_pitch_yaw_with_gaps_at_wraps(result: Result) -> None:
    drawn = curves(panel(plots.all_figures(result, ["motion"])["motion_chaser"], "attitude [deg]"))
    expected = motion.roll_pitch_yaw_deg(result["chaser.attitude"])
    roll = drawn["roll x''"]
    assert np.array_equal(roll[~np.isnan(roll)], expected[:, 0])
    # 12 deg/s for 60 s passes half a turn at 15 s and at 45 s
    assert np.count_nonzero(np.isnan(roll)) == 2
    steps = np.abs(np.diff(roll))
    assert np.nanmax(steps) < 180


def test_angles_agree_with_an_independent_conversion() -> None:
    rotations = Rotation.random(200, rng=np.random.default_rng(5))
    q = rotations.as_quat(scalar_first=True)
    yaw_pitch_roll = rotations.as_euler("ZYX", degrees=True)
    # arcsin near 90 deg loses half the digits of the double: 1e-6 deg is far below a line's width
    assert np.allclose(motion.roll_pitch_yaw_deg(q), yaw_pitch_roll[:, ::-1], atol=1e-6)
    turns = (rotations[0].inv() * rotations).as_rotvec(degrees=True)
    # both are at most half a turn; rounding only
    assert np.allclose(motion.turn_from_start_deg(q), turns, atol=1e-9)


def test_small_turns_keep_their_digits() -> None:
    angle = np.array([0.0, 1e-300, 1e-12, 1e-6, 1e-3])
    q = np.column_stack([np.cos(angle / 2), np.sin(angle / 2), 0 * angle, 0 * angle])
    assert np.allclose(motion.turn_from_start_deg(q)[:, 0], np.degrees(angle), rtol=1e-12, atol=0)


def test_moderate_motion_is_drawn_as_the_turn_from_the_start_in_any_attitude() -> None:
    wobble = np.radians(np.column_stack([3 * np.sin(np.arange(5.0)), np.arange(5.0), np.zeros(5)]))
    facing_back = Rotation.from_euler("z", 180, degrees=True) * Rotation.from_rotvec(wobble)
    channel = Channel("a.attitude", "", "body to W", "", facing_back.as_quat(scalar_first=True))
    [axes] = plots.all_figures(of(channel), ["motion"])["motion_a"].axes
    assert axes.get_ylabel() == "turn from start [deg]"
    # the first attitude is the half turn itself, so the turns are the wobble; rounding only
    assert np.allclose(np.column_stack(list(curves(axes).values())), np.degrees(wobble), atol=1e-12)


def test_rotation_vectors_of_joints_have_a_gap_where_they_pass_half_a_turn() -> None:
    turning = np.column_stack([[100.0, 170, -170, -100, 0], np.zeros(5), np.zeros(5)])
    [axes] = plots.all_figures(of(Channel("a.ball.rotation_deg", "deg", "joint", "", turning)), ["joints"])[
        "joints"
    ].axes
    assert np.array_equal(curves(axes)["ball x"], [100, 170, np.nan, -170, -100, 0], equal_nan=True)


def test_joints_are_drawn_by_unit_and_owner(result: Result) -> None:
    figure = plots.all_figures(result, ["joints"])["joints"]
    panels = curves(panel(figure, "joint angle [deg]", "panel_left"))
    assert np.array_equal(panels["panel_left"], result["chaser.panel_left.angle_deg"])
    beam = curves(panel(figure, "joint angle [deg]", "bend_y"))
    assert np.array_equal(beam["3 bend_y"], result["chaser.array.3.bend_y.angle_deg"])
    assert np.array_equal(curves(panel(figure, "joint travel [m]"))["probe"], result["chaser.probe.travel_m"])
    ball = curves(panel(figure, "joint angle [deg]", "dish"))
    assert np.array_equal(ball["dish y"], result["station.dish.rotation_deg"][:, 1])


def test_loads_are_axis_values_and_reaction_magnitudes(result: Result) -> None:
    figure = plots.all_figures(result, ["loads"])["loads"]
    assert np.array_equal(
        curves(panel(figure, "axis torque [N m]"))["panel_right"], result["chaser.panel_right.torque_Nm"]
    )
    assert np.array_equal(curves(panel(figure, "axis force [N]"))["probe"], result["chaser.probe.force_N"])
    magnitude = np.linalg.norm(result["chaser.panel_left.load_force_N"], axis=1)
    drawn = curves(panel(figure, "reaction force [N]"))
    assert np.array_equal(drawn["panel_left"], magnitude)
    assert "chaser" not in drawn, "what carries nothing is left out"
    assert list(curves(panel(figure, "reaction moment [N m]"))) == ["panel_left", "panel_right"]


def test_energy_draws_stores_works_and_residual(result: Result) -> None:
    figure = plots.all_figures(result, ["energy"])["energy"]
    stored = curves(panel(figure, "energy [J]"))
    assert np.array_equal(stored["kinetic"], result["energy.kinetic_J"])
    assert np.array_equal(stored["potential"], result["energy.potential_J"])
    works = curves(panel(figure, "work [J]"))
    assert list(works) == ["joint damping", "events"], "a work that is always zero is left out"
    assert np.array_equal(works["joint damping"], result["energy.work.joint_damping_J"])
    residual = panel(figure, "residual [J]")
    assert np.array_equal(curves(residual)["energy balance"], result["energy.residual_J"])
    figure.canvas.draw()
    assert residual.get_ylabel() == "residual [10⁻⁸ J]"
    assert not residual.yaxis.get_offset_text().get_text(), "the power stands with the unit, not in the panel above"


def test_a_single_thruster_has_a_whole_number() -> None:
    fires = Channel("chaser.push.on", "1", "", "on", np.array([0, 1, 1, 0, 0]))
    given = Channel("chaser.push.impulse_Ns", "N s", "", "impulse", np.array([0.0, 1.0, 2.0, 2.0, 2.0]))
    axes = panel(plots.all_figures(of(fires, given), ["control"])["control_chaser"], "thruster [number]")
    low, high = axes.get_ylim()
    assert [tick for tick in axes.get_yticks() if low <= tick <= high] == [1.0]


def test_bounds_are_written_without_powers_of_ten() -> None:
    assert (off_scale(-17700.0, "limit"), rounded(68731.2)) == ("limit −17700, off scale", "68730")


def test_momentum_draws_residuals_in_their_units(result: Result) -> None:
    figure = plots.all_figures(result, ["momentum"])["momentum"]
    linear = curves(panel(figure, "linear residual [kg m/s]"))
    assert np.array_equal(linear["z"], result["momentum.linear_residual"][:, 2])
    assert list(curves(panel(figure, "angular residual [kg m²/s]"))) == ["x", "y", "z"]


def test_every_axis_has_a_unit_and_the_last_one_the_time(result: Result) -> None:
    for name, figure in plots.all_figures(result).items():
        for axes in figure.axes if name != "phases" else ():
            assert re.fullmatch(r"[a-z ]+ \[[^]]+\]", axes.get_ylabel())
        assert figure.axes[-1].get_xlabel() == "time [s]"


def test_curves_of_a_panel_differ_in_colour_and_in_line_style() -> None:
    assert len(CURVES) == MAX_CURVES
    assert len({look["color"] for look in CURVES}) == MAX_CURVES
    assert len({look["linestyle"] for look in CURVES}) == MAX_CURVES


def test_panels_hold_few_curves_and_say_what_they_leave_out() -> None:
    names = [f"a.j{i}.angle_deg" for i in range(12)]
    some = of(*(Channel(name, "deg", "", "", np.full(5, float(i))) for i, name in enumerate(names)))
    counts = [len(curves(axes)) for axes in plots.all_figures(some, ["joints"])["joints"].axes]
    assert counts == [8, 4]
    beam = [Channel(f"a.b.{k}.angle_deg", "deg", "", "", np.linspace(0, k, 5)) for k in range(1, 41)]
    [axes] = plots.all_figures(of(*beam), ["joints"])["joints"].axes
    assert list(curves(axes)) == [str(k) for k in range(33, 41)]
    assert axes.get_legend().get_title().get_text() == "a.b, 8 largest of 40"


def test_motion_far_from_the_origin_is_drawn_from_its_start() -> None:
    far = np.array([15.0, 0.0, 5.0]) + np.linspace(0.0, 0.25, 5)[:, None] * np.array([-1.0, 0.0, 0.0])
    attitude = Channel("a.attitude", "", "W", "", np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)))
    [axes] = plots.all_figures(of(attitude, Channel("a.position_m", "m", "W", "", far)))["motion_a"].axes
    assert axes.get_ylabel() == "way from start [m]"
    assert axes.get_legend().get_title().get_text() == "world axes (W)"
    assert np.array_equal(curves(axes)["x"], far[:, 0] - far[0, 0])
    near = Channel("a.position_m", "m", "W", "", far - far[0])
    [axes] = plots.all_figures(of(attitude, near))["motion_a"].axes
    assert axes.get_ylabel() == "position [m]"


def test_relative_motion_of_a_pair_of_ports_has_its_own_figure() -> None:
    kinds = {"position_m": "m", "velocity_m_s": "m/s", "misalignment_deg": "deg", "rate_deg_s": "deg/s"}
    channels = [
        Channel(f"a.nose+b.aft.{name}", unit, "first port", "", (i + 1) * np.arange(15.0).reshape(5, 3))
        for i, (name, unit) in enumerate(kinds.items())
    ]
    some = of(*channels)
    assert list(plots.all_figures(some)) == ["ports_a.nose-b.aft"]
    figure = plots.all_figures(some, ["ports"])["ports_a.nose-b.aft"]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["position [m]", "velocity [m/s]", "misalignment [deg]", "rate [deg/s]"]
    for axes, channel in zip(figure.axes, channels, strict=True):
        assert np.array_equal(np.column_stack(list(curves(axes).values())), channel.data)


def test_components_of_a_joint_stay_in_one_panel() -> None:
    balls = [Channel(f"a.ball{i}.rotation_deg", "deg", "joint", "", np.ones((5, 3))) for i in range(4)]
    figure = plots.all_figures(of(*balls), ["joints"])["joints"]
    assert [list(curves(axes)) for axes in figure.axes] == [
        ["ball0 x", "ball0 y", "ball0 z", "ball1 x", "ball1 y", "ball1 z"],
        ["ball2 x", "ball2 y", "ball2 z", "ball3 x", "ball3 y", "ball3 z"],
    ]


def test_segments_with_vector_joints_belong_to_their_beam() -> None:
    segments = [Channel(f"a.boom.{k}.rotation_deg", "deg", "joint", "", np.ones((5, 3))) for k in (1, 2)]
    [axes] = plots.all_figures(of(*segments), ["joints"])["joints"].axes
    assert axes.get_legend().get_title().get_text() == "a.boom"
    assert list(curves(axes)) == ["1 x", "1 y", "1 z", "2 x", "2 y", "2 z"]


def test_many_panels_are_spread_over_pages() -> None:
    joints = [Channel(f"v{i}.j.angle_deg", "deg", "", "", np.arange(5.0)) for i in range(14)]
    figures = plots.all_figures(of(*joints), ["joints"])
    assert {name: len(figure.axes) for name, figure in figures.items()} == {"joints": 6, "joints_2": 6, "joints_3": 2}


def test_nothing_to_show_gives_no_figure() -> None:
    assert plots.all_figures(of()) == {}
    assert plots.all_figures(samples.result(rows=1)) == {}
    assert plots.all_figures(samples.result(rows=0)) == {}
    idle = Channel("a.j.torque_Nm", "N m", "", "", np.zeros(5))
    assert plots.all_figures(of(idle), ["loads"]) == {}
    resting = [
        Channel("a.position_m", "m", "W", "", np.zeros((5, 3))),
        Channel("a.attitude", "", "body to W", "", np.tile([1.0, 0, 0, 0], (5, 1))),
    ]
    assert plots.all_figures(of(*resting), ["motion"]) == {}


def test_a_pair_of_ports_shows_its_loads_but_is_no_joint() -> None:
    loaded = np.arange(15.0).reshape(5, 3)
    pair = [
        Channel("a.nose+b.aft.rotation_deg", "deg", "joint", "", loaded),
        Channel("a.nose+b.aft.joint_force_N", "N", "joint", "", loaded),
        Channel("a.nose+b.aft.load_moment_Nm", "N m", "joint", "", loaded),
        Channel("b.load_moment_Nm", "N m", "body", "", loaded),
    ]
    assert plots.all_figures(of(*pair), ["joints"]) == {}
    force, moment = plots.all_figures(of(*pair), ["loads"])["loads"].axes
    assert (force.get_ylabel(), list(curves(force))) == ("port force [N]", ["x", "y", "z"])
    assert (moment.get_ylabel(), list(curves(moment))) == ("port moment [N m]", ["magnitude"])
    assert force.get_legend().get_title().get_text() == "a.nose+b.aft"


@pytest.mark.filterwarnings("error")
def test_diverged_numbers_are_drawn_without_complaint(tmp_path: Path) -> None:
    wild = np.array([[0.0, 0, 0], [1e300, -1e300, 1], [np.inf, -np.inf, np.nan], [np.nan] * 3, [np.nan] * 3])
    channels = [
        Channel("a.position_m", "m", "W", "", wild),
        Channel("a.attitude", "", "W", "", np.full((5, 4), np.nan)),
        Channel("energy.residual_J", "J", "", "", wild[:, 0]),
    ]
    assert len(write_figures(plots.all_figures(of(*channels)), tmp_path)) == 2


def test_rounding_noise_is_not_blown_up() -> None:
    noise = 1e-16 * np.random.default_rng(1).normal(size=(5, 3))
    channels = [
        Channel("a.position_m", "m", "W", "", 7000 + noise),
        Channel("a.attitude", "", "W", "", np.tile([0.8, 0.6, 0, 0], (5, 1))),
        Channel("a.rate_deg_s", "deg/s", "body", "", 20 + noise),
    ]
    for axes in plots.all_figures(of(*channels), ["motion"])["motion_a"].axes:
        low, high = axes.get_ylim()
        assert high - low >= 2.0


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_files_are_written_and_the_same_every_time(tmp_path: Path, kind: str, result: Result) -> None:
    contents = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        [path] = write_figures(plots.all_figures(result, ["momentum"]), folder, kind)
        assert path == folder / f"momentum.{kind}"
        assert [file.name for file in folder.iterdir()] == [path.name]
        contents.append(path.read_bytes())
    assert contents[0] == contents[1]


def test_figures_that_cannot_be_written_are_one_clear_line(tmp_path: Path, result: Result) -> None:
    (tmp_path / "figures").write_text("")
    with pytest.raises(ResultError, match=r"cannot write .*momentum\.png"):
        write_figures(plots.all_figures(result, ["momentum"]), tmp_path / "figures")
    with pytest.raises(ValueError, match="figure format 'gif'"):
        write_figures({}, tmp_path, "gif")


@pytest.mark.parametrize(
    "angle",
    [
        np.linspace(0.0, 5e5, 241),  # a wheel: many turns between two rows
        (np.linspace(0.0, 3000.0, 241) + 180.0) % 360.0 - 180.0,
        (np.arange(241) * 200.0 + 180.0) % 360.0 - 180.0,  # wraps at nearly every row
    ],
)
def test_every_finite_sample_lies_in_a_drawn_segment(angle: np.ndarray) -> None:
    time = np.arange(len(angle), dtype=float)
    x, y = break_at_wraps(time, angle)
    finite = np.isfinite(y)
    ends = np.flatnonzero(finite[1:] & finite[:-1])
    drawn = set(x[ends]) | set(x[ends + 1])
    assert drawn == set(time)
    steps = np.abs(y[ends + 1] - y[ends])
    # of a wrapped angle no segment is longer than half a turn, and one that is not wrapped is whole
    assert (steps <= 180.0).all() or np.array_equal(y, angle)
