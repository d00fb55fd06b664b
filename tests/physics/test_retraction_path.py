"""Base joints that are retracted along curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import docksim
from docksim.algebra.splines import natural_spline
from docksim.config.errors import ScenarioError
from tests.oracle.mechanism_description import LEG_TYPES
from tests.physics.test_retraction import scenario

CURVE = [[0.0, 0.0, 0.0], [0.3, -0.02, 0.03], [0.7, -0.08, 0.04], [1.0, -0.1, 0.02]]
TURNING = {"rate_deg_s": [8.0, -12.0, 10.0]}


def run(kind: str, way: dict[str, Any], **vehicle: Any) -> docksim.Result:
    return docksim.run({**scenario(kind, way, duration=3.0, **TURNING, **vehicle), "outputs": {"every_s": 0.01}})


@pytest.mark.parametrize("kind", ["UPS", "RSU"])
def test_a_straight_path_has_the_bits_of_a_travel(kind: str) -> None:
    straight = run(kind, {"base_travel_axial_m": -0.1, "base_travel_radial_m": 0.02})
    path = run(kind, {"base_path_m": [[0.0, 0.0, 0.0], [1.0, -0.1, 0.02]]})
    assert list(path.channels) == list(straight.channels)
    for name, channel in straight.channels.items():
        assert channel.data.tobytes() == path[name].tobytes(), name
    assert path.metrics == straight.metrics


@pytest.mark.parametrize("method", ["kernel", "joints"])
@pytest.mark.parametrize("kind", LEG_TYPES)
def test_work_and_momentum_close_on_a_curve(kind: str, method: str) -> None:
    keys = scenario(kind, {"base_path_m": CURVE}, duration=3.0, **TURNING)
    keys["vehicles"]["v"]["mechanism"]["method"] = method
    result = docksim.run(keys)
    assert result.outcome == "completed"
    # at two knots inside steps the slope of the joints' acceleration jumps: second order of 1 ms, 9e-9 seen
    assert result.metrics["energy.residual_relative"] < 1e-8
    assert result.metrics["momentum.linear_residual_relative"] < 2e-8
    assert result.metrics["momentum.angular_residual_relative"] < 2e-8


def test_what_knots_do_to_momentum_vanishes_with_the_step() -> None:
    found = []
    for step in (2e-3, 2.5e-4):
        keys = scenario("UPS", {"base_path_m": CURVE}, duration=3.0, **TURNING)
        keys["solver"]["step_s"] = step
        found.append(docksim.run(keys).metrics["momentum.linear_residual_relative"])
    # second order would be 64, but for where in its step a knot lies; 33 seen
    assert found[0] / found[1] > 16.0


def test_base_joints_follow_a_natural_spline() -> None:
    result = run("RSU", {"base_path_m": CURVE})
    knots = np.array(CURVE)
    spline = CubicSpline(knots[:, 0], knots[:, 1:], bc_type="natural")
    stroke = np.linalg.norm(np.diff(knots[:, 1:], axis=0), axis=1).sum()
    axial, outward = spline(result["v.retraction.travel_m"] / stroke).T
    for k in range(1, 7):
        base = result[f"v.legs.{k}.base_joint_m"]
        # rounding of another way to compute the same cubics
        assert np.allclose(base[:, 0], axial, rtol=0.0, atol=1e-15)
        assert np.allclose(np.hypot(base[:, 1], base[:, 2]), 0.62 + outward, rtol=0.0, atol=1e-15)
    assert np.abs(outward).max() > 0.04


def test_a_natural_spline_goes_straight_on_behind_its_end() -> None:
    places, values = [0.0, 0.3, 0.7, 1.0], [0.0, 0.03, 0.04, 0.02]
    *_, (value, slope, *curvature) = natural_spline(places, values)
    spline = CubicSpline(places, values, bc_type="natural")
    assert value == values[-1]
    assert slope == pytest.approx(spline(1.0, 1), rel=1e-13)
    assert curvature == [0.0, 0.0]


FAULTS = {
    "one knot": ([[0.0, 0.0, 0.0]], "1 knots; a curve needs two or more"),
    "not from home": ([[0.0, 0.01, 0.0], [1.0, -0.1, 0.0]], "the first knot must be all zeros"),
    "from a part": ([[0.1, 0.0, 0.0], [1.0, -0.1, 0.0]], "the first knot must be all zeros"),
    "back": ([[0.0, 0.0, 0.0], [0.6, -0.1, 0.0], [0.6, -0.2, 0.0], [1.0, -0.3, 0.0]], "parts must increase"),
    "not to the end": ([[0.0, 0.0, 0.0], [0.9, -0.1, 0.0]], "the last knot must be at 1"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_curves_that_make_no_sense_are_refused_with_their_place(fault: str, tmp_path: Path) -> None:
    knots, text = FAULTS[fault]
    file = tmp_path / "legs.yaml"
    lines = [
        "ring: {mass_kg: 40.0, inertia_kg_m2: [13.0, 7.0, 7.0]}",
        "reference: {position_m: [0.4, 0.0, 0.0]}",
        "symmetric:",
        "  {type: UPS, base_radius_m: 0.62, ring_radius_m: 0.6, base_half_angle_deg: 8.0, ring_half_angle_deg: 8.0,",
        f"  base_path_m: {knots}}}",
    ]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(ScenarioError, match=text) as refused:
        docksim.Mechanism.load(file)
    assert "legs.yaml:5: symmetric.base_path_m" in str(refused.value)


def test_a_curve_beside_a_travel_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"base_path_m: excludes base_travel"):
        run("UPS", {"base_path_m": CURVE, "base_travel_radial_m": 0.02})
