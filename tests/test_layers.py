"""The layer rule: who may import whom. Read from the syntax trees, so nothing is compiled or run here."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "docksim").rglob("*.py"))
KERNEL_MAY_IMPORT = (
    *("__future__", "math", "typing", "numpy", "numba"),
    *("docksim.algebra", "docksim.model", "docksim.kernel"),
)
# plain arithmetic, below everything: its scalar functions are compiled with the kernels that name them
ALGEBRA_MAY_IMPORT = ("__future__", "math", "typing", "itertools", "collections.abc", "numpy", "docksim.algebra")
# evaluation takes the kernel's source, not its compiled form
MAY_IMPORT_KERNEL = ("docksim/compiler", "docksim/simulation", "docksim/mechanism.py", "docksim/linear/evaluation.py")
# jit keeps the cache: beside the kernels, not in them, so the standard library is open to it
CACHE_KEEPERS = ("docksim/kernel/jit.py",)
# the compiled code of chains: its own files, and of the kernel the decorator and the vectors
CHAIN_FILES = ("frames", "kane", "recurrent", "composite", "twists", "repeats", "points")
CHAIN_COMPILED = tuple(f"docksim/chain/{name}.py" for name in CHAIN_FILES)
CHAIN_MAY_IMPORT = (
    *("__future__", "math", "numpy", "docksim.algebra", "docksim.kernel.vec3"),
    *(f"docksim.chain.{name}" for name in ("jit", "model", "work")),
    *(path[:-3].replace("/", ".") for path in CHAIN_COMPILED),
)


def imports(path: Path) -> Iterator[str]:
    """Absolute names of everything a file imports, at any depth."""
    package = [*path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # from docksim import kernel  means docksim.kernel
            yield from (f"{module}.{alias.name}" for alias in node.names)


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def breaches(path: Path) -> list[str]:
    """What this file imports against the rule."""
    here = path.relative_to(ROOT).as_posix()
    names = list(imports(path))
    if here.startswith("docksim/algebra/"):
        return [name for name in names if not within(name, *ALGEBRA_MAY_IMPORT)]
    if here.startswith("docksim/kernel/"):
        allowed = KERNEL_MAY_IMPORT + (tuple(sys.stdlib_module_names) if here in CACHE_KEEPERS else ())
        return [name for name in names if not within(name, *allowed)]
    if here in CHAIN_COMPILED:
        return [name for name in names if not within(name, *CHAIN_MAY_IMPORT)]
    if here == "docksim/chain/jit.py":
        names = [name for name in names if not within(name, "docksim.kernel.jit")]
    wrong = []
    if not here.startswith(MAY_IMPORT_KERNEL):
        wrong += [name for name in names if within(name, "docksim.kernel")]
    if here.startswith("docksim/config/"):
        wrong += [name for name in names if within(name, "numba")]
    return wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_imports_only_what_its_layer_may(path: Path) -> None:
    assert breaches(path) == []


def test_rule_catches_absolute_relative_and_nested_breaches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)

    def breach(where: str, text: str) -> bool:
        path = tmp_path / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return bool(breaches(path))

    assert breach("docksim/algebra/elementary.py", "from docksim.kernel.vec3 import add")
    assert breach("docksim/algebra/dense.py", "import scipy")
    assert breach("docksim/kernel/tree.py", "import yaml")
    assert breach("docksim/kernel/tree.py", "def f():\n    from .. import compiler")
    assert breach("docksim/kernel/tree.py", "import os")
    assert breach("docksim/plots.py", "from docksim import kernel")
    assert breach("docksim/config/loader.py", "from ..kernel.jit import kernel")
    assert breach("docksim/config/schema.py", "import numba")
    assert breach("docksim/chain/dynamics.py", "from docksim.kernel import vec3")
    assert breach("docksim/chain/kane.py", "from docksim.kernel import tree")
    assert breach("docksim/chain/kane.py", "import scipy")
    assert not breach("docksim/kernel/tree.py", "import math\nfrom .jit import kernel\nfrom docksim.model import Model")
    assert not breach("docksim/kernel/jit.py", "import hashlib, numba")
    assert not breach("docksim/compiler.py", "from .kernel import step")
    assert not breach("docksim/chain/kane.py", "from docksim.kernel.vec3 import add")


def test_project_never_reads_the_folder_beside_it() -> None:
    outside = ".." + "/shared"
    folders = ("docksim", "configs", "scenarios", "tests", "benchmarks")
    texts = [p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in {".py", ".yaml", ".toml", ".html"}]
    assert [p for p in texts if outside in p.read_text(encoding="utf-8") or "/work" + "/" in p.read_text("utf-8")] == []
