"""The cache of the chains' compiled code cannot run stale physics."""

import re
from pathlib import Path

import pytest

from docksim.chain import jit
from docksim.kernel import jit as kernel_jit


def test_stamp_covers_every_file_with_compiled_code() -> None:
    folder = Path(jit.__file__).parent
    compiled = {path.stem for path in folder.glob("*.py") if re.search(r"^@(compiled|inlined)", path.read_text(), re.M)}
    assert compiled <= set(jit.SOURCES)


def test_stamp_changes_with_a_source_and_with_the_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = jit.source_stamp()
    for name in jit.SOURCES:
        (tmp_path / f"{name}.py").write_bytes((jit.HERE / f"{name}.py").read_bytes())
    monkeypatch.setattr(jit, "HERE", tmp_path)
    assert jit.source_stamp() == before
    (tmp_path / "kane.py").write_text("# another")
    assert jit.source_stamp() != before
    monkeypatch.undo()
    monkeypatch.setattr(kernel_jit, "source_stamp", lambda: "another kernel")
    assert jit.source_stamp() != before
