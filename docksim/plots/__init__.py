"""Figures of a result: `all_figures(result)` by file name, or one builder at a time; `write_figures` saves them."""

from docksim.plots.figures import (
    all_figures,
    contact,
    devices,
    energy,
    joints,
    loads,
    momentum,
    motion,
    port_motion,
    port_pairs,
    vehicles,
)
from docksim.plots.files import FORMATS, write_figures

__all__ = [
    "FORMATS",
    "all_figures",
    "contact",
    "devices",
    "energy",
    "joints",
    "loads",
    "momentum",
    "motion",
    "port_motion",
    "port_pairs",
    "vehicles",
    "write_figures",
]
