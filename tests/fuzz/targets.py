"""What is fed with what. `draw` makes an input, `feed` gives it to a reader and says what came of it in a word."""

from __future__ import annotations

import contextlib
import io
import json
import sqlite3
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import yaml

from docksim.cli.study_tables import show_summary
from docksim.cli.tables import fact_table
from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.study import load_study
from docksim.report.facts import facts_of
from docksim.result.export import WRITERS
from docksim.result.result import Result, ResultError
from docksim.result.summary import summarize
from docksim.result.summary_text import event_rows, metric_rows
from docksim.simulation.checkpoint import CHECKPOINT, read_checkpoint, write_checkpoint
from docksim.simulation.run import new_run, run_on
from docksim.study.export import TABLE_WRITERS
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import Table, load_table
from tests.fuzz.basis import MOST_LINES, REFUSED, ROOT, TAKEN, Target, fit_to_open, fit_to_print
from tests.fuzz.chains import ChainText, RecordingFile, SavedMotion, TaskText, Urdf
from tests.fuzz.damage import another, damaged, replaced
from tests.fuzz.outside import JournalOfRun, Packets
from tests.support.studies import brick_plan
from tests.unit.config.fuzzing import change, places, value_at

# beside those that the schema refuses everywhere
EXTREMES = [
    *(0, -1, 1e-9, -1e-9, 1e-15, 1e-30, 1e-160, 1e-300, 5e-324, 1e5, 1e9, -1e9, 1e12, 1e15, -1e15, 1e20, 1e30, 1e100),
    *(1e155, -1e155, 1e300, 1.7e308, -1.7e308, 2**31, 2**63, 2**70, 10**400),
]


# ---------------------------------------------------------------- text


@dataclass
class ScenarioText:
    """Damaged scenario files; what is taken is written again."""

    suffix = ".yaml"
    names = ("dock_nds", "boom_and_slosh", "thruster_pulses", "leg_gallery", "joint_gallery")

    @cached_property
    def seeds(self) -> list[bytes]:
        return [(ROOT / f"scenarios/{name}.yaml").read_bytes() for name in self.names]

    def draw(self, rng: Random) -> bytes:
        seed = rng.choice(self.seeds)
        if rng.random() < 0.6:
            return damaged(seed, rng)
        return json.dumps(replaced(yaml.safe_load(seed), rng)).encode()

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / "scenario.yaml"
        file.write_bytes(content)
        try:
            load_scenario(file).to_yaml()
        except ScenarioError as error:
            fit_to_print(str(error), MOST_LINES)
            return REFUSED
        return TAKEN


@dataclass
class ExtremeScenario:
    """Scenarios with an extreme value or two among those of every key written out; what is taken is begun."""

    quick: bool = False
    suffix = ".yaml"

    @cached_property
    def seeds(self) -> list[Any]:
        quick = ("joint_gallery", "leg_gallery", "thruster_pulses", "wheel_hold")
        files = sorted((ROOT / "scenarios").glob("*.yaml"))
        texts = [load_scenario(file).to_yaml() for file in files if not self.quick or file.stem in quick]
        return [yaml.load(text, yaml.CSafeLoader) for text in texts]

    def draw(self, rng: Random) -> bytes:
        content = deepcopy(rng.choice(self.seeds))
        numbers = [path for path in places(content) if isinstance(value_at(content, path), (int, float))]
        change(content, [(path, rng.choice(EXTREMES)) for path in rng.sample(numbers, rng.choice((1, 1, 2)))])
        return yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False).encode()

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / "scenario.yaml"
        file.write_bytes(content)
        try:
            with np.errstate(all="ignore"):
                run = new_run(load_scenario(file))
                run.advance(25)
                run.result(("interrupted", "enough") if run.running else None)
        except ScenarioError as error:
            fit_to_print(str(error), MOST_LINES)
            without = [str(problem) for problem in error.problems if not (problem.line and problem.key)]
        else:
            return TAKEN
        assert not without, without
        return REFUSED


@dataclass
class StudyText(ScenarioText):
    """Damaged study files."""

    names = ("soft_capture", "idss_nds", "soft_capture_rare")

    @cached_property
    def seeds(self) -> list[bytes]:
        return [(ROOT / f"studies/{name}.yaml").read_bytes() for name in self.names]

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / "study.yaml"
        file.write_bytes(content)
        try:
            load_study(file)
        except ScenarioError as error:
            fit_to_print(str(error), MOST_LINES)
            return REFUSED
        return TAKEN


