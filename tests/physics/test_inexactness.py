"""The published simplifications of a mechanism: none costs nothing, and each costs what its physics says."""

import numpy as np
import pytest

from benchmarks.inexactness import (
    INEXACTNESSES,
    MECHANISMS,
    Case,
    errors,
    load_case,
    main,
    medians,
    spacecraft,
    states,
    variants,
)
from tests.oracle.mechanism_page import EXACT, floating
from tests.support.mechanisms import quaternion

HUNT = ("sxds_like RSU", "its RUS variant")


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {name: load_case(*what) for name, what in MECHANISMS.items()}


def of_one_state(case: Case, rate: float = 0.1, mass_kg: float = 12000.0) -> dict[str, tuple[float, float]]:
    (state,) = states(case, 1, seed=3, rate=rate, contact_N=300.0)
    return errors(case, spacecraft(mass_kg), state, {"exact": EXACT, **variants()})


@pytest.mark.parametrize("name", MECHANISMS)
def test_exact_variant_has_no_error_and_each_shortcut_has_one(cases: dict[str, Case], name: str) -> None:
    found = of_one_state(cases[name])
    assert found["exact"] == (0.0, 0.0)
    for key, _, where in INEXACTNESSES:
        error = found[key][0 if where == "ring" else 1]
        if key == "constant_offset" and name in HUNT:
            # no stroke in a leg of crank and rod
            assert error == 0.0
        else:
            # far above rounding, which is 1e-12 at worst here
            assert error > 1e-9


def test_exact_variant_is_what_the_kernel_computes(cases: dict[str, Case]) -> None:
    for case in cases.values():
        (state,) = states(case, 1, seed=3, rate=1.0, contact_N=300.0)
        exact = floating(case.oracle, spacecraft(1000.0), state)
        pose = state.r_C, quaternion(state.R_C)
        base = np.concatenate([state.omega0, np.zeros(3)])
        motion = case.api.forward(pose, state.u, state.Q, state.W_C, base, exact.A0)
        # two codes in double precision, and a 6 x 6 system to solve; the smallest inexactness is 1e-6
        np.testing.assert_allclose(
            motion.ring_acceleration, exact.u_dot, rtol=0, atol=1e-10 * np.abs(exact.u_dot).max()
        )
        scale = np.abs(exact.base_wrench).max()
        np.testing.assert_allclose(motion.base_wrench, exact.base_wrench, rtol=0, atol=1e-10 * scale)


def test_reaction_shortcut_leaves_the_motion_alone(cases: dict[str, Case]) -> None:
    assert of_one_state(cases["nds_like UPS"])["zero_tip_load"][0] == 0.0


def test_velocity_shortcuts_vanish_with_the_ring_at_rest(cases: dict[str, Case]) -> None:
    for case in cases.values():
        found = of_one_state(case, rate=0.0)
        assert found["no_eps_term"] == (0.0, 0.0)
        assert found["no_ring_drift"] == (0.0, 0.0)


def test_velocity_shortcuts_grow_with_the_square_of_the_rates(cases: dict[str, Case]) -> None:
    case = cases["nds_like UPS"]
    base = spacecraft(12000.0)
    absolute = []
    for rate in (0.01, 0.02):
        # a contact force without the rate-dependent dampers fixes the acceleration that errors are relative to
        (state,) = states(case, 1, seed=3, rate=rate, contact_N=3e4)
        absolute.append(errors(case, base, state, variants())["no_ring_drift"][0])
    # the acceleration itself changes by the dampers' few newtons of 30 kN
    assert absolute[1] / absolute[0] == pytest.approx(4.0, rel=0.02)


def test_light_base_makes_the_inertial_base_worse(cases: dict[str, Case]) -> None:
    for case in cases.values():
        heavy, light = (of_one_state(case, mass_kg=mass)["inertial_base"][0] for mass in (12000.0, 1000.0))
        assert light > 3.0 * heavy


def test_medians_repeat_and_the_program_prints_a_row_for_every_setting(
    cases: dict[str, Case], capsys: pytest.CaptureFixture[str]
) -> None:
    once, again = (medians(cases["sxds_like RSU"], 1000.0, 0.1, count=2) for _ in range(2))
    assert once == again
    main(["--states", "1"])
    # heading, rule, and five shortcuts for two bases and two rates
    assert len(capsys.readouterr().out.splitlines()) == 2 + 5 * 4
