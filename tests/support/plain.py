"""A plain installation: docksim's own wheel and what it requires, nothing else, outside the repository.

The wheel is built and unpacked; the packages are those of this environment, linked by their top-level names, as far as
docksim asks for them without extras. Python starts without this environment's packages (-S), so what is not linked is
not there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
# runs the steps of a page one after the other in one process; the first that fails ends it
DRIVER = Path(__file__).with_name("plain_driver.py")


def required(name: str = "docksim") -> dict[str, Distribution]:
    """All that a distribution requires without extras, by name, also indirectly."""
    known: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        for text in distribution(waiting.pop()).requires or ():
            one = Requirement(text)
            key = re.sub(r"[-_.]+", "-", one.name).lower()
            if key not in known and (one.marker is None or one.marker.evaluate({"extra": ""})):
                known[key] = distribution(one.name)
                waiting.append(key)
    return known


def size_mb(packages: dict[str, Distribution]) -> float:
    """What they take on the disk."""
    files = (Path(str(one.locate_file(file))) for one in packages.values() for file in one.files or ())
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6


class Plain:
    """A folder with the installation, and how to run commands of it elsewhere."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.site.mkdir()
        build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
        subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
        (wheel,) = folder.glob("docksim-*.whl")
        zipfile.ZipFile(wheel).extractall(self.site)
        for one in required().values():
            for top in {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}:
                if not (self.site / top).exists():
                    (self.site / top).symlink_to(Path(str(one.locate_file(top))))

    def environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.site), "PYTHONSAFEPATH": "1"}

    def python(self, *words: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        """Python of the plain installation; what it says on both its outputs."""
        command = [sys.executable, "-S", *words]
        return subprocess.run(
            command, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            **settings,
        )  # fmt: skip

    def follow(self, steps: list[dict[str, str]], folder: Path) -> str:
        """Take the steps in a folder; what the commands said. AssertionError with it all where one fails."""
        done = self.python(str(DRIVER), json.dumps(steps), cwd=folder)
        assert done.returncode == 0, done.stdout
        return done.stdout
