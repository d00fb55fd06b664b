"""Bits of the shipped scenarios: `python -m tests.system.bits_of_runs [NAME...]` compares them with the table.

A hash covers every channel by its name and all its rows, and every metric. The exit code is 1 where one differs, in
whatever way this process computes: `DOCKSIM_LEVEL=x86-64-v2`, `DOCKSIM_KERNEL=jit` before the command. `--write` makes
the table anew; it changes only with a line in the changelog, and with the version. `--named FILE` writes the hash of
every channel and every metric by itself, to find out which one differs.
"""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.model import State
from docksim.model.log import Log
from docksim.result.result import Result
from docksim.simulation.checkpoint import write_checkpoint
from docksim.simulation.run import Run, prepare_kernel

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("bits.json")
NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))
LOOK, CHUNK = 96, 1  # steps between looks at a run whose states are kept, and where something happens


def started(name: str) -> Run:
    prepare_kernel()
    return Run(compile_scenario(load_scenario(file_of(name))))


def file_of(name: str) -> Path:
    return ROOT / "scenarios" / f"{name}.yaml"


def ended(name: str) -> Run:
    """A scenario's whole run."""
    run = started(name)
    while run.running:
        run.advance(1 << 30)
    return run


def keep_states(name: str, folder: Path) -> None:
    """A checkpoint before the first event of a scenario, or before the one after it where interfaces touch then; at its
    start and in its middle if there is none."""
    run = started(name)
    wanted = 2 if len(run.compiled.state.contact) else 1
    clock = run.compiled.state.clock
    halfway = int(run.compiled.model.settings[0].n_steps) // 2
    quiet: list[tuple[State, Log]] = []
    eventful: list[tuple[State, Log]] = []
    stride, closely_until = LOOK, 0
    while run.running and len(eventful) < wanted:
        before = State(*(table.copy() for table in run.compiled.state)), run.log.filled()
        records, step = int(clock[0].n_records), run.step
        run.advance(stride)
        happened = clock[0].n_records > records
        if happened and stride == LOOK:
            # back, to see it from near
            for table, kept in zip(run.compiled.state, before[0], strict=True):
                table[...] = kept
            run.log.rows[0] = before[1].rows[0]
            stride, closely_until = CHUNK, step + LOOK
        elif happened:
            eventful.append(before)
        elif step == 0 or step <= halfway < run.step:
            quiet.append(before)
        if run.step >= closely_until:
            stride = LOOK
    for state, log in eventful[-1:] or quiet:
        then = Run(replace(run.compiled, state=state), log)
        write_checkpoint(then, folder / f"{name}-{then.step}.npz")


def named_bits(result: Result) -> dict[str, str]:
    """Hashes of all channels, and all metrics as text, by name."""
    channels = {name: hashlib.sha256(channel.data.tobytes()) for name, channel in result.channels.items()}
    metrics = {f"metric {name}": repr(value) for name, value in result.metrics.items()}
    return {name: found.hexdigest()[:16] for name, found in channels.items()} | metrics


def assert_bits_of_the_table(name: str, result: Result) -> None:
    """The result of a shipped scenario has the bits that are kept."""
    assert digest(named_bits(result)) == table()[name], f"python -m tests.system.bits_of_runs {name} --named FILE"


def digest(named: dict[str, str]) -> str:
    """All of them as one."""
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()[:16]


def table() -> dict[str, str]:
    """The bits that are kept."""
    found: dict[str, str] = json.loads(TABLE.read_text(encoding="utf-8"))["bits"]
    return found


def main(arguments: list[str]) -> int:
    named = Path(arguments[arguments.index("--named") + 1]) if "--named" in arguments else None
    names = [name for name in arguments if name in NAMES] or NAMES
    by_name = {name: named_bits(ended(name).result()) for name in names}
    found = {name: digest(bits) for name, bits in by_name.items()}
    if named is not None:
        named.write_text(json.dumps(by_name, indent=1) + "\n", encoding="utf-8")
    if "--write" in arguments:
        content = {
            "docksim_version": docksim.__version__,
            "bits": {name: bits for name, bits in sorted((table() | found).items()) if name in NAMES},
        }
        TABLE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    wrong = [name for name in names if found[name] != table().get(name)]
    for name in names:
        print(name, found[name], "differs" if name in wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
