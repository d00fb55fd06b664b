"""Frames with guide pins that are pulled together: what is left, the force it takes, when a pin jams, what is kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.result.result import Result
from tests.support.contact_rigs import pair, port
from tests.support.rigs import Keys, lone

R, PLAY, TAPER = 0.6, 1.25e-3, 20.0
PINS: Keys = {"radius_m": R, "pin_m": 0.015, "taper_deg": TAPER, "cylinder_m": 0.020, "nose_m": 0.005}
HOLES: Keys = {"radius_m": R, "bore_m": 0.015 + PLAY, "chamfer_m": 0.010, "edge_m": 0.001, "depth_m": 0.060}
FRAME: Keys = {
    "pins": {"count": 2, "first_azimuth_deg": 30.0, **PINS},
    "holes": {"count": 2, "first_azimuth_deg": 150.0, **HOLES},
    "contact": {"friction": 0.15, "damping_s_m": 50.0},
}
START = 0.055  # between the mating planes [m]
HOLE = [0.0, -R, 0.0]  # of b, where there is one
LIGHT: Keys = {"mass_kg": 1e-3, "inertia_kg_m2": [1e-6, 1e-6, 1e-6]}


def sliding(axis: list[int], parent: str = "base", **keys: Any) -> Keys:
    return {**LIGHT, "parent": parent, "joint": {"type": "prismatic", "axis": axis, **keys}}


def pulled(frames: tuple[Keys, Keys], x: Keys, y: Keys, z: Keys, plate: Keys, duration: float) -> Result:
    """Frame a is held; frame b, on a plate that comes along x, gives way across it and about an axis of its own."""
    slides = {"x": sliding([1, 0, 0], **x), "y": sliding([0, 1, 0], "x", **y), "z": sliding([0, 0, 1], "y", **z)}
    bodies = {**slides, "plate": {"parent": "z", **plate, "ports": {"nose": {"interface": frames[1]}}}}
    facing = {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}
    b = lone(1.0, 1.0, anchored=True, bodies=bodies, position_m=[START, 0.0, 0.0], attitude=facing)
    a = lone(1.0, 1.0, anchored=True, ports=port(frames[0]))
    keys = pair(a, b, duration, 0.001, 0.005, pair={"ports": ["a.dock", "b.plate.nose"]})
    result = docksim.run({**keys, "outputs": {"every_s": 0.005, "contact_rows": True}})
    assert result.outcome == "completed", result.reason
    return result


@pytest.mark.parametrize(
    ("roll", "off"), [(1.82, (0.0, 0.0)), (1.04, (0.003, -0.002)), (-0.6, (0.004, 0.003)), (0.28, (-0.002, 0.005))]
)
def test_pins_take_out_what_roll_and_offset_a_pull_finds(roll: float, off: tuple[float, float]) -> None:
    # a servo of 3 kN at 10 mm/s, which gives way, up to where the faces are; what holds the ring damps the rest
    pull = {"force_N": 3000.0, "damping_Ns_m": 3e5, "velocity_m_s": 0.01, "upper_m": START}
    stop = {"stop_stiffness_N_m": 1e7, "stop_damping_s_m": 50.0}
    joint = {"type": "revolute", "axis": [1, 0, 0], "angle_deg": roll, "damping_Nms_rad": 5e4}
    plate = {"mass_kg": 12e3, "inertia_kg_m2": [25e3, 25e3, 25e3], "joint": joint}
    y, z = ({"travel_m": way, "damping_Ns_m": 5e4} for way in off)
    result = pulled((FRAME, FRAME), {**pull, **stop}, y, z, plate, 7.0)
    assert result["b.x.travel_m"][-1] == pytest.approx(START, abs=5e-4)
    assert abs(result["b.plate.angle_deg"][-1]) <= math.degrees(PLAY / R)
    assert math.hypot(result["b.y.travel_m"][-1], result["b.z.travel_m"][-1]) <= 0.42e-3
    assert result["hit.peak_pins_force_N"][-1] > 500.0
    # of the work of the pull, 165 J
    assert abs(result.metrics["energy.residual_J"]) < 165.0 * 1e-6


def test_taper_asks_for_the_axial_force_of_an_inclined_plane_with_friction() -> None:
    one = {"pins": {"count": 1, **PINS}, "contact": {"friction": 0.15}}
    other = {"holes": {"count": 1, "first_azimuth_deg": 180.0, **HOLES}, "contact": {"friction": 0.15}}
    # pressed aside by a spring, driven along the axis while the edge is on the taper
    drive = {"travel_m": 0.025, "drive": {"kind": "rate", "rate_m_s": 0.005}}
    aside = {"travel_m": 0.004, "stiffness_N_m": 2e5, "rest_m": 0.01, "damping_Ns_m": 2e4}
    still = {"mass_kg": 50.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": {"type": "fixed"}}
    result = pulled((one, other), drive, aside, {"locked": True}, still, 1.5)
    force = np.abs(result["hit.load_force_N"][result["time_s"] > 0.8])
    slope, mu = math.tan(math.radians(TAPER)), 0.15
    # the damper of a bristle at its limit is within the limit; what is left is the plate's acceleration
    assert force[:, 0] / force[:, 1] == pytest.approx((slope + mu) / (1.0 - mu * slope), rel=1e-6)
    assert force[:, 1].min() > 500.0
    assert result["hit.rows.flank_of_pin_1_of_A_in_its_hole.force_N"][-1] > 500.0


@pytest.mark.parametrize(("engaged", "jams"), [(0.85, True), (1.15, False)])
def test_cylinder_that_is_pushed_at_its_rim_jams_below_mu_diameters(engaged: float, jams: bool) -> None:
    mu, radius, play = 0.4, 0.015, 5e-5
    length = engaged * mu * 2.0 * radius  # from the edge of the bore to the middle of the round end
    contact = {"friction": mu, "damping_s_m": 50.0}
    dowel = {"count": 1, "radius_m": R, "pin_m": radius, "taper_deg": 0.0, "cylinder_m": 0.06, "nose_m": radius}
    bore = {"count": 1, "first_azimuth_deg": 180.0, "radius_m": R, "bore_m": radius + play, "depth_m": 0.09}
    push = 100.0
    x = {"travel_m": START - 0.06 + length, "force_N": push, "damping_Ns_m": 3e4}
    # about the middle of the hole; a push at the rim is one along the axis and a moment
    tilt = {"type": "revolute", "axis": [0, 0, 1], "position_m": HOLE, "child_position_m": HOLE}
    tilt |= {"angle_deg": math.degrees(0.9 * play / length), "torque_Nm": push * radius, "damping_Nms_rad": 20.0}
    plate = {"mass_kg": 200.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "center_of_mass_m": HOLE, "joint": tilt}
    result = pulled(
        ({"pins": dowel, "contact": contact}, {"holes": bore, "contact": contact}),
        x, {"damping_Ns_m": 1e3}, {"locked": True}, plate, 1.0,
    )  # fmt: skip
    way = result["b.x.travel_m"] - result["b.x.travel_m"][0]
    later = way[-1] - way[len(way) // 2]
    if jams:
        # comes to bear on both sides, then rests
        assert way[-1] < 5e-4
        assert abs(later) < 1e-7
        bearing = [result[f"hit.rows.{part}_of_pin_1_of_A_in_its_hole.force_N"][-1] for part in ("nose", "flank")]
        assert min(bearing) > 0.5 * push * radius / length
    else:
        # M / L on either side rubs; tilted by 8 mrad, the two points are nearer by 0.9 %
        lost = push - 3e4 * result["b.x.travel_rate_m_s"][-1]
        assert lost == pytest.approx(2.0 * mu * push * radius / (length + way[-1]), rel=0.01)


def test_frames_that_strike_with_pins_in_their_holes_keep_momentum_and_close_the_energy_budget() -> None:
    a = lone(3000.0, [900.0, 1200.0, 1300.0], ports=port(FRAME, position_m=[1.0, 0.0, 0.0]))
    facing = {"yaw_pitch_roll_deg": [180.0, 0.3, 0.8]}
    moving = {"velocity_m_s": [-0.03, 0.01, 0.006], "rate_deg_s": [0.8, 0.2, -0.1]}
    b = lone(5000.0, [1900.0, 2200.0, 2300.0], ports=port(FRAME, position_m=[1.2, 0.0, 0.0]), **moving)
    b |= {"position_m": [2.2 + 0.045, 0.002, -0.001], "attitude": facing}
    result = docksim.run(pair(a, b, 1.5, 5e-4, 0.01))
    assert result["hit.contact_count"][-1] >= 1.0
    assert result["hit.peak_pins_force_N"][-1] > 300.0
    momentum = result["momentum.linear_kg_m_s"], result["momentum.angular_kg_m2_s"]
    for found in momentum:
        assert np.abs(found - found[0]).max() < 1e-9 * np.abs(found[0]).max()
    kinetic = 0.5 * 5000.0 * (0.03**2 + 0.01**2 + 0.006**2)
    assert abs(result.metrics["energy.residual_J"]) < 1e-5 * kinetic
