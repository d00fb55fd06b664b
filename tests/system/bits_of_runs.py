"""Bits of the shipped scenarios: `python -m tests.system.bits_of_runs [NAME...]` prints a hash of each, as JSON.

A hash covers every table of the final state, every logged row and every channel made of them. `--write` makes the table
anew that tests compare with; it changes only with a line in the changelog, and with the version.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import docksim
from docksim.channels import channels_of
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.simulation import Run, prepare_kernel

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("bits.json")
NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))


def bits_of(name: str) -> str:
    """Hash of a scenario's whole run."""
    prepare_kernel()
    run = Run(compile_scenario(load_scenario(ROOT / "scenarios" / f"{name}.yaml")))
    while run.running:
        run.advance(1 << 30)
    rows = run.log.data[: run.log.rows[0]]
    told = hashlib.sha256(rows.tobytes())
    for table in run.compiled.state:
        told.update(table.tobytes())
    for channel in channels_of(run.compiled, rows):
        told.update(channel.name.encode() + channel.data.tobytes())
    return told.hexdigest()[:16]


def main(arguments: list[str]) -> None:
    names = [name for name in arguments if not name.startswith("--")] or NAMES
    found = {name: bits_of(name) for name in names}
    text = json.dumps({"docksim_version": docksim.__version__, "bits": found}, indent=1)
    if "--write" in arguments:
        TABLE.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
