"""Identification by energy: exact without noise, honest with it, better than derived accelerations."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy.signal import savgol_filter

from docksim.chain import Dynamics, base_parameters, identify, load_chain
from docksim.chain.identification.by_energy import energy_columns, identify_by_energy, integral
from docksim.chain.identification.least_squares import fit
from docksim.chain.identification.recording import Recording, read_recording
from docksim.chain.identification.regressor import inertial_parameters, regressor
from docksim.chain.model import ChainModel
from docksim.result.result import ResultError
from tests.oracle.chain_random import random_chain
from tests.support.recordings import waves

NONE = np.zeros((0, 0))


def bare(recording: Recording) -> Recording:
    """Without accelerations."""
    return dataclasses.replace(recording, accelerations=NONE)


@pytest.mark.parametrize("branching", [0.0, 0.5])
def test_energies_change_by_the_power_of_the_forces(branching: float) -> None:
    """dh/dt p = q' . Q, with Q by the regressor of forces, which is Pinocchio's; h by central differences."""
    rng = np.random.default_rng(3)
    chain = random_chain(rng, 5, 0.4, branching)
    p, (q, v, a) = inertial_parameters(chain), rng.normal(size=(3, 6, 5))
    step = 1e-4
    ahead, behind = (energy_columns(chain, q + s * v + 0.5 * s * s * a, v + s * a) @ p for s in (step, -step))
    power = np.einsum("ti,ti->t", v, regressor(chain, q, v, a) @ p)
    # second order: some 1e-8 of third derivatives near 10
    assert (ahead - behind) / (2 * step) == pytest.approx(power, rel=1e-6, abs=1e-5)


def test_kinetic_energy_is_that_of_the_mass_matrix() -> None:
    rng = np.random.default_rng(4)
    chain = dataclasses.replace(random_chain(rng, 6, 0.3, 0.5), gravity=np.zeros(3))
    q, v = rng.normal(size=(2, 6))
    A = Dynamics(chain, compiled=False).mass_matrix(q)
    assert energy_columns(chain, q[None], v[None])[0] @ inertial_parameters(chain) == pytest.approx(0.5 * v @ A @ v)


def test_integral_is_of_high_order() -> None:
    time = np.linspace(0.0, 10.0, 501)
    assert integral(time, np.cos(5.0 * time)) == pytest.approx(np.sin(5.0 * time) / 5.0, abs=1e-9)


def test_perfect_data_of_the_puma_give_all_parameters_back() -> None:
    chain = load_chain("configs/chains/puma560.yaml")
    found = identify_by_energy(chain, bare(waves(np.random.default_rng(1), chain, 1001)), pairs=2)
    assert found.unknown == ()
    assert len(found.values) == 36
    assert found.fit.condition < 400.0
    # a prototype reached 4e-9; parameters up to 4 kg m
    assert np.abs(found.values - found.nominal).max() < 4e-9
    assert found.recording.notes == ()


def test_drives_springs_and_rotors_are_in_the_balance() -> None:
    rng = np.random.default_rng(8)
    figures = {name: rng.uniform(0.2, 1.0, 3) for name in ("damping", "friction", "stiffness", "rotor", "rest")}
    chain = dataclasses.replace(random_chain(rng, 3), **figures)
    recording = bare(waves(rng, chain, 2001))
    known = identify_by_energy(chain, recording, pairs=2)
    # friction changes its sign between samples: half a step of 5 ms at rates near zero
    assert np.abs(known.values - known.nominal).max() < 1e-3
    blind = dataclasses.replace(chain, damping=np.zeros(3), friction=np.zeros(3))
    asked = identify_by_energy(blind, recording, drives=("viscous", "coulomb"), pairs=2)
    start = asked.names.index("link1.viscous")
    truth = np.concatenate([figures["damping"], figures["friction"]])
    assert asked.values[start:] == pytest.approx(truth, abs=1e-2)
    frictionless = dataclasses.replace(chain, friction=np.zeros(3))
    smooth = bare(waves(np.random.default_rng(8), frictionless, 1001))
    rotors = dataclasses.replace(frictionless, rotor=np.zeros(3))
    told = identify_by_energy(rotors, smooth, drives=("rotor", "viscous"), pairs=2)
    place = told.names.index("link3.rotor")
    assert told.values[place] == pytest.approx(figures["rotor"][2], abs=1e-6)


def test_missed_friction_is_noted() -> None:
    rng = np.random.default_rng(9)
    chain = load_chain("configs/chains/planar_2r.yaml")
    rubbing = dataclasses.replace(chain, damping=np.array([0.5, 0.5]))
    recording = waves(rng, rubbing, 1001)
    q = recording.q + 1e-3 * rng.normal(size=recording.q.shape)
    found = identify_by_energy(chain, Recording(recording.time_s, q, NONE, NONE, recording.force), pairs=4)
    assert any("times what the noise of the recording explains" in note for note in found.recording.notes)
    assert "rates derived from the coordinates over 15 samples (0.15 s)" in found.recording.notes[0]


def test_joint_that_stands_still_leaves_its_parameters_untold() -> None:
    chain = load_chain("configs/chains/planar_2r.yaml")
    found = identify_by_energy(chain, bare(waves(np.random.default_rng(5), chain, 401, np.array([1.0, 0.0]))), pairs=2)
    lost = {name for group in found.unknown for name in group}
    assert {"Ixx2", "Sx2", "Sy2"} <= lost
    assert np.isnan(found.values[[found.names.index(name) for name in lost]]).all()


def test_intervals_with_noisy_angles_cover_and_are_narrower_than_with_derived_accelerations() -> None:
    """1 % of noise on angles, no rates, no accelerations; 200 draws.

    Over 6 parameters and 200 draws coverage has a deviation of 0.6 % if they are independent: 95 +- 2 %.
    """
    chain = load_chain("configs/chains/planar_2r.yaml")
    rng = np.random.default_rng(11)
    clean = waves(rng, chain, 501)
    deviation = 0.01 * clean.q.std(axis=0)
    truth = base_parameters(chain).Y @ inertial_parameters(chain)
    covered, widths, errors = [], [], []
    for draw in range(80):
        q = clean.q + deviation * rng.normal(size=clean.q.shape)
        found = identify_by_energy(
            chain, Recording(clean.time_s, q, NONE, NONE, clean.force), window=15, pairs=6, seed=draw
        )
        covered.append(np.abs(found.values - truth) <= found.fit.half_width)
        widths.append(found.fit.half_width)
        errors.append(found.values - truth)
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)
    today = [by_forces(chain, clean, deviation, rng) for _ in range(10)]
    assert (np.mean(widths, axis=0) < np.mean([one.fit.half_width for one in today], axis=0)).all()
    # which are not even honest: derived accelerations of such angles are off by as much as they are
    assert np.mean([np.abs(one.values - truth) <= one.fit.half_width for one in today]) < 0.5
    spread = np.sqrt(np.mean([(one.values - truth) ** 2 for one in today], axis=0))
    assert (np.sqrt(np.mean(np.square(errors), axis=0)) < spread).all()


def by_forces(chain: ChainModel, clean: Recording, deviation: np.ndarray, rng: np.random.Generator) -> Any:
    """As `docksim identify` without --by energy: rates and accelerations derived over 15 samples."""
    q = clean.q + deviation * rng.normal(size=clean.q.shape)
    step, keep = clean.time_s[1], slice(7, -7)
    rates, accelerations = (savgol_filter(q, 15, 4, deriv=d, delta=step, axis=0)[keep] for d in (1, 2))
    return identify(chain, Recording(clean.time_s[keep], q[keep], rates, accelerations, clean.force[keep]))


def test_too_few_samples_are_refused() -> None:
    chain = load_chain("configs/chains/planar_2r.yaml")
    few = bare(waves(np.random.default_rng(0), chain, 12))
    with pytest.raises(ResultError, match="12 samples; telling their noise takes more than 15"):
        identify_by_energy(chain, few)
    with pytest.raises(ResultError, match="6 energies cannot give 6 figures; record more samples"):
        identify_by_energy(chain, dataclasses.replace(few, rates=NONE), window=7)
    with pytest.raises(
        ResultError, match="a window of 5 samples cannot tell noise from motion; an odd one from 7 on can"
    ):
        identify_by_energy(chain, few, window=5)


def test_file_without_rates_is_read_as_it_is(tmp_path: Any) -> None:
    chain = load_chain("configs/chains/planar_2r.yaml")
    clean = waves(np.random.default_rng(0), chain, 101)
    head = "time_s,link1.angle_rad,link2.angle_rad,link1.torque_Nm,link2.torque_Nm"
    table = np.column_stack([clean.time_s, clean.q, clean.force])
    np.savetxt(tmp_path / "angles.csv", table, delimiter=",", header=head, comments="")
    found = read_recording(tmp_path / "angles.csv", chain, derive=False)
    assert found.rates.shape == found.accelerations.shape == (101, 0)
    assert found.q == pytest.approx(clean.q)


def test_fit_of_levels_is_that_of_all_pairs_of_instants() -> None:
    chain = load_chain("configs/chains/planar_2r.yaml")
    clean = waves(np.random.default_rng(2), chain, 41)
    noisy = dataclasses.replace(
        bare(clean), force=clean.force + np.random.default_rng(3).normal(size=clean.force.shape)
    )
    h = energy_columns(chain, noisy.q, noisy.rates)[:, base_parameters(chain).columns]
    y = integral(noisy.time_s, (noisy.force * noisy.rates).sum(1))
    one, two = np.triu_indices(len(y), 1)
    pairs = fit((h[two] - h[one])[:, None], (y[two] - y[one])[:, None])
    found = identify_by_energy(chain, noisy, window=7, pairs=1)
    # but for the bias, which is taken off: a small part of an interval here
    assert (np.abs(found.values - pairs.values) < found.fit.half_width).all()
    levels = fit((h - h.mean(0))[:, None], (y - y.mean())[:, None])
    assert pairs.values == pytest.approx(levels.values, rel=1e-9)
