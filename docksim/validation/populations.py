"""Acceptance populations: what must hold in every docking, published or not."""

from __future__ import annotations

from docksim.config import load_scenario
from docksim.config.files import data_root
from docksim.validation.bench import Bench, shipped
from docksim.validation.row import Finding, Row

RESIDUAL, MOMENTUM = 1e-3, 1e-10
# one of each system, and what does not end well; the rest in the full size
FIRST = ("dock_missed", "dock_nds_roll", "dock_sxds_edge")


def dockings() -> list[str]:
    """Every shipped docking, a few of different kinds first."""
    paths = sorted((data_root() / "scenarios").glob("dock_*.yaml"))
    found = [path.stem for path in paths if load_scenario(path).contacts]
    return [*FIRST, *(name for name in found if name not in FIRST)]


def conservation(bench: Bench, size: int) -> Finding:
    runs = bench.runs([shipped(name) for name in dockings()[:size]])
    energy = max(told.number("budget.residual_of_approach") for told in runs)
    linear, angular = (
        max(told.number(f"momentum.{kind}_residual_relative") for told in runs) for kind in ("linear", "angular")
    )
    momentum = max(linear, angular)
    words = f"energy {energy:.1e} of the approach energy, momentum {momentum:.1e}"
    figures = {"energy": energy, "momentum": momentum, "dockings": len(runs)}
    return Finding(words, energy <= RESIDUAL and momentum <= MOMENTUM, figures)


ROWS = (
    Row(
        name="conservation",
        group="population",
        published="energy and momentum balance in every shipped docking",
        source="conservation laws",
        band="energy residual at most 1e-3 of the approach energy, momentum 1e-10 of what the bodies carry",
        reason="a load that is off by a per cent shows as some 1e-3 of energy; contact acts equal and opposite, "
        "so momentum is kept to rounding and the truncation of free motion",
        experiment=conservation, short=3, full=21, unit="dockings",
    ),
)  # fmt: skip
