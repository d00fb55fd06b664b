"""Takes the steps of a page: files are written, commands run, in the current folder. Knows nothing but docksim itself.

A command that ends in "&" goes on beside the others, and must have ended well at the end.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

from docksim.cli import main


def run(words: list[str]) -> int:
    """A docksim command in this process; its exit code."""
    try:
        main(words, prog_name="docksim")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return 0


def take(steps: list[dict[str, str]]) -> int:
    beside = []
    for step in steps:
        if "file" in step:
            Path(step["file"]).write_text(step["text"], encoding="utf-8")
            continue
        words = shlex.split(step["command"])
        print(f"$ {step['command']}", flush=True)
        if words[-1] == "&":
            beside.append(subprocess.Popen([sys.executable, "-S", *words[1:-1]]))
        elif code := run(words[1:]):
            print(f"exit code {code}", flush=True)
            for one in beside:
                one.kill()
            return 1
    return max([one.wait(timeout=60) for one in beside], default=0)


if __name__ == "__main__":
    sys.exit(take(json.loads(sys.argv[1])))
