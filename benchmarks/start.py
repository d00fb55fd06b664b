"""`python -m benchmarks.start [--before REVISION]`: from the start of a process to its result, and the kernel's speed.

Four parts, all in processor time of whole processes, children included:

- compiling with an empty cache, after an edit of one line, and after an edit of a comment, against 0.1.0, whose sources
  are taken out of git where they are to be had;
- a wheel of dist/, unpacked, with an empty home: the first docking with its main figures, and without figures;
- starts with code in the cache;
- the loop alone, `dock_nds` and `leg_gallery` from their start to their end, against 0.1.0's ordinary compilation: the
  codes take turns, the best run of each counts.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BEFORE = "8fedad7"  # 0.1.0
DONE = "print('done')"
# where it is now, and where 0.1.0 has it
RUNS = """
try:
    from docksim.simulation.run import Run, prepare_kernel
except ImportError:
    from docksim.simulation import Run, prepare_kernel
prepare_kernel()
"""
PREPARE = f"{RUNS}\n{DONE}"
RUN = f"import docksim; docksim.run({{file!r}}); {DONE}"
COMMAND = ("-m", "docksim", "run", "scenarios/dock_nds.yaml", "--out", "results")
SCENARIO = "scenarios/dock_and_undock.yaml"
# an edit that changes machine code, and one that does not
EDITED = "docksim/kernel/run/integrators.py"
LINE = ("state.beta[j] = work.beta_start[j] + h / 6.0 *", "state.beta[j] = work.beta_start[j] + h / 6.5 *")
COMMENT = ('"""', '# a word\n"""')
TIMED = ("dock_nds", "leg_gallery")
# seconds of the loop alone, in a process that has it ready
LOOP = f"""
import sys, time
{RUNS}
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
scenario = load_scenario(sys.argv[1])
print("ready", flush=True)
for _ in sys.stdin:
    run = Run(compile_scenario(scenario))
    began = time.process_time()
    while run.running:
        run.advance(1 << 30)
    print(time.process_time() - began, flush=True)
"""
Rows = list[dict[str, Any]]


def startup(repeats: int) -> Rows:
    """Whole processes with code in the cache, best of the repeats."""
    run = RUN.format(file=str(ROOT / SCENARIO))
    # fills the cache if need be
    process("-c", run)
    codes = {"interpreter": DONE, "import docksim": f"import docksim; {DONE}", f"run {SCENARIO}": run}
    rows = []
    for what, code in codes.items():
        found = [process("-c", code) for _ in range(repeats)]
        rows.append({"what": what, **{key: min(one[key] for one in found) for key in found[0]}})
    return rows


