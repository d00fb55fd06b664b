"""Studies end to end: the same table whoever computes it, nothing lost whatever happens, cases that run again."""

import gc
import json
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.config import ScenarioError
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.again import plan_of
from docksim.study.case import Row
from docksim.study.plan import load_plan
from docksim.study.runner import StopRule, Workers
from docksim.study.session import run_study
from docksim.study.store import FILE, Store, locked
from docksim.study.summary import summarize_study
from docksim.study.table import load_table
from tests.support.studies import HALF_DEG_S, ROOT, brick_plan, digest, study_file
from tests.system.study_process import kill_and_resume, rows_of

SOFT_CAPTURE = ROOT / "studies" / "soft_capture.yaml"


# ---------------------------------------------------------------- the same bits


@pytest.mark.parametrize("changes", [{}, {"sampling": "sobol", "cases": 32}, {"sampling": "latin_hypercube"}])
def test_table_has_the_same_bits_for_any_number_of_threads(tmp_path: Path, changes: dict[str, object]) -> None:
    plan = brick_plan(tmp_path, **changes)
    found = {digest(run_study(plan, tmp_path / str(n), Workers(n))[1]) for n in (1, 2, 4)}
    assert len(found) == 1


def test_table_has_the_same_bits_from_processes_and_in_pieces(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path)
    whole = digest(run_study(plan, tmp_path / "whole", Workers(1))[1])
    assert digest(run_study(plan, tmp_path / "processes", Workers(2, processes=True))[1]) == whole
    file = study_file(tmp_path)
    # the table grows as it likes: in threads, at another number of cases each time
    for cases in (5, 6, 17, 24):
        ended = run_study(load_plan(file, cases), tmp_path / "pieces", Workers(2), resume=True)
    assert digest(ended[1]) == whole


def test_digest_notices_the_last_bit_of_one_number(tmp_path: Path) -> None:
    # so that the comparisons above mean something
    file = run_study(brick_plan(tmp_path), tmp_path)[1]
    before = digest(file)
    connection = sqlite3.connect(file)
    (value,) = connection.execute('SELECT "input.brick.mass_kg" FROM cases WHERE n = 7').fetchone()
    connection.execute('UPDATE cases SET "input.brick.mass_kg" = ? WHERE n = 7', [float(np.nextafter(value, 9e9))])
    connection.commit()
    connection.close()
    assert digest(file) != before


def test_docking_study_has_the_same_bits_for_one_and_two_workers_and_its_cases_run_again_alone(tmp_path: Path) -> None:
    plan = load_plan(SOFT_CAPTURE, 4)
    files = [run_study(plan, tmp_path / str(n), Workers(n))[1] for n in (1, 2)]
    assert digest(files[0]) == digest(files[1])
    table = load_table(files[0])
    # one case alone, by the command line, with all its history
    arguments = ["run", str(SOFT_CAPTURE), "--case", "4", "--no-plots", "--json", "--out", str(tmp_path / "alone")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)["runs"][0]
    for name, column in table.metrics.items():
        if name in report["metrics"]:
            assert report["metrics"][name] == column[3], name
    assert len(Result.load(report["folder"]).time_s) == 601
    # and from the resolved scenario that was saved with it
    again = docksim.run(Path(report["folder"]) / "scenario.yaml")
    assert again.metrics == report["metrics"]
    # the worst cases have been kept, with the bits of the table
    worst = table.worst("chaser.ring.load_force_N.peak", 3)
    kept = {int(path.name.removeprefix("case-")) for path in (files[0].parent / "histories").iterdir()}
    assert kept == {case for case, _ in worst}
    for case, value in worst:
        saved = Result.load(files[0].parent / "histories" / f"case-{case}")
        assert saved.metrics["chaser.ring.load_force_N.peak"] == value


# ---------------------------------------------------------------- nothing is lost


