"""Identification: a simulated arm comes back within its intervals, which cover as often as they say."""

import dataclasses

import numpy as np
import pytest

from docksim.chain import load_chain
from docksim.chain.identification.baseparams import base_parameters
from docksim.chain.identification.by_forces import base_regressor, identify
from docksim.chain.identification.consistent import real_links
from docksim.chain.identification.excite import excitation
from docksim.chain.identification.least_squares import fit
from docksim.chain.identification.recording import Recording
from docksim.chain.identification.regressor import PER_LINK, inertial_parameters, pseudo_inertias, regressor
from docksim.result.result import ResultError
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain
from tests.support.recordings import waves


def noisy(recording, rng, deviation):
    return dataclasses.replace(recording, force=recording.force + deviation * rng.normal(size=recording.force.shape))


@pytest.mark.parametrize(("n", "branching"), [(3, 0.0), (6, 0.5)])
def test_regressor_times_parameters_is_pinocchios_force(n, branching):
    rng = np.random.default_rng(n)
    chain = random_chain(rng, n, branching=branching)
    motion = rng.normal(size=(3, 5, n))
    W, p = regressor(chain, *motion), inertial_parameters(chain)
    other = PinocchioChain(chain)
    for t in range(5):
        expected = other.inverse(*motion[:, t])
        assert W[t] @ p == pytest.approx(expected, rel=1e-12, abs=1e-11)


def test_regressor_takes_figures_in_the_frame_of_the_rows():
    chain = load_chain("configs/chains/puma560.yaml")
    motion = np.random.default_rng(0).normal(size=(3, 1, 6))
    force = PinocchioChain(chain).inverse(*motion[:, 0])
    assert regressor(chain, *motion)[0] @ inertial_parameters(chain) == pytest.approx(force, abs=1e-11)
    base = base_parameters(chain)
    # the basic columns alone carry everything
    reduced = regressor(chain, *motion)[0][:, base.columns] @ (base.Y @ inertial_parameters(chain))
    assert reduced == pytest.approx(force, abs=1e-9)


def test_perfect_data_give_the_parameters_back():
    rng = np.random.default_rng(1)
    chain = random_chain(rng, 4)
    found = identify(chain, waves(rng, chain))
    # condition numbers of some hundred, on data of 1e-16, and the base parameters' own rounding
    assert found.values == pytest.approx(found.nominal, rel=1e-10, abs=1e-10)
    assert found.unknown == ()


def test_noise_of_each_joint_is_found_and_weighs():
    rng = np.random.default_rng(2)
    chain = random_chain(rng, 3)
    deviation = np.array([1.0, 0.1, 0.01])
    found = identify(chain, noisy(waves(rng, chain, 800), rng, deviation))
    # a deviation from 800 samples has an error of 1 / sqrt(1600) = 2.5 %: four of them
    assert found.fit.noise == pytest.approx(deviation, rel=0.1)
    within = np.abs(found.values - found.nominal) <= 2.0 * found.fit.half_width
    assert within.all()


def test_intervals_cover_as_often_as_they_say():
    """200 draws of noise at 95 %.

    Each parameter is covered a number of times that is binomial: 190 +- 3.1. Of r parameters none should be below 190
    - 4 x 3.1 = 177 (chance 1e-4 each). The mean over parameters has no larger deviation than a single one, even if all
    were fully correlated, so it must lie within 3 deviations, 0.95 +- 0.047.
    """
    rng = np.random.default_rng(3)
    chain = random_chain(rng, 3, sliding=0.4)
    clean = waves(rng, chain, 120)
    base = base_parameters(chain)
    W, truth = base_regressor(chain, base, clean), base.Y @ inertial_parameters(chain)
    covered = np.zeros(len(truth))
    for _ in range(200):
        found = fit(W, noisy(clean, rng, np.array([0.5, 0.2, 0.05])).force)
        covered += np.abs(found.values - truth) <= found.half_width
    assert covered.min() >= 177
    assert 0.95 - 0.047 <= covered.mean() / 200 <= 0.95 + 0.047


def test_other_confidences_cover_accordingly():
    # 300 draws at 50 %: 150 +- 8.7, four deviations
    rng = np.random.default_rng(4)
    W = rng.normal(size=(30, 1, 2))
    hits = 0
    for _ in range(300):
        found = fit(W, (W @ [1.0, -2.0]) + rng.normal(size=(30, 1)), confidence=0.5)
        hits += abs(found.values[0] - 1.0) <= found.half_width[0]
    assert 150 - 35 <= hits <= 150 + 35


def test_joint_that_stands_still_leaves_its_parameters_untold_by_name():
    rng = np.random.default_rng(5)
    chain = load_chain("configs/chains/puma560.yaml")
    still = waves(rng, chain, moving=np.array([1, 0, 0, 0, 0, 0.0]))
    found = identify(chain, still)
    lost = {name for group in found.unknown for name in group}
    # an arm that stands still on a turning waist: what its sensors feel are sums, and little else
    assert {name[-1] for name in lost} >= {"2", "3", "4", "5", "6"}
    assert np.isnan(found.values[[found.names.index(name) for name in lost]]).all()
    told = found.fit.told
    assert found.values[told] == pytest.approx(found.nominal[told], abs=1e-8)
    assert 1 <= told.sum() < 30


def test_motion_at_rest_tells_only_weights():
    chain = load_chain("configs/chains/planar_2r.yaml")
    q = np.random.default_rng(6).normal(size=(50, 2))
    force = regressor(chain, q, 0 * q, 0 * q) @ inertial_parameters(chain)
    found = identify(chain, Recording(np.arange(50.0), q, 0 * q, 0 * q, force))
    told = {name for name, known in zip(found.names, found.fit.told, strict=True) if known}
    assert told == {"Sx1", "Sy1", "Sx2", "Sy2"}


