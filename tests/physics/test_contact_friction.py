"""Friction with known answers: a ball that slides and then rolls, a block on an incline, bristles that do not creep."""

import math

import numpy as np
import pytest

import docksim
from docksim.kernel.contact.friction import dragged
from tests.support.contact_rigs import pair, plane, port
from tests.support.rigs import lone

G = 9.81
MU = 0.2


def on_plane(body, force, duration, step, contact, pairs=None, **initial):
    """A body under a constant force on an anchored plane that faces +x; heights along x, slope along y."""
    ground = lone(1.0, 1.0, anchored=True, ports=port(plane(50.0, contact)))
    keys = body | initial | {"loads": {"weight": {"force_N": list(force), "frame": "inertial"}}}
    result = docksim.run(pair(ground, keys, duration, step, every=10 * step, pair=pairs or {}))
    assert result.outcome == "completed", result.reason
    return result


def rolling_ball(mu, v_0, duration, mass=10.0, radius=0.25):
    """A solid ball set down without spin, sliding along y; it sinks in by a tenth of a millimetre."""
    contact = {"stiffness_N_m": 1e6, "damping_s_m": 5.0, "friction": mu}
    inertia = 0.4 * mass * radius**2
    body = lone(mass, inertia, ports=port({"spheres": [{"center_m": [0.0, 0.0, 0.0], "radius_m": radius}]}))
    return on_plane(
        body, (-mass * G, 0.0, 0.0), duration, 2e-4, contact,
        position_m=[radius, 0.0, 0.0], velocity_m_s=[0.0, v_0, 0.0],
    )  # fmt: skip


def test_a_sliding_ball_begins_to_roll_at_five_sevenths_of_its_speed():
    v_0, radius = 1.0, 0.25
    until = 2.0 * v_0 / (7.0 * MU * G)
    result = rolling_ball(MU, v_0, 3.0 * until)
    t, v, w = result["time_s"], result["b.velocity_m_s"][:, 1], np.radians(result["b.rate_deg_s"][:, 2])
    sliding = (t > 0.2 * until) & (t < 0.9 * until)
    # the drop by 0.1 mm at the start makes the normal force swing about the weight: 1e-3 of the mean slope
    slope = np.polyfit(t[sliding], v[sliding], 1)[0]
    assert slope == pytest.approx(-MU * G, rel=5e-3)
    rolls = t > 1.5 * until
    # once it sticks, only the bristle's stretch, micrometres, tells the speeds from those of rolling
    assert v[rolls].mean() == pytest.approx(5.0 / 7.0 * v_0, rel=1e-3)
    assert w[rolls].mean() * radius == pytest.approx(v[rolls].mean(), rel=1e-3)
    # a rolling ball keeps its speed: no bristle drags it
    assert v[-1] == pytest.approx(v[rolls][0], rel=1e-3)


def block(mass=50.0):
    """A block on four small feet, its mass centre a hand above them."""
    spheres = [{"center_m": [0.02, y, z], "radius_m": 0.02} for y in (-0.3, 0.3) for z in (-0.3, 0.3)]
    keys = lone(mass, [4.0, 4.0, 4.0], center_of_mass_m=[0.1, 0.0, 0.0])
    keys["ports"] = {"dock": {"position_m": [0.0, 0.0, 0.0], "interface": {"spheres": spheres}}}
    return keys


@pytest.mark.parametrize("ratio", [0.9, 1.1])
def test_a_block_sticks_below_the_angle_of_friction_and_slides_above(ratio):
    mass = 50.0
    slope = ratio * math.atan(MU)
    contact = {"stiffness_N_m": 1e6, "damping_s_m": 50.0, "friction": MU}
    force = (-mass * G * math.cos(slope), mass * G * math.sin(slope), 0.0)
    result = on_plane(block(mass=mass), force, 2.0, 2.5e-4, contact, position_m=[0.0, 0.0, 0.0])
    t, y, v = result["time_s"], result["b.position_m"][:, 1], result["b.velocity_m_s"][:, 1]
    late = t > 1.0
    if ratio < 1.0:
        # it slips a little while it sinks in, in a half period of 11 ms: at most g sin / 2 times its square
        assert np.abs(y).max() < 0.5 * G * math.sin(slope) * 0.011**2
        # and does not creep once that has rung out
        assert np.ptp(y[late]) < 1e-8
    else:
        a = G * (math.sin(slope) - MU * math.cos(slope))
        # at the start friction is less, while the bristles stretch: a step in y, none in the slope
        assert np.polyfit(t[late], v[late], 1)[0] == pytest.approx(a, rel=1e-3)


def test_a_loaded_contact_rests_without_creeping_for_a_minute():
    mass, slope = 50.0, 0.5 * math.atan(MU)
    contact = {"stiffness_N_m": 1e5, "damping_s_m": 50.0, "friction": MU}
    force = (-mass * G * math.cos(slope), mass * G * math.sin(slope), 0.0)
    result = on_plane(block(mass=mass), force, 60.0, 1e-3, contact, position_m=[0.0, 0.0, 0.0])
    y = result["b.position_m"][:, 1]
    late = result["time_s"] > 10.0
    # rounding of a displacement is 1e-16 a step; regularised Coulomb friction would creep by millimetres
    assert np.ptp(y[late]) < 1e-11


