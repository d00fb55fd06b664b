"""Which files a scenario may read, and how they are read.

A scenario may pull in files from its own tree (the nearest folder above it that holds a `configs` folder, else its
own folder) and from the data that come with docksim; real paths count, so neither `..` nor a symbolic link leads out.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from docksim.config.errors import Problem, ScenarioError, closest, did_you_mean, shown
from docksim.config.tree import Place

YAML = (".yaml", ".yml")
NAMED = ("scenarios", "studies")  # folders whose files go by their name alone
LARGEST_FILE = 2_000_000  # bytes


def data_root() -> Path:
    """The folder that holds docksim's own `configs`: inside the installed package, or the repository beside it."""
    package = Path(__file__).resolve().parents[2]
    packaged = package / "data"
    return packaged if (packaged / "configs").is_dir() else package.parent


def found_file(path: Path) -> Path:
    """The file itself; where there is none, docksim's own of that name: scenarios/dock_nds.yaml, or just dock_nds."""
    names = _names(path)
    for name in names:
        if _is(name.is_file) or (name == path and path.is_absolute()):
            return name
    return next((own for name in names if (own := _shipped(name)) is not None), path)


def named_study(file: str) -> str:
    """The file that is meant where a study is asked for: a single word is that of a study, if a scenario has it too."""
    own = _names(Path(file))[-1]
    return file if _is(Path(file).is_file) or not _is(found_file(own).is_file) else str(own)


def shadowed(path: Path) -> bool:
    """Whether this is a file of the user's that has the name of one that comes with docksim, which then is not used."""
    used = _real(found_file(path))
    owns = [own for name in _names(path) if not name.is_absolute() and (own := _shipped(name)) is not None]
    return any(own != used for own in owns)


def _names(path: Path) -> list[Path]:
    """What a path may stand for: a single word is also the name of a scenario or a study."""
    is_word = len(path.parts) == 1 and path.suffix not in YAML
    return [path, *(Path(folder, f"{path}.yaml") for folder in NAMED if is_word)]


def _shipped(name: Path) -> Path | None:
    own = _real(data_root() / name)
    inside = own is not None and own.is_relative_to(data_root().resolve())
    return own if own is not None and inside and _is(own.is_file) else None


def _not_found(path: Path) -> str:
    """What may have been meant: a file beside it, or one that comes with docksim."""
    if hint := did_you_mean(path.name, _yaml_names(path.parent)):
        return f"file not found{hint}"
    known = {Path(folder, name).as_posix() for folder in NAMED for name in _yaml_names(data_root() / folder)}
    stems = {Path(name).stem: name for name in known}
    match = closest(path.stem, stems)
    return f"file not found; shipped with docksim: {stems[match]}?" if match else "file not found"


def tree_root(folder: Path) -> Path:
    """The nearest folder, from `folder` upward, that holds a `configs` folder; else `folder` itself."""
    for candidate in (folder, *folder.parents):
        if _is((candidate / "configs").is_dir):
            return candidate
    return folder


def display(path: Path) -> str:
    """A path as messages show it: relative when it lies below the current folder."""
    try:
        return os.fspath(path.relative_to(Path.cwd()))
    except ValueError:
        return os.fspath(path)


def used_file(text: str, folder: Path, place: Place, key: str) -> Path:
    """The real path of a file that a key of another file names; a ScenarioError at its place when there is none."""
    try:
        return resolve_use(text, folder, tree_root(folder))
    except LookupError as error:
        raise ScenarioError([Problem(place.file, place.line, key, str(error.args[0]))]) from None


def resolve_use(text: str, folder: Path, root: Path) -> Path:
    """The real path of a file named by `use`; a LookupError with the message when there is none that may be read."""
    roots = (root, data_root().resolve())
    candidates = [folder / text, *(allowed / text for allowed in roots)]
    outside = False
    for candidate in candidates:
        real = _real(candidate)
        if real is None or not _is(real.is_file):
            if real is not None and _is(real.exists) and any(real.is_relative_to(allowed) for allowed in roots):
                odd = "a folder" if _is(real.is_dir) else "something else"
                raise LookupError(f"no file {shown(text)}: there is {odd} of that name")
            continue
        if any(real.is_relative_to(allowed) for allowed in roots):
            return real
        outside = True
    if outside or _escapes(candidates, roots):
        raise LookupError(f"{shown(text)} leads outside the tree {root}; use files inside it, or docksim's own")
    hint = _similar(text, candidates, roots)
    raise LookupError(f"no file {shown(text)}, neither beside the file that uses it nor in the tree {root}{hint}")


def _is(question: Callable[[], bool]) -> bool:
    """The answer to is_file or is_dir; no, where even asking is an error (a name too long, a folder not readable)."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # loops of links, null characters
        return None


def _escapes(candidates: list[Path], roots: tuple[Path, ...]) -> bool:
    """Whether no candidate at all lies inside the roots."""
    reals = [real for real in map(_real, candidates) if real is not None]
    return bool(reals) and not any(real.is_relative_to(allowed) for real in reals for allowed in roots)


def _similar(text: str, candidates: list[Path], roots: tuple[Path, ...]) -> str:
    """A suggestion from the files beside the one that is missing."""
    for candidate in candidates:
        real = _real(candidate)
        if real is not None and any(real.is_relative_to(allowed) for allowed in roots):
            match = closest(real.name, _yaml_names(real.parent))
            if match is not None:
                return f"; did you mean {os.fspath(Path(text).with_name(match))!r}?"
    return ""


def _yaml_names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))
    except OSError:
        return []


def read_text(path: Path, file: str) -> str:
    """The text of a file; whatever goes wrong becomes a ScenarioError about `file`."""
    try:
        if path.is_dir():
            raise _fault(file, f"is a folder; give a scenario file in it{_first_files(path)}")
        if not path.exists():
            raise _fault(file, _not_found(path))
        if not path.is_file():
            raise _fault(file, "is not a regular file")
        if path.stat().st_size > LARGEST_FILE:
            raise _fault(file, f"has {path.stat().st_size} bytes; scenario files may have {LARGEST_FILE}")
        return _decode(path.read_bytes(), file)
    except (OSError, ValueError) as error:
        raise _fault(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _decode(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8 text (byte 0x{data[error.start]:02x}); save the file as UTF-8"
        raise ScenarioError([Problem(file, line, "", message)]) from None


def _first_files(folder: Path) -> str:
    names = _yaml_names(folder)
    return f", such as {names[0]}" if names else ""


def _fault(file: str, message: str) -> ScenarioError:
    return ScenarioError([Problem(file, None, "", message)])
