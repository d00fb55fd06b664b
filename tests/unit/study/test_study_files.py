"""Study files: what is wrong with one is told with file, line and a suggestion; what is right makes the right cases."""

import copy
import itertools
import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import ScenarioError, load_scenario
from docksim.study.plan import load_plan
from tests.support.studies import BRICK, ROOT, brick_plan, study_file

MASS, RATE, DISC = BRICK["dispersions"]


def refused(folder: Path, **changes: object) -> str:
    with pytest.raises(ScenarioError) as caught:
        load_plan(study_file(folder, **changes))
    return str(caught.value)


def test_dispersion_on_a_key_that_does_not_exist_fails_in_check_with_line_and_suggestion(tmp_path: Path) -> None:
    file = study_file(tmp_path, dispersions=[RATE, {**MASS, "key": "brick.mas_kg"}])
    line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "mas_kg" in text)
    done = CliRunner().invoke(main, ["check", str(file)])
    assert done.exit_code == 1
    assert f"{file}:{line}: vehicles.brick.mas_kg: unknown key; did you mean 'mass_kg'?" in done.output


DOUBT = {"type": "discrete", "key": "brick.mass_kg", "values": [1.0], "weights": [1.0, 2.0]}
PAIR = ["brick.mass_kg", "brick.rate_deg_s.0"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dispersions": [{**MASS, "key": "brik.mass_kg"}]}, "did you mean 'brick'?"),
        ({"dispersions": [{**RATE, "key": "brick.rate_deg_s.3"}]}, "a list of 3"),
        ({"dispersions": [{**MASS, "key": "brick.rate_deg_s"}]}, "expected a list of 3 numbers"),
        ({"dispersions": [{**MASS, "sigma": -1.0}]}, "must be greater than 0"),
        ({"dispersions": [{**RATE, "high": -6.0}]}, "must be greater than low"),
        ({"dispersions": [{**MASS, "type": "gauss"}]}, "is not known; choose one of normal"),
        ({"dispersions": [MASS, MASS]}, "varies twice"),
        ({"dispersions": [{**DISC, "keys": ["brick.mass_kg"]}]}, "has 1 of the 2 needed"),
        ({"dispersions": [DOUBT]}, "2 numbers"),
        ({"dispersions": [{"type": "discrete", "key": "solver.integrator", "values": ["rk5"]}]}, "did you mean 'rk4'?"),
        ({"dispersions": [{**MASS, "sigma": 1e9}]}, "is no valid scenario"),
        ({"grid": [{"key": "brick.mass_kg", "values": [1.0]}]}, "exactly one of dispersions, grid, sweep"),
        ({"dispersions": None}, "exactly one of dispersions, grid, sweep"),
        ({"cases": None}, "missing; add the key 'cases'"),
        ({"cases": 0}, "at least 1"),
        ({"base": "scenarios/tumbling_brik.yaml"}, "did you mean 'scenarios/tumbling_brick.yaml'?"),
        ({"base": "../../../etc/passwd"}, "outside the tree"),
        ({"set": {"solver.stepp_s": 0.1}}, "did you mean 'step_s'?"),
        ({"sampling": "sobol"}, "not a power of 2; try 32"),
        ({"sampling": "latin_hypercube", "cases": 23}, "must be a multiple of replicates"),
        ({"success": [{"event": "capture"}]}, "no event 'capture'"),
        ({"success": [{"metric": "energy.residual_J"}]}, "needs below or above"),
        ({"success": [{"event": "a", "metric": "b"}]}, "together"),
        ({"histories": "most"}, "choose one of none, all, every, worst"),
        ({"histories": {"keep": "every"}}, "needs a count"),
        ({"correlations": [{"keys": ["brick.mass_kg", "brick.x"], "coefficient": 0.5}]}, "not dispersed by itself"),
        ({"correlations": [{"keys": PAIR, "matrix": [[1.0, 0.5], [0.4, 1.0]]}]}, "symmetric"),
        ({"correlations": [{"keys": PAIR, "coefficient": 1.0}]}, "less than 1"),
        ({"seeds": 3}, "did you mean 'seed'?"),
        ({"dispersions": [MASS, {**MASS, "key": "vehicles.brick.mass_kg"}]}, "is the same as 'brick.mass_kg'"),
        ({"dispersions": [{**MASS, "key": "brick..mass_kg"}]}, "not a dotted path"),
        ({"dispersions": [{**MASS, "mean": 1e308, "sigma": 1e308}]}, "must be at most 1e+15"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_fault_is_named(tmp_path: Path, changes: dict[str, object], words: str) -> None:
    text = refused(tmp_path, **changes)
    assert words in text
    assert "brick.yaml" in text


def test_correlation_matrix_that_nothing_can_have_is_refused(tmp_path: Path) -> None:
    keys = ["brick.mass_kg", "brick.rate_deg_s.0", "brick.rate_deg_s.1"]
    items = [{"type": "uniform", "key": key, "low": 1.0, "high": 2.0} for key in keys]
    matrix = [[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]
    assert "positive definite" in refused(tmp_path, dispersions=items, correlations=[{"keys": keys, "matrix": matrix}])


def test_case_is_what_the_same_values_as_overrides_give(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path)
    for case in (1, 2, 24):
        overrides = {**BRICK["set"], **dict(zip(plan.keys, plan.values(case), strict=True))}
        assert plan.scenario(case) == load_scenario(ROOT / BRICK["base"], overrides)


def test_key_that_the_base_leaves_to_its_default_can_vary(tmp_path: Path) -> None:
    # the brick's file says nothing of a velocity
    assert "velocity" not in (ROOT / BRICK["base"]).read_text()
    velocities = [brick_plan(tmp_path).scenario(case).vehicles["brick"].velocity_m_s for case in range(1, 25)]
    assert len(set(velocities)) == 24
    assert all(v[0] == 0.0 and 0.0 < v[1] ** 2 + v[2] ** 2 <= 0.1**2 for v in velocities)


def test_grid_runs_all_combinations_the_last_axis_fastest(tmp_path: Path) -> None:
    axes = [
        {"key": "brick.mass_kg", "values": [1.0, 2.0]},
        {"key": "brick.rate_deg_s.0", "values": {"from": 0.0, "to": 1.0, "count": 3}},
    ]
    plan = brick_plan(tmp_path, dispersions=None, cases=None, grid=axes)
    found = [tuple(plan.values(case)) for case in range(1, plan.cases + 1)]
    assert found == list(itertools.product([1.0, 2.0], [0.0, 0.5, 1.0]))
    with pytest.raises(ScenarioError, match="cases 1 to 6, no case 7"):
        plan.values(7)


def test_sweep_varies_one_key_at_a_time_after_the_base_itself(tmp_path: Path) -> None:
    axes = [{"key": "brick.mass_kg", "values": [1.0, 2.0]}, {"key": "brick.rate_deg_s.0", "values": [9.0]}]
    plan = brick_plan(tmp_path, dispersions=None, cases=None, sweep=axes)
    mass, rate = plan.loaded.nominal
    assert [plan.values(case) for case in range(1, plan.cases + 1)] == [
        [mass, rate], [1.0, rate], [2.0, rate], [mass, 9.0],
    ]  # fmt: skip
    base = load_scenario(ROOT / BRICK["base"], BRICK["set"])
    assert plan.scenario(1) == base


def test_case_of_a_random_study_does_not_depend_on_how_many_there_are(tmp_path: Path) -> None:
    file = study_file(tmp_path)
    assert load_plan(file, 5).values(3) == load_plan(file, 5000).values(3) == load_plan(file, 5).values(3)


ODD = [None, True, -1, 0, 1e308, -1e308, 2**70, "", "x", "a.b", [], [1.0], {}, {"a": 1}, "brick.mass_kg", ["brick"] * 3]


def test_whatever_stands_in_a_study_is_accepted_or_refused_by_name(tmp_path: Path) -> None:
    rng = random.Random(3)
    refusals: list[int] = []
    for _ in range(150):
        content = copy.deepcopy(BRICK)
        content["correlations"] = [{"keys": PAIR, "coefficient": 0.3}]
        places = [(content, key) for key in content] + [(item, key) for item in content["dispersions"] for key in item]
        places += [(content["correlations"][0], key) for key in ("keys", "coefficient")] + [(content["set"], "seed")]
        owner, key = rng.choice(places)
        owner[key] = rng.choice(ODD)
        try:
            load_plan(study_file(tmp_path, **{"correlations": None, **content}))
        except ScenarioError as error:
            refusals.append(min(len(problem.message) for problem in error.problems))
    # most odd values are wrong wherever they stand, and none is refused without a word
    assert len(refusals) > 75
    assert min(refusals) > 5


@pytest.mark.parametrize("sampling", ["latin_hypercube", "sobol"])
def test_number_of_cases_of_a_design_is_that_of_its_file(tmp_path: Path, sampling: str) -> None:
    # else case 5 of the file and case 5 of the table would not be the same
    file = study_file(tmp_path, sampling=sampling, cases=32)
    assert load_plan(file).cases == 32
    with pytest.raises(ScenarioError, match="laid out for its number of cases"):
        load_plan(file, 64)


def test_editors_get_the_schema_of_study_files() -> None:
    done = CliRunner().invoke(main, ["schema", "--study"])
    found = json.loads(done.stdout)
    assert {"base", "dispersions", "grid", "sweep", "success", "use"} <= set(found["properties"])
    kinds = [part["$ref"].rpartition("/")[2] for part in found["properties"]["dispersions"]["items"]["anyOf"]]
    assert kinds == ["Normal", "TruncatedNormal", "Uniform", "LogNormal", "Discrete", "Disc", "Cone"]
