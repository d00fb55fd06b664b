"""A scenario as an FMU, imported and run by FMPy: the bits of a plain run, inputs that act, errors in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from fmpy import extract, read_model_description
from fmpy.validation import validate_fmu

import docksim
from docksim.cli import main
from docksim.config import load_scenario
from docksim.realtime.fmu import FmuError, Instance, export_fmu
from docksim.realtime.inputs import InputError
from tests.support.realtime_rigs import balls
from tests.support.rigs import Keys, lone
from tests.system.test_controllers import STEP, craft

ROOT = Path(__file__).resolve().parents[2]
IMPORTER = """
import json, os, sys
import numpy as np
from fmpy import simulate_fmu

told = json.loads(sys.argv[1])
push = told.pop("input", None)
if push:
    rows = [(t, push[1]) for t in (0.0, told["stop_time"])]
    told["input"] = np.array(rows, dtype=[("time", np.float64), (push[0], np.float64)])
found = simulate_fmu(**told)
print(json.dumps({name: found[name].tolist() for name in found.dtype.names}), flush=True)
os._exit(0)
"""


def importing(file: Path, **told: Any) -> subprocess.CompletedProcess[str]:
    """FMPy with an FMU, in a process of its own: unloading one takes the interpreter with it."""
    return subprocess.run(
        [sys.executable, "-c", IMPORTER, json.dumps({"filename": str(file), "output_interval": 0.01, **told})],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip


def imported(file: Path, **told: Any) -> dict[str, np.ndarray]:
    """What FMPy makes of an FMU."""
    done = importing(file, **told)
    assert done.returncode == 0, done.stderr
    return {name: np.array(values) for name, values in json.loads(done.stdout.splitlines()[-1]).items()}


def pushed() -> Keys:
    """A vehicle of 50 kg, with a port at its mass centre that looks along y."""
    port = {"position_m": [0.0, 0.0, 0.0], "attitude": {"yaw_pitch_roll_deg": [90.0, 0.0, 0.0]}}
    solver = {"duration_s": 1.0, "step_s": 0.001}
    return {"vehicles": {"mass": lone(50.0, 20.0, ports={"hook": port})}, "solver": solver}


@pytest.fixture(scope="module")
def colliding(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = load_scenario(balls(1e-3, 0.5))
    return export_fmu(scenario, [], tmp_path_factory.mktemp("fmu") / "balls.fmu")


def test_fmu_is_valid_and_names_what_it_has(colliding: Path) -> None:
    assert validate_fmu(str(colliding)) == []
    description = read_model_description(str(colliding))
    assert description.fmiVersion == "2.0"
    names = {variable.name for variable in description.modelVariables}
    assert {"a.position_m[1]", "b.attitude[4]", "hit.normal_force_N", "hit.load_force_N[3]", "phase"} <= names


def test_importer_gets_the_numbers_of_the_plain_run(colliding: Path) -> None:
    outputs = ["b.position_m[1]", "b.velocity_m_s[2]", "hit.normal_force_N"]
    found = imported(colliding, stop_time=0.4, output=outputs)
    result = docksim.run(balls(1e-3, 0.5))
    rows = np.round(found["time"] / 1e-3).astype(int)
    assert len(rows) == 41
    np.testing.assert_array_equal(found["b.position_m[1]"], result["b.position_m"][rows, 0])
    np.testing.assert_array_equal(found["b.velocity_m_s[2]"], result["b.velocity_m_s"][rows, 1])
    np.testing.assert_array_equal(found["hit.normal_force_N"], result["hit.normal_force_N"][rows])
    assert found["hit.normal_force_N"].max() > 10.0


def test_wrench_of_the_importer_moves_the_vehicle(tmp_path: Path) -> None:
    file = export_fmu(load_scenario(pushed()), ["mass.hook"], tmp_path / "pushed.fmu")
    output = ["mass.velocity_m_s[1]", "mass.velocity_m_s[2]"]
    found = imported(file, stop_time=0.5, input=("mass.hook.force_N[1]", 10.0), output=output)
    # 10 N on 50 kg for 0.5 s along x of the port, which is y of W; RK4 is exact here
    np.testing.assert_allclose(found["mass.velocity_m_s[2]"], 0.2 * found["time"], atol=1e-12)
    np.testing.assert_allclose(found["mass.velocity_m_s[1]"], 0.0, atol=1e-12)


def test_torque_of_the_importer_drives_a_joint_to_the_bits_of_the_plain_run(tmp_path: Path) -> None:
    """To the run's end, in compiled code: through a drive that limits it."""
    file = export_fmu(load_scenario(craft({"mode": "torque"})), [], tmp_path / "arm.fmu", torques=["v.arm"])
    output = ["v.arm.angle_rad", "v.arm.rate_rad_s", "v.attitude[1]"]
    found = imported(file, stop_time=1.0, input=("v.arm.torque_Nm", 30.0), output=output)
    plain = docksim.run(craft({"mode": "torque", "target_torque_Nm": 30.0}))
    rows = np.round(found["time"] / STEP).astype(int)
    assert rows[-1] == len(plain.time_s) - 1
    assert plain["v.arm.motor_torque_Nm"].max() == 20.0
    np.testing.assert_allclose(np.degrees(found["v.arm.angle_rad"]), plain["v.arm.angle_deg"][rows], rtol=1e-15)
    np.testing.assert_allclose(np.degrees(found["v.arm.rate_rad_s"]), plain["v.arm.angle_rate_deg_s"][rows], rtol=1e-15)
    np.testing.assert_array_equal(found["v.attitude[1]"], plain["v.attitude"][rows, 0])