# ---------------------------------------------------------------- results and studies


@dataclass
class SavedResult:
    """A result folder with one damaged file, as a JSON list: its name and its content in hexadecimal."""

    folder: Path
    suffix = ".json"

    @cached_property
    def files(self) -> dict[str, bytes]:
        place = self.folder / "result"
        if not place.is_dir():
            changes = {"solver.duration_s": 1.0, "outputs.every_s": 0.05}
            run_on(new_run(load_scenario(ROOT / "scenarios/thruster_pulses.yaml", changes))).save(place)
        return {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}

    def draw(self, rng: Random) -> bytes:
        name = rng.choice([name for name in self.files if name != "scenario.yaml"])
        content = self.files[name]
        if name.endswith(".json") and rng.random() < 0.7:
            changed = json.dumps(replaced(json.loads(content), rng)).encode()
        elif name == "data.npz" and rng.random() < 0.7:
            changed = self._other_numbers(rng)
        else:
            changed = damaged(content, rng)
        return json.dumps([name, changed.hex()]).encode()

    def _other_numbers(self, rng: Random) -> bytes:
        with np.load(io.BytesIO(self.files["data.npz"])) as archive:
            arrays = {name: archive[name] for name in archive.files}
        name = rng.choice(list(arrays))
        stream = io.BytesIO()
        np.savez(stream, **{**arrays, name: another(arrays[name], rng)})
        return stream.getvalue()

    def feed(self, content: bytes, folder: Path) -> str:
        name, changed = json.loads(content)
        place = folder / "result"
        if not place.is_dir():
            place.mkdir()
            for other, own in self.files.items():
                (place / other).write_bytes(own)
        (place / name).write_bytes(bytes.fromhex(changed))
        try:
            result = Result.load(place)
            with np.errstate(all="ignore"):
                self.use(result)
        except ResultError as error:
            fit_to_print(str(error))
            return REFUSED
        finally:
            (place / name).write_bytes(self.files[name])
        return TAKEN

    def use(self, result: Result) -> None:
        """What the commands say of a result."""
        summary = summarize(result)
        for label, value in (*event_rows(summary), *metric_rows(summary), ("reason", result.reason)):
            fit_to_print(f"{label} {value}", 40)
        facts_of(result)
        for write in WRITERS.values():
            write(result, io.BytesIO())
        fact_table(result.scenario_name)


class DrawnResult(SavedResult):
    """The same, drawn and shown as well, which takes a second each."""

    def use(self, result: Result) -> None:
        from matplotlib.figure import Figure

        from docksim.plots.run.figures import all_figures
        from docksim.replay.build import replay_page
        from docksim.report.pages import report_of_results

        figures: dict[str, Figure] = all_figures(result)
        for figure in figures.values():
            figure.draw_without_rendering()
        fit_to_open(report_of_results({"one": result}, ["energy"]), 0)
        fit_to_open(report_of_results({"one": result, "other": result}, ["energy"]), 0)
        fit_to_open(replay_page(result), 3, forms=1)


@dataclass
class StudyTable:
    """A study's database, damaged as bytes or in a cell."""

    folder: Path
    suffix = ".sqlite"

    @cached_property
    def content(self) -> bytes:
        if not (self.folder / "brick").is_dir():
            run_study(brick_plan(self.folder, cases=12), self.folder)
        return (self.folder / "brick/study.sqlite").read_bytes()

    def draw(self, rng: Random) -> bytes:
        if rng.random() < 0.3:
            return damaged(self.content, rng)
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(self.content)
            for _ in range(rng.choice((1, 1, 2))):
                self._change(connection, rng)
            connection.commit()
            return connection.serialize()

    def _change(self, connection: sqlite3.Connection, rng: Random) -> None:
        table = rng.choice(("about", "about", "cases", "timing", "sessions"))
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
        if not rows:
            return
        column, row = rng.choice(columns), rng.choice(rows)
        quoted = '"' + column + '"'
        (old,) = connection.execute(f"SELECT {quoted} FROM {table} WHERE rowid = ?", [row]).fetchone()
        value: Any = rng.choice([None, "", "x", b"blob", -1, 2**62, 1e308, 0.5, "\x1b[31m", "1e999", "[" * 5000])
        if isinstance(old, str) and rng.random() < 0.7:
            with contextlib.suppress(ValueError):
                value = json.dumps(replaced(json.loads(old), rng))
        # what the table forbids is not put in
        with contextlib.suppress(sqlite3.IntegrityError):
            connection.execute(f"UPDATE {table} SET {quoted} = ? WHERE rowid = ?", [value, row])

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / "study.sqlite"
        file.write_bytes(content)
        told = io.StringIO()
        try:
            with contextlib.redirect_stdout(told), np.errstate(all="ignore"):
                table = load_table(file)
                show_summary(summarize_study(table))
                self.use(table)
        except ResultError as error:
            fit_to_print(str(error))
            return REFUSED
        fit_to_print(told.getvalue(), 200)
        return TAKEN

    def use(self, table: Table) -> None:
        """What else is made of it."""


