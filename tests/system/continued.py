"""Runs that go on from states inside shipped scenarios: `python -m tests.system.continued FOLDER` prints their bits.

FOLDER holds checkpoints. From each a run goes on for some steps in whatever way this process computes: compiled for
some level, or as plain Python. Every table of the state and every new row of the log gets a hash, so that a difference
says where it is.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from docksim.simulation.checkpoint import read_checkpoint
from docksim.simulation.run import prepare_kernel
from tests.system import quick_records

STEPS = 2

Bits = dict[str, dict[str, str]]


def continued(folder: Path) -> Bits:
    """Hashes by checkpoint and table."""
    return {file.stem: _bits_after(file) for file in sorted(folder.glob("*.npz"))}


def _bits_after(file: Path) -> dict[str, str]:
    run = read_checkpoint(file)
    rows = int(run.log.rows[0])
    run.advance(STEPS)
    new = run.log.picked(slice(rows, int(run.log.rows[0]))).tables()
    tables = run.compiled.state._asdict() | {f"log.{name}": table for name, table in new.items()}
    return {name: hashlib.sha256(table.tobytes()).hexdigest()[:16] for name, table in tables.items()}


if __name__ == "__main__":
    quick_records.install()
    prepare_kernel()
    print(json.dumps(continued(Path(sys.argv[1]))))
