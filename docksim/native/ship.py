"""`python -m docksim.native.ship [FOLDER]`: shared libraries of kernel and chains for a wheel, one for each level.

Each is object code of `docksim.native.builder`, from the cache if it is there, linked by the C compiler (`cc`, or what
CC names) without any library, with a record beside it. They go into FOLDER, or into the package, where
`docksim.native.libraries` looks for them. Exit code 3: they cannot be made on this machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docksim.files.writing import write_bytes, write_text
from docksim.native.levels import SHIPPED as LEVELS
from docksim.native.libraries import SHIPPED, BuildError, Library, build, file_name, of_room
from docksim.native.loading import MAGIC
from docksim.native.storage import cache_folder, read_own, unpacked_file, write_whole

ROOMS = ("docksim.kernel", "docksim.chain")
OPTIONS = ("-shared", "-nostdlib", "-Wl,--build-id=none,--strip-all,-z,noexecstack")
CANNOT = 3
# processes at a time
WORKERS = 2


def ship(folder: Path = SHIPPED, tell: Callable[[str], None] = print) -> list[Path]:
    """Build and link all of them; the files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    libraries = [library for room in ROOMS if (library := of_room(f"{room}.library")) is not None]

    def one(library: Library, level: str) -> list[Path]:
        made = _ship_one(library, level, folder)
        tell(f"{library.name} for {level}")
        return made

    # the first level of each does the front end's work, which all levels share
    *others, first = LEVELS
    made = [path for library in libraries for path in one(library, first)]
    with ThreadPoolExecutor(WORKERS) as pool:
        rest = [pool.submit(one, library, level) for library in libraries for level in others]
        return made + [path for future in rest for path in future.result()]


def _ship_one(library: Library, level: str, folder: Path) -> list[Path]:
    about, code = unpacked_file(MAGIC, _object(library, level))
    target = folder / f"{library.name}-{level}.so"
    source = target.with_suffix(".o")
    write_bytes(source, code)
    link(source, target)
    source.unlink()
    about["sha256"] = hashlib.sha256(target.read_bytes()).hexdigest()
    record = target.with_suffix(".json")
    write_text(record, json.dumps(about, indent=1, sort_keys=True) + "\n")
    return [target, record]


def _object(library: Library, level: str) -> bytes:
    """Object code of a library for a level, from the cache or made now and kept."""
    cache, _ = cache_folder()
    kept = cache / file_name(library, level) if cache is not None else None
    content = read_own(kept) if kept is not None else None
    if content is None:
        content = build(library, level, cache)
        if kept is not None:
            write_whole(kept, content)
    return content


def cannot() -> str:
    """Why libraries cannot be made here; empty if they can."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return f"libraries are made on Linux on x86-64, and this is {sys.platform} on {platform.machine()}"
    compiler = _compiler()[0]
    if shutil.which(compiler) is None:
        words = "libraries are linked by a C compiler (Debian, Ubuntu: apt install gcc); running docksim needs none"
        return f"no '{compiler}' here: {words}"
    return ""


def _compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or "cc")


def link(source: Path, target: Path) -> None:
    """Object code as a shared library."""
    command = [*_compiler(), *OPTIONS, "-o", str(target), str(source)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(f"{command[0]} does not run: {error}") from None
    if done.returncode != 0:
        raise BuildError(f"{command[0]} could not link {source.name}: {done.stderr.strip()}")


def main(folder: Path = SHIPPED) -> int:
    """Exit code."""
    why = cannot()
    if why:
        print(f"docksim: {why}", file=sys.stderr)
        return CANNOT
    try:
        ship(folder)
    except BuildError as error:
        print(f"docksim: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:2])))
