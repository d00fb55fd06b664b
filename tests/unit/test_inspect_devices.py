"""The inspection of devices: couplings in frequencies, rows and words that say what acts, curves of the laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from docksim.hardware.inspect_devices import DeviceLaw, device_figures, device_laws
from docksim.hardware.inspect_mechanism import inspect
from docksim.hardware.mechanism import Mechanism
from docksim.plots.hardware.device_laws import law_figures
from tests.unit.test_inspect_mechanism import HEIGHT, LENGTH, MASS, hexapod

ONES = [1.0] * 6
COS = HEIGHT / LENGTH


def mechanism(actuator: dict[str, Any] | None = None, **couplings: Any) -> Mechanism:
    plain = hexapod().config.model_dump(exclude_none=True)
    plain["symmetric"]["actuator"] = actuator or {}
    return Mechanism.load({**plain, "couplings": couplings})


def law(found: Mechanism, label: str) -> DeviceLaw:
    return next(one for one in device_laws(found) if one.label == label)


# ---------------------------------------------------------------- figures


def test_spring_on_the_sum_of_strokes_carries_the_ring_along_its_axis_only() -> None:
    found = inspect(mechanism(sum={"weights": ONES, "linear": {"stiffness_N_m": 500.0, "damping_Ns_m": 20.0}}))
    (axial,) = [mode for mode in found.modes if mode.frequency_Hz > 1e-6]
    # the sum moves by 6 cos times the ring, and its force is felt as many times
    omega = math.sqrt(500.0 * (6.0 * COS) ** 2 / MASS)
    assert axial.motion == "axial"
    assert axial.frequency_Hz == pytest.approx(omega / (2.0 * math.pi), rel=1e-12)
    assert axial.damping_ratio == pytest.approx(20.0 * omega / (2.0 * 500.0), rel=1e-12)


def test_rotor_behind_a_differential_slows_the_mode_that_turns_it() -> None:
    screw = {"lead_mm": 20.0, "rotor_inertia_kg_m2": 5e-5}
    found = mechanism({"stiffness_N_m": 2000.0}, sum={"weights": ONES, "linear": {"screw": screw}})
    rotor = 5e-5 * (2.0 * math.pi / 0.02) ** 2
    (axial,) = [mode for mode in inspect(found).modes if mode.motion == "axial"]
    omega = math.sqrt(6.0 * 2000.0 * COS**2 / (MASS + rotor * (6.0 * COS) ** 2))
    assert axial.frequency_Hz == pytest.approx(omega / (2.0 * math.pi), rel=1e-12)
    assert device_figures(found)[1].rotor == pytest.approx(rotor)


def test_eddy_current_brake_damps_small_motion_by_its_slope() -> None:
    eddy = {"peak_force_N": 50.0, "at_rate_m_s": 0.04}
    (row,) = device_figures(mechanism({"eddy_current": eddy}))
    assert row.damping == pytest.approx(2.0 * 50.0 / 0.04)


# ---------------------------------------------------------------- rows and words


def test_equal_legs_share_a_row_and_others_do_not() -> None:
    (row,) = device_figures(mechanism({"damping_Ns_m": 5.0}))
    assert (row.shaft, row.weights, row.words) == ("legs 1 to 6", (), ("damper 5 N s/m",))
    legs = [leg.model_dump(exclude_none=True) for leg in mechanism().legs]
    legs[3]["actuator"] = {"friction_N": 7.0}
    plain = hexapod().config.model_dump(exclude_none=True, exclude={"symmetric"})
    rows = device_figures(Mechanism.load({**plain, "legs": legs}))
    assert [row.shaft for row in rows] == ["legs 1, 2, 3, 5, 6", "leg 4"]
    assert rows[1].words == ("friction 7 N",)


def test_words_tell_every_device() -> None:
    servo = {
        "follows": "mean", "stiffness_N_m": 2e4, "damping_Ns_m": 300.0, "rate_limit_m_s": 0.02, "sample_s": 0.004,
        "delay_s": 0.008, "enabled": False,
        "admittance": {"mass_kg": 40.0, "damping_Ns_m": 900.0},
    }  # fmt: skip
    actuator = {
        "preload_N": 60.0, "stiffness_N_m": 800.0, "rebound_stiffness_N_m": 9000.0, "force_N": -3.0,
        "damping_table": [[0, 0], [1, 2]], "force_limit_N": 250.0, "servo": servo, "rotor_mass_kg": 4.0,
        "brake": {"normal_force_N": 100.0, "friction_coefficient": 0.2, "self_adjustment": 20.0},
    }  # fmt: skip
    (row,) = device_figures(mechanism(actuator))
    assert row.words == (
        "caged spring 60 N and 800 N/m, 9000 N/m beyond its rest",
        "damper by a table of 2 rows",
        # mu N / (1 + mu s) at 0.2, 0.1 and 0.3
        "brake slips at 4 N (3.333 to 4.286 N for a coefficient of 0.1 to 0.3)",
        "constant -3 N",
        "position servo against the mean of the legs, 20000 N/m, 300 N s/m, at most 250 N, set-point at most 0.02 m/s, "
        "sampled every 0.004 s, 0.008 s late, yields like 40 kg on 900 N s/m, off at the start",
        "rotor felt as 4 kg",
    )
    assert (row.slip, row.force_limit, row.rotor) == (pytest.approx(4.0), 250.0, 4.0)


def test_coupling_without_devices_only_measures() -> None:
    rows = device_figures(mechanism({"damping_Ns_m": 5.0}, gauge={"weights": ONES}))
    assert (rows[1].shaft, rows[1].weights, rows[1].words) == ("gauge", tuple(ONES), ())


# ---------------------------------------------------------------- curves


def test_curve_of_a_caged_spring_shows_preload_and_stops() -> None:
    actuator = {
        "preload_N": 60.0, "stiffness_N_m": 800.0, "rebound_stiffness_N_m": 9000.0, "preload_give_m": 0.01,
        "lower_m": -0.1, "upper_m": 0.05, "stop_travel_m": 0.03, "stop_stiffness_N_m": 1e4,
    }  # fmt: skip
    found = law(mechanism(actuator), "legs 1 to 6")
    assert (found.x[0], found.x[-1]) == (pytest.approx(-0.13), pytest.approx(0.08))
    for x, force in ((-0.1, 140.0), (-0.01, 68.0), (-0.005, 34.0), (0.0, 0.0), (0.05, -450.0)):
        # rest is the stroke of the reference pose, zero to rounding
        assert np.interp(x, found.x, found.spring) == pytest.approx(force, abs=1e-9)
    inside = (found.x >= -0.1) & (found.x <= 0.05)
    assert not np.any(found.stop[inside])
    assert (found.stop[0], found.stop[-1]) == (pytest.approx(300.0), pytest.approx(-300.0))


def test_curves_against_the_rate_peak_where_the_eddy_current_brake_does() -> None:
    brake = {"normal_force_N": 100.0, "friction_coefficient": 0.2}
    found = law(mechanism({"eddy_current": {"peak_force_N": 50.0, "at_rate_m_s": 0.04}, "brake": brake}), "legs 1 to 6")
    top = int(np.argmax(found.damper))
    # sampled at 401 points between -0.16 and 0.16
    assert found.rate[top] == pytest.approx(-0.04, abs=0.0008)
    assert found.damper[top] == pytest.approx(50.0, rel=1e-3)
    assert set(np.round(found.brake, 9)) == {-20.0, 0.0, 20.0}
    assert np.all(found.brake * found.rate <= 0.0)


def test_equal_couplings_share_their_curves_and_idle_shafts_have_none() -> None:
    soft = {"stiffness_N_m": 10.0}
    pairs = {"a": {"weights": ONES, "linear": soft}, "b": {"weights": [1, -1, 0, 0, 0, 0], "linear": soft}}
    found = mechanism({}, **pairs, gauge={"weights": ONES})
    assert [one.label for one in device_laws(found)] == ["a, b"]
    figure = law_figures("name", device_laws(found))["devices"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["coordinate [m]", "rate [m/s]"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["force [N]", "force [N]"]
    assert law_figures("name", device_laws(mechanism())) == {}