def test_kill_9_loses_nothing_that_was_reported_and_resume_repeats_nothing(tmp_path: Path) -> None:
    kill_and_resume(tmp_path, kills=1, cases=200)


def test_interrupt_keeps_what_is_there_and_says_how_to_go_on(tmp_path: Path) -> None:
    file = study_file(tmp_path, cases=4000)
    command = [sys.executable, "-m", "docksim", "study", str(file), "--out", str(tmp_path), "--workers", "2"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_rows(tmp_path / "brick" / FILE, 5)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert "--resume goes on" in out
    done, _ = rows_of(tmp_path, "brick")
    assert 5 <= len(done) < 4000


def wait_for_rows(file: Path, count: int) -> None:
    import time

    for _ in range(1200):
        if file.exists():
            store = Store.open(file, read_only=True)
            try:
                if len(store.done()) >= count:
                    return
            finally:
                store.connection.close()
        time.sleep(0.05)
    raise TimeoutError(f"no {count} rows in {file}")


def test_full_disk_ends_the_study_by_name_and_resume_completes_it(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path, cases=120)
    reported: list[int] = []

    def fill_up(store: Store) -> None:
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count={pages + 3}")

    def report(rows: list[Row]) -> None:
        reported.extend(row.case for row in rows)

    with pytest.raises(ResultError, match="full"):
        run_study(plan, tmp_path / "full", Workers(2), begun=fill_up, report=report)
    assert 0 < len(reported) < 120
    assert rows_of(tmp_path / "full", "brick")[0] == set(reported)
    ended, file = run_study(plan, tmp_path / "full", Workers(2), resume=True)
    assert ended == "complete"
    assert digest(file) == digest(run_study(plan, tmp_path / "whole", Workers(2))[1])


def test_every_commit_is_forced_to_the_disk_through_a_journal(tmp_path: Path) -> None:
    found: list[tuple[int, str]] = []

    def look(store: Store) -> None:
        (level,) = store.connection.execute("PRAGMA synchronous").fetchone()
        (journal,) = store.connection.execute("PRAGMA journal_mode").fetchone()
        found.append((level, journal))

    run_study(brick_plan(tmp_path, cases=2), tmp_path, begun=look)
    assert found == [(2, "wal")]


def test_second_process_on_the_same_study_is_refused(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path, cases=2)
    with locked(tmp_path / "brick" / FILE), pytest.raises(ResultError, match="another process is running this study"):
        run_study(plan, tmp_path)
    assert run_study(plan, tmp_path)[0] == "complete"


def test_existing_study_is_never_overwritten_nor_mixed_with_another(tmp_path: Path) -> None:
    run_study(brick_plan(tmp_path, cases=3), tmp_path)
    with pytest.raises(ResultError, match="--resume goes on"):
        run_study(brick_plan(tmp_path, cases=3), tmp_path)
    with pytest.raises(ResultError, match=r"holds another study \(seed differ"):
        run_study(brick_plan(tmp_path, cases=3, seed=4), tmp_path, resume=True)
    with pytest.raises(ResultError, match="base scenario"):
        run_study(brick_plan(tmp_path, set={"solver.duration_s": 1.0}), tmp_path, resume=True)


def test_damaged_or_foreign_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(ResultError, match=r"x\.sqlite: not a study"):
        load_table(tmp_path / "x.sqlite")
    with pytest.raises(ResultError, match="no such study"):
        load_table(tmp_path / "y.sqlite")
    sqlite3.connect(tmp_path / "z.sqlite").execute("CREATE TABLE t (a)")
    with pytest.raises(ResultError, match=r"z\.sqlite: not a study"):
        load_table(tmp_path / "z.sqlite")


def test_whatever_is_damaged_in_a_file_is_an_error_by_name(tmp_path: Path) -> None:
    whole = run_study(brick_plan(tmp_path, cases=30), tmp_path)[1].read_bytes()
    rng = np.random.default_rng(5)
    broken = tmp_path / "broken.sqlite"
    errors: list[str] = []
    for _ in range(80):
        content = bytearray(whole)
        first = int(rng.integers(0, len(content)))
        length = int(rng.integers(1, 400))
        content[first : first + length] = rng.bytes(len(content[first : first + length]))
        broken.write_bytes(content[: int(rng.integers(100, len(content)))] if rng.random() < 0.2 else content)
        try:
            with np.errstate(all="ignore"):
                summarize_study(load_table(broken))
        except ResultError as error:
            errors.append(str(error))
    # much damage is seen; some hits numbers, which nobody can tell from others
    assert len(errors) > 27
    assert all("broken.sqlite: " in text for text in errors)


@pytest.mark.parametrize(
    "change",
    [
        """UPDATE about SET value = '{"base": 3}' WHERE key = 'study'""",
        """UPDATE about SET value = '["x"]' WHERE key = 'metrics'""",
        "DELETE FROM about WHERE key = 'study'",
        "DELETE FROM about WHERE key = 'inputs'",
        "DROP TABLE timing",
        "UPDATE about SET value = '[[' WHERE key = 'base'",
        "UPDATE cases SET outcome = printf('%.*c', 5000, 'x')",
        "UPDATE about SET value = printf('%.*c', 4000, '9') WHERE key = 'format'",
        """UPDATE about SET value = '"1e999"' WHERE key = 'nominal'""",
        """UPDATE about SET value = '["a", "b", "c", "d"]' WHERE key = 'nominal'""",
    ],
)
def test_file_that_contradicts_itself_is_named(tmp_path: Path, change: str) -> None:
    file = run_study(brick_plan(tmp_path, cases=2), tmp_path)[1]
    connection = sqlite3.connect(file)
    connection.execute(change)
    connection.commit()
    connection.close()
    with pytest.raises(ResultError, match=r"study\.sqlite: ") as refused:
        plan_of(load_table(file))
    assert len(str(refused.value)) < 400 + len(str(file))


# ---------------------------------------------------------------- cases that do not end well


def test_invalid_and_diverged_cases_are_rows_with_their_reason(tmp_path: Path) -> None:
    masses = [{"key": "brick.mass_kg", "values": [1.0, -1.0]}, {"key": "brick.rate_deg_s.0", "values": [1.0, 1e15]}]
    file = study_file(tmp_path, dispersions=None, cases=None, grid=masses)
    with pytest.raises(ScenarioError, match=r"case 3 is no valid scenario: vehicles\.brick\.mass_kg: -1\.0 must be"):
        load_plan(file)
    from docksim.config.loading.study import load_study
    from docksim.study.plan import Plan

    table = load_table(run_study(Plan(load_study(file)), tmp_path)[1])
    assert list(table.outcome) == ["completed", "diverged", "invalid", "invalid"]
    assert "non-finite state" in table.reason[1]
    assert table.reason[2] == "vehicles.brick.mass_kg: -1.0 must be greater than 0"
    assert list(table.success) == [True, False, False, False]
    assert all(np.isnan(column[1:]).all() for column in table.metrics.values())


def test_case_that_takes_too_long_is_a_row_and_the_study_goes_on(tmp_path: Path) -> None:
    # a step of a nanosecond: half a second of it would take minutes
    axis = [{"key": "solver.step_s", "values": [0.01, 1e-9, 0.005]}]
    changes = {"solver.duration_s": 0.5, "outputs.every_s": 0.05}
    plan = brick_plan(tmp_path, dispersions=None, cases=None, set=changes, grid=axis, timeout_s=0.3)
    table = load_table(run_study(plan, tmp_path, Workers(2))[1])
    assert list(table.outcome) == ["completed", "too slow", "completed"]
    assert table.reason[1] == "longer than 0.3 s of wall time"


def test_worker_that_breaks_becomes_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def sometimes(scenario, *args, **kwargs):
        if scenario.vehicles["brick"].mass_kg > brick_mass:
            raise RuntimeError("the kernel fell over")
        return simulate_over(scenario, *args, **kwargs)

    plan = brick_plan(tmp_path)
    brick_mass = float(np.median([plan.values(case)[0] for case in range(1, 25)]))
    monkeypatch.setattr("docksim.study.case.simulate_over", sometimes)
    table = load_table(run_study(plan, tmp_path)[1])
    assert list(table.outcome).count("failed") == 12
    assert any("RuntimeError: the kernel fell over" in reason for reason in table.reason)


# ---------------------------------------------------------------- what is kept


def test_histories_are_kept_as_asked(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path, cases=7, histories={"keep": "every", "count": 3})
    file = run_study(plan, tmp_path)[1]
    assert sorted(path.name for path in (file.parent / "histories").iterdir()) == ["case-3", "case-6"]
    saved = Result.load(file.parent / "histories" / "case-6")
    assert saved.scenario == plan.scenario(6)


def test_metrics_are_kept_by_pattern_and_unknown_ones_are_named(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path, cases=2, metrics=["*.peak"], limits={"energy.residual_J": 1.0})
    assert set(load_table(run_study(plan, tmp_path)[1]).metrics) == {"brick.rate_deg_s.peak", "energy.residual_J"}
    with pytest.raises(ScenarioError, match=r"limits.*no metric 'energy\.residual'.*did you mean 'energy\.residual_J'"):
        run_study(brick_plan(tmp_path, cases=2, limits={"energy.residual": 1.0}), tmp_path / "other")


def test_stopping_rule_ends_at_the_same_case_for_any_number_of_workers(tmp_path: Path) -> None:
    success = [{"metric": "brick.rate_deg_s.peak", "below": HALF_DEG_S}]
    plan = brick_plan(tmp_path, cases=2000, success=success)
    ends = []
    for n in (1, 3):
        ended, file = run_study(plan, tmp_path / str(n), Workers(n), rule=StopRule("half_width", 0.08))
        table = load_table(file)
        ends.append((ended, len(table), digest(file)))
    assert ends[0] == ends[1]
    assert ends[0][0] == "enough"
    # 0.98 / sqrt(n) at most for n cases and a probability of one half: 64 are too few, 256 are surely enough
    assert ends[0][1] in (128, 192, 256)


def test_memory_does_not_grow_with_the_number_of_cases(tmp_path: Path) -> None:
    """By what Python and numpy have allocated and not given back, which other tests in this process have no part in:
    resident memory depends on what they left behind, and on when their garbage is collected."""
    plan = brick_plan(tmp_path, cases=160, set={"solver.duration_s": 0.05, "solver.step_s": 0.01})
    sizes: list[int] = []

    def look(rows: list[Row]) -> None:
        gc.collect()
        sizes.extend([tracemalloc.get_traced_memory()[0]] * len(rows))

    gc.collect()
    gc.freeze()
    tracemalloc.start()
    try:
        run_study(plan, tmp_path, Workers(1), report=look)
    finally:
        tracemalloc.stop()
    assert len(sizes) == 160
    # a row kept in memory is about 1 kB, its log and channels 50 kB: over these 90 cases 90 kB to 4.5 MB. Rows and
    # cases under way at a look have some 5 kB each, least where they are few
    assert min(sizes[-50:]) - min(sizes[20:70]) < 50e3


# ---------------------------------------------------------------- the command line


def test_command_runs_sums_up_and_compares(tmp_path: Path) -> None:
    success = [{"metric": "brick.rate_deg_s.peak", "below": HALF_DEG_S}]
    file = study_file(tmp_path, cases=80, success=success, limits={"brick.rate_deg_s.peak": HALF_DEG_S})
    heavy = study_file(tmp_path, "heavy", cases=80, success=success, set={"solver.duration_s": 0.3})
    runner = CliRunner()
    for study in (file, heavy):
        done = runner.invoke(main, ["study", str(study), "--out", str(tmp_path), "--workers", "2"])
        assert done.exit_code == 0, done.output
        assert "Clopper-Pearson" in done.output
        assert "80 of 80 cases" in done.stderr
    done = runner.invoke(main, ["study", "summary", str(tmp_path / "brick"), "--json"])
    found = json.loads(done.stdout)
    assert found["cases"] == 80
    assert found["success"]["low"] <= found["successes"] / 80 <= found["success"]["high"]
    beyond = found["metrics"][0]["exceedance"]
    assert beyond["count"] == 80 - found["successes"]
    assert found["metrics"][0]["tolerance"] is not None
    assert 20 < found["successes"] < 60
    # how fast it spins about x decides how fast it spins at most; its mass and where it flies have no say
    first, *others = found["drivers"]["brick.rate_deg_s.peak"]
    assert (first["key"], first["significant"]) == ("brick.rate_deg_s.0", True)
    assert first["coefficient"] > 0.95
    assert not any(driver["significant"] for driver in others)
    # the worst cases come with all their inputs, in words and in numbers
    table = load_table(tmp_path / "brick")
    for one in (False, True):
        words = ["study", "summary", str(tmp_path / "brick"), "--worst", "2", *(["--json"] if one else [])]
        done = runner.invoke(main, words)
        for k, (case, value) in enumerate(table.worst("brick.rate_deg_s.peak", 2)):
            inputs = {key: values[case - 1] for key, values in table.inputs.items()}
            if one:
                told = json.loads(done.stdout)["worst"]["brick.rate_deg_s.peak"][k]
                missed = list(table.missed[case - 1])
                assert told == {
                    "case": case, "value": value, "outcome": "completed", "missed": missed, "inputs": inputs
                }  # fmt: skip
            else:
                for text in (f"case {case}", f"{value:.6g}", *(f"{inputs[key]:.6g}" for key in inputs), *inputs):
                    assert text in done.stdout
    done = runner.invoke(main, ["study", "compare", str(tmp_path / "brick"), str(tmp_path / "heavy")])
    assert done.exit_code == 0, done.output
    assert "the same samples in both" in done.output


@pytest.mark.parametrize("rule", ["half-width", "half-width=0", "width=0.1", "failures=x", "failures=inf"])
def test_stopping_rule_that_says_nothing_is_refused(tmp_path: Path, rule: str) -> None:
    done = CliRunner().invoke(main, ["study", str(study_file(tmp_path)), "--stop-when", rule])
    assert done.exit_code == 2
    assert "half-width=0.01 or failures=20" in done.output


def test_figures_and_the_envelope_are_drawn_from_the_command_line(tmp_path: Path) -> None:
    run_study(brick_plan(tmp_path, cases=70, limits={"brick.rate_deg_s.peak": HALF_DEG_S}), tmp_path)
    runner = CliRunner()
    done = runner.invoke(main, ["study", "plot", str(tmp_path / "brick"), "--format", "svg", "--what", "exceedance"])
    assert done.exit_code == 0, done.output
    assert "tolerance limit" in Path(done.output.strip()).read_text()
    axes = [{"key": f"brick.rate_deg_s.{i}", "values": [0.0, 40.0]} for i in (0, 1)]
    success = [{"metric": "brick.rate_deg_s.peak", "below": HALF_DEG_S}]
    file = study_file(tmp_path, "circle", dispersions=None, cases=None, grid=axes, success=success)
    done = runner.invoke(main, ["study", "envelope", str(file), "--levels", "2", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "of a full grid" in done.output
    assert (tmp_path / "circle" / "envelope.png").stat().st_size > 1000


def test_options_may_stand_before_the_file(tmp_path: Path) -> None:
    arguments = ["study", "--workers", "1", "--out", str(tmp_path), str(study_file(tmp_path, cases=2))]
    assert CliRunner().invoke(main, arguments).exit_code == 0
