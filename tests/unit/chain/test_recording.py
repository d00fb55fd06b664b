"""Recorded motion: columns by name and unit, derivatives where they are missing, every fault with its place."""

import numpy as np
import pytest

from docksim.chain import load_chain
from docksim.chain.identification.recording import read_recording
from docksim.chain.motion.files import state_columns, write_columns
from docksim.config import ScenarioError

CHAIN = load_chain("configs/chains/planar_2r.yaml")
TIME = np.linspace(0.0, 2.0, 201)
Q = np.stack([np.sin(TIME), np.cos(2 * TIME)], 1)
RATES = np.stack([np.cos(TIME), -2 * np.sin(2 * TIME)], 1)
ACCELERATIONS = np.stack([-np.sin(TIME), -4 * np.cos(2 * TIME)], 1)


def columns():
    return state_columns(CHAIN, TIME, Q, RATES, ACCELERATIONS, 3.0 * Q)


def written(tmp_path, found):
    return write_columns(found, tmp_path, "run")


def test_written_motion_reads_back(tmp_path):
    for file in written(tmp_path, columns()):
        found = read_recording(file, CHAIN)
        # degrees and back: one rounding each
        assert found.q == pytest.approx(Q, rel=1e-15, abs=1e-15)
        assert found.accelerations == pytest.approx(ACCELERATIONS, rel=1e-15, abs=1e-15)
        assert np.array_equal(found.force, 3.0 * Q)


def test_radians_are_taken_too(tmp_path):
    found = columns()
    found["link1.angle_rad"] = Q[:, 0]
    del found["link1.angle_deg"]
    assert read_recording(written(tmp_path, found)[0], CHAIN).q == pytest.approx(Q)


def test_missing_rates_and_accelerations_are_derived_and_said(tmp_path):
    kept = {name: values for name, values in columns().items() if "rate" not in name and "acceleration" not in name}
    found = read_recording(written(tmp_path, kept)[0], CHAIN, window=15)
    assert len(found.time_s) == 201 - 14
    # degree 4 over +-0.07 s: the next term of the second derivative is some 0.07² / 12 of the sixth, 64 at most
    assert found.rates == pytest.approx(RATES[7:-7], abs=1e-5)
    assert found.accelerations == pytest.approx(ACCELERATIONS[7:-7], abs=2e-3)
    assert "rates and accelerations derived from the coordinates over 15 samples" in found.notes[0]


def faults(tmp_path, text, name="run.csv", **options):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        read_recording(file, CHAIN, **options)
    return str(caught.value)


HEADER = "time_s,link1.angle_deg,link2.angle_deg,link1.torque_Nm,link2.torque_Nm\n"


def test_faults_name_file_line_and_column(tmp_path):
    with pytest.raises(ScenarioError, match=r"none\.csv: file not found"):
        read_recording(tmp_path / "none.csv", CHAIN)
    assert "run.csv:1: is empty" in faults(tmp_path, "").replace(str(tmp_path) + "/", "")
    missing = faults(tmp_path, "time_s,link1.angle_deg,link1.torque,link2.torque_Nm\n0,0,0,0\n")
    assert "link2.angle_rad: column missing, or link2.angle_deg" in missing
    assert "link1.torque_Nm: column missing; did you mean 'link1.torque'?" in missing
    assert "time_s: column missing" in faults(tmp_path, HEADER.replace("time_s", "t") + "0,0,0,0,0\n")
    bad = faults(tmp_path, HEADER + "0,0,0,0,0\n1,0,n/a,0,0\n2,0,nan,0,0\n")
    assert ":3: link2.angle_deg: 2 of 3 values are no finite numbers" in bad
    assert ":3: has 4 values for 5 columns" in faults(tmp_path, HEADER + "0,0,0,0,0\n1,0,0,0\n")
    back = faults(tmp_path, HEADER + "0,0,0,0,0\n2,0,0,0,0\n1,0,0,0,0\n")
    assert ":4: time_s: 1.0 does not come after 2.0" in back
    assert "two columns have this name" in faults(tmp_path, "time_s,time_s\n0,0\n")
    uneven = HEADER + "".join(f"{t**1.5},0,0,0,0\n" for t in range(40))
    assert "not evenly spaced" in faults(tmp_path, uneven)
    assert "takes more than 15" in faults(tmp_path, HEADER + "".join(f"{t},0,0,0,0\n" for t in range(10)))


def test_archives_that_are_none_or_do_not_fit_are_refused(tmp_path):
    assert "is no .npz archive" in faults(tmp_path, "nonsense", "run.npz")
    np.savez(tmp_path / "odd.npz", **{"time_s": np.zeros(3), "link1.angle_deg": np.zeros(4)})
    with pytest.raises(ScenarioError, match=r"different lengths: time_s 3, link1\.angle_deg 4"):
        read_recording(tmp_path / "odd.npz", CHAIN)


def test_columns_of_other_names_are_left_alone(tmp_path):
    found = columns() | {"operator": np.full(201, np.nan)}
    assert len(read_recording(written(tmp_path, found)[0], CHAIN).time_s) == 201
