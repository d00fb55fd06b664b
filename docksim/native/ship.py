"""`python -m docksim.native.ship [FOLDER]`: shared libraries of kernel and chains for a wheel, one for each level.

Each is object code of `docksim.native.builder`, linked by the C compiler (`cc`, or what CC names) without any library,
with a record beside it. They go into the package, where `docksim.native.libraries` looks for them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from docksim.native.levels import SHIPPED as LEVELS
from docksim.native.libraries import MAGIC, SHIPPED, BuildError, Library, build, of_room
from docksim.native.storage import cache_folder, unpacked_file

ROOMS = ("docksim.kernel", "docksim.chain")
OPTIONS = ("-shared", "-nostdlib", "-Wl,--build-id=none,--strip-all,-z,noexecstack")


def ship(folder: Path = SHIPPED, tell: Callable[[str], None] = print) -> list[Path]:
    """Build and link all of them; the files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = []
    for room in ROOMS:
        library = of_room(f"{room}.library")
        assert library is not None
        for level in LEVELS:
            tell(f"{library.name} for {level}")
            made += _ship_one(library, level, folder)
    return made


def _ship_one(library: Library, level: str, folder: Path) -> list[Path]:
    about, code = unpacked_file(MAGIC, build(library, level, cache_folder()[0]))
    target = folder / f"{library.name}-{level}.so"
    source = target.with_suffix(".o")
    source.write_bytes(code)
    link(source, target)
    source.unlink()
    about["sha256"] = hashlib.sha256(target.read_bytes()).hexdigest()
    record = target.with_suffix(".json")
    record.write_text(json.dumps(about, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return [target, record]


def link(source: Path, target: Path) -> None:
    """Object code as a shared library."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    try:
        done = subprocess.run(
            [*compiler, *OPTIONS, "-o", str(target), str(source)], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        words = "making a wheel needs a C compiler to link (Debian, Ubuntu: apt install gcc); running docksim does not"
        raise BuildError(f"no '{compiler[0]}' here: {words}") from None
    if done.returncode != 0:
        raise BuildError(f"{compiler[0]} could not link {source.name}: {done.stderr.strip()}")


if __name__ == "__main__":
    try:
        ship(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
    except BuildError as error:
        sys.exit(f"docksim: {error}")
