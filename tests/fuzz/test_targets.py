"""Two hundred damaged inputs of each kind, and those that once did harm; `make fuzz` feeds many more."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.fuzz.targets import REFUSED, TAKEN, targets

COUNT = 200
CORPUS = Path(__file__).parent / "corpus"
KEPT = sorted(path for path in CORPUS.glob("*/*") if path.is_file())
# what is drawn of results and tables, which are read two hundred times themselves
FEWER = {"drawn": 15, "drawn table": 15}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.mark.parametrize("name", list(targets(Path())))
def test_whatever_comes_in_a_line_comes_out_or_what_was_asked_for(name: str, folder: Path, tmp_path: Path) -> None:
    target = targets(folder, quick=True)[name]
    count = FEWER.get(name, COUNT)
    words = Counter(target.feed(target.draw(Random(f"{name} {i}")), tmp_path) for i in range(count))
    # inputs that all end in one way prove little
    assert set(words) == {REFUSED, TAKEN} or count < COUNT, words


@pytest.mark.parametrize("file", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_once_did_harm_does_none(file: Path, folder: Path, tmp_path: Path) -> None:
    assert targets(folder, quick=True)[file.parent.name].feed(file.read_bytes(), tmp_path) in (REFUSED, TAKEN)