def test_reason_of_a_refusal_reaches_an_importer_that_asked_for_no_log(colliding: Path) -> None:
    done = importing(colliding, start_time=3.0, stop_time=3.1)
    assert done.returncode != 0
    assert "docksim: a start at 3 s is asked for; the scenario begins at 0 s" in done.stderr


def test_steps_that_do_not_fit_and_inputs_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    file = export_fmu(load_scenario(pushed()), ["mass.hook"], tmp_path / "pushed.fmu")
    instance = Instance(Path(extract(str(file), str(tmp_path / "unzipped"))) / "resources")
    with pytest.raises(FmuError, match="not a whole number of steps"):
        instance.do_step(0.0, 0.0015)
    instance.inputs["mass.hook.force_N[1]"] = float("nan")
    with pytest.raises(FmuError, match="not finite"):
        instance.do_step(0.0, 0.001)
    instance.inputs["mass.hook.force_N[1]"] = 0.0
    assert instance.do_step(0.0, 0.999)
    with pytest.raises(FmuError, match=r"from 5 s is asked for, and the model is at 0.999 s"):
        instance.do_step(5.0, 0.001)
    with pytest.raises(FmuError, match=r"start at 3 s is asked for"):
        instance.begin(3.0)
    # beyond the run's own end
    assert not instance.do_step(0.999, 0.01)


def test_run_that_is_no_whole_number_of_steps_is_refused(tmp_path: Path) -> None:
    keys = pushed()
    keys["solver"]["duration_s"] = 0.9995
    with pytest.raises(
        FmuError, match=r"solver\.duration_s: 0\.9995 s must be a whole multiple .* nearest: 0\.999 or 1;"
    ):
        export_fmu(load_scenario(keys), [], tmp_path / "pushed.fmu")


def test_command_writes_the_file_or_says_why_not(tmp_path: Path) -> None:
    file = str(Path(__file__).resolve().parents[2] / "scenarios" / "tumbling_brick.yaml")
    done = CliRunner().invoke(main, ["fmu", file, "--out", str(tmp_path / "brick.fmu")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "brick.fmu").is_file()
    done = CliRunner().invoke(main, ["fmu", file, "--external", "brick.nose"])
    assert done.exit_code == 2
    assert "no port 'brick.nose'" in done.output


def test_port_named_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"port 'mass\.hook' is asked for twice; name it once"):
        export_fmu(load_scenario(pushed()), ["mass.hook", "mass.hook"], tmp_path / "mass.fmu")
