"""Saved runs of chains read back: the same motion, figures drawn anew, files of other programs."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat

from docksim.chain.build import build_chain
from docksim.chain.motion.runs import run_task
from docksim.chain.motion.saved import motion_result, read_motion, unit_of, write_motion
from docksim.config.loading.chain import read_chain
from docksim.result.result import ResultError
from tests.support.commands import call
from tests.unit.chain.tasks import ROW, task_of

CHAINS = Path(__file__).resolve().parents[3] / "configs" / "chains"
CHAIN = {"gravity_m_s2": [0.0, -9.81, 0.0], "denavit_hartenberg": [{**ROW, "upper_deg": 1.0}, ROW]}
SHORT = {"duration_s": 0.2, "output_s": 0.05}
TASKS = {
    "free": {"drives": {"link1": {"torque_Nm": 60.0}}, "loads": [{"link": "link2", "force_N": [1.0, 2.0, 0.0]}]},
    "constraint": {"constraint": [{"type": "distance", "name": "rod", "from_m": [1.5, 0.2, 0.0]}]},
    "program": {
        "program": [{"type": "position", "name": "tip", "axes": ["x"]}, {"type": "joint", "link": "link2"}],
        "initial": {"link2": {"angle_deg": 40.0}},
        "mass_error": {"link2": 1.5},
    },
}  # fmt: skip


@pytest.fixture(params=TASKS)
def saved(request, tmp_path):
    loaded = task_of(CHAIN, **SHORT, **TASKS[request.param])
    motion = run_task(loaded)
    write_motion(motion, loaded, tmp_path)
    return motion, tmp_path


def test_a_saved_motion_is_the_motion_that_was_run(saved):
    motion, folder = saved
    found = read_motion(folder)
    for name, value in vars(motion).items():
        if isinstance(value, np.ndarray):
            # degrees and back: rounding
            assert getattr(found, name) == pytest.approx(value, rel=1e-14, abs=1e-14), name
        elif name != "model":
            assert getattr(found, name) == value, name
    assert (found.expected is None) == (motion.kind != "program")
    assert np.array_equal(found.model.mass, motion.model.mass)


def test_export_and_plot_take_a_chains_motion(saved):
    motion, folder = saved
    for kind in ("csv", "mat"):
        done = call("export", folder, "--to", kind)
        assert done.exit_code == 0, done.output
    table = loadmat(folder / "data.mat", squeeze_me=True, simplify_cells=True)
    assert table["link1_angle_deg"] == pytest.approx(np.degrees(motion.q[:, 0]), rel=1e-15)
    assert list(table["docksim_channels"]["unit"][:2]) == ["s", "deg"]
    assert (folder / "data.csv").read_text().startswith("time_s [s],link1.angle_deg [deg]")
    words = ("plot", folder, "--what", "energy", "--what", "constraint", "--out", folder / "drawn")
    assert call(*words).exit_code == 0
    drawn = {"energy.png", "constraint.png"} if motion.kind == "constraint" else {"energy.png"}
    assert {path.name for path in (folder / "drawn").iterdir()} == drawn


def test_every_column_has_a_unit_and_other_kinds_of_figures_are_refused(saved):
    motion, folder = saved
    result = motion_result(folder)
    assert [name for name in result if unit_of(name) == "1"] == []
    assert result.scenario_name == motion.name
    assert json.loads(result.scenario_yaml)["duration_s"] == 0.2
    wrong = call("plot", folder, "--what", "contact")
    assert wrong.exit_code == 1
    assert "has no figures of the kind contact; it has joints, energy, constraint, program" in wrong.stderr
    both = call("plot", "--overlay", folder, folder)
    assert both.exit_code == 2
    assert "is a chain's motion" in " ".join(both.stderr.split())


@pytest.mark.parametrize("path", sorted(CHAINS.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_chain_in_a_saved_motion_is_the_chain_of_the_file(path):
    chain = read_chain(path)
    kept = json.loads(json.dumps(chain.model_dump(mode="json", exclude_unset=True)))
    ours, theirs = build_chain(read_chain(kept)), build_chain(chain)
    for name, value in vars(theirs).items():
        assert np.array_equal(getattr(ours, name), value), name


def test_damaged_folders_are_told_by_file(saved):
    _, folder = saved
    facts = json.loads((folder / "motion.json").read_text())
    (folder / "motion.json").write_text(json.dumps({**facts, "format": 2}))
    with pytest.raises(ResultError, match=r"motion\.json: damaged: format 2, this version of docksim reads 1"):
        read_motion(folder)
    (folder / "motion.json").write_text(json.dumps({**facts, "rows": [*facts["rows"], "more"], "units": []}))
    with pytest.raises(ResultError, match=r"rows and motion\.json do not belong together"):
        read_motion(folder)
    (folder / "motion.npz").write_bytes(b"none")
    with pytest.raises(ResultError, match=r"motion\.npz: damaged"):
        read_motion(folder)
