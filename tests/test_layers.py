"""The layer rule: who may import whom. Read from the syntax trees, so nothing is compiled or run here."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "docksim").rglob("*.py"))
# every room, lowest first: a room imports only from rooms of lower ranks
RANKS = (
    ("algebra", "files"),
    ("model", "numbers", "native"),
    ("config",),
    ("kernel", "compiler", "result"),
    ("simulation", "berthing"),
    ("hardware", "linear", "realtime", "study"),
    ("drawing", "chain"),
    ("validation",),
    ("plots",),
    ("jobs",),
    ("replay",),
    ("report",),
    ("cli", "scripting"),
)
# rooms and files within a room, lowest first. What is not named serves all of them and imports none of them
WITHIN = {
    "config": ("schema", "checks", "loading"),
    "kernel": ("basis", "mechanism", "tree", "contact", "step", "run", "loop", "library"),
    "chain": ("kinematics", "dynamics", "identification", "motion", "generation", "sections", "linear"),
    "plots": ("run", "study", "hardware", "chain"),
}
RANK = {room: rank for rank, rooms in enumerate(RANKS) for room in rooms}
# what is not in a room: the way in
AT_THE_ROOT = ("__init__.py", "__main__.py", "api.py")

# rooms that may know little beyond their rank. Plain arithmetic: its scalar functions are compiled with the kernels
ALGEBRA_MAY_IMPORT = ("__future__", "math", "typing", "itertools", "collections.abc", "numpy", "docksim.algebra")
# how compiled code is found, made and called: it knows no kernel. numba and llvmlite belong to what compiles and loads
NATIVE_MAY_IMPORT = (*sys.stdlib_module_names, "numpy", "docksim.native", "docksim.files")
# how files are written: everybody may use it, so it uses nobody
FILES_MAY_IMPORT = (*sys.stdlib_module_names, "docksim.files")
COMPILERS = ("numba", "llvmlite")
MAY_COMPILE = ("docksim/native/builder/", "docksim/native/loading.py", "docksim/native/ordinary.py")
KERNEL_MAY_IMPORT = (
    *("__future__", "math", "typing", "numpy"),
    *("docksim.native.decorators", "docksim.algebra", "docksim.model", "docksim.kernel"),
)
# a room's library declares its sources and the kinds of its arguments
LIBRARY_MAY_IMPORT = ("pathlib", "docksim.native.kinds", "docksim.native.libraries")
# evaluation and motion take the kernel's source, not its compiled form
MAY_IMPORT_KERNEL = (
    *("docksim/simulation/", "docksim/hardware/"),
    *("docksim/linear/evaluation.py", "docksim/realtime/motion.py"),
)
# nothing that draws reads a scenario file, compiles or simulates
DRAWS, MAKES_RUNS = "docksim/plots/", ("docksim.config.loading", "docksim.compiler", "docksim.simulation")
# what computes goes by codes and tables, never by the words of a name
COMPUTES = ("model", "compiler", "simulation", "hardware", "drawing", "replay")
READ_NO_WORDS = tuple(f"docksim/{room}/" for room in COMPUTES)
# which code there is: asked before a run, and by who wants to know
MAY_IMPORT_LIBRARY = ("docksim/cli/about.py",)
# the compiled code of chains: its own files
CHAIN_DYNAMICS = ("frames", "kane", "recurrent", "composite", "twists", "repeats")
CHAIN_COMPILED = (
    *(f"docksim/chain/dynamics/{name}.py" for name in CHAIN_DYNAMICS),
    "docksim/chain/kinematics/points.py",
)
CHAIN_MAY_IMPORT = (
    *("__future__", "math", "typing", "numpy", "docksim.native.decorators", "docksim.algebra"),
    *("docksim.chain.model", "docksim.chain.work"),
    *(path[:-3].replace("/", ".") for path in CHAIN_COMPILED),
)

# imports inside functions: at most so many a room, each at a border and for a reason; none in the other rooms
NESTED = {
    "cli": 29,
    "native": 12,
    "chain": 8,
    "result": 7,
    "simulation": 5,
    "jobs": 5,
    "study": 10,
    "realtime": 2,
    "config": 1,
    "drawing": 1,
    "api.py": 4,
    "scripting": 6,
    "__main__.py": 1,
}

# imports that close a circle of files, each late, at the first call: results that save themselves, a kernel that is
# called
LATE = (
    ("docksim.result.result", "docksim.result.files"),
    ("docksim.native.decorators", "docksim.native.calls"),
    ("docksim.native.calls", "docksim.native.libraries"),
)

# fields whose frames are not in their names: letters of the papers on legs, and a target on the axes of a port or of W
LETTERS_OF_PAPERS = ("R_0", "R_k", "v_0", "A_0", "q_target")

# functions of functions of functions: what numba asks for
MAY_NEST = ("docksim/native/builder/types.py",)
PICTURE = "docs/figures/architecture.svg"
SHORT = 25  # lines, nine functions of ten


@cache
def parsed(text: str) -> ast.Module:
    """Once for all that is asked of a text here."""
    return ast.parse(text)


@cache
def statements(text: str) -> list[tuple[ast.Import | ast.ImportFrom, bool]]:
    """The imports of a text, at any depth, and whether each stands inside a function."""
    every, todo = [], [(parsed(text), False)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            every.append((node, inside))
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        # an expression holds no statement
        todo += [(child, inside) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return every


def imports(path: Path) -> Iterator[str]:
    """Absolute names of everything a file imports, at any depth."""
    package = [*path.relative_to(ROOT).parts[:-1]]
    for node, _ in statements(path.read_text(encoding="utf-8")):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # from docksim import kernel  means docksim.kernel
            yield from (f"{module}.{alias.name}" for alias in node.names)


def within(name: str, *roots: str) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def breaches(path: Path) -> list[str]:
    """What this file imports against the rules."""
    here = path.relative_to(ROOT).as_posix()
    names = list(imports(path))
    wrong = [name for name in names if _is_upward(here, name) or _is_upward_within(here, name)]
    wrong += [name for name in names if within(name, *COMPILERS) and not here.startswith(MAY_COMPILE)]
    wrong += [name for name in names if within(name, *MAKES_RUNS) and here.startswith(DRAWS)]
    wrong += [name for name in names if within(name, "re") and here.startswith(READ_NO_WORDS)]
    allowed = allowed_in(here)
    if allowed is not None:
        beside = COMPILERS if here.startswith(MAY_COMPILE) else ()
        return wrong + [name for name in names if not within(name, *allowed, *beside)]
    if not here.startswith(MAY_IMPORT_KERNEL):
        open_to = ("docksim.kernel.library",) if here in MAY_IMPORT_LIBRARY else ()
        wrong += [name for name in names if within(name, "docksim.kernel") and not within(name, *open_to)]
    return wrong


def _is_upward(here: str, name: str) -> bool:
    """Does a file of a room import another room of its own rank or of a higher one?"""
    home, (first, *rest) = here.split("/")[1], name.split(".")
    if first != "docksim" or home not in RANK or not rest or rest[0] in (home, "__version__", "on_first_use"):
        return False
    return RANK.get(rest[0], len(RANKS)) >= RANK[home]


def _is_upward_within(here: str, name: str) -> bool:
    """Does a file of a room import from a part of this room that is higher than its own?"""
    _, room, home, *_ = (*here.split("/"), "")
    inside = name.removeprefix(f"docksim.{room}.").split(".")[0]
    order = WITHIN.get(room, ())
    if home == "__init__.py" or not name.startswith(f"docksim.{room}.") or inside not in order:
        return False
    part = home.removesuffix(".py")
    return part not in order or order.index(inside) > order.index(part)


def allowed_in(here: str) -> tuple[str, ...] | None:
    """All that a file may import, if its room has such a list."""
    if here.startswith("docksim/algebra/"):
        return ALGEBRA_MAY_IMPORT
    if here.startswith("docksim/native/"):
        return NATIVE_MAY_IMPORT
    if here.startswith("docksim/files/"):
        return FILES_MAY_IMPORT
    if here == "docksim/kernel/library.py":
        return KERNEL_MAY_IMPORT + LIBRARY_MAY_IMPORT
    if here.startswith("docksim/kernel/"):
        return KERNEL_MAY_IMPORT
    return CHAIN_MAY_IMPORT if here in CHAIN_COMPILED else None


def test_every_room_has_a_rank_and_nothing_lies_loose() -> None:
    rooms = {path.relative_to(ROOT).parts[1] for path in FILES if len(path.relative_to(ROOT).parts) > 2}
    assert rooms == set(RANK)
    assert sorted(path.name for path in FILES if path.parent == ROOT / "docksim") == sorted(AT_THE_ROOT)
    kernel = {path.relative_to(ROOT).parts[2].removesuffix(".py") for path in FILES if "kernel" in path.parts}
    assert kernel == {"__init__", *WITHIN["kernel"]}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_file_imports_only_what_its_layer_may(path: Path) -> None:
    assert breaches(path) == []


def nested(text: str) -> int:
    """How many import statements stand inside functions."""
    return sum(inside for _, inside in statements(text))


def test_nested_imports_do_not_come_back() -> None:
    counts: Counter[str] = Counter()
    for path in FILES:
        counts[path.relative_to(ROOT).parts[1]] += nested(path.read_text(encoding="utf-8"))
    assert {room: count for room, count in counts.items() if count > NESTED.get(room, 0)} == {}


def test_nested_imports_are_counted_at_any_depth_and_once() -> None:
    inner = "    def g():\n        import json\n        from math import cos, sin\n"
    assert nested(f"import os\ndef f():\n    import sys\n{inner}") == 3
    assert nested("import os\nfrom math import cos\nif os:\n    import sys\n") == 0


def following() -> dict[str, set[str]]:
    """What every file imports, early or late, but for hints of types."""
    files = {module_of(path).removesuffix(".__init__"): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        tree = parsed(path.read_text(encoding="utf-8"))
        blocks = [
            node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        ]
        hints = {id(node) for block in blocks for node in ast.walk(block)}
        froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module and id(n) not in hints]
        inner = {(f"{n.module}.{alias.name}", n.module) for n in froms for alias in n.names}
        graph[name] = {whole if whole in files else module for whole, module in inner if module in files} - {name}
    return graph


def test_no_files_import_each_other_even_late() -> None:
    graph = following()
    for one, other in LATE:
        graph[one].remove(other)
    tuple(TopologicalSorter(graph).static_order())  # a CycleError names the files
    assert {"docksim.config", "docksim.study.case", "docksim.chain.dynamics.kane"} <= set(graph)
    with pytest.raises(CycleError):
        tuple(TopologicalSorter(following()).static_order())


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def defined(tree: ast.Module) -> set[str]:
    """Names that a file gives to something at its top, what it only imports left out."""
    made = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    rest = [n for n in tree.body if not isinstance(n, ast.FunctionDef | ast.ClassDef)]
    return made | {x.id for n in rest for x in ast.walk(n) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}


def test_names_are_imported_from_the_files_that_define_them() -> None:
    # a room's own face, its __init__, may offer what its files define
    names = {
        module_of(path): defined(parsed(path.read_text(encoding="utf-8")))
        for path in FILES
        if path.name != "__init__.py"
    }
    passed_on = [
        f"{module_of(path)}: {alias.name} of {node.module}"
        for path in FILES
        for node, _ in statements(path.read_text(encoding="utf-8"))
        if isinstance(node, ast.ImportFrom) and node.module in names
        for alias in node.names
        if alias.name not in names[node.module]
    ]
    assert passed_on == []
    text = "from a import b\nimport e\nC, (D, *_) = b\ndef f(): g = 1\nfor h in C: pass\n"
    assert defined(parsed(text)) == {"C", "D", "_", "f", "h"}


def named_found(text: str) -> int:
    """In how many places a variable or an argument `found` is set."""
    nodes = list(ast.walk(parsed(text)))
    stored = sum(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == "found" for n in nodes)
    return stored + sum(isinstance(node, ast.arg) and node.arg == "found" for node in nodes)


def test_variables_say_what_they_hold() -> None:
    assert [path.name for path in FILES if named_found(path.read_text(encoding="utf-8"))] == []
    assert named_found("def f(found):\n    found = 1\n    return [found for found in (found,)]\n") == 3


def one_frame(text: str) -> set[str]:
    """Fields of tables that are places, rotations or velocities, and do not name two frames."""
    rows = [node.elts[0] for node in ast.walk(parsed(text)) if isinstance(node, ast.Tuple) and node.elts]
    fields = {node.value for node in rows if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return {name for name in fields if re.match(r"[pRqwvVA]_", name) and not re.fullmatch(r"._[A-Za-z]{2}", name)}


def test_fields_of_tables_name_two_frames() -> None:
    names = [one_frame(path.read_text(encoding="utf-8")) for path in FILES if path.parent == ROOT / "docksim/model"]
    assert set().union(*names) == set(LETTERS_OF_PAPERS)
    assert one_frame('T = [("p_A", float, 3), ("p_AB", float, 3), ("mass", float), ("R_W", float, 9)]') == {
        "p_A",
        "R_W",
    }


def functions(text: str) -> list[tuple[int, int]]:
    """Lines of every function, and in how many others it stands."""
    lines, todo = [], [(parsed(text), 0)]
    while todo:
        node, depth = todo.pop()
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines.append(((node.end_lineno or 0) - node.lineno + 1, depth))
        todo += [(child, depth + inside) for child in ast.iter_child_nodes(node)]
    return lines


def test_functions_are_short_and_not_nested_three_deep() -> None:
    every = {path.relative_to(ROOT).as_posix(): functions(path.read_text(encoding="utf-8")) for path in FILES}
    lengths = sorted(length for own in every.values() for length, _ in own)
    assert lengths[len(lengths) * 9 // 10] < SHORT
    assert {name for name, own in every.items() if any(depth > 1 for _, depth in own)} <= set(MAY_NEST)
    text = "class A:\n    def f():\n        def g():\n            def h():\n                pass\n"
    assert sorted(functions(text)) == [(2, 2), (3, 1), (4, 0)]


def test_rule_catches_absolute_relative_and_nested_breaches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)

    def breach(where: str, text: str) -> bool:
        path = tmp_path / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return bool(breaches(path))

    assert breach("docksim/algebra/elementary.py", "from docksim.kernel.basis.spatial import add")
    assert breach("docksim/algebra/dense.py", "import scipy")
    assert breach("docksim/kernel/tree/passes.py", "import yaml")
    assert breach("docksim/kernel/tree/passes.py", "import numba")
    assert breach("docksim/kernel/tree/passes.py", "def f():\n    from ... import compiler")
    assert breach("docksim/kernel/tree/passes.py", "import os")
    assert breach("docksim/kernel/tree/passes.py", "from docksim.native.libraries import loaded")
    assert breach("docksim/kernel/library.py", "import os")
    assert breach("docksim/native/libraries.py", "from docksim.kernel import library")
    assert breach("docksim/native/calls.py", "def f():\n    import numba")
    assert breach("docksim/native/builder/units.py", "from docksim.model import Model")
    assert breach("docksim/plots/run/figures.py", "from docksim import kernel")
    assert breach("docksim/plots/study/figures.py", "from docksim.simulation.bands import simulate_over")
    assert breach("docksim/result/metrics.py", "from docksim.simulation.run import Run")
    assert breach("docksim/kernel/tree/passes.py", "from docksim.compiler import parts")
    assert breach("docksim/compiler/contact.py", "import re")
    assert breach("docksim/compiler/parts.py", "def f():\n    from docksim.kernel.basis.spatial import add")
    assert breach("docksim/model/tree.py", "from docksim.native import kinds")
    assert breach("docksim/study/runner.py", "from docksim.api import run")
    assert breach("docksim/study/runner.py", "from docksim.attic import run")
    assert breach("docksim/simulation/run.py", "import numba")
    assert breach("docksim/config/loading/scenario.py", "from ...kernel.spatial import add")
    assert breach("docksim/config/schema/scenario.py", "import numba")
    assert breach("docksim/config/schema/vehicle.py", "from docksim.config.checks.scenario import faults")
    assert breach("docksim/config/checks/events.py", "from docksim.config.loading import files")
    assert breach("docksim/config/tree.py", "from docksim.config.schema.fields import Part")
    assert breach("docksim/kernel/basis/joints.py", "from docksim.kernel.tree.passes import motion")
    assert breach("docksim/kernel/tree/control.py", "from docksim.kernel.contact import pairs")
    assert breach("docksim/kernel/contact/pairs.py", "from docksim.kernel.step import evaluate")
    assert breach("docksim/kernel/run/log.py", "from docksim.kernel.loop import advance")
    assert breach("docksim/chain/dynamics/formulations.py", "from docksim.kernel import step")
    assert breach("docksim/chain/dynamics/formulations.py", "from docksim.chain.motion.plant import Plant")
    assert breach("docksim/chain/model.py", "from docksim.chain.dynamics.kane import kane_bias")
    assert breach("docksim/chain/dynamics/kane.py", "from docksim.kernel.tree import passes")
    assert breach("docksim/chain/dynamics/kane.py", "import scipy")
    assert breach("docksim/cli/about.py", "from docksim.kernel.loop import advance")
    kernel = "import math\nfrom docksim.native.decorators import kernel\nfrom docksim.model import Model"
    assert not breach("docksim/kernel/tree/passes.py", kernel)
    assert not breach("docksim/config/loading/study.py", "from docksim.config.checks.scenario import faults")
    assert not breach("docksim/kernel/run/log.py", "from docksim.kernel.step import evaluate")
    assert not breach("docksim/kernel/library.py", "from docksim.native.libraries import library")
    assert not breach("docksim/native/loading.py", "import llvmlite.binding")
    assert not breach("docksim/simulation/run.py", "from ..kernel import step\nfrom docksim import __version__")
    assert not breach("docksim/chain/motion/plant.py", "from docksim.chain.dynamics.formulations import Dynamics")
    assert not breach("docksim/chain/__init__.py", "from docksim.chain.dynamics.formulations import Dynamics")
    assert not breach("docksim/chain/dynamics/kane.py", "from docksim.algebra.vec3 import add")
    assert not breach("docksim/cli/about.py", "from docksim.kernel.library import LIBRARY")


def named_paths(text: str) -> set[str]:
    """Files and folders between backticks, without what follows them; patterns and formulas are none."""
    words = re.findall(r"`([\w.]+(?:/[\w.]*)+)`", text)
    return {word.rstrip("/") for word in words}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_pages_for_developers_name_files_that_are_there(page: str) -> None:
    named = named_paths((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    homes = [ROOT, ROOT / "docksim"]
    assert {one for one in named if not any((home / one).exists() for home in homes)} == set()
    assert named_paths("`a/b.py`, `c/`, `d.e` and `x / y`") == {"a/b.py", "c"}


def test_picture_of_the_house_has_every_room_at_its_rank() -> None:
    texts = re.findall(r'<text x="\d+" y="(\d+)" [^>]*bold[^>]*>([^<]+)</text>', (ROOT / PICTURE).read_text("utf-8"))
    heights = {room: int(y) for y, words in texts for room in words.split(" · ")}
    assert set(RANK) <= set(heights)
    assert [[heights[room] for room in rooms] for rooms in RANKS] == sorted(
        ([heights[rooms[0]]] * len(rooms) for rooms in RANKS), reverse=True
    )


def test_project_never_reads_the_folder_beside_it() -> None:
    outside = ".." + "/shared"
    folders = ("docksim", "configs", "scenarios", "tests", "benchmarks")
    texts = [p for f in folders for p in (ROOT / f).rglob("*") if p.suffix in {".py", ".yaml", ".toml", ".html"}]
    assert [p for p in texts if outside in p.read_text(encoding="utf-8") or "/work" + "/" in p.read_text("utf-8")] == []
