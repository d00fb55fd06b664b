"""The figures of the pages, made by the shipped scenarios and a shipped study: python docs/make_figures.py [FOLDER].

Small files: 120 dots an inch and a palette, since they live in the repository.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from PIL import Image

import docksim
from docksim.plots import style
from docksim.plots.run.figures import all_figures
from docksim.plots.study.figures import study_figures
from docksim.replay.still import still
from docksim.study.plan import load_plan
from docksim.study.session import run_study
from docksim.study.table import load_table

ROOT = Path(__file__).resolve().parents[1]
DPI, COLOURS = 120, 64
# file of a page: scenario, kind, name of the figure
RUNS = {
    "phases": ("dock_nds", "phases", "phases"),
    "capture": ("dock_nds", "capture", "capture_dock"),
    "energy": ("dock_sxds", "energy", "energy"),
    "legs": ("dock_sxds_edge", "legs", "legs_chaser"),
}
# stills on the front page; the instant, or the one that `docksim replay --still` takes
STILLS: dict[str, float | None] = {
    "dock_nds": None,
    "dock_apas": None,
    "dock_sxds": None,
    "berth_module": 30.0,
    "tumbling_capture": 60.0,
    "two_arms_one_load": None,
    "array_deployment": 6.0,
    "free_flying_arm": None,
    "leg_gallery": None,
}
STILL_DPI = 66
STUDY, CASES = "soft_capture", 300
STUDY_FIGURES = {"scatter": "scatter", "exceedance": "exceedance_chaser.ring.load_force_N.peak"}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file, (scenario, kind, name) in RUNS.items():
        result = docksim.run(ROOT / "scenarios" / f"{scenario}.yaml")
        write(all_figures(result, [kind])[name], folder / f"{file}.png")
    for name, at_s in STILLS.items():
        result = docksim.run(ROOT / "scenarios" / f"{name}.yaml")
        write(still(result, at_s), folder / f"gallery_{name}.png", STILL_DPI)
    with tempfile.TemporaryDirectory() as place:
        run_study(load_plan(ROOT / "studies" / f"{STUDY}.yaml", CASES), Path(place))
        figures = study_figures(load_table(Path(place) / STUDY), ["scatter", "exceedance"])
        for file, name in STUDY_FIGURES.items():
            write(figures[name], folder / f"study_{file}.png")


def write(figure: Figure, file: Path, dots: int = DPI) -> None:
    """PNG with a palette."""
    stream = io.BytesIO()
    with rc_context(style.RC):
        figure.savefig(stream, format="png", dpi=dots)
    picture = Image.open(stream).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(file, optimize=True)
    print(f"{file}  {file.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures")
