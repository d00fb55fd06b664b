"""A whole docking, mechanism, servos and latches included, that is turned by a third or mirrored, stays what it is.

The chaser of dock_nds.yaml is alike three ways about its axis; the station is made so here. Its docking to a second
after capture, from an approach that is turned by 120 deg about the axis or mirrored, must be the same one turned or
mirrored. Pins and holes are turned or mirrored with it.
"""

import functools
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.result.result import Result
from tests.support.shipped import SCENARIOS

OFFSET, RATE, TURN = np.array([0.03, -0.02]), np.array([0.004, 0.005]), (-1.0, 0.5, 1.0)  # turn: yaw, pitch, roll [deg]
PEAKS = ("compression_N", "shear_N", "bending_Nm", "torsion_Nm", "petals_force_N")
THIRD = Rotation.from_euler("x", 120.0, degrees=True).as_matrix()
FRAME = str(SCENARIOS.parent / "configs" / "interfaces" / "idss_frame.yaml")
MIRROR = np.diag([1.0, 1.0, -1.0])  # the plane of the first petal
ASKEW = Rotation.from_euler("x", 57.0, degrees=True).as_matrix()
CHANGES = {"plain": np.eye(3), "third": THIRD, "mirror": MIRROR, "askew": ASKEW}


# azimuth of the first pin and the first hole of configs/interfaces/idss_frame.yaml [deg]; the second is opposite
FIRST = {"pins": 30.0, "holes": 150.0}


def approach(name: str) -> dict[str, Any]:
    """Keys of the approach after a turn or reflection about the docking axis."""
    T = CHANGES[name]
    error = T @ Rotation.from_euler("ZYX", TURN, degrees=True).as_matrix() @ T.T
    yaw, pitch, roll = Rotation.from_matrix(error).as_euler("ZYX", degrees=True)
    across = {"lateral_offset_m": (T[1:, 1:] @ OFFSET).tolist(), "lateral_rate_m_s": (T[1:, 1:] @ RATE).tolist()}
    return across | {"yaw_deg": float(yaw), "pitch_deg": float(pitch), "roll_deg": float(roll)}


def frame(name: str, passive: bool) -> dict[str, Any]:
    """Pins and holes after it, on the port's own axes; those of the passive port face the other way."""
    turn = {"third": 120.0, "askew": 57.0}.get(name, 0.0) * (-1.0 if passive else 1.0)
    sign = -1.0 if name == "mirror" else 1.0
    return {part: {"first_azimuth_deg": (sign * azimuth + turn) % 360.0} for part, azimuth in FIRST.items()}


@functools.cache
def docking(name: str) -> Result:
    """A second and more of dock_nds.yaml."""
    station = {"center_of_mass_m": [0.0, 0.0, 0.0], "inertia_kg_m2": [9.0e7, 1.2e8, 1.2e8]}
    overrides = {f"vehicles.station.{key}": value for key, value in station.items()}
    overrides |= {
        "vehicles.station.ports.dock.position_m": [12.0, 0.0, 0.0],
        **{f"approach.{key}": value for key, value in approach(name).items()},
        **{f"chaser.ports.nose.interface.{part}": keys for part, keys in frame(name, passive=False).items()},
        **{f"station.ports.dock.interface.{part}": keys for part, keys in frame(name, passive=True).items()},
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
    for load in PEAKS[:-1]:
        # the first impact has no rattle behind it
        key = f"dock.first_impact.peak_{load}"
        assert number(other, key) == pytest.approx(number(plain, key), rel=1e-9)
    for peak in PEAKS:
        # those 1e-9 m times the stiffness of 6.5e6 N/m, at arms below a metre: 4e-3 N of 1.4 kN seen
        assert number(other, f"dock.peak_{peak}") == pytest.approx(number(plain, f"dock.peak_{peak}"), abs=6.5e-3)


def test_a_docking_turned_by_another_angle_is_another_docking() -> None:
    peaks = [number(docking(name), "dock.peak_bending_Nm") for name in ("plain", "askew")]
    assert abs(peaks[1] / peaks[0] - 1.0) > 0.01


# ---------------------------------------------------------------- pins


@functools.cache
def frames(name: str) -> Result:
    """Two frames without a ring, pushed together by a thruster from where the pins meet: to joined hooks."""
    hooks = {"reach_m": 0.005, "window_m": 0.0015, "tilt_deg": 0.5, "roll_deg": 0.16, "rate_m_s": 0.02}
    port = {"position_m": [3.9, 0.0, 0.0], "hooks": hooks}
    ports = ["chaser.nose", "station.dock"]
    scenario = {
        "name": "frames",
        "vehicles": {
            "chaser": {
                "mass_kg": 12000.0, "inertia_kg_m2": [25000.0, 80000.0, 80000.0],
                "thrusters": {"push": {"direction": [1.0, 0.0, 0.0], "force_N": 300.0}},
                "ports": {"nose": {**port, "interface": {"use": FRAME, **frame(name, passive=False)}}},
            },
            "station": {
                "mass_kg": 400000.0, "inertia_kg_m2": [9.0e7, 1.2e8, 1.2e8],
                "ports": {"dock": {"position_m": [12.0, 0.0, 0.0],
                                   "interface": {"use": FRAME, **frame(name, passive=True)}}},
            },
        },
        "contacts": {"frames": {"ports": ports, "substeps": 4}},
        "approach": {"active": ports[0], "passive": ports[1], "distance_m": 0.06, "closing_rate_m_s": 0.01,
                     **approach(name), **{key: (0.1 * np.array(approach(name)[key])).tolist() for key in
                                          ("lateral_offset_m", "lateral_rate_m_s")}},
        "events": {
            "push": {"when": {"time_s": 0.0}, "do": [{"fire": {"thruster": "chaser.push", "duration_s": 30.0}}]},
            "hooks": {"when": {"in_reach": ports}, "do": [{"join": ports}, {"stop": "in", "outcome": "hard-docked"}]},
        },
        "solver": {"duration_s": 30.0, "step_s": 0.001},
    }  # fmt: skip
    return docksim.run(scenario)


@pytest.mark.parametrize("name", ["third", "mirror"])
def test_turned_or_mirrored_pins_meet_alike_and_come_to_the_same_end(name: str) -> None:
    plain, other = frames("plain"), frames(name)
    assert plain.outcome == other.outcome == "hard-docked", (plain.reason, other.reason)
    assert number(plain, "frames.peak_pins_force_N") > 1.0
    for load in ("compression_N", "shear_N", "bending_Nm", "torsion_Nm"):
        key = f"frames.first_impact.peak_{load}"
        assert number(other, key) == pytest.approx(number(plain, key), rel=1e-9)
    assert number(other, "frames.hard_dock_s") == pytest.approx(number(plain, "frames.hard_dock_s"), abs=0.1)
