"""docksim linearize, identify, chain constrain, chain program: what a user types, gets, and is told."""

import json

import numpy as np
import pytest

from docksim.chain import load_chain
from docksim.chain.identification.excite import excitation
from docksim.chain.motion.files import state_columns, write_columns
from tests.support.commands import call

PENDULUM = "configs/chains/planar_2r.yaml"


def clean(result):
    """No traceback, whatever the outcome."""
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


# ---------------------------------------------------------------- linearize


def test_linear_model_of_a_chain_is_written_and_shown(tmp_path):
    result = clean(call("linearize", PENDULUM, "--at", "link1.angle_deg=-90", "--out", tmp_path))
    assert result.exit_code == 0
    assert "0.4266 Hz" in result.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"model.npz", "model.mat", "modes.png"}


def test_modes_as_json(tmp_path):
    words = ("--at", "link1.angle_deg=-90", "--out", tmp_path, "--json", "--no-figures")
    content = json.loads(clean(call("linearize", PENDULUM, *words)).stdout)
    assert [mode["kind"] for mode in content["modes"]] == ["oscillation", "oscillation"]
    # both rods hang straight down: no drive has to hold anything
    assert content["operating_point"]["link1.torque_Nm"] == pytest.approx(0.0, abs=1e-12)


def test_models_along_a_program_and_along_a_recording(tmp_path):
    words = ("--samples", 4, "--out", tmp_path)
    first = clean(call("linearize", PENDULUM, "--along", "configs/tasks/overdetermined.yaml", *words))
    assert first.exit_code == 0, first.output
    with np.load(tmp_path / "series.npz", allow_pickle=False) as series:
        assert series["A"].shape == (4, 4, 4)
        assert series["time_s"][-1] == 6.0
    assert (tmp_path / "along.png").exists()
    chain = load_chain(PENDULUM)
    time = np.linspace(0.0, 1.0, 30)
    zero = np.zeros((30, 2))
    file = write_columns(state_columns(chain, time, zero, zero, zero, zero), tmp_path, "rest")[0]
    second = clean(call("linearize", PENDULUM, "--along", file, "--no-figures", *words))
    assert second.exit_code == 0
    with np.load(tmp_path / "series.npz", allow_pickle=False) as series:
        assert np.array_equal(series["A"][0], series["A"][3])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((PENDULUM, "--at", "5"), 2, "expected LINK.QUANTITY=VALUE"),
        ((PENDULUM, "--set", "a=1"), 2, "--set goes with a scenario"),
        ((PENDULUM, "--along", "none.yaml"), 1, "none.yaml: is no task of a chain"),
        ((PENDULUM, "--along", "configs/tasks/puma_guided.yaml"), 1, "a task of another chain"),
        ((PENDULUM, "--along", "configs/tasks/puma_circle.yaml"), 1, "a task of another chain"),
        (("nothing.yaml",), 1, "nothing.yaml: file not found"),
        (("scenarios/tumbling_brick.yaml", "--at", "soon"), 2, "'soon' is no time in seconds"),
        (("scenarios/tumbling_brick.yaml", "--along", "x.csv"), 2, "--along goes with a chain"),
    ],
)
def test_linearize_tells_what_is_wrong(words, code, message, tmp_path):
    result = clean(call("linearize", *words, "--out", tmp_path))
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- identify


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Data of the double pendulum on a short search's motion, with noise."""
    chain = load_chain(PENDULUM)
    found = excitation(chain, samples=200, rounds=1)
    force = found.force + np.random.default_rng(0).normal(size=found.force.shape) * [0.05, 0.02]
    columns = state_columns(chain, found.time_s, found.q, found.rates, found.accelerations, force)
    return write_columns(columns, tmp_path_factory.mktemp("data"), "measured")[0]


def test_identified_parameters_are_shown_and_written(measured, tmp_path):
    result = clean(call("identify", PENDULUM, measured, "--consistent", "--out", tmp_path))
    assert result.exit_code == 0, result.output
    assert "Ixx1" in result.stdout
    assert "consistent" in result.stdout
    content = json.loads((tmp_path / "parameters.json").read_text())
    for parameter in content["parameters"]:
        # two half widths are four standard errors
        assert abs(parameter["value"] - parameter["in_file"]) <= 2 * parameter["half_width"]
    assert {path.name for path in tmp_path.iterdir()} == {"parameters.json", "identification.npz", "forces.png"}