def process(*arguments: str, sources: Path = ROOT, **settings: str) -> dict[str, float]:
    """Seconds on the clock from start to end of a Python process, and of processor time."""
    began, before = time.perf_counter(), os.times()
    done = subprocess.run(
        [sys.executable, "-P", *arguments], env={**os.environ, "PYTHONPATH": str(sources), **settings},
        cwd=settings.get("HOME"), capture_output=True, text=True, check=False,
    )  # fmt: skip
    wall, after = time.perf_counter() - began, os.times()
    if done.returncode != 0 or (arguments[0] == "-c" and done.stdout.strip() != "done"):
        raise RuntimeError(f"the measured process did not finish: {done.stderr}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"wall_s": wall, "processor_s": used}


# ---------------------------------------------------------------- compiling


def compiling(folder: Path, before: Path | None) -> Rows:
    """The kernel from an empty cache, and after edits of a copy."""
    sources = folder / "sources"
    shutil.copytree(ROOT / "docksim", sources / "docksim", ignore=shutil.ignore_patterns("__pycache__", "shipped"))

    def compile_(what: str, own: Path = sources, cache: str = "cache") -> dict[str, Any]:
        return {"what": what, **process("-c", PREPARE, sources=own, DOCKSIM_CACHE_DIR=str(folder / cache))}

    rows = [compile_("compile, empty cache")]
    _edit(sources / EDITED, *LINE)
    rows.append(compile_("compile, a line edited"))
    _edit(sources / EDITED, *COMMENT)
    rows.append(compile_("compile, a comment edited"))
    rows.append(compile_("load from the cache"))
    kept = [path for path in (folder / "cache").rglob("*") if path.is_file()]
    rows[0]["cache_bytes"] = max(path.stat().st_size for path in kept if path.suffix == ".o")
    if before is not None:
        rows.append(compile_("compile, empty cache, 0.1.0", before, "before"))
        rows.append(compile_("load from the cache, 0.1.0", before, "before"))
    return rows


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise RuntimeError(f"{path.name} has no line to edit: {old}")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def sources_of(revision: str, folder: Path) -> Path | None:
    """An earlier version's sources, where git has them."""
    command = ["git", "-C", str(ROOT), "archive", revision, "docksim", "configs", "scenarios"]
    found = subprocess.run(command, capture_output=True, check=False)
    if found.returncode != 0:
        return None
    with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


# ---------------------------------------------------------------- a wheel


def wheel(folder: Path) -> Rows:
    """The first docking of an unpacked wheel with an empty home; nothing if there is no wheel."""
    rows = []
    for path in sorted((ROOT / "dist").glob("docksim-*manylinux*.whl"))[-1:]:
        for figures in ("main", "none", "all"):
            home = folder / figures
            zipfile.ZipFile(path).extractall(home / "site")
            took = process(*COMMAND, "--figures", figures, sources=home / "site", HOME=str(home))
            rows.append({"what": f"first docking of the wheel, figures: {figures}", **took})
    return rows


# ---------------------------------------------------------------- the loop


def loops(repeats: int, folder: Path, before: Path | None) -> Rows:
    """Seconds of the loop alone, by code."""
    ways = {level: (ROOT, {"DOCKSIM_LEVEL": f"x86-64-{level}"}) for level in ("v2", "v3", "v4")}
    if before is not None:
        # ordinary compilation takes all that this processor has; told to take less, it is like v3
        like = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+avx2", "DOCKSIM_CACHE_DIR": str(folder / "like")}
        ways |= {"0.1.0": (before, {"DOCKSIM_CACHE_DIR": str(folder / "before")}), "0.1.0 as v3": (before, like)}
    rows = []
    for name in TIMED:
        tasks = {way: timed_loop(own, name, settings) for way, (own, settings) in ways.items()}
        samples: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(repeats):
            for way, task in tasks.items():
                samples[way].append(next(task))
        rows.append({"scenario": name, **{way: min(found) for way, found in samples.items()}})
    return rows


def timed_loop(sources: Path, name: str, settings: dict[str, str]) -> Generator[float, None, None]:
    with subprocess.Popen(
        [sys.executable, "-P", "-c", LOOP, str(sources / "scenarios" / f"{name}.yaml")], text=True,
        env={**os.environ, "PYTHONPATH": str(sources), **settings}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as running:  # fmt: skip
        assert running.stdin is not None
        assert running.stdout is not None
        if running.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{name} does not run")
        while True:
            running.stdin.write("again\n")
            running.stdin.flush()
            yield float(running.stdout.readline())


def show(found: dict[str, Rows], tell: Callable[[str], None] = print) -> None:
    for part in ("compiling", "wheel", "startup"):
        for row in found[part]:
            times = f"{row['processor_s']:7.2f} s of processor time, {row['wall_s']:6.2f} s in all"
            size = f", {row['cache_bytes'] / 1e6:.2f} MB kept" if "cache_bytes" in row else ""
            tell(f"{row['what']:45s} {times}{size}")
    for row in found["loops"]:
        words = (f"{way} {row[way]:.3f} s" for way in row if way != "scenario")
        tell(f"the loop of {row['scenario']}: {', '.join(words)}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start", description=__doc__)
    parser.add_argument("--before", default=BEFORE, metavar="REVISION", help=f"what to compare with (default {BEFORE})")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="of warm starts and loops")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    told = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        before = sources_of(told.before, folder / "earlier")
        if before is None:
            print(f"git has no {told.before} here: nothing to compare with")
        found = {
            "compiling": compiling(folder, before),
            "wheel": wheel(folder),
            "startup": startup(told.repeats),
            "loops": loops(told.repeats, folder, before),
        }
    show(found)
    if not found["wheel"]:
        print("no wheel in dist/: `make wheel` makes one")
    if told.json:
        told.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