def test_friction_takes_what_the_budget_says_it_takes():
    v_0 = 1.0
    result = rolling_ball(MU, v_0, 0.6)
    rubbed = -result["energy.work.contact_friction_J"][-1]
    # 2/7 of the energy is rubbed away before the ball rolls
    assert rubbed == pytest.approx(0.5 * 10.0 * v_0**2 * 2.0 / 7.0, rel=2e-3)
    assert np.abs(result["energy.residual_J"]).max() < 1e-5


def vector(angle, length=1.0):
    return (length * math.cos(angle), length * math.sin(angle), 0.0)


def test_a_slipping_bristle_turns_towards_the_motion_as_the_closed_form_says():
    for angle in np.linspace(-0.49, 0.49, 15) * math.pi:
        for way in (0.01, 0.3, 3.0):
            x, y, z = dragged(vector(angle, 2.0), vector(0.0, way), 2.0)
            # tan(angle / 2) decays with the way over the length; rounding
            turned = 2.0 * math.atan(math.tan(0.5 * angle) * math.exp(-way / 2.0))
            assert math.atan2(y, x) == pytest.approx(turned, abs=1e-14)
            assert math.hypot(x, y) == pytest.approx(2.0, rel=1e-14)
            assert z == 0.0


def test_a_bristle_dragged_in_parts_ends_where_it_ends_in_one_go():
    rng = np.random.default_rng(3)
    for _ in range(300):
        s = vector(rng.uniform(0.0, 7.0), rng.choice([1.0, rng.random()]))
        way = np.array(vector(rng.uniform(0.0, 7.0), rng.choice([0.01, 0.3, 3.0])))
        whole = dragged(s, tuple(way), 1.0)
        half = dragged(dragged(s, tuple(0.3 * way), 1.0), tuple(0.7 * way), 1.0)
        # rounding, stretched where the bristle starts to slip square to the way
        np.testing.assert_allclose(half, whole, rtol=0.0, atol=1e-12)


def test_a_bristle_never_exceeds_its_limit_and_forgets_all_without_a_normal_force():
    rng = np.random.default_rng(8)
    for _ in range(300):
        limit = rng.choice([1e-9, 0.5, 1.0])
        s, way = (vector(rng.uniform(0.0, 7.0), rng.uniform(0.0, 2.0)) for _ in range(2))
        assert math.hypot(*dragged(s, way, limit)) <= limit * (1.0 + 1e-14)
        assert dragged(s, way, 0.0) == (0.0, 0.0, 0.0)
    assert dragged((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0) == (0.0, 0.0, 0.0)


def test_the_direction_of_friction_is_right_to_second_order_while_the_limit_falls():
    def slid(n):
        """Direction after a way that curves, with a limit that falls to a third."""
        s = vector(1.0)
        for k in range(n):
            way = vector(0.8 * (k + 0.5) / n, 2.0 / n)
            s = dragged(s, way, 1.0 - (k + 1) / n * 2.0 / 3.0)
        return math.atan2(s[1], s[0])

    fine = slid(12800)
    errors = [abs(slid(n) - fine) for n in (100, 200, 400)]
    # order 2 gives 4, order 1 would give 2
    assert errors[0] / errors[1] > 3.5
    assert errors[1] / errors[2] > 3.5


def test_a_bristle_whose_limit_falls_turns_by_the_mean_of_its_lengths():
    """Over a limit that falls evenly along the way the angle decays with way / L, L the logarithmic mean."""
    for before, after in ((1.3, 1.0), (1.1, 1.0)):
        mean = (before - after) / math.log(before / after)
        x, y, _ = dragged(vector(1.0, before), vector(0.0, 0.4), after)
        turned = 2.0 * math.atan(math.tan(0.5) * math.exp(-0.4 / mean))
        # the geometric mean is low by ln(1.3)^2 / 24 = 0.3 %; the arithmetic one is high by twice that
        error = abs(math.log(before / after)) ** 2 / 24.0
        assert math.atan2(y, x) == pytest.approx(turned, abs=1.2 * error * 0.4 / mean * math.sin(turned))


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_peaks_are_the_largest_loads_of_all_steps_whichever_way_they_act(way):
    """A foot off the axis is pressed on and slides, so that friction twists the port to either side."""
    foot = {"spheres": [{"center_m": [0.02, 0.3, 0.0], "radius_m": 0.02}]}
    contact = {"stiffness_N_m": 1e5, "damping_s_m": 2.0, "friction": MU}
    start = {"position_m": [0.0, 0.0, 0.0], "velocity_m_s": [-0.05, 0.02, way * 0.2]}
    ground = lone(1.0, 1.0, anchored=True, ports=port(plane(5.0, contact)))
    slider = lone(20.0, 40.0, ports=port(foot), **start)
    # every step is logged, and none is cut
    result = docksim.run(pair(ground, slider, 0.05, 2e-4, pair={"substeps": 1}))
    force, moment = result["hit.load_force_N"][:-1], result["hit.load_moment_Nm"][:-1]
    assert way * moment[:, 0].sum() != 0.0
    loads = {
        "compression_N": force[:, 0],
        "tension_N": -force[:, 0],
        "shear_N": np.hypot(force[:, 1], force[:, 2]),
        "bending_Nm": np.hypot(moment[:, 1], moment[:, 2]),
        "torsion_Nm": np.abs(moment[:, 0]),
    }
    for name, load in loads.items():
        assert result[f"hit.peak_{name}"][-1] == pytest.approx(max(load.max(), 0.0), rel=1e-12)
    assert result["hit.peak_torsion_Nm"][-1] > 1.0
