"""The approach as a run sees it: the first row of the pair's channels is what was asked for, seen the other way."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import docksim
from tests.unit.config.docks import IDSS, dock
from tests.unit.config.test_approach import ASKED

# positions of some metres with quaternions in between, a dozen operations each
ROUNDING = 1e-12


def test_run_begins_with_the_approach_on_a_ring_against_a_tumbling_station() -> None:
    ring = {
        "use": "configs/mechanisms/nds_like.yaml",
        "position_m": [1.0, 0.1, 0.0],
        "attitude": {"rotation_vector_deg": [0, 0, 10]},
        "ports": {"face": {"interface": IDSS}},
    }
    data = dock(
        vehicles__chaser__mechanism=ring,
        vehicles__station__rate_deg_s=[1.0, -2.0, 0.5],
        vehicles__station__attitude={"yaw_pitch_roll_deg": [30.0, -50.0, 70.0]},
        contacts__dock__ports=["chaser.ring.face", "station.dock"],
        approach={**ASKED, "active": "chaser.ring.face", "passive": "station.dock"},
        sequence=[],
        solver={"duration_s": 0.05},
    )
    result = docksim.run(data)
    turn = Rotation.from_euler("ZYX", [4.0, -2.0, 3.0], degrees=True).as_matrix()
    place, speed = np.array([-0.4, 0.05, -0.08]), np.array([0.07, 0.01, 0.03])
    rate = np.radians([0.1, -0.2, 0.15])
    # the station's port on the axes of the ring's, which turn
    position = turn.T @ -place
    velocity = turn.T @ -speed - np.cross(rate, position)
    np.testing.assert_allclose(result["dock.position_m"][0], position, atol=ROUNDING)
    np.testing.assert_allclose(result["dock.velocity_m_s"][0], velocity, atol=ROUNDING)
    np.testing.assert_allclose(result["dock.rate_deg_s"][0], -np.degrees(rate), atol=ROUNDING)
    seen = Rotation.from_rotvec(np.radians(result["dock.misalignment_deg"][0])).as_matrix()
    np.testing.assert_allclose(seen, turn.T, atol=ROUNDING)
