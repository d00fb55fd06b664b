"""A whole docking, mechanism, servos and latches included, that is turned by a third or mirrored, stays what it is.

The chaser of dock_nds.yaml is alike three ways about its axis; the station is made so here. Its docking to a second
after capture, from an approach that is turned by 120 deg about the axis or mirrored, must be the same one turned or
mirrored.
"""

import functools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.result.result import Result
from tests.system.shipped import SCENARIOS

OFFSET, RATE, TURN = np.array([0.03, -0.02]), np.array([0.004, 0.005]), (-1.0, 0.5, 1.0)  # turn: yaw, pitch, roll [deg]
PEAKS = ("compression_N", "shear_N", "bending_Nm", "torsion_Nm", "petals_force_N")
THIRD = Rotation.from_euler("x", 120.0, degrees=True).as_matrix()
MIRROR = np.diag([1.0, 1.0, -1.0])  # the plane of the first petal
ASKEW = Rotation.from_euler("x", 57.0, degrees=True).as_matrix()
CHANGES = {"plain": np.eye(3), "third": THIRD, "mirror": MIRROR, "askew": ASKEW}


@functools.cache
def docking(name: str) -> Result:
    """The approach after a turn or reflection about the docking axis."""
    T = CHANGES[name]
    error = T @ Rotation.from_euler("ZYX", TURN, degrees=True).as_matrix() @ T.T
    yaw, pitch, roll = Rotation.from_matrix(error).as_euler("ZYX", degrees=True)
    station = {"center_of_mass_m": [0.0, 0.0, 0.0], "inertia_kg_m2": [9.0e7, 1.2e8, 1.2e8]}
    overrides = {f"vehicles.station.{key}": value for key, value in station.items()}
    overrides |= {
        "vehicles.station.ports.dock.position_m": [12.0, 0.0, 0.0],
        "approach.lateral_offset_m": (T[1:, 1:] @ OFFSET).tolist(),
        "approach.lateral_rate_m_s": (T[1:, 1:] @ RATE).tolist(),
        "approach.yaw_deg": float(yaw), "approach.pitch_deg": float(pitch), "approach.roll_deg": float(roll),
        "events.end": {"when": {"after": "captured", "delay_s": 1.0}, "do": {"stop": "enough", "outcome": "captured"}},
    }  # fmt: skip
    result = docksim.run(SCENARIOS / "dock_nds.yaml", overrides)
    assert result.outcome == "captured", result.reason
    return result


def number(result: Result, name: str) -> float:
    return float(result.metrics[name])


@pytest.mark.parametrize("name", ["third", "mirror"])
def test_a_turned_or_mirrored_docking_is_the_same_docking(name: str) -> None:
    plain, other = docking("plain"), docking(name)
    assert number(other, "dock.capture_s") == number(plain, "dock.capture_s")
    # rounding of the approach, grown by a second of rattle between first contact and capture: 2e-11 m seen
    positions = plain["dock.position_m"] @ CHANGES[name].T
    assert np.abs(other["dock.position_m"] - positions).max() < 1e-9
    for peak in PEAKS:
        # those 1e-9 m times the stiffness of 6.5e6 N/m, at arms below a metre: 4e-3 N of 1.4 kN seen
        assert number(other, f"dock.peak_{peak}") == pytest.approx(number(plain, f"dock.peak_{peak}"), abs=6.5e-3)


def test_a_docking_turned_by_another_angle_is_another_docking() -> None:
    peaks = [number(docking(name), "dock.peak_bending_Nm") for name in ("plain", "askew")]
    assert abs(peaks[1] / peaks[0] - 1.0) > 0.01