def test_too_few_samples_are_refused():
    rng = np.random.default_rng(7)
    chain = random_chain(rng, 3)
    with pytest.raises(ResultError, match=r"6 measured forces cannot give \d+ figures"):
        identify(chain, waves(rng, chain, 2))


def test_friction_is_identified_beside_the_links():
    rng = np.random.default_rng(8)
    chain = random_chain(rng, 3)
    figures = {name: rng.uniform(0.2, 1.0, 3) for name in ("damping", "friction", "stiffness")}
    chain = dataclasses.replace(chain, **figures)
    recording = noisy(waves(rng, chain, 600), rng, 0.02)
    blind = dataclasses.replace(chain, damping=np.zeros(3), friction=np.zeros(3))
    found = identify(blind, recording, drives=("viscous", "coulomb"), consistent=True)
    start = found.names.index("link1.viscous")
    truth = np.concatenate([figures["damping"], figures["friction"]])
    # two half widths are four standard errors
    assert (np.abs(found.values - found.nominal) <= 2 * found.fit.half_width)[:start].all()
    assert (np.abs(found.values[start:] - truth) <= 2 * found.fit.half_width[start:]).all()
    assert (found.real.values[start:] >= 0.0).all()


def test_rotor_of_the_first_joint_cannot_be_told_from_the_link_that_it_turns():
    rng = np.random.default_rng(10)
    chain = random_chain(rng, 2, sliding=0.0)
    found = identify(chain, waves(rng, chain), drives=("rotor",))
    group = next(group for group in found.unknown if "link1.rotor" in group)
    assert any(name.startswith("I") and name.endswith("1") for name in group)
    assert not np.isnan(found.values[found.names.index("link2.rotor")])


def is_real(parameters: np.ndarray) -> np.ndarray:
    """Which links have a positive definite pseudo-inertia."""
    return np.linalg.eigvalsh(pseudo_inertias(parameters))[:, 0] > 0.0


def test_real_links_stay_where_the_fit_is_real_and_are_positive_where_it_is_not():
    rng = np.random.default_rng(9)
    chain = load_chain("configs/chains/planar_2r.yaml")
    clean = waves(rng, chain)
    good = identify(chain, noisy(clean, rng, 0.01), consistent=True)
    # the pull towards the file costs a ten-thousandth of a squared deviation
    assert good.real.misfit < 1e-3
    assert good.real.values == pytest.approx(good.values, abs=0.05 * good.fit.half_width.max())
    # the outer link's moment about its joint, which is Ixx2 + 2 Sx2 here, comes out negative: no body has that
    spoilt = good.values.copy()
    spoilt[good.names.index("Ixx2")] = -1.5
    bad = real_links(spoilt, good.fit.information, good.base.Y, inertial_parameters(chain))
    assert bad.misfit > 1.0
    assert is_real(bad.parameters).all()
    assert good.base.Y @ bad.parameters.ravel() == pytest.approx(bad.values)


def test_links_without_real_inertia_are_told_from_real_ones():
    chain = load_chain("configs/chains/planar_2r.yaml")
    p = inertial_parameters(chain).reshape(-1, PER_LINK)
    assert is_real(p).all()
    wrong = p.copy()
    wrong[1, 0] = -wrong[1, 0]
    assert is_real(wrong).tolist() == [True, False]
    assert pseudo_inertias(p)[0, 3, 3] == pytest.approx(1.0)
    base = base_parameters(chain)
    found = real_links(base.Y @ wrong.ravel(), np.eye(len(base.Y)), base.Y, p.ravel())
    assert found.smallest > 0.0


def test_excitation_keeps_limits_starts_at_rest_and_beats_random_motion():
    chain = load_chain("configs/chains/puma560.yaml")
    found = excitation(chain, period_s=8.0, harmonics=3, samples=120, rounds=2)
    assert (found.q >= chain.lower).all()
    assert (found.q <= chain.upper).all()
    assert (np.abs(found.rates) <= chain.rate_limit).all()
    assert found.load <= 1.0
    # a joint uses its range or its rate to 95 %, at the samples
    ranges, rates = np.ptp(found.q, axis=0) / (chain.upper - chain.lower), np.abs(found.rates).max(0)
    used = np.maximum(ranges, rates / chain.rate_limit)
    assert used == pytest.approx(0.95, abs=0.03)
    assert found.rates[0] == pytest.approx(np.zeros(6), abs=1e-12)
    assert found.accelerations[0] == pytest.approx(np.zeros(6), abs=1e-12)
    assert found.condition < 0.7 * found.random_condition
    step = found.time_s[1]
    # derivatives belong together: central differences over 1/15 s of waves of 0.4 Hz, 1 % of the largest
    rate = (found.q[2:] - found.q[:-2]) / (2 * step)
    assert np.abs(rate - found.rates[1:-1]).max() < 0.02 * np.abs(found.rates).max()


def test_same_seed_gives_the_same_excitation():
    chain = load_chain("configs/chains/planar_2r.yaml")
    one, two = (excitation(chain, samples=60, rounds=1, seed=5) for _ in range(2))
    assert np.array_equal(one.q, two.q)
    assert one.notes


def test_long_recordings_are_thinned_and_say_so():
    rng = np.random.default_rng(11)
    chain = random_chain(rng, 1)
    found = identify(chain, waves(rng, chain, 45_000))
    assert len(found.recording.time_s) == 15_000
    assert "one row in 3 of 45000 is used" in found.recording.notes[0]
    assert found.values == pytest.approx(found.nominal, abs=1e-9)
