"""Delay in the loop: the closed form against the delay equation, bounces against theirs, and what compensation does."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import solve_ivp

from docksim.cli import main
from docksim.realtime.hil import bounce, course, ideal_restitution, judge
from docksim.realtime.hil_loop import COMPENSATIONS, Loop, critical_delay, crossover

LOOPS = [Loop(100.0, 1e5, 50.0), Loop(100.0, 1e5, 200.0), Loop(4000.0, 3e5, 20000.0), Loop(5.0, 1e3, 100.0)]


def growth(loop: Loop, periods: float = 30.0) -> float:
    """Amplitude at the end over that at the start, of contact that never opens."""
    steps = max(5, math.ceil(100.0 * loop.delay * loop.frequency))
    duration = periods * 2.0 * math.pi / loop.frequency
    found = course(loop, 0.1, duration, loop.delay / steps, pulls=True)
    part = len(found.x) // 10
    return float(np.abs(found.x[-part:]).max() / np.abs(found.x[part : 2 * part]).max())


@pytest.mark.parametrize("loop", LOOPS)
def test_critical_delay_is_where_the_delay_equation_neither_grows_nor_decays(loop: Loop) -> None:
    critical = critical_delay(loop)
    assert growth(replace(loop, delay=0.98 * critical)) < 1.0
    assert growth(replace(loop, delay=1.02 * critical)) > 1.0
    # at the border the roots lie on the axis; second order of 1/600 of the period, over thirty periods
    assert growth(replace(loop, delay=critical)) == pytest.approx(1.0, abs=2e-3)


def test_characteristic_equation_has_its_root_on_the_axis() -> None:
    for loop in LOOPS:
        s = 1j * crossover(loop)
        left = loop.mass * s * s + (loop.damping * s + loop.stiffness) * np.exp(-s * critical_delay(loop))
        # rounding
        assert abs(left) < 1e-12 * loop.stiffness


def test_light_damping_allows_a_delay_of_damping_over_stiffness_and_none_allows_none() -> None:
    loop = Loop(100.0, 1e5, 1.0)
    # the next term is of the order of the square of the damping ratio, 2.5e-8, times a third of (w c / k)^2
    assert critical_delay(loop) == pytest.approx(1e-5, rel=1e-6)
    assert critical_delay(replace(loop, damping=0.0)) == 0.0


def test_bandwidth_takes_from_the_delay_and_is_found_by_the_same_border() -> None:
    loop = replace(LOOPS[2], bandwidth=2.0 * math.pi * 40.0)
    critical = critical_delay(loop)
    assert 0.0 < critical < critical_delay(LOOPS[2])
    assert growth(replace(loop, delay=0.97 * critical)) < 1.0 < growth(replace(loop, delay=1.03 * critical))
    # a lag of first order costs about its time constant, to the order of its square
    assert critical_delay(LOOPS[2]) - critical == pytest.approx(1.0 / loop.bandwidth, rel=0.05)


def test_lead_moves_the_border_to_where_the_delay_equation_has_it() -> None:
    loop = replace(LOOPS[1], delay=0.004, compensation="lead")
    critical = critical_delay(loop)
    assert critical > 2.0 * critical_delay(LOOPS[1])
    # the lead stays that of 4 ms while the delay changes: so it is a loop whose own lead is that of another delay
    assert growth(replace(loop, delay=0.004)) < 1.0


def test_rebound_of_the_hardware_alone_is_that_of_its_equation() -> None:
    for loop in LOOPS:
        event = lambda t, y, loop=loop: loop.stiffness * y[0] + loop.damping * y[1]  # noqa: E731
        event.terminal, event.direction = True, -1.0
        right = lambda t, y, loop=loop: [y[1], -(loop.stiffness * y[0] + loop.damping * y[1]) / loop.mass]  # noqa: E731
        found = solve_ivp(right, (0.0, 10.0), [0.0, 1.0], events=event, rtol=1e-11, atol=1e-13)
        assert -found.y[1, -1] == pytest.approx(ideal_restitution(loop), rel=1e-8)


def test_bounce_through_a_rig_without_delay_is_that_of_the_hardware() -> None:
    for loop in LOOPS:
        rebound, _ = bounce(replace(loop, delay=3e-4 / loop.frequency), 0.1)
        # a delay of 3e-4 of the time scale changes the damping ratio by half of it, the rebound by pi times that;
        # the force jumps at the touch by c v, over a step of the same length
        assert rebound == pytest.approx(ideal_restitution(loop), abs=2e-3)


def test_no_delay_is_no_delay_and_what_is_far_too_fast_to_matter_changes_nothing() -> None:
    for loop in LOOPS:
        ideal = ideal_restitution(loop)
        # second order of 1/400 of the time scale
        assert bounce(loop, 0.1)[0] == pytest.approx(ideal, abs=2e-5)
        for rig in (replace(loop, delay=1e-12), replace(loop, delay=1e-12, bandwidth=1e13)):
            for compensation in COMPENSATIONS:
                # the touch is spread over a step by a lead, which takes damping ratio times its part of the time scale
                rebound, found = bounce(replace(rig, compensation=compensation), 0.1)
                assert rebound == pytest.approx(ideal, abs=2e-3 * loop.damping_ratio + 2e-5)
                assert len(found.time) < 30_000


@pytest.mark.parametrize("bandwidth", [2.0, 20.0, 400.0, 4000.0])
@pytest.mark.parametrize("delay", [0.0, 0.0004, 0.05])
def test_bounce_is_that_of_the_delay_equation_at_small_steps(delay: float, bandwidth: float) -> None:
    # time scale 1 s: the steps of `bounce` are 2.5 ms; the check goes by explicit ones of 50 us
    step, later = 5e-5, round(delay / 5e-5)
    x, v, rig, told, past = 0.0, 1.0, -delay - 1.0 / bandwidth, 0.0, []
    while v > 0.0 or told > 0.0 or rig > 0.0:
        past.append(x)
        told = past[-1 - later] if len(past) > later else step * (len(past) - 1) - delay
        speed = bandwidth * (told - rig)
        force = max(rig + 0.2 * speed, 0.0) if rig > 0.0 else 0.0
        rig += step * speed
        v -= step * force
        x += step * v
    # first order of the check's steps, and half a step of `bounce` in the time of the touch, times the damping
    assert bounce(Loop(1.0, 1.0, 0.2, delay, bandwidth), 1.0)[0] == pytest.approx(-v, abs=5e-4)


def test_hardware_without_damping_and_without_a_rig_keeps_its_energy() -> None:
    verdict, _ = judge(Loop(4000.0, 1e5), 0.05)
    assert verdict.stable
    # second order of 1/400 of the time scale
    assert verdict.gain("none") == pytest.approx(1.0, abs=2e-5)


def test_delay_gives_energy_as_a_damper_of_minus_k_tau_would() -> None:
    loop = Loop(100.0, 1e5, 100.0, delay=0.0005)
    # first order in the delay: w tau = 0.016
    expected = ideal_restitution(replace(loop, damping=loop.damping - loop.stiffness * loop.delay))
    assert bounce(loop, 0.05)[0] == pytest.approx(expected, abs=0.016)
    assert bounce(loop, 0.05)[0] > ideal_restitution(loop) + 0.02


def test_compensation_helps() -> None:
    verdict, _ = judge(Loop(100.0, 1e5, 200.0, delay=0.004), 0.05)
    assert not verdict.stable
    # without it a bounce gains energy; a lead comes within a few per cent of the hardware; passivity gains none
    assert verdict.rebound["none"] > 1.1
    assert abs(verdict.rebound["lead"] - verdict.ideal) < 0.02
    assert verdict.rebound["passivity"] == pytest.approx(1.0, abs=1e-9)


def test_passivity_control_never_gains_energy_whatever_the_rig() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        mass, stiffness = 10.0 ** rng.uniform(0, 4), 10.0 ** rng.uniform(3, 6)
        scale = math.sqrt(mass / stiffness)
        damping = 2.0 * rng.uniform(0.0, 0.3) * math.sqrt(mass * stiffness)
        delay, bandwidth = scale * rng.uniform(0.1, 1.0), rng.uniform(2.0, 10.0) / scale
        loop = Loop(mass, stiffness, damping, delay, bandwidth, "passivity")
        # rounding of some thousand steps
        assert bounce(loop, 0.1)[0] <= 1.0 + 1e-9


def hil(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["hil", *arguments], catch_exceptions=False)
    return done.exit_code, done.output


def test_command_judges_draws_and_says_so_by_its_exit_code(tmp_path: Path) -> None:
    rig = ("--mass", "4000", "--stiffness", "1e5", "--damping", "2000", "--out", str(tmp_path))
    code, output = hil(*rig, "--delay", "0.004", "--rate", "1000", "--bandwidth", "30")
    assert code == 0
    assert "stable" in output
    assert "5.500 ms" in output
    assert (tmp_path / "hil.png").is_file()
    code, output = hil(*rig, "--delay", "0.05", "--json", "--no-figures")
    assert code == 1
    found = json.loads(output)
    assert found["stable"] is False
    assert found["energy_against_no_rig"]["none"] > 1.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--damping", "1e9"], "overdamped"),
        (["--delay", "1000"], "follows nothing"),
        (["--bandwidth", "1e-6"], "follows nothing"),
        (["--stiffness", "1e-300"], "1e-9 <= x <= 1e15"),
        (["--mass", "-1"], "mass"),
        (["--stiffness", "soft"], "not a valid"),
    ],
)
def test_loops_that_are_none_are_refused_in_words(arguments: list[str], words: str, tmp_path: Path) -> None:
    base = ["--mass", "4000", "--stiffness", "1e5", "--delay", "0.004", "--out", str(tmp_path)]
    code, output = hil(*base, *arguments)
    assert (code, words in " ".join(output.split())) == (2, True), output
