"""The cache of compiled code: it never runs stale physics, never writes into the installation, and may be absent.

The subprocess tests run a copy of the package and one small function, `inverse_dexp` in quat.py, that leans on `cross`
in vec3.py: numba by itself would not notice an edit there.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

from docksim.kernel import jit

PACKAGE = Path(jit.__file__).resolve().parents[1]
CALL = """\
import json, tempfile
tempfile.tempdir = {tempdir!r}
from docksim.kernel import jit
from docksim.kernel.quat import inverse_dexp
value = inverse_dexp((0.1, 0.2, 0.3), (1.0, -2.0, 0.5))
hits = sum(inverse_dexp.stats.cache_hits.values())
print(json.dumps([value, jit.CACHE_FOLDER and str(jit.CACHE_FOLDER), hits, jit.__file__]))
"""
# u x w = (0.7, 0.25, -0.4), u x (u x w) = (-0.155, 0.25, -0.115)
RIGHT = (1.0 + 0.35 - 0.155 / 12.0, -2.0 + 0.125 + 0.25 / 12.0, 0.5 - 0.2 - 0.115 / 12.0)
# with the opposite product, only the term of first order changes sign
MIRRORED = (1.0 - 0.35 - 0.155 / 12.0, -2.0 - 0.125 + 0.25 / 12.0, 0.5 + 0.2 - 0.115 / 12.0)
DAY = 86400.0


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """A copy of the package, and nothing else."""
    root = tmp_path / "install"
    shutil.copytree(PACKAGE, root / "docksim", ignore=shutil.ignore_patterns("__pycache__"))
    return root


def call(install: Path, tempdir: str | None = None, **environment: Any) -> tuple[tuple[float, ...], str | None, int]:
    """Value, cache folder and cache hits of a process that runs the copy."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("DOCKSIM", "NUMBA", "XDG"))}
    settings = {"PYTHONPATH": str(install), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CALL.format(tempdir=tempdir)],
        cwd=install,
        env=clean | settings | {key: str(value) for key, value in environment.items()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    value, folder, hits, where = json.loads(done.stdout)
    assert Path(where).is_relative_to(install), "the copy was not the one that ran"
    return tuple(value), folder, hits


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def close(value: tuple[float, ...]) -> Any:
    # a dozen operations of order one
    return pytest.approx(value, rel=0.0, abs=1e-15)


def test_editing_a_helper_changes_the_result_and_reverting_restores_it(install: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    helper = install / "docksim" / "kernel" / "vec3.py"
    product = "return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]"
    mirrored = "return a[2] * b[1] - a[1] * b[2], a[0] * b[2] - a[2] * b[0], a[1] * b[0] - a[0] * b[1]"

    first, _, hits = call(install, DOCKSIM_CACHE_DIR=cache)
    assert first == close(RIGHT)
    assert hits == 0

    edit(helper, product, mirrored)
    edited, _, hits = call(install, DOCKSIM_CACHE_DIR=cache)
    assert edited == close(MIRRORED)
    assert hits == 0

    # the old code is still there under its own stamp, and is the same to the bit
    edit(helper, mirrored, product)
    reverted, _, hits = call(install, DOCKSIM_CACHE_DIR=cache)
    assert reverted == first
    assert hits == 1
    assert len(list((cache / "kernel").iterdir())) == 2


def test_kernel_of_the_same_version_in_another_folder_is_not_taken_for_cached(install: Path) -> None:
    from docksim.simulation import prepare_kernel

    prepare_kernel()

    def cached(root: Path) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "from docksim.simulation import kernel_is_cached as c; print(c())"],
            cwd=root, env=os.environ | {"PYTHONPATH": str(root)}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    # the same stamp and so the same folder, and numba's files in it go by where the sources lie
    assert (cached(PACKAGE.parent), cached(install)) == ("True", "False")


def test_read_only_install_runs_and_caches_in_the_temporary_folder(install: Path, tmp_path: Path) -> None:
    # a file where the cache root should be stops even the superuser
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = contents(install)
    for path in [install, *install.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        value, folder, _ = call(install, str(temporary), HOME=blocked, XDG_CACHE_HOME=blocked / "cache")
        again, _, hits = call(install, str(temporary), HOME=blocked, XDG_CACHE_HOME=blocked / "cache")
    finally:
        for path in [install, *install.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert value == again == close(RIGHT)
    assert hits == 1
    assert folder is not None
    assert Path(folder).is_relative_to(temporary)
    assert contents(install) == before


def test_where_nothing_can_be_written_the_kernel_runs_uncached(install: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    before = contents(install)
    places = {"HOME": blocked, "XDG_CACHE_HOME": blocked / "cache", "NUMBA_CACHE_DIR": ""}
    value, folder, hits = call(install, str(blocked / "temporary"), **places)
    assert value == close(RIGHT)
    assert (folder, hits) == (None, 0)
    assert contents(install) == before


def test_cache_goes_to_the_users_cache_folder_never_into_the_package(install: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = contents(install)
    _, folder, _ = call(install, HOME=home)
    assert folder is not None
    assert Path(folder).parent == home / ".cache" / "docksim" / "kernel"
    assert any(Path(folder).rglob("*.nbc"))
    assert contents(install) == before


def test_told_folder_is_the_only_candidate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path / "told"))
    assert jit._writable_folder("stamp") == tmp_path / "told" / "kernel" / "stamp"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path / "file"))
    assert jit._writable_folder("stamp") is None


def test_folder_of_somebody_else_is_not_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path))
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert jit._writable_folder("stamp") is None


