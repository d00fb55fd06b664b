"""Cases that differ in keys that can be patched: the same scenarios and tables as made anew, to the bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docksim.compiler import compile_scenario
from docksim.compiler.approach import Placement
from docksim.compiler.patching import fresh, patchable, patched
from docksim.config.errors import ScenarioError
from docksim.config.loading.study import load_study
from docksim.config.schema.band_ends import at_end
from docksim.simulation.run import Tables
from docksim.study.plan import Plan, _checked, laid_in

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ("idss_nds", "idss_ibdm", "idss_sxds", "idss_apas")
CASES = (1, 7, 23)


def plan_of(name: str) -> Plan:
    return Plan(load_study(ROOT / "studies" / f"{name}.yaml"))


@pytest.mark.parametrize("name", SHIPPED)
def test_patched_cases_are_those_made_anew(name: str) -> None:
    plan = plan_of(name)
    data = plan.loaded.data
    base = None
    for case in CASES:
        values = plan._values(case)
        for path, value in zip(plan.loaded.paths, values, strict=True):
            data = laid_in(data, path, value)
        anew = _checked(data, plan.loaded.file)
        assert plan._patched(data) is not None
        scenario = plan.scenario_of(values)
        assert scenario == anew
        assert scenario.to_yaml() == anew.to_yaml()
        found = Placement(0.2, 0.3 + 0.01 * case)
        wanted = compile_scenario(anew, found)
        base = base or replace(wanted, state=fresh(wanted.state))
        assert patchable(base.scenario, scenario)
        assert_same_bits(patched(base, scenario, found), wanted)
        # a run leaves nothing behind in the base
        assert_same_bits(patched(base, scenario, found), wanted)


def assert_same_bits(one, other) -> None:
    for mine, theirs in ((one.model, other.model), (one.state, other.state)):
        for name in mine._fields:
            a, b = getattr(mine, name), getattr(theirs, name)
            assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape), name
            assert a.tobytes() == b.tobytes(), name
    assert one.phases == other.phases
    assert [part.start for part in one.assembly.joints] == [part.start for part in other.assembly.joints]


def test_other_keys_are_not_patched() -> None:
    plan = plan_of("idss_nds")
    scenario = plan.scenario_of(plan._values(1))
    chaser = scenario.vehicles["chaser"]
    heavier = chaser.model_copy(update={"mass_kg": chaser.mass_kg + 1.0})
    other = scenario.model_copy(update={"vehicles": {**scenario.vehicles, "chaser": heavier}})
    assert not patchable(scenario, other)
    assert not patchable(scenario, at_end(scenario, "high"))
    assert not patchable(0.0, -0.0)


def test_a_study_of_another_key_reads_every_case_whole() -> None:
    plan = plan_of("mass_properties")
    assert plan._varied == {}
    assert plan.scenario_of(plan._values(1)) != plan.scenario_of(plan._values(2))


def test_what_is_wrong_with_a_patched_case_is_said_as_of_a_whole_one() -> None:
    plan = plan_of("idss_nds")
    values = plan._values(1)
    values[plan.keys.index("approach.closing_rate_m_s")] = -0.1
    with pytest.raises(ScenarioError, match="closing_rate_m_s"):
        plan.scenario_of(values)
    values[plan.keys.index("approach.closing_rate_m_s")] = np.inf
    with pytest.raises(ScenarioError, match="closing_rate_m_s"):
        plan.scenario_of(values)


def test_few_tables_are_kept() -> None:
    plan = plan_of("nds_box_10t")
    scenario = plan.scenario_of(plan._values(1))
    tables = Tables()
    for step in (1e-3, 2e-3, 2.5e-3, 4e-3, 5e-3, 1e-3):
        approach = scenario.approach.model_copy(update={"holds_at": "distance", "distance_m": 0.3})
        solver = scenario.solver.model_copy(update={"step_s": step})
        made = tables.at_the_start(scenario.model_copy(update={"approach": approach, "solver": solver}))
        assert made.model.settings[0].step == step
    assert len(tables.kept) == 4
