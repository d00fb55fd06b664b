"""The approach as a run sees it: the first row of the pair's channels is what was asked for."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import docksim
from tests.support.docks import IDSS, dock
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
    np.testing.assert_allclose(result["dock.position_m"][0], [-0.4, 0.05, -0.08], atol=ROUNDING)
    np.testing.assert_allclose(result["dock.velocity_m_s"][0], [0.07, 0.01, 0.03], atol=ROUNDING)
    np.testing.assert_allclose(result["dock.misalignment_deg"][0], [3.0, -2.0, 4.0], atol=1e2 * ROUNDING)
    # the approach gives rates about the active port's axes
    turn = Rotation.from_euler("ZYX", [4.0, -2.0, 3.0], degrees=True)
    np.testing.assert_allclose(result["dock.rate_deg_s"][0], turn.apply([0.1, -0.2, 0.15]), atol=ROUNDING)


def test_attitude_to_hold_is_the_one_that_the_approach_gives() -> None:
    hold = {"stiffness_Nm_rad": 1e3, "damping_Nms_rad": 1e4, "torque_limit_Nm": 100.0}
    still = {"roll_deg": 3.0, "pitch_deg": -2.0, "yaw_deg": 4.0, "distance_m": 0.4, "closing_rate_m_s": 0.05}
    data = dock(
        vehicles__chaser__attitude_hold=hold,
        vehicles__station__attitude={"yaw_pitch_roll_deg": [30.0, -50.0, 70.0]},
        approach={**still, "active": "chaser.nose", "passive": "station.dock"},
        sequence=[],
        solver={"duration_s": 0.3},
    )
    result = docksim.run(data)
    # no error, no rate: rounding of the attitude times the stiffness, over the inertia
    assert np.abs(result["chaser.rate_deg_s"]).max() < 1e-12
