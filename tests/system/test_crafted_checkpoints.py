"""Checkpoints that somebody made up, with a digest that fits: refused in a line before compiled code follows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.simulation.bounds import bounds, fields
from docksim.simulation.checkpoint import CHECKPOINT, CheckpointError, read_checkpoint, write_checkpoint
from docksim.simulation.run import Run, run_on

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def docked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two vehicles that a join made one tree."""
    run = Run(compile_scenario(load_scenario(ROOT / "scenarios/dock_and_undock.yaml")))
    while run.running and not len(run.compiled.state.record[: run.compiled.state.clock[0].n_records]):
        run.advance(100)
    return write_checkpoint(run, tmp_path_factory.mktemp("docked") / "kept.npz")


def crafted(kept: Path, table: str, field: str, value: Any, row: int | None = None) -> Path:
    arrays = {name: array for name, array in CHECKPOINT.read(kept).items() if name != "about"}
    changed = arrays[table] if not field else arrays[table][field]
    changed[... if row is None else row] = value
    return CHECKPOINT.write(kept.parent / "crafted.npz", arrays)


def test_the_checkpoint_itself_is_taken_up(docked: Path) -> None:
    run = read_checkpoint(docked)
    assert run.compiled.state.link["parent"].max() > 0
    assert run_on(run).outcome == "stopped"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("step", 0),
        ("step", 150),
        ("substep", 1000),
        ("substeps", 1000),
        ("finest", 10**6),
        ("status", 1000),
        ("status", 1),
        ("phase", 77),
        ("n_records", 1000),
        ("since", 0.5),
        ("until", 1e9),
        ("t", 1e9),
        ("t", np.nan),
    ],
)
def test_clock_that_does_not_fit_is_refused(field: str, value: float, docked: Path) -> None:
    with pytest.raises(CheckpointError, match=r"crafted\.npz: damaged: [^\n]*$"):
        read_checkpoint(crafted(docked, "state.clock", field, value))


@pytest.mark.parametrize(
    ("table", "field", "value", "row"),
    [
        ("state.link", "parent", 2, 1),
        ("state.link", "joint", 0, 2),
        ("state.link", "sign", 0.5, 1),
        ("state.order", "", 1, None),
        ("state.slot_used", "", 1, None),
        ("state.slot_used", "", 0, None),
        ("state.dof", "mode", 3, 0),
        ("state.dof", "profile", 10**6, 0),
        ("state.event", "fired", 2, 0),
        ("state.record", "event", -1, 0),
        ("state.q", "", np.inf, 0),
        ("log.head", "time", 1e9, 3),
        ("log.head", "phase", 0.5, 3),
    ],
)
def test_tables_that_do_not_fit_are_refused(
    table: str, field: str, value: float, row: int | None, docked: Path
) -> None:
    with pytest.raises(CheckpointError, match=r"crafted\.npz: damaged: [^\n]*$"):
        read_checkpoint(crafted(docked, table, field, value, row))


def test_scenario_within_is_refused_in_a_line_if_it_is_none(docked: Path) -> None:
    arrays = {name: array for name, array in CHECKPOINT.read(docked).items() if name != "about"}
    for text in (b"\xff\xfe", b"vehicles: [1]\nsolver: 3\n"):
        arrays["scenario"] = np.frombuffer(text, np.uint8)
        with pytest.raises(CheckpointError, match=r"crafted\.npz: [^\n]*its scenario is (no text|refused)[^\n]*$"):
            read_checkpoint(CHECKPOINT.write(docked.parent / "crafted.npz", arrays))


@pytest.mark.parametrize(
    "name", ["dock_nds", "docked_loads", "undock_tipoff", "thruster_pulses", "berth_module", "free_flying_arm"]
)
def test_every_whole_number_of_a_state_has_its_bounds(name: str) -> None:
    compiled = compile_scenario(load_scenario(ROOT / f"scenarios/{name}.yaml"))
    known = bounds(compiled.model, compiled.state)
    for field, values in fields(compiled.state._asdict(), "iu"):
        least, largest = known.get(field, (1, 0))
        assert least <= largest or not values.size, f"{field} has no bounds in docksim/simulation/bounds.py"
        assert np.all((values >= least) & (values <= largest)), field