def test_angles_alone_are_enough_by_energy(tmp_path):
    chain = load_chain(PENDULUM)
    found = excitation(chain, samples=400, rounds=0)
    rng = np.random.default_rng(0)
    columns = state_columns(chain, found.time_s, found.q, found.rates, found.accelerations, found.force)
    angles = {name: column for name, column in columns.items() if "rate" not in name and "acceleration" not in name}
    angles |= {name: angles[name] + 0.02 * rng.normal(size=400) for name in angles if name.endswith("angle_deg")}
    file = write_columns(angles, tmp_path, "angles")[0]
    result = clean(call("identify", PENDULUM, file, "--by", "energy", "--consistent", "--out", tmp_path / "found"))
    assert result.exit_code == 0, result.output
    assert "noise of energy" in result.stdout
    assert "rates derived from the coordinates over 15 samples" in result.stderr
    content = json.loads((tmp_path / "found" / "parameters.json").read_text())
    assert content["by"] == "energy"
    for parameter in content["parameters"]:
        # two half widths are four standard errors
        assert abs(parameter["value"] - parameter["in_file"]) <= 2 * parameter["half_width"]
    assert (tmp_path / "found" / "energy.png").exists()
    words = ("--by", "energy", "--window", 31, "--no-figures", "--out", tmp_path / "wide")
    wide = clean(call("identify", PENDULUM, file, *words))
    assert "the window smooths rates by more than noise disturbs them" in " ".join(wide.stderr.split())


def test_what_cannot_be_told_is_named_and_the_rest_is_given(tmp_path):
    chain = load_chain(PENDULUM)
    time = np.linspace(0.0, 1.0, 60)
    q = np.stack([np.sin(5 * time), np.cos(4 * time)], 1)
    zero = 0 * q
    file = write_columns(state_columns(chain, time, q, zero, zero, np.cos(q)), tmp_path, "slow")[0]
    result = clean(call("identify", PENDULUM, file, "--no-figures", "--out", tmp_path))
    assert result.exit_code == 1
    assert "Ixx2 cannot be told from this data" in result.stderr
    assert (tmp_path / "parameters.json").exists()
    assert "Sx2" in result.stdout


def test_excitation_is_written_as_a_recording(tmp_path):
    words = ("--excite", "--rounds", 1, "--rate", 20, "--out", tmp_path)
    result = clean(call("identify", PENDULUM, *words))
    assert result.exit_code == 0, result.output
    assert "random motions have" in result.stdout
    header = (tmp_path / "excitation.csv").read_text().splitlines()[0]
    assert header.startswith("time_s,link1.angle_deg,link2.angle_deg,link1.rate_deg_s")
    # what is written can be read: perfect data of the file's own masses
    again = clean(call("identify", PENDULUM, tmp_path / "excitation.csv", "--no-figures", "--out", tmp_path))
    assert again.exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((PENDULUM,), 2, "give DATA, or --excite"),
        ((PENDULUM, "x.csv", "--excite"), 2, "one of them"),
        ((PENDULUM, "x.csv"), 1, "x.csv: file not found"),
        ((PENDULUM, "x.csv", "--window", 6), 2, "must be odd"),
        ((PENDULUM, "x.csv", "--by", "momentum"), 2, "'momentum' is not one of 'forces', 'energy'"),
        (("x.yaml", "x.csv"), 1, "x.yaml: file not found"),
    ],
)
def test_identify_tells_what_is_wrong(words, code, message):
    result = clean(call("identify", *words))
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split())


# ---------------------------------------------------------------- tasks


