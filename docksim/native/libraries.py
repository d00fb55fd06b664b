"""Where a kernel's machine code comes from. The Python sources are the only truth.

A room with compiled code declares a `LIBRARY` in its module `library`: its sources, and the functions that Python
calls with the kinds of their arguments. The stamp is a hash of sources, kinds (the layout of every table) and recipe;
code under another stamp is never used. In this order:

    shipped    the shared library that came with a wheel, for the processor's level; nothing is compiled
    cache      object code of an earlier build, loaded by llvmlite without a linker
    built      object code made now by `docksim.native.builder`, in a process of its own, and kept
    jit        ordinary compilation by numba, where a build fails

DOCKSIM_KERNEL=build leaves the shipped library out, DOCKSIM_KERNEL=jit asks for ordinary compilation.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docksim.native import storage
from docksim.native.calls import Entry
from docksim.native.decorators import Kernel, NoCompilerError, plain_python
from docksim.native.kinds import Kind, declared
from docksim.native.levels import HOST, level, processor_name
from docksim.native.loading import MAGIC, Loaded, from_object, shipped

PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = PACKAGE / "native" / "shipped"
# how code is made from the sources
RECIPE = tuple(PACKAGE / "native" / name for name in ("twins.py", "kinds.py")) + tuple(
    PACKAGE / "native" / "builder" / name for name in ("quick.py", "types.py", "units.py", "link.py", "library.py")
)
WAYS = ("auto", "build", "jit")
# a build tells how far it is: functions done of so many, then the back end
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Library:
    """Compiled code of a room. `entries` are functions as "module:name" with the kinds of their arguments."""

    name: str
    module: str  # that declares it as LIBRARY
    sources: tuple[Path, ...]
    entries: Mapping[str, tuple[Kind, ...]]

    @cached_property
    def stamp(self) -> str:
        """Hash of all that the code depends on."""
        told = hashlib.sha256()
        for path in (*self.sources, *RECIPE):
            told.update(f"{path.parent.name}/{path.name}".encode() + b"\0" + path.read_bytes())
        for name, arguments in self.entries.items():
            told.update(f"{name} {[kind.text for kind in arguments]}".encode())
        return told.hexdigest()[:16]


def library(name: str, module: str, sources: tuple[Path, ...], entries: Mapping[str, tuple[Any, ...]]) -> Library:
    """A library from declarations of its entries' arguments: see `kinds.declared`."""
    return Library(name, module, sources, {key: tuple(map(declared, signs)) for key, signs in entries.items()})


_LOADED: dict[str, Loaded] = {}
_EXTRA: list[Library] = []
_TOLD: set[str] = set()  # ways that are none
_LOCKS: dict[str, threading.RLock] = {}


def _lock(one: Library) -> threading.RLock:
    return _LOCKS.setdefault(one.name, threading.RLock())


def register(more: Library) -> None:
    """Let a library serve functions of any room, before the room's own."""
    if more not in _EXTRA:
        _EXTRA.append(more)


def of_room(module: str) -> Library | None:
    """The library that a module's room declares, or the nearest room around it."""
    room = module
    while room := room.rpartition(".")[0]:
        with suppress(ModuleNotFoundError):
            own = getattr(importlib.import_module(f"{room}.library"), "LIBRARY", None)
            if isinstance(own, Library):
                return own
    return None


def entries_of(kernel: Kernel) -> Iterator[Entry]:
    """Compiled forms of a kernel; none where it must be compiled in the ordinary way."""
    for one in (*_EXTRA, of_room(kernel.py_func.__module__)):
        if one is not None and kernel.name in one.entries:
            entry = loaded(one).entries.get(kernel.name)
            if entry is not None:
                yield entry


def is_ready(one: Library) -> bool:
    """Will its functions run without compiling?"""
    if one.name in _LOADED:
        return True
    with _lock(one):
        code, _ = _at_hand(one)
        if code is not None:
            _LOADED[one.name] = code
        return code is not None


def status(one: Library) -> Loaded:
    """Where its code would come from now; nothing is compiled."""
    if plain_python():
        return Loaded("python", "none")
    if is_ready(one):
        return _LOADED[one.name]
    _, reasons = _at_hand(one)
    return Loaded("jit" if _way() == "jit" else "absent", level()[0], {}, reasons)


def loaded(one: Library, progress: Progress | None = None) -> Loaded:
    """The code of a library, from wherever it can be had; made now if need be."""
    with _lock(one):
        if one.name not in _LOADED:
            code, reasons = _at_hand(one)
            _LOADED[one.name] = code or _made(one, reasons, progress)
        return _LOADED[one.name]


def _way() -> str:
    way = os.environ.get("DOCKSIM_KERNEL") or "auto"
    if way not in WAYS:
        if way not in _TOLD:
            _TOLD.add(way)
            say(f"DOCKSIM_KERNEL={way}: expected one of {', '.join(WAYS)}; auto is used")
        return "auto"
    return way


def _at_hand(one: Library) -> tuple[Loaded | None, tuple[str, ...]]:
    """Code that is there already, and why it is not from better places."""
    way, (best, word) = _way(), level()
    reasons = [word] if word else []
    if way == "jit":
        return None, (*reasons, "DOCKSIM_KERNEL=jit")
    if way == "auto":
        code, why = shipped(one, best, SHIPPED)
        if code is not None:
            return replace(code, reasons=tuple(reasons)), tuple(reasons)
        reasons.append(why)
    folder, why = storage.cache_folder()
    if why:
        reasons.append(why)
    if folder is not None:
        code, why = _cached(one, folder, best, tuple(reasons))
        if code is not None:
            return code, tuple(reasons)
        if why:
            reasons.append(why)
    return None, tuple(reasons)


