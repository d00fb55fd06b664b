"""A run that is kept, and gone on with: the same bits, whatever it was doing; and files that are refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.model import RUNNING, State, Work
from docksim.model.log import Log
from docksim.result.result import Result
from docksim.simulation.checkpoint import CheckpointError, Keeper, read_checkpoint, write_checkpoint
from docksim.simulation.run import Run, new_run, run_on, to_the_end

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios"
# free flight; just before and after the first touch; in contact before the lunge; the lunge; the step in which the
# latches snap; latched with play; attenuation
NDS_STEPS = (1000, 4361, 4363, 4600, 5230, 5279, 5281, 5600)


def loaded(name: str, **changes: Any) -> Run:
    return Run(compile_scenario(load_scenario(SCENARIOS / f"{name}.yaml", changes)))


def everything(run: Run) -> dict[str, bytes]:
    """State and rows, to the bit; rows by value where scratch out of the tree may hold either zero."""
    rows = {f"log.{name}": table.view(np.float64) + 0.0 for name, table in run.log.filled().tables().items()}
    return {name: table.tobytes() for name, table in (run.compiled.state._asdict() | rows).items()}


# base joints that stay, switches of the integrator, and what is zero between two steps: the force on coordinates that
# are not in the tree, a rotor's reaction outside of the loads, the forces of a pair that is far apart
AT_REST = {
    "block": ("way", "v_0", "a_0", "tangent"), "implicit": None, "impulsive": None, "dof": ("tau",),
    "shaft": ("reaction",),
    "contact": ("normal_force", "group", "stored", "gap", "force", "moment", "fastest"),
}  # fmt: skip


def soiled(work: Work) -> None:
    """Nonsense in every float of the scratch that a step should write before it reads it."""
    rng = np.random.default_rng(8)
    for name, table in work._asdict().items():
        spared = AT_REST.get(name, ())
        for field in table.dtype.names or ("",) if spared is not None else ():
            # the first body is the world, which rests
            part = (table[field] if field else table)[1 if name == "body" else 0 :]
            if part.dtype.kind == "f" and field not in (spared or ()):
                part[...] = 1e3 * rng.normal(size=part.shape)


@pytest.mark.parametrize(
    ("name", "steps", "last"),
    [
        ("dock_nds", NDS_STEPS, 5700),
        # sampled servos with forces on their way in the queue; one step more or less than a sample
        ("admittance_capture", (1000, 1001, 1003, 1501), 1600),
    ],
)
def test_kept_run_goes_on_with_the_same_bits_and_scratch_carries_no_memory(
    name: str, steps: tuple[int, ...], last: int, tmp_path: Path
) -> None:
    run = loaded(name)
    files = []
    for step in steps:
        run.advance(step - run.step)
        files.append(write_checkpoint(run, tmp_path / f"{step}.npz"))
    if name == "dock_nds":
        assert run.compiled.state.contact[0].engaged == 3
    run.advance(last - run.step)
    assert run.compiled.state.clock[0].status == RUNNING
    expected = everything(run)
    for step, file in zip(steps, files, strict=True):
        again = read_checkpoint(file)
        assert again.step == step
        soiled(again.work)
        again.advance(last - step)
        assert everything(again) == expected, step


def test_contact_is_under_way_where_the_checkpoints_say_so(tmp_path: Path) -> None:
    run = loaded("dock_nds")
    run.advance(4600)
    assert run.compiled.state.contact[0].first_contact > 0.0
    file = write_checkpoint(run, tmp_path / "c.npz")
    assert read_checkpoint(file).compiled.state.contact[0].first_contact == run.compiled.state.contact[0].first_contact


def command(*arguments: str | Path) -> tuple[int, str, dict[str, Any]]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments], catch_exceptions=False)
    found = json.loads(done.stdout)["runs"][0] if "--json" in arguments and done.exit_code in (0, 1) else {}
    return done.exit_code, done.output, found


def test_command_line_splits_a_run_and_the_second_part_gives_the_whole_result(tmp_path: Path) -> None:
    file, common = SCENARIOS / "dock_and_undock.yaml", ("--no-plots", "--json", "--out", tmp_path)
    code, _, whole = command(
        "run", file, "--checkpoint-every", "20", "--checkpoint-at", "12.5", "--checkpoint-at", "1e6", *common
    )
    assert code == 0
    assert any("no checkpoint at 1e+06 s: the run ends at" in warning for warning in whole["warnings"])
    assert [Path(path).name for path in whole["checkpoints"]][:3] == ["step-2500.npz", "step-4000.npz", "step-8000.npz"]
    for arguments in ([], [file]):
        code, _, part = command("run", *arguments, "--from", whole["checkpoints"][1], *common)
        assert code == 0
        first, second = Result.load(whole["folder"]), Result.load(part["folder"])
        assert list(first.channels) == list(second.channels)
        for name in first.channels:
            np.testing.assert_array_equal(first[name], second[name], name)
        assert (first.metrics, first.events, first.outcome) == (second.metrics, second.events, second.outcome)


def test_interrupted_run_with_checkpoints_loses_nothing(tmp_path: Path) -> None:
    from docksim.jobs.batch import Job, run_one

    file = SCENARIOS / "dock_and_undock.yaml"
    calls = iter(range(100))
    report = run_one(file, Job(out=tmp_path, figures="none", checkpoint_every_s=1e6), stop=lambda: next(calls) == 3)
    assert report.outcome == "interrupted"
    (kept,) = report.checkpoints
    rest = run_on(read_checkpoint(kept))
    whole = run_on(new_run(load_scenario(file)))
    assert all(np.array_equal(rest[name], whole[name]) for name in whole)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = loaded("tumbling_brick")
    run.advance(100)
    return write_checkpoint(run, tmp_path_factory.mktemp("kept") / "brick.npz")


def rewritten(kept: Path, file: Path, **changes: np.ndarray) -> Path:
    with np.load(kept) as content:
        np.savez(file, **{**content, **changes})
    return file


def test_another_scenario_is_refused_and_the_difference_named(kept: Path, tmp_path: Path) -> None:
    code, output, _ = command(
        "run", SCENARIOS / "tumbling_brick.yaml", "--set", "seed=99", "--from", kept, "--out", tmp_path
    )
    assert code == 1
    assert re.search(r"another\s+scenario", output)
    assert "seed: 99" in output


def test_another_version_and_another_kernel_are_refused(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("docksim.simulation.sealed.__version__", "9.9.9")
        with pytest.raises(CheckpointError, match=r"made by docksim .*; this is 9\.9\.9"):
            read_checkpoint(kept)
    monkeypatch.setattr("docksim.simulation.run.kernel_stamp", lambda: "other")
    with pytest.raises(CheckpointError, match="another kernel"):
        read_checkpoint(kept)


def test_version_of_ten_thousand_letters_is_not_printed_whole(kept: Path, tmp_path: Path) -> None:
    with np.load(kept) as content:
        arrays = dict(content.items())
    about = json.loads(arrays["about"].tobytes()) | {"docksim_version": "9" * 10_000}
    np.savez(tmp_path / "long.npz", **arrays | {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)})
    with pytest.raises(CheckpointError, match=r"made by docksim 9{40}, format 3; this is") as error:
        read_checkpoint(tmp_path / "long.npz")
    assert len(str(error.value)) < 400


def test_older_form_is_refused_in_one_line(kept: Path, tmp_path: Path) -> None:
    # format 1 had the log as one array of bare columns
    with np.load(kept) as content:
        arrays = {name: array for name, array in content.items() if not name.startswith("log.")}
    about = json.loads(arrays["about"].tobytes()) | {"format": 1}
    arrays |= {"about": np.frombuffer(json.dumps(about).encode(), np.uint8), "log": np.zeros((3, 51))}
    file = tmp_path / "old.npz"
    np.savez(file, **arrays)
    with pytest.raises(CheckpointError, match=r"format 1; this is .*, format 3\. Run the scenario again") as error:
        read_checkpoint(file)
    assert "\n" not in str(error.value)


def test_rows_that_are_missing_from_one_table_of_the_log_are_told(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with np.load(kept) as content:
        body = content["log.body"]
    monkeypatch.setattr("docksim.simulation.sealed.digest_of", lambda arrays: "same")
    about = {"about": np.frombuffer(_resealed(kept), np.uint8)}
    file = rewritten(kept, kept.parent / "short.npz", **{"log.body": body[:-1]}, **about)
    with pytest.raises(CheckpointError, match=r"damaged: table 'log\.body' has the shape"):
        read_checkpoint(file)


def _resealed(kept: Path) -> bytes:
    """Its record with the digest that the test gives to everything."""
    with np.load(kept) as content:
        return json.dumps(json.loads(content["about"].tobytes()) | {"digest": "same"}).encode()


def test_damaged_and_foreign_files_are_refused_in_words(kept: Path, tmp_path: Path) -> None:
    content = kept.read_bytes()
    with np.load(kept) as archive:
        q = archive["state.q"]
    middle = content.index(q.tobytes())
    cases = {
        "missing": (None, "no such file"),
        "text": (b"vehicles: {}\n", "not a checkpoint"),
        "empty": (b"", "not a checkpoint"),
        "cut": (content[: len(content) // 2], "not a checkpoint"),
        "bit": (content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :], "damaged"),
    }
    for name, (data, words) in cases.items():
        file = tmp_path / f"{name}.npz"
        if data is not None:
            file.write_bytes(data)
        code, output, _ = command("run", "--from", file, "--out", tmp_path)
        assert code == 1, name
        assert words in re.sub(r"\s+", " ", output), name
    foreign = rewritten(kept, tmp_path / "bits.npz", **{"state.q": q + 1e-9})
    with pytest.raises(CheckpointError, match="digest"):
        read_checkpoint(foreign)


def test_indices_that_compiled_code_would_follow_are_checked(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = read_checkpoint(kept)
    monkeypatch.setattr("docksim.simulation.sealed.digest_of", lambda arrays: "same")
    clock = {"n_records": -1, "step": 10**9, "log_every": 1, "band_every": 0, "since": 0.5}
    tampered = [("link", "parent", 10**6), *(("clock", field, value) for field, value in clock.items())]
    for table, field, value in tampered:
        before = getattr(run.compiled.state, table)[field].copy()
        getattr(run.compiled.state, table)[field] = value
        file = write_checkpoint(run, kept.parent / "tampered.npz")
        getattr(run.compiled.state, table)[field] = before
        with pytest.raises(CheckpointError, match=rf"{table}\.{field}' is (out of range|not that of its scenario)"):
            read_checkpoint(file)


def test_times_between_two_steps_are_kept_at_the_step_after(tmp_path: Path) -> None:
    run = loaded("dock_and_undock")  # steps of 5 ms
    keeper = Keeper(tmp_path, every_s=0.0125, at_s=[0.0101, 0.03])
    steps = []
    for _ in range(6):
        steps.append(keeper(run))
        run.advance(steps[-1] - run.step)
    assert steps == [3, 5, 6, 8, 10, 13]


def test_a_run_whose_steps_are_cut_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    changes = {"chaser.thrusters.pitch_front.pulses": [[0.0213, 0.1007]], "solver.duration_s": 0.2513}
    whole, part = loaded("thruster_pulses", **changes), loaded("thruster_pulses", **changes)
    to_the_end(whole)
    part.advance(3)
    rest = read_checkpoint(write_checkpoint(part, tmp_path / "kept.npz"))
    to_the_end(rest)
    assert everything(rest) == everything(whole)
    assert whole.compiled.state.clock[0].t == pytest.approx(0.2513, rel=1e-15)


def test_usage_errors_are_told(kept: Path) -> None:
    assert command("run")[0] == 2
    assert command("run", "--from", kept, "--set", "seed=1")[0] == 2
    assert command("run", "a.yaml", "b.yaml", "--from", kept)[0] == 2
    assert command("run", "a.yaml", "--checkpoint-every", "0")[0] == 2


def test_checkpoint_holds_every_table_of_state_and_log_and_no_pickle(kept: Path) -> None:
    with np.load(kept, allow_pickle=False) as archive:
        assert {f"state.{name}" for name in State._fields} <= set(archive.files)
        logged = {f"log.{name}" for name in Log._fields if name != "rows"}
        assert set(archive.files) - {f"state.{name}" for name in State._fields} == {"about", "scenario"} | logged


def test_to_the_end_calls_the_keeper_at_exactly_the_steps_it_asked_for() -> None:
    run = loaded("tumbling_brick", **{"solver.duration_s": 2.0})
    seen: list[int] = []
    wanted = iter([3, 4, 999, 10**9])

    def keep(run: Run) -> int:
        seen.append(run.step)
        return next(wanted)

    to_the_end(run, keep=keep)
    assert seen[:3] == [0, 3, 4]
    assert seen[3:] in ([999], [])
