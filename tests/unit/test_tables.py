"""What the summary tables say and leave out."""

import io
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from docksim.cli.progress import Display
from docksim.cli.tables import batch_table, left, listing, print_table, right, run_table, short_names
from docksim.jobs.batch import RunReport
from docksim.result.summary import Summary, summarize
from docksim.result.summary_text import MAX_METRICS, condensed
from tests.support import samples


def text(table: Table, width: int = 140) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(table)
    return stream.getvalue()


def test_metrics_of_a_beam_are_one_line_with_the_largest() -> None:
    metrics = {"a.boom.1.load.peak": 2.0, "a.boom.2.load.peak": 3.5, "a.j2.load.peak": 1.0, "case.1.name": "x"}
    assert condensed(metrics) == {"a.boom.*.load.peak": "3.5, largest of 2", "a.j2.load.peak": "1", "case.*.name": "x"}


def test_long_lists_of_metrics_are_cut_and_say_so() -> None:
    metrics = {f"m{i:03d}": float(i) for i in range(MAX_METRICS + 5)}
    shown = text(run_table(RunReport("a.yaml", "completed"), Summary(1.0, 1.0, None, {}, [], metrics)))
    assert "m000" in shown
    assert f"m{MAX_METRICS:03d}" not in shown
    assert "5 more in metrics.json" in shown


def test_words_of_the_user_are_never_read_as_markup() -> None:
    report = RunReport("[bold]a.yaml", "failed", "[red]no[/red] [/oops]", "s")
    assert "[red]no[/red] [/oops]" in text(run_table(report, summarize(samples.result())))
    assert "[bold]a.yaml" in text(batch_table([report]))


def test_files_of_one_folder_go_by_their_names() -> None:
    assert short_names(["x/a.yaml", "x/b.yaml"]) == ["a.yaml", "b.yaml"]
    assert short_names(["x/a.yaml", "y/a.yaml"]) == ["x/a.yaml", "y/a.yaml"]
    assert short_names([str(Path("a.yaml"))]) == ["a.yaml"]


def test_nothing_of_a_batch_row_is_cut_off_in_a_narrow_window() -> None:
    reason = "non-finite state at 3 s"
    report = RunReport("scenarios/a_rather_long_name.yaml", "diverged", reason, summary=summarize(samples.result()))
    shown = "".join(text(batch_table([report]), width=80).split())
    for word in reason.split():
        assert word in shown


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_nothing_is_cut_off_where_a_table_goes_into_a_pipe(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    name, figures, words = "dock.peak_compression_N.band_high", "0.5375 [0.4224, 0.6497]", "out of bounds, over limit"
    for wrap in (False, True):
        table = listing("", *left("metric", fold=wrap), *right("probability of success", "at most", wrap=wrap))
        table.columns[0].min_width = 30
        table.add_row(name, figures, words)
        print_table(table)
        lines = capsys.readouterr().out.splitlines()
        assert any(name in line for line in lines)
        # column by column, what stands below each other is one cell
        folded = "".join(line[len(name) + 2 :] for line in lines)
        letters = Counter(folded.replace(" ", "").replace("─", ""))
        assert letters == Counter(f"probability of success at most {figures} {words}".replace(" ", ""))


def test_bar_appears_only_after_a_second_and_only_on_a_terminal() -> None:
    for terminal, late, expected in ((True, True, True), (True, False, False), (False, True, False)):
        stream = io.StringIO()
        display = Display(["a.yaml"], Console(file=stream, force_terminal=terminal))
        display._kernel_checked = True
        if late:
            display._began -= 2.0
        with display:
            display.update(0, 0.4)
        assert ("40%" in stream.getvalue()) is expected


def test_long_quiet_runs_print_a_line_now_and_then() -> None:
    stream = io.StringIO()
    display = Display(["a.yaml"], Console(file=stream))
    display._kernel_checked = True
    display._began -= 60.0
    display._last_line -= 60.0
    for fraction in (0.25, 0.26, 0.27):
        display.update(0, fraction)
    assert stream.getvalue() == "a.yaml: 25%\n"
