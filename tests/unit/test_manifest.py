"""The record of where a result comes from."""

import json
import subprocess
import tomllib
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.simulation import manifest

ROOT = Path(__file__).resolve().parents[2]


def test_manifest_names_version_seed_platform_libraries_and_times() -> None:
    zone = timezone(timedelta(hours=2))
    found = manifest.build_manifest("sample", 7, 1.25, datetime(2030, 1, 1, 14, tzinfo=zone), steps=60000)
    assert found["scenario"] == "sample"
    assert (found["seed"], found["wall_time_s"], found["steps"]) == (7, 1.25, 60000)
    assert found["started_utc"] == "2030-01-01T12:00:00Z"
    assert found["docksim_version"] == docksim.__version__
    assert found["libraries"]["numpy"] == np.__version__
    assert found["platform"]["python"]
    assert json.loads(json.dumps(found)) == found


def test_start_is_now_unless_given() -> None:
    started = manifest.build_manifest("sample", 0, 0.0)["started_utc"]
    age = datetime.now(UTC) - datetime.strptime(started, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    # one minute is generous for two neighbouring lines, whatever the machine does meanwhile
    assert timedelta(0) <= age < timedelta(minutes=1)


def test_an_absent_library_is_said_to_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest, "LIBRARIES", ("no-such-library",))
    manifest.library_versions.cache_clear()
    assert dict(manifest.library_versions()) == {"no-such-library": "not installed"}
    manifest.library_versions.cache_clear()


def _git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_commit_and_local_changes_are_those_of_the_checkout(tmp_path: Path) -> None:
    package = tmp_path / "docksim"
    package.mkdir()
    source = package / "a.py"
    source.write_text("x = 1\n")
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "first")
    head = _git(tmp_path, "rev-parse", "HEAD")
    assert manifest.source_commit(package) == {"commit": head, "commit_modified": False}
    source.write_text("x = 2\n")
    manifest._source_commit.cache_clear()
    assert manifest.source_commit(package) == {"commit": head, "commit_modified": True}


def test_an_installation_inside_another_repository_has_no_commit(tmp_path: Path) -> None:
    _git(tmp_path, "init", "-q")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "somebody else's")
    package = tmp_path / ".venv" / "site-packages" / "docksim"
    package.mkdir(parents=True)
    assert manifest.source_commit(package) == {"commit": None, "commit_modified": None}


def test_a_machine_without_git_has_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert manifest.source_commit(tmp_path / "docksim") == {"commit": None, "commit_modified": None}


def test_version_is_the_packaged_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert docksim.__version__ == project["version"]