def test_stamps_unused_for_a_month_are_removed_and_recent_ones_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCKSIM_CACHE_DIR", str(tmp_path))
    now = time.time()
    for name, days in (("old", 31), ("recent", 29), ("own", 400)):
        folder = tmp_path / "kernel" / name
        (folder / "inside").mkdir(parents=True)
        os.utime(folder, (now - days * DAY, now - days * DAY))
    own = jit._writable_folder("own")
    assert own is not None
    assert sorted(path.name for path in own.parent.iterdir()) == ["own", "recent"]
    # using a stamp makes it young again
    assert own.stat().st_mtime > now - 60.0
    assert (own / "inside").is_dir()


def test_stamp_changes_with_every_kernel_file_the_model_and_the_versions(
    install: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "_HERE", install / "docksim" / "kernel")
    stamps = [jit.source_stamp()]
    tables = [install / "docksim" / name for name in jit.MODEL_FILES]
    sources = sorted((install / "docksim" / "kernel").glob("*.py")) + tables
    assert len(sources) > 10
    for path in sources:
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        stamps.append(jit.source_stamp())
    monkeypatch.setattr(numba, "__version__", "0.0")
    stamps.append(jit.source_stamp())
    assert len(set(stamps)) == len(sources) + 2


def test_every_file_that_the_model_is_made_of_is_in_the_stamp() -> None:
    text = (Path(jit.__file__).parent.parent / "model.py").read_text(encoding="utf-8")
    imported = set(re.findall(r"^from docksim\.(\w+) import", text, re.MULTILINE))
    assert {f"{name}.py" for name in imported} | {"model.py"} == set(jit.MODEL_FILES)


def test_stamp_of_the_same_sources_is_the_same_wherever_they_lie(
    install: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = jit.source_stamp()
    monkeypatch.setattr(jit, "_HERE", install / "docksim" / "kernel")
    assert jit.source_stamp() == here


def test_decorating_leaves_the_cache_setting_of_numba_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "somewhere_else")

    @jit.kernel
    def double(x: float) -> float:
        return 2.0 * x

    assert numba.config.CACHE_DIR == "somewhere_else"
    if jit.CACHE_FOLDER is not None:
        assert Path(double._cache.cache_path).is_relative_to(jit.CACHE_FOLDER)
