"""One judge for all kinds of runs: budgets that do not close, in minimal cases that used to pass for results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.compiler import compile_scenario
from docksim.config import ScenarioError, load_scenario
from docksim.linear.tree import linearize_scenario
from docksim.simulation.run import new_run, run_on
from docksim.simulation.stability import Start, System, stiff_parts
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import load_table
from tests.physics.test_retraction import scenario as retracting
from tests.support.contact_rigs import IDSS, ball, pair, port
from tests.support.docks import dock
from tests.support.rigs import Keys, body, lone, rig, scenario
from tests.support.shipped import SCENARIOS
from tests.support.studies import ROOT, brick_plan

NDS = str(ROOT / "scenarios" / "dock_nds.yaml")
# too long for the stiff end of the band
COARSE = {
    "solver.step_s": 0.005, "contacts.dock.substeps": 1, "solver.duration_s": 8.0,
    "chaser.mechanism.ports.face.interface.contact.band": {"petals": 6.5e6, "faces": 2.0e7},
}  # fmt: skip
WHEEL = {"spin_inertia_kg_m2": 0.5, "mass_kg": 0.01, "torque_limit_Nm": 1.0, "speed_rpm": 3000.0}
WHEELS = {"x": {**WHEEL, "axis": [1, 0, 0]}, "y": {**WHEEL, "axis": [0, 1, 0]}, "z": {**WHEEL, "axis": [0, 0, 1]}}
FAR = {"position_m": [0.0, 500.0, 0.0], "velocity_m_s": [0.0, 10.0, 0.0]}


def spheres(step: float, law: Keys | None = None) -> Keys:
    """Two of 100 kg and a radius of 1 m meet at 1 m/s on 1e6 N/m, without loss unless the law has one."""
    face = port(ball(1.0, {"stiffness_N_m": 1e6, "friction": 0.0, **(law or {"damping_s_m": 0.0})}))
    a, b = (lone(100.0, 40.0, ports=face, velocity_m_s=[speed, 0.0, 0.0]) for speed in (0.5, -0.5))
    return pair(a, b | {"position_m": [2.051, 0.0, 0.0]}, 0.4, step)


def spring(step: float, integrator: str = "rk4", stiffness: float = 12500.0, damping: float = 0.0) -> Keys:
    """5 kg, 0.1 m off its rest, on an anchored base."""
    joint = {"type": "prismatic", "axis": [1, 0, 0], "travel_m": 0.1}
    joint |= {"stiffness_N_m": stiffness, "damping_Ns_m": damping}
    return scenario(rig({"m": body(5.0, 0.1, joint)}), 3.0, step, integrator=integrator)


def stiff_damper() -> Keys:
    """A damper just beyond the limit of rk4 at this step."""
    joint = {"type": "revolute", "axis": [0, 0, 1], "rate_deg_s": 1.0, "damping_Nms_rad": 130.0}
    return scenario({"a": lone(1.0, 1.0, bodies={"b": body(1.0, 0.1, joint)})}, 0.3, 0.002)


def pressed() -> Keys:
    """Two of a tonne that have met softly; then one is pushed against the other with 200 kN."""
    idss = {"use": str(IDSS)}
    a = lone(1000.0, 500.0, ports=port(idss, position_m=[1.0, 0.0, 0.0]))
    b = lone(1000.0, 500.0, ports=port(idss, position_m=[1.0, 0.0, 0.0]))
    b["loads"] = {"push": {"force_N": [200e3, 0.0, 0.0], "start_s": 1.0, "end_s": 1.1}}
    approach = {"active": "b.dock", "passive": "a.dock", "distance_m": 0.15, "closing_rate_m_s": 0.2}
    return pair(a, b, 1.1, 0.001, approach=approach)


@pytest.mark.parametrize(
    "keys",
    [spheres(0.005), spheres(0.01), spheres(0.02), spring(0.02), spring(0.03), spring(0.04), spring(0.06),
     spring(0.041, "semi_implicit_euler"), spring(0.002, "semi_implicit_euler", 100.0, 6000.0), stiff_damper(),
     pressed()],
    ids=["spheres 5 ms", "spheres 10 ms", "spheres 20 ms", "spring 20 ms", "spring 30 ms", "spring 40 ms",
         "spring 60 ms", "spring of Euler", "damper of Euler", "damper", "pressed"],
)  # fmt: skip
def test_run_that_blows_up_or_dies_away_is_no_result(keys: Keys) -> None:
    result = docksim.run(keys)
    assert result.outcome in ("inaccurate", "diverged"), result.metrics["energy.residual_of_exchanged"]
    assert "step_s" in result.reason


@pytest.mark.parametrize("keys", [spheres(0.0002), spring(0.001)], ids=["spheres", "spring"])
def test_the_same_with_a_fine_step_is_accurate(keys: Keys) -> None:
    result = docksim.run(keys)
    assert (result.outcome, result.reason, result.warnings) == ("completed", "", [])


@pytest.mark.parametrize(
    "more",
    [{}, {"chaser.wheels": WHEELS}, {"vehicles.far": {**lone(1000.0, 500.0), **FAR}},
     {"environment": {"kind": "clohessy_wiltshire", "altitude_km": 400.0}}],
    ids=["alone", "wheels", "another vehicle", "orbit"],
)  # fmt: skip
def test_docking_with_too_long_a_step_is_inaccurate_whatever_else_moves(more: Keys) -> None:
    result = docksim.run(NDS, overrides={**COARSE, **more})
    assert result.outcome == "inaccurate"
    assert f"open by {result.metrics['energy.residual_J']:.3g} J" in result.reason
    assert f"of {result.metrics['energy.exchanged_J']:.3g} J exchanged" in result.reason
    assert "it would have been 'captured'" in result.reason
    assert result.metrics["energy.exchanged_J"] < 100.0


def test_doubtful_run_ends_as_it_ended_with_a_warning_everywhere(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("doubtful.yaml").write_text(yaml.safe_dump(spring(0.004)))
    done = CliRunner().invoke(main, ["run", "doubtful.yaml", "--json", "--no-plots"])
    [run] = json.loads(done.stdout)["runs"]
    assert (done.exit_code, run["outcome"]) == (0, "completed")
    assert 5e-4 < run["metrics"]["energy.residual_of_exchanged"] < 5e-3
    [warning] = run["warnings"]
    assert "more than 0.0005 of it; try a smaller step_s" in warning
    assert docksim.Result.load(run["folder"]).warnings == [warning]
    assert "energy budget open" in CliRunner().invoke(main, ["run", "doubtful.yaml", "--no-plots"]).stdout
    CliRunner().invoke(main, ["report", run["folder"], "--out", "page.html", "--what", "energy"])
    assert "energy budget open" in Path("page.html").read_text()


def test_inaccurate_run_ends_with_exit_code_one_and_is_counted(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text(yaml.safe_dump(spring(0.03)))
    Path("good.yaml").write_text(yaml.safe_dump(spring(0.001)))
    done = CliRunner().invoke(main, ["run", "bad.yaml", "good.yaml", "--no-plots"])
    assert done.exit_code == 1
    assert "1 inaccurate, 1 completed" in done.stdout


def test_motion_from_outside_is_not_judged_but_told() -> None:
    run = new_run(load_scenario(spring(0.03)))
    run.driven = lambda: True
    result = run_on(run)
    assert result.outcome == "completed"
    assert "motion came from outside" in result.warnings[0]
    assert "step_s" not in result.warnings[0]


def test_base_taken_as_inertial_is_not_judged_but_told() -> None:
    keys = retracting("UPS", {"base_travel_axial_m": -0.1}, 1.0, rate_deg_s=[8.0, -12.0, 10.0])
    keys["vehicles"]["v"]["mechanism"]["inertial_base"] = True
    result = docksim.run(keys)
    assert result.outcome == "completed"
    assert "taken as inertial" in result.warnings[0]


def test_interrupted_run_stays_interrupted_with_a_warning() -> None:
    run = new_run(load_scenario(spring(0.03)))
    run.advance(60)
    result = run.result(("interrupted", "stopped by the user"))
    assert result.outcome == "interrupted"
    assert "energy budget open" in result.warnings[0]


def test_inaccurate_cases_of_a_study_are_counted_apart_and_never_successful(tmp_path: Path) -> None:
    rates = [{"key": "approach.closing_rate_m_s", "values": [0.06, 0.08, 0.1, 0.12]}]
    plan = brick_plan(
        tmp_path, base=NDS, set=COARSE, grid=rates, dispersions=None, cases=None, seed=None,
        success=[{"event": "captured"}], metrics=["dock.peak_*", "budget.*"], limits={"dock.peak_compression_N": 1e4},
    )  # fmt: skip
    table = load_table(run_study(plan, tmp_path)[1])
    assert list(table.outcome) == ["inaccurate"] * 4
    assert not table.success.any()
    found = summarize_study(table)
    assert found.outcomes == {"inaccurate": 4}
    assert any(note.startswith("4 cases inaccurate") for note in found.notes)
    assert not found.metrics


def test_metric_of_old_is_refused_with_its_new_name(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"'budget\.kinetic_left_J' is no more: 'budget\.left_J'"):
        brick_plan(tmp_path, metrics=["budget.kinetic_left_J"])


# ---------------------------------------------------------------- check


def checked(folder: Path, keys: Keys) -> tuple[int, str]:
    file = folder / "stiff.yaml"
    file.write_text(yaml.safe_dump(keys, sort_keys=False))
    done = CliRunner().invoke(main, ["check", str(file)])
    return done.exit_code, done.output


def test_check_names_the_joint_that_the_step_is_too_long_for(tmp_path: Path) -> None:
    code, text = checked(tmp_path, stiff_damper())
    assert code == 1
    # 130 N m s on 0.1 and 1 kg m2 in series: 1430 1/s; the limit is 2.785 of it
    assert "stiff.yaml:20: vehicles.a.bodies.b.joint: too stiff for step_s: 0.002 with rk4: joint 'a.b'" in text
    assert "decays at 1430 1/s" in text
    assert "take step_s: 0.0019 or less, or integrator: linearly_implicit" in text
    keys = stiff_damper()
    keys["solver"]["step_s"] = keys["outputs"]["every_s"] = 0.0015
    assert checked(tmp_path, keys) == (0, f"{tmp_path / 'stiff.yaml'}: ok\n")
    keys = stiff_damper()
    keys["solver"]["integrator"] = "linearly_implicit"
    assert checked(tmp_path, keys)[0] == 0


@pytest.mark.parametrize(("integrator", "limit"), [("rk4", 2.8284), ("semi_implicit_euler", 2.0)])
def test_check_knows_where_an_undamped_spring_becomes_unstable(tmp_path: Path, integrator: str, limit: float) -> None:
    # 50 rad/s
    assert checked(tmp_path, spring(0.97 * limit / 50.0, integrator))[0] == 0
    code, text = checked(tmp_path, spring(1.03 * limit / 50.0, integrator))
    assert code == 1
    assert "joint 'rig.m' swings at 50 rad/s" in text


def test_check_warns_of_stops_friction_and_contacts_that_are_not_resolved(tmp_path: Path) -> None:
    keys = spring(0.01)
    keys["vehicles"]["rig"]["bodies"]["m"]["joint"] |= {"upper_m": 0.2, "stop_stiffness_N_m": 1e7}
    code, text = checked(tmp_path, keys)
    assert (code, "once its stop is met" in text, text.endswith(": ok\n")) == (0, True, True)
    keys = spring(0.01)
    keys["vehicles"]["rig"]["bodies"]["m"]["joint"] |= {"friction_N": 10.0, "presliding_m": 1e-6}
    code, text = checked(tmp_path, keys)
    assert (code, "while its friction sticks" in text) == (0, True)
    code, text = checked(tmp_path, spheres(0.005))
    assert code == 0
    assert "contacts.hit.substeps: warning: a contact of 1e+06 N/m on 50 kg swings in 0.0444 s, 8.9 steps" in text
    assert "take step_s: 0.0037 or less, or substeps: 2" in text
    assert checked(tmp_path, spheres(0.0037))[1].endswith(": ok\n")
    # unloading, 1 / 0.5^2 as stiff, swings in half the time
    code, text = checked(tmp_path, spheres(0.0037, {"law": "walton_braun", "restitution": 0.5}))
    assert "a contact that unloads with 4e+06 N/m on 50 kg swings in 0.0222 s, 6 steps of 0.0037 s" in text
    assert "take step_s: 0.0019 or less, or substeps: 2" in text


def test_check_warns_where_dampers_of_contact_outweigh_its_springs(tmp_path: Path) -> None:
    def contact(**law: object) -> Keys:
        keys = dock(contacts__dock__contact={"stiffness_N_m": 1e6, **law}, solver__step_s=1e-4)
        keys["approach"]["closing_rate_m_s"] = 0.08
        return keys

    # at c v = 1 the rebound is 0.43
    code, text = checked(tmp_path, contact(damping_s_m=30.0))
    assert code == 0
    assert "stiff.yaml:" in text
    assert "contacts.dock: warning: damping factor c = 30 s/m at an impact speed v = 0.08 m/s: c v = 2.4 is" in text
    assert "0.36 of the speed is left; take law: walton_braun with restitution, or damping_s_m below 12.5" in text
    for quiet in ({"damping_s_m": 12.0}, {"law": "walton_braun", "restitution": 0.3}):
        assert "c v" not in checked(tmp_path, contact(**quiet))[1]


def test_stiffness_that_check_sees_is_that_of_the_linear_model() -> None:
    # springs and dampers of six legs under a ring, and of two beams
    wanted = load_scenario(ROOT / "scenarios" / "soft_capture.yaml")
    compiled = compile_scenario(wanted)
    stiffs, G = stiff_parts(compiled, Start(compiled))
    K, C = (np.array([getattr(stiff, name) for stiff in stiffs]) for name in ("stiffness", "damping"))
    system = System(compiled, G, np.array([stiff.joint for stiff in stiffs]))
    ours = np.sort(np.abs(np.linalg.eigvals(system.rates(K, C))))[::-1][:20]
    theirs = np.sort(np.abs(np.linalg.eigvals(linearize_scenario(wanted).A)))[::-1][:20]
    assert ours == pytest.approx(theirs, rel=1e-6)


def test_check_has_nothing_to_say_of_shipped_scenarios() -> None:
    files = sorted(map(str, SCENARIOS.glob("*.yaml")))
    done = CliRunner().invoke(main, ["check", *files])
    assert done.exit_code == 0
    assert "too stiff" not in done.output
    assert "a contact " not in done.output
    assert "c v" not in done.output
    assert all(f"{file}: ok\n" in done.output for file in files)