class DrawnTable(StudyTable):
    """The same, as a page, as a card and as files of other programs."""

    def use(self, table: Table) -> None:
        from docksim.report.pages import report_of_study
        from docksim.scripting.figures import study_card

        fit_to_open(report_of_study(table, ["scatter"]), 0)
        fit_to_open(study_card(table), 0)
        for write in TABLE_WRITERS.values():
            write(table, io.BytesIO())


# ---------------------------------------------------------------- checkpoints


@dataclass
class Checkpoint:
    """Any array of a checkpoint changed, with a digest that fits; now and then its bytes are damaged."""

    folder: Path
    quick: bool = False
    suffix = ".npz"

    @property
    def runs(self) -> tuple[tuple[str, int], ...]:
        slow = (("dock_nds", 5300), ("admittance_capture", 1001), ("undock_tipoff", 800), ("berth_module", 900))
        return (("tumbling_brick", 100), *(() if self.quick else (("dock_and_undock", 2000), *slow)))

    @cached_property
    def kept(self) -> list[Path]:
        files = [self.folder / f"{name}.npz" for name, _ in self.runs]
        for (name, step), file in zip(self.runs, files, strict=True):
            if not file.exists():
                run = new_run(load_scenario(ROOT / f"scenarios/{name}.yaml"))
                run.advance(step)
                write_checkpoint(run, file)
        return files

    @cached_property
    def arrays(self) -> list[dict[str, np.ndarray]]:
        return [CHECKPOINT.read(file) for file in self.kept]

    def draw(self, rng: Random) -> bytes:
        which = rng.choices(range(len(self.runs)), (6, 3, 2, 2, 2, 2)[: len(self.runs)])[0]
        if rng.random() < 0.15:
            return damaged(self.kept[which].read_bytes(), rng)
        arrays = {name: array for name, array in self.arrays[which].items() if name != "about"}
        for _ in range(rng.choice((1, 1, 2))):
            # the clock decides more than all others
            name = "state.clock" if rng.random() < 0.3 else rng.choice(list(arrays))
            arrays[name] = another(arrays[name], rng)
        file = CHECKPOINT.write(self.folder / "drawn.npz", arrays)
        return file.read_bytes()

    def feed(self, content: bytes, folder: Path) -> str:
        file = folder / "checkpoint.npz"
        file.write_bytes(content)
        try:
            run = read_checkpoint(file)
            run.advance(25)
            with np.errstate(all="ignore"):
                run.result(("interrupted", "enough") if run.running else None)
        except ResultError as error:
            fit_to_print(str(error), 4)
            return REFUSED
        return TAKEN


def targets(folder: Path, quick: bool = False) -> dict[str, Target]:
    """All of them; what they start from is made in the folder once. `quick` leaves out what takes long."""
    return {
        "scenario": ScenarioText(),
        "extreme": ExtremeScenario(quick),
        "study": StudyText(),
        "result": SavedResult(folder),
        "drawn": DrawnResult(folder),
        "table": StudyTable(folder),
        "drawn table": DrawnTable(folder),
        "checkpoint": Checkpoint(folder, quick),
        "packet": Packets(),
        "journal": JournalOfRun(folder),
        "chain": ChainText(),
        "urdf": Urdf(),
        "task": TaskText(),
        "recording": RecordingFile(folder),
        "motion": SavedMotion(folder),
    }
