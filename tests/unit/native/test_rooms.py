"""The libraries of kernel and chains: their stamps cover all that their code is made of."""

import ast
import importlib
from functools import cache
from pathlib import Path
from types import FunctionType

import pytest

from docksim.chain.library import LIBRARY as CHAINS
from docksim.kernel.library import LIBRARY as KERNEL
from docksim.native.decorators import Kernel
from docksim.native.libraries import PACKAGE, Library, of_room
from tests.support.kernels import LIBRARY as INNER

LIBRARIES = (KERNEL, CHAINS, INNER)
ROOT = PACKAGE.parent
DECORATORS = {"kernel", "pure", "melted", "apart"}


def file_of(module: str) -> Path | None:
    """The file of a module of this project; of a package its first file."""
    path = ROOT / (module.replace(".", "/"))
    return next((own for own in (path.with_suffix(".py"), path / "__init__.py") if own.is_file()), None)


@cache
def origins(path: Path) -> dict[str, Path]:
    """Where a file's imported names come from, of those that are this project's."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and (source := file_of(node.module)) is not None:
            found |= {alias.asname or alias.name: source for alias in node.names}
    return found


def leaned_on(library: Library) -> set[Path]:
    """All files with functions and constants that the code of a library is made of."""
    found: set[Path] = set()
    seen: set[FunctionType] = set()
    waiting = [entry(name) for name in library.entries]
    while waiting:
        function = waiting.pop()
        path = Path(function.__code__.co_filename).resolve()
        found.add(path)
        for name in set(function.__code__.co_names) & set(function.__globals__):
            if name in origins(path):
                found.add(origins(path)[name])
            value = function.__globals__[name]
            source = value.py_func if isinstance(value, Kernel) else value
            if isinstance(source, FunctionType) and source not in seen:
                seen.add(source)
                waiting.append(source)
    return found


def entry(name: str) -> FunctionType:
    module, _, function = name.partition(":")
    source: FunctionType = getattr(importlib.import_module(module), function).py_func
    return source


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda own: own.name)
def test_stamp_covers_every_file_that_the_code_leans_on(library: Library) -> None:
    found = leaned_on(library)
    assert len(found) >= 10
    assert found - set(library.sources) == set()
    assert file_of(library.module) in library.sources


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda own: own.name)
def test_every_entry_is_a_kernel_of_its_module_with_as_many_arguments(library: Library) -> None:
    for name, kinds in library.entries.items():
        module, _, function = name.partition(":")
        path = file_of(module)
        assert path is not None, name
        nodes = [n for n in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(n, ast.FunctionDef)]
        node = next(n for n in nodes if n.name == function)
        assert {own.id for own in node.decorator_list if isinstance(own, ast.Name)} & DECORATORS, name
        assert len(node.args.args) == len(kinds), name


@pytest.mark.parametrize("library", [KERNEL, CHAINS], ids=lambda own: own.name)
def test_every_entry_is_looked_for_in_the_library_that_has_it(library: Library) -> None:
    assert {of_room(name.partition(":")[0]) for name in library.entries} == {library}


def test_stamps_of_rooms_differ_and_every_file_with_kernels_is_in_one() -> None:
    assert len({own.stamp for own in LIBRARIES}) == len(LIBRARIES)
    covered = set(KERNEL.sources) | set(CHAINS.sources)
    for path in PACKAGE.rglob("*.py"):
        if "from docksim.native.decorators import" in (text := path.read_text(encoding="utf-8")):
            used = {f"@{name}\n" for name in DECORATORS}
            assert path in covered or not any(own in text for own in used), path
