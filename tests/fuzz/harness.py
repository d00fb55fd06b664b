"""Targets in processes of their own, which may die: each writes down what it is about to feed, so that an input that
kills or hangs it is a finding like another."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.targets import targets

START_S, HANG_S = 600.0, 30.0
FOUND = Path("fuzz_findings")


def fed(name: str, seed: int, count: int, until: float, place: Path, told: Any) -> None:
    """Draw and feed, in a process of its own; how it went goes into the pipe."""
    target, scratch = targets(place)[name], place / "scratch"
    scratch.mkdir(exist_ok=True)
    words: Counter[str] = Counter()
    # what inputs are drawn from is made here, which takes as long as it takes
    target.draw(Random(name))
    told.send(("ready", 0))
    for i in range(count):
        if time.time() > until:
            break
        content = target.draw(Random(f"{name} {seed} {i}"))
        (place / "input").write_bytes(content)
        told.send(("begun", i))
        try:
            words[target.feed(content, scratch)] += 1
        except Exception:
            words["found"] += 1
            told.send(("found", traceback.format_exc(limit=-4)))
    told.send(("done", words))


def watched(name: str, seed: int, count: int, until: float, place: Path) -> Counter[str]:
    """A target's process, begun again after each crash."""
    words: Counter[str] = Counter()
    context = multiprocessing.get_context("spawn")
    while time.time() < until and sum(words.values()) < count:
        ear, mouth = context.Pipe(duplex=False)
        left = count - sum(words.values())
        process = context.Process(target=fed, args=(name, seed + sum(words.values()), left, until, place, mouth))
        process.start()
        mouth.close()
        begun, patience = 0, START_S
        try:
            while ear.poll(patience):
                kind, what = ear.recv()
                patience = HANG_S
                begun += kind == "begun"
                if kind == "found":
                    keep(place, name, what)
                elif kind == "done":
                    words += what
                    process.join()
                    return words
            fault = f"nothing for {HANG_S:g} s"
        except EOFError:
            process.join()
            fault = f"the process died, exit code {process.exitcode}"
        process.kill()
        keep(place, name, fault)
        words += Counter({"found": 1, "before a crash": max(begun - 1, 0)})
    return words


def keep(place: Path, name: str, what: str) -> None:
    """The input that did it, and what it did."""
    FOUND.mkdir(exist_ok=True)
    number = len(list(FOUND.glob(f"{name}-*.txt")))
    (FOUND / f"{name}-{number}").write_bytes((place / "input").read_bytes())
    (FOUND / f"{name}-{number}.txt").write_text(what)
    print(f"{name}: {what.strip().splitlines()[-1][:300]}; kept as {FOUND / f'{name}-{number}'}", flush=True)
