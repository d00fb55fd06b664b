"""`python -m tests.fuzz`: all targets in turn until the time is over; exit code 1 if anything was found."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.harness import watched
from tests.fuzz.targets import targets


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", action="append", help="this target")
    parser.add_argument("--count", type=int, default=10**9, help="inputs of each target at most")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of the inputs")
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        names = asked.only or list(targets(Path(folder)))
        ends = time.time() + 60.0 * asked.minutes
        for i, name in enumerate(names):
            place = Path(folder) / name
            place.mkdir()
            until = time.time() + (ends - time.time()) / (len(names) - i)
            began = time.time()
            words = watched(name, asked.seed, asked.count, until, place)
            found += words["found"]
            told = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
            print(f"{name}: {sum(words.values())} in {time.time() - began:.0f} s: {told}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
