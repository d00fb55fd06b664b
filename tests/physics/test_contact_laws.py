"""Impacts with known answers: Kelvin-Voigt and Hunt-Crossley balls, impulse and momentum."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import docksim
from docksim.result.result import Result
from tests.support.contact_rigs import ball, pair, plane, port
from tests.support.rigs import lone

# two free balls of 100 kg and 1 m, closing at 2 m/s
MASS, SPEED = 100.0, 2.0
STIFFNESS, DAMPING = 3502.54, 70.0507
KELVIN_VOIGT = {
    "law": "kelvin_voigt", "stiffness_N_m": STIFFNESS, "damping_Ns_m": DAMPING, "friction": 0.0,
}  # fmt: skip


def collide(contact, speed=SPEED, duration=0.45, step=5e-4, mass=MASS) -> Result:
    """Head on; they touch at t = 0."""
    ports = port(ball(1.0, contact))
    a = lone(mass, 40.0, ports=ports, velocity_m_s=[0.5 * speed, 0.0, 0.0])
    b = lone(mass, 40.0, ports=ports, velocity_m_s=[-0.5 * speed, 0.0, 0.0], position_m=[2.0, 0.0, 0.0])
    b["attitude"] = {"yaw_pitch_roll_deg": [180.0, 0.0, 0.0]}
    result = docksim.run(pair(a, b, duration, step))
    assert result.outcome == "completed", result.reason
    return result


def rebound(result: Result) -> float:
    """Relative speed after over before."""
    v = result["b.velocity_m_s"][:, 0] - result["a.velocity_m_s"][:, 0]
    return float(-v[-1] / v[0])


def peak(times: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Where a parabola through the highest sample and its neighbours is highest, and how high."""
    i = int(np.argmax(values))
    a, b, c = values[i - 1 : i + 2]
    shift = 0.5 * (a - c) / (a - 2.0 * b + c)
    return float(times[i] + shift * (times[1] - times[0])), float(b - 0.25 * (a - c) * shift)


def damped_oscillator(adhesive: bool) -> tuple[float, float, float, float, float]:
    """Deepest penetration and its time, peak force and its time, restitution, all in closed form."""
    m = 0.5 * MASS
    w_0, sigma = math.sqrt(STIFFNESS / m), 0.5 * DAMPING / m
    w = math.sqrt(w_0**2 - sigma**2)

    def d(t):
        return SPEED / w * math.exp(-sigma * t) * math.sin(w * t)

    def rate(t):
        return SPEED * math.exp(-sigma * t) * (math.cos(w * t) - sigma / w * math.sin(w * t))

    def force(t):
        return STIFFNESS * d(t) + DAMPING * rate(t)

    deepest = math.atan2(w, sigma) / w
    rises = lambda t: STIFFNESS * rate(t) - DAMPING * (2.0 * sigma * rate(t) + w_0**2 * d(t))  # noqa: E731
    strongest = brentq(rises, 0.05, deepest)
    end = math.pi / w if adhesive else brentq(force, deepest, math.pi / w)
    return d(deepest), deepest, force(strongest), strongest, -rate(end) / SPEED


def test_two_kelvin_voigt_balls_follow_the_damped_oscillator():
    result = collide(KELVIN_VOIGT)
    time, depth = peak(result["time_s"], -result["hit.gap_m"])
    at, force = peak(result["time_s"], result["hit.normal_force_N"])
    depth_0, time_0, force_0, at_0, restitution = damped_oscillator(adhesive=False)
    # the published figures of this case, to their last digit
    np.testing.assert_allclose([depth_0, time_0, force_0, at_0], [0.210903, 0.17829, 749.17, 0.15820], rtol=3e-5)
    assert restitution == pytest.approx(0.77896, abs=1e-5)
    # RK4 at 1/1500 of a period: 1e-9; the parabola through the samples 1e-8
    np.testing.assert_allclose([depth, force], [depth_0, force_0], rtol=1e-7)
    np.testing.assert_allclose([time, at], [time_0, at_0], rtol=0.0, atol=1e-6)
    # the force is cut within a step: of 0.5 ms, first order there, where it is small
    assert rebound(result) == pytest.approx(restitution, rel=1e-6)