def test_constrained_motion_is_written_with_its_reactions(tmp_path):
    file = tmp_path / "short.yaml"
    file.write_text(
        f"chain: {PENDULUM}\nduration_s: 0.5\noutput_s: 0.1\ninitial: {{link1: {{angle_deg: -40}}}}\n"
        "constraint: {type: distance, name: rod, from_m: [1.5, 0.2, 0.0]}\n"
    )
    result = clean(call("chain", "constrain", file, "--out", tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert "rod" in result.stdout
    with np.load(tmp_path / "out" / "motion.npz", allow_pickle=False) as motion:
        assert len(motion["time_s"]) == 6
        assert {"reaction.rod_N", "error.rod_m", "link1.reaction_Nm", "tool.x_m", "energy_J"} <= set(motion.files)
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {"joints.png", "energy.png", "constraint.png"}


def test_program_is_run_and_shown(tmp_path):
    result = clean(call("chain", "program", "configs/tasks/overdetermined.yaml", "--json", "--out", tmp_path))
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert content["outcome"] == "completed"
    assert set(content["last_error"]) == {"tip.x", "tip.y", "gear"}
    assert (tmp_path / "program.png").exists()


def test_free_motion_under_a_load_is_written_with_its_budget(tmp_path):
    file = tmp_path / "short.yaml"
    file.write_text(
        f"chain: {PENDULUM}\nduration_s: 0.3\noutput_s: 0.1\n"
        "loads: {link: link2, force_N: [3.0, 0.0, 0.0]}\ndrives: {link1: {torque_Nm: 4.0}}\n"
    )
    result = clean(call("chain", "simulate", file, "--method", "recurrent", "--out", tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert "the budget closes to" in result.stdout
    with np.load(tmp_path / "out" / "motion.npz", allow_pickle=False) as motion:
        assert {"link1.torque_Nm", "tool.x_m", "work.loads_J", "energy_residual_J"} <= set(motion.files)
        assert motion["work.drives_J"][-1] != 0.0
        assert np.abs(motion["energy_residual_J"]).max() < 1e-8
    assert {path.name for path in (tmp_path / "out").glob("*.png")} == {"joints.png", "energy.png"}
    content = json.loads(clean(call("chain", "simulate", file, "--json", "--no-figures", "--out", tmp_path)).stdout)
    assert content["energy_change_J"] == pytest.approx(sum(content["work_J"].values()), abs=1e-8)
    wrong = clean(call("chain", "simulate", file, "--method", "lagrange"))
    assert wrong.exit_code == 2
    assert "'kane', 'recurrent', 'crba', 'twists'" in wrong.stderr
    held = clean(call("chain", "simulate", "configs/tasks/four_bar.yaml"))
    assert held.exit_code == 1
    assert "four_bar.yaml:8: constraint: has a constraint; run it with: docksim chain constrain" in held.stderr


WRONG = {
    "chain: configs/chains/none.yaml\nduration_s: 1\nprogram: {type: position}\n": ":1: chain: no file",
    f"chain: {PENDULUM}\nduration_s: 1\n": "has no program; run it with: docksim chain simulate",
    f"chain: {PENDULUM}\nduration_s: 1\nconstraint: {{type: position}}\nprogram: {{type: position}}\n":
        ":4: program: excludes 'constraint'",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram: {{type: place}}\n": "'place' is not known; choose one of joint",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram: {{type: joint, link: link9}}\n": "no link 'link9'; there is link1",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram: {{type: joint, link: link1, travel_m: 1}}\n": "use angle_deg",
    f"chain: {PENDULUM}\nduration_s: 1\ninitial: {{link1: {{travel_m: 1}}}}\nprogram: {{type: position}}\n": ":3:",
    f"chain: {PENDULUM}\nduration_s: -1\nprogram: {{type: position}}\n": "duration_s",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram: {{type: position}}\npoles: {{real_1_s: [1, -2]}}\n": "are negative",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram: {{type: position}}\npoles: {{frequency_Hz: 1, real_1_s: [-1, -2]}}\n":
        "needs frequency_Hz or real_1_s",
    f"chain: {PENDULUM}\nduration_s: 1\nprogram:\n  - type: position\n    axes: [x, y]\n    poles:\n"
    + 3 * "      - {frequency_Hz: 1}\n": ":6: program.0.poles: 3 pairs of poles for 2 rows; give one, or one a row",
    f"chain: {PENDULUM}\nduration_s: 1\nconstraint:\n  - type: position\n    poles: {{frequency_Hz: 1}}\n":
        ":5: constraint.0.poles: goes with program: a constraint holds",
    f"chain: {PENDULUM}\nduration_s: 1\nconstraint: {{type: position}}\n": "has no program; run it with",
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.items(), ids=range(len(WRONG)))
def test_tasks_that_are_wrong_are_refused_with_file_line_and_advice(text, message, tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text(text)
    result = clean(call("chain", "program", file, "--out", tmp_path / "out"))
    assert result.exit_code == 1
    assert "task.yaml" in result.stderr
    assert message in result.stderr
    assert not (tmp_path / "out").exists()


def test_other_files_in_place_of_a_task_are_told_in_one_line():
    for file, word in ((PENDULUM, "a chain"), ("scenarios/tumbling_brick.yaml", "a scenario")):
        result = clean(call("chain", "constrain", file))
        assert result.exit_code == 1
        assert f"{file}: is {word}, not a task" in result.stderr


def test_data_of_an_arm_at_rest_without_any_force_tells_nothing(tmp_path):
    file = tmp_path / "rest.csv"
    rows = "".join(f"{i / 100},0,0,0,0\n" for i in range(100))
    file.write_text("time_s,link1.angle_deg,link2.angle_deg,link1.torque_Nm,link2.torque_Nm\n" + rows)
    result = clean(call("identify", PENDULUM, file, "--no-figures", "--out", tmp_path))
    assert result.exit_code == 1
    assert "cannot be told" in result.stderr


def test_state_beyond_all_numbers_is_refused(tmp_path):
    result = clean(call("linearize", PENDULUM, "--at", "link1.rate_rad_s=1e200", "--out", tmp_path))
    assert result.exit_code == 1
    assert "beyond all numbers" in result.stderr


def test_infeasible_constraint_is_told_with_the_file(tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text(
        f"chain: {PENDULUM}\nduration_s: 1\ninitial: {{link2: {{angle_deg: 30}}}}\n"
        "constraint: {type: position, axes: [x, y], at_m: [3, 0, 0]}\n"
    )
    result = clean(call("chain", "constrain", file))
    assert result.exit_code == 1
    assert "task.yaml: the constraints cannot be met" in result.stderr
    assert "position.x" in result.stderr


def test_schema_of_tasks_describes_every_key():
    schema = json.loads(clean(call("schema", "--task")).stdout)
    assert {"chain", "constraint", "program", "poles", "redundancy"} <= set(schema["properties"])
    parts = [schema, *schema["$defs"].values()]
    keys = [key for part in parts for key in part.get("properties", {}).items() if key[0] != "use"]
    assert [name for name, content in keys if "description" not in content] == []
