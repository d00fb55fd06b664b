"""Scenario files with one mistake on a known line, as people make them: is that line reported?

python -m tests.fuzz.mistakes --count 1500 --seed 202
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from docksim.config import ScenarioError, load_scenario

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("quote", "bracket", "tab", "colon", "unknown", "duplicate", "type", "indent", "dedent", "colons", "text")
KEY = re.compile(r"(\s*)(- )?([A-Za-z_][\w.]*):( .*)?$")


def mistaken(lines: list[str], rng: Random) -> tuple[list[str], set[int], str] | None:
    """Lines with one mistake, where it is, counted from 1, and its kind; None where none can be made."""
    kind = rng.choice(KINDS)
    places = [i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    for i in rng.sample(places, len(places)):
        new = wrong(lines[i], kind, rng)
        if new is not None and new != lines[i]:
            twice = kind == "duplicate"
            return [*lines[:i], *([lines[i]] if twice else []), new, *lines[i + 1 :]], {i + 1, i + 1 + twice}, kind
    return None


def wrong(line: str, kind: str, rng: Random) -> str | None:
    """The line with a mistake, if it can have one of this kind."""
    code = line.split(" #")[0].rstrip()
    rest, key = line[len(code) :], KEY.match(code)
    value = (key[4] or "").strip() if key else ""
    simple = bool(value) and value[0] not in "[{\"'|>&*"
    match kind:
        case "quote" if code.count('"') == 2:
            return '"'.join(code.rsplit('"', 1)[:1]) + code.rsplit('"', 1)[1] + rest
        case "quote" if key and simple:
            return f'{code[: key.start(4)]} "{value}{rest}'
        case "bracket":
            closers = [j for j, letter in enumerate(code) if letter in "]}"]
            if closers and code.count("[") + code.count("{") == len(closers):
                j = rng.choice(closers)
                return code[:j] + code[j + 1 :] + rest
        case "tab" if line.startswith("  "):
            return "\t" + line[2:]
        case "colon" if key:
            return line.replace(":", "", 1)
        case "unknown" if key and key[3] != "use":
            return line.replace(key[3], key[3] + "x", 1)
        case "duplicate" if key and not key[2] and value and value[0] not in "|>":
            return line + " "
        case "type" if key and simple and key[3] not in ("name", "description", "use"):
            return f"{code[: key.start(4)]} nonsense value{rest}"
        case "indent" if key and not key[2]:
            return " " + line
        case "dedent" if line.startswith("    "):
            return line[1:]
        case "colons" if key and value:
            return f"{code} : x: y{rest}"
        case "text" if key and not value:
            return f"{code} |"
    return None


def judged(count: int, seed: int, folder: Path) -> tuple[Counter[str], Counter[str], list[str]]:
    """Files refused and lines right, by kind, and what was said of the others. The folder gets a tree of its own."""
    for part in ("configs", "scenarios"):
        shutil.copytree(ROOT / part, folder / part)
    rng, file = Random(seed), folder / "scenarios/mistaken.yaml"
    texts = [path.read_text(encoding="utf-8").splitlines() for path in sorted((ROOT / "scenarios").glob("*.yaml"))]
    refused, right, others = Counter[str](), Counter[str](), list[str]()
    while sum(refused.values()) < count:
        made = mistaken(rng.choice(texts), rng)
        if made is None:
            continue
        lines, where, kind = made
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        try:
            load_scenario(file)
        except ScenarioError as error:
            refused[kind] += 1
            told = {problem.line for problem in error.problems if problem.file == str(file)}
            right[kind] += bool(told & where)
            if not told & where:
                others.append(f"{kind} in line {sorted(where)}: {error.problems[0]}")
    return refused, right, others


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.mistakes")
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=202)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        refused, right, others = judged(asked.count, asked.seed, Path(folder))
    print("\n".join(others))
    for kind, number in sorted(refused.items()):
        print(f"{kind}: {right[kind]} of {number}")
    share = sum(right.values()) / asked.count
    print(f"right lines: {share:.1%} of {asked.count}")
    return 0 if share >= 0.98 else 1


if __name__ == "__main__":
    sys.exit(main())
