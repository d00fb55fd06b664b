"""Dockings in numbers: random approaches within a box are captured, and answers do not depend on the step."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.capture_statistics import BOXES, MEET_M, SYSTEMS, approaches, changes, run_cases
from benchmarks.contact_convergence import FINER, Told, converged, differences, find
from docksim.config import load_scenario
from docksim.config.loading.study import load_study
from docksim.config.schema.band_ends import at_end
from docksim.config.schema.bands import ENDS, End
from docksim.simulation.extremes import extremes_of
from docksim.simulation.run import new_run, simulate, to_the_end
from docksim.study.plan import Plan
from docksim.validation.bench import Bench
from docksim.validation.mating import BOX, mate
from docksim.validation.populations import _scaled, _slow, weak_pawls
from tests.support.shipped import SCENARIOS
from tests.system.test_docking import assert_hooks_reach


@pytest.mark.parametrize(("system", "box"), [("nds", "idss"), ("nds", "nds"), ("ibdm", "idss"), ("sxds", "fast")])
def test_random_approaches_within_the_box_are_captured(system: str, box: str) -> None:
    """At least 99 % are asked for; the sets of 300 are in docs/docking.md, and no case of this small one may miss."""
    boxes = {**BOXES, "fast": BOXES["idss"]._replace(closing_m_s=(0.06, 0.10))}
    runs = run_cases(system, list(approaches(boxes[box], 3, seed=7)))
    assert [run.outcome for run in runs] == ["captured"] * 3, [run.reason for run in runs]
    assert max(run.number("budget.residual_of_approach") for run in runs) < 1e-3


def test_passive_system_that_is_too_slow_rebounds_and_enough_thrust_mends_it() -> None:
    """Syromyatnikov: any speed will do if the thrust exceeds what tilts the ring; 300 N do not, here (docs)."""
    slow = list(approaches(BOXES["idss"]._replace(closing_m_s=(0.03, 0.03)), 1, seed=3, corners=True))
    missed = [run.outcome for run in run_cases("sxds", slow)]
    pushed = [run.outcome for run in run_cases("sxds", slow, thrust=400.0)]
    assert "captured" not in missed
    assert pushed == ["captured"]


def test_slow_passive_ring_is_captured_by_light_pawls_and_not_by_heavy_ones() -> None:
    """Of the dozens in docs/contact.md, the first at 0.05 m/s: pawls scaled to 20 and 100 N."""
    assert weak_pawls(Bench(), 1).passes
    assert _slow(Bench(), 1, _scaled(100.0)) == 0


@pytest.mark.parametrize("system", ["nds", "ibdm", "sxds", "apas"])
def test_dispersed_dockings_mate_within_the_play_of_their_pins(system: str) -> None:
    """The first six of the 300 of docs/validation.md, at the tolerance of fast studies; of those 93 % come to hooks."""
    answer = mate(system, Bench(), 6, set={"solver.tolerance": 1e-6})
    assert answer.passes, answer.ours
    assert answer.figures["hard_docked"] >= 5, answer.ours


@pytest.mark.parametrize(("system", "mass"), [("nds", 25.0), ("sxds", 6.0)])
def test_dispersed_light_and_heavy_chasers_dock_as_well(system: str, mass: float) -> None:
    """The second of the 300, which rolls most, with chasers far from the systems' own."""
    # a cylinder of the same size
    inertia = [mass / 12.5 * figure for figure in (25000.0, 80843.8, 80843.8)]
    change = {"chaser.mass_kg": 1e3 * mass, "chaser.inertia_kg_m2": inertia, "outputs.every_s": 0.02}
    base = str(SCENARIOS / f"dock_{system}.yaml")
    plan = Plan(load_study({"use": list(BOX), "base": base, "seed": 1, "set": change}, 2))
    assert_hooks_reach(simulate(plan.scenario(2)))


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("dock_nds", "high"),
        ("dock_nds_yaw", "middle"),
        ("dock_guide_guide", "middle"),
        ("dock_apas", "middle"),
    ],
)
def test_capture_and_first_impact_do_not_depend_on_the_step(name: str, end: End) -> None:
    """Against an eighth of the step, within 1 %: outcome, time from first contact to capture, first impact's loads.

    The stiffest contact, then each kind of first contact; of all dockings: python -m benchmarks.contact_convergence.
    """
    told = Told(end=end, after_s=0.0)
    coarse, fine = (find(SCENARIOS / f"{name}.yaml", finer, told) for finer in (1, FINER))
    assert converged(coarse, fine), differences(coarse, fine)


@pytest.fixture(scope="module")
def band_of_loads() -> dict[str, np.ndarray]:
    """Largest shear and largest lasting compression [N] of a dozen approaches, with soft, middle and stiff contact."""
    loads: dict[str, np.ndarray] = {name: np.zeros((3, 12)) for name in ("peak_shear_N", "sustained_compression_N")}
    over = [{"after": "attenuate", "delay_s": 0.3}]  # of these loads none is larger later
    for k, case in enumerate(approaches(BOXES["idss"], 12, seed=7)):
        told = changes({**case, "start_distance_m": MEET_M}, None, None)
        told["events.end_of_case"]["when"] = over
        scenario = load_scenario(SYSTEMS["nds"], told)
        for i, end in enumerate(ENDS):
            run = new_run(at_end(scenario, end))
            to_the_end(run)
            found = extremes_of(run.compiled)
            for name, values in loads.items():
                values[i, k] = found[f"dock.{name}"]
    return loads


def test_lasting_compression_is_the_same_over_the_band(band_of_loads: dict[str, np.ndarray]) -> None:
    """What lasts a tenth of a second is the mechanism's, not the contact's: 5 % on average, and in nine cases of ten;
    of a dozen three may be others, in one of forty dozens more are."""
    lasting = band_of_loads["sustained_compression_N"]
    means = lasting.mean(axis=1)
    assert np.ptp(means) < 0.05 * means[1], means
    assert np.sum(np.ptp(lasting, axis=0) < 0.05 * lasting[1]) >= 9


def test_shear_follows_the_stiffness_within_its_closed_form(band_of_loads: dict[str, np.ndarray]) -> None:
    """An impact of rigid bodies has v sqrt(k m), so the ends of the petals' band are sqrt(13) = 3.6 apart at most; the
    ring's ways through contact make it less. Asked of the 95 % quantile of a population are 2 to 4; the mean of a
    dozen, whose scatter is a tenth, must keep that too."""
    soft, _, stiff = band_of_loads["peak_shear_N"].mean(axis=1)
    assert 2.0 < stiff / soft < 4.0