def test_an_adhesive_law_acts_until_the_surfaces_part():
    result = collide({**KELVIN_VOIGT, "adhesive": True})
    restitution = damped_oscillator(adhesive=True)[-1]
    assert restitution == pytest.approx(0.76808, abs=1e-5)
    # the pull ends within a step, at its largest, c v = 108 N: up to half a step's impulse, 2.7e-4 of the momentum
    assert rebound(result) == pytest.approx(restitution, rel=3e-4)
    assert result["hit.normal_force_N"].min() < -50.0


@pytest.mark.parametrize(("factor", "speed"), [(0.5, 0.1), (6.0, 0.05), (6.0, 0.3), (20.0, 0.5)])
def test_hunt_crossley_rebounds_as_its_first_integral_says(factor, speed):
    k = 6.5e6
    contact = {"stiffness_N_m": k, "damping_s_m": factor, "friction": 0.0}
    period = 2.0 * math.pi * math.sqrt(0.5 * MASS / k)
    step = period / 400.0
    result = collide(contact, speed, duration=400.0 * step, step=step)
    # u / c - ln(1 + c u) / c2 has the same value at touch and at parting
    a = factor * speed
    e = brentq(lambda e: math.log1p(a) - math.log1p(-e * a) - a * (1.0 + e), 1e-9, min(1.0, (1.0 - 1e-12) / a))
    # parting falls within a step of a 400th of the period: the missed end of the force is of second order
    assert rebound(result) == pytest.approx(e, rel=2e-5)
    lost = 0.25 * MASS * speed**2 * (1.0 - e * e)
    assert result["energy.work.contact_damping_J"][-1] == pytest.approx(-lost, rel=1e-4)


def test_impulse_of_the_contact_is_the_change_of_momentum():
    k, speed = 6.5e6, 0.2
    step = 2.0 * math.pi * math.sqrt(0.5 * MASS / k) / 400.0
    result = collide({"stiffness_N_m": k, "damping_s_m": 3.0, "friction": 0.0}, speed, 400.0 * step, step)
    force = result["hit.load_force_N"]
    impulse = np.trapezoid(force[:, 0], result["time_s"])
    change = MASS * (result["b.velocity_m_s"][-1, 0] - result["b.velocity_m_s"][0, 0])
    # trapezoids over a pulse of 150 samples, with a kink at its start: 2e-5
    assert impulse == pytest.approx(change, rel=5e-5)
    np.testing.assert_array_equal(force[:, 1:], 0.0)
    # turned to W and back
    np.testing.assert_allclose(result["hit.normal_force_N"], force[:, 0], rtol=1e-14)


def test_loads_and_peaks_are_on_the_axes_of_the_first_port():
    smooth = ball(1.0, {"stiffness_N_m": 6.5e6, "friction": 0.0})
    ports = port(smooth, attitude={"yaw_pitch_roll_deg": [90.0, 0.0, 0.0]})
    a = lone(MASS, 40.0, ports=ports)
    other = port(ball(1.0))
    b = lone(MASS, 40.0, ports=other, position_m=[0.0, 2.0001, 0.0], velocity_m_s=[0.0, -0.1, 0.0])
    b["attitude"] = {"yaw_pitch_roll_deg": [-90.0, 0.0, 0.0]}
    result = docksim.run(pair(a, b, 0.02, 1e-5, every=1e-4))
    force = result["hit.load_force_N"]
    # A's port looks along y of W: the push on B is along the port's x
    assert force[:, 0].max() > 1000.0
    assert np.abs(force[:, 1:]).max() < 1e-9 * force[:, 0].max()
    assert result["hit.peak_compression_N"][-1] >= force[:, 0].max()
    assert result["hit.peak_tension_N"][-1] == 0.0
    assert result["hit.peak_spheres_force_N"][-1] == pytest.approx(result["hit.peak_compression_N"][-1], rel=1e-12)
    # 0.1 mm at 0.1 m/s: touched after 1 ms, seen at the step after
    assert result["hit.first_contact_s"][-1] == pytest.approx(1e-3, abs=2.1e-5)
    assert result["hit.contact_count"][-1] == 1.0


def test_overlap_at_the_start_is_refused_by_feature_and_depth():
    a = lone(MASS, 40.0, ports=port(plane()), anchored=True)
    b = lone(MASS, 40.0, ports=port(ball(0.5)), position_m=[0.497, 0.0, 0.0])
    result = docksim.run(pair(a, b, 0.01, 1e-3))
    assert result.outcome == "failed"
    for text in ("contacts.hit", "3 mm", "face of A on sphere 1 of B", "a.dock", "b.dock"):
        assert text in result.reason