def _cached(one: Library, folder: Path, best: str, reasons: tuple[str, ...]) -> tuple[Loaded | None, str]:
    """Code that is kept, or why it is not used; no word if there is none."""
    name = file_name(one, best)
    content, why = storage.examined(folder / name)
    if content is None:
        return None, why and f"{name}: {why}"
    return from_object(one, name, content, "cache", best, reasons)


def kept_objects(folder: Path) -> Iterator[bytes]:
    """All object code of a cache folder."""
    for path in folder.glob("*.o"):
        content = storage.read_own(path)
        if content is not None and content.startswith(MAGIC):
            yield content


def file_name(one: Library, best: str) -> str:
    """Code for one very processor has its name: the folder may be shared by unlike machines."""
    return f"{one.name}-{one.stamp}-{processor_name() if best == HOST else best}.o"


# ---------------------------------------------------------------- a build


def _made(one: Library, reasons: tuple[str, ...], progress: Progress | None) -> Loaded:
    """Build a library, or leave its functions to ordinary compilation."""
    best, _ = level()
    if find_spec("numba") is None:
        raise NoCompilerError(
            f"no compiled code of the {one.name} fits these sources, and numba, which compiles them, is not installed: "
            "`pip install numba`, or set NUMBA_DISABLE_JIT=1 for plain Python, some hundred times slower"
        )
    if _way() == "jit":
        return Loaded("jit", HOST, {}, reasons)
    folder, _ = storage.cache_folder()
    with _alone(one, folder):
        # somebody else may have built it meanwhile
        code, _ = _cached(one, folder, best, reasons) if folder is not None else (None, "")
        if code is not None:
            return code
        if folder is None:
            say(f"{reasons[-1]}: compiled code is not kept, and every start will compile. "
                "Set DOCKSIM_CACHE_DIR to a folder of your own")  # fmt: skip
        if progress is None:
            say(f"compiling the {one.name}, up to a minute of one core, once for these sources")
        try:
            content = build(one, best, folder, progress)
        except BuildError as error:
            say(f"the {one.name} cannot be built as one library ({error}); ordinary compilation takes minutes instead")
            return Loaded("jit", HOST, {}, (*reasons, f"the build failed: {error}"))
        code, why = from_object(one, file_name(one, best), content, "built", best, reasons)
        if code is None:
            say(f"what was built cannot be used ({why}); ordinary compilation takes minutes instead")
            return Loaded("jit", HOST, {}, (*reasons, why))
        # whoever waits reads it next
        if folder is not None:
            storage.write_whole(folder / file_name(one, best), content)
            storage.forget_old(folder)
        return code


@contextmanager
def _alone(one: Library, folder: Path | None) -> Iterator[None]:
    """One build of a library at a time; where no lock can be had, two at once cost time, nothing else."""
    with ExitStack() as held:
        with suppress(OSError, ImportError):
            import fcntl

            if folder is not None:
                file = held.enter_context(open(folder / f".{one.name}.lock", "ab"))
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    say(f"another docksim is compiling the {one.name}; waiting for it")
                    fcntl.flock(file, fcntl.LOCK_EX)
        yield


class BuildError(Exception):
    """A library could not be built."""


def build(one: Library, best: str, folder: Path | None, progress: Progress | None = None) -> bytes:
    """A library's file for a level, made in a process of its own."""
    try:
        with tempfile.TemporaryDirectory(prefix="docksim-", ignore_cleanup_errors=True) as scratch:
            out = Path(scratch) / "library.o"
            functions = [str(folder / "functions")] if folder is not None else []
            # the user's folder is no place to import from
            command = [sys.executable, "-P", "-m", "docksim.native.builder", one.module, best, str(out), *functions]
            _run_builder(command, progress)
            return out.read_bytes()
    except OSError as error:
        raise BuildError(str(error)) from error


def _run_builder(command: list[str], progress: Progress | None) -> None:
    # numba's switches are not ours
    clean = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    paths = [str(PACKAGE.parent), *filter(None, [clean.get("PYTHONPATH")])]
    with subprocess.Popen(
        command, env=clean | {"PYTHONPATH": os.pathsep.join(paths)}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            errors = _watched(process, progress)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise BuildError((errors.strip().splitlines() or [f"exit {process.returncode}"])[-1])


# shares of the time by what a build has told last, measured; a function is one of so many
PARTS = {"function": 0.5, "linking": 0.5, "optimised": 0.8, "done": 1.0}
FUNCTIONS = 430


def _watched(process: subprocess.Popen[str], progress: Progress | None) -> str:
    """Pass on how far a build is; what it said of errors."""
    errors: list[str] = []
    listener = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
    listener.start()
    functions = 0
    for line in process.stdout or ():
        word = line.partition(" ")[0].strip()
        functions += word == "function"
        if progress is not None:
            progress(PARTS.get(word, 0.0) * (min(functions / FUNCTIONS, 1.0) if word == "function" else 1.0))
    process.wait()
    listener.join()
    return "".join(errors)


def say(text: str) -> None:
    """A word to the user."""
    print(f"docksim: {text}", file=sys.stderr, flush=True)
