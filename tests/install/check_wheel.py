"""`python tests/install/check_wheel.py [PYTHON]`: install the wheel of dist/ as a stranger would, and use it.

An environment of its own, an empty home, no compiler on the path. numba and llvmlite are taken away after the
installation, so whatever needs them where the library fits is noticed. The sources of the clone are out of sight; their
table of bits is not, and the installed docksim must meet it on every level of this processor. Prints what was done and
its processor time; exit code 1 with the reason if something is not as it should be.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BITS = ROOT / "tests" / "system" / "bits_of_runs.py"
COMPILERS = ("numba", "llvmlite")
# the rest of what shall run without them; RESULT is the folder of the docking before
COMMANDS = (
    ("plot", "RESULT", "--what", "motion"),
    ("report", "RESULT"),
    ("replay", "RESULT"),
    ("replay", "RESULT", "--still"),
    ("export", "RESULT", "--to", "csv"),
    ("study", "studies/soft_capture.yaml", "--cases", "4", "--workers", "2"),
    ("realtime", "scenarios/tumbling_brick.yaml", "--duration", "0.5", "--no-figures"),
    ("mechanism", "inspect", "configs/mechanisms/nds_like.yaml"),
    ("interface", "show", "configs/interfaces/idss_like.yaml"),
    ("hil", "--mass", "4000", "--stiffness", "1e5", "--damping", "2000", "--delay", "0.001"),
    ("chain", "dynamics", "configs/chains/puma560.yaml"),
    ("chain", "counts", "--no-figures"),
    ("linearize", "scenarios/array_slew.yaml"),
)
# scenarios whose bits are compared on every level of the processor
OF_EACH_KIND = ("dock_nds", "dock_apas", "leg_gallery", "joint_gallery", "boom_and_slosh")
# a room whose edited source the library does not fit any more
EDITED = "kernel/step.py"


class Failure(Exception):
    """Something is not as it should be."""


class Installation:
    """The wheel in an environment of its own."""

    def __init__(self, folder: Path, python: str, wheel: Path) -> None:
        self.folder, self._bin = folder, folder / "venv" / "bin"
        (folder / "home").mkdir()
        # what a program of this machine needs, and nothing that compiles
        self.environment = {"HOME": str(folder / "home"), "PATH": str(self._bin), "LANG": "C.UTF-8", "COLUMNS": "100"}
        pip = [str(self._bin / "python"), "-m", "pip", "--disable-pip-version-check", "-q"]
        _call([python, "-m", "venv", str(folder / "venv")])
        _call([*pip, "install", "-c", str(ROOT / "constraints.txt"), str(wheel)])
        _call([*pip, "uninstall", "-y", *COMPILERS])
        where = "import docksim; print(docksim.__path__[0])"
        self.package = Path(self.run("python", "-c", where).strip())

    def run(self, *command: str, fails: bool = False, **settings: str) -> str:
        """What a command says on both its outputs."""
        done = subprocess.run(
            [str(self._bin / command[0]), *command[1:]], cwd=self.folder, env=self.environment | settings,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        if (done.returncode != 0) != fails:
            raise Failure(f"{' '.join(command)} {settings or ''}: exit {done.returncode}\n{done.stdout}")
        return done.stdout

    def about(self, **settings: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("docksim", "about", "--json", **settings))
        return found


def _call(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")


def expect(found: Any, expected: Any, what: str) -> None:
    if found != expected:
        raise Failure(f"{what}: {found!r}, expected {expected!r}")


def the_wheel(pattern: str) -> Path:
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        raise Failure(f"dist/{pattern}: {len(found)} files instead of one; `make wheel` makes it or says why not")
    return found[0]


def check(folder: Path, python: str) -> None:
    plain, full = the_wheel("docksim-*-py3-none-any.whl"), the_wheel("docksim-*-manylinux*_x86_64.whl")
    expect([name for name in zipfile.ZipFile(plain).namelist() if name.endswith(".so")], [], "code in the plain wheel")
    tell(f"{full.name}, {full.stat().st_size / 1e6:.1f} MB (plain {plain.stat().st_size / 1e6:.1f} MB)")
    here = Installation(folder, python, full)
    tell(f"installed for {here.run('python', '--version').strip()}; {' and '.join(COMPILERS)} taken away again")

    first_docking(here)
    about = here.about()
    for name, code in about["code"].items():
        expect((code["origin"], code["reasons"]), ("shipped", []), f"docksim about, {name}")
    result = max((folder / "results" / "dock_nds").iterdir())
    for command in COMMANDS:
        here.run("docksim", *(str(result) if word == "RESULT" else word for word in command))
        tell(f"docksim {' '.join(command)}")
    levels = [level for level in about["levels"] if level != "host"]
    for level in levels:
        expect(here.about(DOCKSIM_LEVEL=level)["code"]["kernel"]["origin"], "shipped", f"the kernel's code for {level}")
        here.run("python", str(BITS), *OF_EACH_KIND, DOCKSIM_LEVEL=level)
        tell(f"the bits of the table on {level}")
    expect(list((folder / "home").rglob("*.o")), [], "code that was compiled")
    edited_sources(here)


def first_docking(here: Installation) -> None:
    # by itself, then with soft and stiff contact, as it is by default
    for words in (["--no-band"], []):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = here.run("docksim", "run", "scenarios/dock_nds.yaml", *words)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if "hard-docked" not in said or "capture_dock.png" not in said:
            raise Failure(f"the first docking says\n{said}")
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        command = " ".join(["docksim run scenarios/dock_nds.yaml", *words])
        tell(f"{command}, with its main figures: {took:.1f} s of processor time")


def edited_sources(here: Installation) -> None:
    """The library is not used any more, and without numba there is a word instead of a wrong number."""
    source = here.package / EDITED
    text = source.read_text(encoding="utf-8")
    source.write_text(f"{text}\n# edited\n", encoding="utf-8")
    kernel = here.about()["code"]["kernel"]
    expect(kernel["origin"], "absent", "the kernel's code after an edit")
    expect("made from other sources" in " ".join(kernel["reasons"]), True, f"the reason {kernel['reasons']}")
    for command in ("run scenarios/tumbling_brick.yaml", "mechanism inspect configs/mechanisms/nds_like.yaml"):
        said = here.run("docksim", *command.split(), fails=True)
        if "Traceback" in said or said.count("`pip install numba`") != 1:
            raise Failure(f"without numba, docksim {command} says\n{said}")
    source.write_text(text, encoding="utf-8")
    expect(here.about()["code"]["kernel"]["origin"], "shipped", "the kernel's code after the edit is taken back")
    tell("an edited source puts the library aside, with the reason")


def tell(text: str) -> None:
    print(f"  {text}", flush=True)


def main(python: str = sys.executable) -> int:
    with tempfile.TemporaryDirectory(prefix="docksim-wheel-") as folder:
        try:
            check(Path(os.path.realpath(folder)), python)
        except Failure as failure:
            print(f"docksim: the wheel is not as it should be: {failure}", file=sys.stderr)
            return 1
    print("the wheel runs")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
