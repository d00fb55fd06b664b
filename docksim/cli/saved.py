"""Saved results as commands are given them: a folder, or the name of what was run, which means its newest run."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.chain.motion.saved import is_motion
from docksim.config.errors import did_you_mean
from docksim.config.loading.study import is_study
from docksim.result.result import ResultError

RESULTS = Path("results")


def saved(path: Path, verb: str = "plot") -> Path:
    """The result, study or motion that is meant; of several runs the newest, and it is said. `verb`: what is asked."""
    if path.suffix in (".yaml", ".yml") and not path.is_dir():
        kind, command = ("study file", "study") if is_study(path) else ("scenario", "run")
        then = f"docksim {verb} results/{path.stem}"
        raise ResultError(f"{path}: is a {kind}, not a result; docksim {command} {path} first, then {then}")
    if not path.exists() and len(path.parts) == 1:
        path = RESULTS / path
    if not path.exists():
        there = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
        raise ResultError(f"{path}: no such result folder{did_you_mean(path.name, there)}")
    if not path.is_dir() or (path / "manifest.json").exists() or is_study_folder(path) or is_motion(path):
        return path
    runs = sorted(path.glob("*/manifest.json"), key=lambda file: (file.stat().st_mtime_ns, file.parent.name))
    if not runs:
        return path
    newest = runs[-1].parent
    which = f"the newest of its {len(runs)} runs" if len(runs) > 1 else "its newest run"
    click.echo(f"{path}: {which} is {newest.name}", err=True)
    return newest


def is_study_folder(path: Path) -> bool:
    """Whether a path is a study's folder or table, rather than a result."""
    return path.suffix == ".sqlite" or (path / "study.sqlite").is_file() or (path / "envelope.json").is_file()
